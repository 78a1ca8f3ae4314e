"""The static evaluation: a sum of features (features.py), tapered from middlegame to endgame, scaled by what can be won with.

`static_value` is the only function that the search asks. Elementary endings are known (endings.py); all else a net values
(net/), or, in a game without one, the sum. The same source also counts the features that it finds, for `eval` and for tuning;
without tracing there is no code for that.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import entry, inline, jit
from engine.core.bits import ONE, ZERO, U, popcount, row_on_stack
from engine.core.mechanisms.drops import in_hand
from engine.rules import BLACK, TURN, WHITE
from search.eval.endings import ending_row, ending_value
from search.eval.features import EXCHANGE, FEATURES, FULL_STAGE, MOVE
from search.eval.kings import attack_terms, king_terms
from search.eval.known import ENDING_PIECES
from search.eval.net.inference import bring_up_to_date, net_value
from search.eval.pawns import pawn_terms
from search.eval.scale import WHOLE, scale_cell, white_lead, winning_scale
from search.eval.side import MAP, term, view_side
from search.eval.terms import fill_pawn_maps, piece_terms, threat_terms
from search.limits import MOST_STATIC

_ENDING_PIECES = U(ENDING_PIECES)
_HALF, _S_ENDGAME, _S_STAGE = 1 << 31, 32, 12  # packed: middlegame + (endgame << 32); FULL_STAGE is 1 << 12

# Where a trace holds, behind the features, the stage and the scale; both in row 0
TRACED_STAGE, TRACED_SCALE = FEATURES, FEATURES + 1


@jit
def static_value(rules, stack, row, weights, net):
    """Centipawns, int64, from the side to move of stack[row]. Every royal piece must be on the board.

    stack: uint64[..., words], as many rows as the net has accumulators; row: int64; weights: int64[WEIGHTS ...], features.py;
    net: Net.
    """
    pos = stack[row]
    at, first = ending_row(rules, pos, weights)
    if at >= 0:
        return ending_value(rules, pos, weights, at, first)
    if len(net.rows) > 0:
        return scaled_net_value(rules, stack, row, weights, net)
    return feature_value(rules, pos, weights, False, weights)


@jit
def prepare_value(rules, stack, row, net):
    """Bring the net's hidden layer up to date, which is most of the work of static_value(). Arguments as there."""
    if len(net.rows) > 0:
        if popcount(stack[row, WHITE] | stack[row, BLACK]) > _ENDING_PIECES:
            bring_up_to_date(rules, stack, row, net)


@jit
def feature_value(rules, pos, weights, traced, counts):
    """The value by features, centipawns, int64, from the side to move.

    traced: a literal. If True, counts, int64[2, FEATURES + 2] of zeros, receives how often each side has each feature, the
    stage in [0, TRACED_STAGE] and the scale in [0, TRACED_SCALE].
    """
    total, white_stage, stages = sum_terms(rules, pos, weights, traced, counts)
    stage_to_move = white_stage
    if pos[TURN]:  # before rounding, so that both sides round alike
        total = -total
        stage_to_move = stages - white_stage
    stage = min(stages, FULL_STAGE)
    score = taper(total, stage)
    scale = winning_scale(rules, pos, weights, score, 2 * stage_to_move - stages)
    if traced:
        counts[0, TRACED_STAGE], counts[0, TRACED_SCALE] = stage, scale
    return scaled(score, scale)


@jit
def scaled_net_value(rules, stack, row, weights, net):
    """What the net says, centipawns, int64, scaled as the sum is: its inputs hardly show what can still be won."""
    pos = stack[row]
    score = net_value(rules, stack, row, net)
    lead = white_lead(rules, pos, weights)
    return scaled(score, winning_scale(rules, pos, weights, score, -lead if pos[TURN] else lead))


@inline
def scaled(score, scale):
    """A score times 64ths, int64, rounded alike for both sides."""
    value = min(abs(score) * scale // WHOLE, MOST_STATIC)
    return value if score >= 0 else -value


@jit(forceinline=True)
def sum_terms(rules, pos, weights, traced, counts):
    """(packed score, White's share of the middlegame, both sides' share), int64, from White's view."""
    maps = row_on_stack(2 * MAP)
    total, stages, white_stage = 0, 0, 0
    for c in range(2):
        fill_pawn_maps(rules, pos, view_side(rules, pos, weights, traced, counts, maps, c))
    for c in range(2):
        score, stage = piece_terms(rules, pos, view_side(rules, pos, weights, traced, counts, maps, c))
        stages += stage
        if c == 0:
            white_stage = stage
        total += score if c == 0 else -score
    for c in range(2):  # what needs the attacks of both sides
        side = view_side(rules, pos, weights, traced, counts, maps, c)
        score = king_terms(rules, pos, side) + threat_terms(rules, pos, side) + attack_terms(rules, pos, side)
        if rules.pawn:
            score += pawn_terms(rules, pos, side)
        if pos[TURN] == c:
            score += term(side, MOVE, 1)
        total += score if c == 0 else -score
    if rules.drops:
        total += hand_value(rules, pos, weights)
    return total, white_stage, stages


@jit
def hand_value(rules, pos, weights):
    """What the pieces in hand are worth by their values in exchanges, packed, int64, from White's view."""
    total = 0
    for index in rules.in_hand:
        held = np.int64(in_hand(rules, pos, ZERO, index)) - np.int64(in_hand(rules, pos, ONE, index))
        worth = weights[EXCHANGE + index]
        total += held * (worth + (worth << _S_ENDGAME))
    return total


@jit(forceinline=True)
def taper(total, stage):
    """A packed score in centipawns, int64. stage: the share of the middlegame, 0 .. FULL_STAGE."""
    middle = np.int64(np.int32(total))
    end = (total + _HALF) >> _S_ENDGAME
    return (middle * stage + end * (FULL_STAGE - stage)) >> _S_STAGE


@entry
def value_kernel(rules, stack, row, weights, net):
    """static_value() for Python."""
    return static_value(rules, stack, row, weights, net)


@entry
def net_kernel(rules, stack, row, weights, net):
    """scaled_net_value() for Python."""
    return scaled_net_value(rules, stack, row, weights, net)


@entry
def trace_kernel(rules, pos, weights, counts):
    """feature_value(), also in known endings, and its trace: counts int64[2, FEATURES + 2], zeros before."""
    return feature_value(rules, pos, weights, True, counts)


@entry
def trace_all_kernel(rules, rows, weights, counts, starts, features, times, stages, cells):
    """The features of many positions, White's minus Black's, as a sparse matrix; returns the number of entries, int64.

    rows: uint64[n, words]. Receiving: int32 features[...] and int8 times[...], of row i from starts[i] on; stages int64[n]:
    shares of the middlegame; cells int64[n, 2]: numbers of SCALES if White is better and if Black is.
    counts: int64[2, FEATURES + 2], zeros, for its own use.
    """
    n = 0
    for i in range(len(rows)):
        pos = rows[i]
        feature_value(rules, pos, weights, True, counts)
        starts[i] = n
        stages[i] = counts[0, TRACED_STAGE]
        lead = white_lead(rules, pos, weights)
        cells[i, 0] = scale_cell(rules, pos, ZERO, lead)
        cells[i, 1] = scale_cell(rules, pos, ONE, -lead)
        for feature in range(FEATURES):
            difference = counts[0, feature] - counts[1, feature]
            counts[0, feature] = counts[1, feature] = 0
            if difference != 0:
                if n < len(features):
                    features[n] = feature
                    times[n] = difference
                n += 1
    starts[len(rows)] = n
    return n
