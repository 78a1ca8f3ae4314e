"""The numbers that decide what is searched and how deep. Flags are bool, everything else int64; p: int32[len(PARAMS)]."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from engine.compile.jit import inline, jit
from engine.core.bits import ZERO, U, popcount
from engine.core.moves import K_DOUBLE, kind_of
from engine.rules import BLACK, CLOCK, WHITE
from search import tt
from search.eval.endings import ending_row
from search.eval.evaluate import static_value
from search.eval.known import ENDING_PIECES
from search.exchange import see_ge
from search.histories import ENTRY_SHIFT, corrected_eval, quiet_history
from search.limits import MATE_IN_MAX
from search.ordering import BAD, FROM_TABLE, GOOD, KILLER, LOSING
from search.params import (
    DELTA_MARGIN,
    EXCHANGE_DEPTH,
    EXCHANGE_SLOPE,
    FORCING_SLOPE,
    FUTILITY_BASE,
    FUTILITY_DEPTH,
    FUTILITY_SLOPE,
    HISTORY_DEPTH,
    HISTORY_SLOPE,
    LMP_BASE,
    LMP_DEPTH,
    LMR_BASE,
    LMR_CUT,
    LMR_DANGER,
    LMR_DEPTH,
    LMR_FORCING,
    LMR_HISTORY,
    LMR_KILLER,
    LMR_MOVES,
    LMR_PV,
    LMR_SCALE,
    LMR_WORSENING,
    NULL_BASE,
    NULL_DIVISOR,
    NULL_EVAL,
    NULL_EVAL_MOST,
    QUIET_DEPTH,
    QUIET_SLOPE,
    RAZOR_BASE,
    RAZOR_DEPTH,
    RAZOR_SLOPE,
    RFP_DEPTH,
    RFP_MARGIN,
    SINGULAR_DEPTH,
    SINGULAR_DOUBLE,
    SINGULAR_DOUBLES,
    SINGULAR_MARGIN,
    SINGULAR_SLACK,
    TABLE_CLOCK,
)
from search.picker import AT, SKIP_QUIETS, is_forcing, leave_out_quiets
from search.state import DOUBLE_EXTENSIONS, INFINITE, NO_STATIC_EVAL, ROOT, ROOT_DEPTH, STATIC_EVALS

_LOG_UNIT = 256
LOG = np.array([0] + [round(_LOG_UNIT * float(np.log(n))) for n in range(1, 64)], np.int64)
_LAST_LOG = len(LOG) - 1
_ENDING_PIECES = U(ENDING_PIECES)
_USUAL_LIMIT = 100  # plies without progress after which most games are drawn; TABLE_CLOCK is for these
_S_SINGULAR_MARGIN = 4  # SINGULAR_MARGIN is in 16ths of a centipawn

PLAY, SKIP, POSTPONE, NO_MORE = range(4)  # what becomes of a move


# The table


class TableHit(namedtuple("TableHit", "move score bound depth raw_eval")):
    """What the table knows of a position, int64: NO_BOUND and depth -1 for nothing, NO_EVAL for no static evaluation."""


@inline
def look_up(table, key, ply, usable):
    """TableHit of a key. usable: False if the score of a draw that is near must not come from the table."""
    first, data = tt.probe(table, key)
    move, score, bound, depth = 0, 0, tt.NO_BOUND, -1
    if data != ZERO and usable:
        move, score, bound, depth = tt.move_of(data), tt.score_of(data, ply), tt.bound_of(data), tt.depth_of(data)
    return TableHit(move, score, bound, depth, tt.eval_of(first))


@jit(forceinline=True)
def table_cuts(rules, p, hit, pos, depth, alpha, beta):
    """Whether the table's score is a cutoff."""
    if hit.depth < depth:
        return False
    if rules.progress_limit > 0:
        if np.int64(pos[CLOCK]) - rules.progress_limit >= p[TABLE_CLOCK] - _USUAL_LIMIT:
            return False
    return hit.bound == tt.EXACT or (hit.bound == tt.LOWER and hit.score >= beta) or (
        hit.bound == tt.UPPER and hit.score <= alpha)


# Evaluation


@inline
def is_correctable(rules, pos, weights):
    """Whether the correction history is used: not in known endings, where a ply to the win is worth only four centipawns."""
    if popcount(pos[WHITE] | pos[BLACK]) > _ENDING_PIECES:  # saves the call
        return True
    row, _first = ending_row(rules, pos, weights)
    return row < 0


