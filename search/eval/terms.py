"""The terms of an evaluation: what men, pawns and kings of one side have in a position, found by what it attacks.

A row of maps holds what either side attacks, side c's at c * MAP: bitboards by type of man (0: pawns), then BY_ALL, TWICE,
PATHS and SPAN, and two numbers.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import inline, jit
from engine.core.attackers import piece_targets, royals
from engine.core.attacks import BETWEEN
from engine.core.bits import ONE, ZERO, U, lowest, popcount, rotate, upside_down
from engine.core.mechanisms.succession import heirs
from engine.core.position import W_WHITE
from engine.rules import CASTLING, MARKS, MAX_TYPES, TYPES
from search.eval.features import (
    APART,
    ATTACKERS,
    BACKED,
    BESIDE,
    BY_LESSER,
    BY_PAWN,
    BY_PUSH,
    CHECK,
    CORNERED,
    COVER,
    DANGER,
    DANGERS,
    DOUBLED,
    DRIVE_HIT,
    DRIVE_PREY,
    DRIVES,
    FLANK,
    FLANK_HELD,
    FLANK_TWICE,
    HEIR,
    HEIRS,
    KING_FILE,
    LONELY,
    LOOSE,
    NEAR,
    OUTPOST,
    PASSED,
    PASSED_FOE,
    PASSED_FREE,
    PASSED_GUARDED,
    PASSED_OWN,
    RAMMED,
    RIGHTS,
    ROYAL_FREEDOM,
    SERIES,
    SHELTER,
    SQUARES,
    STORM,
    TARGET,
    TITLE,
    UNITS,
    WALKED,
    WEAK,
)

_FILE_A, _FILE_H = U(0x0101_0101_0101_0101), U(0x8080_8080_8080_8080)
_S_RANK, _S_ONE, _S_SIX, _S_RANK_SQUARE = U(8), U(1), U(6), U(3)
_BLACK_HALF, _FIVE_RANKS, _THREE_RANKS = U(0xFFFF_FFFF_0000_0000), U(0xFF_FFFF_FFFF), U(0xFF_FFFF)
_I1, _I0 = np.int64(1), np.int64(0)

# What a side attacks: a row for each colour
BY_ALL = MAX_TYPES  # the types first
TWICE = BY_ALL + 1  # by two men or more
PATHS = BY_ALL + 2  # all squares its pawns may ever walk to, theirs included
SPAN = BY_ALL + 3  # what pawns there attack
PRESSURE = BY_ALL + 4  # a number: attacks on the squares around the enemy king, weighed
ATTACKING = BY_ALL + 5  # a number: men that have such an attack
MAP = BY_ALL + 6


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
def pawns_of(rules, pos, weights, traced, coefficients, c, maps, hostile):
    """Pawns of side c: their squares, neighbours and ways. hostile: what the other side attacks."""
    side = _I0
    guards = maps[c * MAP]
    colour = U(c)
    own, enemy = pos[W_WHITE + colour], pos[W_WHITE + (colour ^ ONE)]
    pawns = pos[TYPES] & own
    if pawns == ZERO:
        return side
    flip = ZERO if colour == ZERO else U(63) if rules.pawn.lopsided else U(56)
    paths = maps[(1 - c) * MAP + PATHS]
    stop = paths | maps[(1 - c) * MAP + SPAN]
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
def before_king(rules, pos, weights, traced, coefficients, c, king):
    """On the three files around the king of side c the first pawn of each side before him."""
    side = _I0
    own, enemy = pos[TYPES] & pos[W_WHITE + U(c)], pos[TYPES] & pos[W_WHITE + (U(c) ^ ONE)]
    if c:
        own, enemy, king = upside_down(own), upside_down(enemy), king ^ U(56)
    before = ~((ONE << (king & U(56))) - ONE)
    middle = min(max(king & U(7), ONE), _S_SIX)
    for file in range(middle - ONE, middle + U(2)):
        ahead = (_FILE_A << U(file)) & before
        edge = np.int64(min(U(file), U(7) - U(file))) * np.int64(8)
        mine, theirs = _I0, _I0
        if own & ahead:
            mine = np.int64(lowest(own & ahead) >> _S_RANK_SQUARE)
        side += found(rules, weights, traced, coefficients, c, np.int64(COVER) + edge + mine, _I1)
        if enemy & ahead:
            theirs = np.int64(lowest(enemy & ahead) >> _S_RANK_SQUARE)
            if mine and theirs == mine + _I1:
                side += found(rules, weights, traced, coefficients, c, np.int64(RAMMED) + theirs, _I1)
            else:
                side += found(rules, weights, traced, coefficients, c, np.int64(STORM) + edge + theirs, _I1)
    return side


@jit
def threats(rules, pos, weights, traced, coefficients, c, maps, attacked, guarded):
    """What side c attacks of the other's men, by type of the victim, and its men no pawn can drive away."""
    side = _I0
    colour = U(c)
    own, enemy = pos[W_WHITE + colour], pos[W_WHITE + (colour ^ ONE)]
    loose = enemy & attacked & ~guarded
    lesser = ZERO
    by_pawn = maps[c * MAP] & enemy
    by_push = ZERO
    forward = ZERO
    if rules.pawn:
        steps = pawn_stops(rules, pos[TYPES] & own, colour) & ~(own | enemy | maps[(1 - c) * MAP]) & (attacked | ~guarded)
        by_push = pawn_attacks(rules, steps, colour) & enemy & ~by_pawn
        if not rules.pawn.lopsided:
            forward = (_BLACK_HALF if colour == ZERO else ~_BLACK_HALF) & ~maps[(1 - c) * MAP + SPAN]
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
            if men & by_push:
                side += found(rules, weights, traced, coefficients, c, np.int64(BY_PUSH + piece.index),
                              np.int64(popcount(men & by_push)))
            posted = men & own & forward
            if posted:
                held = np.int64(popcount(posted & maps[c * MAP]))
                free = np.int64(popcount(posted)) - held
                if free:
                    side += found(rules, weights, traced, coefficients, c, np.int64(OUTPOST + piece.index * 2), free)
                if held:
                    side += found(rules, weights, traced, coefficients, c, np.int64(OUTPOST + piece.index * 2 + 1), held)
            lesser |= maps[c * MAP + piece.index]
    if pos[TYPES] & loose:
        side += found(rules, weights, traced, coefficients, c, np.int64(LOOSE), np.int64(popcount(pos[TYPES] & loose)))
    return side


