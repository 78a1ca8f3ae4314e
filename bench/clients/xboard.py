"""The client of the XBoard protocol, version 2: its lines, and what an engine declares of itself and of its thinking."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Sequence

from bench.clients.process import EngineProcess
from bench.clients.uci import Thinking
from engine.squares import FILES

ERROR = re.compile(r"\s*(Error|Illegal move)(\s*\([^()]+\))?\s*:")
RESULT = re.compile(r"(1-0|0-1|1/2-1/2)\s*(\{.*\})?\s*$")
MATE = 100_000  # a score beyond: so many, and the number of moves to the mate


class Features(dict[str, str]):
    """What an engine declared, options as `option TEXT`; what could not be read; and errors it reported meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self.errors: list[str] = []
        self.first: float | None = None  # when the first came

    def options(self) -> list[str]:
        """The texts of the options: `NAME -KIND VALUES`."""
        return [name.removeprefix("option ") for name in self if name.startswith("option ")]

    def on(self, name: str) -> bool:
        """Whether a feature is declared and not 0."""
        return self.get(name, "0") not in ("0", "")


def read_features(line: str) -> dict[str, str]:
    """The pairs of a feature line. Raises ValueError saying what cannot be read."""
    found = {}
    try:
        words = shlex.split(line.removeprefix("feature "))
    except ValueError:
        raise ValueError(f"quotes do not match in {line!r}") from None
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"{word!r} is no NAME=VALUE in {line!r}")
        found[f"option {value}" if name == "option" else name] = value
    return found


def read_thinking(line: str) -> Thinking:
    """A line of thinking: depth, score, time, nodes; nothing if it is none or its depth is marked as unfinished."""
    found = re.match(r"\s*(\d+)\s+(-?\d+)\s+\d+\s+(\d+)\b", line)
    if found is None:
        return Thinking()
    depth, score, nodes = map(int, found.groups())
    if abs(score) >= MATE:
        return Thinking(depth, nodes, None, score - MATE if score > 0 else score + MATE)
    return Thinking(depth, nodes, score)


class XBoardClient(EngineProcess):
    """An engine over the XBoard protocol. Raises NoAnswerError, EngineGoneError."""

    def __init__(self, words: Sequence[str], cwd: str | None = None, *, dies_with_us: bool = False):
        super().__init__(words, cwd, dies_with_us=dies_with_us)
        self.features = Features()  # from greet() on
        self.pings = 0

    def greet(self, seconds: float, patience: float) -> Features:
        """Say `xboard` and `protover 2`; keeps the features.

        seconds: to wait for the next feature; patience: the same after done=0, which asks for it.
        """
        self.send("xboard", "protover 2")
        self.features = found = Features()
        until = time.perf_counter() + seconds
        while found.get("done") != "1" and (line := self.hear(until - time.perf_counter())) is not None:
            if ERROR.match(line.text):
                found.errors.append(line.text)
            if not line.text.startswith("feature "):
                continue
            found.first = line.when if found.first is None else found.first
            try:
                found.update(read_features(line.text))
            except ValueError as error:
                found.wrong.append(str(error))
            until = time.perf_counter() + (patience if found.get("done") == "0" else seconds)
        return found

    def ping(self) -> str:
        """Send a ping; returns the pong to wait for."""
        self.pings += 1
        self.send(f"ping {self.pings}")
        return f"pong {self.pings}"

    def sync(self, seconds: float) -> list[str]:
        """Send a ping; returns the lines before its pong."""
        return self.until(rf"\s*{self.ping()}\s*", seconds, f"pong {self.pings}")[:-1]

    def moves(self, moves: Sequence[str]) -> list[str]:
        """The lines that send some moves in the form that the engine asked for."""
        word = "usermove " if self.features.on("usermove") else ""
        return [f"{word}{move}" for move in moves]


def edit_commands(fen: str) -> list[str]:
    """A position as commands of the edit mode, piece by piece; if Black is to move, a dummy move passes the turn before."""
    placement, turn = fen.split()[:2]
    pieces: dict[str, list[str]] = {"w": [], "b": []}
    for rank, row in zip("87654321", placement.split("/"), strict=True):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                pieces["w" if letter.isupper() else "b"].append(f"{letter.upper()}{FILES[file]}{rank}")
                file += 1
    dummy = ["a2a3"] if turn == "b" else []
    return [*dummy, "edit", "#", *pieces["w"], "c", *pieces["b"], "."]
