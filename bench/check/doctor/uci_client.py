"""What the steps of UCI share: a search and its info lines read as the standard has them, options, legality by our rules."""

from __future__ import annotations

import re
from typing import Any

from bench.check.doctor.steps import Patient, Skip, Trouble, check
from engine.errors import FenError, MoveError
from engine.game import Game
from engine.protocol.options import whole

SEARCH = 2.0  # times the patience: what a short search may take on a busy machine
INTEGERS = ("depth", "seldepth", "time", "nodes", "multipv", "currmovenumber", "hashfull", "nps", "tbhits", "sbhits", "cpuload")


class Info(dict[str, Any]):
    """The fields of an info line; to ask for one that it lacks raises Trouble."""

    def __missing__(self, field: str) -> Any:
        raise Trouble(f"an info line without {field}")


class Search:
    """What an engine said from `go` to `bestmove`. Raises Trouble where it is not as the standard has it."""

    def __init__(self, lines: list[str], seconds: float):
        self.seconds = seconds
        self.infos = [parse_info(line) for line in lines if line.startswith("info") and not line.startswith("info string")]
        self.lines = [info for info in self.infos if "pv" in info]
        words = lines[-1].split()
        check(len(words) == 2 or (len(words) == 4 and words[2] == "ponder"), f"{lines[-1]!r}")
        self.best, self.ponder = words[1], words[3] if len(words) == 4 else None

    @property
    def last(self) -> Info:
        """The last info line with a variation. Raises Trouble."""
        check(self.lines, "no info line with a pv")
        return self.lines[-1]


def parse_info(line: str) -> Info:
    """The fields of an info line. Raises Trouble where it is not as the standard has it."""
    words, found, at = line.split()[1:], Info(), 0
    while at < len(words):
        word = words[at]
        at += 1
        if word in INTEGERS:
            check(at < len(words) and whole(words[at]) is not None, f"{word} is no whole number in {line!r}")
            found[word] = int(words[at])
            at += 1
        elif word == "score":
            check(at + 1 < len(words) and words[at] in ("cp", "mate") and whole(words[at + 1]) is not None,
                  f"score is neither cp nor mate in {line!r}")
            found["score"] = (words[at], int(words[at + 1]))
            at += 2
        elif word in ("lowerbound", "upperbound"):
            found["bound"] = word
        elif word == "wdl":
            check(len(words[at:at + 3]) == 3 and all(whole(text) is not None for text in words[at:at + 3]),
                  f"wdl is not three whole numbers in {line!r}")
            found["wdl"] = [int(text) for text in words[at:at + 3]]
            at += 3
        elif word == "currmove":
            check(at < len(words), f"currmove without a move in {line!r}")
            found["currmove"] = words[at]
            at += 1
        elif word in ("pv", "refutation", "currline"):
            check(words[at:], f"{word} without a move in {line!r}")
            found[word] = words[at:]
            at = len(words)
        elif word == "string":
            break
        else:
            raise Trouble(f"unknown word {word!r} in {line!r}")
    return found


def hello(patient: Patient) -> None:
    """Make a process ready to be asked."""
    patient.talk.send("uci")
    patient.talk.until("uciok", patient.patience)
    ready(patient, 6 * patient.patience)


def ready(patient: Patient, seconds: float = 0.0) -> float:
    """Seconds that isready took."""
    began = patient.talk.send("isready")
    return patient.talk.timed("readyok", seconds or patient.patience)[-1][0] - began


def search(patient: Patient, position: str, go: str, thinking: float = 0.0) -> Search:
    """A search from a position: startpos or a FEN, moves after ` moves `; it is told to think for so many seconds."""
    patient.talk.send(place(position))
    ready(patient)
    began = patient.talk.send(f"go {go}")
    lines = answer(patient, thinking)
    return Search([line for _, line in lines], lines[-1][0] - began)