@jit(forceinline=True)
def evaluate(rules, thread, ply, hit, in_danger, slots):
    """(raw_eval, static_eval, refined_eval, improving) of a node; writes static_eval into the state, for the nodes below.

    raw_eval: as computed; static_eval: corrected by the correction history; refined_eval: the table's score if that is better.
    slots: correction_slots(). In danger there are none: NO_EVAL, NO_STATIC_EVAL twice, False.
    """
    raw_eval, static_eval, improving = tt.NO_EVAL, NO_STATIC_EVAL, False
    if not in_danger:
        raw_eval = hit.raw_eval
        if raw_eval == tt.NO_EVAL:
            raw_eval = static_value(rules, thread.stack, ROOT + ply, thread.weights, thread.net)
        static_eval = raw_eval
        if is_correctable(rules, thread.stack[ROOT + ply], thread.weights):
            static_eval = corrected_eval(thread.p, thread.histories, slots, raw_eval)
        improving = is_improving(thread.state, ply, static_eval)
    thread.state[STATIC_EVALS + ply] = static_eval
    refined_eval = static_eval if in_danger else refine_eval(static_eval, hit)
    return raw_eval, static_eval, refined_eval, improving


@inline
def is_improving(state, ply, static_eval):
    """Whether the static evaluation is better than at the own move before, or the one before that if that was in danger."""
    before = NO_STATIC_EVAL
    if ply > 1:
        before = state[STATIC_EVALS + ply - 2]
    if before == NO_STATIC_EVAL and ply > 3:
        before = state[STATIC_EVALS + ply - 4]
    return ply > 1 and static_eval > before


@inline
def refine_eval(static_eval, hit):
    """The static evaluation, or the table's score if its bound makes it the better estimate."""
    if hit.depth >= 0 and abs(hit.score) < MATE_IN_MAX:
        if hit.bound == tt.EXACT or (hit.bound == tt.LOWER and hit.score > static_eval) or (
                hit.bound == tt.UPPER and hit.score < static_eval):
            return hit.score
    return static_eval


# Pruning of a node


@inline
def reverse_futility(p, depth, refined_eval, improving, beta):
    """Whether a node is so far above beta that the depth left will not change it."""
    return depth <= p[RFP_DEPTH] and refined_eval - p[RFP_MARGIN] * (depth - improving) >= beta


@inline
def razoring(p, depth, refined_eval, alpha):
    """Whether a node is so far below alpha that only captures can help."""
    return depth <= p[RAZOR_DEPTH] and refined_eval + p[RAZOR_BASE] + p[RAZOR_SLOPE] * depth * depth <= alpha


@inline
def null_move_reduction(p, depth, above_beta):
    """Plies by which a null move is searched less deep."""
    plies = p[NULL_BASE] + depth // p[NULL_DIVISOR] + min(above_beta // p[NULL_EVAL], np.int64(p[NULL_EVAL_MOST])) - 1
    return min(plies, depth - 1)


# Singular moves


@inline
def may_be_singular(p, state, node, hit):
    """Whether the table's move may be the only good one, so that a search without it pays."""
    return not node.quiescent and node.ply > 0 and node.excluded == 0 and node.depth >= p[SINGULAR_DEPTH] and (
        hit.move != 0 and hit.depth >= node.depth - p[SINGULAR_SLACK] and hit.bound != tt.UPPER) and (
        abs(hit.score) < MATE_IN_MAX and node.ply < 2 * state[ROOT_DEPTH])


@inline
def singular_beta_of(p, hit, depth):
    """The score below which the other moves stay if the table's move is singular."""
    return hit.score - ((depth * p[SINGULAR_MARGIN]) >> _S_SINGULAR_MARGIN)


@inline
def singular_extension(p, state, node, hit, score, singular_beta, beta):
    """Plies by which the table's move is searched deeper, after the others scored `score`."""
    if score < singular_beta:
        if not node.pv_node and score < singular_beta - p[SINGULAR_DOUBLE] and (
                state[DOUBLE_EXTENSIONS + node.ply] < p[SINGULAR_DOUBLES]):
            return 2
        return 1
    return -1 if hit.score >= beta else 0


# Pruning and reduction of a move


@inline
def base_reduction(p, depth, move_number):
    """The part of the late move reduction that depends on depth and move number (from 1) alone, plies."""
    logs = LOG[min(depth, _LAST_LOG)] * LOG[min(move_number, _LAST_LOG)]
    return (logs * p[LMR_SCALE] + p[LMR_BASE] * (_LOG_UNIT * _LOG_UNIT)) // (100 * _LOG_UNIT * _LOG_UNIT)


@jit(forceinline=True, runtime=("searched",))
def judge_move(rules, thread, node, picker, moves, move, noisy, order, best, alpha, searched):
    """PLAY, SKIP, POSTPONE (to where captures that lose stand in the list) or NO_MORE. searched: moves before it."""
    if node.ply == 0:
        return PLAY
    if not noisy:
        return judge_quiet(rules, thread, node, picker, moves, move, order, best, alpha, searched)
    verdict = judge_noisy(rules, thread, node, picker, move, order, best, alpha)
    if verdict == POSTPONE:
        moves[picker[AT]] = ((BAD + (order - GOOD)) << ENTRY_SHIFT) | move
    return verdict


