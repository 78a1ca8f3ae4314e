"""A limit of checks: who has given that many wins.

MARKS counts them: as many of the lowest bits of White's half of the word as White has given checks, Black's in the other half.
"""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attackers import in_check
from engine.core.bits import ONE, U, popcount
from engine.core.keys import Z_MARKS, key_of_squares
from engine.core.movegen import no_moves
from engine.core.reasons import CHECK_LIMIT, NOT_OVER
from engine.rules import KEY, MARKS, TURN
from engine.rules.mechanism import Mechanism
from engine.rules.words import MARKS_OF_A_SIDE


@jit(forceinline=True)
def checks_given(rules, pos, colour):
    """How many checks a side has given, uint64."""
    half = (ONE << U(MARKS_OF_A_SIDE)) - ONE
    return popcount((pos[MARKS] >> (colour * U(MARKS_OF_A_SIDE))) & half)


@jit
def count_check(rules, pos, child):
    """Count the check that the last move gives, key included."""
    them = child[TURN]
    if in_check(rules, child, them):
        us = them ^ ONE
        given = checks_given(rules, child, us)
        if given < U(rules.checks_to_win):  # a Board lets a game go on after its end
            mark = ONE << (us * U(MARKS_OF_A_SIDE) + given)
            child[MARKS] |= mark
            child[KEY] ^= key_of_squares(Z_MARKS, mark)


@jit
def limit_reached(rules, pos):
    """CHECK_LIMIT if the other side has given its last check."""
    if checks_given(rules, pos, pos[TURN] ^ ONE) >= U(rules.checks_to_win):
        return CHECK_LIMIT
    return NOT_OVER


@jit(forceinline=True)
def is_reached(rules, pos):
    """Whether the other side has given its last check."""
    return limit_reached(rules, pos) != NOT_OVER


MECHANISM = Mechanism(
    name="check limit", trait="checks_to_win", after_turn=count_check, takes_over=is_reached,
    generate=no_moves, over_at_once=limit_reached)
