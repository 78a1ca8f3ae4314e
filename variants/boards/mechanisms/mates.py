"""Mates that only draw, and mates that are forbidden."""

from __future__ import annotations

from typing import ClassVar

import chess

from variants.boards.base.ending import End
from variants.boards.base.stateful import StatefulBoard

FIELDS = ("-", "w", "b", "wb")


class MateSeries(StatefulBoard):
    """A mate wins only if there was a shak in the series of checks that it ends; otherwise it is niol, a draw.

    `state` holds the sides whose present series of checks has had a shak in it.
    """

    has_seventh_field = True
    seventh_pattern = "|".join(FIELDS)
    empty_state: ClassVar[frozenset[chess.Color]] = frozenset()
    state: frozenset[chess.Color]

    shak_givers: ClassVar[tuple[chess.PieceType, ...]]
    """The types whose check is a shak."""

    def mate_verdict(self) -> End:
        """The side that mates wins if it has given a shak in this series."""
        return super().mate_verdict() if (not self.turn) in self.state else ("niol", None)

    def push(self, move: chess.Move) -> None:
        """After the move, the mover's mark: set by a shak, kept by another check, cleared by a move without check."""
        mover = self.turn
        super().push(move)
        checkers = self.checkers()
        if not checkers:
            self.state -= {mover}
        elif any(self.piece_type_at(square) in self.shak_givers for square in checkers):
            self.state |= {mover}

    def swap_state(self) -> None:
        """Exchange the sides."""
        self.state = frozenset(not color for color in self.state)

    def seventh_field(self) -> str:
        """The sides that have given a shak in their series: `-`, `w`, `b` or `wb`."""
        return ("w" if chess.WHITE in self.state else "") + ("b" if chess.BLACK in self.state else "") or "-"

    def set_seventh_field(self, text: str) -> None:
        """Read that field. Raises ValueError."""
        if text not in FIELDS:
            raise ValueError(f"marks of the check series: one of {', '.join(FIELDS)}, not {text!r}")
        self.state = frozenset(color for color, letter in ((chess.WHITE, "w"), (chess.BLACK, "b")) if letter in text)


class NoKnightMates(StatefulBoard):
    """Knights alone must not give mate."""

    def allows(self, move: chess.Move) -> bool:
        """The move must not mate by knights alone."""
        return super().allows(move) and not self._is_knight_mate(move)

    def _is_knight_mate(self, move: chess.Move) -> bool:
        """Whether a move that leaves its own king safe gives check by knights alone and leaves no legal reply.

        A reply that is itself a forbidden mate is not legal, so this is asked of the replies, too. A capture that ends the game
        is not a mate.
        """
        king = self.king(not self.turn)
        if king is None:
            return False
        knights = self.knights & self.occupied_co[self.turn]
        if knights & chess.BB_SQUARES[move.from_square]:
            knights ^= chess.BB_SQUARES[move.from_square] | chess.BB_SQUARES[move.to_square]
        if not knights & chess.BB_KNIGHT_ATTACKS[king]:
            return False
        self.push(move)
        try:
            by_knights_alone = not self.checkers_mask() & ~self.knights
            return by_knights_alone and not self.is_variant_end() and not any(self.generate_legal_moves())
        finally:
            self.pop()
