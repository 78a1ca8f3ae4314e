"""Horde: White has 36 pawns and no king, and loses with the last piece. Pawns on the first rank may step two squares, too."""

from __future__ import annotations

from engine.rules import Pawn, Rules, Worth
from variants.chess import VALUES

RULES = Rules(
    name="horde", source="https://lichess.org/variant/horde", board="chess.variant.HordeBoard",
    start_fen="rnbqkbnr/pppppppp/8/1PP2PP1/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP w kq - 0 1", kingless=True,
    pawn=Pawn(double_step_zone="a1b1c1d1e1f1g1h1a2b2c2d2e2f2g2h2/a7b7c7d7e7f7g7h7",
              unpassed_zone="a1b1c1d1e1f1g1h1/"),
    values={**VALUES, "P": Worth((60, 90), ranks=VALUES["P"].ranks)}, fairy_name="horde")
