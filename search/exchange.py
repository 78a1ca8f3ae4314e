"""Captures under the rules in force: what they win, how the exchange ends, whether one decides the game; and null moves.

pos: uint64[words]; weights: int64[WEIGHTS ...]; moves, colours and bitboards: uint64.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import jit
from engine.core.attackers import attackers, royals
from engine.core.bits import ONE, ZERO, U, lowest
from engine.core.mechanisms.succession import heirs
from engine.core.moves import K_DRIVE, K_EN_PASSANT, K_PROMOTION, kind_of, origin_of, promotion_of, target_of, type_of
from engine.core.position import W_WHITE
from engine.rules import BLACK, TURN, TYPES, WHITE
from search.eval.bitboards import count
from search.eval.features import EXCHANGE, ROYAL_VALUE

_ABOVE_ALL = np.int64(1 << 40)  # more than any piece is worth


@jit
def gain(rules, pos, move, weights):
    """Value of the pieces that a capture or promotion removes, own pieces counted against it; centipawns, int64.

    If captures explode, this is the end of the exchange: nothing is left on the square to be captured.
    """
    target, kind = target_of(move), kind_of(move)
    hit = (pos[W_WHITE + (pos[TURN] ^ ONE)] >> target) & ONE
    won = 0
    if rules.captures_explode:
        if hit or kind == K_EN_PASSANT:
            return exploded_value(rules, pos, move, weights)
    elif hit:
        won = captured_value(rules, pos, target, weights)
    elif kind == K_EN_PASSANT:
        won = weights[EXCHANGE]
    if kind == K_PROMOTION:
        won += weights[U(EXCHANGE) + promotion_of(move)] - weights[EXCHANGE]
    return won


@jit(forceinline=True)
def exploded_value(rules, pos, move, weights):
    """Value of the enemy pieces that a capture blows up, less that of the own ones with the capturer; centipawns, int64."""
    us = pos[TURN]
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + (us ^ ONE)]
    target = target_of(move)
    gone = (rules.geometry.king_attacks[target] & ~pos[TYPES]) | (ONE << target) | (ONE << origin_of(move))
    won = 0
    if kind_of(move) == K_EN_PASSANT:
        won = weights[EXCHANGE]
    for word in rules.type_words:
        there = pos[word] & gone
        if there:
            won += (count(there & enemy) - count(there & own)) * weights[EXCHANGE + word - TYPES]
    return won


@jit(forceinline=True)
def captured_value(rules, pos, square, weights):
    """Value of the piece that the side to move may capture on a square, centipawns, int64.

    A king that has an heir is worth the piece that must succeed it; without one, everything.
    """
    value = 0
    if rules.succession and (pos[rules.king.word] >> square) & ONE:
        value = ROYAL_VALUE
        line = heirs(rules, pos, pos[W_WHITE + (pos[TURN] ^ ONE)])
        for word in rules.succession:
            if line & pos[word]:
                value = weights[EXCHANGE + word - TYPES]
    else:
        for word in rules.type_words:
            if (pos[word] >> square) & ONE:
                value += weights[EXCHANGE + word - TYPES]
    return value


@jit(runtime=("threshold",))
def see_ge(rules, pos, move, threshold, weights):
    """Whether the static exchange evaluation of a move, uint64, is at least `threshold`, int64 centipawns; bool.

    Each side captures with its least valuable piece. A royal piece may capture even if it can be recaptured, at its own value:
    then the next capture of the other side decides.
    """
    balance = gain(rules, pos, move, weights) - threshold
    if rules.captures_explode:
        return balance >= 0
    if balance < 0:
        return False
    us = pos[TURN]
    target = target_of(move)
    placed = type_of(move)
    kind = kind_of(move)
    if rules.driven_king:
        if kind == K_DRIVE:
            return True  # a king among its own pieces is not recaptured
    if kind == K_PROMOTION:
        placed = promotion_of(move)
    balance -= weights[U(EXCHANGE) + placed]
    if balance >= 0:
        return True
    occupied = ((pos[WHITE] | pos[BLACK]) & ~(ONE << origin_of(move))) | (ONE << target)
    side = us ^ ONE
    while True:
        capturers = attackers(rules, pos, target, occupied, pos[W_WHITE + side] & occupied, side)
        if capturers == ZERO:
            return side != us
        capturer, value = least_valuable(rules, pos, capturers, weights)
        occupied ^= capturer
        if side != us:
            balance += value
            if balance < 0:
                return False
        else:
            balance -= value
            if balance >= 0:
                return True
        side ^= ONE


@jit(forceinline=True)
def least_valuable(rules, pos, pieces, weights):
    """(a piece of the least valuable type among some pieces, a bit; its value, int64)."""
    piece, value = ZERO, _ABOVE_ALL
    for word in rules.type_words:
        there = pos[word] & pieces
        if there:
            if weights[EXCHANGE + word - TYPES] < value:
                value = weights[EXCHANGE + word - TYPES]
                piece = there & (ZERO - there)
    return piece, value


@jit
def can_explode(rules, pos, colour):
    """Whether a capture by `colour`, were it to move, would blow up the other king and not its own. En passant apart."""
    if rules.captures_explode:
        capturers = pos[W_WHITE + colour] & ~pos[rules.king.word]
        targets = exploding_captures(rules, pos, colour)
        while targets:
            square = lowest(targets)
            targets &= targets - ONE
            if attackers(rules, pos, square, pos[WHITE] | pos[BLACK], capturers, colour):
                return True
    return False


@jit(forceinline=True)
def exploding_captures(rules, pos, colour):
    """Enemy pieces whose capture would blow up the enemy king and not that of `colour`; none if a king is gone."""
    enemy, kings = pos[W_WHITE + (colour ^ ONE)], pos[rules.king.word]
    mine, theirs = kings & pos[W_WHITE + colour], kings & enemy
    if not (mine and theirs):
        return ZERO
    return (rules.geometry.king_attacks[lowest(theirs)] | theirs) & enemy & ~rules.geometry.king_attacks[lowest(mine)]


@jit
def has_officers(rules, pos, us):
    """Whether a colour has more than pawns and royal pieces."""
    own = pos[W_WHITE + us] & ~pos[TYPES]
    return own & ~royals(rules, pos) != ZERO


@jit
def null_move_allowed(rules, pos, us):
    """Whether two moves in a row are surely an advantage for a colour: the condition of the null move; bool.

    Not with a single piece besides pawns and royal ones; not if kings touch, for then the duty to part them decides the
    game; not with several royal pieces or a sliding one, which make zugzwang common.
    """
    if not rules.one_king:
        return False
    own = pos[W_WHITE + us]
    kings = pos[rules.king.word]
    if rules.succession:
        if kings & own == ZERO:
            return False
    if not rules.touching_kings_check:
        if rules.geometry.king_attacks[lowest(kings & own)] & kings:
            return False
    pieces = own & ~(kings | pos[TYPES])
    return pieces & (pieces - ONE) != ZERO
