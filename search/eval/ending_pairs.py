"""What the row of a known ending gets wrong, by pairs of pieces: a number for each two squares and state.

Behind the rows of a game's endings, for those that have them:

    weights[row + PAIRS] = n    row + n: pair after pair, state after state, WORD * WORD numbers each

The pieces are in the order of paired_squares(), pairs in the order (1, 0), (2, 0), (2, 1), (3, 0) ... of these. A state is who
is to move and, in games with titles, whether the first of the first side's pieces holds its title.
Squares, bitboards and colours are uint64, numbers int64.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import entry, inline, jit
from engine.core.bits import ONE, ZERO, lowest, row_on_stack
from engine.core.position import W_WHITE
from engine.rules import TURN, TYPES
from engine.rules.geometry import WORD
from search.eval.bitboards import file_of
from search.eval.ending_features import royal_of
from search.eval.known import ENDING_PIECES, PAIRS, STATES, TITLED_STATES

TABLE = WORD * WORD  # numbers of a pair in a state


@jit
def paired_squares(rules, pos, first, squares):
    """Write the squares of all pieces into uint64 squares[ENDING_PIECES + 1], and return how many there are.

    The first side's come first, by type, pawns last; with titles, squares[ENDING_PIECES] is that of its royal piece. The first
    side sees the board as White does, and the second's royal piece on the left half, unless pawns distinguish left from right.
    """
    found = 0
    foe = seen_by(rules, first, lowest(royal_of(rules, pos, pos[W_WHITE + (first ^ ONE)])))
    turned = file_of(foe) > rules.geometry.centre_files[0]
    if rules.pawn:
        if rules.pawn.lopsided:
            turned = False
    for side in range(2):
        own = pos[W_WHITE + (first ^ np.uint64(side))]
        for piece in rules.pieces:
            found = write_squares(rules, pos[piece.word] & own, first, turned, squares, found)
        if rules.pawn:
            found = write_squares(rules, pos[TYPES] & own, first, turned, squares, found)
    if rules.titles:
        write_squares(rules, royal_of(rules, pos, pos[W_WHITE + first]), first, turned, squares, ENDING_PIECES)
    return found


@jit(runtime=("turned", "found"))
def write_squares(rules, pieces, first, turned, squares, found):
    """Write the squares of some pieces from squares[found] on; returns where the next begin."""
    while pieces:
        square = seen_by(rules, first, lowest(pieces))
        pieces &= pieces - ONE
        if turned:
            square = np.uint64(np.int64(square) - 2 * file_of(square) + rules.geometry.last_file)
        squares[found] = square
        found += 1
    return found


@jit(forceinline=True)
def seen_by(rules, colour, square):
    """A square as a side sees it: Black upside down, or turned by half a turn where pawns distinguish left from right."""
    if colour == ZERO:
        return square
    seen = rules.geometry.black_home - square
    if rules.pawn:
        if rules.pawn.lopsided:
            return seen + np.uint64(rules.geometry.last_file)
    return seen + np.uint64(2 * file_of(square))


@inline
def pair_state(rules, pos, first, squares):
    """The number of a state, int64; squares: from paired_squares()."""
    state = np.int64(pos[TURN] != first)
    if rules.titles:
        state += 2 * np.int64(squares[ENDING_PIECES] != squares[0])
    return state


@jit
def pair_value(rules, pos, weights, row, first):
    """The sum of the numbers of all pairs, centipawns; row: of the ending, first: the colour of its first side."""
    squares = row_on_stack(ENDING_PIECES + 1)
    found = paired_squares(rules, pos, first, squares)
    table = row + weights[row + PAIRS] + pair_state(rules, pos, first, squares) * TABLE
    total = 0
    for i in range(1, found):
        for j in range(i):
            total += weights[table + np.int64(squares[i]) * WORD + np.int64(squares[j])]
            table += TITLED_STATES * TABLE if rules.titles else STATES * TABLE
    return total


@entry
def squares_kernel(rules, rows, firsts, found, states):
    """paired_squares() and pair_state() of many positions.

    rows: uint64[n, words]; firsts: uint64[n]; receiving: found uint64[n, ENDING_PIECES + 1], states int64[n].
    """
    for i in range(len(rows)):
        paired_squares(rules, rows[i], firsts[i], found[i])
        states[i] = pair_state(rules, rows[i], firsts[i], found[i])
