"""What elementary endings are worth: known from tables of every position, not from games.

`kingmaker endings` makes the tables by retrograde analysis and fits to each ending, four pieces at most with the kings, what
its positions are worth: a little less for each ply to the win, nothing where it is drawn. The numbers lie in
variants/endings/NAME.json, and behind a game's weights:

    weights[ENDINGS] = n    n keys, ascending as int64    n numbers of rows    rows: ROW numbers each

One side is the first, the other the second, as in KRvKB; where both have the same, the first is the one to move. A piece that
never leaves the squares of its colour counts as another type on the other colour, and so does a rook's pawn by the colour of
the square where it promotes: the mirrored ending has the same row.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import entry, inline, jit
from engine.core.attackers import attack_map, piece_targets, royals
from engine.core.bits import ONE, ZERO, U, lowest, popcount, row_on_stack
from engine.core.position import W_WHITE
from engine.rules import BLACK, ROYAL, TURN, TYPES, WHITE
from search.eval import known
from search.eval.features import ENDINGS, WALKED
from search.eval.known import (
    BEND,
    CONSTANT,
    DARK_BOUND,
    FEW,
    FIRST_FEATURE,
    GREATEST,
    KEYS,
    LEAST,
    LIGHT_BOUND,
    PLAIN,
    ROW,
    SLOTS,
)

_I0, _I1 = np.int64(0), np.int64(1)
_FEW = U(FEW)
_TOUCHING = U(known.TOUCHING_KEY)
_FULL, _UNLIKE = np.int64(64), np.int64(20)
_LIGHT, _FILE_A, _FILE_H = U(known.LIGHT), U(known.A_FILE), U(known.H_FILE)


@inline
def _steps(a, b):
    """King's steps between two squares, int64."""
    files = abs(np.int64(a & U(7)) - np.int64(b & U(7)))
    ranks = abs(np.int64(a >> U(3)) - np.int64(b >> U(3)))
    return max(files, ranks)


@inline
def _outside(square):
    """Files and ranks from the middle four squares, 0 .. 6."""
    file, rank = np.int64(square & U(7)), np.int64(square >> U(3))
    return max(np.int64(3) - file, file - np.int64(4)) + max(np.int64(3) - rank, rank - np.int64(4))


@inline
def _to_corner(square, light, dark):
    """Files and ranks to the nearest corner of the colours asked for, 0 .. 14."""
    file, rank = np.int64(square & U(7)), np.int64(square >> U(3))
    far_file, far_rank = np.int64(7) - file, np.int64(7) - rank
    found = np.int64(14)
    if dark:
        found = min(found, min(file + rank, far_file + far_rank))
    if light:
        found = min(found, min(file + far_rank, far_file + rank))
    return found


@inline
def _beside(a, b):
    """Number of the distance between two squares, in files and ranks, the greater first; 0 .. 35."""
    files = abs(np.int64(a & U(7)) - np.int64(b & U(7)))
    ranks = abs(np.int64(a >> U(3)) - np.int64(b >> U(3)))
    more, less = max(files, ranks), min(files, ranks)
    return more * (more + _I1) // np.int64(2) + less


@inline
def _folded(foe, king, light):
    """Number of the places of two royal pieces, the board turned so that `foe` stands in the triangle a1 d1 d4.

    light: a piece of the first's is bound to the light squares; mirrored, these are the dark ones.
    """
    file, rank = np.int64(foe & U(7)), np.int64(foe >> U(3))
    x, y = np.int64(king & U(7)), np.int64(king >> U(3))
    colour = np.int64(light)
    if file > np.int64(3):
        file, x, colour = np.int64(7) - file, np.int64(7) - x, _I1 - colour
    if rank > np.int64(3):
        rank, y, colour = np.int64(7) - rank, np.int64(7) - y, _I1 - colour
    if rank > file:
        file, rank, x, y = rank, file, y, x
    triangle = file * (file + _I1) // np.int64(2) + rank
    return triangle * np.int64(64) + y * np.int64(8) + x, colour


