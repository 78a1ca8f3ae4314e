"""A goal: who brings a piece of certain types, by default a royal one, onto certain squares wins.

If the goal is answered, White's arrival does not end the game as long as Black's king may reach the goal in its next move; if
it does, the game is drawn.
"""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attackers import attackers
from engine.core.bits import ONE, ZERO, lowest
from engine.core.movegen import no_moves
from engine.core.position import W_WHITE
from engine.core.reasons import BOTH_GOALS, GOAL, NOT_OVER, OWN_GOAL
from engine.rules import BLACK, TURN, WHITE
from engine.rules.mechanism import Mechanism


@jit(forceinline=True)
def goal_reason(rules, pos):
    """GOAL if the side that has just moved has a piece on its goal, OWN_GOAL if the other side has, BOTH_GOALS if both have.

    NOT_OVER if neither has, or if White has and Black may still answer.
    """
    kings = ZERO
    for word in rules.goal_words:
        kings |= pos[word]
    white, black = kings & pos[WHITE] & rules.goal[0], kings & pos[BLACK] & rules.goal[1]
    if white | black == ZERO:
        return NOT_OVER
    if white and black:
        return BOTH_GOALS
    if rules.goal_answered:
        if white and pos[TURN]:
            return NOT_OVER if can_step(rules, pos, pos[TURN]) else GOAL
    arrived = white if pos[TURN] else black  # of the side that has just moved
    return GOAL if arrived else OWN_GOAL


@jit
def can_step(rules, pos, colour):
    """Whether the king of a side, were it to move, can step onto its goal; colour: uint64; bool."""
    own, enemy = pos[W_WHITE + colour], pos[W_WHITE + (colour ^ ONE)]
    king = pos[rules.king.word] & own
    if king:
        targets = rules.king.leaps[colour, lowest(king)] & (rules.goal[1] if colour else rules.goal[0]) & ~own
        while targets:
            if attackers(rules, pos, lowest(targets), (own | enemy) ^ king, enemy, colour ^ ONE) == ZERO:
                return True
            targets &= targets - ONE
    return False


@jit
def can_arrive(rules, pos, colour):
    """Whether a step of a side's king, were it to move, would win by reaching the goal; colour: uint64; bool.

    Of goals that other pieces reach, too, and of an arrival that might be answered, it says nothing: False.
    """
    if rules.goal_by_step:
        if rules.goal_answered:
            kings = pos[rules.king.word]
            if colour:
                if kings & pos[WHITE] & rules.goal[0]:
                    return False
            else:
                follower = kings & pos[BLACK]
                if follower and rules.king.leaps[ONE, lowest(follower)] & rules.goal[1]:
                    return False
        return can_step(rules, pos, colour)
    return False


@jit(forceinline=True)
def is_reached(rules, pos):
    """Whether a goal has ended the game."""
    return goal_reason(rules, pos) != NOT_OVER


MECHANISM = Mechanism(
    name="goal", trait="goal", takes_over=is_reached, generate=no_moves,
    over_at_once=goal_reason)