@jit(forceinline=True)
def judge_noisy(rules, thread, node, picker, move, order, best, alpha):
    """PLAY, SKIP, POSTPONE or NO_MORE for a capture or promotion; order: the score of its entry."""
    p = thread.p
    loses = order < LOSING
    prunable = best > -MATE_IN_MAX and not node.in_danger
    threshold = -INFINITE
    if order >= GOOD and order < FROM_TABLE and not rules.captures_explode:
        threshold = 0
    if node.quiescent and prunable:
        if loses:
            return NO_MORE
        if order < FROM_TABLE:
            threshold = max(threshold, alpha - node.refined_eval - p[DELTA_MARGIN])
    elif loses and node.depth <= p[EXCHANGE_DEPTH] and prunable and not node.pv_node:
        threshold = -allowed_loss(rules, p, node, picker, move, p[EXCHANGE_SLOPE], node.depth)
    if threshold == -INFINITE or see_ge(rules, node.pos, U(move), threshold, thread.weights):
        return PLAY
    return POSTPONE if order >= GOOD and not (node.quiescent and prunable) else SKIP


@jit(forceinline=True, runtime=("searched",))
def judge_quiet(rules, thread, node, picker, moves, move, order, best, alpha, searched):
    """PLAY or SKIP for a quiet move; searched: moves before it."""
    p = thread.p
    if best <= -MATE_IN_MAX or node.in_danger:
        return PLAY
    if node.quiescent:
        return PLAY if see_ge(rules, node.pos, U(move), 0, thread.weights) else SKIP
    if not node.many_pieces or node.pv_node or order >= KILLER:
        return PLAY
    depth = node.depth  # to which the move would be searched
    if depth >= p[LMR_DEPTH] and searched >= p[LMR_MOVES]:
        depth = max(1, depth - base_reduction(p, depth, searched + 1))
    if picker[SKIP_QUIETS] == ZERO and late_or_futile(p, node, depth, alpha, searched):
        leave_out_quiets(rules, node, picker, moves)
    if picker[SKIP_QUIETS] != ZERO or (depth <= p[HISTORY_DEPTH] and order < -p[HISTORY_SLOPE] * depth):
        if not is_forcing(rules, node, picker, move):
            return SKIP
    if not rules.captures_explode:
        if depth <= p[QUIET_DEPTH] and kind_of(U(move)) <= K_DOUBLE:
            loss = allowed_loss(rules, p, node, picker, move, p[QUIET_SLOPE], depth)
            if not see_ge(rules, node.pos, U(move), -loss, thread.weights):
                return SKIP
    return PLAY


@jit(forceinline=True)
def allowed_loss(rules, p, node, picker, move, slope, depth):
    """Centipawns that a move may lose in exchanges and still be tried; slope: of a move that is not forcing, per ply."""
    if p[FORCING_SLOPE] > slope:
        if is_forcing(rules, node, picker, move):
            return np.int64(p[FORCING_SLOPE]) * depth
    return np.int64(slope) * depth


@inline
def late_or_futile(p, node, depth, alpha, searched):
    """Whether no further quiet move is tried: enough were, or all are hopelessly below alpha. depth: reduced."""
    most = (p[LMP_BASE] + node.depth * node.depth) >> (0 if node.improving else 1)
    if node.depth <= p[LMP_DEPTH] and searched >= most:
        return True
    return depth <= p[FUTILITY_DEPTH] and node.refined_eval + p[FUTILITY_BASE] + p[FUTILITY_SLOPE] * depth <= alpha


@jit(forceinline=True)
def late_move_reduction(rules, thread, node, picker, move, noisy, order, searched):
    """Plies by which a late move is searched less deep at first; searched: moves so far, this one included."""
    p = thread.p
    plies = base_reduction(p, node.depth, searched)
    if not noisy:
        history = quiet_history(rules, thread.histories, node.us, move, node.prev_move, node.prev_own_move)
        plies -= (history + (p[LMR_HISTORY] >> 1)) // p[LMR_HISTORY]
    if p[LMR_FORCING] > 0:
        if is_forcing(rules, node, picker, move):
            plies -= p[LMR_FORCING]
    if node.cut_node != 0:
        plies += p[LMR_CUT]
    if node.pv_node:
        plies -= p[LMR_PV]
    if order >= KILLER:
        plies -= p[LMR_KILLER]
    if node.in_danger:
        plies -= p[LMR_DANGER]
    if not node.improving:
        plies += p[LMR_WORSENING]
    return max(0, min(plies, node.depth - 2))
