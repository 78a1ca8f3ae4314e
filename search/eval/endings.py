"""What elementary endings are worth: known from tables of every position, not from games.

`kingmaker endings` makes the tables by retrograde analysis and fits to each ending, of at most five pieces with the kings,
what its positions are worth: a little less for each ply to the win, nothing if it is drawn. The numbers are in
variants/endings/NAME.json, and behind a game's weights:

    weights[ENDINGS] = n    n keys, ascending as int64    n numbers of rows    rows: ROW numbers each    pairs (ending_pairs.py)

One side is the first, the other the second, as in KRvKB; if both have the same pieces, the first is the one to move. A piece
that never leaves the squares of its colour counts as another type on the other colour, and so does a rook's pawn by the colour
of the square where it promotes: the mirrored ending has the same row.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import entry, inline, jit
from engine.core.attackers import royals
from engine.core.bits import ONE, ZERO, U, lowest, popcount, row_on_stack
from engine.core.position import W_WHITE
from engine.rules import BLACK, TURN, TYPES, WHITE
from engine.rules.geometry import FILE_BITS, LIGHT
from search.eval import known
from search.eval.bitboards import count, distance
from search.eval.ending_features import ending_features, royal_of
from search.eval.ending_pairs import pair_value
from search.eval.features import ENDINGS
from search.eval.known import (
    BEND,
    CONSTANT,
    DARK_BOUND,
    ENDING_PIECES,
    FIRST_FEATURE,
    GREATEST,
    KEYS,
    LEAST,
    LIGHT_BOUND,
    PAIRS,
    PLAIN,
    ROW,
    SLOTS,
)

_ENDING_PIECES = U(ENDING_PIECES)
_TOUCHING = U(known.TOUCHING_KEY)
_FULL, _UNLIKE = 64, 20  # 64ths of an advantage: all of it; what bishops of unlike colours leave of it, and for each pawn more
_NONE = -1  # no row


@jit
def material_key(rules, pos, first):
    """The key of an ending, its first side being the colour `first`, uint64; both royal pieces must be there."""
    key = ZERO
    for side in range(2):
        colour = first ^ U(side)
        own = pos[W_WHITE + colour]
        for piece in rules.pieces:
            pieces = pos[piece.word] & own
            if piece.bound:
                key += popcount(pieces & LIGHT) * KEYS[side, piece.index, LIGHT_BOUND]
                key += popcount(pieces & ~LIGHT) * KEYS[side, piece.index, DARK_BOUND]
            else:
                key += popcount(pieces) * KEYS[side, piece.index, PLAIN]
        if rules.pawn:
            key += pawns_key(rules, pos[TYPES] & own, side, colour)
    if rules.captures_explode:  # a king next to the other is safe: another ending
        kings = pos[rules.king.word]
        if rules.geometry.king_attacks[lowest(kings & pos[WHITE])] & kings & pos[BLACK]:
            key += _TOUCHING
    return key


@jit(runtime=("side",))
def pawns_key(rules, pawns, side, colour):
    """The part of the key that the pawns of one side make."""
    key = ZERO
    if rules.pawn.straight:
        west, east = pawns & rules.geometry.west_edge, pawns & rules.geometry.east_edge
        # a8 and h1 are light: White's pawns on the a-file and Black's on the h-file promote there
        light = popcount(west if colour == ZERO else east)
        key += light * KEYS[side, 0, LIGHT_BOUND]
        key += (popcount(west | east) - light) * KEYS[side, 0, DARK_BOUND]
        pawns ^= west | east
    if rules.pawn.lopsided:
        stuck = popcount(pawns & (rules.pawn.stuck[0] if colour == ZERO else rules.pawn.stuck[1]))
        key += stuck * (KEYS[side, 0, LIGHT_BOUND] - KEYS[side, 0, PLAIN])
    return key + popcount(pawns) * KEYS[side, 0, PLAIN]


@inline
def find_row(weights, key):
    """Where the row of an ending begins, -1 if it has none; int64."""
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
    return np.int64(_NONE)


@jit
def ending_row(rules, pos, weights):
    """(where the row of the ending on the board begins, -1 if none is known; the colour of its first side)."""
    us = pos[TURN]
    if popcount(pos[WHITE] | pos[BLACK]) > _ENDING_PIECES or weights[ENDINGS] == 0:
        return _NONE, us
    if royal_of(rules, pos, pos[WHITE]) == ZERO or royal_of(rules, pos, pos[BLACK]) == ZERO:
        return _NONE, us
    at = find_row(weights, material_key(rules, pos, us))
    if at >= 0:
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
    if weights[at + PAIRS] != 0:
        value += pair_value(rules, pos, weights, at, first)
    value = min(max(value, weights[at + LEAST]), weights[at + GREATEST])
    if weights[at + BEND]:
        value = value * abs(value) // weights[at + BEND]
    return value if first == pos[TURN] else -value


@jit
def bishops_scale(rules, pos, better):
    """What an advantage is worth, in 64ths, if the better side has bishops alone besides pawns; 64 in all other positions.

    Bishops of unlike colours hold a pawn or two less; bishops that do not command the corner, or without pawns, win nothing.
    """
    own, other = pos[W_WHITE + better], pos[W_WHITE + (better ^ ONE)]
    bishops = ZERO
    for word in rules.bishops:
        bishops |= pos[word]
    kept = ~(royals(rules, pos) | pos[TYPES])
    mine, theirs = own & kept, other & kept
    if mine == ZERO or mine & ~bishops:
        return _FULL
    if mine & LIGHT and mine & ~LIGHT:
        return _FULL
    if theirs:
        return unlike_scale(rules, pos, mine, theirs, bishops, better)
    if rules.corner_holds:
        if own & pos[TYPES] == ZERO or wrong_corner(rules, pos, mine, better):
            return 0
    return _FULL


@jit
def unlike_scale(rules, pos, mine, theirs, bishops, better):
    """The same if the other side has pieces, `theirs`, too: less if it is one bishop against one of the other colour."""
    if mine & (mine - ONE) or theirs & (theirs - ONE) or theirs & ~bishops:
        return _FULL
    if (mine & LIGHT == ZERO) == (theirs & LIGHT == ZERO):
        return _FULL
    lead = count(pos[TYPES] & pos[W_WHITE + better]) - count(pos[TYPES] & pos[W_WHITE + (better ^ ONE)])
    return _UNLIKE + _UNLIKE * max(0, min(lead - 1, 2))


@jit
def wrong_corner(rules, pos, mine, better):
    """Whether all pawns stand on one edge, the bishops do not command the corner there, and the lone king holds it."""
    pawns, others = pos[TYPES] & pos[W_WHITE + better], pos[TYPES] & pos[W_WHITE + (better ^ ONE)]
    if others or (pawns & ~rules.geometry.west_edge and pawns & ~rules.geometry.east_edge):
        return False
    corner = (lowest(pawns) & FILE_BITS) | rules.geometry.home[better ^ ONE]
    if ((ONE << corner) & LIGHT == ZERO) == (mine & LIGHT == ZERO):
        return False
    return distance(lowest(royals(rules, pos) & pos[W_WHITE + (better ^ ONE)]), corner) <= 1


@entry
def known_kernel(rules, rows, weights, found):
    """Which of some positions, uint64[n, words], are known endings: bool found[n]."""
    for i in range(len(rows)):
        at, _first = ending_row(rules, rows[i], weights)
        found[i] = at >= 0


@entry
def features_kernel(rules, rows, firsts, weights, found):
    """ending_features() of many positions: rows uint64[n, words], firsts uint64[n], found uint64[n, SLOTS]."""
    for i in range(len(rows)):
        ending_features(rules, rows[i], weights, firsts[i], found[i])
