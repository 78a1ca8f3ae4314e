"""One thread's memory, all arrays: nothing is allocated while the search runs.

    uint64 stack[ROWS, words]     positions; row ROOT is the root, the rows before it the game so far, KEY 0 if unknown
    int64 lists[PLIES, width]     a ply's principal variation, ended by 0, and from MOVE_LIST on its entries (ordering.py)
    int16 histories[...]          histories of moves, corrections of the static evaluation (histories.py)
    int32 refutations[...]        killers and countermoves (histories.py)
    int64 state[STATE]            counters, limits, the stop word, numbers of each ply, the root's moves (below)
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from engine.compile.by_reference import by_reference
from engine.rules import Rules
from search.histories import new_histories, new_refutations
from search.limits import MATE, MAX_PLY

ROOT = 104  # rows of the game before the root: after 100 plies without progress the game is drawn
ROWS = ROOT + MAX_PLY + 4
MOVE_LIST = MAX_PLY + 8

INFINITE = MATE + 1
NULL = -1  # in place of a move: a null move
NO_STATIC_EVAL = -MATE - 2  # in place of a static evaluation

# state. STOP: 1 ends the search; AGE: of new entries of the transposition table; ROOT_DEPTH: of the iteration; ROOT_COUNT: root
# moves; RESTRICTED: 1 if these are not all legal moves
STOP, NODES, NODE_LIMIT, SELDEPTH, AGE, ROOT_DEPTH, ROOT_COUNT, RESTRICTED = range(8)
ROOT_SCORE = 8  # of the line in lists[0], from its move's own search, also if the iteration was stopped
# The most nodes of one quiescence search; the values of NODES that end all of them and the present one
QSEARCH_BUDGET, QSEARCH_CAP, QSEARCH_END = 9, 10, 11
TABLE_HITS = 12  # positions that tables of endings had
STATIC_EVALS = 16  # + ply: static evaluation or NO_STATIC_EVAL
PLAYED = STATIC_EVALS + MAX_PLY + 4  # + ply: the move made there, NULL for a null move, 0 for none
EXCLUDED = PLAYED + MAX_PLY + 4  # + ply: the move that a singular search leaves out, 0 for none
DOUBLE_EXTENSIONS = EXCLUDED + MAX_PLY + 4  # + ply: how often the way there was extended by two plies
PAIR_ROWS = DOUBLE_EXTENSIONS + MAX_PLY + 4  # + ply: row of the pairs with the move made there (histories.py), 0 for none
TRIED = PAIR_ROWS + MAX_PLY + 4  # + ply: which of the moves the one made there is, from 1
QUIET = TRIED + MAX_PLY + 4  # + ply: 1 if it is quiet
ON_PV = QUIET + MAX_PLY + 4  # + ply: 1 if the position is or was in a principal variation
ROOT_MOVES = ON_PV + MAX_PLY + 4  # + 2n: the root moves to search, in this order; + 2n + 1: nodes below each


@by_reference
class ThreadData(namedtuple("ThreadData", "p weights table stack lists histories refutations state net tables")):
    """What one thread's search reads and writes.

    p: int32[len(PARAMS)]; weights: int64[WEIGHTS ...]; table: uint64[8 * clusters], shared by all threads;
    net: Net, with the accumulators of this thread; tables: TreeTables, of endings.
    """


class Node(namedtuple("Node", "pos us ply depth pv_node cut_node on_pv in_danger evading quiescent improving prunable "
                              "static_eval refined_eval prev_move rows table_move excluded forcing")):
    """What is known of a node before its moves are tried.

    pos: uint64[words]; us: uint64 colour; pv_node, on_pv, in_danger, evading, quiescent, improving, prunable: bool; the others
    int64. evading: in check, and exchanges can be judged; prunable: moves may be left out; prev_move: the last move, 0 for
    none; rows: of the pairs with earlier moves, four int64; excluded: the move that is not to be tried, 0 for none.
    forcing: uint64[FORCING], the row of forcing.py once the picker has filled it.
    """


def new_thread(rules: Rules) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(stack, lists, histories, refutations, state) of one thread."""
    most = rules.traits.max_moves
    width = (MOVE_LIST + most) // 16 * 16 + 24  # an odd number of cache lines: the rows begin in different sets of the cache
    return (np.zeros((ROWS, rules.traits.words), np.uint64), np.zeros((MAX_PLY + 3, width), np.int64), new_histories(rules),
            new_refutations(), np.zeros(ROOT_MOVES + 2 * most, np.int64))
