"""The order moves are tried in: scores for a staged picker, and the histories behind them.

A list entry is an int64, `score << 31 | move`, so the next move is the greatest entry left. Stages follow from the bands
the scores lie in: table move, captures that win or hold, killers, quiet moves by history, captures that lose.

    int32 memo   KILLERS + 2 * ply, two a ply           REPLIES + men * squares of the last move: the quiet answer to it
                 HISTORY + colour * 4096 + from * 64 + to, what quiet moves are worth
                 PAIRS + last man and square * stride + man and square: the same in answer to a move
                 FOLLOWS + the same after the own move before that
                 CAPTURES + (man and square) * 16 + type of the man taken: what captures are worth
                 ERRORS + 4096 * ...: how far the static value was off (corrected())
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import inline, jit
from engine.core.bits import N63, ONE, ZERO, U, rotate
from engine.core.moves import K_EN_PASSANT, K_PROMOTION, N15, S_PROMOTES, S_TO, S_TYPE, kind_of
from engine.core.position import W_WHITE
from engine.rules import BLACK, MAX_TYPES, TURN, TYPES, WHITE, Rules
from search.eval.features import BEST_PROMOTION, EXCHANGE, ROYAL_VALUE
from search.exchange import gain

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
CAPTURES = HISTORY + 2 * 4096
ERRORS = CAPTURES + MAX_TYPES * 64 * MAX_TYPES
ERROR_ROW = 1 << 14
PAIRS = ERRORS + 3 * 2 * ERROR_ROW
HISTORY_MAX = np.int64(1 << 14)
_S_HISTORY = np.int64(14)
_SIX = np.int64(6)
_I63, _I15 = np.int64(63), np.int64(15)


def new_memo(rules: Rules) -> np.ndarray:
    """Empty histories of one thread."""
    squares = len(rules.letters) * 64
    return np.zeros(PAIRS + 2 * squares * squares, np.int32)


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
def pair(rules, last, move):
    """Where it is kept what a move is worth in answer to another."""
    return np.int64(PAIRS) + man_and_square(last) * np.int64(rules.words - TYPES) * np.int64(64) + man_and_square(move)


@jit
def follow(rules, former, move):
    """Where it is kept what a move is worth after the own move before."""
    squares = np.int64(rules.words - TYPES) * np.int64(64)
    return np.int64(PAIRS) + squares * squares + man_and_square(former) * squares + man_and_square(move)


@jit
def quiet_history(rules, memo, us, move, last, former):
    """What is known of a quiet move, int64; last the move before it, former the own one before that, 0 for none."""
    known = np.int64(memo[np.int64(HISTORY) + (np.int64(us) << np.int64(12)) + from_and_to(move)])
    if last != 0:
        known += np.int64(memo[pair(rules, last, move)])
    if former != 0:
        known += np.int64(memo[follow(rules, former, move)])
    return known


@jit
def capture_slot(rules, pos, move):
    """Where it is kept what a capture or promotion is worth; move int64."""
    bits = U(move)
    target = (bits >> S_TO) & N63
    taken = np.int64(0)
    for word in rules.type_words:
        if (pos[word] >> target) & ONE:
            taken = np.int64(word - TYPES)
    return np.int64(CAPTURES) + man_and_square(move) * np.int64(MAX_TYPES) + taken


@inline
def adjust(memo, index, bonus):
    """Move one history towards the bonus; the nearer to HISTORY_MAX, the less."""
    old = np.int64(memo[index])
    memo[index] = np.int32(old + bonus - ((old * abs(bonus)) >> _S_HISTORY))


@jit
def learn(rules, memo, us, move, last, former, bonus):
    """Reward or punish a quiet move."""
    adjust(memo, np.int64(HISTORY) + (np.int64(us) << np.int64(12)) + from_and_to(move), bonus)
    if last != 0:
        adjust(memo, pair(rules, last, move), bonus)
    if former != 0:
        adjust(memo, follow(rules, former, move), bonus)


@jit
def score_noisy(rules, pos, weights, memo, moves, count, table_move):
    """Turn the first `count` moves of a list, all noisy, into entries.

    The value of what is won decides, with what became of such captures. Where captures explode the gain is exact, so what
    loses is known at once; elsewhere a capture counts as good until the picker has looked at the exchange.
    """
    i = U(0)
    while i < count:
        move = moves[i]
        bits = U(move)
        won = gain(rules, pos, bits, weights)
        known = np.int64(memo[capture_slot(rules, pos, move)]) >> np.int64(3)
        if rules.captures_explode:
            score = GOOD + won * np.int64(16) + known if won >= 0 else BAD + won * np.int64(16) + known
            score = max(score, GOOD) if won >= 0 else score
        else:
            capturer = weights[U(EXCHANGE) + ((bits >> S_TYPE) & N15)]
            score = GOOD + won * np.int64(16) + np.int64(ROYAL_VALUE) - capturer + known
        if kind_of(bits) == K_PROMOTION:
            if weights[U(EXCHANGE) + ((bits >> S_PROMOTES) & N15)] < weights[BEST_PROMOTION]:
                score = BAD + won
        if move == table_move:
            score = FROM_TABLE
        moves[i] = (score << ENTRY_SHIFT) | move
        i += ONE

@jit
def score_quiets(rules, pos, memo, moves, first, count, table_move, last, former, ply):
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
            score = quiet_history(rules, memo, us, move, last, former)
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
def reward(rules, pos, memo, moves, tried, move, noisy, last, former, ply, depth):
    """A move caused a cut: remember it, and hold it against the moves tried before it; quiet ones where it is quiet itself."""
    us = pos[TURN]
    bonus = min(np.int64(150) * depth, np.int64(1600))
    if noisy:
        adjust(memo, capture_slot(rules, pos, move), bonus)
    else:
        if np.int64(memo[np.int64(KILLERS) + ply + ply]) != move:
            memo[np.int64(KILLERS + 1) + ply + ply] = memo[np.int64(KILLERS) + ply + ply]
            memo[np.int64(KILLERS) + ply + ply] = np.int32(move)
        if last != 0:
            memo[np.int64(REPLIES) + man_and_square(last)] = np.int32(move)
        learn(rules, memo, us, move, last, former, bonus)
    i = U(0)
    while i < tried:
        other = moves[i] & MOVE_MASK
        if other != move:
            if is_noisy(pos, other):
                adjust(memo, capture_slot(rules, pos, other), -bonus)
            elif not noisy:
                learn(rules, memo, us, other, last, former, -bonus)
        i += ONE


# How far the static value was off where pawns, or the other men of a side, stood like this

_MIX = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F,
                 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3, 0x1D8E4E27C47D124F, 0xEB44ACCAB455D165,
                 0x2D358DCCAA6C78A5, 0x8BB84B93962EACC9, 0x4B33A62ED433D4A3, 0x4D5A2DA51DE1AA47, 0xC2B2AE3D27D4EB4F,
                 0x165667B19E3779F9], np.uint64)
_S_ROW, _S_MIX = U(50), U(29)
_ERROR_MAX = np.int64(1024)
_ERROR_STEP = np.int64(256)


@jit
def error_slot(rules, pos, which):
    """Where it is kept: which 0 for pawns, 1 and 2 for White's and Black's other men; int64."""
    mixed = ZERO
    if which == 0:
        mixed = (pos[TYPES] & pos[WHITE]) * _MIX[0] ^ rotate((pos[TYPES] & pos[BLACK]) * _MIX[1], U(17))
    else:
        men = pos[WHITE] if which == 1 else pos[BLACK]
        for piece in rules.pieces:
            mixed ^= rotate((pos[piece.word] & men) * _MIX[piece.index], U(piece.index * 3))
    mixed ^= mixed >> _S_MIX
    mixed *= _MIX[2]
    row = np.int64(which * 2) + np.int64(pos[TURN])
    return np.int64(ERRORS) + row * np.int64(ERROR_ROW) + np.int64(mixed >> _S_ROW)


@jit
def corrected(rules, pos, memo, value):
    """A static value as it should have been in positions like this one."""
    error = np.int64(memo[error_slot(rules, pos, 0)])
    error += np.int64(memo[error_slot(rules, pos, 1)])
    error += np.int64(memo[error_slot(rules, pos, 2)])
    return value + error // np.int64(24)


@inline
def shift_error(memo, slot, bonus):
    """Move one error towards the bonus."""
    old = np.int64(memo[slot])
    memo[slot] = np.int32(old + bonus - (old * abs(bonus)) // _ERROR_MAX)


@jit
def learn_error(rules, pos, memo, off, depth):
    """The static value was off by so much, as a search of that depth found."""
    bonus = max(-_ERROR_STEP, min(off * depth // np.int64(8), _ERROR_STEP))
    shift_error(memo, error_slot(rules, pos, 0), bonus)
    shift_error(memo, error_slot(rules, pos, 1), bonus)
    shift_error(memo, error_slot(rules, pos, 2), bonus)
