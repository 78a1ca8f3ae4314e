"""The record of a game: how it was played and how it ended."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


class End(enum.Enum):
    """Why a game ended, as in the column `reason`. Ends by the rules have the values of engine.game.Reason."""

    CHECKMATE = "checkmate"
    EXPLOSION = "explosion"
    NO_HEIR = "no heir"
    KING_CAPTURED = "king captured"
    CHECK_LIMIT = "check limit"
    GOAL = "goal"
    EXTINCTION = "extinction"
    NIOL = "niol"
    ROBADO = "robado"
    STALEMATE = "stalemate"
    REPETITION = "repetition"
    FIFTY_MOVES = "50 moves"
    MATERIAL = "insufficient material"
    RESIGNATION = "resignation"
    AGREED = "draw agreed"
    RESIGN_RULE = "resign rule"  # -resign: by the scores
    DRAW_RULE = "draw rule"  # -draw
    MOVE_LIMIT = "move limit"  # -maxmoves
    TABLE = "table"  # -tables
    # Faults: who commits one has lost.
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

    move: str  # e2e4, e7e8q, K@d1, K@a8,e7e5
    san: str = ""
    book: bool = False  # played by the opening, not by an engine
    seconds: float | None = None  # thinking time measured by the referee
    clock: float | None = None  # seconds left after the move, increment included
    score: int | None = None  # centipawns from the mover's side
    mate: int | None = None  # moves to mate from the mover's side, instead of a score
    depth: int | None = None
    nodes: int | None = None


@dataclass
class GameRecord:
    """A finished game: everything that the store keeps."""

    number: int  # place in the schedule, from 1
    round: int  # from 1
    pair: int  # shared by two games with one opening and colours reversed; from 1
    white: str
    black: str
    variant: str
    fen: str  # the start position, with its seventh field
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
    overhead: float = 0.0  # processor seconds of the referee, without the engines'
    plies: list[Ply] = field(default_factory=list)
    illegal_lines: dict[int, str] = field(default_factory=dict)  # by ply, from 1: first illegal move of a variation
    logs: tuple[str, str] = ("", "")  # the conversations with White and Black, if worth keeping

    def mover(self, ply: int) -> str:
        """The name of who made a move; plies count from 1."""
        return (self.white, self.black)[(self.fen.split()[1] == "b") != (ply % 2 == 0)]
