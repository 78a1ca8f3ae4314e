"""An engine process as the referee sees it, over either protocol; and how it is done over UCI."""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import chess.engine

from bench.clients.process import EngineProcess
from bench.clients.uci import Thinking, UciClient, UciOption, position, read_thinking
from bench.match.specs import Clock, EngineSpec
from bench.match.wire import WireGame, WireMove
from engine.errors import EngineError
from engine.protocol.options import suggestion

SWITCH = {word: value for value, words in ((True, "true 1 on yes"), (False, "false 0 off no")) for word in words.split()}
OTHER_LINE = re.compile(r" multipv (?!1 )")
NO_MOVE = ("(none)", "NULL")


class RefusedError(EngineError):
    """Why an engine cannot play as it should: an option, a game or a limit that it does not have."""


class SaidError(EngineError):
    """An engine reported an error instead of an answer."""


@dataclass(frozen=True)
class Limits:
    """What a side may use for its move: the engine's own limits and both clocks."""

    spec: EngineSpec
    clocks: tuple[Clock, Clock]
    turn: int

    @property
    def given(self) -> float | None:
        """Seconds for this move; None without a limit of time."""
        left, fixed = self.clocks[self.turn].left, self.spec.st
        return fixed if left is None else left if fixed is None else min(left, fixed)

    @property
    def shown(self) -> tuple[Clock, Clock]:
        """The clocks to send: none if only the opponent has one, because the engine would take it for its own."""
        return self.clocks if self.clocks[self.turn].left is not None else (Clock(None), Clock(None))


class Seat(ABC):
    """A process, and what it said about its move. All times are by time.perf_counter().

    A thread reads what the engine says; lines of thinking and claims are kept there and wait for nobody.
    """

    hello: str  # what a start waits for first

    def __init__(self, client: EngineProcess, spec: EngineSpec):
        self.client, self.spec = client, spec
        client.listener = self._listen
        self.greeted = False
        self.claims: list[str] = []  # results that it has claimed, not yet judged
        self.went: float | None = None  # when `go` was sent
        self.answered: float | None = None  # when its answer came
        self.move: WireMove | None = None
        self.resigned = self.offered_draw = False
        self.variation = ""  # the moves of its last line of thinking; UCI only, for XBoard lets engines write them as they like
        self._thought = ""  # its last line of thinking

    @abstractmethod
    def _listen(self, when: float, line: str) -> bool:
        """In the reader's thread: whether a line is for those who wait for lines."""

    @abstractmethod
    def start(self, deadline: float) -> None:
        """Exchange greetings, set the options, wait until it is ready. Raises NoAnswerError, EngineGoneError, RefusedError."""

    @abstractmethod
    def prepare(self, game: WireGame, deadline: float) -> None:
        """Announce a game and wait until the engine is ready for it. Raises as start() does, and SaidError."""

    @abstractmethod
    def go(self, game: WireGame, limits: Limits, draw_offered: bool) -> None:
        """Send the position and let it think. Raises EngineGoneError."""

    @abstractmethod
    def wait(self, game: WireGame, until: float) -> bool:
        """Wait for the end of its turn; False if it has not come by then.

        Raises: EngineGoneError, SaidError, IllegalMoveError.
        """

    @abstractmethod
    def move_now(self) -> None:
        """Tell it to answer at once. Raises EngineGoneError."""

    @abstractmethod
    def thinking(self) -> Thinking:
        """What its last line of thinking said."""

    def take_claims(self) -> tuple[str, ...]:
        """The claims since the last call."""
        found, self.claims = tuple(self.claims), []
        return found

    @property
    def seconds(self) -> float:
        """What the last move took."""
        now = time.perf_counter()
        return (self.answered or now) - (self.went or now)

    def _begin_turn(self) -> None:
        self.client.forget()  # what came on the opponent's time
        self.went, self.answered, self.move = None, None, None
        self.resigned = self.offered_draw = False
        self._thought = self.variation = ""


def chosen_options(spec: EngineSpec, known: Mapping[str, chess.engine.Option]) -> dict[str, Any]:
    """The options of a spec, by the engine's own spelling, as values of python-chess; check boxes take 1 and on for true.

    known: the engine's options by names in lower case. Raises RefusedError naming option, value and what is wrong.
    """
    found: dict[str, Any] = {}
    for name, value in spec.options:
        option = known.get(name.lower())
        if option is None:
            near = suggestion(name, [option.name for option in known.values()])
            raise RefusedError(f"option.{name}={value}: the engine has no such option{near}")
        if option.is_managed():
            raise RefusedError(f"cannot set {option.name} which is automatically managed")
        if option.type == "check" and value.lower() not in SWITCH:
            raise RefusedError(f"option.{name}={value} is neither true nor false")
        try:
            found[option.name] = option.parse(SWITCH[value.lower()] if option.type == "check" else value)
        except chess.engine.EngineError as error:
            raise RefusedError(str(error)) from None
    return found


