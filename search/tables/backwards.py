# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"
"""Kernels that take moves back: they mark the positions from which a move may lead to a given one.

Moves are taken back by geometry alone, namings and drives included, so that more is marked than need be; whether a move is
legal is asked forwards. Captures, promotions and choices of heirs lead from other tables and are not taken back.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import jit
from engine.core.attackers import piece_targets
from engine.core.bits import ONE, ZERO, U, lowest, rotate
from engine.core.position import W_WHITE
from engine.rules import BLACK, CASTLING, EP, MARKS, ROYAL, TURN, TYPES, WHITE
from search.tables.numbers import DIRECT, SIZE, number_with, pack, slot_of

# Bits of a mark
MARKED, RESTLESS = np.uint8(1), np.uint8(2)  # to be valued in this round; in every round, for it leads to en passant
NO_BASE = -1  # number_with() cannot number the table


@jit
def mark(rules, atlas, table, before, marks):
    """Mark a position for the next valuation."""
    marks[pack(rules, atlas, table, 0, before)] |= MARKED


@jit
def mark_with_states(rules, atlas, table, before, marks):
    """Mark a position with each state from which the last move may have begun."""
    mark(rules, atlas, table, before, marks)
    if rules.mate_series:
        before[MARKS] ^= ONE << before[TURN]
        mark(rules, atlas, table, before, marks)
        before[MARKS] ^= ONE << before[TURN]


@jit
def base_before(rules, atlas, table, index):
    """The number at which the block begins in which the positions before `index` are, titles and marks as they are there."""
    size = atlas.layout[table, SIZE]
    return ((index // size) ^ 1) * size


@jit
def mark_distance(atlas, table, before):
    """How much the number of `before` changes if the mark of its side to move does."""
    step = (np.int64(2) << np.int64(before[TURN])) * atlas.layout[table, SIZE]
    return -step if (before[MARKS] >> before[TURN]) & ONE else step


@jit
def mark_predecessors(rules, atlas, table, pos, index, places, before, marks):
    """Mark all positions of the table from which a move may lead to `pos`, and some others.

    index: the number of `pos`; places: the squares of its slots, uint64[MOST_PLACES]; before: uint64[words], room.
    """
    us = pos[TURN]
    them = us ^ ONE
    occupied = pos[WHITE] | pos[BLACK]
    base = np.int64(NO_BASE)
    if atlas.layout[table, DIRECT]:
        base = base_before(rules, atlas, table, index)
    for word in rules.board_words:
        before[word] = pos[word]
    before[EP], before[CASTLING] = ZERO, ZERO
    before[ROYAL], before[MARKS], before[TURN] = pos[ROYAL], pos[MARKS], them
    movers = pos[W_WHITE + them]
    if rules.pawn:
        pawns = pos[TYPES] & movers
        while pawns:
            stood = lowest(pawns)
            pawns &= pawns - ONE
            origins = pawn_origins(rules, stood, them, occupied)
            mark_moves_to(rules, atlas, table, base, places, before, marks, them, stood, U(TYPES), origins)
    for piece in rules.pieces:
        some = pos[piece.word] & movers
        while some:
            stood = lowest(some)
            some &= some - ONE
            origins = piece_targets(rules, piece.index, us, stood, occupied) & rules.geometry.board & ~occupied
            mark_moves_to(rules, atlas, table, base, places, before, marks, them, stood, U(piece.word), origins)
    if rules.driven_king:
        stood = lowest(pos[rules.king.word] & pos[W_WHITE + us])
        origins = atlas.driven_from[stood] & ~occupied
        mark_moves_to(rules, atlas, table, base, places, before, marks, us, stood, U(rules.king.word), origins)
    if rules.titles:
        mark_namings(rules, atlas, table, pos, before, marks)


@jit
def pawn_origins(rules, stood, them, occupied):
    """From where a pawn of `them` may have stepped to the square `stood`."""
    bit = ONE << stood
    white = them == ZERO
    found = ZERO
    for step in rules.pawn.steps:
        first = rotate(bit, step.back[0] if white else step.back[1]) & (step.source[0] if white else step.source[1]) & ~occupied
        found |= first
        if rules.pawn.doubles:
            second = rotate(first, step.back[0] if white else step.back[1]) & (step.source[0] if white else step.source[1])
            found |= second & ~occupied & (rules.pawn.double[0] if white else rules.pawn.double[1])
    return found


@jit
def mark_moves_to(rules, atlas, table, base, places, before, marks, colour, stood, word, origins):
    """Mark the positions in which the piece on `stood` stands on one of `origins`; `before` is as it was afterwards.

    base: from base_before(), or NO_BASE; places: the squares of the slots, uint64[MOST_PLACES].
    """
    if base != NO_BASE:
        slot = slot_of(atlas, table, places, stood)
        while origins:
            number = base + number_with(atlas, table, places, slot, lowest(origins))
            origins &= origins - ONE
            marks[number] |= MARKED
            if rules.mate_series:
                marks[number + mark_distance(atlas, table, before)] |= MARKED
        return
    bit = ONE << stood
    while origins:
        origin = origins & (ZERO - origins)
        origins ^= origin
        change = bit | origin
        before[word] ^= change
        before[W_WHITE + colour] ^= change
        if rules.titles:
            royal, marked = before[ROYAL], before[MARKS]
            if royal & bit:
                before[ROYAL] ^= change
            if marked & bit:
                before[MARKS] ^= change
            mark_with_states(rules, atlas, table, before, marks)
            before[ROYAL], before[MARKS] = royal, marked
        else:
            mark_with_states(rules, atlas, table, before, marks)
        before[word] ^= change
        before[W_WHITE + colour] ^= change


@jit
def mark_namings(rules, atlas, table, pos, before, marks):
    """Mark the positions in which another piece of the side that moved held its title."""
    own = pos[W_WHITE + before[TURN]]
    holder = pos[ROYAL] & own
    others = pos[MARKS] & own & ~holder
    while others:
        former = others & (ZERO - others)
        others ^= former
        before[ROYAL] = (pos[ROYAL] ^ holder) | former
        before[MARKS] = pos[MARKS]
        mark(rules, atlas, table, before, marks)
        before[MARKS] = pos[MARKS] ^ holder
        mark(rules, atlas, table, before, marks)
    before[ROYAL], before[MARKS] = pos[ROYAL], pos[MARKS]
