"""Madness of Kings: the opponent may move one's king, two squares in a straight or diagonal line."""

from __future__ import annotations

from engine.rules import LOOSE_KING, Face, Pawn, Picture, Rules, SpeedCase, WinModel

RULES = Rules(
    name="madness", source="https://www.chessvariants.com/rules/madness-of-kings-chess",
    board="variants.boards.madness.MadnessBoard", start_fen="krbp4/rqnp4/nbpp4/pppp4/4PPPP/4PPBN/4PNQR/4PBRK w - - 0 1",
    pawn=Pawn(step="flF", capture="flW", promotion_zone="a1a2a3a4a5a6a7a8b8c8d8e8f8g8h8", double_step_zone=""),
    castling=False, driven_king=True,
    xboard=Face(pieces=LOOSE_KING, parent="lion", moves=("P& flmFflcW",)), win_model=WinModel(223, 183, 100),  # ± 44, 27
    picture=Picture("8/r1n5/pbp1p3/1q1k1p2/6P1/3N2P1/4PP1R/4P1K1 w - - 0 1", shown="d5b5", crosses="d3f7b7",
                    fill=(("b5b3d7f5f3", "reach"),)),
    speed=SpeedCase((("", 7),)))
