"""Ataturk Chess: on a turn a side may name another piece its king instead of moving. By Ralph Betza, 2003."""

from __future__ import annotations

from engine.rules import Picture, Piece, Rules, WinModel, Worth
from variants.chess import VALUES

RULES = Rules(
    name="ataturk", source="https://www.chessvariants.com/rules/ataturk-chess", board="variants.boards.ataturk.AtaturkBoard",
    start_fen="rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 e1/e8",
    pieces=(Piece("N", "N"), Piece("B", "B"), Piece("R", "R"), Piece("Q", "Q"), Piece("K", "K")),  # royal by title only
    title_order="KQRBN", wary_royals=True, values={**VALUES, "K": Worth((310, 360), centre=(4, 8))},
    win_model=WinModel(99, 144, 5150),  # ± 3, 4
    picture=Picture(moves="K@d1 f7f6 e2e4 g7g5 a2a3 h7h6 d1h5 a7a6", shown="a1a1", threats="h5e8", fill=(("f7", "guarded"),)))
