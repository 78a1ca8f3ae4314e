"""Racing Kings: the first king on the last rank wins; nobody may give check. If White arrives, Black has one move to follow."""

from __future__ import annotations

from engine.rules import Picture, Rules, Worth
from variants.chess import VALUES

RUN = (0, 40, 90, 150, 220, 300, 400, 1000)  # centipawns of the king, by ranks

RULES = Rules(
    name="racingkings", source="https://lichess.org/variant/racingKings", board="chess.variant.RacingKingsBoard",
    aliases=("racing",),
    start_fen="8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - - 0 1", castling=False, checks_forbidden=True,
    goal="a8b8c8d8e8f8g8h8/a8b8c8d8e8f8g8h8", goal_answered=True,
    values={**VALUES, "K": Worth((0, 0), ranks=(RUN, RUN))}, fairy_name="racingkings",
    picture=Picture(fill=(("a8b8c8d8e8f8g8h8", "reach"),)))
