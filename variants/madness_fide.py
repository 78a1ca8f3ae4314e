"""Madness of Kings from the orthodox array, with orthodox pawns: double step, en passant, promotion on the last rank."""

from __future__ import annotations

from dataclasses import replace

from engine.rules import START, Pawn
from variants import madness
from variants._common import register
from variants.chess import VALUES
from variants.madness import MadKingsBoard


@register
class MadnessFideBoard(MadKingsBoard):
    """Any array whose pawns go the orthodox way can be given as a FEN."""

    aliases = ["Madness of Kings (FIDE)", "madness-fide", "madness_fide"]  # noqa: RUF012
    uci_variant = "madness-fide"
    xboard_variant = "madness-fide"
    starting_fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"


RULES = replace(madness.RULES, name="madness-fide", board=MadnessFideBoard, start_fen=START, pawn=Pawn(), values=VALUES)
