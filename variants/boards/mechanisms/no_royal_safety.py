"""No check: a king may stand on, enter and cross attacked squares, and is captured there."""

from __future__ import annotations

import chess


class NoRoyalSafety(chess.Board):
    """A chess.Board that never sees a check. It goes before another Board among the bases of a class."""

    def checkers_mask(self) -> chess.Bitboard:
        """Nobody gives check."""
        return chess.BB_EMPTY

    def gives_check(self, move: chess.Move) -> bool:
        """No move gives check."""
        return False

    def is_into_check(self, move: chess.Move) -> bool:
        """No move exposes the king."""
        return False

    def was_into_check(self) -> bool:
        """The side that has moved is never in check."""
        return False

    def pin_mask(self, color: chess.Color, square: chess.Square) -> chess.Bitboard:
        """Nothing is pinned."""
        return chess.BB_ALL

    def _attacked_for_king(self, path: chess.Bitboard, occupied: chess.Bitboard) -> bool:
        return False
