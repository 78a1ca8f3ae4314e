"""Madness of Kings from the orthodox array, with orthodox pawns: double step, en passant, promotion on the last rank."""

from __future__ import annotations

from dataclasses import replace

from engine.rules import LOOSE_KING, START, Face, Pawn, Picture, WinModel
from variants import madness
from variants.chess import VALUES

RULES = replace(
    madness.RULES, name="madness-fide", board="variants.boards.madness.MadnessFideBoard", start_fen=START, pawn=Pawn(),
    values=VALUES, xboard=Face(pieces=LOOSE_KING, parent="lion"), win_model=WinModel(356, 254, 100),  # ± 117, 34
    picture=Picture(moves="e2e4 e7e5", shown="e8e6"))
