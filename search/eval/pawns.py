"""The terms of pawns: isolated, doubled, supported, passed; and the pawns before a king."""

from __future__ import annotations

import numpy as np

from engine.compile.jit import jit
from engine.core.bits import ONE, ZERO, U, lowest, upside_down
from engine.core.position import W_WHITE
from engine.rules import TYPES
from engine.rules.geometry import FILE_BITS, RANK_BITS, UPSIDE_DOWN
from search.eval.bitboards import (
    count,
    distance,
    files_of,
    pawn_paths,
    pawn_stops,
    rank_of,
    side_neighbours,
    view_of,
)
from search.eval.features import (
    DOUBLED,
    ISOLATED,
    KING_COVER,
    PASSED,
    PASSED_ENEMY_KING,
    PASSED_FREE,
    PASSED_GUARDED,
    PASSED_OWN_KING,
    PHALANX,
    SQUARES,
    STEPS,
    STORM,
    STORM_BLOCKED,
    SUPPORTED,
    WALKED,
)
from search.eval.side import BY_ALL, BY_PAWN, PATHS, SPAN, term

_S_COLOUR = U(6)
_KING_DISTANCE_FROM = 3  # steps walked from which the kings' distance to a passed pawn counts


@jit(forceinline=True)
def pawn_terms(rules, pos, side):
    """Structure, and each pawn by the steps that it has walked."""
    pawns = pos[TYPES] & side.own
    score = 0
    if pawns == ZERO:
        return score
    score += structure_terms(rules, side, pawns)
    neighbours = ZERO
    if not rules.pawn.lopsided:
        neighbours = side_neighbours(rules, pawns)
    flip, shift = view_of(rules, side.colour)
    guarded = side.attacks[BY_PAWN]
    not_passed = side.enemy_attacks[PATHS] | side.enemy_attacks[SPAN]
    left = pawns
    while left:
        square = lowest(left)
        pawn = left & (ZERO - left)
        left ^= pawn
        walked = side.weights[U(WALKED) + (side.colour << _S_COLOUR) + square]
        score += term(side, SQUARES + ((square ^ flip) - shift), 1)
        if pawn & guarded:
            score += term(side, SUPPORTED + walked, 1)
        if pawn & neighbours:
            score += term(side, PHALANX + walked, 1)
        if pawn & not_passed == ZERO:
            score += passed_terms(rules, pos, side, pawn, walked)
    return score


@jit(forceinline=True)
def structure_terms(rules, side, pawns):
    """Isolated and doubled pawns."""
    score = 0
    if not rules.pawn.lopsided:
        isolated = pawns & ~side_neighbours(rules, files_of(pawns))
        if isolated:
            opposed = count(isolated & side.enemy_attacks[PATHS])
            score += term(side, ISOLATED, opposed)
            score += term(side, ISOLATED + 1, count(isolated) - opposed)
    doubled = pawns & pawn_paths(rules, pawn_stops(rules, pawns, side.colour), side.colour)
    if doubled:
        score += term(side, DOUBLED, count(doubled))
    return score


@jit(forceinline=True)
def passed_terms(rules, pos, side, pawn, walked):
    """A passed pawn, a bit, by the steps that it has walked: guarded, free to go on, and how far the kings are."""
    score = term(side, PASSED + walked, 1)
    if pawn & side.attacks[BY_PAWN]:
        score += term(side, PASSED_GUARDED + walked, 1)
    if pawn_stops(rules, pawn, side.colour) & ~(side.own | side.enemy | side.enemy_attacks[BY_ALL]):
        score += term(side, PASSED_FREE + walked, 1)
    if rules.king is not None:
        if walked >= _KING_DISTANCE_FROM:
            square = lowest(pawn)
            own_king, enemy_king = pos[rules.king.word] & side.own, pos[rules.king.word] & side.enemy
            if enemy_king:
                score += term(side, PASSED_ENEMY_KING + distance(square, lowest(enemy_king)), 1)
            if own_king:
                score += term(side, PASSED_OWN_KING + distance(square, lowest(own_king)), 1)
    return score


@jit(forceinline=True)
def king_pawn_terms(rules, pos, side, king):
    """On the three files around a side's king, a square: the first pawn of each side before it."""
    score = 0
    own, enemy = pos[TYPES] & pos[W_WHITE + side.colour], pos[TYPES] & pos[W_WHITE + (side.colour ^ ONE)]
    if side.colour:
        shift = rules.geometry.mirror_shift
        own, enemy, king = upside_down(own) >> shift, upside_down(enemy) >> shift, (king ^ UPSIDE_DOWN) - shift
    before = ~((ONE << (king & RANK_BITS)) - ONE)
    middle = min(max(king & FILE_BITS, ONE), U(rules.geometry.last_file) - ONE)
    for file in range(middle - ONE, middle + U(2)):
        ahead = (rules.geometry.west_edge << U(file)) & before
        edge = STEPS * min(np.int64(file), rules.geometry.last_file - np.int64(file))
        cover = rank_of(lowest(own & ahead)) if own & ahead else 0
        score += term(side, KING_COVER + edge + cover, 1)
        if enemy & ahead:
            storm = rank_of(lowest(enemy & ahead))
            if cover and storm == cover + 1:
                score += term(side, STORM_BLOCKED + storm, 1)
            else:
                score += term(side, STORM + edge + storm, 1)
    return score
