# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"
"""Kernel that writes out positions of a table and says what they are."""

from __future__ import annotations

import numpy as np

from engine.compile.jit import entry, jit
from engine.core.attackers import in_check
from engine.core.bits import U, popcount, row_on_stack
from engine.core.legality import generate
from engine.core.movegen import ALL_MOVES
from engine.rules import BLACK, TURN, WHITE
from search.eval.endings import material_key
from search.tables.kernels import is_position, play_without_history, reachable
from search.tables.numbers import MOST_PLACES

# What a position is, in one byte
CHECKED, CAPTURES, UNUSUAL, NOWHERE = 1, 2, 4, 8


@jit
def can_capture(rules, pos, child, moves):
    """Whether a move leaves fewer pieces on the board."""
    n = generate(rules, pos, ALL_MOVES, moves)
    pieces = popcount(pos[WHITE] | pos[BLACK])
    for i in range(n):
        play_without_history(rules, pos, child, U(moves[i]))
        if popcount(child[WHITE] | child[BLACK]) < pieces:
            return True
    return False


@entry
def sample_kernel(rules, atlas, table, alike, numbers, rows, child, moves, firsts, keys, flags):
    """Write the positions with these numbers, int64[n], into rows, uint64[n, words].

    alike: whether both sides have the same pieces; then who is to move is the first. child: uint64[words]; moves:
    uint32[rules.max_moves]. firsts: uint64[n], the colour of the first side; keys: uint64[n], of their endings; flags:
    uint8[n]: CHECKED, CAPTURES: the side to move is in check, can capture; UNUSUAL: no game comes to the position;
    NOWHERE: there is no position with that number.
    """
    places = row_on_stack(MOST_PLACES)
    for i in range(len(numbers)):
        pos = rows[i]
        if not is_position(rules, atlas, table, numbers[i], pos, places):
            flags[i] = NOWHERE
            continue
        firsts[i] = pos[TURN] if alike else np.uint64(0)
        keys[i] = material_key(rules, pos, firsts[i])
        flags[i] = (CHECKED * in_check(rules, pos, pos[TURN]) + CAPTURES * can_capture(rules, pos, child, moves)
                    + UNUSUAL * (not reachable(rules, pos)))
