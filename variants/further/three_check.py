"""Three-check: who has given three checks wins, besides by mate."""

from __future__ import annotations

from engine.rules import Face, Picture, Rules
from variants.chess import VALUES

RULES = Rules(
    name="3check", source="https://lichess.org/variant/threeCheck", board="chess.variant.ThreeCheckBoard",
    aliases=("threecheck", "threechecks"),
    start_fen="rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 +0+0", checks_to_win=3, values=VALUES,
    fairy_name="3check", xboard=Face(native=True),
    picture=Picture("r1bqkbnr/pppp1ppp/2n5/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR w KQkq - 0 9 +2+0", shown="h5f7", threats="f7e8"))
