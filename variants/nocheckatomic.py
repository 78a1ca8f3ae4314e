"""Atomic chess as played on ICC: captures explode, there is no check, the game ends when a king explodes."""

from __future__ import annotations

from dataclasses import replace

from engine.rules import Face, Picture, WinModel
from variants import atomic

RULES = replace(
    atomic.RULES, name="nocheckatomic", board="variants.boards.nocheckatomic.NoCheckAtomicBoard", royal_safety=False,
    aliases=("iccatomic", "atomicnocheck", "nocheckblast"), fairy_name="nocheckatomic",
    # With "atomic" in it the name would arrive as `variant atomic`.
    xboard=Face("nocheck-blast", parent="atomic", other_names=("nocheckatomic",)), win_model=WinModel(80, 214, 100),  # ± 40, 43
    picture=Picture("4k3/pp3ppp/8/8/8/4r3/PP3P1P/R3K2R w KQ - 0 1", shown="e1c1 e1g1", threats="e3e1"))
