"""The order moves are tried in: scores for a staged picker, and the histories behind them.

A list entry is an int64, `score << 31 | move`, so the next move is the greatest entry left. Stages follow from the bands
the scores lie in: table move, captures that win or hold, killers, quiet moves by history, captures that lose.

    int32 memo   KILLERS + 2 * ply, two a ply           REPLIES + men * squares of the last move: the quiet answer to it
                 HISTORY + colour * 4096 + from * 64 + to, what quiet moves are worth
                 PAIRS + last man and square * stride + man and square: the same in answer to a move
"""

from __future__ import annotations

import numpy as np

from engine.bits import N63, ONE, U
from engine.jit import inline, jit
from engine.position import K_EN_PASSANT, K_PROMOTION, N15, S_PROMOTES, S_TO, S_TYPE, W_WHITE, kind_of
from engine.rules import MAX_TYPES, TURN, TYPES, Rules
from search.exchange import gain
from search.features import BEST_PROMOTION, EXCHANGE, ROYAL_VALUE

MAX_PLY = 120
ENTRY_SHIFT = np.int64(31)
MOVE_MASK = np.int64((1 << 31) - 1)

FROM_TABLE = np.int64(1 << 30)
GOOD = np.int64(1 << 26)  # captures and promotions from here up
KILLER = np.int64(1 << 22)
BAD = np.int64(-1 << 26)  # below: captures that lose
NEVER = np.int64(-1 << 62)

KILLERS = 0
REPLIES = KILLERS + 2 * (MAX_PLY + 2)
HISTORY = REPLIES + MAX_TYPES * 64
PAIRS = HISTORY + 2 * 4096
HISTORY_MAX = np.int64(1 << 14)
_S_HISTORY = np.int64(14)
_SIX = np.int64(6)
_I63, _I15 = np.int64(63), np.int64(15)


def new_memo(rules: Rules) -> np.ndarray:
    """Empty histories of one thread."""
    squares = len(rules.letters) * 64
    return np.zeros(PAIRS + squares * squares, np.int32)


@inline
def man_and_square(move):
    """Number of a move's (type, goal): type * 64 + to, int64."""
    return (((move >> np.int64(12)) & _I15) << _SIX) | ((move >> _SIX) & _I63)


@inline
def from_and_to(move):
    """Number of a move's (from, to)."""
    return ((move & _I63) << _SIX) | ((move >> _SIX) & _I63)


@inline
def is_noisy(pos, move):
    """Whether a move, int64, is a capture or a promotion."""
    bits = U(move)
    kind = kind_of(bits)
    hit = (pos[W_WHITE + (pos[TURN] ^ ONE)] >> ((bits >> S_TO) & N63)) & ONE
    return hit != 0 or kind in (K_PROMOTION, K_EN_PASSANT)


@jit
def quiet_history(rules, memo, us, move, last):
    """What is known of a quiet move, int64; last the move before it, 0 for none."""
    known = np.int64(memo[np.int64(HISTORY) + (np.int64(us) << np.int64(12)) + from_and_to(move)])
    if last != 0:
        known += np.int64(memo[np.int64(PAIRS) + man_and_square(last) * np.int64(rules.words - TYPES) * np.int64(64)
                               + man_and_square(move)])
    return known


@inline
def adjust(memo, index, bonus):
    """Move one history towards the bonus; the nearer to HISTORY_MAX, the less."""
    old = np.int64(memo[index])
    memo[index] = np.int32(old + bonus - ((old * abs(bonus)) >> _S_HISTORY))


@jit
def learn(rules, memo, us, move, last, bonus):
    """Reward or punish a quiet move."""
    adjust(memo, np.int64(HISTORY) + (np.int64(us) << np.int64(12)) + from_and_to(move), bonus)
    if last != 0:
        adjust(memo, np.int64(PAIRS) + man_and_square(last) * np.int64(rules.words - TYPES) * np.int64(64)
               + man_and_square(move), bonus)


@jit
def score_noisy(rules, pos, weights, moves, count, table_move):
    """Turn the first `count` moves of a list, all noisy, into entries.

    The value of what is won decides, then the cheaper capturer. Where captures explode the gain is exact, so what
    loses is known at once; elsewhere a capture counts as good until the picker has looked at the exchange.
    """
    i = U(0)
    while i < count:
        move = moves[i]
        bits = U(move)
        won = gain(rules, pos, bits, weights)
        if rules.captures_explode:
            score = GOOD + won * np.int64(16) if won >= 0 else BAD + won * np.int64(16)
        else:
            capturer = weights[U(EXCHANGE) + ((bits >> S_TYPE) & N15)]
            score = GOOD + won * np.int64(16) + np.int64(ROYAL_VALUE) - capturer
        if kind_of(bits) == K_PROMOTION:
            if weights[U(EXCHANGE) + ((bits >> S_PROMOTES) & N15)] < weights[BEST_PROMOTION]:
                score = BAD + won
        if move == table_move:
            score = FROM_TABLE
        moves[i] = (score << ENTRY_SHIFT) | move
        i += ONE

@jit
def score_quiets(rules, pos, memo, moves, first, count, table_move, last, ply):
    """Turn `count` quiet moves from `first` on into entries."""
    us = pos[TURN]
    killer = np.int64(memo[np.int64(KILLERS) + ply + ply])
    second = np.int64(memo[np.int64(KILLERS + 1) + ply + ply])
    reply = np.int64(0)
    if last != 0:
        reply = np.int64(memo[np.int64(REPLIES) + man_and_square(last)])
    i = first
    while i < first + count:
        move = moves[i]
        if move == table_move:
            score = FROM_TABLE
        elif move == killer:
            score = KILLER + np.int64(2)
        elif move == second:
            score = KILLER + np.int64(1)
        elif move == reply:
            score = KILLER
        else:
            score = quiet_history(rules, memo, us, move, last)
        moves[i] = (score << ENTRY_SHIFT) | move
        i += ONE


@inline
def has_table_move(moves, count):
    """Whether the table's move is among the first `count` entries."""
    i = U(0)
    while i < count:
        if moves[i] >> ENTRY_SHIFT == FROM_TABLE:
            return True
        i += ONE
    return False


@inline
def bring_best(moves, first, count):
    """Swap the greatest entry of moves[first:count] to the front and return it."""
    best = moves[first]
    at = first
    i = first + ONE
    while i < count:
        if moves[i] > best:
            best = moves[i]
            at = i
        i += ONE
    moves[at] = moves[first]
    moves[first] = best
    return best


@jit
def reward(rules, pos, memo, moves, tried, move, last, ply, depth):
    """A quiet move caused a cut: remember it, and hold it against the quiet moves tried before it."""
    us = pos[TURN]
    if np.int64(memo[np.int64(KILLERS) + ply + ply]) != move:
        memo[np.int64(KILLERS + 1) + ply + ply] = memo[np.int64(KILLERS) + ply + ply]
        memo[np.int64(KILLERS) + ply + ply] = np.int32(move)
    if last != 0:
        memo[np.int64(REPLIES) + man_and_square(last)] = np.int32(move)
    bonus = min(np.int64(150) * depth, np.int64(1600))
    learn(rules, memo, us, move, last, bonus)
    i = U(0)
    while i < tried:
        other = moves[i] & MOVE_MASK
        if other != move and not is_noisy(pos, other):
            learn(rules, memo, us, other, last, -bonus)
        i += ONE
