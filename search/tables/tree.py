# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"
"""Tables of endings (tablebases) inside the search: exact scores of positions that a table in memory has."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compile.by_reference import by_reference
from engine.compile.jit import entry, jit
from engine.core.bits import ZERO, U, popcount
from engine.rules import BLACK, CASTLING, CLOCK, EP, WHITE
from search.limits import MATE, MATE_IN_MAX
from search.tables.numbers import COLUMNS, FIFTY_MOVES, OFFSET, SIGNATURES, Atlas, owner_of, pack

UNKNOWN_SCORE = MATE + 2  # instead of a score: no table has the position, or the 50-move rule may change its value
WINNING = MATE_IN_MAX - 2 * FIFTY_MOVES  # a win for which the 50-move rule may leave no time


@by_reference
class TreeTables(NamedTuple):
    """The tables of a game that are in memory."""

    most: int  # pieces of the largest, 0 without any
    atlas: Atlas


def _no_tables() -> TreeTables:
    layout, way, square = np.zeros((1, COLUMNS), np.int64), np.full((1, 64, 8), -1, np.int64), np.zeros((1, 64), np.int64)
    atlas = Atlas(layout, np.zeros((1, 8), np.uint64), square, square, way, np.zeros((8, 64), np.int64),
                  np.zeros(64, np.int64), np.zeros(64, np.uint64), np.zeros((65, 8), np.int64), np.zeros((2, 16), np.uint64),
                  np.zeros(SIGNATURES, np.uint64), np.full(SIGNATURES, -1, np.int64), np.zeros(0, np.uint16))
    return TreeTables(0, atlas)


NO_TABLES = _no_tables()


@jit
def table_score(rules, tables, pos, ply):
    """The exact score of a position that tables have, int64 from the side to move; else UNKNOWN_SCORE.

    A draw is one whatever the clock says. A win counts as a mate if the 50-move rule leaves time for it, whatever captures
    are on the way; from CLOCK 0 on it counts as a win in any case.
    """
    if tables.most == 0:
        return UNKNOWN_SCORE
    if popcount(pos[WHITE] | pos[BLACK]) > U(tables.most) or pos[CASTLING] != ZERO or pos[EP] != ZERO:
        return UNKNOWN_SCORE
    atlas = tables.atlas
    owner = owner_of(rules, atlas, pos)
    if owner < 0:
        return UNKNOWN_SCORE
    index = pack(rules, atlas, owner >> 1, owner & 1, pos)
    code = np.int64(atlas.known[atlas.layout[owner >> 1, OFFSET] + index])
    if code == 0:
        return 0
    plies = code - 1
    if plies + np.int64(pos[CLOCK]) <= FIFTY_MOVES:
        score = MATE - ply - plies
    elif pos[CLOCK] == ZERO:
        score = WINNING - ply
    else:
        return UNKNOWN_SCORE
    return score if plies & 1 else -score


@entry
def score_kernel(rules, tables, pos, ply):
    """table_score() for Python; ply: int64."""
    return table_score(rules, tables, pos, ply)
