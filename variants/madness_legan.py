"""Madness of Kings from the array of Legan's chess: the pawns of Diamond chess, with short promotion zones."""

from __future__ import annotations

from dataclasses import replace

from engine.rules import Pawn, Picture, WinModel
from variants import madness

RULES = replace(
    madness.RULES, name="madness-legan", board="variants.boards.madness.MadnessLeganBoard",
    start_fen="knbrp3/bqpp4/npp5/rp1p3P/p3P1PR/5PPN/4PPQB/3PRBNK w - - 0 1",
    pawn=Pawn(step="flF", capture="flW", promotion_zone="a5a6a7a8b8c8d8", double_step_zone=""),
    win_model=WinModel(649, 394, 100),  # ± 144, 85
    picture=Picture(fill=(("a5a6a7a8b8c8d8", "White's goal"), ("h4h3h2h1g1f1e1", "Black's goal"), ("d3", "reach"),
                          ("d2e3", "guarded"))))
