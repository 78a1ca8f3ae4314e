"""What a position is worth: a sum of features (features.py), faded from middlegame to endgame.

`static_value` is the one place the search asks; a learned evaluation would stand there: it gets the rules, the position and one
row of numbers, and answers in centipawns for the side to move. The same source also writes down which features it found, for
`eval` and for tuning: where nothing is traced there is no code for that.
"""

from __future__ import annotations

import numpy as np

from engine.attacks import BETWEEN
from engine.bits import ONE, ZERO, U, lowest, popcount, rotate, row_on_stack
from engine.driven import SECOND_SQUARES
from engine.jit import entry, inline, jit
from engine.movegen import piece_targets, royals
from engine.position import BLAST, W_WHITE, heirs
from engine.rules import BLACK, CASTLING, MARKS, MAX_TYPES, TURN, TYPES, WHITE
from search.features import (
    BACKED,
    BESIDE,
    BY_LESSER,
    BY_PAWN,
    CHECK,
    DANGER,
    DANGERS,
    DOUBLED,
    DRIVE_HIT,
    DRIVE_PREY,
    DRIVES,
    FEATURES,
    FREEDOM,
    FULL_STAGE,
    HEIR,
    HEIRS,
    KING_FILE,
    LEADS,
    LONELY,
    LOOSE,
    MOVE,
    NEAR,
    OPEN_FILE,
    PAIR,
    PASSED,
    PASSED_FOE,
    PASSED_FREE,
    PASSED_GUARDED,
    PASSED_OWN,
    RIGHTS,
    ROYAL_FREEDOM,
    SCALES,
    SERIES,
    SHELTER,
    SQUARES,
    STAGE,
    TARGET,
    TITLE,
    UNITS,
    WALKED,
    WEAK,
)

_HALF = np.int64(1 << 31)
_S_HALF = np.int64(32)
_FILE_A, _FILE_H = U(0x0101_0101_0101_0101), U(0x8080_8080_8080_8080)
_S_RANK, _S_ONE, _S_SIX = U(8), U(1), U(6)
_I1, _I0 = np.int64(1), np.int64(0)
_LEAD_0, _LEAD_1, _LEAD_2 = (np.int64(lead) for lead in LEADS)

# What a side attacks: a row for each colour
BY_ALL = MAX_TYPES  # the types first
MAP = MAX_TYPES + 1
_MAPS = 2 * MAP


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
def pawn_stops(rules, pawns, colour):
    """Squares straight ahead of the pawns of one side."""
    found = ZERO
    if rules.pawn:
        white = colour == ZERO
        for step in rules.pawn.steps:
            found |= pawn_shift(pawns, step.source[0] if white else step.source[1], step.shift[0] if white else step.shift[1])
    return found


@jit
def pawn_paths(rules, pawns, colour):
    """Squares the pawns of one side may walk over without capturing."""
    found = pawns
    for _again in range(6):
        found |= pawn_stops(rules, found, colour)
    return found


@inline
def files_of(men):
    """The whole files some men stand on."""
    files = men | (men >> _S_RANK)
    files |= files >> U(16)
    files |= files >> U(32)
    files |= files << _S_RANK
    files |= files << U(16)
    return files | (files << U(32))


@inline
def beside(men):
    """The squares next to some men on their ranks."""
    return ((men & ~_FILE_H) << _S_ONE) | ((men & ~_FILE_A) >> _S_ONE)


@inline
def distance(a, b):
    """King's steps between two squares, int64."""
    files = abs(np.int64(a & U(7)) - np.int64(b & U(7)))
    ranks = abs(np.int64(a >> U(3)) - np.int64(b >> U(3)))
    return max(files, ranks)


@jit(forceinline=True)
def found(rules, weights, traced, coefficients, c, feature, times):
    """The packed weight of a feature found `times` times for side c; all int64."""
    if traced:
        coefficients[c, feature] += times
    return weights[feature] * times


