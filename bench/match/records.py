"""What is known about a game: the task that describes it before it is played, and the record of how it went."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


class End(enum.Enum):
    """Why a game is over, as the column `reason` has it. What the rules decide has the value of engine.game.Reason."""

    CHECKMATE = "checkmate"
    EXPLOSION = "explosion"
    NO_HEIR = "no heir"
    KING_CAPTURED = "king captured"
    NIOL = "niol"
    ROBADO = "robado"
    STALEMATE = "stalemate"
    REPETITION = "repetition"
    FIFTY_MOVES = "50 moves"
    MATERIAL = "insufficient material"
    RESIGNATION = "resignation"
    AGREED = "draw agreed"
    RESIGN_RULE = "resign rule"  # -resign: both engines' scores said so
    DRAW_RULE = "draw rule"  # -draw
    MOVE_LIMIT = "move limit"  # -maxmoves
    # Faults: whoever commits one has lost.
    ILLEGAL = "illegal move"
    FALSE_CLAIM = "false claim"
    CRASH = "crash"
    STALL = "stall"
    TIME = "time"
    START = "no start"
    ERROR = "protocol error"
    # Neither engine can play: no result.
    VOID = "void"

    @property
    def fault(self) -> bool:
        """Whether an engine's misbehaviour ended the game."""
        return self in FAULTS


FAULTS = frozenset({End.ILLEGAL, End.FALSE_CLAIM, End.CRASH, End.STALL, End.TIME, End.START, End.ERROR})


@dataclass
class Ply:
    """One move, with what the engine said about it."""

    move: str  # as the rules write it: e2e4, e7e8q, K@d1, K@a8,e7e5
    san: str = ""
    book: bool = False  # played by the opening, not by an engine
    seconds: float | None = None  # thinking time the referee measured
    clock: float | None = None  # seconds left after the move, increment included
    score: int | None = None  # centipawns from the mover's side
    mate: int | None = None  # moves to mate from the mover's side, instead of a score
    depth: int | None = None
    nodes: int | None = None


@dataclass
class GameRecord:
    """A finished game, everything the store keeps of it."""

    number: int  # place in the schedule, from 1
    round: int  # from 1
    pair: int  # games with one opening and colours reversed share it, from 1
    white: str
    black: str
    variant: str
    fen: str  # the position the game began from, with its seventh field
    result: str = "*"
    reason: End = End.VOID
    detail: str = ""  # one line: what exactly happened
    fault: int | None = None  # who misbehaved: 0 White, 1 Black
    opening: int | None = None  # its place in the book, from 1
    opening_name: str = ""
    final_fen: str = ""
    chess960: bool = False
    started: float = 0.0  # seconds since 1970
    finished: float = 0.0
    overhead: float = 0.0  # CPU seconds the referee needed for the game, the engines' not included
    plies: list[Ply] = field(default_factory=list)
    illegal_lines: dict[int, str] = field(default_factory=dict)  # by ply, from 1: a variation told there, its first bad move
    logs: tuple[str, str] = ("", "")  # what went over the pipes of White and Black, where it is worth keeping

    def teller(self, ply: int) -> str:
        """Who made a move, counted from 1."""
        return (self.white, self.black)[(self.fen.split()[1] == "b") != (ply % 2 == 0)]