class UciSeat(Seat):
    """An engine over UCI."""

    hello = "uciok"
    client: UciClient

    def _listen(self, when: float, line: str) -> bool:
        if line.startswith("info "):
            if " score " in line and not OTHER_LINE.search(line) and ("bound" not in line or not self._thought):
                self._thought, _, self.variation = line.partition(" pv ")
            return False
        if line.startswith("bestmove") and self.answered is None:
            self.answered = when
        return True

    def start(self, deadline: float) -> None:
        """Exchange greetings, set the options, wait until it is ready."""
        self.client.greet(deadline - time.perf_counter())
        self.greeted = True
        self._options = {name: _checked(option) for name, option in self.client.options.items()}
        self._values = {name: option.default for name, option in self._options.items()}
        for name, value in chosen_options(self.spec, self._options).items():
            self._set(name, value)
        for name in ("Ponder", "UCI_AnalyseMode"):
            if name.lower() in self._options and name.lower() not in {name.lower() for name, _ in self.spec.options}:
                self._set(name, False)
        self.client.ready(deadline - time.perf_counter())

    def _set(self, name: str, value: Any) -> None:
        """Set an option, unless it has the value already; None presses a button."""
        if value is None or value != self._values.get(name.lower()):
            self.client.set_option(self._options[name.lower()].name, value)
            self._values[name.lower()] = value

    def prepare(self, game: WireGame, deadline: float) -> None:
        """Choose the variant and announce a new game."""
        if "uci_variant" in self._options:
            option, wanted = self._options["uci_variant"], self.spec.variant or game.variant
            if option.type == "combo" and wanted not in (option.var or []):
                raise RefusedError(f"does not play {wanted}: its variants are {', '.join(option.var or [])}")
            self._set("UCI_Variant", wanted)
        elif game.variant != "chess":
            raise RefusedError(f"does not play {game.variant}: it has no option UCI_Variant")
        if "uci_chess960" in self._options:
            self._set("UCI_Chess960", game.chess960)
        elif game.chess960:
            raise RefusedError("does not play chess960: it has no option UCI_Chess960")
        self.client.send("ucinewgame")
        self.client.ready(deadline - time.perf_counter())

    def go(self, game: WireGame, limits: Limits, draw_offered: bool) -> None:
        """Send `position` and `go`; UCI has no offers of draws."""
        self._begin_turn()
        fen = None if game.orthodox_start else game.root_fen
        self.went = self.client.send(position(fen, [move.text for move in game.moves]), f"go {_words(limits)}".rstrip())

    def wait(self, game: WireGame, until: float) -> bool:
        """Wait for `bestmove`."""
        while (line := self.client.hear(until - time.perf_counter())) is not None:
            words = line.text.split()
            if words[:1] == ["bestmove"]:
                if words[1:2] and words[1] not in NO_MOVE:
                    self.move = game.parse(words[1].lower())  # some write the promotion in upper case
                return True
        return False

    def move_now(self) -> None:
        """Send `stop`."""
        self.client.send("stop")

    def thinking(self) -> Thinking:
        """The last info line with a score."""
        return read_thinking(self._thought)


def _checked(option: UciOption) -> chess.engine.Option:
    """An option as python-chess has it, which knows how to read values. Raises RefusedError if its default is wrong."""
    low, high = (int(text) if text and re.fullmatch(r"-?\d{1,18}", text) else None for text in (option.min, option.max))
    found = chess.engine.Option(option.name, option.kind, None, low, high, list(option.var))
    try:
        return chess.engine.Option(option.name, option.kind, found.parse(option.default or ""), low, high, list(option.var))
    except chess.engine.EngineError as error:
        raise RefusedError(str(error)) from None


def _words(limits: Limits) -> str:
    """The words behind `go`."""
    spec, (white, black) = limits.spec, limits.shown
    words = [f"{word} {max(1, round(clock.left * 1000))}" for word, clock in (("wtime", white), ("btime", black))
             if clock.left is not None]
    words += [f"{word} {round(clock.control.increment * 1000)}" for word, clock in (("winc", white), ("binc", black))
              if clock.control is not None]
    if limits.shown[limits.turn].to_go:
        words.append(f"movestogo {limits.shown[limits.turn].to_go}")
    words += [f"{word} {value}" for word, value in (("depth", spec.depth), ("nodes", spec.nodes)) if value is not None]
    if spec.st is not None:
        words.append(f"movetime {max(1, round(spec.st * 1000))}")
    return " ".join(words)

