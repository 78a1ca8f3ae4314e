"""Pools of workers: processes of this machine, or with --cluster the workers of a Dask scheduler.

A pool repeats the tasks of workers that die. Worker processes end with the process that started them, however it ends.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import multiprocessing
import os
import platform
import re
import signal
import socket
import threading
import time
from abc import ABC, abstractmethod
from argparse import ArgumentParser
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from bench.extras import need
from bench.signals import SIGNALS, signals_end_it, signals_held_back, signals_let_in, signals_wait
from engine.errors import CommandError, EngineError
from engine.places import ROOT
from engine.protocol.options import shown

T = TypeVar("T")
R = TypeVar("R")

DEATHS = 3  # a task is given up when this many workers died over it
CONNECT_SECONDS = 10.0
LONELY_SECONDS = 60.0  # how long a cluster may be without any worker before the work is given up
SOURCES = ("engine", "search", "variants", "bench")
ADDRESS = re.compile(r"((tcp|tls|ucx|wss?)://)?[^\s/]+:[0-9]{1,5}")


class WorkerError(EngineError):
    """No worker survives a task, or the cluster is gone."""


class _DiedError(Exception):
    """The worker of a task died before it answered."""


def add_cluster_argument(parser: ArgumentParser) -> None:
    """Add --cluster."""
    parser.add_argument("--cluster", type=_scheduler, metavar="ADDRESS",
                        help="use the workers of a Dask scheduler, such as tcp://HOST:8786 (docs/cluster.md)")


def _scheduler(address: str) -> str:
    need("distributed")  # before the work begins
    if ADDRESS.fullmatch(address) is None:
        raise CommandError(f"--cluster {shown(address)}: not an address such as tcp://HOST:8786")
    return address


class Pool(ABC):
    """Workers that carry out tasks."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many tasks run at the same time."""

    @abstractmethod
    def _start(self, function: Callable[[T], R], task: T) -> Future[R]:
        """Begin a task. Raises _DiedError if the worker is found dead."""

    @abstractmethod
    def _answer(self, future: Future[R], task: object) -> R:
        """Return the result of a task that ended, or raise what it raised. Raises _DiedError if its worker died."""

    @abstractmethod
    def _drop(self, futures: Iterable[Future[Any]]) -> None:
        """Give up tasks whose results nobody waits for any more."""

    def _room(self) -> int:
        """How many tasks may be in flight."""
        return self.size

    @abstractmethod
    def _idle(self) -> None:
        """Called each second in which no task ends. Raises WorkerError if none ever can."""

    def run(self, function: Callable[[T], R], tasks: Iterable[T]) -> Generator[tuple[T, R], None, None]:
        """Yield pairs (task, function(task)) as they finish, in any order.

        Tasks are taken from the iterable when there is room for them, so a caller may stop early: closing the generator
        cancels tasks that have not begun and abandons those that have. A task whose worker dies is repeated; each task is
        delivered once. Raises: what the function raises; WorkerError naming the task over which DEATHS workers died.
        """
        drawn = ((task, 0) for task in tasks)
        again: deque[tuple[T, int]] = deque()
        flight: dict[Future[R], tuple[T, int]] = {}
        ended: SimpleQueue[Future[R]] = SimpleQueue()  # unlike the locks of futures, its own may be interrupted

        def fill() -> None:
            while len(flight) < self._room():
                item = again.popleft() if again else next(drawn, None)
                if item is None:
                    return
                try:
                    with signals_wait():
                        future = self._start(function, item[0])
                        flight[future] = item
                        future.add_done_callback(ended.put)
                except _DiedError:
                    again.append(survived(item))

        def survived(item: tuple[T, int]) -> tuple[T, int]:
            task, deaths = item[0], item[1] + 1
            if deaths >= DEATHS:
                raise WorkerError(f"given up: {deaths} workers died over the task {_brief(task)}")
            return task, deaths

        try:
            fill()
            while flight:
                answers, done = [], _those_in(ended)
                for future in done:
                    item = flight.pop(future)
                    try:
                        with signals_wait():
                            answers.append((item[0], self._answer(future, item[0])))
                    except _DiedError:
                        again.append(survived(item))
                if not done:
                    self._idle()
                fill()
                yield from answers
        finally:
            with signals_wait():
                self._drop(flight)


