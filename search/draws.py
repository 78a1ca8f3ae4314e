"""Draws that the rules leave to the players or to the whole game: repetition and material that cannot mate."""

from __future__ import annotations

import numpy as np

from engine.compile.jit import jit
from engine.core.bits import U, popcount
from engine.core.ending import MOST_MINOR, only_minor_pieces
from engine.rules import BLACK, CLOCK, KEY, WHITE
from search.state import ROOT


@jit
def progress_limit_reached(rules, pos):
    """Whether so many plies have passed without capture or pawn move that the game is drawn; bool."""
    return rules.progress_limit > 0 and pos[CLOCK] >= U(rules.progress_limit)


@jit
def repeated(rules, stack, row):
    """Whether the position of stack[row] has occurred once since the root, or twice in all; bool.

    stack: uint64[ROWS, words]; row: int64.
    """
    if rules.repetitions == 0:
        return False
    key = stack[row, KEY]
    reach = row
    if not rules.captures_return:
        reach = min(np.int64(stack[row, CLOCK]), row)
    times = 0
    back = 4
    while back <= reach:
        if stack[row - back, KEY] == key:
            times += 1
            if row - back >= ROOT or times == 2:
                return True
        back += 2
    return False


@jit
def drawn_material(rules, pos):
    """Whether only kings and at most one knight or bishop, by the game's letters, are left; bool."""
    if popcount(pos[WHITE] | pos[BLACK]) > U(MOST_MINOR):
        return False
    return only_minor_pieces(rules, pos)
