"""Pawns that promote to one type only, and of which only some have the double step."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

import chess

from variants.boards.base.stateful import StatefulBoard

BARE_PROMOTION = re.compile(r"((?:[a-h][1-8]?[-x]?)?[a-h][18])([+#]?)")


class PlainPawns(StatefulBoard):
    """A Board with pawns of fewer rights."""

    promotes_to: ClassVar[chess.PieceType] = chess.QUEEN
    double_steps_from: ClassVar[chess.Bitboard]
    """The squares from which pawns have the double step."""

    def generate_pseudo_legal_moves(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """Orthodox moves without other promotions and other double steps."""
        for move in super().generate_pseudo_legal_moves(from_mask, to_mask):
            if move.promotion in (None, self.promotes_to) and not self._is_forbidden_double_step(move):
                yield move

    def _is_forbidden_double_step(self, move: chess.Move) -> bool:
        from_bb = chess.BB_SQUARES[move.from_square]
        return bool(abs(move.to_square - move.from_square) == 16 and self.pawns & from_bb & ~self.double_steps_from)

    def _valid_ep_square(self) -> chess.Square | None:
        square = super()._valid_ep_square()
        if square is None:
            return None
        start = square + (8 if self.turn else -8)
        return square if chess.BB_SQUARES[start] & self.double_steps_from else None

    def parse_san(self, san: str) -> chess.Move:
        """Read a move; the promotion may be left out."""
        match = BARE_PROMOTION.fullmatch(san)
        if match:
            try:
                return super().parse_san(san)
            except chess.IllegalMoveError:
                san = f"{match[1]}={chess.piece_symbol(self.promotes_to).upper()}{match[2]}"
        return super().parse_san(san)
