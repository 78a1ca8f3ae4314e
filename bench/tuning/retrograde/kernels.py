# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"
"""Kernels of retrograde analysis: positions by number, their moves, and backward propagation of values.

Values are from the side to move: k > 0 wins in k plies, -k loses in k - 1, 0 is a draw.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compile.jit import entry, jit
from engine.core.attackers import attackers, in_check
from engine.core.bits import ONE, ZERO, U, lowest, popcount, row_on_stack
from engine.core.legality import generate
from engine.core.mechanisms.bare_king import bare_king
from engine.core.mechanisms.mate_series import update_series
from engine.core.mechanisms.succession import heirs
from engine.core.movegen import ALL_MOVES
from engine.core.moves import K_PROMOTION, S_HAS_HEIR, kind_of
from engine.core.position import W_WHITE, make
from engine.rules import BLACK, CASTLING, CLOCK, EP, KEY, MARKS, PLY, ROYAL, TURN, TYPES, WHITE
from search.eval.endings import material_key

ILLEGAL = 32767  # not a position: two pieces on a square, or the side that is not to move is in check
BUSY = 255  # more moves than a position can have: it is not lost yet
CAPTURES = 1  # flag: the side to move can capture

# Columns of Atlas.layout
MEN, SYMMETRY, SIZE, BLACK_STATES, OFFSET, WHITE_BITS, BLACK_BITS = range(7)
SLOTS = 8  # from here on the pieces: word, plus 16 if black, plus 32 if it may hold a title


class Atlas(NamedTuple):
    """Everything the kernels know about the tables."""

    layout: np.ndarray  # int64[tables, 16]
    allowed: np.ndarray  # uint64[tables, 8]: squares of each piece
    anchors: np.ndarray  # int64[4, 64]: by symmetry, squares of the first piece
    numbers: np.ndarray  # int64[4, 64]: by symmetry, numbers of these squares
    transform: np.ndarray  # int64[4, 64]: by symmetry, the map that brings a square among them
    maps: np.ndarray  # int64[8, 64]: the board's symmetries
    flip: np.ndarray  # int64[4]: by symmetry, the exclusive or that exchanges the sides
    signatures: np.ndarray  # uint64[4096]: materials, hashed
    owners: np.ndarray  # int64[4096]: table * 2, plus 1 if the colours are exchanged
    values: np.ndarray  # int16: all tables


@jit
def signature(rules, pos):
    """How many pieces of each type and colour there are, four bits each."""
    found = ZERO
    for word in rules.type_words:
        found |= popcount(pos[word] & pos[WHITE]) << U(4 * (word - TYPES))
        found |= popcount(pos[word] & pos[BLACK]) << U(32 + 4 * (word - TYPES))
    return found


@jit
def find_table(atlas, wanted):
    """Owner of a material, -1 if there is no such table."""
    place = np.int64((wanted * U(0x9E3779B97F4A7C15)) >> U(52))
    while atlas.owners[place] >= 0:
        if atlas.signatures[place] == wanted:
            return atlas.owners[place]
        place = (place + 1) & 4095
    return np.int64(-1)


@jit
def unpack(rules, atlas, table, index, pos):
    """Write the position with that number into `pos`; returns whether the pieces are on squares they can be on."""
    for word in rules.board_words:
        pos[word] = ZERO
    pos[KEY], pos[EP], pos[CASTLING], pos[ROYAL], pos[MARKS] = ZERO, ZERO, ZERO, ZERO, ZERO
    pos[CLOCK], pos[PLY] = ZERO, ZERO
    size = atlas.layout[table, SIZE]
    rest, block = index % size, index // size
    pos[TURN] = U(block & 1)
    state = block >> 1
    places = row_on_stack(8)
    for i in range(atlas.layout[table, MEN] - 1, -1, -1):
        if i:
            square = U(rest & 63)
            rest >>= 6
        else:
            square = U(atlas.anchors[atlas.layout[table, SYMMETRY], rest])
        bit = ONE << square
        if (pos[WHITE] | pos[BLACK]) & bit or atlas.allowed[table, i] & bit == ZERO:
            return False
        slot = atlas.layout[table, SLOTS + i]
        pos[slot & 15] |= bit
        pos[WHITE + ((slot >> 4) & 1)] |= bit
        places[i] = bit
    if rules.mate_series:
        pos[MARKS] = U(state)
    if rules.titles:
        states = atlas.layout[table, BLACK_STATES]
        give_titles(rules, atlas, table, pos, places, 0, state // states)
        give_titles(rules, atlas, table, pos, places, 1, state % states)
    return True


@jit
def give_titles(rules, atlas, table, pos, places, colour, state):
    """Set the holder of a side's title and its marks."""
    bits = atlas.layout[table, WHITE_BITS + colour]
    holder, marked = state >> max(bits, 0), state
    k = 0
    for i in range(atlas.layout[table, MEN]):
        slot = atlas.layout[table, SLOTS + i]
        if slot & 32 and (slot >> 4) & 1 == colour:
            if k == holder:
                pos[ROYAL] |= places[i]
                pos[MARKS] |= places[i]
            else:
                if bits == 0 or marked & 1:
                    pos[MARKS] |= places[i]
                marked >>= 1
            k += 1


