"""Moves that win at once by a rule of their own: an explosion, a step onto the goal, the last check.

Seen before any move is searched, they save a ply, and the search need not find them among the moves.
pos: uint64[words]; us: uint64 colour of the side to move.
"""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attackers import in_check
from engine.core.bits import ONE, ZERO, U, row_on_stack
from engine.core.legality import generate, play
from engine.core.mechanisms.check_limit import checks_given
from engine.core.mechanisms.goal import can_arrive
from engine.core.movegen import ALL_MOVES
from engine.core.moves import NORMAL, kind_of, target_of, type_of
from engine.core.position import make_null
from search.exchange import can_explode
from search.forcing import FORCING, checks_or_threatens, find_check_squares


@jit
def can_decide(rules, pos, us, moves):
    """Whether a move surely wins at once, bool; moves: int64[...], room for a list."""
    return can_explode(rules, pos, us) or can_step_to_goal(rules, pos, us, moves) or can_give_last_check(rules, pos, us, moves)


@jit
def can_step_to_goal(rules, pos, us, moves):
    """Whether a legal step of the king wins by reaching the goal. moves: as above."""
    if rules.goal_by_step:
        if can_arrive(rules, pos, us):  # but another rule may forbid the step
            goal = rules.goal[1] if us else rules.goal[0]
            count = generate(rules, pos, ALL_MOVES, moves)
            at = ZERO
            while at < count:
                move = U(moves[at])
                if type_of(move) == U(rules.king.index) and kind_of(move) == U(NORMAL) and (goal >> target_of(move)) & ONE:
                    return True
                at += ONE
    return False


@jit
def can_give_last_check(rules, pos, us, moves):
    """Whether a move gives the check that reaches the limit; castling and promotions apart. moves: as above."""
    if rules.checks_to_win:
        if checks_given(rules, pos, us) + ONE == U(rules.checks_to_win):
            row, child = row_on_stack(FORCING), row_on_stack(rules.words)
            find_check_squares(rules, pos, us, row)
            count = generate(rules, pos, ALL_MOVES, moves)
            at = ZERO
            while at < count:
                if checks_or_threatens(U(moves[at]), row):
                    if not rules.winding:
                        return True
                    play(rules, pos, child, U(moves[at]))  # what bends or hops may not reach back where it is reached from
                    if in_check(rules, child, us ^ ONE):
                        return True
                at += ONE
    return False


@jit
def is_threatened(rules, pos, us, child, moves):
    """Whether the other side, were it to move, could win at once by a move of these kinds; bool. Not to be asked in check.

    child: uint64[words], receives the position after a null move, if it is looked at; moves: as above.
    """
    them = us ^ ONE
    if can_explode(rules, pos, them) or can_arrive(rules, pos, them):
        return True
    if rules.checks_to_win:
        if checks_given(rules, pos, them) + ONE == U(rules.checks_to_win):
            make_null(rules, pos, child)
            return can_give_last_check(rules, child, them, moves)
    return False
