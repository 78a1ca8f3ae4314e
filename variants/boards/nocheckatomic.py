"""Atomic chess as played on ICC: captures explode, there is no check, the game ends when a king explodes."""

from __future__ import annotations

import chess.variant


class NoCheckAtomicBoard(chess.variant.AtomicBoard):
    """python-chess's atomic without check."""

    uci_variant = "nocheckatomic"
    xboard_variant = "nocheckatomic"
    aliases = ["NoCheckAtomic", "ICC Atomic", "No-Check Atomic"]  # noqa: RUF012

    def checkers_mask(self) -> int:
        return chess.BB_EMPTY

    def was_into_check(self) -> bool:
        return False

    def _attacked_for_king(self, path: int, occupied: int) -> bool:
        return False
