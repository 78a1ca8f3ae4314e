"""Iterative deepening: what one search is about, and how each of its threads goes from depth to depth."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.core.legality import position_after
from engine.game import Game
from engine.text import Position, legal_moves
from search import tt
from search.clock import Budget, budget, soft_factor
from search.limits import MATE, MATE_IN_MAX, MAX_PLY, Current, Info, Limits
from search.params import ASPIRATION
from search.threads import Shared, Worker

MAX_DEPTH = 100
EASY_DEPTH = 6  # deep enough if there is only one legal move
TALKATIVE = 3000.0  # milliseconds after which bounds and the current root move are reported, too
GLANCE = 0.1  # seconds between two looks at the current root move
NARROW_FROM = 5  # the first depth with an aspiration window
WIDEST = 600  # centipawns: a window that would be wider is opened on that side
DROP_OVER = 4  # iterations over which a fall of the score is measured
MOST_REDUCED = 3  # plies by which the depth is reduced after scores above the window


@dataclass
class Line:
    """The result of one iteration for one of the best root moves."""

    score: int  # centipawns
    depth: int
    seldepth: int
    pv: tuple[int, ...]
    bound: str = ""  # as in Info


@dataclass
class Task:
    """One search: what was asked, and how far it is.

    The thread that asked waits, the first search thread reports and decides, the others only fill the table. `wake` is the
    lock of all that several threads change.
    """

    game: Game
    limits: Limits
    roots: list[int]  # legal moves to choose from
    multipv: int
    overhead: float  # milliseconds
    age: int
    shared: Shared
    on_info: Callable[[Info], None] | None
    on_move: Callable[[Current], None] | None
    wake: threading.Condition
    began: float  # time.perf_counter()
    pondering: bool
    clock_began: float = 0.0  # if not pondering
    budget: Budget = field(default_factory=Budget)
    workers: list[Worker] = field(default_factory=list)  # one per thread that was started
    lines: list[Line] = field(default_factory=list)  # of the last iteration, best first
    stable: int = 0  # iterations in a row with the same best move
    score_before: int | None = None  # the score of the search for our last move, None if that is not known
    scores: list[int] = field(default_factory=list)  # of the best line after each iteration, centipawns
    depth: int = 0  # plies that the first thread has searched
    error: BaseException | None = None  # that ended the first thread
    done: bool = False  # the first thread has ended
    answered: bool = False

    def __post_init__(self) -> None:
        if not self.pondering:
            self.start_clock(self.began)

    def start_clock(self, now: float) -> None:
        """Our clock runs from now, a value of time.perf_counter()."""
        self.pondering = False
        self.clock_began = now
        self.budget = budget(self.limits, self.game.turn, self.overhead, self.shared.p, self.game.ply())

    @property
    def drop(self) -> int:
        """Centipawns that the score fell: the mean of the fall since our last move and of that in the last iterations."""
        earlier, now = self.scores[-1 - DROP_OVER:][0], self.scores[-1]
        return (earlier + (earlier if self.score_before is None else self.score_before)) // 2 - now

    @property
    def waits(self) -> bool:
        """Whether only a stop, or a ponder hit, may end the search."""
        return self.limits.infinite or self.pondering

    def elapsed(self) -> float:
        """Milliseconds since the search began."""
        return (time.perf_counter() - self.began) * 1000

    def seconds_left(self) -> float | None:
        """Seconds to the hard limit; None if there is none now."""
        hard = self.budget.hard
        return None if hard is None or self.pondering else self.clock_began + hard / 1000 - time.perf_counter()

    def nodes(self) -> int:
        """Nodes of all threads."""
        return sum(worker.nodes for worker in self.workers)

    def table_hits(self) -> int:
        """Positions of all threads that tables had."""
        return sum(worker.table_hits for worker in self.workers)

    def settle(self, depth: int) -> None:
        """Note that the first thread has searched to a depth; after the first ply it obeys at once."""
        with self.wake:
            self.depth = depth
            if self.workers[0].patient:
                self.workers[0].settle()
                self.wake.notify_all()  # the other threads may start

    def enough(self, depth: int) -> bool:
        """Whether the first thread may stop after an iteration of that depth."""
        limits, best = self.limits, self.lines[0]
        if limits.mate is not None and best.score > MATE_IN_MAX and MATE - best.score <= 2 * limits.mate:
            return True
        if self.waits:
            return False
        only_clock = limits.depth is None and limits.nodes is None and limits.mate is None and limits.movetime is None
        if abs(best.score) > MATE_IN_MAX and self.multipv == 1 and only_clock \
                and depth > 2 * (MATE - abs(best.score)):  # reductions hide quicker mates for a while
            return True
        if self.budget.soft is None:
            return False
        return (len(self.roots) == 1 and depth >= EASY_DEPTH and limits.movetime is None) or self.thought_enough()

    def thought_enough(self) -> bool:
        """Whether no new iteration may start. A best move in doubt is given more time; the time spent pondering counts."""
        soft, hard = self.budget.soft, self.budget.hard
        if soft is None:
            return False
        if soft >= (hard or soft):  # all the time there is may be used
            return (time.perf_counter() - self.clock_began) * 1000 >= soft
        if not self.scores or not self.lines[0].pv:
            return False
        share = self.workers[0].share(self.lines[0].pv[0])
        return self.elapsed() >= soft * soft_factor(self.stable, self.drop, share, self.shared.p)


class Window:
    """An aspiration window around the score of the last iteration; open without one."""

    def __init__(self, guess: int | None, delta: int):
        self.alpha, self.beta, self.delta = -MATE, MATE, delta
        if guess is not None and abs(guess) < MATE_IN_MAX:
            self.alpha, self.beta = guess - delta, guess + delta

    def holds(self, score: int) -> bool:
        """Whether a score is exact."""
        return self.alpha < score < self.beta or abs(score) >= MATE

    def widen(self, score: int) -> None:
        """Make room on the side where the score fell out."""
        self.alpha, self.beta, self.delta = widened(self.alpha, self.beta, self.delta, score)


def widened(alpha: int, beta: int, delta: int, score: int) -> tuple[int, int, int]:
    """A window and its delta with room on the side where the score fell out; bench/nets/playing.py compiles it, too."""
    unbounded = delta > WIDEST or abs(score) >= MATE_IN_MAX
    if score <= alpha:
        beta = (alpha + beta) // 2
        alpha = -MATE if unbounded else score - delta
    else:
        beta = MATE if unbounded else score + delta
    return alpha, beta, delta + delta // 4 + 3


class Deepening:
    """Iterative deepening in one thread; the first one also reports and decides."""

    def __init__(self, task: Task, number: int):
        self.task, self.number, self.worker = task, number, task.workers[number]
        self.first = number == 0
        self.roots = list(task.roots)  # best first, by the last iteration
        self.previous: list[Line] = []

    def run(self) -> None:
        """Search deeper and deeper until a limit."""
        task = self.task
        # Threads that all did the same would find the same: every second one is a ply ahead.
        for depth in range(1 + task.depth + self.number % 2, self._last_depth() + 1):
            lines = self._iteration(depth)
            if self.first:
                if not lines and not self.previous:
                    lines = [self._best_by_static_eval()]
                self._publish(lines)
                task.settle(depth)
            if self.worker.stopped:
                return
            self.previous = sorted(lines, key=lambda line: -line.score)
            best = [line.pv[0] for line in self.previous]
            self.roots = best + [move for move in self.roots if move not in best]
            if self.first and task.enough(depth):
                return

    def _last_depth(self) -> int:
        limits = self.task.limits
        if limits.mate is not None and limits.mate < 1:
            return 1
        return MAX_DEPTH if limits.depth is None else max(1, min(limits.depth, MAX_DEPTH))

    def _iteration(self, depth: int) -> list[Line]:
        """The best lines of a depth; fewer than asked for after a stop."""
        lines: list[Line] = []
        roots = list(self.roots)
        for index in range(self.task.multipv):
            self.worker.pv_index = index
            guess = self.previous[index].score if index < len(self.previous) else None
            line = self._search(roots, depth, guess, index)
            if line is not None:
                lines.append(line)
                roots.remove(line.pv[0])
            if self.worker.stopped:
                break
        return lines

    def _search(self, roots: list[int], depth: int, guess: int | None, index: int) -> Line | None:
        """Search root moves to a depth, in a window around the guess; None if a stop came before a move was found."""
        worker, shared = self.worker, self.task.shared
        restricted = len(roots) < len(self.task.roots) or bool(self.task.limits.searchmoves)
        window = Window(guess if depth >= NARROW_FROM else None, int(shared.p[ASPIRATION]))
        reduction = 0
        failed_high: Line | None = None  # in the last window: the result if a stop comes before the wider one has another
        while True:
            score = worker.iterate(shared, roots, max(1, depth - reduction), window.alpha, window.beta, restricted)
            pv = self._legal(worker.line()) if self.first else tuple(worker.line())
            if worker.stopped:  # what was found before the stop is better than the last iteration's move, or that move again
                score = worker.best_score
                bound = "lowerbound" if score >= window.beta else ""
                return Line(score, depth, worker.seldepth, pv, bound) if pv else failed_high
            if window.holds(score):
                return Line(score, depth, worker.seldepth, pv) if pv else None
            failed_low = score <= window.alpha
            if self.first and index == 0 and self.task.elapsed() > TALKATIVE:
                shown = pv or (self.task.lines[0].pv if self.task.lines else ())
                self._report(Line(score, depth, worker.seldepth, shown, "upperbound" if failed_low else "lowerbound"), 1)
            reduction = 0 if failed_low else min(reduction + 1, MOST_REDUCED)
            window.widen(score)
            failed_high = None if failed_low or not pv else Line(score, depth, worker.seldepth, pv, "lowerbound")
            if failed_high is not None:  # first in the wider window, too
                roots = [pv[0], *(move for move in roots if move != pv[0])]

    def _best_by_static_eval(self) -> Line:
        """The best move by the static values after the root moves, if there was no time for a ply: a node for each."""
        worker = self.worker
        with self.task.wake:
            worker.resume()
        worker.iterate(self.task.shared, self.roots, 1, -MATE, MATE, True, first_ply=0)
        return Line(worker.best_score, 1, worker.seldepth, self._legal(worker.line()))

    def _publish(self, lines: list[Line]) -> None:
        """Report an iteration, best line first; after a stop, as much of it as was searched.

        A GUI then learns the total of the nodes and the line of the move that is played.
        """
        task, previous = self.task, self.previous
        if self.worker.stopped:
            moves = {line.pv[0] for line in lines}
            lines = sorted(lines, key=lambda line: -line.score)
            task.lines = (lines + [line for line in previous if line.pv[0] not in moves])[:task.multipv]
        else:
            task.lines = sorted(lines, key=lambda line: -line.score)
            if previous:
                task.stable = task.stable + 1 if previous[0].pv[0] == task.lines[0].pv[0] else 0
            task.scores.append(task.lines[0].score)
        for rank, line in enumerate(task.lines, 1):
            self._report(line, rank)

    def _report(self, line: Line, rank: int) -> None:
        task = self.task
        if task.on_info is not None:
            task.on_info(Info(line.depth, line.seldepth, rank, line.score, line.bound, task.nodes(), task.elapsed(),
                              tt.hashfull(task.shared.table, task.age), line.pv, task.table_hits()))

    def _legal(self, moves: list[int]) -> tuple[int, ...]:
        """The moves of a line up to the first illegal one."""
        rules = self.task.game.rules
        pos: Position = self.task.game.pos
        line: list[int] = []
        for move in moves[:MAX_PLY]:
            if move not in legal_moves(rules, pos):
                break
            line.append(move)
            pos = position_after(rules, pos, move)
        return tuple(line)
