"""Counting the leaves of the game tree."""

from __future__ import annotations

import numpy as np

from engine.bits import ONE, ZERO
from engine.jit import entry
from engine.movegen import ALL_MOVES, COUNT, MAX_MOVES, legal
from engine.position import make


@entry
def perft_kernel(rules, stack, lists, ply, depth):
    """Leaves `depth` >= 1 plies below stack[ply]; stack uint64[plies, words], lists uint32[plies, MAX_MOVES]."""
    pos, moves = stack[ply], lists[ply]
    if depth == 1:
        return legal(rules, pos, COUNT, moves)
    child = stack[ply + 1]
    total = ZERO
    n = legal(rules, pos, ALL_MOVES, moves)
    i = ZERO
    while i < n:
        make(rules, pos, child, np.uint64(moves[i]), False)
        if depth == 2:
            total += legal(rules, child, COUNT, moves)
        else:
            total += perft_kernel(rules, stack, lists, ply + 1, depth - 1)
        i += ONE
    return total
_ = MAX_MOVES
