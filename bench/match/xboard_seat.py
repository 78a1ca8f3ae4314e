"""An engine over the XBoard protocol as the referee sees it, engines of old included, which have no `setboard`."""

from __future__ import annotations

import re
import shlex
import time
from typing import Any

import chess.engine

from bench.clients.process import NoAnswerError
from bench.clients.uci import Thinking
from bench.clients.xboard import ERROR, RESULT, XBoardClient, edit_commands, read_thinking
from bench.match.seats import Limits, RefusedError, SaidError, Seat, chosen_options
from bench.match.wire import WireGame, xboard_names

FEATURES = 10.0  # seconds an engine has to declare its features or `done=0`; as long as XBoard waits
THINKING = re.compile(r"\s*\d+[+-]?\s+-?\d+\s+\d+\s+\d+\b")
HARMLESS = re.compile(r"\s*Error\s*\(unknown command\)", re.IGNORECASE)
RESULTS = ("1-0", "0-1", "1/2-1/2")
MANNERS = {"random": "check", "computer": "check", "name": "string", "engine_rating": "spin", "opponent_rating": "spin"}
FOR_PEOPLE = ("tellics", "telluser", "tellall", "tellicsnoalias")
OTHER_NAMES = (("hash", "memory"), ("threads", "cores"))  # of an option: as UCI engines have it, as it is here


