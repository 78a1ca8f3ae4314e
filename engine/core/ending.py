"""How a game ends by its position: one answer for the game, the search, the solver and the counts.

A reason is an int64. From CHECKMATE to LAST_LOSS the side to move has lost; ENEMY_EXPLODED is its win; the others are draws.
Repetitions and moves without progress are the business of engine.game and of the search, which know the positions before.
"""

from __future__ import annotations

from engine.compile.jit import entry, jit
from engine.core.bits import ONE, ZERO
from engine.core.legality import generate, in_check
from engine.core.mechanisms.mates import bare_king
from engine.core.movegen import COUNT, royals
from engine.core.position import W_WHITE, heirs
from engine.rules import MARKS, TURN

NOT_OVER, CHECKMATE, EXPLOSION, NO_HEIR, KING_CAPTURED, ENEMY_EXPLODED, WEAK_MATE, BARE_KING, STALEMATE = range(9)
LAST_LOSS = KING_CAPTURED


@jit
def over_at_once(rules, pos):
    """The reason that ends the game whatever moves there are, int64: a king that is gone, a bare king; else NOT_OVER."""
    own = pos[W_WHITE + pos[TURN]]
    if rules.succession:
        if royals(rules, pos) & own == ZERO and heirs(rules, pos, own) == ZERO:
            return NO_HEIR
    elif rules.captures_explode:
        if royals(rules, pos) & own == ZERO:
            return EXPLOSION
    elif not rules.royal_safety:
        if royals(rules, pos) & own == ZERO:
            return KING_CAPTURED
    if rules.bare_king_draws:
        if bare_king(rules, pos):
            return BARE_KING
    return NOT_OVER


@jit
def over_without_moves(rules, pos, checked):
    """The reason, int64, if the side to move has no legal move and nothing has ended the game at once.

    checked: whether it is in check. A mate that a series of checks must precede is a draw without it.
    """
    if not checked:
        return STALEMATE
    if rules.mate_series:
        if (pos[MARKS] >> (pos[TURN] ^ ONE)) & ONE == ZERO:
            return WEAK_MATE
    return CHECKMATE


@jit
def ending(rules, pos, moves):
    """The reason, int64; NOT_OVER while the game goes on. moves uint32[rules.max_moves] is room for counting.

    ENEMY_EXPLODED, a win of the side to move, is what only a position that was set up can be.
    """
    reason = over_at_once(rules, pos)
    if rules.captures_explode:
        if reason == NOT_OVER and royals(rules, pos) & pos[W_WHITE + (pos[TURN] ^ ONE)] == ZERO:
            reason = ENEMY_EXPLODED
    if reason == NOT_OVER:
        if generate(rules, pos, COUNT, moves) == ZERO:
            reason = over_without_moves(rules, pos, in_check(rules, pos, pos[TURN]))
    return reason


@jit
def lost(rules, pos, moves):
    """Whether the side to move has lost: ending() without asking what else a side without moves might be."""
    reason = over_at_once(rules, pos)
    if reason == NOT_OVER:
        if in_check(rules, pos, pos[TURN]):
            if generate(rules, pos, COUNT, moves) == ZERO:
                reason = over_without_moves(rules, pos, True)
    return reason != NOT_OVER and reason <= LAST_LOSS


@entry
def ending_kernel(rules, pos, moves):
    """ending() for Python."""
    return ending(rules, pos, moves)
