"""The king may be left to be taken, and whoever takes it wins: no check, no mate."""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attackers import royals
from engine.core.bits import ZERO
from engine.core.position import W_WHITE
from engine.core.reasons import KING_CAPTURED, NOT_OVER
from engine.rules import TURN
from engine.rules.mechanism import Mechanism


@jit
def king_is_captured(rules, pos):
    """KING_CAPTURED if the side to move has no royal piece left."""
    if royals(rules, pos) & pos[W_WHITE + pos[TURN]] == ZERO:
        return KING_CAPTURED
    return NOT_OVER


MECHANISM = Mechanism(
    name="king capture", over_at_once=king_is_captured,
    active=lambda traits: bool(traits.royals) and not (traits.royal_safety or traits.succession or traits.captures_explode))
