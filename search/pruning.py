"""The numbers that decide what is searched and how deep. Flags are bool, everything else int64; p: int32[len(PARAMS)]."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from engine.compile.jit import inline, jit
from engine.core.bits import ONE, ZERO, U, popcount
from engine.core.moves import K_DOUBLE, K_PROMOTION, kind_of
from engine.rules import BLACK, CLOCK, WHITE
from search import tt
from search.eval.endings import ending_row
from search.eval.evaluate import static_value
from search.eval.known import ENDING_PIECES
from search.exchange import gain, see_ge
from search.histories import ENTRY_SHIFT, capture_slot, coloured_move, corrected_eval, pair, quiet_history
from search.limits import MATE_IN_MAX
from search.ordering import BAD, FROM_TABLE, GOOD, GOOD_ZERO
from search.params import (
    DELTA_MARGIN,
    EXCHANGE_SLOPE,
    FORCING_SLOPE,
    FUTILITY_BASE,
    FUTILITY_DEPTH,
    FUTILITY_SLOPE,
    HISTORY_DEPTH,
    LMP_BASE,
    LMP_DEPTH,
    LMR_BASE,
    LMR_CUT,
    LMR_CUT_QUIET,
    LMR_FORCING,
    LMR_HISTORY,
    LMR_HISTORY_MEAN,
    LMR_MORE,
    LMR_ON_PV,
    LMR_PV,
    LMR_SCALE,
    LMR_TABLE_CAPTURE,
    LMR_WORSENING,
    NULL_BASE,
    NULL_DEPTH,
    NULL_EVAL,
    NULL_EVAL_MOST,
    NULL_MARGIN,
    NULL_MARGIN_PV,
    NULL_MARGIN_SLOPE,
    NULL_SLOPE,
    QUIESCENCE_MOVES,
    QUIET_SLOPE,
    RFP_DEPTH,
    RFP_MARGIN,
    SINGULAR_DEPTH,
    SINGULAR_DOUBLE,
    SINGULAR_DOUBLES,
    SINGULAR_MARGIN,
    SINGULAR_SLACK,
    TABLE_CLOCK,
)
from search.picker import AT, LOOKED_AT, is_forcing
from search.state import DOUBLE_EXTENSIONS, NO_STATIC_EVAL, ROOT, ROOT_DEPTH, STATIC_EVALS

_LOG_UNIT = 256
LOG = np.array([0] + [round(_LOG_UNIT * float(np.log(n))) for n in range(1, 64)], np.int64)
_LAST_LOG = len(LOG) - 1
_ENDING_PIECES = U(ENDING_PIECES)
_USUAL_LIMIT = 100  # plies without progress after which most games are drawn; TABLE_CLOCK is for these
_S_SINGULAR_MARGIN = 4  # SINGULAR_MARGIN is in 16ths of a centipawn

_CLEARLY_LATE = 88  # hundredths of a ply of the reduction by logarithms, from which LMR_WORSENING counts
_QUIET_STEEP, _QUIET_FLAT = 30, 18  # quiet_loss() grows less and less with the depth, up to this one
_SCORE_PER_LOSS = 29  # a capture is bad if it loses more centipawns than its score in the order, divided by this

PLAY, SKIP, POSTPONE = range(3)  # what becomes of a move


# The table


class TableHit(namedtuple("TableHit", "move score bound depth raw_eval known on_pv")):
    """What the table knows of a position, int64.

    NO_BOUND and SHALLOWEST for nothing, NO_EVAL for no static evaluation; known: 1 if there is an entry; on_pv: 1 if it was in
    a principal variation.
    """


@inline
def look_up(table, key, ply, usable):
    """TableHit of a key. usable: False if the score of a draw that is near must not come from the table."""
    first, data = tt.probe(table, key)
    move, score, bound, depth = 0, 0, tt.NO_BOUND, np.int64(tt.SHALLOWEST)
    if data != ZERO and usable:
        move, score, bound, depth = tt.move_of(data), tt.score_of(data, ply), tt.bound_of(data), tt.depth_of(data)
    return TableHit(move, score, bound, depth, tt.eval_of(first), np.int64(data != ZERO), tt.on_pv_of(data))


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
def evaluate(rules, thread, ply, hit, in_danger, passed, slots):
    """(raw_eval, static_eval, refined_eval, improving) of a node; writes static_eval into the state, for the nodes below.

    raw_eval: as computed; static_eval: corrected by the correction history; refined_eval: the table's score if that is better.
    slots: correction_slots(); passed: by a null move, after which the value is that before it, without another tempo. In danger
    there are none: NO_EVAL, NO_STATIC_EVAL twice, False.
    """
    raw_eval, static_eval, improving = tt.NO_EVAL, NO_STATIC_EVAL, False
    if not in_danger:
        raw_eval = hit.raw_eval
        if raw_eval == tt.NO_EVAL:
            if passed:
                raw_eval = -thread.state[STATIC_EVALS + ply - 1]
            else:
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
    """Whether the static evaluation is better than at the own move before, or the one before that if that was in danger.

    True if there is none: where no more than two moves would be tried, the root would think too well of its own.
    """
    before = np.int64(NO_STATIC_EVAL)
    if ply > 1:
        before = state[STATIC_EVALS + ply - 2]
    if before == NO_STATIC_EVAL and ply > 3:
        before = state[STATIC_EVALS + ply - 4]
    return static_eval > before


@inline
def refine_eval(static_eval, hit):
    """The static evaluation, or the table's score if its bound makes it the better estimate."""
    if abs(hit.score) < MATE_IN_MAX:
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
def may_pass(p, node, beta):
    """Whether a null move may fail high, by the values of the node."""
    margin = p[NULL_MARGIN] - p[NULL_MARGIN_SLOPE] * (node.depth + node.improving) + p[NULL_MARGIN_PV] * node.on_pv
    if node.depth < p[NULL_DEPTH] or node.static_eval < beta + margin:
        return False
    return node.refined_eval >= max(beta, node.static_eval)


