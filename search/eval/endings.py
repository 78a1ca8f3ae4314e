"""The values of elementary endings: known from tables of every position, not from games.

`kingmaker endings` makes the tables by retrograde analysis and fits to each ending, four pieces at most with the kings, what
its positions are worth: a little less for each ply to the win, nothing where it is drawn. The numbers lie in
variants/endings/NAME.json, and behind a game's weights:

    weights[ENDINGS] = n    n keys, ascending as int64    n numbers of rows    rows: ROW numbers each

One side is the first, the other the second, as in KRvKB; if both have the same pieces, the first is the side to move. A piece
that never leaves the squares of its colour is another type on the other colour, and so is a rook's pawn by the colour of the
square where it promotes: the mirrored ending has the same row.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import entry, inline, jit
from engine.core.attackers import attack_map, piece_targets, royals
from engine.core.bits import ONE, ZERO, U, lowest, popcount, row_on_stack
from engine.core.position import W_WHITE
from engine.rules import BLACK, ROYAL, TURN, TYPES, WHITE
from search.eval import known
from search.eval.bitboards import centre_distance, count, distance, file_of, rank_of
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

_FEW = U(FEW)
_TOUCHING = U(known.TOUCHING_KEY)
_FULL, _UNLIKE = 64, 20
_LIGHT, _FILE_A, _FILE_H = U(known.LIGHT), U(known.A_FILE), U(known.H_FILE)


@inline
def _corner_distance(square, light, dark):
    """Files and ranks to the nearest corner of the colours asked for, 0 .. 14."""
    file, rank = file_of(square), rank_of(square)
    far_file, far_rank = 7 - file, 7 - rank
    least = 14
    if dark:
        least = min(least, min(file + rank, far_file + far_rank))
    if light:
        least = min(least, min(file + far_rank, far_file + rank))
    return least


@inline
def _offset(a, b):
    """Number of the offset between two squares, in files and ranks, the greater first; 0 .. 35."""
    files, ranks = abs(file_of(a) - file_of(b)), abs(rank_of(a) - rank_of(b))
    more, less = max(files, ranks), min(files, ranks)
    return more * (more + 1) // 2 + less


@inline
def _folded(foe, king, light):
    """(number of the places of two royal pieces, colour), the board turned so that `foe` stands in the triangle a1 d1 d4.

    light: a piece of the first side is bound to the light squares; mirrored, these are the dark ones.
    """
    file, rank = file_of(foe), rank_of(foe)
    x, y = file_of(king), rank_of(king)
    colour = np.int64(light)
    if file > 3:
        file, x, colour = 7 - file, 7 - x, 1 - colour
    if rank > 3:
        rank, y, colour = 7 - rank, 7 - y, 1 - colour
    if rank > file:
        file, rank, x, y = rank, file, y, x
    triangle = file * (file + 1) // 2 + rank
    return triangle * 64 + y * 8 + x, colour


@jit
def royal_of(rules, pos, own):
    """The royal piece among `own` that endings are told by, a bit; ZERO if there is none: an heir is to be chosen."""
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
            pieces = pos[piece.word] & own
            if piece.bound:
                key += popcount(pieces & _LIGHT) * KEYS[side, piece.index, LIGHT_BOUND]
                key += popcount(pieces & ~_LIGHT) * KEYS[side, piece.index, DARK_BOUND]
            else:
                key += popcount(pieces) * KEYS[side, piece.index, PLAIN]
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
    """Every square that a colour attacks."""
    return attack_map(rules, pos, pos[W_WHITE + colour], colour, pos[WHITE] | pos[BLACK])


@jit
def ending_features(rules, pos, weights, first, slots):
    """Write the number of the feature found in each group into uint64 slots[SLOTS]; both royal pieces must be on the board."""
    second = first ^ ONE
    own, enemy = pos[W_WHITE + first], pos[W_WHITE + second]
    own_royal, enemy_royal = royal_of(rules, pos, own), royal_of(rules, pos, enemy)
    king, foe = lowest(own_royal), lowest(enemy_royal)
    moving = np.int64(pos[TURN] != first)
    by_first, by_second = attacked_by(rules, pos, first), attacked_by(rules, pos, second)
    slots[0] = U(known.TURN_OF + moving)
    slots[1] = U(known.APART + distance(king, foe))
    slots[2] = U(known.SECOND_OUT + centre_distance(foe))
    slots[3] = U(known.FIRST_OUT + centre_distance(king))
    light, dark = bound_colours(rules, pos, own)
    both = not (light or dark)
    slots[4] = U(known.CORNER + _corner_distance(foe, light or both, dark or both))
    slots[5] = U(known.HUNTERS + min(hunting_distance(rules, pos, own & ~own_royal, foe), 15))
    slots[6] = U(known.HELPER + helper_distance(rules, pos, enemy & ~enemy_royal, foe))
    race_features(rules, pos, weights, first, king, foe, slots)
    hanging = np.int64(own & by_second & ~by_first != ZERO) + 2 * np.int64(enemy & by_first & ~by_second != ZERO)
    slots[12] = U(known.LOOSE + hanging + 4 * moving)
    first_title, second_title, free = 0, 0, 0
    for piece in rules.pieces:
        if pos[piece.word] & own_royal:
            first_title = piece.index
        if pos[piece.word] & enemy_royal:
            second_title = piece.index
            targets = piece_targets(rules, piece.index, second, foe, own | enemy)
            free = min(count(targets & ~(enemy | by_first)), 8)
    slots[11] = U(known.FREE + free)
    slots[13] = U(known.FIRST_TITLE + first_title)
    slots[14] = U(known.SECOND_TITLE + second_title)
    finer_features(rules, pos, first, king, foe, light != dark, light, slots)


@jit
def bound_colours(rules, pos, own):
    """(light, dark): whether pieces among `own` are bound to squares of that colour, bool."""
    light, dark = False, False
    for piece in rules.pieces:
        if piece.bound:
            light = light or pos[piece.word] & own & _LIGHT != ZERO
            dark = dark or pos[piece.word] & own & ~_LIGHT != ZERO
    return light, dark


@jit
def hunting_distance(rules, pos, hunters, foe):
    """Sum of the king's steps from some pieces, pawns apart, to a square."""
    steps = 0
    for piece in rules.pieces:
        left = pos[piece.word] & hunters
        while left:
            steps += distance(lowest(left), foe)
            left &= left - ONE
    return steps


