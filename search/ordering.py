"""The order in which moves are tried: scores of move list entries.

An entry is an int64, `score << 31 | move`, so the next move is the greatest entry left. Stages follow from the bands of the
scores: table move, captures that win or hold, killers, quiet moves by history, captures that lose.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import inline, jit
from engine.core.bits import ONE, U
from engine.core.moves import K_PROMOTION, kind_of, promotion_of, type_of
from engine.rules import TURN
from search.eval.features import BEST_PROMOTION, EXCHANGE, ROYAL_VALUE
from search.exchange import gain
from search.histories import (
    COUNTERMOVES,
    ENTRY_SHIFT,
    KILLERS,
    capture_slot,
    piece_and_to,
    quiet_history,
)

# Bands of the scores
FROM_TABLE = 1 << 30
GOOD = 1 << 26  # captures and promotions from here up
KILLER = 1 << 22
BAD = -1 << 26  # captures that lose, near this
LOSING = BAD >> 1  # every score below is that of one of them

# Captures are ordered by what they win; between captures of like value, the capturer (MVV-LVA) and the histories decide. These
# scales only keep the two apart, so they are no tunables.
_GAIN_SCALE = 16  # of a centipawn
_S_CAPTURE_HISTORY = 3


@jit
def score_noisy(rules, pos, weights, histories, moves, count, table_move):
    """Turn the first `count` moves of a list, int64[...], all captures and promotions, into entries.

    If captures explode, the gain is exact, so what loses is known at once; otherwise a capture counts as good until the picker
    has looked at the exchange.
    """
    for i in range(count):
        move = moves[i]
        bits = U(move)
        won = gain(rules, pos, bits, weights)
        history = np.int64(histories[capture_slot(rules, pos, move)]) >> _S_CAPTURE_HISTORY
        if rules.captures_explode:
            score = max(GOOD + won * _GAIN_SCALE + history, GOOD) if won >= 0 else BAD + won * _GAIN_SCALE + history
        else:
            capturer = weights[U(EXCHANGE) + type_of(bits)]
            score = GOOD + won * _GAIN_SCALE + ROYAL_VALUE - capturer + history
        if kind_of(bits) == K_PROMOTION:
            if weights[U(EXCHANGE) + promotion_of(bits)] < weights[BEST_PROMOTION]:
                score = BAD + won
        if move == table_move:
            score = FROM_TABLE
        moves[i] = (score << ENTRY_SHIFT) | move


@jit(runtime=("table_move",))
def score_quiets(rules, pos, histories, refutations, moves, first, count, table_move, prev_move, prev_own_move, ply):
    """Turn moves[first:first + count], int64, all quiet, into entries. first, count: uint64."""
    us = pos[TURN]
    killer = np.int64(refutations[KILLERS + 2 * ply])
    second_killer = np.int64(refutations[KILLERS + 1 + 2 * ply])
    countermove = np.int64(0)
    if prev_move != 0:
        countermove = np.int64(refutations[COUNTERMOVES + piece_and_to(prev_move)])
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
            score = quiet_history(rules, histories, us, move, prev_move, prev_own_move)
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
