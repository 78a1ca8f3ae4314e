"""Limits and results of a search; light to import, so that the protocols can use them before numba loads."""

from __future__ import annotations

from dataclasses import dataclass

MAX_PLY = 120  # of a search: nodes there are valued statically
MATE = 32_000  # score of being mated now; a mate in n plies is MATE - n
MATE_IN_MAX = MATE - 1_000  # scores beyond are mates
MOST_STATIC = MATE_IN_MAX - 1_000  # no static evaluation lies beyond: even corrected by history it is no mate


@dataclass(frozen=True)
class Limits:
    """When to stop; None for no such limit, times in milliseconds. The tightest limit holds."""

    depth: int | None = None
    nodes: int | None = None
    movetime: float | None = None
    clock: tuple[float | None, float | None] = (None, None)  # time left of White and of Black
    increment: tuple[float, float] = (0, 0)
    moves_to_go: int | None = None
    mate: int | None = None  # stop when a mate in this many moves is found
    infinite: bool = False  # do not answer before stop()
    ponder: bool = False  # do not answer before ponder_hit() or stop()
    searchmoves: tuple[int, ...] = ()  # only these root moves


@dataclass(frozen=True)
class Info:
    """A report of a search. score: centipawns from the side to move; a mate is MATE - plies."""

    depth: int
    seldepth: int
    multipv: int
    score: int
    bound: str  # "", "lowerbound" or "upperbound"
    nodes: int
    time: float  # milliseconds
    hashfull: int  # per mille
    pv: tuple[int, ...]
    tbhits: int = 0  # positions that tables were asked for

    @property
    def mate(self) -> int | None:
        """Moves to mate, negative if the side to move is mated; None if the score is no mate."""
        if abs(self.score) <= MATE_IN_MAX:
            return None
        plies = MATE - abs(self.score)
        return (plies + 1) // 2 if self.score > 0 else -((plies + 1) // 2)


@dataclass(frozen=True)
class Current:
    """The root move being searched: the depth, the move, and its number from 1."""

    depth: int
    move: int
    number: int


@dataclass(frozen=True)
class Best:
    """The answer: a move to play and one to ponder on; None if there is none."""

    move: int | None
    ponder: int | None = None