def _those_in(ended: SimpleQueue[T]) -> list[T]:
    """All that a queue holds; if it is empty, what comes within a second."""
    found = []
    with suppress(Empty):
        found.append(ended.get(timeout=1))
        while True:
            found.append(ended.get_nowait())
    return found


def _brief(task: object) -> str:
    text = repr(task)
    return text if len(text) <= 200 else f"{text[:200]}..."


class _Processes(Pool):
    """Processes of this machine, one executor each: if one dies, its task is known, and no other task suffers."""

    def __init__(self, size: int):
        self._slots = [_Slot() for _ in range(size)]

    @property
    def size(self) -> int:
        return len(self._slots)

    def _start(self, function: Callable[[T], R], task: T) -> Future[R]:
        slot = next((slot for slot in self._slots if not slot.busy()), None)
        if slot is None:  # all are busy with tasks that an earlier run abandoned
            slot = next(slot for slot in self._slots if slot.abandoned)
            slot.restart()
        return slot.submit(function, task)

    def _answer(self, future: Future[R], task: object) -> R:
        try:
            return future.result()
        except BrokenProcessPool as error:
            for slot in self._slots:
                if slot.future is future:
                    slot.restart()
            raise _DiedError from error

    def _drop(self, futures: Iterable[Future[Any]]) -> None:
        dropped = set(futures)
        for slot in self._slots:
            slot.abandoned |= slot.future in dropped

    def _idle(self) -> None:
        pass  # the death of a process ends its future

    def close(self) -> None:
        for slot in self._slots:
            slot.close()


class _Slot:
    """One worker process, started with its first task, and its current task."""

    def __init__(self) -> None:
        self.future: Future[Any] | None = None
        self.abandoned = False
        self._open()

    def _open(self) -> None:
        _start_tracker()
        context = multiprocessing.get_context("spawn")
        held, self._leash = context.Pipe(duplex=False)
        self._executor = ProcessPoolExecutor(1, context, initializer=_follow, initargs=(held,))

    def busy(self) -> bool:
        return self.future is not None and not self.future.done()

    def submit(self, function: Callable[[T], R], task: T) -> Future[R]:
        self.abandoned = False
        try:
            with signals_held_back():  # a new process imports much before it can handle them, see _follow()
                future = self._executor.submit(_work, function, task)
        except BrokenProcessPool as error:
            self.restart()
            raise _DiedError from error
        self.future = future
        return future

    def close(self) -> None:
        """End the process; if it is busy, at once."""
        if self.busy():
            self._leash.close()
        self._executor.shutdown(cancel_futures=True)
        self._leash.close()

    def restart(self) -> None:
        self.close()
        self.future, self.abandoned = None, False
        self._open()


@functools.cache
def _start_tracker() -> None:
    """Start multiprocessing's resource tracker so that it ignores SIGHUP; SIGINT and SIGTERM it ignores by itself."""
    former = signal.getsignal(signal.SIGHUP) if hasattr(signal, "SIGHUP") else None
    if former is None or threading.current_thread() is not threading.main_thread():
        return
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        resource_tracker.ensure_running()
    finally:
        signal.signal(signal.SIGHUP, former)


class _Here:
    """The state of a worker process."""

    gate = threading.Lock()
    working = False  # in a task; before and after it the executor moves tasks and results
    dropped = False  # the pool waits for no task of this process any more