@jit
def attack(rules, pos, weights, traced, coefficients, c, maps, attacked, hostile):
    """What side c has against the other's royal men. attacked: by side c; hostile: by the other."""
    side = _I0
    colour = U(c)
    them = colour ^ ONE
    own, enemy = pos[W_WHITE + colour], pos[W_WHITE + them]
    occupied = own | enemy
    mine, theirs = royals(rules, pos) & own, royals(rules, pos) & enemy
    if theirs == ZERO:
        return side
    zone = ZERO
    left = theirs
    while left:
        zone |= rules.geometry.king_attacks[lowest(left)]
        left &= left - ONE
    guarded = maps[(1 - c) * MAP]
    for piece in rules.pieces:
        if not piece.royal:
            guarded |= maps[(1 - c) * MAP + piece.index]
    weak = min(np.int64(popcount(zone & attacked & ~guarded)), np.int64(9))
    side += found(rules, weights, traced, coefficients, c, np.int64(WEAK) + weak, _I1)
    units = np.int64(maps[c * MAP + PRESSURE]) + weak
    # Checks that cost nothing, each type's squares from the enemy king
    safe = ~(hostile | own) | (maps[c * MAP + TWICE] & ~(guarded | own))
    left = theirs
    while left:
        foe = lowest(left)
        left &= left - ONE
        for piece in rules.pieces:
            if not piece.royal:
                checks = piece_targets(rules, piece.index, them, foe, occupied) & maps[c * MAP + piece.index] & safe
                if checks:
                    units += weights[UNITS + piece.index] + weights[UNITS + piece.index]
                    side += found(rules, weights, traced, coefficients, c, np.int64(CHECK + piece.index),
                                  min(np.int64(popcount(checks)), np.int64(3)))
    side += found(rules, weights, traced, coefficients, c, np.int64(DANGER) + min(units, np.int64(DANGERS - 1)), _I1)
    side += found(rules, weights, traced, coefficients, c,
                  np.int64(ATTACKERS) + min(np.int64(maps[c * MAP + ATTACKING]), np.int64(7)), _I1)
    if rules.captures_explode:
        side += found(rules, weights, traced, coefficients, c,
                      np.int64(TARGET) + np.int64(popcount(
                          rules.geometry.king_attacks[lowest(theirs)] & enemy & attacked)), _I1)
    if rules.pawn and not rules.pawn.lopsided and rules.king is not None and not rules.titles:
        middle = min(max(lowest(theirs) & U(7), ONE), _S_SIX)
        flank = (_FILE_A << middle) | (_FILE_A << (middle - ONE)) | (_FILE_A << (middle + ONE))
        flank &= _FIVE_RANKS if colour else ~_THREE_RANKS
        side += found(rules, weights, traced, coefficients, c,
                      np.int64(FLANK) + min(np.int64(popcount(attacked & flank)), np.int64(15)), _I1)
        side += found(rules, weights, traced, coefficients, c,
                      np.int64(FLANK_TWICE) + min(np.int64(popcount(maps[c * MAP + TWICE] & flank)), np.int64(7)), _I1)
        side += found(rules, weights, traced, coefficients, c,
                      np.int64(FLANK_HELD) + min(np.int64(popcount(hostile & flank)), np.int64(15)), _I1)
    if mine and enemy == theirs and own & ~(mine | pos[TYPES]):
        foe = lowest(theirs)
        file, rank = np.int64(foe & U(7)), np.int64(foe >> _S_RANK_SQUARE)
        outside = max(np.int64(3) - file, file - np.int64(4)) + max(np.int64(3) - rank, rank - np.int64(4))
        side += found(rules, weights, traced, coefficients, c, np.int64(CORNERED) + outside, _I1)
        side += found(rules, weights, traced, coefficients, c, np.int64(APART) + distance(foe, lowest(mine)), _I1)
    if rules.driven_king:
        foe = lowest(theirs)
        goals = rules.geometry.driven_goals[foe] & ~own & ~rules.geometry.king_attacks[lowest(mine)]
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
    return side


