"""Ascending the Throne: kings are captured, and a piece of the captured side becomes king where it stands."""

from __future__ import annotations

from engine.rules import Face, Picture, Rules, SpeedCase, WinModel
from variants.chess import VALUES

RULES = Rules(
    name="ascending", source="https://www.chessvariants.com/rules/ascending-the-throne",
    board="variants.boards.ascending.AscendingBoard", royal_safety=False, succession="QRBN", values=VALUES,
    xboard=Face(parent="lion"), win_model=WinModel(44, 101, 100),  # ± 18, 12
    picture=Picture("1r2k2r/pp3ppp/2n5/8/8/2P5/PP3PPP/4R1K1 w k - 0 1", shown="b8b8 h8h8", threats="e1e8"),
    speed=SpeedCase(goal=0.7))
