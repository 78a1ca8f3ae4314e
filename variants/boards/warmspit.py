"""Warm Spit Chess: the king is always royal, and so is a vice-king, whose title goes round as in Ataturk Chess.

By Ralph Betza, 2003; named after what John Nance Garner said the vice-presidency was worth.
"""

from __future__ import annotations

import chess

from variants.boards.ataturk import AtaturkBoard
from variants.boards.common import StatefulBoard


class WarmSpitBoard(AtaturkBoard):
    """Warm Spit Chess. Naming a vice-king is `K@a1` in UCI, `Ra1++` in SAN.

    >>> WarmSpitBoard().legal_moves.count()
    26
    """

    aliases = ["Warmspit", "Warm Spit", "Warm Spit Chess"]  # noqa: RUF012
    uci_variant = "warmspit"
    xboard_variant = "warmspit"
    starting_fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 d1/d8"

    def royals_mask(self, color: chess.Color) -> chess.Bitboard:
        """The king and the vice-king."""
        return super().royals_mask(color) | (self.kings & self.occupied_co[color])

    def title_candidates(self, color: chess.Color) -> chess.Bitboard:
        """The pieces among which the vice-king's title goes round: neither the king nor pawns."""
        return super().title_candidates(color) & ~self.kings

    def check_kings(self, color: chess.Color) -> None:
        """Exactly one king a side, as in chess."""
        StatefulBoard.check_kings(self, color)

    def status(self) -> chess.Status:
        status = super().status()
        if not self.kings & self.occupied_co[chess.WHITE]:
            status |= chess.STATUS_NO_WHITE_KING
        if not self.kings & self.occupied_co[chess.BLACK]:
            status |= chess.STATUS_NO_BLACK_KING
        return status
