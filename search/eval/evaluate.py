"""What a position is worth: a sum of features (features.py), faded from middlegame to endgame.

`static_value` is the one place the search asks; a learned evaluation would stand there: it gets the rules, the position and one
row of numbers, and answers in centipawns for the side to move. The same source also writes down which features it found, for
`eval` and for tuning: where nothing is traced there is no code for that.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import entry, jit
from engine.core.attackers import piece_targets, royals
from engine.core.bits import ONE, ZERO, U, lowest, popcount, row_on_stack
from engine.core.position import W_WHITE
from engine.rules import BLACK, TURN, TYPES, WHITE
from search.eval.endings import bishops_scale, ending_row, ending_value
from search.eval.features import (
    FEATURES,
    FREEDOM,
    FULL_STAGE,
    LEADS,
    MOVE,
    OPEN_FILE,
    PAIR,
    REACH,
    SCALES,
    SQUARES,
    STAGE,
    UNITS,
)
from search.eval.terms import (
    ATTACKING,
    BY_ALL,
    MAP,
    PATHS,
    PRESSURE,
    SPAN,
    TWICE,
    attack,
    files_of,
    found,
    kings,
    pawn_attacks,
    pawn_paths,
    pawns_of,
    threats,
)
from search.limits import MOST_STATIC

_HALF = np.int64(1 << 31)
_S_HALF = np.int64(32)
_I1, _I0 = np.int64(1), np.int64(0)
_MOST = np.int64(MOST_STATIC)
_LEAD_0, _LEAD_1, _LEAD_2 = (np.int64(lead) for lead in LEADS)

_MAPS = 2 * MAP


@jit
def static_value(rules, pos, weights):
    """Centipawns, int64, from the side to move; every royal piece must stand."""
    at, first = ending_row(rules, pos, weights)
    if at >= _I0:
        return ending_value(rules, pos, weights, at, first)
    return _value(rules, pos, weights, False, weights)


@jit
def _value(rules, pos, weights, traced, coefficients):
    """The value; with the literal True also how often each side has each feature, int64[2, FEATURES + 2].

    Behind the features: the stage in [0, FEATURES], what the advantage was multiplied with, in 64ths, in [0, FEATURES + 1].
    """
    maps = row_on_stack(_MAPS)
    occupied = pos[WHITE] | pos[BLACK]
    stages = _I0
    stage_to_move = _I0  # White's, until it is known who is to move
    total = _I0
    for c in range(2):
        colour = U(c)
        pawns = pos[TYPES] & pos[W_WHITE + colour]
        maps[c * MAP] = pawn_attacks(rules, pawns, colour)
        maps[c * MAP + PATHS] = pawn_paths(rules, pawns, colour)
        maps[c * MAP + SPAN] = pawn_attacks(rules, maps[c * MAP + PATHS], colour)
    # 1. Men: where they stand and how far they reach.
    for c in range(2):
        colour = U(c)
        them = colour ^ ONE
        own, enemy = pos[W_WHITE + colour], pos[W_WHITE + them]
        pawns = own & pos[TYPES]
        flip = ZERO if colour == ZERO else U(63) if rules.pawn and rules.pawn.lopsided else U(56)
        side = _I0
        stage = _I0
        units = _I0
        attacking = _I0
        all_attacks = maps[c * MAP]
        twice = ZERO
        allowed = ~(maps[(1 - c) * MAP] | pawns)
        target = royals(rules, pos) & enemy
        zone = ZERO
        left = target
        while left:
            zone |= rules.geometry.king_attacks[lowest(left)] | (left & (ZERO - left))
            left &= left - ONE
        files = ZERO
        if rules.pawn and not rules.pawn.lopsided:
            files = files_of(pawns)
        for piece in rules.pieces:
            men = pos[piece.word] & own
            attacks = ZERO
            if men & (men - ONE):
                side += found(rules, weights, traced, coefficients, c, np.int64(PAIR + piece.index), _I1)
            while men:
                square = lowest(men)
                men &= men - ONE
                side += found(rules, weights, traced, coefficients, c,
                              np.int64(SQUARES + piece.index * 64) + np.int64(square ^ flip), _I1)
                reach = piece_targets(rules, piece.index, colour, square, occupied)
                attacks |= reach
                twice |= all_attacks & reach
                all_attacks |= reach
                if not piece.royal:
                    free = np.int64(popcount(reach & allowed))
                    if piece.reach >= REACH:
                        free = min(free, np.int64(REACH - 1))
                    side += found(rules, weights, traced, coefficients, c,
                                  np.int64(FREEDOM + piece.index * REACH) + free, _I1)
                    if reach & zone:
                        units += np.int64(popcount(reach & zone)) * weights[UNITS + piece.index]
                        attacking += _I1
                    stage += weights[STAGE + piece.index]
                    if piece.rook and piece.rook_limit is None and not piece.bishop:
                        if rules.pawn and not rules.pawn.lopsided:
                            if (files >> square) & ONE == ZERO:
                                clear = (files_of(pos[TYPES] & enemy) >> square) & ONE == ZERO
                                side += found(rules, weights, traced, coefficients, c,
                                              np.int64(OPEN_FILE) + np.int64(clear), _I1)
            maps[c * MAP + piece.index] = attacks
        maps[c * MAP + BY_ALL] = all_attacks
        maps[c * MAP + TWICE] = twice
        maps[c * MAP + PRESSURE] = U(units)
        maps[c * MAP + ATTACKING] = U(attacking)
        stages += stage
        if colour == ZERO:
            stage_to_move = stage
            total = side
        else:
            total -= side
    # 2. What needs the attacks of both sides.
    for c in range(2):
        colour = U(c)
        them = colour ^ ONE
        own, enemy = pos[W_WHITE + colour], pos[W_WHITE + them]
        attacked, guarded = maps[c * MAP + BY_ALL], maps[(1 - c) * MAP + BY_ALL]
        side = _I0
        if rules.pawn:
            side += pawns_of(rules, pos, weights, traced, coefficients, c, maps, guarded)
        side += kings(rules, pos, weights, traced, coefficients, c, guarded)
        side += threats(rules, pos, weights, traced, coefficients, c, maps, attacked, guarded)
        side += attack(rules, pos, weights, traced, coefficients, c, maps, attacked, guarded)
        if colour == ZERO:
            total += side
        else:
            total -= side
    if pos[TURN]:  # before rounding, so that both sides round alike
        total = -total
        stage_to_move = stages - stage_to_move
    total += found(rules, weights, traced, coefficients, np.int64(pos[TURN]), np.int64(MOVE), _I1)
    middle = np.int64(np.int32(total))
    end = (total + _HALF) >> _S_HALF
    stage = min(stages, np.int64(FULL_STAGE))
    score = (middle * stage + end * (np.int64(FULL_STAGE) - stage)) >> np.int64(12)
    # 3. What of an advantage can be won with
    us = pos[TURN]
    better = us if score > _I0 else us ^ ONE
    lead = stage_to_move + stage_to_move - stages
    if score <= _I0:
        lead = -lead
    scale = weights[np.int64(SCALES) + cell(rules, pos, better, lead)]
    if rules.bishops:
        scale = min(scale, bishops_scale(rules, pos, better))
    if traced:
        coefficients[0, FEATURES] = stage
        coefficients[0, FEATURES + 1] = scale
    scaled = min(abs(score) * scale // np.int64(64), _MOST)
    return scaled if score >= _I0 else -scaled


@jit
def white_lead(rules, pos, weights):
    """White's lead in pieces as a share of the middlegame, int64."""
    lead = _I0
    for piece in rules.pieces:
        if not piece.royal:
            men = pos[piece.word]
            lead += (np.int64(popcount(men & pos[WHITE])) - np.int64(popcount(men & pos[BLACK]))) * weights[STAGE + piece.index]
    return lead


