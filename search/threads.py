"""The threads of a search: what each one owns, what all of them share, and how they are started."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from engine.game import Game
from engine.rules import KEY, Rules
from search import tt
from search.alphabeta import search
from search.eval.features import weights_of
from search.eval.net.files import Weights, no_net
from search.limits import MATE, Current
from search.params import PARAMS
from search.state import (
    AGE,
    MOVE_LIST,
    NODE_LIMIT,
    NODES,
    PLAYED,
    QSEARCH_BUDGET,
    QSEARCH_CAP,
    RESTRICTED,
    ROOT,
    ROOT_COUNT,
    ROOT_DEPTH,
    ROOT_MOVES,
    ROOT_SCORE,
    SELDEPTH,
    STOP,
    TABLE_HITS,
    TRIED,
    ThreadData,
    new_thread,
)
from search.tables.tree import NO_TABLES, TreeTables

STACK_BYTES = 64 << 20  # the kernel takes a few kilobytes a ply; some systems give a thread no more than 512 KiB
NO_LIMIT = 1 << 62
FIRST_PLY_NODES = 25_000  # nodes after which the quiescence searches of the first ply go no deeper: a move is needed soon
QSEARCH_NODES = 2_000  # the most nodes of one quiescence search in later iterations

_STARTING = threading.Lock()


@dataclass
class Shared:
    """What all threads of a search read, and the table that they write.

    p: int32[len(PARAMS)], numbers of the search; weights: int64[...], weights of the evaluation; table: uint64[...], see
    search/tt.py; draws: 1 if insufficient material is a draw, else 0; net: None to evaluate by the weights alone; tables: of
    endings, in memory.
    """

    p: np.ndarray
    weights: np.ndarray
    table: np.ndarray
    draws: int
    net: Weights | None = None
    tables: TreeTables = NO_TABLES


class Worker:
    """The memory of one thread for one game, and its calls of the kernel.

    A *patient* worker searches its first ply to the end whatever its limits, so that there is a move to answer with;
    `settle()` ends that. Methods that change `halted` or `patient` are called under the lock of the search.
    """

    def __init__(self, rules: Rules):
        self.rules = rules
        self.stack, self.lists, self.histories, self.refutations, self.state = new_thread(rules)
        self.weights: Weights | None = None  # of the net
        self.net = no_net(rules)
        self.halted = self.patient = False
        self.limit = NO_LIMIT  # nodes
        self.pv_index = 0  # of the line that is searched: so many root moves are left out, because they begin better lines

    def begin(self, game: Game, age: int, stopped: bool, node_limit: int, patient: bool) -> None:
        """Take over the game so far and reset the counters of the last search.

        age: of the table's entries, see search/tt.py; stopped: a stop came already.
        """
        repeatable = game.repeatable()[-1 - ROOT:]
        self.stack[:ROOT, KEY] = 0
        self.stack[ROOT + 1 - len(repeatable):ROOT + 1] = repeatable
        self.state[:] = 0
        self.state[AGE], self.state[NODE_LIMIT] = age, NO_LIMIT if patient else node_limit
        self.halted, self.patient, self.limit = stopped, patient, node_limit
        if not patient:
            self.state[STOP] = stopped
        self.refutations[:] = 0  # killers belong to the plies of one search

    def halt(self) -> None:
        """Stop: at once, or if patient, as soon as the first ply is searched."""
        self.halted = True
        if not self.patient:
            self.state[STOP] = 1

    def settle(self) -> None:
        """End the patience: from now on stops and the limit of nodes are obeyed at once."""
        self.patient = False
        self.state[NODE_LIMIT] = self.limit
        if self.halted:
            self.state[STOP] = 1

    def resume(self) -> None:
        """Be patient again after a stop: one more call of the kernel is needed for a move to answer with."""
        self.patient = True
        self.state[STOP], self.state[NODE_LIMIT] = 0, NO_LIMIT

    def iterate(self, shared: Shared, roots: list[int], depth: int, alpha: int, beta: int, restricted: bool,
                first_ply: int = FIRST_PLY_NODES) -> int:
        """Search the root moves to a depth in a window, and return the score in centipawns.

        restricted: `roots` are not all legal moves, so the result is not stored; first_ply: nodes for the quiescence searches
        of a search to depth 1, all together.
        """
        state = self.state
        state[QSEARCH_BUDGET], state[QSEARCH_CAP] = QSEARCH_NODES, NO_LIMIT
        if depth == 1:
            state[QSEARCH_BUDGET], state[QSEARCH_CAP] = min(QSEARCH_NODES, first_ply // len(roots)), state[NODES] + first_ply
        state[ROOT_COUNT], state[ROOT_DEPTH], state[RESTRICTED], state[SELDEPTH] = len(roots), depth, restricted, 0
        state[ROOT_MOVES:ROOT_MOVES + 2 * len(roots)] = 0
        state[ROOT_MOVES:ROOT_MOVES + 2 * len(roots):2] = roots
        self.lists[0, 0] = 0
        return int(search(*self._arguments(shared, depth, alpha, beta)))

    def thread(self, shared: Shared) -> ThreadData:
        """What the kernel reads and writes."""
        if shared.net is not self.weights:
            self.weights = shared.net
            self.net = no_net(self.rules) if shared.net is None else shared.net.net(self.rules, len(self.stack))
        return ThreadData(shared.p, shared.weights, shared.table, self.stack, self.lists, self.histories, self.refutations,
                          self.state, self.net, shared.tables)

    def _arguments(self, shared: Shared, depth: int, alpha: int, beta: int) -> tuple[Any, ...]:
        return self.rules, self.thread(shared), shared.draws, 0, depth, alpha, beta, 0

    # Results of the last call

    @property
    def stopped(self) -> bool:
        """Whether a stop or the limit of nodes ended the call."""
        return bool(self.state[STOP])

    @property
    def nodes(self) -> int:
        """Nodes of this thread since begin()."""
        return int(self.state[NODES])

    @property
    def table_hits(self) -> int:
        """Positions of this thread that tables had, since begin()."""
        return int(self.state[TABLE_HITS])

    @property
    def seldepth(self) -> int:
        """The deepest ply reached in the call."""
        return int(self.state[SELDEPTH])

    @property
    def best_score(self) -> int:
        """The score in centipawns of the best root move of a call that was stopped."""
        return int(self.state[ROOT_SCORE])

    def line(self) -> list[int]:
        """The principal variation as the kernel left it, with no check of its moves."""
        moves = self.lists[0, :MOVE_LIST]
        return [int(move) for move in moves[:int(np.argmin(moves != 0))]]

    def root_moves(self) -> np.ndarray:
        """int64[n, 2]: the root moves of the call and the nodes below each."""
        return self.state[ROOT_MOVES:ROOT_MOVES + 2 * int(self.state[ROOT_COUNT])].reshape(-1, 2)

    def share(self, move: int) -> float:
        """The part of the call's nodes that were spent on one root move, 0 to 1."""
        moves, nodes = self.root_moves().T
        return float(nodes[moves == move].sum() / max(1, nodes.sum()))

    def current(self) -> Current | None:
        """The root move that is searched now; None between two calls."""
        move = int(self.state[PLAYED])
        if move not in self.root_moves()[:, 0]:
            return None
        return Current(int(self.state[ROOT_DEPTH]), move, self.pv_index + int(self.state[TRIED]))

    @classmethod
    def compile(cls, rules: Rules) -> None:
        """Compile the search kernel and nothing else, so that another process can compile the rest at the same time."""
        shared = Shared(PARAMS.array(), weights_of(rules), tt.new_table(1), 0)
        search.compile(tuple(map(numba.typeof, cls(rules)._arguments(shared, 1, -MATE, MATE))))


def start_thread(target: Callable[..., None], *args: object) -> threading.Thread:
    """Start a daemon thread with room on its stack for the recursion of a kernel."""
    thread = threading.Thread(target=target, args=args, daemon=True)
    with _STARTING:  # the size is one setting for the whole process: put back at once, before another thread reads it
        before = threading.stack_size(STACK_BYTES)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    return thread