@jit
def static_value(rules, pos, weights):
    """Centipawns, int64, from the side to move; every royal piece must stand."""
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
        maps[c * MAP] = pawn_attacks(rules, pos[TYPES] & pos[W_WHITE + colour], colour)
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
        all_attacks = maps[c * MAP]
        allowed = ~(maps[(1 - c) * MAP] | pawns)
        target = royals(rules, pos) & enemy
        zone = ZERO
        left = target
        while left:
            zone |= BLAST[lowest(left)] | (left & (ZERO - left))
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
                if not piece.royal:
                    side += found(rules, weights, traced, coefficients, c,
                                  np.int64(FREEDOM + piece.index * 32) + np.int64(popcount(reach & allowed)), _I1)
                    units += np.int64(popcount(reach & zone)) * weights[UNITS + piece.index]
                    stage += weights[STAGE + piece.index]
                    if piece.rook and piece.rook_limit is None and not piece.bishop:
                        if rules.pawn and not rules.pawn.lopsided:
                            if (files >> square) & ONE == ZERO:
                                clear = (files_of(pos[TYPES] & enemy) >> square) & ONE == ZERO
                                side += found(rules, weights, traced, coefficients, c,
                                              np.int64(OPEN_FILE) + np.int64(clear), _I1)
            maps[c * MAP + piece.index] = attacks
            all_attacks |= attacks
        maps[c * MAP + BY_ALL] = all_attacks
        if target:
            side += found(rules, weights, traced, coefficients, c, np.int64(DANGER) + min(units, np.int64(DANGERS - 1)), _I1)
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
            side += _pawns(rules, pos, weights, traced, coefficients, c, maps[c * MAP], guarded)
        side += _kings(rules, pos, weights, traced, coefficients, c, maps, attacked, guarded)
        # Threats to the other side's men, by type of the victim
        loose = enemy & attacked & ~guarded
        lesser = ZERO
        by_pawn = maps[c * MAP] & enemy
        for piece in rules.pieces:
            if not piece.royal:
                men = pos[piece.word]
                if men & by_pawn:
                    side += found(rules, weights, traced, coefficients, c, np.int64(BY_PAWN + piece.index),
                                  np.int64(popcount(men & by_pawn)))
                if men & lesser & enemy:
                    side += found(rules, weights, traced, coefficients, c, np.int64(BY_LESSER + piece.index),
                                  np.int64(popcount(men & lesser & enemy)))
                if men & loose:
                    side += found(rules, weights, traced, coefficients, c, np.int64(LOOSE + piece.index),
                                  np.int64(popcount(men & loose)))
                lesser |= maps[c * MAP + piece.index]
        if pos[TYPES] & loose:
            side += found(rules, weights, traced, coefficients, c, np.int64(LOOSE), np.int64(popcount(pos[TYPES] & loose)))
        # Checks that cost nothing, each type's squares from the enemy king
        target = royals(rules, pos) & enemy
        safe = ~(guarded | own)
        while target:
            foe = lowest(target)
            target &= target - ONE
            for piece in rules.pieces:
                if not piece.royal:
                    checks = piece_targets(rules, piece.index, them, foe, occupied) & maps[c * MAP + piece.index] & safe
                    if checks:
                        side += found(rules, weights, traced, coefficients, c, np.int64(CHECK + piece.index),
                                      min(np.int64(popcount(checks)), np.int64(3)))
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
    if traced:
        coefficients[0, FEATURES] = stage
        coefficients[0, FEATURES + 1] = scale
    return (score * scale) // np.int64(64) if score >= 0 else -((-score * scale) // np.int64(64))


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


@jit
def _pawns(rules, pos, weights, traced, coefficients, c, guards, hostile):
    """Pawns of side c: their squares, neighbours and ways. guards: what they attack; hostile: what the other side does."""
    side = _I0
    colour = U(c)
    them = colour ^ ONE
    own, enemy = pos[W_WHITE + colour], pos[W_WHITE + them]
    pawns = pos[TYPES] & own
    if pawns == ZERO:
        return side
    flip = ZERO if colour == ZERO else U(63) if rules.pawn.lopsided else U(56)
    paths = pawn_paths(rules, pos[TYPES] & enemy, them)
    stop = paths | pawn_attacks(rules, paths, them)
    lone = ZERO
    behind = ZERO
    neighbours = ZERO
    if not rules.pawn.lopsided:
        lone = pawns & ~beside(files_of(pawns))
        neighbours = beside(pawns)
        if lone:
            closed = np.int64(popcount(lone & paths))
            if closed:
                side += found(rules, weights, traced, coefficients, c, np.int64(LONELY), closed)
            open_ = np.int64(popcount(lone & ~paths))
            if open_:
                side += found(rules, weights, traced, coefficients, c, np.int64(LONELY + 1), open_)
    behind = pawns & pawn_paths(rules, pawn_stops(rules, pawns, colour), colour)
    if behind:
        side += found(rules, weights, traced, coefficients, c, np.int64(DOUBLED), np.int64(popcount(behind)))
    kings = ZERO
    if rules.king is not None:
        kings = pos[rules.king.word]
    men = pawns
    while men:
        square = lowest(men)
        bit = men & (ZERO - men)
        men ^= bit
        side += found(rules, weights, traced, coefficients, c, np.int64(SQUARES) + np.int64(square ^ flip), _I1)
        walked = weights[U(WALKED) + (colour << _S_SIX) + square]
        if bit & guards:
            side += found(rules, weights, traced, coefficients, c, np.int64(BACKED) + walked, _I1)
        if bit & neighbours:
            side += found(rules, weights, traced, coefficients, c, np.int64(BESIDE) + walked, _I1)
        if bit & stop == ZERO:
            side += found(rules, weights, traced, coefficients, c, np.int64(PASSED) + walked, _I1)
            if bit & guards:
                side += found(rules, weights, traced, coefficients, c, np.int64(PASSED_GUARDED) + walked, _I1)
            if pawn_stops(rules, bit, colour) & ~(own | enemy | hostile):
                side += found(rules, weights, traced, coefficients, c, np.int64(PASSED_FREE) + walked, _I1)
            if walked >= np.int64(3):
                if kings & enemy:
                    side += found(rules, weights, traced, coefficients, c,
                                  np.int64(PASSED_FOE) + distance(square, lowest(kings & enemy)), _I1)
                if kings & own:
                    side += found(rules, weights, traced, coefficients, c,
                                  np.int64(PASSED_OWN) + distance(square, lowest(kings & own)), _I1)
    return side


