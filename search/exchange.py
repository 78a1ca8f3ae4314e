"""Captures under the rules in force: what they win, how the exchange ends, whether one decides the game; and passing."""

from __future__ import annotations

import numpy as np

from engine.compile.jit import jit
from engine.core.attackers import attackers
from engine.core.bits import N63, ONE, ZERO, U, lowest, popcount
from engine.core.mechanisms.succession import heirs
from engine.core.moves import K_DRIVE, K_EN_PASSANT, K_PROMOTION, N15, S_PROMOTES, S_TO, S_TYPE, kind_of
from engine.core.position import W_WHITE
from engine.rules import BLACK, TURN, TYPES, WHITE
from search.eval.features import EXCHANGE, ROYAL_VALUE


@jit
def gain(rules, pos, move, weights):
    """What a noisy move wins before any reply: the men it removes, own men counted against it; centipawns, int64.

    Where captures explode this is the end of the exchange: nothing is left on the square to be taken.
    """
    us = pos[TURN]
    them = us ^ ONE
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
    target = (move >> S_TO) & N63
    kind = kind_of(move)
    won = np.int64(0)
    hit = (enemy >> target) & ONE
    if kind == K_EN_PASSANT:
        won = weights[EXCHANGE]
    if rules.captures_explode:
        if hit or kind == K_EN_PASSANT:
            gone = (rules.geometry.king_attacks[target] & ~pos[TYPES]) | (ONE << target) | (ONE << (move & N63))
            if kind == K_EN_PASSANT:
                gone = gone & ~(ONE << target)
            for word in rules.type_words:
                there = pos[word] & gone
                if there:
                    difference = np.int64(popcount(there & enemy)) - np.int64(popcount(there & own))
                    won += difference * weights[EXCHANGE + word - TYPES]
            return won
    elif hit:
        if rules.succession and (pos[rules.king.word] >> target) & ONE:
            # a king is worth the man that must succeed it, everything where there is none
            won = np.int64(ROYAL_VALUE)
            line = heirs(rules, pos, enemy)
            for word in rules.succession:
                if line & pos[word]:
                    won = weights[EXCHANGE + word - TYPES]
        else:
            for word in rules.type_words:
                if (pos[word] >> target) & ONE:
                    won += weights[EXCHANGE + word - TYPES]
    if kind == K_PROMOTION:
        won += weights[U(EXCHANGE) + ((move >> S_PROMOTES) & N15)] - weights[EXCHANGE]
    return won


@jit
def exchange_holds(rules, pos, move, least, weights):
    """Whether the exchange a noisy move begins wins its side at least `least` centipawns, each side taking with its least.

    A royal piece may take where it can be taken back, at its own value: then the other side's next capture decides.
    """
    balance = gain(rules, pos, move, weights) - least
    if rules.captures_explode:
        return balance >= 0
    if balance < 0:
        return False
    us = pos[TURN]
    target = (move >> S_TO) & N63
    placed = (move >> S_TYPE) & N15
    kind = kind_of(move)
    if rules.driven_king:
        if kind == K_DRIVE:
            return True  # a king among its own men is not taken back
    if kind == K_PROMOTION:
        placed = (move >> S_PROMOTES) & N15
    balance -= weights[U(EXCHANGE) + placed]
    if balance >= 0:
        return True
    occupied = ((pos[WHITE] | pos[BLACK]) & ~(ONE << (move & N63))) | (ONE << target)
    side = us ^ ONE
    while True:
        men = attackers(rules, pos, target, occupied, pos[W_WHITE + side] & occupied, side)
        if men == ZERO:
            return side != us
        value = np.int64(1 << 40)
        taker = ZERO
        for word in rules.type_words:
            there = pos[word] & men
            if there:
                if weights[EXCHANGE + word - TYPES] < value:
                    value = weights[EXCHANGE + word - TYPES]
                    taker = there & (ZERO - there)
        occupied ^= taker
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
def may_pass(rules, pos, us):
    """Whether being allowed two moves in a row is surely an advantage: the condition of the null move.

    Not with a single piece besides pawns and royal ones, nor where kings touch and the duty to part them decides the
    game, nor where several royal pieces or a sliding one make zugzwang a matter of course.
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
    men = own & ~(kings | pos[TYPES])
    return men & (men - ONE) != ZERO
