"""What a step is, and the patient: an engine that is asked, watched, and started anew where a step ended or confused it."""

from __future__ import annotations

import enum
from collections.abc import Callable
from types import TracebackType
from typing import Any, NamedTuple

from bench.dialogue import Dialogue, Gone, Silent


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
    """One step: its action returns what was seen, or raises Trouble, Skip, Silent, Gone."""

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
        self.facts: dict[str, Any] = {}  # options, features: filled by the first steps
        self.greet: Callable[[Patient], None] = lambda _: None  # what makes a new process ready for a step
        self._dialogue: Dialogue | None = None

    @property
    def talk(self) -> Dialogue:
        """The conversation; a new process where there is none."""
        if self._dialogue is None:
            self._dialogue = Dialogue(self.command)
        return self._dialogue

    def restart(self, greet: bool = True) -> None:
        """A new process."""
        if self._dialogue is not None:
            self._dialogue.kill()
        self._dialogue = Dialogue(self.command)
        if greet:
            self.greet(self)

    def take(self, step: Step) -> Row:
        """Go through a step; a process that was confused by it does not see the next one."""
        verdict, spoilt = Verdict.PASS, False
        try:
            if step.fresh:
                self.restart(greet=False)
            elif self._dialogue is None or self._dialogue.process.poll() is not None:
                self.restart()
            seen = step.action(self)
        except Skip as why:
            seen, verdict = str(why), Verdict.SKIP
        except (Trouble, Silent, Gone) as trouble:
            seen, verdict = str(trouble), Verdict.ADVICE if step.advised else Verdict.FAIL
            spoilt = True
        if (spoilt or step.fresh) and self._dialogue is not None:
            self._dialogue.kill()
            self._dialogue = None
        return Row(step.name, step.expected, seen, verdict)

    def __enter__(self) -> Patient:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._dialogue is not None:
            self._dialogue.kill()


def check(holds: object, seen: str) -> None:
    """Raise Trouble with what was seen unless it holds."""
    if not holds:
        raise Trouble(seen)
