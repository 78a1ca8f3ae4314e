"""The threads of a search: iterative deepening, limits, reports. Each thread has its own stacks and histories; all share one
table. Searching never prints; news goes to a callback."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np

from engine.core.legality import position_after
from engine.game import Game
from engine.rules import CLOCK, KEY, Rules
from engine.text import Position, legal_moves
from search import tt
from search.alphabeta import (
    AGE,
    LISTED,
    NODE_LIMIT,
    NODES,
    PLAYED,
    QUIET_CAP,
    QUIET_ROOM,
    RESTRICTED,
    ROOT,
    ROOT_COUNT,
    ROOT_DEPTH,
    ROOT_MOVES,
    ROOT_SCORE,
    SELDEPTH,
    STOP,
    new_thread,
    search,
)
from search.clock import Budget, budget, patience
from search.eval.features import params_of, weights_of
from search.limits import MATE, MATE_IN_MAX, Best, Current, Info, Limits
from search.ordering import HISTORY, MAX_PLY
from search.params import ASPIRATION, PARAMS

STACK_BYTES = 64 << 20  # a thread's stack: frames are a few kilobytes a ply
MAX_DEPTH = 100
NO_LIMIT = 1 << 62
QUICK_DEPTH = 6  # deep enough where there is but one move
TALKATIVE = 3000.0  # milliseconds after which bounds and the root move under way are reported too
GLANCE = 0.1  # seconds between two looks at the root move under way
FIRST_PLY = 25_000  # nodes after which the first ply's quiescences go no deeper: there must be a move to answer with soon
QUIET_NODES = 2_000  # nodes of one quiescence at most, later


@dataclass
class Line:
    """What one iteration found for one of the best moves."""

    score: int
    depth: int
    seldepth: int
    pv: tuple[int, ...]
    bound: str = ""


class Thread:
    """One thread's memory for one game, and its calls of the kernel."""

    def __init__(self, rules: Rules):
        self.rules = rules
        self.stack, self.lists, self.memo, self.state = new_thread(rules)
        self.halted = self.patient = False
        self.limit = NO_LIMIT
        self.before = 0  # root moves that are not searched, for they lead better lines

    def halt(self) -> None:
        """Stop, at once or as soon as there is a move worth answering with. Under the searcher's lock, as settle()."""
        self.halted = True
        if not self.patient:
            self.state[STOP] = 1

    def settle(self) -> None:
        """The first ply is searched: from now on stops and the limit of nodes are obeyed at once."""
        self.patient = False
        self.state[NODE_LIMIT] = self.limit
        if self.halted:
            self.state[STOP] = 1

    def begin(self, game: Game, age: int, stopped: bool, node_limit: int, patient: bool) -> None:
        """Take over the game so far and forget the last search's counters."""
        played = game.positions[-1 - min(ROOT, len(game.positions) - 1, int(game.pos[CLOCK])):]
        self.stack[:ROOT, KEY] = 0
        self.stack[ROOT + 1 - len(played):ROOT + 1] = played
        self.state[:] = 0
        self.state[AGE], self.state[NODE_LIMIT] = age, NO_LIMIT if patient else node_limit
        self.halted, self.patient, self.limit = stopped, patient, node_limit
        if not patient:
            self.state[STOP] = stopped
        self.memo[:HISTORY] = 0  # killers belong to a ply of one search

    def iterate(self, shared: Shared, roots: list[int], depth: int, alpha: int, beta: int, restricted: bool,
                first: int = FIRST_PLY) -> int:
        """One call of the kernel; the line it found lies in lists[0, :LISTED].

        first: nodes that quiescence may take in a search of one ply.
        """
        state = self.state
        state[QUIET_ROOM], state[QUIET_CAP] = QUIET_NODES, NO_LIMIT
        if depth == 1:
            state[QUIET_ROOM], state[QUIET_CAP] = min(QUIET_NODES, first // len(roots)), state[NODES] + first
        state[ROOT_COUNT], state[ROOT_DEPTH], state[RESTRICTED], state[SELDEPTH] = len(roots), depth, restricted, 0
        state[ROOT_MOVES:ROOT_MOVES + 2 * len(roots)] = 0
        state[ROOT_MOVES:ROOT_MOVES + 2 * len(roots):2] = roots
        self.lists[0, 0] = 0
        return int(search(*self.arguments(shared, depth, alpha, beta)))

    def arguments(self, shared: Shared, depth: int, alpha: int, beta: int) -> tuple[Any, ...]:
        """What the kernel is called with at the root."""
        return (self.rules, shared.p, shared.weights, shared.table, self.stack, self.lists, self.memo, self.state,
                shared.draws, 0, depth, alpha, beta, 0)

    def roots(self) -> np.ndarray:
        """int64[n, 2]: the root moves of the last iteration and the nodes below each."""
        return self.state[ROOT_MOVES:ROOT_MOVES + 2 * int(self.state[ROOT_COUNT])].reshape(-1, 2)

    def line(self) -> list[int]:
        """The principal variation as the kernel left it."""
        moves = self.lists[0, :LISTED]
        return [int(move) for move in moves[:int(np.argmin(moves != 0))]]


@dataclass
class Shared:
    """What all threads of a search see."""

    p: np.ndarray
    weights: np.ndarray
    table: np.ndarray
    draws: int


@dataclass
class Task:
    """One search under way."""

    game: Game
    limits: Limits
    roots: list[int]
    multipv: int
    overhead: float
    on_info: Callable[[Info], None] | None
    on_move: Callable[[Current], None] | None
    began: float
    age: int
    clock_began: float = 0.0
    budget: Budget = field(default_factory=Budget)
    lines: list[Line] = field(default_factory=list)
    stable: int = 0  # iterations for which the best move stayed the same
    drop: int = 0  # centipawns by which the last one scored less than the one before
    depth: int = 0  # plies the first thread has searched
    running: int = 0  # threads started
    shared: Shared | None = None
    error: BaseException | None = None
    done: bool = False

    @property
    def settled(self) -> bool:
        """Whether mate or depth may end it early: not while the clock of somebody else runs."""
        return not (self.limits.infinite or self.limits.ponder)


class Searcher:
    """Searches positions. One search at a time; `stop`, `ponder_hit` and `prepare` may come from any thread."""

    def __init__(self, hash_mb: int = 16, threads: int = 1, p: np.ndarray | None = None, weights: np.ndarray | None = None):
        self.threads = threads
        self.p, self.weights = p, weights  # the search's and the evaluation's numbers, a game's own where there are none
        self._wake = threading.Condition()
        self._stopped = False
        self._hit = False
        self._age = 0
        self._workers: list[Thread] = []
        self._helpers: list[threading.Thread] = []
        self._running = 0  # threads of the search under way, or of the last one
        self._table = tt.new_table(hash_mb, threads)

    # What a protocol calls

    def resize(self, hash_mb: int) -> None:
        """A table of another size, empty."""
        self._join()
        self._table = np.zeros(0, np.uint64)  # give the memory back before asking for more
        self._table = tt.new_table(hash_mb, self.threads)
        self._forget()

    def clear(self) -> None:
        """Forget everything learned from former searches."""
        self._join()
        tt.wipe(self._table, self.threads)
        self._forget()

    def _forget(self) -> None:
        self._age = 0
        self._workers = []

    def prepare(self) -> None:
        """Forget stops of the past: from now on a stop() holds for the next search, even before it begins."""
        with self._wake:
            self._stopped = self._hit = False

    def stop(self) -> None:
        """End the search; it answers at once."""
        with self._wake:
            self._stopped = True
            self._halt()
            self._wake.notify_all()

    def ponder_hit(self) -> None:
        """The move pondered on was played: the clock runs from now."""
        with self._wake:
            self._hit = True
            self._wake.notify_all()

    def search(self, game: Game, limits: Limits, *, multipv: int = 1, overhead: float = 10.0,
               on_info: Callable[[Info], None] | None = None, on_move: Callable[[Current], None] | None = None) -> Best:
        """The best move of the game's position within the limits; blocks until there is an answer.

        on_info is called by the first thread, on_move by the caller's: the root move under way, once that takes long.
        """
        began = time.perf_counter()
        legal = [int(move) for move in legal_moves(game.rules, game.pos)]
        roots = [move for move in legal if move in limits.searchmoves] or legal
        task = Task(game, limits, roots, max(1, min(multipv, len(roots))), overhead, on_info, on_move, began, self._age)
        self._start_clock(task, began)
        self._join()
        first = self._start(task, 0) if roots else None
        self._oversee(task)
        with self._wake:
            self._halt()
        if first is not None:
            first.join()  # the others end by themselves: nobody waits until each of them has had its turn
        with self._wake:
            self._stopped = self._hit = False
        self._age = (self._age + 1) % tt.AGES
        if task.error is not None:
            raise task.error
        return self._answer(task)

    # How it is done

    def _join(self) -> None:
        """Wait for threads of the last search that are still on their way out."""
        for helper in self._helpers:
            helper.join()
        self._helpers = []

    def _start(self, task: Task, number: int) -> threading.Thread:
        """Make a thread's memory ready and start it."""
        rules = task.game.rules
        if number == 0:
            self._workers = [worker for worker in self._workers if worker.rules is rules][:max(1, self.threads)]
            task.shared = Shared(self.numbers(rules), self._weights(rules), self._table, int(rules.material_draws))
        worker = self._workers[number] if number < len(self._workers) else Thread(rules)
        limit = NO_LIMIT if task.limits.nodes is None else max(1, -(-task.limits.nodes // max(1, self.threads)))
        with self._wake:
            if number == len(self._workers):
                self._workers.append(worker)
            worker.begin(task.game, task.age, self._stopped, limit, number == 0)
            task.running = self._running = number + 1
        before = threading.stack_size(STACK_BYTES)
        try:
            thread = threading.Thread(target=self._think, args=(task, number), daemon=True)
            thread.start()
        finally:
            threading.stack_size(before)
        return thread

    def _help(self, task: Task) -> None:
        """Start one more thread where one is missing: not before the first has a move to answer with."""
        if task.depth and task.running < self.threads and not task.done:
            self._helpers.append(self._start(task, task.running))

    def settle(self, thread: Thread, task: Task, depth: int) -> None:
        """The first thread has searched so many plies."""
        with self._wake:
            task.depth = depth
            if thread.patient:
                thread.settle()
                self._wake.notify_all()  # the others may begin

    def _start_clock(self, task: Task, began: float) -> None:
        task.clock_began = began
        task.budget = Budget() if task.limits.ponder and not self._hit else budget(
            task.limits, task.game.turn, task.overhead, self.numbers(task.game.rules))

    def numbers(self, rules: Rules) -> np.ndarray:
        """int32[len(PARAMS)] that a game is searched with."""
        return params_of(rules) if self.p is None else self.p

    def _weights(self, rules: Rules) -> np.ndarray:
        """int64[...] that a game is evaluated with."""
        return weights_of(rules) if self.weights is None else self.weights

    def _oversee(self, task: Task) -> None:
        """Wait for the end: the threads are done, the hard limit is reached, or somebody says stop."""
        pondering, waiting = task.limits.ponder, not task.settled
        said: Current | None = None
        while True:
            self._help(task)
            with self._wake:
                if not task.roots:
                    task.done = True
                if pondering and self._hit:
                    pondering, waiting = False, task.limits.infinite
                    self._start_clock(task, time.perf_counter())
                if self._stopped or (task.done and not waiting):
                    return
                now = time.perf_counter()
                hard = task.budget.hard
                timeout = None
                if hard is not None and not pondering:
                    timeout = task.clock_began + hard / 1000 - now
                    if timeout <= 0:
                        return
                quiet = task.began + TALKATIVE / 1000 - now
                if task.on_move is not None and not task.done:
                    glance = max(quiet, GLANCE)
                    timeout = glance if timeout is None else min(glance, timeout)
                if task.depth == 0 or task.running >= self.threads or task.done:
                    self._wake.wait(timeout)
                if task.on_move is None or task.done or self._stopped or quiet > 0:
                    continue
            current = self._current()  # told without the lock: a GUI that does not read must not keep stop() waiting
            if current is not None and current != said:
                said = current
                task.on_move(current)

    def _current(self) -> Current | None:
        """The root move the first thread is at."""
        worker = self._workers[0]
        move = int(worker.state[PLAYED])
        found = np.flatnonzero(worker.roots()[:, 0] == move)
        return Current(int(worker.state[ROOT_DEPTH]), move, worker.before + int(found[0]) + 1) if len(found) else None

    def _halt(self) -> None:
        for worker in self._workers:
            worker.halt()

    def _think(self, task: Task, number: int) -> None:
        """What each thread runs; the first one reports and decides."""
        try:
            Deepening(self, task, number).run()
        except BaseException as error:
            if number == 0:
                task.error = error
        if number == 0:
            with self._wake:
                task.done = True
                self._wake.notify_all()

    def enough(self, task: Task, depth: int) -> bool:
        """Whether the first thread may rest after an iteration."""
        limits = task.limits
        best = task.lines[0]
        if limits.mate is not None and MATE - best.score <= 2 * limits.mate:
            return True
        pondering = limits.ponder and not self._hit
        if limits.infinite or pondering:
            return False
        if abs(best.score) > MATE_IN_MAX and limits.depth is None and limits.nodes is None and limits.mate is None:
            if depth > 2 * (MATE - abs(best.score)) and task.multipv == 1:  # moves are reduced: a quicker mate shows late
                return True
        if task.budget.soft is None:
            return False
        if len(task.roots) == 1 and depth >= QUICK_DEPTH and limits.movetime is None:
            return True
        soft = task.budget.soft
        if soft < (task.budget.hard or soft):  # else all the time there is may be used
            soft *= patience(task.stable, task.drop, self._share(best.pv[0]), self.numbers(task.game.rules))
        return (time.perf_counter() - task.clock_began) * 1000 >= soft

    def _share(self, move: int) -> float:
        """Which part of the first thread's nodes of an iteration went to a root move."""
        moves, nodes = self._workers[0].roots().T
        return float(nodes[moves == move].sum() / max(1, nodes.sum()))

    def nodes(self) -> int:
        """Nodes of all threads of the last search."""
        return sum(int(worker.state[NODES]) for worker in self._workers[:self._running])

    def _answer(self, task: Task) -> Best:
        if not task.roots:
            return Best(None)
        pv = task.lines[0].pv if task.lines else ()
        if not pv:
            return Best(task.roots[0])
        if len(pv) > 1:
            return Best(pv[0], pv[1])
        child = position_after(task.game.rules, task.game.pos, pv[0])
        reply = tt.peek(self._table, int(child[KEY]))
        return Best(pv[0], reply if reply and reply in legal_moves(task.game.rules, child) else None)


class Deepening:
    """Iterative deepening in one thread."""

    def __init__(self, searcher: Searcher, task: Task, number: int):
        assert task.shared is not None
        self.searcher, self.task, self.shared, self.number = searcher, task, task.shared, number
        self.thread = searcher._workers[number]
        self.roots = list(task.roots)

    @property
    def stopped(self) -> bool:
        return bool(self.thread.state[STOP])

    def run(self) -> None:
        """Deeper and deeper, until a limit."""
        task, limits = self.task, self.task.limits
        most = MAX_DEPTH if limits.depth is None else max(1, min(limits.depth, MAX_DEPTH))
        if limits.mate is not None and limits.mate < 1:
            most = 1
        former: list[Line] = []
        # Threads that all did the same would find the same: every second one is a ply ahead.
        for depth in range(1 + task.depth + self.number % 2, most + 1):
            lines: list[Line] = []
            left = list(self.roots)
            for index in range(task.multipv):
                self.thread.before = index
                guess = former[index].score if index < len(former) else None
                line = self.line(left, depth, guess, index)
                if line is not None:
                    lines.append(line)
                    left.remove(line.pv[0])
                if self.stopped:
                    break
            if self.number == 0:
                if not lines and not former:
                    lines = [self.glance()]
                self.publish(lines, former)
                self.searcher.settle(self.thread, task, depth)
            if self.stopped:
                return
            former = sorted(lines, key=lambda line: -line.score)
            front = [line.pv[0] for line in former]
            self.roots = front + [move for move in self.roots if move not in front]
            if self.number == 0 and self.searcher.enough(task, depth):
                return

    def line(self, roots: list[int], depth: int, guess: int | None, index: int) -> Line | None:
        """Search some root moves to a depth, in a window around the guess; None where nothing came of it in time."""
        restricted = len(roots) < len(self.task.roots) or bool(self.task.limits.searchmoves)
        delta = int(self.shared.p[ASPIRATION])
        alpha, beta = -MATE, MATE
        if guess is not None and depth >= 5 and abs(guess) < MATE_IN_MAX:
            alpha, beta = guess - delta, guess + delta
        less = 0
        while True:
            score = self.thread.iterate(self.shared, roots, max(1, depth - less), alpha, beta, restricted)
            pv = self.checked(self.thread.line()) if self.number == 0 else tuple(self.thread.line())
            seldepth = int(self.thread.state[SELDEPTH])
            if self.stopped:
                # What was found before the stop is better than the last iteration's move, or is that move again.
                found = int(self.thread.state[ROOT_SCORE])
                return Line(found, depth, seldepth, pv, "lowerbound" if found >= beta else "") if pv else None
            if alpha < score < beta or (score <= -MATE or score >= MATE):
                return Line(score, depth, seldepth, pv) if pv else None
            upper = score <= alpha
            if self.number == 0 and index == 0 and self.elapsed() > TALKATIVE:
                shown = pv or (self.task.lines[0].pv if self.task.lines else ())
                self.say(Line(score, depth, seldepth, shown, "upperbound" if upper else "lowerbound"), 1)
            delta *= 3
            if upper:
                less, beta, alpha = 0, (alpha + beta) // 2, score - delta
            else:
                less, beta = min(less + 1, 3), score + delta
            if delta > 600 or abs(score) >= MATE_IN_MAX:
                alpha, beta = (-MATE, beta) if upper else (alpha, MATE)

    def glance(self) -> Line:
        """The best move by the static values behind the root moves: a node each, for there was no time for a ply."""
        thread = self.thread
        while True:
            with self.searcher._wake:
                thread.state[STOP], thread.state[NODE_LIMIT], thread.patient = 0, NO_LIMIT, True
            thread.iterate(self.shared, self.roots, 1, -MATE, MATE, True, first=0)
            pv = self.checked(thread.line())
            if pv:  # else somebody insisted on the end just then
                return Line(int(thread.state[ROOT_SCORE]), 1, int(thread.state[SELDEPTH]), pv)

    def publish(self, lines: list[Line], former: list[Line]) -> None:
        """Report an iteration, or as much of it as there was time for, the best line first.

        After a stop too: a GUI learns all nodes and the line of the move that is played.
        """
        task = self.task
        if self.stopped:
            rest = [line for line in former if line.pv[0] not in {line.pv[0] for line in lines}]
            task.lines = (lines + rest)[:task.multipv]
        else:
            task.lines = sorted(lines, key=lambda line: -line.score)
            if former:
                task.stable = task.stable + 1 if former[0].pv[0] == task.lines[0].pv[0] else 0
                task.drop = former[0].score - task.lines[0].score
        for number, line in enumerate(task.lines, 1):
            self.say(line, number)

    def elapsed(self) -> float:
        return (time.perf_counter() - self.task.began) * 1000

    def say(self, line: Line, number: int) -> None:
        if self.task.on_info is not None:
            self.task.on_info(Info(line.depth, line.seldepth, number, line.score, line.bound, self.searcher.nodes(),
                                   self.elapsed(), tt.hashfull(self.shared.table, self.task.age), line.pv))

    def checked(self, moves: list[int]) -> tuple[int, ...]:
        """As many moves of a line as are legal one after the other."""
        rules = self.task.game.rules
        pos: Position = self.task.game.pos
        line: list[int] = []
        for move in moves[:MAX_PLY]:
            if move not in legal_moves(rules, pos):
                break
            line.append(move)
            pos = position_after(rules, pos, move)
        return tuple(line)


def compile_kernel(rules: Rules) -> None:
    """Compile the search alone: it needs nothing else that Python calls, so another process can make that meanwhile."""
    p = PARAMS.array()
    shared = Shared(p, weights_of(rules), tt.new_table(1), 0)
    search.compile(tuple(map(numba.typeof, Thread(rules).arguments(shared, 1, -MATE, MATE))))


def warm(rules: Rules) -> None:
    """Compile, or load, everything a search of this game needs."""
    Searcher(hash_mb=1).search(Game(rules), Limits(depth=2))
