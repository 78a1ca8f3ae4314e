"""Counts leaves for `kingmaker perft`: on threads with a table, or by the workers of a cluster, with a progress bar."""

from __future__ import annotations

import sys
import threading
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import variants
from bench.workers import Pool, workers
from engine.core.hashed_perft import new_table
from engine.core.perft import PARTS, breakdown, count_moves, parts, perft
from engine.errors import CommandError
from engine.places import memory_limit
from engine.rules import Rules
from engine.text import Position, legal_moves

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

LONG = 2.0  # seconds after which a terminal sees a progress bar
CLUSTER_PARTS = 40  # per thread of a cluster
IDLE_SECONDS = 60.0  # a worker's table that was not used for that long is freed


class PerftCounter:
    """Counts leaves of one game as the arguments say."""

    def __init__(self, rules: Rules, args: Namespace, stack: ExitStack):
        self.rules = rules
        self.threads: int = args.threads or 1
        self.megabytes: int = args.hash or 0
        self.pool: Pool | None = stack.enter_context(workers(1, args.cluster)) if args.cluster is not None else None
        self.table: np.ndarray | None = None
        if self.megabytes and self.pool is None:
            try:
                self.table = new_table(self.megabytes)
            except (MemoryError, OSError):
                raise CommandError(f"--hash {self.megabytes} does not fit into memory") from None

    def warm(self, pos: Position, breakdown: bool) -> None:
        """Compile or load before the clock starts."""
        perft(self.rules, pos, 2)
        parts(self.rules, pos, 1, 1)
        if self.table is not None:
            perft(self.rules, pos, 2, self.table)
        if breakdown:
            self.broken_down(pos, 1)

    def leaves(self, pos: Position, depth: int) -> dict[int, int]:
        """Leaves by root move; with a progress bar if it takes long and stderr is a terminal."""
        if depth == 0:
            return {}
        try:
            with progress(f"perft {depth}") as report:
                if self.pool is None:
                    return count_moves(self.rules, pos, depth, self.threads, report, self.table)
                return self.on_cluster(pos, depth, report)
        except OverflowError as error:
            raise CommandError(str(error)) from None

    def broken_down(self, pos: Position, depth: int) -> Counter[str]:
        """How many of the last moves are of each kind."""
        if depth < 3:
            return breakdown(self.rules, pos, depth)
        total: Counter[str] = Counter()
        with progress(f"breakdown {depth}") as report:
            if self.pool is not None:
                cut = parts(self.rules, pos, depth, CLUSTER_PARTS * self.pool.size)
                tasks = [SubtreeTask(self.rules.name, part.words, part.depth, 0, True) for part in cut]
                for done, (_, found) in enumerate(self.pool.run(count_task, tasks), 1):
                    total.update(found)
                    report(done, len(tasks))
                return total
            with ThreadPoolExecutor(self.threads) as pool:
                cut = parts(self.rules, pos, depth, PARTS * self.threads)
                jobs = [pool.submit(breakdown, self.rules, part.position, part.depth) for part in cut]
                try:
                    for done, job in enumerate(as_completed(jobs), 1):
                        total.update(job.result())
                        report(done, len(jobs))
                except BaseException:
                    pool.shutdown(wait=True, cancel_futures=True)
                    raise
        return total

    def on_cluster(self, pos: Position, depth: int, report: Callable[[int, int], None]) -> dict[int, int]:
        """Leaves by root move, counted by the workers of a cluster."""
        assert self.pool is not None
        counts = {int(move): 0 for move in legal_moves(self.rules, pos)}
        cut = parts(self.rules, pos, depth, CLUSTER_PARTS * self.pool.size, merge=bool(self.megabytes))
        tasks = {SubtreeTask(self.rules.name, part.words, part.depth, self.megabytes, False, number): part
                 for number, part in enumerate(cut)}
        for done, (task, found) in enumerate(self.pool.run(count_task, tasks), 1):
            for root, times in tasks[task].roots.items():
                counts[root] += times * found["nodes"]
            report(done, len(tasks))
        return counts


@dataclass(frozen=True)
class SubtreeTask:
    """A subtree for a worker."""

    variant: str
    words: tuple[int, ...]
    depth: int
    megabytes: int
    breakdown: bool
    number: int = 0  # distinguishes equal subtrees


def count_task(task: SubtreeTask) -> Counter[str]:
    """In a worker: count a task's leaves, or its last moves by kind."""
    rules, pos = variants.find(task.variant), np.array(task.words, np.uint64)
    if task.breakdown:
        return breakdown(rules, pos, task.depth)
    if not task.megabytes:
        return Counter(nodes=perft(rules, pos, task.depth))
    with _TABLE.lent(task.variant, task.megabytes) as table:
        return Counter(nodes=perft(rules, pos, task.depth, table))


class _Lender:
    """The table of a worker process, shared by its threads and freed when it is not used."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key: tuple[str, int] | None = None
        self._table: np.ndarray | None = None
        self._users = 0
        self._timer: threading.Timer | None = None

    @contextmanager
    def lent(self, variant: str, megabytes: int) -> Iterator[np.ndarray]:
        """A table of that size with counts of that game only."""
        with self._lock:
            if self._key != (variant, megabytes) or self._table is None:
                self._key = self._table = None
                if megabytes > memory_limit():
                    raise CommandError(f"--hash {megabytes} does not fit into the {memory_limit()} MiB of a worker")
                self._key, self._table = (variant, megabytes), new_table(megabytes)
            table = self._table
            self._users += 1
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        try:
            yield table
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._timer = threading.Timer(IDLE_SECONDS, self._release)
                    self._timer.daemon = True
                    self._timer.start()

    def _release(self) -> None:
        with self._lock:
            if not self._users:
                self._key = self._table = self._timer = None


_TABLE = _Lender()


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Yield report(done, total), which shows a bar on stderr, if that is a terminal, once the work takes long.

    Until then it costs nothing, because the work is timed.
    """
    start = time.perf_counter()
    shown: list[tuple[Progress, TaskID]] = []

    def report(done: int, total: int) -> None:
        if not shown and time.perf_counter() - start > LONG and sys.stderr.isatty():
            shown.append(_bar(what))
        for bar, task in shown:
            bar.update(task, completed=done, total=total)

    try:
        yield report
    finally:
        for bar, _ in shown:
            bar.stop()


def _bar(what: str) -> tuple[Progress, TaskID]:
    """A started progress bar on stderr, and its only task."""
    from rich.console import Console  # here: importing rich takes longer than short counts
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

    bar = Progress(what, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(),
                   console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=None)
    bar.start()
    return bar, task