class XBoardSeat(Seat):
    """An engine over the XBoard protocol, version 2."""

    hello = "features"
    client: XBoardClient

    def _listen(self, when: float, line: str) -> bool:
        word = line.split(maxsplit=1)[0] if line.strip() else ""
        claim = RESULT.match(line) is not None
        if (claim or word in ("move", "resign")) and self.answered is None:
            self.answered = when
        if claim and "resign" not in line.lower():
            self.claims.append(line.strip())
        if HARMLESS.match(line) or word in FOR_PEOPLE:
            return False
        if found := THINKING.match(line):
            self._thought = found[0]
            return False
        return True

    def thinking(self) -> Thinking:
        return read_thinking(self._thought)

    # Before a game.

    def start(self, deadline: float) -> None:
        patience = deadline - time.perf_counter()
        features = self.client.greet(min(FEATURES, patience), patience)
        if not features:
            raise NoAnswerError("features", min(FEATURES, self.spec.startup), [])
        self._check_features()
        self.greeted = True
        self._edits = features.get("setboard") == "0"  # positions are sent by the old edit commands
        self._told = 0  # moves of the game that it knows
        self._clocks_told = False
        self._manners: dict[str, Any] = {}
        for name, value in chosen_options(self.spec, self._options()).items():
            self._set(name, value)
        self.client.sync(deadline - time.perf_counter())
        if self.spec.nodes and not features.on("nps"):
            raise RefusedError("knows no limit of nodes (feature nps=1)")
        if self.spec.nodes and (self.spec.tc or self.spec.st):
            raise RefusedError("xboard does not support mixing node limits with time limits")

    def _check_features(self) -> None:
        features = self.client.features
        for trouble in (*features.wrong, *(line for line in features.errors if not HARMLESS.match(line))):
            raise RefusedError(trouble)
        for name in ("ping", "setboard"):
            if name not in features or (name == "ping" and not features.on(name)):
                raise RefusedError(f"xboard engine did not declare required feature: {name}")
        for name, wanted in (("reuse", "1"), ("sigterm", "1"), ("san", "0")):
            if features.get(name, wanted) != wanted:
                self.client.send(f"rejected {name}")
        for name in ("memory", "smp", "egt"):
            if features.on(name):
                self.client.send(f"accepted {name}")

    def _options(self) -> dict[str, chess.engine.Option]:
        """The options by names in lower case, memory and cores also by their UCI names."""
        features = self.client.features
        found = [chess.engine.Option(name, kind, None, None, None, None) for name, kind in MANNERS.items()]
        found += [_option(text) for text in features.options()]
        found += [chess.engine.Option(name, "spin", None, 1, None, None)
                  for name, feature in (("memory", "memory"), ("cores", "smp")) if features.on(feature)]
        found += [chess.engine.Option(f"egtpath {kind}", "path", None, None, None, None)
                  for kind in features.get("egt", "").split(",") if kind]
        known = {option.name.lower(): option for option in found}
        return known | {word: known[name] for word, name in OTHER_NAMES if name in known}

    def _set(self, name: str, value: Any) -> None:
        if name in MANNERS:
            self._manners[name] = value
        elif name in ("memory", "cores") or name.startswith("egtpath "):
            self.client.send(f"{name} {value}")
        else:
            text = int(value) if isinstance(value, bool) else value
            self.client.send(f"option {name}" if value is None else f"option {name}={text}")

    def prepare(self, game: WireGame, deadline: float) -> None:
        lines = ["new", *self._variant(game), *self._opponent(), "force"]
        if not game.orthodox_start or game.chess960:
            lines += edit_commands(game.root_fen) if self._edits else [f"setboard {game.root_fen}"]
        self._told, self._clocks_told = 0, False
        self.client.send(*lines, *self._news(game))
        pong = self.client.ping()
        while (line := self.client.hear(deadline - time.perf_counter())) is not None:
            if line.text.strip() == pong:
                self.claims.clear()  # they were about the last game
                return
            if line.text.startswith(("Error", "Illegal move")):
                raise SaidError(line.text)
        raise NoAnswerError(pong, self.spec.startup, [])

    def _variant(self, game: WireGame) -> list[str]:
        """The line that chooses the game; none for orthodox chess."""
        if game.variant == "chess" and not game.chess960:
            return []
        offered = self.client.features.get("variants", "").split(",")
        wanted = [self.spec.variant] if self.spec.variant else xboard_names(game.variant, game.chess960)
        found = next((name for name in wanted if name in offered), None)
        if found is None:
            raise RefusedError(f"does not play {wanted[0]}: its variants are {', '.join(offered)}")
        return [f"variant {found}"]

    def _opponent(self) -> list[str]:
        """The lines about how to play and about the opponent, which options of these names ask for."""
        chosen, lines = self._manners, list[str]()
        if chosen.get("random"):
            lines.append("random")
        if chosen.get("name") and self.client.features.get("name", "1") != "0":
            lines.append(f"name {chosen['name']}")
        if chosen.get("engine_rating") or chosen.get("opponent_rating"):
            lines.append(f"rating {chosen.get('engine_rating', 0)} {chosen.get('opponent_rating', 0)}")
        if chosen.get("computer"):
            lines.append("computer")
        return lines

    def _news(self, game: WireGame) -> list[str]:
        """The lines with the moves that it does not know yet."""
        moves = [game.xboard_text(move) for move in game.moves[self._told:]]
        self._told = len(game.moves)
        return self.client.moves(moves)

    # Its turn.

    def go(self, game: WireGame, limits: Limits, draw_offered: bool) -> None:
        self._begin_turn()
        self._pong = ""  # of the ping that follows its answer
        lines = ["force", *self._news(game), *self._limits(limits)]
        if draw_offered and self.client.features.get("draw", "1") != "0":
            lines.append("draw")
        self.went = self.client.send(*lines, "post", "easy", "go")

    def _limits(self, limits: Limits) -> list[str]:
        spec, clocks, lines = limits.spec, limits.shown, list[str]()
        own = clocks[limits.turn]
        if not self._clocks_told:
            if own.left is not None:
                minutes, seconds = divmod(int(own.left), 60)
                lines.append(f"level {own.to_go} {minutes}:{seconds:02d} {(own.control and own.control.increment) or 0}")
            if spec.st is not None:
                lines.append(f"st {max(0.01, spec.st)}")
            self._clocks_told = True
        if spec.nodes is not None:
            lines += ["nps 1", f"st {spec.nodes}"]
        if spec.depth is not None:
            lines.append(f"sd {spec.depth}")
        for side, clock in enumerate(clocks):
            if clock.left is not None:
                lines.append(f"{'time' if side == limits.turn else 'otim'} {max(1, round(clock.left * 100))}")
        return lines

    def wait(self, game: WireGame, until: float) -> bool:
        while (line := self.client.hear(until - time.perf_counter())) is not None:
            text = line.text.strip()
            if self._pong and text == self._pong:
                return True
            if ERROR.match(line.text):
                raise SaidError(line.text)
            self._hear(game, text)
        return False

    def _hear(self, game: WireGame, text: str) -> None:
        """A line on its turn. What ends the turn is followed by a ping: the engine may say more until the pong."""
        word, _, rest = text.partition(" ")
        if word == "move" and self.move is None:
            self.move = game.parse_xboard(rest.strip())
            self._told += 1  # its own move
        elif " ".join(text.split()) == "offer draw":
            self.offered_draw = True
        elif text == "resign" or (word in RESULTS and "resign" in text):
            self.resigned = True
        elif word not in RESULTS:
            return
        if not self._pong:
            self._pong = self.client.ping()

    def move_now(self) -> None:
        self.client.send("?")

    # After a game.

    def result(self, game: WireGame, result: str, why: str) -> None:
        """Send the last moves and the result. Raises EngineGoneError."""
        text = why.translate(str.maketrans("{}", "[]"))[:100]
        self.client.send("force", *self._news(game), f"result {result} {{{text}}}" if text else f"result {result}")


def _option(text: str) -> chess.engine.Option:
    """An option of a feature line, `NAME -KIND VALUES`. Raises RefusedError if it cannot be read."""
    found = re.fullmatch(r"(.+?) -(\w+) ?(.*)", text)
    if found is None:
        raise RefusedError(f"cannot read option {shlex.quote(text)}")
    name, kind, rest = found.groups()
    if kind == "combo":
        choices = [choice for choice in rest.split() if choice != "///"]
        default = next((choice[1:] for choice in choices if choice.startswith("*")), None)
        return chess.engine.Option(name, kind, default, None, None, [choice.removeprefix("*") for choice in choices])
    try:
        if kind in ("spin", "slider"):
            default_number, low, high = map(int, rest.split())
            return chess.engine.Option(name, "spin", default_number, low, high, None)
        return chess.engine.Option(name, kind, bool(int(rest)) if kind == "check" else rest, None, None, None)
    except ValueError:
        raise RefusedError(f"cannot read option {shlex.quote(text)}") from None
