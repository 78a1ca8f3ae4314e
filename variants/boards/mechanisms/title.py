"""Who holds a rotating title, and who has held it: the state of one side, and its half of the seventh field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import chess


class Title(NamedTuple):
    """The title of one side."""

    holder: chess.Square | None = None
    """The square of the piece that holds the title; None only on boards that are not a position of the game."""

    held: chess.Bitboard = chess.BB_EMPTY
    """The squares of all the side's pieces that hold it or have held it."""

    def moved(self, journeys: Mapping[chess.Square, chess.Square]) -> Title:
        """The title after its side's pieces went from the keys of `journeys` to the values."""
        held = 0
        for square in chess.scan_forward(self.held):
            held |= chess.BB_SQUARES[journeys.get(square, square)]
        return Title(None if self.holder is None else journeys.get(self.holder, self.holder), held)

    def without(self, square: chess.Square) -> Title:
        """The title after the piece on `square` left the board."""
        return Title(None if self.holder == square else self.holder, self.held & ~chess.BB_SQUARES[square])

    def given_to(self, square: chess.Square) -> Title:
        """The title after the piece on `square` was named; the former holder keeps its mark."""
        return Title(square, self.held | chess.BB_SQUARES[square])

    def transformed(self, f: Callable[[chess.Bitboard], chess.Bitboard]) -> Title:
        """The title after the board was turned or mirrored."""
        return Title(None if self.holder is None else chess.msb(f(chess.BB_SQUARES[self.holder])), f(self.held))

    def text(self) -> str:
        """This side's half of the seventh field: the holder, then the others in board order."""
        if self.holder is None:
            return "-"
        others = chess.SquareSet(self.held & ~chess.BB_SQUARES[self.holder])
        return "".join(chess.SQUARE_NAMES[square] for square in [self.holder, *others])
