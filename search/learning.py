"""What a node teaches the histories: by its best move, by the want of one, and by the move that the table knew.

Arguments as in alphabeta.py: thread: ThreadData; node: Node; rows: of the pairs with earlier moves; all others int64.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import inline, jit
from engine.core.bits import ONE
from search.histories import adjust_pairs, adjust_quiet, bonus_of, is_noisy, reward_quiet, update_histories
from search.picker import AT
from search.state import NO_STATIC_EVAL, PAIR_ROWS, QUIET, STATIC_EVALS, TRIED

_TEACHING = 3  # from this depth a node without a best move teaches, plies
_EARLY = 2  # a quiet move is punished for being refuted only if it is one of so many first ones


@inline
def earlier_rows(state, ply, in_danger):
    """The rows of the moves 1, 2, 4 and 6 plies before, a tuple; 0 for none, and for the last two if the king is in danger."""
    return (row_before(state, ply, 1), row_before(state, ply, 2), np.int64(0) if in_danger else row_before(state, ply, 4),
            np.int64(0) if in_danger else row_before(state, ply, 6))


@inline
def row_before(state, ply, plies):
    """The row of the move so many plies before, 0 for none."""
    return state[PAIR_ROWS + ply - plies] if ply >= plies else np.int64(0)


@jit
def learn_from_table(rules, thread, pos, us, ply, depth, prev_move, rows, hit, beta):
    """The table's move, if it is quiet, refuted a position once more, or did not."""
    if not is_noisy(pos, hit.move):
        bonus = bonus_of(thread.p, depth)
        if hit.score >= beta:
            reward_quiet(rules, thread.histories, thread.refutations, us, hit.move, prev_move, ply, rows, bonus)
        else:
            adjust_quiet(rules, thread.histories, us, hit.move, rows, -bonus)
    if hit.score >= beta and prev_move != 0:
        if thread.state[TRIED + ply - 1] <= _EARLY and thread.state[QUIET + ply - 1] != 0:
            adjust_last(rules, thread, us, ply, prev_move, -bonus_of(thread.p, depth + 1))


@jit
def adjust_last(rules, thread, us, ply, prev_move, bonus):
    """Move the pairs of the opponent's last move, a quiet one, towards a bonus."""
    state = thread.state
    rows = earlier_rows(state, ply - 1, state[STATIC_EVALS + ply - 1] == NO_STATIC_EVAL)
    adjust_pairs(rules, thread.histories, us ^ ONE, prev_move, rows, bonus)


@jit(forceinline=True)
def learn_from_moves(rules, thread, node, picker, moves, best_move, clear):
    """Let the histories learn from a node whose moves were searched. clear: the best move failed high by a good pawn."""
    p, state, ply = thread.p, thread.state, node.ply
    after_quiet = node.prev_move != 0 and state[QUIET + ply - 1] != 0
    if best_move != 0:
        update_histories(rules, p, thread.histories, thread.refutations, node, moves, picker[AT], best_move,
                         is_noisy(node.pos, best_move), clear)
    elif after_quiet and (node.pv_node or node.depth >= _TEACHING):
        adjust_last(rules, thread, node.us, ply, node.prev_move, bonus_of(p, node.depth))
