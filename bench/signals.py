"""Signals that end a command: an exception in the main thread, but never where it would leave a lock behind.

A signal's exception may come between any two steps of Python code. Inside `concurrent.futures` or `threading` it can leave a
lock that nobody releases, and the clean-up waits for it forever. So what takes such locks runs inside `signals_wait()`.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
UNTOUCHED = (signal.SIG_DFL, signal.default_int_handler)


class Ended(KeyboardInterrupt):
    """A signal ends the command."""

    def __init__(self, number: int):
        super().__init__(number)
        self.number = number


def status_of(error: KeyboardInterrupt) -> int:
    """The exit status after a signal, by the convention of shells."""
    return 128 + (error.number if isinstance(error, Ended) else signal.SIGINT)


def ended_by(error: BaseException | None) -> KeyboardInterrupt | None:
    """The signal behind an exception: a closed terminal refuses what is written to it on the way out."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error


class _Received:
    """What the handler and the main thread tell each other."""

    number: int | None = None  # the signal that came
    held = 0  # how many blocks of signals_wait() the main thread is in


@contextmanager
def signals_end_it() -> Iterator[None]:
    """SIGINT, SIGTERM and SIGHUP raise Ended, but only once: the clean-up shall not be interrupted.

    Signals that are ignored (nohup) or have another handler stay so. Outside of the main thread nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = {number: handler for number in SIGNALS if (handler := signal.getsignal(number)) in UNTOUCHED}

    def end(number: int, _: object) -> None:
        for each in former:
            signal.signal(each, signal.SIG_IGN)
        _Received.number = number
        if not _Received.held:
            raise Ended(number)

    for number in former:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        if former:
            _Received.number = None


@contextmanager
def signals_wait() -> Iterator[None]:
    """A signal that comes inside the block raises Ended at its end; so does one whose exception got lost before."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _Received.held += 1
    try:
        yield
    finally:
        _Received.held -= 1
    if _Received.number is not None and not _Received.held:
        raise Ended(_Received.number)


@contextmanager
def signals_held_back() -> Iterator[None]:
    """Processes that are started inside the block begin with SIGNALS held back, until they call signals_let_in()."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    former = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)


def signals_let_in() -> None:
    """Let in the signals that signals_held_back() held back; those that came are handled now."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