@jit
def titles_of(rules, atlas, table, pos, colour, swap):
    """The number of a side's titles and marks; `colour` as in the table."""
    bits = atlas.layout[table, WHITE_BITS + colour]
    before, rest = np.int64(-1), ZERO
    k, holder, marked, bit = 0, 0, 0, 1
    for i in range(atlas.layout[table, MEN]):
        slot = atlas.layout[table, SLOTS + i]
        if slot & 32 and (slot >> 4) & 1 == colour:
            if slot != before:
                rest = pos[slot & 15] & pos[WHITE + (colour ^ swap)]
                before = slot
            first = rest & (ZERO - rest)
            rest ^= first
            if pos[ROYAL] & first:
                holder = k
            else:
                if pos[MARKS] & first:
                    marked |= bit
                bit <<= 1
            k += 1
    if bits == 0:
        return np.int64(holder)
    return np.int64((holder << bits) | marked)


@jit
def pack(rules, atlas, table, swap, pos):
    """The number of a position in a table, with colours exchanged if `swap` is 1."""
    kind = atlas.layout[table, SYMMETRY]
    flip = atlas.flip[kind] * swap
    index, turned = np.int64(0), np.int64(0)
    before, rest = np.int64(-1), ZERO
    for i in range(atlas.layout[table, MEN]):
        slot = atlas.layout[table, SLOTS + i]
        if slot != before:
            rest = pos[slot & 15] & pos[WHITE + (((slot >> 4) & 1) ^ swap)]
            before = slot
        square = np.int64(lowest(rest)) ^ flip
        rest &= rest - ONE
        if i == 0:
            turned = atlas.transform[kind, square]
            index = atlas.numbers[kind, atlas.maps[turned, square]]
        else:
            index = index * 64 + atlas.maps[turned, square]
    block = np.int64(pos[TURN]) ^ swap
    if rules.mate_series:
        marks = np.int64(pos[MARKS])
        if swap:
            marks = (marks >> 1) | ((marks & 1) << 1)
        block += marks * 2
    if rules.titles:
        state = titles_of(rules, atlas, table, pos, 0, swap) * atlas.layout[table, BLACK_STATES]
        block += 2 * (state + titles_of(rules, atlas, table, pos, 1, swap))
    return block * atlas.layout[table, SIZE] + index


@jit
def possible(rules, pos):
    """Whether the side that is not to move is safe, so that the position can occur."""
    us = pos[TURN]
    them = us ^ ONE
    if rules.royal_safety or rules.titles:
        if in_check(rules, pos, them):
            return False
    if rules.mate_series:
        mark = (pos[MARKS] >> them) & ONE
        foe = lowest(pos[rules.king.word] & pos[W_WHITE + us])
        checkers = attackers(rules, pos, foe, pos[WHITE] | pos[BLACK], pos[W_WHITE + them], them)
        counting = ZERO
        for word in rules.mate_series:
            counting |= pos[word]
        if mark == ONE and checkers == ZERO:
            return False
        if mark == ZERO and checkers & counting:
            return False
    if rules.succession:
        kings = pos[rules.king.word]
        if kings & pos[W_WHITE + them] == ZERO:
            return False
        if kings & pos[W_WHITE + us] == ZERO:
            line = heirs(rules, pos, pos[W_WHITE + us])
            if line & (line - ONE) == ZERO:
                return False
    return True


@jit
def ended(rules, pos):
    """Value of a position that a lost or bare king has decided, ILLEGAL if it is not decided."""
    if rules.bare_king_draws:
        if bare_king(rules, pos):
            return 0
    if rules.captures_explode:
        if pos[rules.king.word] & pos[W_WHITE + pos[TURN]] == ZERO:
            return -1
    if rules.succession:
        own = pos[W_WHITE + pos[TURN]]
        if pos[rules.king.word] & own == ZERO and heirs(rules, pos, own) == ZERO:
            return -1
    return ILLEGAL


@jit
def blocked(rules, pos):
    """Value of a position without legal moves."""
    us = pos[TURN]
    if not in_check(rules, pos, us):
        return 0
    if rules.mate_series:
        if (pos[MARKS] >> (us ^ ONE)) & ONE == ZERO:
            return 0
    return -1


