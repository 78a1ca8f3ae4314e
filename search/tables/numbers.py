# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"
"""Kernels that number the positions of a table: pack() and unpack(), and the atlas that says where everything is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compile.by_reference import by_reference
from engine.compile.jit import jit
from engine.core.bits import ONE, SQUARE_BITS, ZERO, U, lowest, popcount, row_on_stack
from engine.rules import BLACK, CASTLING, CLOCK, EP, KEY, MARKS, PLY, ROYAL, TURN, TYPES, WHITE
from engine.rules.geometry import WORD

# Columns of Atlas.layout
PIECES, SIZE, BLACK_STATES, OFFSET, WHITE_BITS, BLACK_BITS, LEADS, DIRECT = range(8)  # DIRECT: 1 if number_with() can number it
SLOTS = 8  # + i: word of the piece, plus BLACK_SLOT, plus TITLE_SLOT if it may hold a title
GROUP = 16  # + i: how many equal pieces begin at this slot, 0 within such a group and for the lead
MOST_PIECES = 6  # of a table
FIFTY_MOVES = 100  # plies without progress after which a game is drawn: tables are for games with this limit
MOST_PLACES = 8  # room for the squares of its pieces, by slot
COLUMNS = 24
BLACK_SLOT, TITLE_SLOT = 32, 64
WORD_OF_SLOT = 31
SIGNATURES = 8192  # room of the hash table of materials
_SIGNATURE_SHIFT = U(WORD - 13)
WAYS = 8  # symmetries of the board
S_SQUARE = 6
PAIRS = WORD * (WORD - 1) // 2  # of squares


@by_reference
class Atlas(NamedTuple):
    """Where everything is in the tables of a game. `table` is the row of a material."""

    layout: np.ndarray  # int64[tables, COLUMNS]
    allowed: np.ndarray  # uint64[tables, 8]: squares of each piece
    homes: np.ndarray  # int64[tables, 64]: squares of the lead, one of each that symmetry makes equal
    numbers: np.ndarray  # int64[tables, 64]: number of a home, -1 for other squares
    ways: np.ndarray  # int64[tables, 64, 8]: the maps that bring a square home, -1 behind the last
    maps: np.ndarray  # int64[8, 64]: the symmetries of the board
    flip: np.ndarray  # int64[64]: the map that goes with an exchange of the sides
    driven_from: np.ndarray  # uint64[64]: from where a king may have been driven to a square
    binomial: np.ndarray  # int64[65, 8]: binomial[n, k]
    weights: np.ndarray  # uint64[2, 16]: random numbers that add up to the signature of a material
    signatures: np.ndarray  # uint64[SIGNATURES]: of the materials, hashed
    owners: np.ndarray  # int64[SIGNATURES]: table * 2, plus 1 if the colours are exchanged; -1: none
    known: np.ndarray  # uint16[...]: codes of all tables but the one that is made, at OFFSET


# The number of a position


@jit
def signature(rules, atlas, pos):
    """What pieces there are, uint64."""
    found = ZERO
    for word in rules.type_words:
        found += popcount(pos[word] & pos[WHITE]) * atlas.weights[0, word - TYPES]
        found += popcount(pos[word] & pos[BLACK]) * atlas.weights[1, word - TYPES]
    return found


@jit
def owner_of(rules, atlas, pos):
    """The owner of the position's material, int64, -1 if no table has it."""
    wanted = signature(rules, atlas, pos)
    place = wanted >> _SIGNATURE_SHIFT
    while atlas.owners[place] >= 0:
        if atlas.signatures[place] == wanted:
            return atlas.owners[place]
        place = (place + ONE) & U(SIGNATURES - 1)
    return np.int64(-1)


