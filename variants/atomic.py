"""Atomic chess as played on FICS and Lichess: captures explode, check counts unless the kings touch."""

from __future__ import annotations

from engine.rules import Face, Picture, Rules, SpeedCase, WinModel, Worth

# A capture costs the capturer, so pieces trade for less than they are worth in chess; the queen threatens most and the
# pawns, which blasts spare, decide endgames.
VALUES = {
    "P": Worth((92, 128), ranks=((0, -4, 2, 10, 24, 50, 110, 0), (0, 0, 6, 16, 36, 74, 140, 0)),
               files=((0, 0, 2, 6, 6, -6, 0, 0), (0,) * 8), centre=(4, 0)),
    "N": Worth((212, 196), ranks=((-14, -4, 4, 10, 16, 12, 4, -8), (-8, -4, 0, 4, 6, 4, 0, -6)), centre=(10, 6)),
    "B": Worth((198, 214), ranks=((-6, 0, 4, 6, 8, 6, 0, -4), (-4, 0, 0, 2, 2, 2, 0, -4)), centre=(6, 4)),
    "R": Worth((318, 372), ranks=((0, 0, 2, 2, 4, 6, 10, 6), (0, 0, 0, 4, 6, 8, 10, 8)),
               files=((-4, -2, 4, 8, 8, 4, -2, -4), (0,) * 8)),
    "Q": Worth((640, 690), ranks=((-8, 0, 4, 6, 10, 12, 10, 6), (-10, -4, 2, 6, 10, 10, 8, 4)), centre=(8, 8)),
    "K": Worth((0, 0), ranks=((20, 0, -24, -36, -40, -40, -40, -40), (-16, 0, 6, 10, 14, 14, 10, 4)), centre=(-4, 10)),
}

RULES = Rules(
    name="atomic", source="https://lichess.org/variant/atomic", board="chess.variant.AtomicBoard",
    captures_explode=True, touching_kings_check=False, values=VALUES,
    fairy_name="atomic", xboard=Face(native=True, cute_chess=("atomic",)), win_model=WinModel(67, 268, 500),  # ± 35, 120
    picture=Picture(moves="g1f3 b8c6 f3g5 a7a6", shown="g5f7", crosses="e8f8g8f7g5", fill=(("e6f6g6e7f7g7e8f8g8", "blast"),)),
    speed=SpeedCase(peer="fairy-stockfish", goal=6.0))
