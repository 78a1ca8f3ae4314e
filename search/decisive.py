"""Moves that win at once by a rule of their own: an explosion, a step onto the goal, the last check.

Seen before any move is searched, they save a ply, and the search need not find them among the moves.
pos: uint64[words]; us: uint64 colour of the side to move.
"""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.bits import ONE, ZERO, U, row_on_stack
from engine.core.legality import generate
from engine.core.mechanisms.check_limit import checks_given
from engine.core.mechanisms.goal import can_arrive
from engine.core.movegen import ALL_MOVES
from engine.rules import MAX_TYPES
from search.exchange import can_explode
from search.picker import find_check_squares, gives_check


@jit
def can_decide(rules, pos, us, moves):
    """Whether a move surely wins at once, bool; moves: int64[...], room for a list."""
    return can_explode(rules, pos, us) or can_arrive(rules, pos, us) or can_give_last_check(rules, pos, us, moves)


@jit
def can_give_last_check(rules, pos, us, moves):
    """Whether a move gives the check that reaches the limit; discovered checks are not seen. moves: as above."""
    if rules.checks_to_win:
        if checks_given(rules, pos, us) + ONE == U(rules.checks_to_win):
            check_squares = row_on_stack(MAX_TYPES)
            find_check_squares(rules, pos, us, check_squares)
            count = generate(rules, pos, ALL_MOVES, moves)
            at = ZERO
            while at < count:
                if gives_check(U(moves[at]), check_squares):
                    return True
                at += ONE
    return False


@jit
def is_threatened(rules, pos, us):
    """Whether the other side, were it to move, could win at once by an explosion or by a step onto its goal; bool."""
    return can_explode(rules, pos, us ^ ONE) or can_arrive(rules, pos, us ^ ONE)