def _follow(held: Connection) -> None:
    """In a new worker: end when the pool closes the leash or dies; leave signals that go to all processes to the pool."""
    for number in SIGNALS:
        signal.signal(number, lambda *_: None)  # not SIG_IGN, which programs started here would inherit
    signals_let_in()
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        if parent.sentinel not in wait_for([held, parent.sentinel]):
            with _Here.gate:
                if _Here.working:
                    os._exit(1)
                _Here.dropped = True
            wait_for([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _work(function: Callable[[T], R], task: T) -> R:
    """In a worker: carry out a task. In here the process may be ended, but not while it sends a result.

    For the pool's process holds the writing end of that pipe, too, and would wait for the rest of the result forever.
    """
    with _Here.gate:
        if _Here.dropped:
            os._exit(1)
        _Here.working = True
    try:
        return function(task)
    finally:
        with _Here.gate:
            _Here.working = False


def reach(address: str) -> None:
    """Connect to an address such as tcp://HOST:8786 and hang up. A scheduler that is just starting is waited for.

    Raises OSError, ValueError.
    """
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not port.isdecimal():
        raise ValueError("an address ends with a port, such as :8786")
    until = time.monotonic() + CONNECT_SECONDS
    while True:
        try:
            socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
            return
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


class _Cluster(Pool):
    """The workers of a Dask scheduler, which itself redoes the tasks of those it loses."""

    def __init__(self, address: str):
        for name in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is raised
        need("distributed")
        from distributed import Client

        self._address = address
        try:
            reach(address)  # a Client that fails to connect tries again, for twice the time, when it is collected
            self._client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except Exception as error:  # there are many kinds, one for each way to misspell an address
            raise CommandError(f"--cluster {address!r}: no scheduler there: {_first_line(error)}") from None
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except Exception:
            self.close()
            raise CommandError(f"--cluster {address!r}: no workers there, start some: dask worker {address}") from None
        self._executor = self._client.get_executor(pure=False)
        self._lonely = self._asked = 0.0
        self._size = 1

    @property
    def size(self) -> int:
        if time.monotonic() > self._asked + 1:  # workers come and go
            with suppress(OSError, ValueError):
                self._size = sum(self._client.nthreads().values()) or 1
            self._asked = time.monotonic()
        return self._size

    def _room(self) -> int:
        size = self.size
        return size + size // 4 + 2

    def _start(self, function: Callable[[T], R], task: T) -> Future[R]:
        future: Future[R] = self._executor.submit(as_here, sources(), function, task)
        return future

    def _answer(self, future: Future[R], task: object) -> R:
        from distributed import KilledWorker

        try:
            return future.result()
        except CancelledError:
            raise WorkerError(f"lost the scheduler at {self._address}") from None
        except KilledWorker as error:
            raise WorkerError(f"given up: {_first_line(error)}; the task was {_brief(task)}") from None
        except ImportError as error:
            raise WorkerError(f"a worker of {self._address} cannot load this program: {_first_line(error)}") from None

    def _idle(self) -> None:
        if self._client.status != "running":
            raise WorkerError(f"lost the scheduler at {self._address}")
        if self._client.nthreads():
            self._lonely = 0.0
        elif not self._lonely:
            self._lonely = time.monotonic()
        elif time.monotonic() - self._lonely > LONELY_SECONDS:
            raise WorkerError(f"the scheduler at {self._address} has had no workers for {LONELY_SECONDS:.0f} s")

    def _drop(self, futures: Iterable[Future[Any]]) -> None:
        for future in futures:
            future.cancel()

    def close(self) -> None:
        with suppress(Exception):  # the scheduler may be gone
            self._client.close(timeout=2)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def as_here(wanted: str, function: Callable[[T], R], task: T) -> R:
    """In a worker of a cluster: carry out the task, unless the worker has another version of this program."""
    if sources() != wanted:
        raise WorkerError(f"the worker on {platform.node()} runs another version of this program")
    return function(task)


@functools.cache
def sources() -> str:
    """A hash of all sources of this program."""
    digest = hashlib.sha256()
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


@contextmanager
def workers(processes: int, cluster: str | None = None) -> Iterator[Pool]:
    """A pool of that many processes, or of the workers of a Dask scheduler; closed at the end, also after a signal.

    Raises: CommandError for less than one process, or if no scheduler or worker answers.
    """
    if processes < 1:
        raise CommandError(f"{processes} worker processes are too few")
    with signals_end_it():
        pool = _Processes(processes) if cluster is None else _Cluster(cluster)
        try:
            yield pool
        finally:
            with signals_wait():
                pool.close()
