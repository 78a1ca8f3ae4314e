"""How a game ends by its position: one answer for the game, the search, the solver and the counts.

A reason is an int64 of engine/core/reasons.py. Repetitions and moves without progress are the business of engine.game and of
the search, which know the positions before.
"""

from __future__ import annotations

from engine.compile.jit import entry, jit
from engine.core.attackers import in_check
from engine.core.bits import ZERO
from engine.core.legality import generate, over_at_once
from engine.core.movegen import COUNT
from engine.core.reasons import CHECKMATE, LAST_LOSS, NOT_OVER, STALEMATE, STALEMATE_LOSS, STALEMATE_WIN
from engine.rules import TURN, TYPES

MOST_MINOR = 3  # pieces that cannot mate, if they are kings and at most one knight or bishop


@jit
def over_without_moves(rules, pos, checked):
    """The reason, int64, if the side to move has no legal move and nothing has ended the game at once.

    checked: whether it is in check.
    """
    if not checked:
        if rules.stalemate == "loss":
            return STALEMATE_LOSS
        if rules.stalemate == "win":
            return STALEMATE_WIN
        return STALEMATE
    for mechanism in rules.mechanisms:
        if mechanism.judge_mate is not None:
            return mechanism.judge_mate(rules, pos)
    return CHECKMATE


@jit
def ending(rules, pos, moves):
    """The reason, int64; NOT_OVER while the game goes on. moves uint32[rules.max_moves] is room for counting."""
    reason = over_at_once(rules, pos)
    for mechanism in rules.mechanisms:
        if mechanism.already_won is not None:
            if reason == NOT_OVER:
                reason = mechanism.already_won(rules, pos)
    if reason == NOT_OVER:
        if generate(rules, pos, COUNT, moves) == ZERO:
            reason = over_without_moves(rules, pos, in_check(rules, pos, pos[TURN]))
    return reason


@jit
def lost(rules, pos, moves):
    """Whether the side to move has lost: ending() without asking what else a side without moves might be."""
    reason = over_at_once(rules, pos)
    if reason == NOT_OVER:
        checked = in_check(rules, pos, pos[TURN])
        may_lose = checked
        if rules.stalemate == "loss":
            may_lose = True
        if may_lose:
            if generate(rules, pos, COUNT, moves) == ZERO:
                reason = over_without_moves(rules, pos, checked)
    return reason != NOT_OVER and reason <= LAST_LOSS


@jit(forceinline=True)
def only_minor_pieces(rules, pos):
    """Whether there are only royal pieces, and knights and bishops by the game's letters; bool. Python calls it with traits."""
    for piece in rules.pieces:
        if not piece.royal and piece.letter not in "NB":
            if pos[piece.word]:
                return False
    return pos[TYPES] == ZERO


@entry
def ending_kernel(rules, pos, moves):
    """ending() for Python."""
    return ending(rules, pos, moves)
