"""Sets of squares and distances that the evaluation asks for. Bitboards, squares and colours are uint64, numbers int64."""

from __future__ import annotations

import numpy as np

from engine.compile.jit import inline, jit
from engine.core.bits import ONE, ZERO, U, popcount, rotate

FILE_A, FILE_H = U(0x0101_0101_0101_0101), U(0x8080_8080_8080_8080)
_N8, _N16, _N32 = U(8), U(16), U(32)
_FILE, _S_RANK = U(7), U(3)


@inline
def count(bits):
    """Number of squares in a bitboard, int64; popcount() gives uint64, which min() and max() would turn into a float."""
    return np.int64(popcount(bits))


@inline
def file_of(square):
    """0 .. 7, int64."""
    return np.int64(square & _FILE)


@inline
def rank_of(square):
    """0 .. 7, int64."""
    return np.int64(square >> _S_RANK)


@inline
def distance(a, b):
    """King's steps between two squares, int64."""
    return max(abs(file_of(a) - file_of(b)), abs(rank_of(a) - rank_of(b)))


@inline
def centre_distance(square):
    """Files and ranks between a square and the four in the middle of the board, 0 .. 6."""
    file, rank = file_of(square), rank_of(square)
    return max(3 - file, file - 4) + max(3 - rank, rank - 4)


@inline
def files_of(bits):
    """Every square of the files that a bitboard touches."""
    files = bits | (bits >> _N8)
    files |= files >> _N16
    files |= files >> _N32
    files |= files << _N8
    files |= files << _N16
    return files | (files << _N32)


@inline
def side_neighbours(bits):
    """The squares to the left and to the right of each square of a bitboard."""
    return ((bits & ~FILE_H) << ONE) | ((bits & ~FILE_A) >> ONE)


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
