"""King of the Hill: who brings the king to the centre wins, besides by mate."""

from __future__ import annotations

from engine.rules import Rules
from variants.chess import VALUES

RULES = Rules(
    name="kingofthehill", source="https://lichess.org/variant/kingOfTheHill", board="chess.variant.KingOfTheHillBoard",
    goal="d4e4d5e5/d4e4d5e5", values=VALUES, fairy_name="kingofthehill")
