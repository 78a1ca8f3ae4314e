"""King of the Hill: who brings the king to the centre wins, besides by mate."""

from __future__ import annotations

from engine.rules import Picture, Rules
from variants.chess import VALUES

RULES = Rules(
    name="kingofthehill", source="https://lichess.org/variant/kingOfTheHill", board="chess.variant.KingOfTheHillBoard",
    aliases=("koth", "hill"),
    goal="d4e4d5e5/d4e4d5e5", values=VALUES, fairy_name="kingofthehill",
    picture=Picture("4k3/pp3ppp/8/8/8/2PK4/PP3PPP/8 w - - 0 30", shown="d3e4 d3d4", fill=(("d4e4d5e5", "reach"),)))
