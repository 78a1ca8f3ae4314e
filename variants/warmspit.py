"""Warm Spit Chess: the king is always royal, and so is a vice-king, whose title goes round as in Ataturk Chess.

By Ralph Betza, 2003; named after what John Nance Garner said the vice-presidency was worth.
"""

from __future__ import annotations

from engine.rules import Picture, Rules, WinModel
from variants.chess import VALUES

RULES = Rules(
    name="warmspit", source="https://www.chessvariants.com/rules/ataturk-chess", board="variants.boards.warmspit.WarmSpitBoard",
    start_fen="rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 d1/d8",
    title_order="QRBN", wary_royals=True, values=VALUES, win_model=WinModel(39, 217, 100),  # ± 17, 34
    picture=Picture(moves="e2e3 b8c6 a2a3 c6a5 h2h3 a5c4 h3h4 c4b2", threats="b2d1"))