@inline
def null_move_depth(p, depth, above_beta):
    """Depth of the search after a null move; above_beta: of the evaluation, centipawns."""
    plies = (p[NULL_BASE] + p[NULL_SLOPE] * depth) // 100 + min(above_beta // p[NULL_EVAL], np.int64(p[NULL_EVAL_MOST]))
    return max(np.int64(0), depth - plies)


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
def singular_extension(p, state, node, score, singular_beta):
    """Plies by which the table's move is searched deeper, after the others scored `score`."""
    if score < singular_beta:
        if not node.pv_node and score < singular_beta - p[SINGULAR_DOUBLE] and (
                state[DOUBLE_EXTENSIONS + node.ply] < p[SINGULAR_DOUBLES]):
            return 2
        return 1
    return 0


# Pruning and reduction of a move


@inline
def base_reduction(p, improving, depth, number):
    """The part of the late move reduction that depends on depth and move number (from 1), plies."""
    logs = LOG[min(depth, _LAST_LOG)] * LOG[min(number, _LAST_LOG)] * p[LMR_SCALE]
    plies = (logs + p[LMR_BASE] * _LOG_UNIT * _LOG_UNIT) // (100 * _LOG_UNIT * _LOG_UNIT)
    if not improving and logs > _CLEARLY_LATE * _LOG_UNIT * _LOG_UNIT:
        plies += p[LMR_WORSENING]
    return plies


