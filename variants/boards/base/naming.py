"""Moves that name a king, and every form of a move in UCI."""

from __future__ import annotations

import dataclasses
import re
from typing import Self

import chess


@dataclasses.dataclass(unsafe_hash=True, repr=False)
class NamingMove(chess.Move):
    """A move that names a king: `K@d1` alone, or `K@a8,e7e5` if an ordinary move follows in the same turn.

    Alone, both of its squares are the named one. It never equals a plain chess.Move and is never a null move.
    """

    named: chess.Square = dataclasses.field(kw_only=True)

    @classmethod
    def naming(cls, square: chess.Square) -> Self:
        """The move that names the piece on `square` and does nothing else."""
        return cls(square, square, named=square)

    @classmethod
    def before(cls, move: chess.Move, square: chess.Square) -> Self:
        """The ordinary `move`, preceded by naming the piece on `square`."""
        return cls(move.from_square, move.to_square, move.promotion, named=square)

    def plain(self) -> chess.Move:
        """The ordinary move that follows the naming, or the null move."""
        if self.from_square == self.to_square:
            return chess.Move.null()
        return chess.Move(self.from_square, self.to_square, self.promotion)

    def uci(self) -> str:
        """`K@d1` or `K@a8,e7e5`."""
        name = f"K@{chess.square_name(self.named)}"
        return f"{name},{self.plain().uci()}" if self.plain() else name

    def __bool__(self) -> bool:
        return True  # both squares of K@a1 are zero, yet it is a move

    def __repr__(self) -> str:
        return f"NamingMove.from_uci({self.uci()!r})"

    @classmethod
    def from_uci(cls, uci: str) -> Self:
        """Read `K@d1` or `K@a8,e7e5`, in upper or lower case. Raises chess.InvalidMoveError."""
        match = re.fullmatch(r"k@([a-h][1-8])(?:,(\w+))?", uci.lower())
        if match is None:
            raise chess.InvalidMoveError(f"a king is named as in 'K@d1' or 'K@a8,e7e5', not {uci!r}")
        square = chess.parse_square(match[1])
        if match[2] is None:
            return cls.naming(square)
        move = chess.Move.from_uci(match[2])
        if not move:
            raise chess.InvalidMoveError(f"no null move after the naming of a king: {uci!r}")
        return cls.before(move, square)


def parse_uci_move(text: str) -> chess.Move:
    """Read a move in any form that a game has: `e2e4`, `e7e8q`, `K@d1`, `d1d1` for the same, `K@a8,e7e5`, `0000`.

    Letters may have either case: python-chess turns what an engine answers to lower case.
    Raises chess.InvalidMoveError.
    """
    text = text.lower()
    if text.startswith("k@"):
        return NamingMove.from_uci(text)
    if len(text) == 4 and text[:2] == text[2:] and text[:2] in chess.SQUARE_NAMES:
        return NamingMove.naming(chess.parse_square(text[:2]))
    return chess.Move.from_uci(text)