@jit
def royal_of(rules, pos, own):
    """The royal piece among `own` that endings are told by, a bit; none where there is none: an heir is to be chosen."""
    found = ZERO
    for piece in rules.royals:
        found |= pos[piece.word] & own
    if rules.titles:
        if found == ZERO:
            found = pos[ROYAL] & own
    return found


@jit
def material_key(rules, pos, first):
    """The key of an ending, its first side being the colour `first`, uint64; both royal pieces must stand."""
    key = ZERO
    for side in range(2):
        colour = first ^ U(side)
        own = pos[W_WHITE + colour]
        for piece in rules.pieces:
            men = pos[piece.word] & own
            if piece.bound:
                key += popcount(men & _LIGHT) * KEYS[side, piece.index, LIGHT_BOUND]
                key += popcount(men & ~_LIGHT) * KEYS[side, piece.index, DARK_BOUND]
            else:
                key += popcount(men) * KEYS[side, piece.index, PLAIN]
        if rules.pawn:
            pawns = pos[TYPES] & own
            if rules.pawn.straight:
                edge = pawns & (_FILE_A | _FILE_H)
                # a8 and h1 are light: White's pawns on the a-file and Black's on the h-file promote there
                light = popcount(edge & _FILE_A if colour == ZERO else edge & _FILE_H)
                key += light * KEYS[side, 0, LIGHT_BOUND]
                key += (popcount(edge) - light) * KEYS[side, 0, DARK_BOUND]
                pawns ^= edge
            if rules.pawn.lopsided:
                stuck = popcount(pawns & (rules.pawn.stuck[0] if colour == ZERO else rules.pawn.stuck[1]))
                key += stuck * (KEYS[side, 0, LIGHT_BOUND] - KEYS[side, 0, PLAIN])
            key += popcount(pawns) * KEYS[side, 0, PLAIN]
    if rules.captures_explode:  # a king next to the other is safe: another ending
        kings = pos[rules.king.word]
        if rules.geometry.king_attacks[lowest(kings & pos[WHITE])] & kings & pos[BLACK]:
            key += _TOUCHING
    return key


@jit
def attacked_by(rules, pos, colour):
    """Every square that side attacks."""
    return attack_map(rules, pos, pos[W_WHITE + colour], colour, pos[WHITE] | pos[BLACK])