@jit
def unpack(rules, atlas, table, index, pos, places):
    """Write the position with that number into `pos`; returns whether its pieces stand where they can.

    places: uint64[MOST_PLACES], becomes the square of each slot.
    """
    for word in rules.board_words:
        pos[word] = ZERO
    pos[KEY], pos[EP], pos[CASTLING], pos[ROYAL], pos[MARKS] = ZERO, ZERO, ZERO, ZERO, ZERO
    pos[CLOCK] = ZERO
    layout = atlas.layout[table]
    block, rest = index // layout[SIZE], index % layout[SIZE]
    pos[TURN] = U(block & 1)
    pos[PLY] = pos[TURN]
    state = block >> 1
    pieces = layout[PIECES]
    i = pieces - 1
    while i > 0:
        members = layout[GROUP + i]
        if members == 0:
            i -= 1
            continue
        if members == 1:
            places[i] = U(rest) & SQUARE_BITS
            rest >>= S_SQUARE
            i -= 1
            continue
        radix = atlas.binomial[WORD, members]
        part = rest % radix
        rest //= radix
        square = np.int64(WORD - 1)
        k = members
        while k > 0:
            while atlas.binomial[square, k] > part:
                square -= 1
            part -= atlas.binomial[square, k]
            places[i + k - 1] = U(square)
            k -= 1
        i -= 1
    places[0] = U(atlas.homes[table, rest])
    for j in range(pieces):
        bit = ONE << places[j]
        if (pos[WHITE] | pos[BLACK]) & bit or atlas.allowed[table, j] & bit == ZERO:
            return False
        slot = layout[SLOTS + j]
        pos[slot & WORD_OF_SLOT] |= bit
        pos[WHITE + (slot & BLACK_SLOT != 0)] |= bit
    if rules.mate_series:
        pos[MARKS] = U(state)
    if rules.titles:
        states = layout[BLACK_STATES]
        give_titles(rules, atlas, table, pos, places, 0, state // states)
        give_titles(rules, atlas, table, pos, places, 1, state % states)
    return True


@jit(runtime=("colour",))
def give_titles(rules, atlas, table, pos, places, colour, state):
    """Set the holder of a side's title and the marks of its pieces; places: uint64[MOST_PLACES], squares by slot."""
    layout = atlas.layout[table]
    bits = layout[WHITE_BITS + colour]
    holder, marked = state >> bits, state
    k = 0
    for i in range(layout[PIECES]):
        slot = layout[SLOTS + i]
        if slot & TITLE_SLOT and (slot & BLACK_SLOT != 0) == (colour == 1):
            bit = ONE << places[i]
            if k == holder:
                pos[ROYAL] |= bit
                pos[MARKS] |= bit
            else:
                if bits == 0 or marked & 1:
                    pos[MARKS] |= bit
                marked >>= 1
            k += 1


@jit(runtime=("colour",))
def titles_of(rules, atlas, table, royal, marks, bits_by_slot, colour):
    """The number of a side's titles and marks; bits_by_slot: uint64[8], the square of each slot as a bit of royal, marks."""
    layout = atlas.layout[table]
    k, holder, marked, bit = 0, 0, 0, 1
    for i in range(layout[PIECES]):
        slot = layout[SLOTS + i]
        if slot & TITLE_SLOT and (slot & BLACK_SLOT != 0) == (colour == 1):
            if royal & bits_by_slot[i]:
                holder = k
            else:
                if marks & bits_by_slot[i]:
                    marked |= bit
                bit <<= 1
            k += 1
    bits = layout[WHITE_BITS + colour]
    if bits == 0:
        return np.int64(holder)
    return np.int64((holder << bits) | marked)


@jit(runtime=("swap",))
def pack(rules, atlas, table, swap, pos):
    """The number of a position in a table, int64; swap: 1 if the colours are exchanged.

    Symmetry gives a position several numbers if its lead stands on an axis, or has equals: the least one counts.
    """
    layout = atlas.layout[table]
    pieces, leads = layout[PIECES], layout[LEADS]
    stood = row_on_stack(MOST_PLACES)  # squares by slot on the board
    before, rest = np.int64(-1), ZERO
    for i in range(pieces):
        slot = layout[SLOTS + i]
        if slot != before:
            rest = pos[slot & WORD_OF_SLOT] & pos[WHITE + ((slot & BLACK_SLOT != 0) ^ (swap == 1))]
            before = slot
        stood[i] = lowest(rest) & SQUARE_BITS
        rest &= rest - ONE
    best = np.int64(-1)
    for lead in range(leads):
        seen = atlas.flip[stood[lead]] if swap == 1 else np.int64(stood[lead])
        way = 0
        while way < WAYS and atlas.ways[table, seen, way] >= 0:
            found = number_by(rules, atlas, table, swap, pos, stood, lead, atlas.ways[table, seen, way])
            if best < 0 or found < best:
                best = found
            way += 1
    return best


@jit(runtime=("swap",))
def number_by(rules, atlas, table, swap, pos, stood, lead, way):
    """The number of a position whose slot `lead` comes first, seen by the map `way`; stood: uint64[8], squares by slot."""
    layout = atlas.layout[table]
    pieces = layout[PIECES]
    seen, bits = row_on_stack(MOST_PLACES), row_on_stack(MOST_PLACES)  # by slot: square after the map, bit on the board
    for i in range(pieces):
        source = stood[lead] if i == 0 else stood[0] if i == lead else stood[i]
        square = atlas.flip[source] if swap == 1 else np.int64(source)
        seen[i] = U(atlas.maps[way, square])
        bits[i] = ONE << source
    index = atlas.numbers[table, seen[0]]
    i = 1
    while i < pieces:
        members = layout[GROUP + i]
        for j in range(i + 1, i + members):  # equal pieces in ascending order
            k = j
            while k > i and seen[k - 1] > seen[k]:
                seen[k - 1], seen[k] = seen[k], seen[k - 1]
                bits[k - 1], bits[k] = bits[k], bits[k - 1]
                k -= 1
        part = np.int64(0)
        for j in range(members):
            part += atlas.binomial[seen[i + j], j + 1]
        index = index * atlas.binomial[WORD, members] + part
        i += members
    block = np.int64(pos[TURN])
    if swap == 1:
        block ^= 1
    if rules.mate_series:
        marks = np.int64(pos[MARKS]) & 3
        if swap == 1:
            marks = (marks >> 1) | ((marks & 1) << 1)
        block += marks * 2
    if rules.titles:
        state = titles_of(rules, atlas, table, pos[ROYAL], pos[MARKS], bits, 0) * layout[BLACK_STATES]
        block += 2 * (state + titles_of(rules, atlas, table, pos[ROYAL], pos[MARKS], bits, 1))
    return block * layout[SIZE] + index


# The number of a position that differs by one move. Three times as fast as pack(), and most of the work on a table


@jit(runtime=("slot",))
def number_with(atlas, table, places, slot, square):
    """The number within its block of the position with these places, but the piece of `slot` on `square`; int64.

    Only for tables that are DIRECT: at most two pieces are equal, and none that may hold a title. places: uint64[MOST_PLACES],
    not changed; slot: -1 for none.
    """
    lead = square if slot == 0 else places[0]
    pieces = atlas.layout[table, PIECES]
    best = np.int64(-1)
    way = 0
    while way < WAYS and atlas.ways[table, lead, way] >= 0:
        symmetry = atlas.maps[atlas.ways[table, lead, way]]
        found = atlas.numbers[table, symmetry[lead]]
        i = 1
        while i < pieces:
            seen = symmetry[square if i == slot else places[i]]
            if atlas.layout[table, GROUP + i] == 1:
                found = (found << S_SQUARE) + seen
            else:
                i += 1
                other = symmetry[square if i == slot else places[i]]
                found = found * PAIRS + atlas.binomial[max(seen, other), 2] + min(seen, other)
            i += 1
        if best < 0 or found < best:
            best = found
        way += 1
    return best


@jit
def slot_of(atlas, table, places, square):
    """The slot of the piece on `square`, int64; there must be one. places: uint64[MOST_PLACES]."""
    for i in range(atlas.layout[table, PIECES]):
        if places[i] == square:
            return np.int64(i)
    return np.int64(-1)