@jit
def child_of(rules, atlas, table, pos, child, move, pieces):
    """Make a move; (number in this table, or -1; value if in another table). The value is ILLEGAL if no table has it."""
    make(rules, pos, child, move, False)
    if rules.mate_series:
        update_series(rules, pos, child)
    if popcount(child[WHITE] | child[BLACK]) == pieces and kind_of(move) != K_PROMOTION and (move >> S_HAS_HEIR) & ONE == ZERO:
        return pack(rules, atlas, table, 0, child), np.int64(0)
    value = ended(rules, child)
    if value != ILLEGAL:
        return np.int64(-1), np.int64(value)
    owner = find_table(atlas, signature(rules, child))
    if owner < 0:
        return np.int64(-1), np.int64(ILLEGAL)
    index = pack(rules, atlas, owner >> 1, owner & 1, child)
    if owner >> 1 == table:
        return index, np.int64(0)
    return np.int64(-1), np.int64(atlas.values[atlas.layout[owner >> 1, OFFSET] + index])


@entry
def scan_kernel(rules, atlas, table, rows, moves, first, due, late, remaining, flags, starts, counts, children):
    """Scan positions from number `first` on: decided ones, values by captures and promotions, numbers of other moves.

    due: int16[n], values that become certain at their ply; late: int16[n], the latest loss by leaving the table; counts:
    uint8[n], and children: uint32, the moves that stay in the table; starts: uint32, numbers of moves to each position.
    Returns (number of children without a table, number of children).
    """
    missing, used = 0, 0
    pos, child = rows[0], rows[1]
    for k in range(len(due)):
        index = first + k
        due[k] = ILLEGAL
        if not unpack(rules, atlas, table, index, pos) or not possible(rules, pos):
            continue
        due[k] = 0
        n = generate(rules, pos, ALL_MOVES, moves)
        if n == ZERO:
            due[k] = blocked(rules, pos)
            remaining[k] = BUSY
            continue
        pieces = popcount(pos[WHITE] | pos[BLACK])
        begin, win, loss, draws = used, 0, 0, False
        for i in range(n):
            there, value = child_of(rules, atlas, table, pos, child, U(moves[i]), pieces)
            if there >= 0:
                starts[there] += np.uint32(1)
                children[used] = np.uint32(there)
                used += 1
                continue
            if popcount(child[WHITE] | child[BLACK]) < pieces:
                flags[k] |= CAPTURES
            if value == ILLEGAL:
                missing += 1
            elif value == 0:
                draws = True
            elif value < 0:
                win = -value if win == 0 else min(win, -value)
            else:
                loss = max(loss, value + 1)
        counts[k] = used - begin
        remaining[k] = BUSY if draws or win else used - begin
        late[k] = loss
        if win:
            due[k] = win
        elif used == begin and not draws:
            due[k] = -(loss + 1)
    return missing, used


@entry
def link_kernel(first, counts, children, starts, parents):
    """Fill parents, uint32: those of a position begin at starts[position]; starts is passed as the ends of these lists."""
    used = 0
    for k in range(len(counts)):
        for _ in range(counts[k]):
            there = children[used]
            used += 1
            starts[there] -= np.uint32(1)
            parents[starts[there]] = np.uint32(first + k)


@entry
def settle_kernel(ply, due, late, remaining, starts, parents):
    """Settle positions due at `ply` and propagate to their parents; returns how many were settled."""
    settled = 0
    for index in range(len(due)):
        value = due[index]
        if value != ply and value != -(ply + 1):
            continue
        if value == ply and ply == 0:
            continue
        settled += 1
        for k in range(starts[index], starts[index + 1]):
            parent = parents[k]
            if value < 0:
                if due[parent] == 0 or due[parent] > ply + 1:
                    due[parent] = ply + 1
            elif remaining[parent] < BUSY:
                remaining[parent] -= 1
                if remaining[parent] == 0 and due[parent] == 0:
                    due[parent] = -(max(np.int64(late[parent]), ply + 1) + 1)
    return settled


@entry
def unpack_kernel(rules, atlas, table, index, pos):
    """unpack() for Python."""
    return unpack(rules, atlas, table, index, pos)


@entry
def pack_kernel(rules, atlas, pos):
    """(table or -1, number) of a position, for Python."""
    owner = find_table(atlas, signature(rules, pos))
    if owner < 0:
        return np.int64(-1), np.int64(0)
    return owner >> 1, pack(rules, atlas, owner >> 1, owner & 1, pos)


@entry
def sample_kernel(rules, atlas, table, indexes, rows, firsts, keys, use):
    """Write positions of a table.

    rows: uint64[n, words]; firsts: uint64[n], 2 if both sides have the same pieces; keys: uint64[n], of their endings;
    use: bool[n], whether neither side is in check.
    """
    for i in range(len(indexes)):
        pos = rows[i]
        unpack(rules, atlas, table, indexes[i], pos)
        if firsts[i] > ONE:  # both sides have the same
            firsts[i] = pos[TURN]
        keys[i] = material_key(rules, pos, firsts[i])
        use[i] = not in_check(rules, pos, pos[TURN])
