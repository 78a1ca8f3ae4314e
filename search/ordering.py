"""The order in which moves are tried: scores of move list entries.

An entry is an int64, `score << 31 | move`, so the next move is the greatest entry left. Stages follow from the bands of the
scores: table move, captures that win or hold, killers, quiet moves by history, captures that lose.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import inline, jit
from engine.core.bits import ONE, U
from engine.core.moves import K_PROMOTION, kind_of, promotion_of
from engine.rules import TURN
from search.eval.features import BEST_PROMOTION, EXCHANGE
from search.exchange import gain
from search.histories import ENTRY_SHIFT, KILLERS, capture_slot, countermove_slot, quiet_order

# Bands of the scores
FROM_TABLE = 1 << 30
GOOD = 1 << 26  # captures and promotions from here up
KILLER = 1 << 22
BAD = -1 << 26  # captures that lose, near this
LOSING = BAD >> 1  # every score below is that of one of them

# Captures are ordered by what they win and by their history, which weighs up to nine pawns.
GOOD_ZERO = GOOD + (1 << 14)  # the score of a good capture that wins nothing and has no history
_GAIN_SCALE = 12  # of a centipawn


@jit
def score_noisy(rules, pos, weights, histories, moves, count, table_move):
    """Turn the first `count` moves of a list, int64[...], all captures and promotions, into entries.

    If captures explode, the gain is exact, so what loses is known at once; otherwise a capture counts as good until the search
    has looked at the exchange.
    """
    for i in range(count):
        move = moves[i]
        bits = U(move)
        won = gain(rules, pos, bits, weights)
        score = GOOD_ZERO + won * _GAIN_SCALE + np.int64(histories[capture_slot(rules, pos, move)])
        if rules.captures_explode:
            if won < 0:
                score += BAD - GOOD_ZERO
        if kind_of(bits) == K_PROMOTION:
            if weights[U(EXCHANGE) + promotion_of(bits)] < weights[BEST_PROMOTION]:
                score = BAD + won
        if move == table_move:
            score = FROM_TABLE
        moves[i] = (score << ENTRY_SHIFT) | move


@jit(runtime=("table_move",))
def score_quiets(rules, pos, histories, refutations, moves, first, count, table_move, prev_move, ply, rows):
    """Turn moves[first:first + count], int64, all quiet, into entries. first, count: uint64; rows: see quiet_order()."""
    us = pos[TURN]
    killer = np.int64(refutations[KILLERS + 2 * ply])
    second_killer = np.int64(refutations[KILLERS + 1 + 2 * ply])
    countermove = np.int64(0)
    if prev_move != 0:
        countermove = np.int64(refutations[countermove_slot(us, prev_move)])
    for i in range(first, first + count):
        move = moves[i]
        if move == table_move:
            score = FROM_TABLE
        elif move == killer:
            score = KILLER + 2
        elif move == second_killer:
            score = KILLER + 1
        elif move == countermove:
            score = KILLER
        else:
            score = quiet_order(rules, histories, us, move, rows)
        moves[i] = (score << ENTRY_SHIFT) | move


@inline
def has_table_move(moves, count):
    """Whether the table's move is among the first `count` entries."""
    for i in range(count):  # noqa: SIM110 - kernels have no any()
        if moves[i] >> ENTRY_SHIFT == FROM_TABLE:
            return True
    return False


@inline
def pick_best(moves, first, count):
    """Swap the greatest entry of moves[first:count] to the front and return it, int64."""
    best = moves[first]
    for i in range(first + ONE, count):  # in vector registers, for which an index would be too much
        best = max(best, moves[i])
    at = first
    while moves[at] != best:
        at += ONE
    moves[at] = moves[first]
    moves[first] = best
    return best