@jit(forceinline=True)
def judge_move(rules, thread, node, picker, moves, move, noisy, order, best, alpha):
    """(PLAY, SKIP or POSTPONE, best): what becomes of a move, and the best score so far, which a move left out may raise.

    POSTPONE: to where captures that lose stand in the list.
    """
    if node.quiescent:
        picker[LOOKED_AT] += ONE
        return judge_in_quiescence(rules, thread, node, picker, move, noisy, best, alpha)
    if node.ply > 0 and order >= GOOD and order < FROM_TABLE and not rules.captures_explode and not node.in_danger:
        if not see_ge(rules, node.pos, U(move), -((order - GOOD_ZERO) // _SCORE_PER_LOSS), thread.weights):
            moves[picker[AT]] = ((BAD + (order - GOOD)) << ENTRY_SHIFT) | move
            return POSTPONE, best
    picker[LOOKED_AT] += ONE
    if not node.prunable or best <= -MATE_IN_MAX:
        return PLAY, best
    number = np.int64(picker[LOOKED_AT])
    depth = max(np.int64(0), node.depth - 1 - base_reduction(thread.p, node.improving, node.depth, number))
    if noisy:
        return judge_noisy(rules, thread, node, picker, move, depth), best
    return judge_quiet(rules, thread, node, picker, move, depth, alpha), best


@jit(forceinline=True)
def judge_in_quiescence(rules, thread, node, picker, move, noisy, best, alpha):
    """(PLAY or SKIP, best) in quiescence: what cannot reach alpha, and what loses in exchanges, is left out."""
    if best <= -MATE_IN_MAX:
        return PLAY, best
    if node.in_danger:
        if not node.evading:
            return PLAY, best
    elif kind_of(U(move)) != K_PROMOTION:
        if picker[LOOKED_AT] > U(thread.p[QUIESCENCE_MOVES]):
            if not is_forcing(rules, node, picker, move):
                return SKIP, best
        base = node.refined_eval + thread.p[DELTA_MARGIN]
        reach = base
        if noisy:
            reach += gain(rules, node.pos, U(move), thread.weights)
        if reach > alpha and base <= alpha:
            if not see_ge(rules, node.pos, U(move), 1, thread.weights):
                reach = base
        if reach <= alpha:
            if not is_forcing(rules, node, picker, move):
                return SKIP, max(best, reach)
    return (PLAY if keeps(rules, thread, node, move, noisy, 0) else SKIP), best


@jit(forceinline=True)
def judge_noisy(rules, thread, node, picker, move, depth):
    """PLAY or SKIP for a capture or promotion; depth: to which it would be searched at first."""
    if depth == 0 and thread.histories[capture_slot(rules, node.pos, move)] < 0:
        if not is_forcing(rules, node, picker, move):
            return SKIP
    loss = allowed_loss(rules, thread.p, node, picker, move)
    return PLAY if see_ge(rules, node.pos, U(move), -loss, thread.weights) else SKIP


@jit(forceinline=True)
def judge_quiet(rules, thread, node, picker, move, depth, alpha):
    """PLAY or SKIP for a quiet move; depth: to which it would be searched at first."""
    p = thread.p
    out = False
    if depth <= p[FUTILITY_DEPTH] and not node.in_danger:
        out = node.static_eval + p[FUTILITY_BASE] + p[FUTILITY_SLOPE] * depth <= alpha
    if not out and depth <= p[HISTORY_DEPTH]:
        place = coloured_move(rules, node.us, move)
        out = pair(thread.histories, node.rows[0], place) < 0 and pair(thread.histories, node.rows[1], place) < 0
    if out:
        if not is_forcing(rules, node, picker, move):
            return SKIP
    if keeps(rules, thread, node, move, False, -quiet_loss(p, depth)):
        return PLAY
    if is_forcing(rules, node, picker, move):
        if keeps(rules, thread, node, move, False, -allowed_loss(rules, p, node, picker, move)):
            return PLAY
    return SKIP


@jit(forceinline=True)
def keeps(rules, thread, node, move, noisy, threshold):
    """Whether the exchange after a move brings `threshold`, centipawns; castling and drives lose nothing."""
    if not noisy:
        if rules.captures_explode:
            return True
        if kind_of(U(move)) > K_DOUBLE:
            return True
    return see_ge(rules, node.pos, U(move), threshold, thread.weights)


@inline
def quiet_loss(p, depth):
    """Centipawns that a quiet move may lose in exchanges and still be tried; depth: reduced."""
    return p[QUIET_SLOPE] * (_QUIET_STEEP - min(depth, _QUIET_FLAT)) * depth * depth // 100


@jit(forceinline=True)
def allowed_loss(rules, p, node, picker, move):
    """Centipawns that a capture, or a quiet move that is forcing, may lose in exchanges and still be tried."""
    slope = np.int64(p[EXCHANGE_SLOPE])
    if p[FORCING_SLOPE] > slope:
        if is_forcing(rules, node, picker, move):
            slope = np.int64(p[FORCING_SLOPE])
    return slope * node.depth


@inline
def most_moves(p, node):
    """After so many moves no other quiet one is tried: late move pruning."""
    if node.depth > p[LMP_DEPTH]:
        return np.int64(1 << 30)
    return (p[LMP_BASE] + node.depth * node.depth) >> (0 if node.improving else 1)


@jit(forceinline=True)
def late_move_reduction(rules, thread, node, picker, move, noisy, table_captures):
    """Plies by which a late move is searched less deep at first; below 0, deeper. table_captures: so does the table's move."""
    p = thread.p
    plies = p[LMR_MORE] + base_reduction(p, node.improving, node.depth, np.int64(picker[LOOKED_AT]))
    if node.pv_node:
        plies -= p[LMR_PV]
    if node.on_pv:
        plies -= p[LMR_ON_PV]
    if node.cut_node != 0:
        plies += p[LMR_CUT]
    if p[LMR_FORCING] > 0:
        if is_forcing(rules, node, picker, move):
            plies -= p[LMR_FORCING]
    if not noisy:
        if node.cut_node != 0:
            plies += p[LMR_CUT_QUIET]
        if table_captures:
            plies += p[LMR_TABLE_CAPTURE]
        if not node.in_danger:
            history = quiet_history(rules, thread.histories, node.us, move, node.rows) - p[LMR_HISTORY_MEAN]
            plies -= history // p[LMR_HISTORY] + (history < 0)  # rounded towards 0
    return plies