@jit
def ending_features(rules, pos, weights, first, slots):
    """Write the number of the feature found in each group into uint64 slots[SLOTS]; both royal pieces must stand."""
    second = first ^ ONE
    own, enemy = pos[W_WHITE + first], pos[W_WHITE + second]
    mine, theirs = royal_of(rules, pos, own), royal_of(rules, pos, enemy)
    king, foe = lowest(mine), lowest(theirs)
    moving = np.int64(pos[TURN] != first)
    by_first, by_second = attacked_by(rules, pos, first), attacked_by(rules, pos, second)
    slots[0] = U(known.TURN_OF + moving)
    slots[1] = U(known.APART + _steps(king, foe))
    slots[2] = U(known.SECOND_OUT + _outside(foe))
    slots[3] = U(known.FIRST_OUT + _outside(king))
    light, dark = False, False
    hunters, helper = _I0, _I0
    first_title, second_title, free = _I0, _I0, _I0
    for piece in rules.pieces:
        men = pos[piece.word] & own
        if piece.bound:
            light = light or men & _LIGHT != ZERO
            dark = dark or men & ~_LIGHT != ZERO
        if men & mine:
            first_title = np.int64(piece.index)
        men &= ~mine
        while men:
            hunters += _steps(lowest(men), foe)
            men &= men - ONE
        men = pos[piece.word] & enemy
        if men & theirs:
            second_title = np.int64(piece.index)
            goals = piece_targets(rules, piece.index, second, foe, own | enemy) & ~(enemy | by_first)
            free = min(np.int64(popcount(goals)), np.int64(8))
        men &= ~theirs
        while men:
            steps = _steps(lowest(men), foe)
            helper = steps if helper == _I0 else min(helper, steps)
            men &= men - ONE
    both = not (light or dark)
    slots[4] = U(known.CORNER + _to_corner(foe, light or both, dark or both))
    slots[5] = U(known.HUNTERS + min(hunters, np.int64(15)))
    slots[6] = U(known.HELPER + helper)
    walked, second_goal, first_goal, race = _I0, _I0, _I0, _I0
    if rules.pawn:
        side = first if pos[TYPES] & own else second
        pawns = pos[TYPES] & pos[W_WHITE + side]
        furthest = ZERO
        left = pawns
        while left:
            square = lowest(left)
            steps = weights[U(WALKED) + (side << U(6)) + square]
            if furthest == ZERO or steps > walked:
                walked, furthest = steps, square
            left &= left - ONE
        if pawns:
            goal = furthest
            if rules.pawn.straight:
                goal = (furthest & U(7)) | (U(56) if side == ZERO else ZERO)
            second_goal, first_goal = _steps(foe, goal), _steps(king, goal)
            if rules.pawn.straight:
                late = second_goal - _steps(furthest, goal) - np.int64(pos[TURN] == second)
                if side == second:
                    late = first_goal - _steps(furthest, goal) - np.int64(pos[TURN] == first)
                race = min(max(late + np.int64(5), _I0), np.int64(11))
    slots[7] = U(known.WALKED_BY + walked)
    slots[8] = U(known.SECOND_GOAL + second_goal)
    slots[9] = U(known.FIRST_GOAL + first_goal)
    slots[10] = U(known.RACE + race)
    slots[11] = U(known.FREE + free)
    loose = np.int64(own & by_second & ~by_first != ZERO) + np.int64(2) * np.int64(enemy & by_first & ~by_second != ZERO)
    slots[12] = U(known.LOOSE + loose + np.int64(4) * moving)
    slots[13] = U(known.FIRST_TITLE + first_title)
    slots[14] = U(known.SECOND_TITLE + second_title)
    finer_features(rules, pos, first, king, foe, light != dark, light, slots)


@jit
def finer_features(rules, pos, first, king, foe, bound, light, slots):
    """The features of the finer groups; bound, light: the first's pieces that keep to a colour keep to one, the light one."""
    for n in range(known.COARSE, SLOTS):
        slots[n] = ZERO
    n = known.COARSE
    if pos[TYPES] == ZERO:
        place, colour = _folded(foe, king, light)
        slots[n] = U(known.KINGS_AT + place + (np.int64(known.KINGS) * colour if bound else _I0))
    n += 1
    royal = ONE << king | ONE << foe
    helpers = pos[W_WHITE + (first ^ ONE)] & ~(royal | pos[TYPES])
    for piece in rules.pieces:
        men = pos[piece.word] & pos[W_WHITE + first] & ~royal
        while men:
            square = lowest(men)
            men &= men - ONE
            slots[n] = U(known.HUNTER_AT + piece.index * known.BESIDE + _beside(square, foe))
            n += 1
            left = helpers
            while left:
                slots[n] = U(known.PAIR_AT + _beside(square, lowest(left)))
                left &= left - ONE
                n += 1
    while helpers:
        slots[n] = U(known.HELPER_AT + _beside(lowest(helpers), foe))
        slots[n + 1] = U(known.HELPER_FROM + _beside(lowest(helpers), king))
        helpers &= helpers - ONE
        n += 2


