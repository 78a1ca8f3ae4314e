"""Searches that nobody waits for: pondering and analysis, beside the jobs that commands ask for.

The worker thread does one thing after another. A background search runs there, too: whatever else is asked ends it, but for a
few questions that are answered beside it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.protocol.loop import Protocol, Writer
from engine.protocol.requests import Ticket

if TYPE_CHECKING:
    from engine.game import Game
    from search.limits import Best

PATIENCE = 1.0  # seconds for a job that has sent its last line to end


@dataclass
class Background:
    """A background search."""

    ticket: Ticket
    game: Game | None  # that is searched; None until an analysis begins
    predicted: int | None  # the opponent's move that is pondered on; None in analysis
    began: float  # time.monotonic()
    best: Best | None = None
    nothing: bool = False  # an analysis has found nothing to search


class Interruptible(Protocol):
    """A protocol whose worker searches in the background when there is nothing else to do."""

    def __init__(self, writer: Writer):
        super().__init__(writer)
        self.analyzing = False
        self.background: Background | None = None
        self._guard = threading.Lock()  # of `background`

    def analyse_later(self) -> None:
        """Queue an analysis of the current position."""
        raise NotImplementedError

    def resume(self, ticket: Ticket) -> None:
        """Think again: what was to end the search came to nothing."""
        raise NotImplementedError

    def later(self, job: Callable[[], None], line: str, asked: bool = True) -> None:
        """Let the worker do a job after all earlier ones; one that was asked for ends a background search."""
        super().later(job, line, asked)
        if asked:
            self.leave()
            if self.analyzing:
                self.analyse_later()

    def aside(self, job: Callable[[], None], line: str) -> None:
        """Do a job at once if there is nothing but a background search, which goes on; else in turn."""
        if self.background is not None:
            self.wait_until_idle(PATIENCE)
        if self.idle():
            job()
        else:
            self.later(job, line)

    def interrupt(self, job: Callable[[], None], line: str) -> None:
        """End the search, whose move is not wanted any more, and then do a job in turn. If the job fails, search again."""
        if not self.session.busy() or self.background is not None:
            self.session.stop(abandon=True)
            self.later(job, line)
            return
        self.session.stop(abandon=True)

        def run(ticket: Ticket) -> None:
            try:
                job()
            except EngineError as error:
                self.error(str(error), line)
                self.resume(ticket)

        self.with_ticket(run, line)

    def finish(self) -> None:
        """The input has ended: an analysis that was asked for sends at least its first line."""
        super().later(lambda: None, "")
        super().finish()

    def leave(self) -> None:
        """End pondering or analysis; the result is not wanted."""
        with self._guard:
            background, self.background = self.background, None
        if background is not None:
            self.session.stop(abandon=True, only=background.ticket)

    def start_background(self, background: Background, think: Callable[[Background], None]) -> None:
        """Queue a background search. To be called before anything else can be queued, or under self._changed."""

        def run() -> None:
            try:
                if not background.ticket.abandoned:
                    think(background)
            finally:
                self.session.done(background.ticket)

        self.background = background
        super().later(run, "", asked=False)

    def pondering(self) -> Background | None:
        """The background search if it is one on the opponent's time."""
        with self._guard:
            background = self.background
        return background if background is not None and background.predicted is not None else None
