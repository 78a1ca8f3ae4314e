"""Racing Kings: the first king on the last rank wins; nobody may give check. If White arrives, Black has one move to follow."""

from __future__ import annotations

from engine.rules import Picture, Rules
from variants.chess import VALUES

RULES = Rules(
    name="racingkings", source="https://lichess.org/variant/racingKings", board="chess.variant.RacingKingsBoard",
    start_fen="8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - - 0 1", castling=False, checks_forbidden=True,
    goal="a8b8c8d8e8f8g8h8/a8b8c8d8e8f8g8h8", goal_answered=True, values=VALUES, fairy_name="racingkings",
    picture=Picture(fill=(("a8b8c8d8e8f8g8h8", "reach"),)))
