"""What the UCI steps share: searches and their info lines, read strictly; options; legality by our rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.check.doctor.steps import Patient, SkipError, TroubleError, check
from bench.clients.process import TimedLine
from bench.clients.uci import UciOption
from bench.clients.uci import position as position_line
from engine.errors import FenError, MoveError
from engine.game import Game
from engine.protocol.options import whole

SEARCH = 2.0  # times the patience: what a short search may take on a busy machine
INTEGERS = ("depth", "seldepth", "time", "nodes", "multipv", "currmovenumber", "hashfull", "nps", "tbhits", "sbhits", "cpuload")
LINES = ("pv", "refutation", "currline")


class Info(dict[str, Any]):
    """The fields of an info line. Raises TroubleError for a field that it lacks."""

    def __missing__(self, field: str) -> Any:
        raise TroubleError(f"an info line without {field}")


class Search:
    """What an engine said from `go` to `bestmove`. Raises TroubleError if it is not as the standard says."""

    def __init__(self, lines: list[str], seconds: float):
        self.seconds = seconds
        self.infos = [parse_info(line) for line in lines if line.startswith("info") and not line.startswith("info string")]
        self.lines = [info for info in self.infos if "pv" in info]
        words = lines[-1].split()
        check(len(words) == 2 or (len(words) == 4 and words[2] == "ponder"), f"{lines[-1]!r}")
        self.best, self.ponder = words[1], words[3] if len(words) == 4 else None

    @property
    def last(self) -> Info:
        """The last info line with a variation. Raises TroubleError."""
        check(self.lines, "no info line with a pv")
        return self.lines[-1]


def parse_info(line: str) -> Info:
    """The fields of an info line. Raises TroubleError if it is not as the standard says."""
    words, found, at = line.split()[1:], Info(), 0
    while at < len(words) and words[at] != "string":
        word = words[at]
        if word not in READERS:
            raise TroubleError(f"unknown word {word!r} in {line!r}")
        field, value, used = READERS[word](word, words[at + 1:], line)
        found[field] = value
        at += 1 + used
    return found


def _integer(word: str, rest: list[str], line: str) -> tuple[str, Any, int]:
    check(rest and whole(rest[0]) is not None, f"{word} is not an integer in {line!r}")
    return word, int(rest[0]), 1


def _score(word: str, rest: list[str], line: str) -> tuple[str, Any, int]:
    check(len(rest) > 1 and rest[0] in ("cp", "mate") and whole(rest[1]) is not None,
          f"score is neither cp nor mate in {line!r}")
    return word, (rest[0], int(rest[1])), 2


def _bound(word: str, rest: list[str], line: str) -> tuple[str, Any, int]:
    return "bound", word, 0


def _wdl(word: str, rest: list[str], line: str) -> tuple[str, Any, int]:
    check(len(rest) > 2 and all(whole(text) is not None for text in rest[:3]), f"wdl is not three whole numbers in {line!r}")
    return word, [int(text) for text in rest[:3]], 3


def _move(word: str, rest: list[str], line: str) -> tuple[str, Any, int]:
    check(rest, f"{word} without a move in {line!r}")
    return word, rest[0], 1


def _moves(word: str, rest: list[str], line: str) -> tuple[str, Any, int]:
    check(rest, f"{word} without a move in {line!r}")
    return word, rest, len(rest)


# By word, given the words after it: (field, value, how many of those words are the value's)
READERS: dict[str, Callable[[str, list[str], str], tuple[str, Any, int]]] = {
    **dict.fromkeys(INTEGERS, _integer), **dict.fromkeys(LINES, _moves), "score": _score, "lowerbound": _bound,
    "upperbound": _bound, "wdl": _wdl, "currmove": _move}


def hello(patient: Patient) -> None:
    """Make a new process ready for a step."""
    patient.uci.greet(patient.patience)
    ready(patient, 6 * patient.patience)


def ready(patient: Patient, seconds: float = 0.0) -> float:
    """Seconds that isready took."""
    return patient.uci.ready(seconds or patient.patience)


def search(patient: Patient, position: str, go: str, thinking: float = 0.0) -> Search:
    """Search a position: startpos or a FEN, with moves after ` moves `. thinking: seconds that `go` allows."""
    began = begin(patient, go, position)
    lines = answer(patient, thinking)
    return Search([line for _, line in lines], lines[-1].when - began)


def begin(patient: Patient, go: str, position: str = "startpos") -> float:
    """Start a search; returns when `go` was sent."""
    fen, _, moves = position.partition(" moves ")
    patient.talk.send(position_line(None if fen == "startpos" else fen, moves.split()))
    ready(patient)
    return patient.talk.send(f"go {go}")


def answer(patient: Patient, thinking: float = 0.0) -> list[TimedLine]:
    """The lines up to bestmove."""
    return patient.answer("bestmove( .*)?", thinking + SEARCH * patient.patience, "bestmove")


def legal(move: str | None, position: str = "startpos", variant: str = "chess", chess960: bool = False) -> str:
    """The move, checked by our rules. Raises TroubleError."""
    fen, _, moves = position.partition(" moves ")
    try:
        game = Game(variant, None if fen == "startpos" else fen, chess960)
        for text in moves.split():
            game.push(text)
        game.parse(move or "")
    except (FenError, MoveError) as error:
        raise TroubleError(f"bestmove {move} is illegal: {error}") from None
    return move or ""


def stop(patient: Patient, seconds: float = 2.0) -> float:
    """Seconds from `stop` to bestmove."""
    return patient.uci.stop(seconds)


def no_answer(patient: Patient, seconds: float, before: str) -> None:
    """Raise TroubleError if bestmove comes within a time."""
    early = [line for line in patient.talk.listen(seconds) if line.startswith("bestmove")]
    check(not early, f"{early[:1]} before {before}")


def all_options(patient: Patient) -> dict[str, UciOption]:
    """The options it listed. Raises SkipError if it never did."""
    if patient.options is None:
        raise SkipError("it never listed its options")
    return patient.options


def option(patient: Patient, name: str) -> UciOption:
    """An option the engine offers. Raises SkipError if it does not, or not well enough to be set."""
    found = all_options(patient).get(name.lower())
    if found is None:
        raise SkipError(f"it has no option {name}")
    if found.wrong:
        raise SkipError(found.wrong)
    return found


def set_option(patient: Patient, name: str, value: object) -> None:
    """Set an option."""
    patient.uci.set_option(name, value)
