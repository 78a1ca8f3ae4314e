"""Sets of squares and distances that the evaluation asks for. Bitboards, squares and colours are uint64, numbers int64."""

from __future__ import annotations

import numpy as np

from engine.compile.jit import inline, jit
from engine.core.bits import ONE, ZERO, U, popcount, rotate
from engine.rules.geometry import FILE_BITS, HALF_TURN, RANK_SHIFT, STRIDE, UPSIDE_DOWN

_RANK, _TWO_RANKS, _FOUR_RANKS = U(STRIDE), U(2 * STRIDE), U(4 * STRIDE)


@inline
def count(bits):
    """Number of squares in a bitboard, int64; popcount() gives uint64, which min() and max() would turn into a float."""
    return np.int64(popcount(bits))


@inline
def file_of(square):
    """0 .. 7, int64."""
    return np.int64(square & FILE_BITS)


@inline
def rank_of(square):
    """0 .. 7, int64."""
    return np.int64(square >> RANK_SHIFT)


@inline
def distance(a, b):
    """King's steps between two squares, int64."""
    return max(abs(file_of(a) - file_of(b)), abs(rank_of(a) - rank_of(b)))


@jit(forceinline=True)
def centre_distance(rules, square):
    """Files and ranks between a square and those in the middle of the board, int64, 0 .. 6."""
    file, rank = file_of(square), rank_of(square)
    files = max(rules.geometry.centre_files[0] - file, file - rules.geometry.centre_files[1])
    return files + max(rules.geometry.centre_ranks[0] - rank, rank - rules.geometry.centre_ranks[1])


@jit(forceinline=True)
def view_of(rules, colour):
    """(flip, shift), uint64: from the side of a colour a square is (square ^ flip) - shift.

    Black sees the board upside down, or turned by half a turn if pawns know left from right, or as White does if both sides run
    the same way.
    """
    if rules.sides_run_alike:
        return ZERO, ZERO
    if colour == ZERO:
        return ZERO, ZERO
    if rules.pawn and rules.pawn.lopsided:
        return HALF_TURN, rules.geometry.turn_shift
    return UPSIDE_DOWN, rules.geometry.mirror_shift


@inline
def files_of(bits):
    """Every square of the files that a bitboard touches."""
    files = bits | (bits >> _RANK)
    files |= files >> _TWO_RANKS
    files |= files >> _FOUR_RANKS
    files |= files << _RANK
    files |= files << _TWO_RANKS
    return files | (files << _FOUR_RANKS)


@jit(forceinline=True)
def side_neighbours(rules, bits):
    """The squares to the left and to the right of each square of a bitboard."""
    return ((bits & ~rules.geometry.east_edge) << ONE) | ((bits & ~rules.geometry.west_edge) >> ONE)


@inline
def pawn_shift(bits, source, shift):
    """All pawns of `bits` that stand in `source`, one step on."""
    return rotate(bits & source, shift)


@jit
def pawn_attacks(rules, pawns, colour):
    """Squares that some pawns of one colour attack."""
    attacked = ZERO
    if rules.pawn:
        white = colour == ZERO
        for step in rules.pawn.captures:
            source, shift = step.source[0] if white else step.source[1], step.shift[0] if white else step.shift[1]
            attacked |= pawn_shift(pawns, source, shift)
    return attacked


@jit
def pawn_stops(rules, pawns, colour):
    """Squares one step ahead of some pawns of one colour."""
    stops = ZERO
    if rules.pawn:
        white = colour == ZERO
        for step in rules.pawn.steps:
            source, shift = step.source[0] if white else step.source[1], step.shift[0] if white else step.shift[1]
            stops |= pawn_shift(pawns, source, shift)
    return stops


@jit
def pawn_paths(rules, pawns, colour):
    """Squares that some pawns of one colour may walk to without capturing, their own included."""
    paths = pawns
    for _again in range(6):
        paths |= pawn_stops(rules, paths, colour)
    return paths