@jit
def _kings(rules, pos, weights, traced, coefficients, c, maps, attacked, hostile):
    """Royal men of side c, and what side c has against the other's. attacked: by side c; hostile: by the other."""
    side = _I0
    colour = U(c)
    them = colour ^ ONE
    own, enemy = pos[W_WHITE + colour], pos[W_WHITE + them]
    occupied = own | enemy
    mine, theirs = royals(rules, pos) & own, royals(rules, pos) & enemy
    for piece in rules.pieces:
        if piece.royal or rules.titles:
            men = pos[piece.word] & mine
            while men:
                square = lowest(men)
                men &= men - ONE
                goals = piece_targets(rules, piece.index, colour, square, occupied) & ~(own | hostile)
                side += found(rules, weights, traced, coefficients, c,
                              np.int64(ROYAL_FREEDOM) + min(np.int64(popcount(goals)), np.int64(15)), _I1)
                if rules.titles and not piece.royal:
                    side += found(rules, weights, traced, coefficients, c, np.int64(TITLE + piece.index), _I1)
    if theirs:
        zone = ZERO
        left = theirs
        while left:
            zone |= BLAST[lowest(left)]
            left &= left - ONE
        guarded = maps[(1 - c) * MAP]
        for piece in rules.pieces:
            if not piece.royal:
                guarded |= maps[(1 - c) * MAP + piece.index]
        weak = min(np.int64(popcount(zone & attacked & ~guarded)), np.int64(9))
        side += found(rules, weights, traced, coefficients, c, np.int64(WEAK) + weak, _I1)
        if rules.captures_explode:
            side += found(rules, weights, traced, coefficients, c,
                          np.int64(TARGET) + np.int64(popcount(BLAST[lowest(theirs)] & enemy & attacked)), _I1)
    if rules.king is not None and not rules.titles:
        if mine:
            king = lowest(mine)
            if rules.pawn:
                pawns = pos[TYPES] & own
                side += found(rules, weights, traced, coefficients, c,
                              np.int64(SHELTER) + np.int64(popcount(BLAST[king] & pawns)), _I1)
                if not rules.pawn.lopsided:
                    if (files_of(pawns) >> king) & ONE == ZERO:
                        clear = (files_of(pos[TYPES] & enemy) >> king) & ONE == ZERO
                        side += found(rules, weights, traced, coefficients, c, np.int64(KING_FILE) + np.int64(clear), _I1)
            if rules.captures_explode:
                side += found(rules, weights, traced, coefficients, c,
                              np.int64(NEAR) + np.int64(popcount(BLAST[king] & own & ~pos[TYPES])), _I1)
    if rules.succession:
        line = heirs(rules, pos, own)
        side += found(rules, weights, traced, coefficients, c,
                      np.int64(HEIRS) + min(np.int64(popcount(line)), np.int64(8)), _I1)
        for word in rules.succession:
            if line & pos[word]:
                side += found(rules, weights, traced, coefficients, c, np.int64(HEIR + word - TYPES), _I1)
    if rules.driven_king:
        foe = lowest(theirs)
        goals = SECOND_SQUARES[foe] & ~own & ~BLAST[lowest(mine)]
        left = goals
        while left:
            square = lowest(left)
            left &= left - ONE
            if BETWEEN[foe, square] & occupied:
                goals ^= ONE << square
        side += found(rules, weights, traced, coefficients, c, np.int64(DRIVES) + np.int64(popcount(goals)), _I1)
        side += found(rules, weights, traced, coefficients, c, np.int64(DRIVE_HIT) + np.int64(popcount(goals & attacked)), _I1)
        prey = goals & enemy
        if prey:
            for word in rules.type_words:
                if prey & pos[word]:
                    side += found(rules, weights, traced, coefficients, c, np.int64(DRIVE_PREY + word - TYPES),
                                  np.int64(popcount(prey & pos[word])))
    if rules.mate_series:
        if (pos[MARKS] >> colour) & ONE:
            side += found(rules, weights, traced, coefficients, c, np.int64(SERIES), _I1)
    if rules.castling:
        rights = np.int64(popcount(pos[CASTLING] & own))
        side += found(rules, weights, traced, coefficients, c, np.int64(RIGHTS) + min(rights, np.int64(2)), _I1)
    return side


@entry
def trace_kernel(rules, pos, weights, coefficients):
    """static_value(), and the features behind it: int64[2, FEATURES + 2], zeros before; see _value()."""
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
