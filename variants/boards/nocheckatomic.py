"""Atomic chess as played on ICC: captures explode, there is no check, the game ends when a king explodes."""

from __future__ import annotations

from collections.abc import Iterator

import chess.variant

from variants.boards.mechanisms.no_royal_safety import NoRoyalSafety


class NoCheckAtomicBoard(NoRoyalSafety, chess.variant.AtomicBoard):
    """python-chess's atomic without check."""

    uci_variant = "nocheckatomic"
    xboard_variant = "nocheckatomic"
    aliases = ["NoCheckAtomic", "ICC Atomic", "No-Check Atomic"]  # noqa: RUF012

    def generate_legal_ep(
        self, from_mask: chess.Bitboard = chess.BB_ALL, to_mask: chess.Bitboard = chess.BB_ALL
    ) -> Iterator[chess.Move]:
        """The legal captures en passant; python-chess's forgets that the own king may explode with them."""
        yield from filter(self.is_legal, self.generate_pseudo_legal_ep(from_mask, to_mask))
