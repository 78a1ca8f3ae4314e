"""Engines, time controls and clocks of a match, as plain values that can be sent to any worker."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass, replace
from typing import Any

from engine.errors import CommandError

STARTUP = 60.0  # seconds an engine has to start and to be ready, including a cold compilation
PATIENCE = 60.0  # seconds without a move until an engine counts as stalled, if no clock runs
STOPPED = 5.0  # seconds it then has to obey `stop`


@dataclass(frozen=True)
class TimeControl:
    """Seconds per `moves` moves, or for the whole game if that is 0, and the increment per move."""

    seconds: float
    increment: float = 0.0
    moves: int = 0

    @classmethod
    def parse(cls, text: str) -> TimeControl | None:
        """Parse `10+0.1`, `40/60`, `1:30+1`; None for `inf`. Raises CommandError."""
        if text in ("inf", "infinite"):
            return None
        try:
            moves, slash, rest = text.rpartition("/")
            base, _, increment = rest.partition("+")
            minutes, _, seconds = base.rpartition(":")
            control = cls(60 * float(minutes or 0) + float(seconds), float(increment or 0), int(moves) if slash else 0)
        except ValueError:
            raise CommandError(f"tc={text!r} is not [MOVES/][MINUTES:]SECONDS[+INCREMENT]") from None
        if not (0 <= control.seconds < 1e7 and 0 <= control.increment < 1e6 and control.moves >= 0):
            raise CommandError(f"tc={text!r} is out of range")
        if not control.seconds and not control.increment:
            raise CommandError(f"tc={text!r} leaves no time at all")
        return control

    def __str__(self) -> str:
        return f"{f'{self.moves}/' if self.moves else ''}{self.seconds:g}{f'+{self.increment:g}' if self.increment else ''}"


@dataclass(frozen=True)
class EngineSpec:
    """An engine, its options and its limits."""

    name: str
    command: tuple[str, ...]
    protocol: str = "uci"  # or xboard
    directory: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    tc: TimeControl | None = None
    st: float | None = None  # seconds per move
    depth: int | None = None
    nodes: int | None = None
    margin: float = 0.0  # seconds that a clock may be exceeded by
    startup: float = STARTUP
    patience: float = PATIENCE
    variant: str | None = None  # the engine's name of the game, if it is not ours
    restart: bool = False  # a new process for every game
    trusts: bool = False  # its claims are ignored: for engines that do not know all rules of the game

    def settings(self) -> dict[str, Any]:
        """All fields but name, command and protocol, for JSON; from_settings reads them."""
        found = asdict(self)
        for key in ("name", "command", "protocol"):
            del found[key]
        return found

    @classmethod
    def from_settings(cls, name: str, command: str, protocol: str, settings: dict[str, Any]) -> EngineSpec:
        """The spec that settings() described."""
        tc = settings["tc"]
        spec = cls(name, tuple(shlex.split(command)), protocol, **{**settings, "tc": TimeControl(**tc) if tc else None})
        return replace(spec, options=tuple((str(key), str(value)) for key, value in settings["options"]))


class Clock:
    """The clock of one side."""

    def __init__(self, control: TimeControl | None):
        self.control = control
        self.left = control.seconds if control else None
        self.to_go = control.moves if control else 0

    def punch(self, seconds: float) -> None:
        """A move was made that took that many seconds."""
        if self.control is None or self.left is None:
            return
        self.left = max(self.left - seconds, 0.0) + self.control.increment  # a margin that was used is not subtracted
        if self.control.moves:
            self.to_go -= 1
            if self.to_go == 0:
                self.left, self.to_go = self.left + self.control.seconds, self.control.moves
