"""The terms of royal pieces: their safety, their successors, and what a side has against the enemy's."""

from __future__ import annotations

import numpy as np

from engine.compile.jit import jit
from engine.core.attackers import piece_targets, royals
from engine.core.bits import ONE, ZERO, U, lowest
from engine.core.mechanisms.succession import heirs
from engine.rules import CASTLING, MARKS, TYPES
from engine.rules.geometry import FILE_BITS
from search.eval.bitboards import centre_distance, count, distance, files_of
from search.eval.features import (
    ATTACKERS,
    CHECK,
    DRIVE_HIT,
    DRIVE_PREY,
    DRIVES,
    EXPLOSION_NEIGHBOURS,
    EXPLOSION_TARGETS,
    FLANK,
    FLANK_DEFENDED,
    FLANK_TWICE,
    HEIR,
    HEIRS,
    KING_DANGER,
    KING_FILE,
    LONE_KING_CENTRE,
    LONE_KING_DISTANCE,
    RIGHTS,
    ROYAL_MOBILITY,
    SERIES,
    SHELTER,
    TITLE,
    UNITS,
    WEAK_SQUARES,
    greatest,
)
from search.eval.pawns import king_pawn_terms
from search.eval.side import BY_ALL, BY_PAWN, KING_ATTACKERS, KING_PRESSURE, TWICE, term

# The greatest numbers that features tell apart
_MOBILITY, _HEIRS, _RIGHTS, _DANGER, _WEAK, _ATTACKERS, _FLANK, _FLANK_TWICE, _FLANK_DEFENDED = map(greatest, (
    "royal_mobility", "heirs", "rights", "king_danger", "weak_squares", "attackers", "flank", "flank_twice", "flank_defended"))
_CHECKS = 3  # by a piece of a type: more count as three
_CHECK_UNITS = 2  # of king danger for a type that has a safe check, times its UNITS

# A side's own royal pieces


@jit(forceinline=True)
def king_terms(rules, pos, side):
    """Safe squares, shelter, heirs, castling rights."""
    score = 0
    own_royals = royals(rules, pos) & side.own
    for piece in rules.pieces:
        if piece.royal or rules.titles:
            left = pos[piece.word] & own_royals
            while left:
                square = lowest(left)
                left &= left - ONE
                targets = piece_targets(rules, piece.index, side.colour, square, side.own | side.enemy)
                safe = targets & ~(side.own | side.enemy_attacks[BY_ALL])
                score += term(side, ROYAL_MOBILITY + min(count(safe), _MOBILITY), 1)
                if rules.titles and not piece.royal:
                    score += term(side, TITLE + piece.index, 1)
    if rules.king is not None and not rules.titles:
        if own_royals:
            score += shelter_terms(rules, pos, side, lowest(own_royals))
    if rules.succession:
        line = heirs(rules, pos, side.own)
        score += term(side, HEIRS + min(count(line), _HEIRS), 1)
        for word in rules.succession:
            if line & pos[word]:
                score += term(side, HEIR + word - TYPES, 1)
    if rules.castling:
        score += term(side, RIGHTS + min(count(pos[CASTLING] & side.own), _RIGHTS), 1)
    return score


@jit(forceinline=True)
def shelter_terms(rules, pos, side, king):
    """Pawns and pieces around a side's king, a square."""
    score = 0
    if rules.pawn:
        pawns = pos[TYPES] & side.own
        score += term(side, SHELTER + count(rules.geometry.king_attacks[king] & pawns), 1)
        if not rules.pawn.lopsided:
            score += king_pawn_terms(rules, pos, side, king)
            if (files_of(pawns) >> king) & ONE == ZERO:
                fully_open = (files_of(pos[TYPES] & side.enemy) >> king) & ONE == ZERO
                score += term(side, KING_FILE + fully_open, 1)
    if rules.captures_explode:
        score += term(side, EXPLOSION_NEIGHBOURS + count(rules.geometry.king_attacks[king] & side.own & ~pos[TYPES]), 1)
    return score


# What a side has against the enemy's royal pieces