def answer(patient: Patient, thinking: float = 0.0) -> list[tuple[float, str]]:
    """The lines up to bestmove and when they came."""
    return patient.answer("bestmove( .*)?", thinking + SEARCH * patient.patience, "bestmove")


def place(position: str) -> str:
    return f"position {position if position.startswith('startpos') else f'fen {position}'}"


def legal(move: str | None, position: str = "startpos", variant: str = "chess", chess960: bool = False) -> str:
    """The move, checked by our rules. Raises Trouble."""
    fen, _, moves = position.partition(" moves ")
    try:
        game = Game(variant, None if fen == "startpos" else fen, chess960)
        for text in moves.split():
            game.push(text)
        game.parse(move or "")
    except (FenError, MoveError) as error:
        raise Trouble(f"bestmove {move} is illegal: {error}") from None
    return move or ""


def begin(patient: Patient, go: str, position: str = "startpos") -> None:
    patient.talk.send(place(position))
    ready(patient)
    patient.talk.send(f"go {go}")


def stop(patient: Patient, seconds: float = 2.0) -> float:
    """Seconds from `stop` to bestmove."""
    began = patient.talk.send("stop")
    return patient.talk.timed("bestmove .*", seconds, "bestmove")[-1][0] - began


def no_answer(patient: Patient, seconds: float, before: str) -> None:
    early = [line for line in patient.talk.listen(seconds) if line.startswith("bestmove")]
    check(not early, f"{early[:1]} before {before}")


def all_options(patient: Patient) -> dict[str, dict[str, Any]]:
    """What it told of its options. Raises Skip where it never did."""
    if patient.options is None:
        raise Skip("it never told of its options")
    return patient.options


def option(patient: Patient, name: str) -> dict[str, Any]:
    """An option the engine offers. Raises Skip where it does not, or not well enough to be set."""
    found = all_options(patient).get(name.lower())
    if found is None:
        raise Skip(f"it has no option {name}")
    if found["wrong"]:
        raise Skip(found["wrong"])
    return dict(found)


def set_option(patient: Patient, name: str, value: object) -> None:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    patient.talk.send(f"setoption name {name} value {text}")


def read_options(lines: list[str]) -> dict[str, dict[str, Any]]:
    """The options by their names in small letters; what is wrong with one stands in its `wrong`."""
    found = {}
    for line in lines:
        if not line.startswith("option "):
            continue
        match = re.fullmatch(r"option name (.+?) type (\w+)( .*)?", line)
        if match is None:
            found[line.lower()] = {"wrong": f"unreadable: {line!r}"}
            continue
        name, kind, rest = match[1], match[2], match[3] or ""
        fields: dict[str, Any] = {"name": name, "kind": kind, "var": re.split(r" var ", rest)[1:], "wrong": ""}
        for field in ("default", "min", "max"):
            value = re.search(rf" {field} ?(.*?)(?= default | min | max | var |$)", rest)
            fields[field] = value[1] if value else None
        fields["wrong"] = wrong_with(fields)
        found[name.lower()] = fields
    return found


def wrong_with(fields: dict[str, Any]) -> str:
    """What the standard forbids in an option line, empty where it is well formed."""
    name, kind, default = fields["name"], fields["kind"], fields["default"]
    if kind not in ("check", "spin", "combo", "button", "string"):
        return f"{name} has type {kind}"
    if kind == "button":
        return ""
    if default is None:
        return f"{name} has no default"
    if kind == "check" and default not in ("true", "false"):
        return f"{name} has default {default}"
    if kind == "combo" and default not in fields["var"]:
        return f"{name}: default {default} is none of its vars"
    if kind == "spin":
        low, value, high = (whole(fields[field] or "") for field in ("min", "default", "max"))
        if low is None or value is None or high is None:
            return f"{name} lacks a whole min, default or max"
        if not low <= value <= high:
            return f"{name}: default {value} is not in {low}..{high}"
    return ""
