"""What a search is asked and what it answers; light to import, so that the protocols can speak of it before numba loads."""

from __future__ import annotations

from dataclasses import dataclass

MATE = 32_000  # score of being mated now; a mate in n plies is MATE - n
MATE_IN_MAX = MATE - 1_000  # scores beyond are mates
MOST_STATIC = MATE_IN_MAX - 1_000  # no static value lies beyond: corrected by experience, it still is no mate


@dataclass(frozen=True)
class Limits:
    """When to stop; None where there is no such limit, times in milliseconds. The tightest limit wins."""

    depth: int | None = None
    nodes: int | None = None
    movetime: float | None = None
    clock: tuple[float | None, float | None] = (None, None)  # what White, Black have left
    increment: tuple[float, float] = (0, 0)
    moves_to_go: int | None = None
    mate: int | None = None  # stop when a mate in this many moves is found
    infinite: bool = False  # do not answer before stop()
    ponder: bool = False  # do not answer before ponder_hit() or stop()
    searchmoves: tuple[int, ...] = ()  # only these root moves


@dataclass(frozen=True)
class Info:
    """One line of news. Score in centipawns from the side to move; mates as MATE - plies."""

    depth: int
    seldepth: int
    multipv: int
    score: int
    bound: str  # "", "lowerbound" or "upperbound"
    nodes: int
    time: float  # milliseconds
    hashfull: int  # per mille
    pv: tuple[int, ...]

    @property
    def mate(self) -> int | None:
        """Moves to mate, negative when being mated; None where the score is no mate."""
        if abs(self.score) <= MATE_IN_MAX:
            return None
        plies = MATE - abs(self.score)
        return (plies + 1) // 2 if self.score > 0 else -((plies + 1) // 2)


@dataclass(frozen=True)
class Current:
    """The root move under way: what depth, which move, the how manieth it is."""

    depth: int
    move: int
    number: int


@dataclass(frozen=True)
class Best:
    """The answer: a move to play and one to think about meanwhile; None where there is none."""

    move: int | None
    ponder: int | None = None
