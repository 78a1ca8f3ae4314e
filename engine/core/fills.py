"""Attacks of all pieces at once, the eight directions of a queen in a lane each (lanes.py).

A fill takes every slider of a direction to the end of its way in three doublings: by one square, by two more, by four more
(Kogge and Stone's adder, as chess programs use it). No square is entered twice in one direction, so that the bits of a lane are
the moves of that direction: they are counted without looking at any piece by itself. There is nothing to branch on.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import jit
from engine.compile.processor import sliders
from engine.core.attackers import attack_map, sliding
from engine.core.bits import ALL, ONE, ZERO, lowest, rotate
from engine.core.lanes import lanes_of, merged, popcounts, rotated, spread, total
from engine.rules import BLACK, TYPES, WHITE
from engine.rules.geometry import DIRECTIONS, LARGEST, WORD, board_of

ONCE = board_of(LARGEST, LARGEST).directions.by
TWICE, FOUR_TIMES = 2 * ONCE % WORD, 4 * ONCE % WORD
STRAIGHT = np.array([ALL if x == 0 or y == 0 else ZERO for x, y in DIRECTIONS], np.uint64)
SLANTED = ~STRAIGHT

AT_ONCE = sliders() == "fills"


@jit(forceinline=True)
def ways_over(rules, empty):
    """Lanes (one, two, four): squares that a fill enters in a jump of that many squares, all of them `empty`."""
    one = spread(empty) & lanes_of(rules.geometry.directions.entered)
    two = one & rotated(one, lanes_of(ONCE))
    return one, two, two & rotated(two, lanes_of(TWICE))


@jit(forceinline=True)
def filled(rules, some, ways):
    """What the sliders `some`, lane by lane, attack in its direction; ways: of ways_over()."""
    one, two, four = ways
    some |= one & rotated(some, lanes_of(ONCE))
    some |= two & rotated(some, lanes_of(TWICE))
    some |= four & rotated(some, lanes_of(FOUR_TIMES))
    return rotated(some, lanes_of(ONCE)) & lanes_of(rules.geometry.directions.entered)


@jit(forceinline=True)
def sliders_by_lane(rules, pos):
    """The pieces of both sides that slide in each direction."""
    rooks, bishops = sliding(rules, pos, ALL)
    return (spread(rooks) & lanes_of(STRAIGHT)) | (spread(bishops) & lanes_of(SLANTED))


@jit(forceinline=True)
def leapers_by_lane(rules, pos, us, number):
    """The pieces of both sides that make each leap of a group, by its number, as the side `us` leaps."""
    who = spread(ZERO)
    for group in rules.leaps:
        if group.number == number:
            for leaper in group.leapers:
                if leaper.whole:
                    who |= spread(pos[leaper.word])
                else:
                    who |= spread(pos[leaper.word]) & lanes_of(leaper.lanes[us])
    return who


@jit(forceinline=True)
def leap_goals(rules, pos, us, among):
    """What the leapers `among`, all of the side `us`, attack; royal ones apart."""
    found = spread(ZERO)
    for group in rules.leaps:
        who = leapers_by_lane(rules, pos, us, group.number)
        found |= rotated(who & spread(among), lanes_of(group.by[us])) & lanes_of(group.entered[us])
    return found


@jit(forceinline=True)
def attacked_at_once(rules, pos, us, among, slides):
    """Every square that a piece of `among`, all of the side `us`, attacks; squares of its own side included.

    slides: what those of them that slide attack, by lane. For games with rules.counted_at_once.
    """
    found = merged(slides | leap_goals(rules, pos, us, among))
    kings = pos[rules.king.word] & among
    if kings:  # a side may have none
        found |= rules.king.leaps[us, lowest(kings)]
    if rules.pawn:
        for step in rules.pawn.captures:
            source, shift = (step.source[0], step.shift[0]) if us == ZERO else (step.source[1], step.shift[1])
            found |= rotate(pos[TYPES] & among & source, shift)
    return found


@jit(forceinline=True)
def attack_maps(rules, pos):
    """(squares that a piece of White attacks, squares that one of Black attacks), bitboards."""
    white, black = pos[WHITE], pos[BLACK]
    if AT_ONCE and rules.counted_at_once:
        ways, sliders = ways_over(rules, ~(white | black)), sliders_by_lane(rules, pos)
        by_white = attacked_at_once(rules, pos, ZERO, white, filled(rules, sliders & spread(white), ways))
        by_black = attacked_at_once(rules, pos, ONE, black, filled(rules, sliders & spread(black), ways))
    else:
        by_white, by_black = _attacked_by(rules, pos, white, ZERO), _attacked_by(rules, pos, black, ONE)
    return by_white, by_black


@jit
def _attacked_by(rules, pos, own, colour):
    """The squares that the pieces of a colour attack: not inlined, so that it is compiled once for both."""
    return attack_map(rules, pos, own, colour, pos[WHITE] | pos[BLACK])


@jit(forceinline=True)
def leaps_counted(rules, pos, us, free, axes, goals):
    """How many leaps the leapers `free` of the side `us` have onto `goals`, by lane.

    axes: pinned pieces, each in the lanes of its line.
    """
    found = spread(ZERO)
    for group in rules.leaps:
        who = leapers_by_lane(rules, pos, us, group.number)
        if group.on_line:
            who &= spread(free) | axes
        else:
            who &= spread(free)
        found += popcounts(rotated(who, lanes_of(group.by[us])) & lanes_of(group.entered[us]) & goals)
    return found


@jit(forceinline=True)
def moves_at_once(rules, pos, us, free, mask, occupied):
    """How many moves the pieces `free` of the side `us` have onto `mask`, pawns and royal types apart."""
    goals = spread(mask)
    slides = popcounts(filled(rules, sliders_by_lane(rules, pos) & spread(free), ways_over(rules, ~occupied)) & goals)
    return total(slides + leaps_counted(rules, pos, us, free, spread(ZERO), goals))