@jit
def helper_distance(rules, pos, helpers, foe):
    """King's steps from a square to the nearest of some pieces, pawns apart; 0 without one."""
    nearest = 0
    for piece in rules.pieces:
        left = pos[piece.word] & helpers
        while left:
            steps = distance(lowest(left), foe)
            nearest = steps if nearest == 0 else min(nearest, steps)
            left &= left - ONE
    return nearest


@jit
def race_features(rules, pos, weights, first, king, foe, slots):
    """The furthest pawn, how far the royal pieces are from where it promotes, and whether the second's comes in time."""
    second = first ^ ONE
    walked, second_goal, first_goal, race = 0, 0, 0, 0
    if rules.pawn:
        side = first if pos[TYPES] & pos[W_WHITE + first] else second
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
            second_goal, first_goal = distance(foe, goal), distance(king, goal)
            if rules.pawn.straight:
                late = second_goal - distance(furthest, goal) - np.int64(pos[TURN] == second)
                if side == second:
                    late = first_goal - distance(furthest, goal) - np.int64(pos[TURN] == first)
                race = min(max(late + 5, 0), 11)
    slots[7] = U(known.WALKED_BY + walked)
    slots[8] = U(known.SECOND_GOAL + second_goal)
    slots[9] = U(known.FIRST_GOAL + first_goal)
    slots[10] = U(known.RACE + race)


