"""What a position is worth: material and squares, mobility, pawns, royal danger; and exchanges under the rules in force.

`static_value` is the one place the search asks; a learned evaluation would stand there. The numbers of a game come as one
array made from its `values`, so tuning compiles nothing:

    int64 weights    SQUARES + (colour * 16 + type) * 64 + square    material and square, packed
                     FREEDOM + type    one more square to go to, packed        EXCHANGE + type   value in exchanges
                     DANGER + type     an attack next to the enemy king        STAGE + type      share of the middlegame

Packed means middlegame + (endgame << 32), so that one addition does both.
"""

from __future__ import annotations

import functools

import numpy as np

from engine.bits import N63, ONE, ZERO, U, lowest, popcount, rotate
from engine.jit import entry, inline, jit
from engine.movegen import attackers, piece_targets, royals
from engine.position import BLAST, K_DRIVE, K_EN_PASSANT, K_PROMOTION, N15, S_PROMOTES, S_TO, S_TYPE, W_WHITE, heirs, kind_of
from engine.rules import BLACK, MAX_TYPES, TURN, TYPES, WHITE, Mover, Rules, Worth
from search.params import BLAST_ATTACK, ISOLATED, KING_ATTACK, MOBILITY, PASSED_EG, PASSED_MG, SHIELD, TEMPO

SQUARES = 0
FREEDOM = SQUARES + 2 * MAX_TYPES * 64
EXCHANGE = FREEDOM + MAX_TYPES
DANGER = EXCHANGE + MAX_TYPES
STAGE = DANGER + MAX_TYPES
BEST_PROMOTION = STAGE + MAX_TYPES  # value of the best piece a pawn may become
WALKED = BEST_PROMOTION + 1  # + colour * 64 + square: steps a pawn has behind it: 5 a step before it promotes
WEIGHTS = WALKED + 2 * 64

ROYAL_VALUE = 20_000  # in exchanges; more than all else together
FULL_STAGE = 1 << 12
MAX_DANGER = 700  # centipawns

# What the reported evaluation is made of: rows of terms_kernel(), the last one the stage of the game
TERMS = ("pawns", "passed pawns", "lonely pawns", "pieces", "mobility", "attack", "shield")
T_PAWNS, T_PASSED, T_LONELY, T_PIECES, T_MOBILITY, T_ATTACK, T_SHIELD, T_STAGE = range(len(TERMS) + 1)

_HALF = np.int64(1 << 31)
_S_HALF = np.int64(32)
_FILE_A, _FILE_H = U(0x0101_0101_0101_0101), U(0x8080_8080_8080_8080)
_S_RANK, _S_ONE, _S_BACK = U(8), U(1), U(63)


# The numbers of one game, in Python

def packed(middlegame: float, endgame: float) -> int:
    """Two scores in one integer."""
    return round(middlegame) + (round(endgame) << 32)


def average_moves(mover: Mover) -> float:
    """Squares a piece reaches on average over the board, each square it slides over being free seven times in ten."""
    total = 0.0
    for square in range(64):
        leaps = 0 if mover.leaps is None else int(mover.leaps[0, square])
        total += leaps.bit_count()
        for slides, limit, straight in ((mover.rook, mover.rook_limit, True), (mover.bishop, mover.bishop_limit, False)):
            if not slides:
                continue
            reach = -1 if limit is None else int(limit[0, square])
            for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)) if straight else ((1, 1), (-1, 1), (1, -1), (-1, -1)):
                x, y, chance = (square & 7) + dx, (square >> 3) + dy, 1.0
                while 0 <= x < 8 and 0 <= y < 8 and reach >> (y * 8 + x) & 1:
                    total += chance
                    x, y, chance = x + dx, y + dy, chance * 0.7
    return total / 64


def worth_of(rules: Rules, letter: str) -> Worth:
    """What a game says of a piece; else a guess from how many squares it reaches."""
    if letter in rules.values:
        return rules.values[letter]
    if letter == "P":
        return Worth((85, 110), ranks=((0, 0, 2, 6, 14, 30, 60, 0), (0, 0, 4, 12, 25, 50, 90, 0)),
                     files=((-4, -2, 0, 6, 6, 0, -2, -4), (0,) * 8))
    mover = next(piece for piece in rules.traits.pieces if piece.letter == letter)
    if mover.royal and rules.traits.one_king and rules.traits.pawn is not None and rules.traits.pawn.lopsided:
        return Worth((0, 0), centre=(-10, 8))
    if mover.royal and rules.traits.one_king:
        return Worth((0, 0), ranks=((15, 0, -20, -35, -45, -50, -55, -60), (-15, -5, 0, 5, 10, 10, 5, 0)), centre=(-6, 12))
    value = round(57 * average_moves(mover) + 10)
    return Worth((value, value), centre=(4, 4))


