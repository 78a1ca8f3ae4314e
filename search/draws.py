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
    """Whether the game is drawn by the fifty-move rule, or by the number of moves that the game has instead; bool."""
    return rules.progress_limit > 0 and pos[CLOCK] >= U(rules.progress_limit)


@jit(forceinline=True)
def is_draw(rules, stack, row, draws):
    """Whether stack[row] is a draw by repetition or, if `draws`, int64, is not 0, by material; bool.

    stack: uint64[ROWS, words]; row: int64.
    """
    return (draws != 0 and drawn_material(rules, stack[row])) or repeated(rules, stack, row)


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
    back = 2 if rules.driven_king else 4  # a king may step back to where it was driven from
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
