"""The search as the rest of the program sees it: one object that searches positions on several threads.

Searching prints nothing; results go to callbacks.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from engine.core.legality import position_after
from engine.game import Game
from engine.rules import KEY, Rules
from engine.text import legal_moves
from search import deepening, tt
from search.clock import Budget
from search.deepening import Deepening, Line, Task
from search.eval.features import params_of, weights_of
from search.eval.net.files import Weights, net_of
from search.limits import MOST_STATIC, Best, Current, Info, Limits
from search.params import PARAMS
from search.tables.probing import Tables
from search.tables.probing import bundled as bundled_tables
from search.tables.root import Root, lines_of, look_up_root
from search.tables.tree import NO_TABLES, TreeTables, score_kernel
from search.threads import NO_LIMIT, Shared, Worker, start_thread

if TYPE_CHECKING:  # it imports python-chess
    from search.tables.syzygy import Syzygy, SyzygyRoot

COUNT_EVERY = 0.001  # seconds between two counts of the nodes of several threads
NODES_OF_A_THREAD = 25_000  # with a limit of nodes, no thread starts for fewer: it would be over before the first count
INDULGENCE = 0.012  # seconds that a search told to end may spend on the rest of its first ply


def _as_draws(on_info: Callable[[Info], None] | None) -> Callable[[Info], None] | None:
    """A callback that is given scores of 0 only."""
    return None if on_info is None else lambda info: on_info(replace(info, score=0, bound="", tbhits=1))


def _as_late(on_info: Callable[[Info], None] | None) -> Callable[[Info], None] | None:
    """A callback that is given scores of 0, until the search finds an end for which the 50-move rule leaves time."""
    if on_info is None:
        return None
    return lambda info: on_info(info if abs(info.score) > MOST_STATIC else replace(info, score=0, bound=""))


def _as_graded(on_info: Callable[[Info], None] | None, root: SyzygyRoot) -> Callable[[Info], None] | None:
    """A callback that is given the score of the Syzygy files, until the search finds the mate."""
    if on_info is None:
        return None

    def graded(info: Info) -> None:
        mates = root.score != 0 and not info.bound and info.mate is not None and (info.mate > 0) == (root.score > 0)
        on_info(replace(info, score=info.score if mates else root.score, bound="", tbhits=info.tbhits + len(root.moves)))

    return graded


class Searcher:
    """Searches positions. One search at a time; `stop`, `ponder_hit`, `prepare` and `current` may be called by any thread.

    The transposition table and the histories last from search to search of a game, until clear().

    >>> searcher = Searcher(hash_mb=1)
    >>> game = Game("chess", "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1")
    >>> game.text(searcher.search(game, Limits(depth=3)).move)
    'a1a8'
    """

    def __init__(self, hash_mb: int = 16, threads: int = 1, p: np.ndarray | None = None, weights: np.ndarray | None = None,
                 nets: Callable[[Rules], Weights | None] = net_of, tables: Tables | None = None,
                 syzygy: Syzygy | None = None, bundled: bool = True):
        """Reserve the table.

        hash_mb: MiB of the transposition table; threads: how many search; p: int32[len(PARAMS)], numbers of the search;
        weights: int64[...], weights of the evaluation. If these are None, each game is searched with its own.
        nets: the net of a game, by default the one that is shipped; None for a game that is evaluated by the weights.
        tables: of endings, for the position that is searched; syzygy: Syzygy tablebases, for positions that `tables` lack;
        bundled: whether the tables that come with a game are used inside the search if `tables` is None.
        """
        self.threads = threads
        self.p, self.weights, self.nets, self.tables, self.syzygy = p, weights, nets, tables, syzygy
        self.bundled = bundled
        self.known: Root | None = None  # what `tables` said of the last position searched
        self.graded: SyzygyRoot | None = None  # what `syzygy` said of the last position searched
        self.changed: dict[str, int] = {}  # numbers of the search that replace those of every game
        self.table = tt.new_table(hash_mb, threads)
        self._wake = threading.Condition()
        self._stopped = self._hit = False  # what was said to the next search, or to the one under way
        self._age = 0
        self._workers: list[Worker] = []
        self._helpers: list[threading.Thread] = []
        self._task: Task | None = None  # the search under way, or the last one
        self._rules: Rules | None = None  # of what is in the table; None while it is empty
        self._last_search: tuple[Rules, int, int] | None = None  # game, ply and score of the last search on our own clock

    # Memory

    def resize(self, hash_mb: int) -> None:
        """Replace the table by an empty one of that many MiB, and forget all searches.

        Raises MemoryError, OSError; then the table is the smallest there is.
        """
        self._join()
        self._forget()
        self.table = tt.new_table(0)  # give the memory back before asking for more; a search can do with this one
        self.table = tt.new_table(hash_mb, self.threads)

    def clear(self) -> None:
        """Forget everything learned from former searches."""
        self._join()
        tt.wipe(self.table, self.threads)
        self._forget()

    def _forget(self) -> None:
        self._age = 0
        self._rules = self._last_search = None
        self._workers = []

    def numbers(self, rules: Rules) -> np.ndarray:
        """int32[len(PARAMS)] that a game is searched with."""
        p = params_of(rules) if self.p is None else self.p
        if self.changed:
            p = p.copy()
            for name, value in self.changed.items():
                p[PARAMS.index(name)] = value
        return p

    # Searching

    def prepare(self) -> None:
        """Forget stops and ponder hits of the past: what comes from now on is meant for the next search."""
        with self._wake:
            self._stopped = self._hit = False

    def stop(self) -> None:
        """End the search, which answers within milliseconds; before it begins, let it end at once."""
        with self._wake:
            self._stopped = True
            self._halt()
            self._wake.notify_all()

    def ponder_hit(self) -> None:
        """The opponent played the move pondered on: our clock runs from now, and the time pondered counts as thought."""
        with self._wake:
            self._hit = True
            self._wake.notify_all()

    def search(self, game: Game, limits: Limits, *, multipv: int = 1, overhead: float = 10.0,
               on_info: Callable[[Info], None] | None = None, on_move: Callable[[Current], None] | None = None) -> Best:
        """Search the game's position within the limits, and return the best move; blocks until there is an answer.

        multipv: how many lines to report; overhead: milliseconds between our answer and its arrival;
        on_info: called by the first search thread with each line of each iteration;
        on_move: called by the calling thread with the current root move, once the search has taken seconds.
        Raises what a callback raises.
        """
        began = time.perf_counter()
        legal = [int(move) for move in legal_moves(game.rules, game.pos)]
        roots = [move for move in legal if move in limits.searchmoves] or legal
        known = self.known = look_up_root(self.tables, game, roots)
        if known is not None and not known.decided:  # what the search finds behind a drawing move are errors to come
            roots, on_info = known.drawing, _as_late(on_info) if known.late else _as_draws(on_info)
        graded = self.graded = self.syzygy.root(game, roots) if self.syzygy is not None and known is None and roots else None
        if graded is not None:
            roots, on_info = graded.best, _as_graded(on_info, graded)
        # what is decided by `known` is not searched
        drawn = (known is not None and not known.late) or (graded is not None and graded.score == 0)
        self._join()
        self._empty_for(game.rules)
        weights = weights_of(game.rules) if self.weights is None else self.weights
        shared = Shared(self.numbers(game.rules), weights, self.table, int(game.rules.material_draws),
                        self.nets(game.rules), self._tree_tables(game, drawn))
        with self._wake:
            task = self._task = Task(game, limits, roots, max(1, min(multipv, len(roots))), overhead, self._age, shared,
                                     on_info, on_move, self._wake, began, pondering=limits.ponder and not self._hit,
                                     score_before=self._score_before(game))
        try:
            if known is not None and known.decided:
                self._tell(task, known)
            elif roots:
                self._workers = [worker for worker in self._workers if worker.rules is game.rules][:max(1, self.threads)]
                self._search(task)
            else:
                task.done = True
                self._oversee(task)
        finally:
            with self._wake:
                self._stopped = self._hit = False
                task.answered = True
        if task.lines and not task.pondering:
            self._last_search = game.rules, game.ply(), task.lines[0].score
        self._age = (self._age + 1) % tt.AGES
        if task.error is not None:
            raise task.error
        return self._answer(task)

    def current(self) -> Current | None:
        """The root move that is searched now; None if no search is under way, or none has come to a move."""
        with self._wake:
            task = self._task
            if task is None or task.answered or not task.workers:
                return None
            return task.workers[0].current()

    def budget(self) -> Budget:
        """How long the search under way, or the last one, was to think; without limits while pondering."""
        return Budget() if self._task is None else self._task.budget

    def nodes(self) -> int:
        """Nodes of all threads, in the search under way or the last one."""
        return 0 if self._task is None else self._task.nodes()

    def threads_used(self) -> int:
        """Threads that the search under way, or the last one, has started; short searches start fewer than `threads`."""
        return 0 if self._task is None else len(self._task.workers)

    # How it is done

    def _empty_for(self, rules: Rules) -> None:
        """Empty the table if it is another game's: equal boards have equal keys in all games."""
        if self._rules is not None and self._rules is not rules:
            tt.wipe(self.table, self.threads)
        self._rules = rules

    def _score_before(self, game: Game) -> int | None:
        """The score of the search for our last move, centipawns; None if the last search was not for that."""
        if self._last_search is None:
            return None
        rules, ply, score = self._last_search
        return score if rules is game.rules and ply + 2 == game.ply() else None

    def _tree_tables(self, game: Game, drawn: bool) -> TreeTables:
        """The tables for the positions that are searched: none if all root moves draw, for then each would look alike."""
        if drawn:
            return NO_TABLES
        if self.tables is not None:
            return self.tables.tree(game.rules)
        tree = bundled_tables().tree(game.rules) if self.bundled else NO_TABLES
        if game.pieces().bit_count() <= tree.most and score_kernel(game.rules, tree, game.pos, 0) == 0:
            return NO_TABLES
        return tree

    def _tell(self, task: Task, known: Root) -> None:
        """Answer with what tables say, when the limits want an answer."""
        assert self.tables is not None
        infos = lines_of(self.tables, task.game, known, task.multipv, task.elapsed())
        task.lines = [Line(info.score, info.depth, info.seldepth, info.pv) for info in infos]
        for info in infos:
            if task.on_info is not None:
                task.on_info(info)
        task.done = True
        self._oversee(task)

    def _search(self, task: Task) -> None:
        """Start the first thread, and see that all end in time."""
        first = self._start(task)
        try:
            self._oversee(task)
        finally:  # whatever a callback raises: the next search uses the same workers
            with self._wake:
                self._halt()
            first.join(INDULGENCE)
            if first.is_alive():  # a first ply of many captures may take seconds
                with self._wake:
                    task.workers[0].settle()
                first.join()  # only this one: the others end by themselves

    def _join(self) -> None:
        """Wait for threads of the last search that are still ending."""
        for helper in self._helpers:
            helper.join()
        self._helpers = []

    def _start(self, task: Task) -> threading.Thread:
        """Start the next thread of a search."""
        number = len(task.workers)
        worker = self._workers[number] if number < len(self._workers) else Worker(task.game.rules)
        limit = NO_LIMIT if task.limits.nodes is None else max(1, task.limits.nodes)
        with self._wake:
            if number == len(self._workers):
                self._workers.append(worker)
            worker.begin(task.game, task.age, self._stopped, limit, patient=number == 0)
            task.workers.append(worker)
        return start_thread(self._think, task, number)

    def _think(self, task: Task, number: int) -> None:
        """Body of each search thread."""
        try:
            Deepening(task, number).run()
        except BaseException as error:
            if number == 0:
                task.error = error
        if number == 0:
            with self._wake:
                task.done = True
                self._wake.notify_all()

    def _halt(self) -> None:
        for worker in self._workers:
            worker.halt()

    def _oversee(self, task: Task) -> None:
        """Wait for the end: the first thread has ended, the hard limit is reached, or a stop came."""
        reported: Current | None = None
        while True:
            if self._lacks_threads(task):
                self._helpers.append(self._start(task))
            with self._wake:
                if task.pondering and self._hit:
                    task.start_clock(time.perf_counter())
                    if task.thought_enough():
                        return
                left = task.seconds_left()
                if self._stopped or (task.done and not task.waits) or (left is not None and left <= 0):
                    return
                if self._counts_nodes(task) and task.nodes() >= (task.limits.nodes or 0):
                    return
                if not self._lacks_threads(task):
                    self._wake.wait(self._nap(task, left))
            # Without the lock: a GUI that does not read must not keep stop() waiting.
            if task.on_move is not None and not task.done and not self._stopped and task.elapsed() >= deepening.TALKATIVE:
                current = task.workers[0].current()
                if current is not None and current != reported:
                    reported = current
                    task.on_move(current)

    def _lacks_threads(self, task: Task) -> bool:
        """Whether to start one more thread: not before the first one has a move to answer with."""
        nodes = task.limits.nodes
        most = self.threads if nodes is None else min(self.threads, max(1, nodes // NODES_OF_A_THREAD))
        return task.depth > 0 and len(task.workers) < most and not task.done

    @staticmethod
    def _counts_nodes(task: Task) -> bool:
        """Whether a limit of nodes is shared by several threads: no thread sees the sum."""
        return task.limits.nodes is not None and len(task.workers) > 1 and not task.done

    def _nap(self, task: Task, left: float | None) -> float | None:
        """Seconds to wait for news at most; None without a limit."""
        if self._counts_nodes(task):
            return COUNT_EVERY if left is None else min(COUNT_EVERY, left)
        if task.on_move is None or task.done:
            return left
        glance = max((deepening.TALKATIVE - task.elapsed()) / 1000, deepening.GLANCE)
        return glance if left is None else min(glance, left)

    def _answer(self, task: Task) -> Best:
        """The move to play, and the expected reply from the line or the table."""
        if not task.roots:
            return Best(None)
        pv = task.lines[0].pv if task.lines else ()
        if not pv:
            return Best(task.roots[0])
        if len(pv) > 1:
            return Best(pv[0], pv[1])
        child = position_after(task.game.rules, task.game.pos, pv[0])
        reply = tt.peek(self.table, int(child[KEY]))
        return Best(pv[0], reply if reply and reply in legal_moves(task.game.rules, child) else None)