@inline
def find_row(weights, key):
    """Where the row of an ending begins, -1 where there is none; int64."""
    n = weights[ENDINGS]
    wanted = np.int64(key)
    low, high = _I0, n
    while low < high:
        middle = (low + high) >> _I1
        if weights[ENDINGS + _I1 + middle] < wanted:
            low = middle + _I1
        else:
            high = middle
    if low < n and weights[ENDINGS + _I1 + low] == wanted:
        return ENDINGS + _I1 + n + n + weights[ENDINGS + _I1 + n + low] * np.int64(ROW)
    return np.int64(-1)


@jit
def ending_row(rules, pos, weights):
    """(where the row of the ending on the board begins, -1 where none is known; the colour of its first side)."""
    us = pos[TURN]
    if popcount(pos[WHITE] | pos[BLACK]) > _FEW or weights[ENDINGS] == _I0:
        return np.int64(-1), us
    if royal_of(rules, pos, pos[WHITE]) == ZERO or royal_of(rules, pos, pos[BLACK]) == ZERO:
        return np.int64(-1), us
    at = find_row(weights, material_key(rules, pos, us))
    if at >= _I0:
        return at, us
    return find_row(weights, material_key(rules, pos, us ^ ONE)), us ^ ONE


@jit
def ending_value(rules, pos, weights, at, first):
    """What a known ending is worth to the side to move, centipawns; at, first: from ending_row()."""
    slots = row_on_stack(SLOTS)
    ending_features(rules, pos, weights, first, slots)
    value = weights[at + CONSTANT]
    for n in range(SLOTS):
        value += weights[at + FIRST_FEATURE + np.int64(slots[n])]
    value = min(max(value, weights[at + LEAST]), weights[at + GREATEST])
    if weights[at + BEND]:
        value = value * abs(value) // weights[at + BEND]
    return value if first == pos[TURN] else -value


@jit
def bishops_scale(rules, pos, better):
    """What an advantage is worth, in 64ths, where the better side has bishops alone besides pawns; 64 in all other positions.

    Unlike bishops hold a pawn or two less; bishops that do not command the corner, or all of one colour, win nothing.
    """
    own, other = pos[W_WHITE + better], pos[W_WHITE + (better ^ ONE)]
    bishops = ZERO
    for word in rules.bishops:
        bishops |= pos[word]
    kept = ~(royals(rules, pos) | pos[TYPES])
    mine, theirs = own & kept, other & kept
    if mine == ZERO or mine & ~bishops:
        return _FULL
    if mine & _LIGHT and mine & ~_LIGHT:
        return _FULL
    pawns = own & pos[TYPES]
    if theirs:
        if mine & (mine - ONE) or theirs & (theirs - ONE) or theirs & ~bishops:
            return _FULL
        if (mine & _LIGHT == ZERO) == (theirs & _LIGHT == ZERO):
            return _FULL
        lead = np.int64(popcount(pawns)) - np.int64(popcount(other & pos[TYPES]))
        return _UNLIKE + _UNLIKE * max(_I0, min(lead - _I1, np.int64(2)))
    if rules.corner_holds:
        if pawns == ZERO:
            return _I0
        if other & pos[TYPES] == ZERO and (pawns & ~_FILE_A == ZERO or pawns & ~_FILE_H == ZERO):
            corner = (lowest(pawns) & U(7)) | (U(56) if better == ZERO else ZERO)
            if ((ONE << corner) & _LIGHT == ZERO) != (mine & _LIGHT == ZERO):
                if _steps(lowest(royals(rules, pos) & other), corner) <= _I1:
                    return _I0
    return _FULL


@entry
def known_kernel(rules, rows, weights, found):
    """Which of some positions, uint64[n, words], are endings that are known: bool[n]."""
    for i in range(len(rows)):
        at, _first = ending_row(rules, rows[i], weights)
        found[i] = at >= _I0


@entry
def features_kernel(rules, rows, firsts, weights, found):
    """ending_features() of many positions: rows uint64[n, words], firsts uint64[n], found uint64[n, SLOTS]."""
    for i in range(len(rows)):
        ending_features(rules, rows[i], weights, firsts[i], found[i])
