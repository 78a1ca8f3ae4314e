"""The features of elementary endings: one of each group of known.GROUPS, found in a position.

One side is the first, the other the second, as in KRvKB. Squares, bitboards and colours are uint64, numbers int64.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import jit
from engine.core.attackers import attack_map, piece_targets
from engine.core.bits import ONE, ZERO, U, lowest
from engine.core.position import W_WHITE
from engine.rules import BLACK, ROYAL, TURN, TYPES, WHITE
from engine.rules.geometry import FILE_BITS, LIGHT, STRIDE, WORD
from search.eval import known
from search.eval.bitboards import centre_distance, count, distance, file_of, rank_of
from search.eval.features import WALKED
from search.eval.known import SLOTS

_S_COLOUR = U(6)
_FREE, _HUNTERS, _RACE = 8, 15, 11  # greatest numbers of the groups
_ON_TIME = 5  # the number of steps lacking is counted from here
_FARTHEST = 14  # files and ranks between two corners


@jit(forceinline=True)
def corner_distance(rules, square, light, dark):
    """Files and ranks to the nearest corner of the colours asked for, 0 .. 14."""
    file, rank = file_of(square), rank_of(square)
    far_file, far_rank = rules.geometry.last_file - file, rules.geometry.last_rank - rank
    found = _FARTHEST
    if dark:
        found = min(found, min(file + rank, far_file + far_rank))
    if light:
        found = min(found, min(file + far_rank, far_file + rank))
    return found


@jit(forceinline=True)
def beside(rules, a, b):
    """Number of the distance between two squares in files and ranks, the greater first; 0 .. 35."""
    files, ranks = abs(file_of(a) - file_of(b)), abs(rank_of(a) - rank_of(b))
    more, less = max(files, ranks), min(files, ranks)
    return more * (more + 1) // 2 + less


@jit(forceinline=True)
def folded(rules, second, first, light):
    """(number of the places of two royal pieces, colour), the board turned so that `second` stands in the triangle a1 d1 d4.

    light: a piece of the first's is bound to the light squares; mirrored, these are the dark ones.
    """
    file, rank, x, y = file_of(second), rank_of(second), file_of(first), rank_of(first)
    colour = np.int64(light)
    if file > rules.geometry.centre_files[0]:
        file, x, colour = rules.geometry.last_file - file, rules.geometry.last_file - x, 1 - colour
    if rank > rules.geometry.centre_ranks[0]:
        rank, y, colour = rules.geometry.last_rank - rank, rules.geometry.last_rank - y, 1 - colour
    if rank > file:
        file, rank, x, y = rank, file, y, x
    triangle = file * (file + 1) // 2 + rank
    return triangle * WORD + y * STRIDE + x, colour


@jit
def royal_of(rules, pos, own):
    """The royal piece among `own` that endings are named by, a bit; none if an heir is to be chosen."""
    found = ZERO
    for piece in rules.royals:
        found |= pos[piece.word] & own
    if rules.titles:
        if found == ZERO:
            found = pos[ROYAL] & own
    return found


@jit
def attacked_by(rules, pos, colour):
    """Every square that a side attacks."""
    return attack_map(rules, pos, pos[W_WHITE + colour], colour, pos[WHITE] | pos[BLACK])


@jit
def ending_features(rules, pos, weights, first, slots):
    """Write the number of the feature found in each group into uint64 slots[SLOTS]; both royal pieces must be there."""
    second = first ^ ONE
    king, foe = lowest(royal_of(rules, pos, pos[W_WHITE + first])), lowest(royal_of(rules, pos, pos[W_WHITE + second]))
    by_first, by_second = attacked_by(rules, pos, first), attacked_by(rules, pos, second)
    slots[0] = U(known.TURN_OF + np.int64(pos[TURN] != first))
    slots[1] = U(known.APART + distance(king, foe))
    slots[2] = U(known.SECOND_OUT + centre_distance(rules, foe))
    slots[3] = U(known.FIRST_OUT + centre_distance(rules, king))
    light, dark = bound_colours(rules, pos, first)
    both = not (light or dark)
    slots[4] = U(known.CORNER + corner_distance(rules, foe, light or both, dark or both))
    hunter_features(rules, pos, first, king, foe, slots)
    pawn_features(rules, pos, weights, first, king, foe, slots)
    title_features(rules, pos, first, king, foe, by_first, slots)
    loose_feature(rules, pos, first, by_first, by_second, slots)
    finer_features(rules, pos, first, king, foe, light != dark, light, slots)


@jit
def bound_colours(rules, pos, first):
    """(whether a piece of the first's keeps to light squares, whether one keeps to dark ones)."""
    light, dark = False, False
    for piece in rules.pieces:
        if piece.bound:
            own = pos[piece.word] & pos[W_WHITE + first]
            light = light or own & LIGHT != ZERO
            dark = dark or own & ~LIGHT != ZERO
    return light, dark


@jit
def hunter_features(rules, pos, first, king, foe, slots):
    """How far the pieces other than pawns are from the second's royal piece."""
    royal = ONE << king | ONE << foe
    hunters, helper = 0, 0
    left = pos[W_WHITE + first] & ~(royal | pos[TYPES])
    while left:
        hunters += distance(lowest(left), foe)
        left &= left - ONE
    left = pos[W_WHITE + (first ^ ONE)] & ~(royal | pos[TYPES])
    while left:
        steps = distance(lowest(left), foe)
        helper = steps if helper == 0 else min(helper, steps)
        left &= left - ONE
    slots[5] = U(known.HUNTERS + min(hunters, _HUNTERS))
    slots[6] = U(known.HELPER + helper)


@jit
def pawn_features(rules, pos, weights, first, king, foe, slots):
    """How far the furthest pawn has walked, how far the royal pieces are from its goal, and whether they are late."""
    walked, second_goal, first_goal, race = 0, 0, 0, 0
    if rules.pawn:
        second = first ^ ONE
        side = first if pos[TYPES] & pos[W_WHITE + first] else second
        left = pos[TYPES] & pos[W_WHITE + side]
        if left:
            furthest = lowest(left)
            walked = weights[U(WALKED) + (side << _S_COLOUR) + furthest]
            left &= left - ONE
            while left:
                steps = weights[U(WALKED) + (side << _S_COLOUR) + lowest(left)]
                if steps > walked:
                    walked, furthest = steps, lowest(left)
                left &= left - ONE
            goal = furthest
            if rules.pawn.straight:
                goal = (furthest & FILE_BITS) | rules.geometry.home[side ^ ONE]
            second_goal, first_goal = distance(foe, goal), distance(king, goal)
            if rules.pawn.straight:
                late = second_goal - distance(furthest, goal) - np.int64(pos[TURN] == second)
                if side == second:
                    late = first_goal - distance(furthest, goal) - np.int64(pos[TURN] == first)
                race = min(max(late + _ON_TIME, 0), _RACE)
    slots[7] = U(known.WALKED_BY + walked)
    slots[8] = U(known.SECOND_GOAL + second_goal)
    slots[9] = U(known.FIRST_GOAL + first_goal)
    slots[10] = U(known.RACE + race)


@jit
def title_features(rules, pos, first, king, foe, by_first, slots):
    """The types of the royal pieces, and the safe squares of the second's."""
    first_title, second_title, free = 0, 0, 0
    occupied = pos[WHITE] | pos[BLACK]
    for piece in rules.pieces:
        if rules.titles or piece.royal:
            if (pos[piece.word] >> king) & ONE:
                first_title = piece.index
            if (pos[piece.word] >> foe) & ONE:
                second_title = piece.index
                goals = piece_targets(rules, piece.index, first ^ ONE, foe, occupied)
                free = min(count(goals & ~(pos[W_WHITE + (first ^ ONE)] | by_first)), _FREE)
    slots[11] = U(known.FREE + free)
    slots[13] = U(known.FIRST_TITLE + first_title)
    slots[14] = U(known.SECOND_TITLE + second_title)


@jit
def loose_feature(rules, pos, first, by_first, by_second, slots):
    """Which side has pieces that are attacked and not guarded, and who is to move."""
    own, enemy = pos[W_WHITE + first], pos[W_WHITE + (first ^ ONE)]
    loose = np.int64(own & by_second & ~by_first != ZERO) + 2 * np.int64(enemy & by_first & ~by_second != ZERO)
    slots[12] = U(known.LOOSE + loose + 4 * np.int64(pos[TURN] != first))


@jit
def finer_features(rules, pos, first, king, foe, bound, light, slots):
    """The features of the finer groups; bound, light: the first's pieces that keep to a colour keep to one, the light one."""
    for n in range(known.COARSE, SLOTS):
        slots[n] = ZERO
    n = known.COARSE
    if pos[TYPES] == ZERO:
        place, colour = folded(rules, foe, king, light)
        slots[n] = U(known.KINGS_AT + place + (known.KINGS * colour if bound else 0))
    n += 1
    royal = ONE << king | ONE << foe
    helpers = pos[W_WHITE + (first ^ ONE)] & ~(royal | pos[TYPES])
    for piece in rules.pieces:
        hunters = pos[piece.word] & pos[W_WHITE + first] & ~royal
        while hunters:
            square = lowest(hunters)
            hunters &= hunters - ONE
            slots[n] = U(known.HUNTER_AT + piece.index * known.BESIDE + beside(rules, square, foe))
            n += 1
            left = helpers
            while left:
                slots[n] = U(known.PAIR_AT + beside(rules, square, lowest(left)))
                left &= left - ONE
                n += 1
    while helpers:
        slots[n] = U(known.HELPER_AT + beside(rules, lowest(helpers), foe))
        slots[n + 1] = U(known.HELPER_FROM + beside(rules, lowest(helpers), king))
        helpers &= helpers - ONE
        n += 2
