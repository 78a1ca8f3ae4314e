"""Captures under the rules in force: what they win, how the exchange ends, whether one decides the game; and null moves.

pos: uint64[words]; weights: int64[WEIGHTS ...]; moves, colours and bitboards: uint64.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import jit
from engine.core.attackers import attackers
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
    us = pos[TURN]
    them = us ^ ONE
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
    target = target_of(move)
    kind = kind_of(move)
    won = 0
    hit = (enemy >> target) & ONE
    if kind == K_EN_PASSANT:
        won = weights[EXCHANGE]
    if rules.captures_explode:
        if hit or kind == K_EN_PASSANT:
            gone = (rules.geometry.king_attacks[target] & ~pos[TYPES]) | (ONE << target) | (ONE << origin_of(move))
            if kind == K_EN_PASSANT:
                gone = gone & ~(ONE << target)
            for word in rules.type_words:
                there = pos[word] & gone
                if there:
                    won += (count(there & enemy) - count(there & own)) * weights[EXCHANGE + word - TYPES]
            return won
    elif hit:
        if rules.succession and (pos[rules.king.word] >> target) & ONE:
            # a king is worth the piece that must succeed it; without one, everything
            won = ROYAL_VALUE
            line = heirs(rules, pos, enemy)
            for word in rules.succession:
                if line & pos[word]:
                    won = weights[EXCHANGE + word - TYPES]
        else:
            for word in rules.type_words:
                if (pos[word] >> target) & ONE:
                    won += weights[EXCHANGE + word - TYPES]
    if kind == K_PROMOTION:
        won += weights[U(EXCHANGE) + promotion_of(move)] - weights[EXCHANGE]
    return won


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
        value = _ABOVE_ALL
        capturer = ZERO
        for word in rules.type_words:
            there = pos[word] & capturers
            if there:
                if weights[EXCHANGE + word - TYPES] < value:
                    value = weights[EXCHANGE + word - TYPES]
                    capturer = there & (ZERO - there)
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


@jit
def can_explode(rules, pos, colour):
    """Whether a capture by `colour`, were it to move, would blow up the other king and not its own. En passant apart."""
    if rules.captures_explode:
        other = colour ^ ONE
        own, enemy = pos[W_WHITE + colour], pos[W_WHITE + other]
        kings = pos[rules.king.word]
        mine, theirs = kings & own, kings & enemy
        if mine and theirs:
            around_mine = rules.geometry.king_attacks[lowest(mine)] | mine
            targets = (rules.geometry.king_attacks[lowest(theirs)] | theirs) & enemy & ~around_mine
            while targets:
                square = lowest(targets)
                targets &= targets - ONE
                if attackers(rules, pos, square, own | enemy, own ^ mine, colour):
                    return True
    return False


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
