"""The searches and counts that were asked for: who asked, what runs, what is to end. For any thread, behind one lock.

Imports nothing heavy.
"""

from __future__ import annotations

import enum
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from search.limits import Limits
    from search.searcher import Searcher


class Ticket:
    """A search or count that was asked for. It can be stopped before it begins: `stop` may come while code is loaded."""

    __slots__ = ("abandoned", "asked", "hit", "limits", "stopped")

    def __init__(self) -> None:
        self.asked = time.perf_counter()
        self.stopped = self.hit = False
        self.abandoned = False  # stopped, and the answer is not wanted
        self.limits: Limits | None = None  # of a search that has begun; counts have none

    @property
    def endless(self) -> bool:
        """Whether only `stop` or `ponderhit` ends it; neither comes after the end of the input."""
        limits = self.limits
        if limits is None:
            return False
        bounds = (limits.depth, limits.nodes, limits.movetime, *limits.clock)
        return limits.infinite or (limits.ponder and not self.hit) or all(bound is None for bound in bounds)


class Ending(enum.IntEnum):
    """Which requests are to end, including those that have not begun."""

    NONE = 0
    ENDLESS = 1
    SEARCHES = 2  # but not counts and benches, which have no answer before they are complete
    ALL = 3


class Requests:
    """All requests without an answer, and the one that runs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tickets: list[Ticket] = []
        self._running: Ticket | None = None
        self._active: Searcher | None = None  # searches for _running
        self._ending = Ending.NONE

    def ticket(self) -> Ticket:
        """A ticket for a new request; give it back with done()."""
        ticket = Ticket()
        with self._lock:
            ticket.stopped = self._ending is Ending.ALL
            self._tickets.append(ticket)
        return ticket

    def done(self, ticket: Ticket) -> None:
        """The request was answered."""
        with self._lock:
            self._tickets.remove(ticket)

    def busy(self) -> bool:
        """Whether a request waits for its answer."""
        return bool(self._tickets)

    def counting(self) -> bool:
        """Whether a perft or a bench runs."""
        running = self._running
        return running is not None and running.limits is None

    def age(self) -> float:
        """Seconds since the oldest request without an answer; 0 if there is none."""
        with self._lock:
            return max((time.perf_counter() - ticket.asked for ticket in self._tickets), default=0.0)

    def stop(self, abandon: bool = False, only: Ticket | None = None) -> None:
        """End all requests made so far, or the one of a ticket, including those that have not begun.

        abandon: the answer is not wanted.
        """
        with self._lock:
            for ticket in self._tickets if only is None else [only]:
                ticket.stopped = True
                ticket.abandoned |= abandon
            if self._active is not None and only in (None, self._running):
                self._active.stop()

    def ponder_hit(self, only: Ticket | None = None) -> None:
        """The opponent played the expected move: tell the search of a ticket, or all.

        All, because the search before may still have its ticket, its answer being out, when the next one is hit.
        """
        with self._lock:
            for ticket in self._tickets if only is None else [only]:
                ticket.hit = True
            if self._active is not None and only in (None, self._running):
                self._active.ponder_hit()

    def end(self, which: Ending) -> None:
        """End requests, including those that have not begun: `stop` or `ponderhit` will not come any more."""
        with self._lock:
            self._ending = max(self._ending, which)
            running = self._running
        if running is not None and self._must_end(running):
            self.stop(only=running)
        if which is Ending.ALL:
            self.stop()

    def _must_end(self, ticket: Ticket) -> bool:
        if self._ending is Ending.SEARCHES:
            return ticket.limits is not None
        return self._ending is Ending.ALL or (self._ending is Ending.ENDLESS and ticket.endless)

    @contextmanager
    def at_work(self, ticket: Ticket, searcher: Searcher | None = None) -> Iterator[None]:
        """The request of this ticket runs meanwhile: stop() and ponder_hit() reach its searcher, also if they came before."""
        with self._lock:
            self._active, self._running = searcher, ticket
            if searcher is not None:
                searcher.prepare()
                if self._must_end(ticket):
                    ticket.stopped = True
                if ticket.stopped:
                    searcher.stop()
                if ticket.hit:
                    searcher.ponder_hit()
        try:
            yield
        finally:
            with self._lock:
                self._active = self._running = None
