"""Extinction: a side has lost, or won, when it has no more than a certain number of pieces of a type left."""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.bits import ONE, ZERO, U, popcount
from engine.core.movegen import no_moves
from engine.core.position import W_WHITE
from engine.core.reasons import EXTINCTION, EXTINCTION_WIN, NOT_OVER
from engine.rules import TURN
from engine.rules.mechanism import Mechanism


@jit
def is_extinct(rules, pos, colour):
    """Whether a side has too few pieces of a type."""
    for words in rules.extinction:
        pieces = ZERO
        for word in words:
            pieces |= pos[word]
        if popcount(pieces & pos[W_WHITE + colour]) <= U(rules.extinction_count):
            return True
    return False


@jit(forceinline=True)
def extinction_reason(rules, pos):
    """The reason if a side is extinct, first the side that has just moved."""
    us = pos[TURN]
    if is_extinct(rules, pos, us ^ ONE):
        return EXTINCTION if rules.extinction_wins else EXTINCTION_WIN
    if is_extinct(rules, pos, us):
        return EXTINCTION_WIN if rules.extinction_wins else EXTINCTION
    return NOT_OVER


@jit(forceinline=True)
def is_over(rules, pos):
    """Whether extinction has ended the game."""
    return extinction_reason(rules, pos) != NOT_OVER


MECHANISM = Mechanism(
    name="extinction", trait="extinction", takes_over=is_over, generate=no_moves,
    over_at_once=extinction_reason)
