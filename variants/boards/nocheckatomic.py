"""Atomic chess as played on ICC: captures explode, there is no check, the game ends when a king explodes."""

from __future__ import annotations

import chess.variant

from variants.boards.mechanisms.no_royal_safety import NoRoyalSafety


class NoCheckAtomicBoard(NoRoyalSafety, chess.variant.AtomicBoard):
    """python-chess's atomic without check."""

    uci_variant = "nocheckatomic"
    xboard_variant = "nocheckatomic"
    aliases = ["NoCheckAtomic", "ICC Atomic", "No-Check Atomic"]  # noqa: RUF012
