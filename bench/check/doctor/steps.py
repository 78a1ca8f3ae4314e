"""What a step is, and the patient: an engine that is asked, watched, and started anew where a step ended or confused it.

A patient may do anything: what a step reads of it is checked before it is used, and a step that fails ends nothing but itself.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from types import TracebackType
from typing import NamedTuple

from bench.clients.process import EngineGoneError, EngineProcess, NoAnswerError, TimedLine
from bench.clients.programs import words_of
from bench.clients.uci import UciClient, UciOption
from bench.clients.xboard import Features, XBoardClient
from engine.errors import CommandError, EngineError

REFUSALS = 2  # greetings in a row that fail before the engine is given up
UNANSWERED = 3  # searches that an engine which never answered one is asked for
CLIENTS = {"uci": UciClient, "xboard": XBoardClient}
SHOWN = 400  # characters of what was seen


class Verdict(enum.Enum):
    """How a step went."""

    PASS = "pass"
    ADVICE = "advice"  # the standard leaves it open; GUIs are better served otherwise
    FAIL = "FAIL"
    SKIP = "skipped"  # the engine does not offer it


class Row(NamedTuple):
    """What became of a step."""

    step: str
    expected: str
    seen: str
    verdict: Verdict


class Trouble(Exception):
    """What was seen instead of what was expected."""


class Skip(Exception):
    """Why a step does not concern this engine."""


class Step(NamedTuple):
    """One step: its action returns what was seen, or raises Trouble, Skip, NoAnswerError, EngineGoneError."""

    name: str
    expected: str
    action: Callable[[Patient], str]
    advised: bool  # not required by the standard
    fresh: bool  # needs a process that nobody has talked to


Action = Callable[["Patient"], str]


class Steps(list[Step]):
    """The steps of a protocol in order; the object is a decorator that adds to them."""

    def __call__(self, name: str, expected: str, advised: bool = False, fresh: bool = False) -> Callable[[Action], Action]:
        def add(action: Action) -> Action:
            self.append(Step(name, expected, action, advised, fresh))
            return action

        return add


class Patient:
    """The engine under examination and what it told of itself."""

    def __init__(self, command: str, protocol: str, patience: float):
        self.command, self.protocol, self.patience = command, protocol, patience
        self.name = command
        self.options: dict[str, UciOption] | None = None  # of UCI, from the step `uci` on
        self.features: Features | None = None  # of XBoard, from the step `protover 2` on
        self.rows: list[Row] = []
        self.hello: Callable[[Patient], None] = lambda _: None  # what makes a new process ready for a step
        self._refused = self._unanswered = 0
        self._answers = False  # it has answered a search
        self._client: EngineProcess | None = None
        self._started = False  # once

    @property
    def talk(self) -> EngineProcess:
        """The client of the running process; a new process if there is none."""
        if self._client is None:
            self._client = CLIENTS[self.protocol](words_of(self.command))
            self._started = True
        return self._client

    @property
    def uci(self) -> UciClient:
        """The client, if the protocol is UCI."""
        assert isinstance(self.talk, UciClient)
        return self.talk

    @property
    def xboard(self) -> XBoardClient:
        """The client, if the protocol is XBoard's."""
        assert isinstance(self.talk, XBoardClient)
        return self.talk

    def dismiss(self) -> None:
        """End the process."""
        if self._client is not None:
            self._client.kill()
            self._client = None

    def greet(self) -> None:
        """Make a new process ready for a step. Raises Skip where that failed too often to be tried again."""
        if self._refused >= REFUSALS:
            raise Skip("not tried: it could not be made ready before")
        try:
            self.hello(self)
        except (Trouble, NoAnswerError, EngineGoneError):
            self._refused += 1
            raise
        self._refused = 0

    def give_up(self) -> None:
        """Try no step that begins with a greeting: it has failed where it was looked at closely."""
        self._refused = REFUSALS

    def answer(self, pattern: str, seconds: float, wanted: str) -> list[TimedLine]:
        """The lines up to the answer to a search, and when they came; an engine that never answers is waited for less and less.

        Raises NoAnswerError, EngineGoneError; Skip once it is hopeless.
        """
        if not self._answers and self._unanswered >= UNANSWERED:
            self.dismiss()
            raise Skip(f"not tried: {UNANSWERED} searches got no {wanted}")
        try:
            lines = self.talk.timed(pattern, seconds / 2 ** (0 if self._answers else self._unanswered), wanted)
        except (NoAnswerError, EngineGoneError):
            self._unanswered += 1
            raise
        self._answers = True
        return lines

    def take(self, step: Step) -> Row:
        """Go through a step; a process that was confused by it does not see the next one."""
        self._look_after()
        verdict, spoilt = Verdict.PASS, True
        try:
            if step.fresh:
                self.dismiss()
            elif self._client is None:
                self.greet()
            seen = step.action(self)
            spoilt = step.fresh
        except Skip as why:
            seen, verdict = str(why), Verdict.SKIP
            spoilt = step.fresh
        except CommandError as error:
            if not self._started:
                raise
            seen, verdict = str(error), Verdict.FAIL
        except (Trouble, EngineError) as trouble:
            seen, verdict = str(trouble), Verdict.ADVICE if step.advised else Verdict.FAIL
        except Exception as error:  # the report of all other steps is worth more than this one's traceback
            seen, verdict = f"not understood by the doctor, {type(error).__name__}: {error}", Verdict.FAIL
        if spoilt:
            self.dismiss()
        self.rows.append(Row(step.name, step.expected, plain(seen), verdict))
        return self.rows[-1]

    def _look_after(self) -> None:
        """See whether the engine outlived the last step, which it had passed."""
        if self._client is None or not (why := self._client.end()):
            return
        if self.rows:
            row = self.rows[-1]
            self.rows[-1] = row._replace(seen=f"{row.seen}; after that {why}", verdict=Verdict.FAIL)
        self.dismiss()

    def __enter__(self) -> Patient:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._client is not None:
            self._client.ended(0.1)  # one that dies of the last step may need a moment
        self._look_after()
        self.dismiss()


def plain(text: str) -> str:
    """What an engine said as one printable line."""
    printable = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
    return printable if len(printable) <= SHOWN else f"{printable[:SHOWN]}..."


def check(holds: object, seen: str) -> None:
    """Raise Trouble with what was seen unless it holds."""
    if not holds:
        raise Trouble(seen)


def ends(patient: Patient, how: str, seconds: float = 1.0) -> str:
    """How the process ended, which it was asked for in some way. Raises Trouble if it is still alive after a time."""
    found = patient.talk.ended(seconds)
    if found is None:
        raise Trouble(f"still alive {seconds:g} s after {how}")
    return f"status {found[0]} after {found[1] * 1000:.0f} ms"