@jit(forceinline=True)
def attack_terms(rules, pos, side):
    """Attacks around the enemy's royal pieces, checks, and what the rules add to these."""
    score = 0
    enemy_royals = royals(rules, pos) & side.enemy
    if enemy_royals == ZERO:
        return score
    score += danger_terms(rules, pos, side, enemy_royals)
    if rules.captures_explode:
        targets = rules.geometry.king_attacks[lowest(enemy_royals)] & side.enemy & side.attacks[BY_ALL]
        score += term(side, EXPLOSION_TARGETS + count(targets), 1)
    if rules.pawn and not rules.pawn.lopsided and rules.king is not None and not rules.titles:
        score += flank_terms(rules, side, lowest(enemy_royals))
    score += lone_king_terms(rules, pos, side, enemy_royals)
    if rules.driven_king:
        score += drive_terms(rules, pos, side, lowest(enemy_royals))
    if rules.mate_series:
        if (pos[MARKS] >> side.colour) & ONE:
            score += term(side, SERIES, 1)
    return score


@jit(forceinline=True)
def danger_terms(rules, pos, side, enemy_royals):
    """Weak squares around the enemy's royal pieces, checks that cost nothing, and the sum of all attacks there."""
    zone = ZERO
    left = enemy_royals
    while left:
        zone |= rules.geometry.king_attacks[lowest(left)]
        left &= left - ONE
    guarded = side.enemy_attacks[BY_PAWN]
    for piece in rules.pieces:
        if not piece.royal:
            guarded |= side.enemy_attacks[piece.index]
    weak = min(count(zone & side.attacks[BY_ALL] & ~guarded), _WEAK)
    score = term(side, WEAK_SQUARES + weak, 1)
    units = np.int64(side.attacks[KING_PRESSURE]) + weak
    safe = ~(side.enemy_attacks[BY_ALL] | side.own) | (side.attacks[TWICE] & ~(guarded | side.own))
    left = enemy_royals
    while left:
        king = lowest(left)
        left &= left - ONE
        for piece in rules.pieces:
            if not piece.royal:
                reach = piece_targets(rules, piece.index, side.colour ^ ONE, king, side.own | side.enemy)
                checks = reach & side.attacks[piece.index] & safe
                if checks:
                    units += _CHECK_UNITS * side.weights[UNITS + piece.index]
                    score += term(side, CHECK + piece.index, min(count(checks), _CHECKS))
    score += term(side, KING_DANGER + min(units, _DANGER), 1)
    score += term(side, ATTACKERS + min(np.int64(side.attacks[KING_ATTACKERS]), _ATTACKERS), 1)
    return score


@jit(forceinline=True)
def flank_terms(rules, side, enemy_king):
    """Attacks on the three files around the enemy king, in its half and a rank more."""
    file = rules.geometry.west_edge << min(max(enemy_king & FILE_BITS, ONE), U(rules.geometry.last_file) - ONE)
    flank = (file | file << ONE | file >> ONE) & rules.geometry.far_half[side.colour]
    score = term(side, FLANK + min(count(side.attacks[BY_ALL] & flank), _FLANK), 1)
    score += term(side, FLANK_TWICE + min(count(side.attacks[TWICE] & flank), _FLANK_TWICE), 1)
    score += term(side, FLANK_DEFENDED + min(count(side.enemy_attacks[BY_ALL] & flank), _FLANK_DEFENDED), 1)
    return score


@jit(forceinline=True)
def lone_king_terms(rules, pos, side, enemy_royals):
    """An enemy king that is left alone against more than pawns: driven to the edge, the own king coming nearer."""
    score = 0
    own_royals = royals(rules, pos) & side.own
    if own_royals and side.enemy == enemy_royals and side.own & ~(own_royals | pos[TYPES]):
        enemy_king = lowest(enemy_royals)
        score += term(side, LONE_KING_CENTRE + centre_distance(rules, enemy_king), 1)
        score += term(side, LONE_KING_DISTANCE + distance(enemy_king, lowest(own_royals)), 1)
    return score


@jit(forceinline=True)
def drive_terms(rules, pos, side, enemy_king):
    """Squares to which a side may drive the enemy king, a square."""
    own_king = lowest(royals(rules, pos) & side.own)
    goals = rules.driven_goals[enemy_king] & ~side.own & ~rules.geometry.king_attacks[own_king]
    left = goals
    while left:
        square = lowest(left)
        left &= left - ONE
        if rules.driven_way[enemy_king, square] & (side.own | side.enemy):
            goals ^= ONE << square
    score = term(side, DRIVES + count(goals), 1)
    score += term(side, DRIVE_HIT + count(goals & side.attacks[BY_ALL]), 1)
    prey = goals & side.enemy
    if prey:
        for word in rules.type_words:
            if prey & pos[word]:
                score += term(side, DRIVE_PREY + word - TYPES, count(prey & pos[word]))
    return score
