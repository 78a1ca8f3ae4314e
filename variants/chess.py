"""Orthodox chess, with Chess960: the yardstick. Source: FIDE Laws of Chess; castling by its chess960 form."""

from __future__ import annotations

from engine.rules import Face, Picture, Rules, SpeedCase, WinModel, Worth

VALUES = {
    "P": Worth((86, 112), ranks=((0, -2, 0, 6, 14, 26, 52, 0), (0, 0, 2, 8, 20, 42, 74, 0)),
               files=((-8, -2, -2, 6, 8, -4, 0, -8), (2, 2, 0, -2, -2, 0, 2, 2)), centre=(5, 0)),
    "N": Worth((318, 302), ranks=((-12, -6, 0, 6, 10, 12, 2, -10), (-10, -6, 0, 4, 6, 2, -4, -10)),
               files=((-10, -4, 0, 2, 2, 0, -4, -10), (-8, -4, 0, 2, 2, 0, -4, -8)), centre=(9, 9)),
    "B": Worth((334, 322), ranks=((-8, 2, 4, 4, 4, 2, -4, -8), (-4, -2, 0, 2, 2, 2, -2, -4)), centre=(6, 4)),
    "R": Worth((472, 532), ranks=((2, -4, -4, -4, 0, 4, 16, 8), (0, 0, 0, 2, 4, 4, 6, 4)),
               files=((-4, -2, 2, 6, 6, 2, -2, -4), (0,) * 8)),
    "Q": Worth((968, 985), ranks=((0, 2, 2, 0, -2, -2, -2, -4), (-14, -8, 0, 4, 8, 8, 6, 0)), centre=(1, 9)),
    "K": Worth((0, 0), ranks=((18, -2, -30, -48, -60, -60, -60, -60), (-16, -4, 2, 8, 12, 14, 6, -6)),
               files=((12, 20, 4, -14, -12, -4, 22, 12), (-10, -4, 0, 2, 2, 0, -4, -10)), centre=(-4, 12)),
}

RULES = Rules(
    name="chess", source="https://handbook.fide.com/chapter/E012023", board="chess.Board", material_draws=True, values=VALUES,
    aliases=("normal", "standard", "orthodox", "fide", "classical", "regular", "fromposition"),
    chess960_aliases=("chess960", "fischerandom", "fischerrandom", "frc", "960"), fairy_name="chess",
    xboard=Face("normal", native=True, chess960_name="fischerandom", cute_chess=("standard", "fischerandom")),
    win_model=WinModel(116, 123, 7050),  # ± 4, 3
    picture=Picture(moves="e2e4 a7a6 e4e5 f7f5", shown="e5f6", crosses="f5"),
    speed=SpeedCase((("", 6), ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5)),
                    "stockfish", 3.0))
