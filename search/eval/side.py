"""One side of a position as the terms of the evaluation see it, and how a term is counted.

A term function takes (rules, pos, side) and returns its packed score (features.py), int64, from that side's view. One line adds
a term, and counts it if the evaluation is traced:

    score += term(side, ISOLATED, count(isolated))
"""

from __future__ import annotations

from collections import namedtuple

from engine.compile.jit import jit
from engine.core.bits import ONE, U
from engine.core.position import W_WHITE
from engine.rules import MAX_TYPES

# What a side attacks, uint64[MAP]: by type, then
BY_PAWN = 0
BY_ALL = MAX_TYPES
TWICE = BY_ALL + 1  # by two pieces or more
PATHS = BY_ALL + 2  # all squares that its pawns may ever walk to, theirs included
SPAN = BY_ALL + 3  # what pawns on these squares attack
KING_PRESSURE = BY_ALL + 4  # a number: attacks on the squares around the enemy king, weighted
KING_ATTACKERS = BY_ALL + 5  # a number: pieces that have such an attack
MAP = BY_ALL + 6


class Side(namedtuple("Side", "colour own enemy attacks enemy_attacks weights")):
    """A side whose terms are only added.

    colour: uint64, 0 White, 1 Black; own, enemy: uint64, bitboards; attacks, enemy_attacks: uint64[MAP];
    weights: int64[WEIGHTS ...].
    """

    traced = False


class TracedSide(namedtuple("TracedSide", "colour own enemy attacks enemy_attacks weights counts")):
    """A side whose terms are also counted. counts: int64[FEATURES + 2], how often the side has each feature."""

    traced = True


@jit(forceinline=True)
def view_side(rules, pos, weights, traced, counts, maps, number):
    """Side or TracedSide (traced: a literal) of White, number 0, or Black, 1, int64.

    maps: uint64[2 * MAP], the attacks of both; counts: int64[2, FEATURES + 2].
    """
    colour = U(number)
    own, enemy = pos[W_WHITE + colour], pos[W_WHITE + (colour ^ ONE)]
    attacks, enemy_attacks = maps[number * MAP:(number + 1) * MAP], maps[(1 - number) * MAP:(2 - number) * MAP]
    if traced:
        return TracedSide(colour, own, enemy, attacks, enemy_attacks, weights, counts[number])
    return Side(colour, own, enemy, attacks, enemy_attacks, weights)


@jit(forceinline=True, runtime=("feature", "times"))
def term(side, feature, times):
    """The packed weight of a feature that a side has `times` times, int64."""
    if side.traced:
        side.counts[feature] += times
    return side.weights[feature] * times