def steps_walked(rules: Rules) -> list[int]:
    """For each square how far a white pawn there has come: 5 a step before it promotes, 0 where it never will."""
    pawn = rules.traits.pawn
    walked = [0] * 64
    if pawn is None:
        return walked
    reached, left = int(pawn.zone[0]), 5
    while left >= 0:
        before = 0
        for square in range(64):
            for step in pawn.steps:
                goal = (square + int(step.shift[0])) % 64
                if int(step.source[0]) >> square & 1 and reached >> goal & 1 and not reached >> square & 1:
                    before |= 1 << square
                    walked[square] = left
        if not before:
            break
        reached |= before
        left -= 1
    return walked


def weights_of(rules: Rules, p: np.ndarray) -> np.ndarray:
    """make_weights(), made once for each game and set of parameters; not to be written to."""
    return _weights_of(rules, p.tobytes())


@functools.lru_cache(maxsize=64)
def _weights_of(rules: Rules, p: bytes) -> np.ndarray:
    return make_weights(rules, np.frombuffer(p, np.int32))


def make_weights(rules: Rules, p: np.ndarray) -> np.ndarray:
    """int64[WEIGHTS] of one game; p int32[len(PARAMS)]."""
    weights = np.zeros(WEIGHTS, np.int64)
    traits = rules.traits
    movers = {mover.index: mover for mover in traits.pieces}
    # Black's board is White's turned upside down, or by half a turn where the pawns tell left from right
    turn = 63 if traits.pawn is not None and traits.pawn.lopsided else 56
    walked = steps_walked(rules)
    for square in range(64):
        weights[WALKED + square] = weights[WALKED + 64 + (square ^ turn)] = walked[square]
    for index, letter in enumerate(rules.letters):
        worth = worth_of(rules, letter)
        for square in range(64):
            file, rank = square & 7, square >> 3
            centre = min(file, 7 - file, rank, 7 - rank)
            if letter == "P" and traits.pawn is not None:
                rank = 1 + max(0, walked[square])
            score = packed(*(worth.value[s] + worth.ranks[s][rank] + worth.files[s][file] + worth.centre[s] * centre
                             for s in (0, 1)))
            weights[SQUARES + index * 64 + square] = score
            weights[SQUARES + (MAX_TYPES + index) * 64 + (square ^ turn)] = score
        value = sum(worth.value) // 2
        mover = movers.get(index)
        royal = mover is not None and mover.royal
        weights[EXCHANGE + index] = ROYAL_VALUE if royal else value
        if mover is not None:
            reach = average_moves(mover)
            if not royal:
                weights[FREEDOM + index] = packed(p[MOBILITY] / max(1.0, reach), p[MOBILITY] / max(1.0, reach))
                weights[DANGER + index] = max(1, round(value / 160))
    if traits.pawn is not None:
        weights[BEST_PROMOTION] = max(weights[EXCHANGE + index] for index in traits.pawn.promotions)
    _stages(rules, weights)
    return weights


def _stages(rules: Rules, weights: np.ndarray) -> None:
    """Shares of the middlegame: the start position's men, pawns and royal pieces apart, make FULL_STAGE."""
    placement = rules.start_fen.split()[0].upper()
    royal = {mover.letter for mover in rules.traits.pieces if mover.royal}
    values = {letter: int(weights[EXCHANGE + index]) for index, letter in enumerate(rules.letters)
              if letter != "P" and letter not in royal}
    total = sum(values.get(letter, 0) for letter in placement)
    for index, letter in enumerate(rules.letters):
        weights[STAGE + index] = 0 if letter not in values else values[letter] * FULL_STAGE // max(1, total)


def middlegame(score: int) -> int:
    """The first half of a packed score."""
    return (score + (1 << 31)) % (1 << 32) - (1 << 31)


def endgame(score: int) -> int:
    """The second half of a packed score."""
    return (score + (1 << 31)) >> 32


# The kernels

@inline
def pawn_shift(bits, source, shift):
    """All pawns of `bits` that stand in `source`, one step on."""
    return rotate(bits & source, shift)


@jit
def pawn_attacks(rules, pawns, colour):
    """Squares the pawns of one side attack."""
    found = ZERO
    if rules.pawn:
        white = colour == ZERO
        for step in rules.pawn.captures:
            found |= pawn_shift(pawns, step.source[0] if white else step.source[1], step.shift[0] if white else step.shift[1])
    return found


@jit
def pawn_paths(rules, pawns, colour):
    """Squares the pawns of one side may walk over without capturing."""
    found = pawns
    if rules.pawn:
        white = colour == ZERO
        for step in rules.pawn.steps:
            source, shift = step.source[0] if white else step.source[1], step.shift[0] if white else step.shift[1]
            for _again in range(6):
                found |= pawn_shift(found, source, shift)
    return found