@jit
def cell(rules, pos, better, lead):
    """Which of the SCALES holds for the better side; its lead in pieces as a share of the middlegame; int64."""
    own, other = pos[W_WHITE + better], pos[W_WHITE + (better ^ ONE)]
    pawns = min(np.int64(popcount(pos[TYPES] & own)), np.int64(3))
    men = min(np.int64(popcount(other & ~royals(rules, pos))), np.int64(2))
    level = np.int64(lead >= _LEAD_0) + np.int64(lead >= _LEAD_1) + np.int64(lead >= _LEAD_2)
    return pawns * np.int64(12) + level * np.int64(3) + men


@entry
def value_kernel(rules, pos, weights):
    """static_value() for Python."""
    return static_value(rules, pos, weights)


@entry
def trace_kernel(rules, pos, weights, coefficients):
    """The sum of features, whatever is known of an ending, and these: int64[2, FEATURES + 2], zeros before; see _value()."""
    return _value(rules, pos, weights, True, coefficients)


@entry
def trace_all_kernel(rules, rows, weights, coefficients, starts, features, times, stages, cells):
    """The features of many positions, White's less Black's, as a sparse matrix; returns how many there are, int64.

    rows: uint64[n, words]. Into int32 features[...], int8 times[...], a position's from starts[i] on; stages int64[n]: of the
    middlegame; cells int64[n, 2]: of SCALES, where White is better and where Black is.
    coefficients: int64[2, FEATURES + 2], zeros, for its own use.
    """
    n = _I0
    for i in range(len(rows)):
        pos = rows[i]
        _value(rules, pos, weights, True, coefficients)
        starts[i] = n
        stages[i] = coefficients[0, FEATURES]
        lead = white_lead(rules, pos, weights)
        cells[i, 0] = cell(rules, pos, ZERO, lead)
        cells[i, 1] = cell(rules, pos, ONE, -lead)
        for feature in range(FEATURES):
            difference = coefficients[0, feature] - coefficients[1, feature]
            coefficients[0, feature] = _I0
            coefficients[1, feature] = _I0
            if difference != _I0:
                if n < len(features):
                    features[n] = feature
                    times[n] = difference
                n += _I1
    starts[len(rows)] = n
    return n
