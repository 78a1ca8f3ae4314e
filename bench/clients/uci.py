"""The UCI client: the lines of the protocol, and what an engine says of its options and its thinking."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bench.clients.process import EngineProcess, TimedLine
from engine.protocol.options import whole

OURSELVES = shlex.join([sys.executable, "-m", "engine"])
KINDS = ("check", "spin", "combo", "button", "string")
STRING = " string "  # the rest of an info line after it is for people


@dataclass(frozen=True)
class UciOption:
    """An option line: its fields as text, and what the standard forbids about it, empty if it is well formed."""

    name: str
    kind: str = ""
    default: str | None = None
    min: str | None = None
    max: str | None = None
    var: tuple[str, ...] = ()
    wrong: str = ""


def read_options(lines: Iterable[str]) -> dict[str, UciOption]:
    """The options among some lines, by their names in lower case; an unreadable line stands under itself."""
    found = {}
    for line in lines:
        if line.startswith("option "):
            option = read_option(line)
            found[option.name.lower()] = option
    return found


def read_option(line: str) -> UciOption:
    """An option line; what is wrong with it is in its field `wrong`."""
    match = re.fullmatch(r"option name (.+?) type (\w+)( .*)?", line)
    if match is None:
        return UciOption(line, wrong=f"unreadable: {line!r}")
    name, kind, rest = match[1], match[2], match[3] or ""
    values = {field: found[1] if (found := re.search(rf" {field} ?(.*?)(?= default | min | max | var |$)", rest)) else None
              for field in ("default", "min", "max")}
    var = tuple(re.split(r" var ", rest)[1:])
    return UciOption(name, kind, **values, var=var, wrong=_wrong(name, kind, values, var))


def _wrong(name: str, kind: str, values: dict[str, str | None], var: tuple[str, ...]) -> str:
    default = values["default"]
    if kind not in KINDS:
        return f"{name} has type {kind}"
    if kind == "button":
        return ""
    if default is None:
        return f"{name} has no default"
    if kind == "check" and default not in ("true", "false"):
        return f"{name} has default {default}"
    if kind == "combo" and default not in var:
        return f"{name}: default {default} is none of its vars"
    return _wrong_range(name, values) if kind == "spin" else ""


def _wrong_range(name: str, values: dict[str, str | None]) -> str:
    low, value, high = (whole(values[field] or "") for field in ("min", "default", "max"))
    if low is None or value is None or high is None:
        return f"{name} lacks a whole min, default or max"
    return "" if low <= value <= high else f"{name}: default {value} is not in {low}..{high}"


class Thinking(NamedTuple):
    """What a line of thinking says, from the side to move; None for what it does not say."""

    depth: int | None = None
    nodes: int | None = None
    score: int | None = None  # centipawns
    mate: int | None = None  # moves, instead of a score


def read_thinking(line: str) -> Thinking:
    """The fields of an info line that can be read; unknown words are passed over."""
    line = line.partition(STRING)[0]
    depth, nodes = (re.search(rf"\b{field} (\d+)\b", line) for field in ("depth", "nodes"))
    score = re.search(r"\bscore (cp|mate) ([+-]?\d+)\b", line)
    value = int(score[2]) if score else None
    mates = score is not None and score[1] == "mate"
    return Thinking(int(depth[1]) if depth else None, int(nodes[1]) if nodes else None,
                    None if mates else value, value if mates else None)


class UciClient(EngineProcess):
    """An engine over UCI. Every answer is waited for in seconds; raises NoAnswerError, EngineGoneError."""

    seconds = 120.0  # for an answer, unless the call names another time

    def __init__(self, words: Sequence[str], cwd: str | None = None, *, dies_with_us: bool = False):
        super().__init__(words, cwd, dies_with_us=dies_with_us)
        self.options: dict[str, UciOption] = {}  # by names in lower case; from greet() on

    def greet(self, seconds: float | None = None) -> list[TimedLine]:
        """Say `uci`; keeps the engine's name and options. Returns its lines, the last is `uciok`."""
        self.send("uci")
        lines = self.timed(r"\s*uciok\s*", self.seconds if seconds is None else seconds, "uciok")
        said = [line.text for line in lines]
        self.options = read_options(said)
        names = [name for line in said if line.startswith("id name ") and (name := line.removeprefix("id name ").strip())]
        self.name = names[0] if names else self.name
        return lines

    def ready(self, seconds: float | None = None) -> float:
        """Seconds from `isready` to `readyok`."""
        began = self.send("isready")
        return self.timed(r"\s*readyok\s*", self.seconds if seconds is None else seconds, "readyok")[-1].when - began

    @property
    def variants(self) -> tuple[str, ...]:
        """The variants it offers; none if it only knows orthodox chess."""
        return self.options["uci_variant"].var if "uci_variant" in self.options else ()

    def set_option(self, name: str, value: object = None) -> None:
        """Set an option; None presses a button."""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        self.send(f"setoption name {name}" + ("" if value is None else f" value {text}"))

    def set_variant(self, name: str, seconds: float | None = None) -> float:
        """Choose a variant if the engine offers any, and wait until it is ready; returns the seconds that took."""
        if self.variants:
            self.set_option("UCI_Variant", name)
        return self.ready(seconds)

    def set_position(self, fen: str | None, moves: Sequence[str] = ()) -> None:
        """Send a position, None: the start position of the game."""
        self.send(position(fen, moves))

    def go(self, limits: str, seconds: float | None = None) -> list[TimedLine]:
        """Search; returns the lines up to `bestmove`."""
        self.send(f"go {limits}")
        return self.best_move(seconds)

    def best_move(self, seconds: float | None = None) -> list[TimedLine]:
        """The lines up to `bestmove`."""
        return self.timed(r"bestmove\b.*", self.seconds if seconds is None else seconds, "bestmove")

    def stop(self, seconds: float | None = None) -> float:
        """Seconds from `stop` to `bestmove`."""
        began = self.send("stop")
        return self.best_move(seconds)[-1].when - began

    def perft(self, depth: int, seconds: float | None = None) -> list[TimedLine]:
        """The answer to `go perft`, which is Stockfish's: a line per move, the last `Nodes searched: N`."""
        self.send(f"go perft {depth}")
        return self.timed(r"Nodes searched.*", self.seconds if seconds is None else seconds, "Nodes searched")

    def quit(self, seconds: float = 5.0) -> None:
        """Ask it to end; kill it if it does not."""
        if self.alive:
            self.send("quit")
            self.ended(seconds)
        self.kill()


def position(fen: str | None, moves: Sequence[str] = ()) -> str:
    """The line that sends a position; None: the start position of the game."""
    start = "startpos" if fen is None else f"fen {fen}"
    return f"position {start}" + (f" moves {' '.join(moves)}" if moves else "")