@jit
def static_value(rules, pos, p, weights):
    """Centipawns, int64, from the side to move; every royal piece must stand."""
    return _value(rules, pos, p, weights, False, weights)


@entry
def terms_kernel(rules, pos, p, weights, terms):
    """static_value(), and what it is made of.

    terms: int64[2, len(TERMS) + 1], zeros before; by colour, packed; the stage of the game in [0, T_STAGE].
    """
    return _value(rules, pos, p, weights, True, terms)


@jit
def _value(rules, pos, p, weights, traced, terms):
    """The value, and the terms where `traced` is the literal True: else there is no code for them."""
    total = np.int64(0)
    stage = np.int64(0)
    occupied = pos[WHITE] | pos[BLACK]
    for c in range(2):
        colour = U(c)
        them = colour ^ ONE
        own, enemy = pos[W_WHITE + colour], pos[W_WHITE + them]
        side = np.int64(0)
        danger = np.int64(0)
        base = (colour * U(MAX_TYPES)) << U(6)
        hostile = pawn_attacks(rules, pos[TYPES] & enemy, them)
        allowed = ~(hostile | (own & pos[TYPES]))
        zone = ZERO
        target = royals(rules, pos) & enemy
        if target:
            zone = BLAST[lowest(target)] | target
        if rules.pawn:
            men = pos[TYPES] & own
            paths = pawn_paths(rules, pos[TYPES] & enemy, them)
            stop = paths | pawn_attacks(rules, paths, them)
            if not rules.pawn.lopsided:
                files = men | (men >> _S_RANK)
                files |= files >> U(16)
                files |= files >> U(32)
                files |= (files << _S_RANK)
                files |= files << U(16)
                files |= files << U(32)
                beside = ((files & ~_FILE_H) << _S_ONE) | ((files & ~_FILE_A) >> _S_ONE)
                lonely = np.int64(popcount(men & ~beside)) * np.int64(p[ISOLATED])
                side -= lonely + (lonely << _S_HALF)
                if traced:
                    terms[c, T_LONELY] -= lonely + (lonely << _S_HALF)
            while men:
                square = lowest(men)
                bit = men & (ZERO - men)
                men ^= bit
                side += weights[base + square]
                if traced:
                    terms[c, T_PAWNS] += weights[base + square]
                if bit & stop == ZERO:
                    walked = weights[U(WALKED) + (colour << U(6)) + square]
                    passed = walked * walked * (np.int64(p[PASSED_MG]) + (np.int64(p[PASSED_EG]) << _S_HALF))
                    side += passed
                    if traced:
                        terms[c, T_PASSED] += passed
        for piece in rules.pieces:
            men = pos[piece.word] & own
            while men:
                square = lowest(men)
                men &= men - ONE
                side += weights[base + U(piece.index << 6) + square]
                if traced:
                    terms[c, T_PIECES] += weights[base + U(piece.index << 6) + square]
                if not piece.royal:
                    reach = piece_targets(rules, piece.index, colour, square, occupied)
                    free = np.int64(popcount(reach & allowed)) * weights[FREEDOM + piece.index]
                    side += free
                    if traced:
                        terms[c, T_MOBILITY] += free
                    danger += np.int64(popcount(reach & zone)) * weights[DANGER + piece.index]
                    stage += weights[STAGE + piece.index]
        if rules.captures_explode:
            danger = min(danger * danger * np.int64(p[BLAST_ATTACK]) >> np.int64(6), np.int64(MAX_DANGER))
            danger += danger << _S_HALF
        else:
            danger = min(danger * danger * np.int64(p[KING_ATTACK]) >> np.int64(6), np.int64(MAX_DANGER))
            kings = royals(rules, pos) & own
            if kings:
                shield = np.int64(popcount(BLAST[lowest(kings)] & own & pos[TYPES])) * np.int64(p[SHIELD])
                side += shield
                if traced:
                    terms[c, T_SHIELD] += shield
        side += danger
        if traced:
            terms[c, T_ATTACK] += danger
        if colour == ZERO:
            total = side
        else:
            total -= side
    if pos[TURN]:  # before rounding, so that both sides round alike
        total = -total
    middle = np.int64(np.int32(total))
    end = (total + _HALF) >> _S_HALF
    stage = min(stage, np.int64(FULL_STAGE))
    if traced:
        terms[0, T_STAGE] = stage
    return ((middle * stage + end * (np.int64(FULL_STAGE) - stage)) >> np.int64(12)) + np.int64(p[TEMPO])


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
            gone = (BLAST[target] & ~pos[TYPES]) | (ONE << target) | (ONE << (move & N63))
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
            targets = (BLAST[lowest(theirs)] | theirs) & enemy & ~(BLAST[lowest(mine)] | mine)
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
        if BLAST[lowest(kings & own)] & kings:
            return False
    men = own & ~(kings | pos[TYPES])
    return men & (men - ONE) != ZERO