@jit
def finer_features(rules, pos, first, king, foe, bound, light, slots):
    """The features of the finer groups; bound: all bound pieces of the first side are on one colour; light: the light one."""
    for n in range(known.COARSE, SLOTS):
        slots[n] = ZERO
    n = known.COARSE
    if pos[TYPES] == ZERO:
        place, colour = _folded(foe, king, light)
        slots[n] = U(known.KINGS_AT + place + (known.KINGS * colour if bound else 0))
    n += 1
    royal = ONE << king | ONE << foe
    helpers = pos[W_WHITE + (first ^ ONE)] & ~(royal | pos[TYPES])
    for piece in rules.pieces:
        hunters = pos[piece.word] & pos[W_WHITE + first] & ~royal
        while hunters:
            square = lowest(hunters)
            hunters &= hunters - ONE
            slots[n] = U(known.HUNTER_AT + piece.index * known.BESIDE + _offset(square, foe))
            n += 1
            left = helpers
            while left:
                slots[n] = U(known.PAIR_AT + _offset(square, lowest(left)))
                left &= left - ONE
                n += 1
    while helpers:
        slots[n] = U(known.HELPER_AT + _offset(lowest(helpers), foe))
        slots[n + 1] = U(known.HELPER_FROM + _offset(lowest(helpers), king))
        helpers &= helpers - ONE
        n += 2


@inline
def find_row(weights, key):
    """Where the row of an ending begins, -1 if there is none; int64."""
    n = weights[ENDINGS]
    wanted = np.int64(key)
    low, high = 0, n
    while low < high:
        middle = (low + high) >> 1
        if weights[ENDINGS + 1 + middle] < wanted:
            low = middle + 1
        else:
            high = middle
    if low < n and weights[ENDINGS + 1 + low] == wanted:
        return ENDINGS + 1 + n + n + weights[ENDINGS + 1 + n + low] * ROW
    return -1


@jit
def ending_row(rules, pos, weights):
    """(where the row of the ending on the board begins, int64, -1 if none is known; the colour of its first side, uint64)."""
    us = pos[TURN]
    if popcount(pos[WHITE] | pos[BLACK]) > _FEW or weights[ENDINGS] == 0:
        return -1, us
    if royal_of(rules, pos, pos[WHITE]) == ZERO or royal_of(rules, pos, pos[BLACK]) == ZERO:
        return -1, us
    at = find_row(weights, material_key(rules, pos, us))
    if at >= 0:
        return at, us
    return find_row(weights, material_key(rules, pos, us ^ ONE)), us ^ ONE


@jit
def ending_value(rules, pos, weights, at, first):
    """The value of a known ending for the side to move, centipawns, int64; at, first: from ending_row()."""
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
    """The factor of an advantage, in 64ths, if the better side has only bishops besides pawns; 64 in all other positions.

    Opposite bishops hold a pawn or two less; bishops of one colour that do not control the corner win nothing.
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
        lead = count(pawns) - count(other & pos[TYPES])
        return _UNLIKE + _UNLIKE * max(0, min(lead - 1, 2))
    if rules.corner_holds:
        if pawns == ZERO:
            return 0
        if other & pos[TYPES] == ZERO and (pawns & ~_FILE_A == ZERO or pawns & ~_FILE_H == ZERO):
            corner = (lowest(pawns) & U(7)) | (U(56) if better == ZERO else ZERO)
            if ((ONE << corner) & _LIGHT == ZERO) != (mine & _LIGHT == ZERO):
                if distance(lowest(royals(rules, pos) & other), corner) <= 1:
                    return 0
    return _FULL


@entry
def known_kernel(rules, rows, weights, found):
    """Write into found, bool[n], which of some positions, uint64[n, words], are known endings."""
    for i in range(len(rows)):
        at, _first = ending_row(rules, rows[i], weights)
        found[i] = at >= 0


@entry
def features_kernel(rules, rows, firsts, weights, found):
    """ending_features() of many positions: rows uint64[n, words], firsts uint64[n], found uint64[n, SLOTS]."""
    for i in range(len(rows)):
        ending_features(rules, rows[i], weights, firsts[i], found[i])
