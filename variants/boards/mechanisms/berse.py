"""The berse, a piece of shatar: a rook that also moves one square diagonally.

The Board keeps it as python-chess's QUEEN and writes it `J`.
"""

from __future__ import annotations

import chess

from variants.boards.base.naming import parse_uci_move
from variants.boards.base.stateful import StatefulBoard

TO_BERSE = str.maketrans("Qq", "Jj")
FROM_BERSE = str.maketrans("Jj", "Qq")


class Berse(StatefulBoard):
    """A Board with a berse for the queen."""

    # How it moves.

    def attacks_mask(self, square: chess.Square) -> chess.Bitboard:
        """A berse attacks as a rook, and one square diagonally."""
        if not self.queens & chess.BB_SQUARES[square]:
            return super().attacks_mask(square)
        return (
            chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & self.occupied]
            | chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & self.occupied]
            | chess.BB_KING_ATTACKS[square] & chess.BB_DIAG_ATTACKS[square][0]
        )

    def attackers_mask(
        self, color: chess.Color, square: chess.Square, occupied: chess.Bitboard | None = None
    ) -> chess.Bitboard:
        """A berse attacks what a queen does, but for the diagonal squares further away than one."""
        far = chess.BB_DIAG_ATTACKS[square][0] & ~chess.BB_KING_ATTACKS[square]
        return super().attackers_mask(color, square, occupied) & ~(far & self.queens)

    def pin_mask(self, color: chess.Color, square: chess.Square) -> chess.Bitboard:
        """As in chess; a berse pins as a rook does."""
        king, piece = self.king(color), chess.BB_SQUARES[square]
        if king is None or king == square:
            return chess.BB_ALL
        line = chess.ray(king, square)
        pinning = self.attackers_mask(not color, king, self.occupied & ~piece) & line & ~piece
        if not pinning or not chess.between(king, chess.msb(pinning)) & piece:
            return chess.BB_ALL
        return line

    # How it is written.

    def board_fen(self, *, promoted: bool | None = False) -> str:
        """The first field of the FEN."""
        return super().board_fen(promoted=promoted).translate(TO_BERSE)

    def _set_board_fen(self, fen: str) -> None:
        super()._set_board_fen(fen.translate(FROM_BERSE))

    def __str__(self) -> str:
        return super().__str__().translate(TO_BERSE)

    def uci(self, move: chess.Move, *, chess960: bool | None = None) -> str:
        """The move in UCI."""
        return super().uci(move, chess960=chess960).translate(TO_BERSE)

    def parse_uci(self, uci: str) -> chess.Move:
        """Read a move; a berse may be J or Q."""
        return self.legal_or_null(parse_uci_move(uci.translate(FROM_BERSE)), uci)

    def _algebraic_without_suffix(self, move: chess.Move, *, long: bool = False) -> str:
        return super()._algebraic_without_suffix(move, long=long).translate(TO_BERSE)

    def parse_san(self, san: str) -> chess.Move:
        """Read a move; a berse may be J or Q."""
        return super().parse_san(san.translate(FROM_BERSE))