@jit
def kings(rules, pos, weights, traced, coefficients, c, hostile):
    """Royal men of side c, and who may succeed them. hostile: what the other side attacks."""
    side = _I0
    colour = U(c)
    own, enemy = pos[W_WHITE + colour], pos[W_WHITE + (colour ^ ONE)]
    occupied = own | enemy
    mine = royals(rules, pos) & own
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
    if rules.king is not None and not rules.titles:
        if mine:
            king = lowest(mine)
            if rules.pawn:
                pawns = pos[TYPES] & own
                side += found(rules, weights, traced, coefficients, c,
                              np.int64(SHELTER) + np.int64(popcount(rules.geometry.king_attacks[king] & pawns)), _I1)
                if not rules.pawn.lopsided:
                    side += before_king(rules, pos, weights, traced, coefficients, c, king)
                    if (files_of(pawns) >> king) & ONE == ZERO:
                        clear = (files_of(pos[TYPES] & enemy) >> king) & ONE == ZERO
                        side += found(rules, weights, traced, coefficients, c, np.int64(KING_FILE) + np.int64(clear), _I1)
            if rules.captures_explode:
                side += found(rules, weights, traced, coefficients, c,
                              np.int64(NEAR) + np.int64(popcount(rules.geometry.king_attacks[king] & own & ~pos[TYPES])), _I1)
    if rules.succession:
        line = heirs(rules, pos, own)
        side += found(rules, weights, traced, coefficients, c,
                      np.int64(HEIRS) + min(np.int64(popcount(line)), np.int64(8)), _I1)
        for word in rules.succession:
            if line & pos[word]:
                side += found(rules, weights, traced, coefficients, c, np.int64(HEIR + word - TYPES), _I1)
    if rules.castling:
        rights = np.int64(popcount(pos[CASTLING] & own))
        side += found(rules, weights, traced, coefficients, c, np.int64(RIGHTS) + min(rights, np.int64(2)), _I1)
    return side
