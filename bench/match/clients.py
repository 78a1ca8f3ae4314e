"""chess.engine's two protocols with what a referee needs: exact times, a log of every line, claims, engines of old."""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import chess.engine
from chess.engine import BaseCommand

import variants
from engine.squares import FILES

if TYPE_CHECKING:
    from bench.match.wire import WireBoard

LOG_LINES = 4000  # per engine and game; the beginning of a longer talk is dropped
FEATURES = 10.0  # seconds an XBoard engine has to say its features or `done=0`; as long as XBoard waits
FLOOD = 1 << 20  # bytes without a line end after which an engine is ended
RESULT = re.compile(r"(1-0|0-1|1/2-1/2)\s*(\{.*\})?\s*$")
HELD = re.compile(r"(position|usermove|time|otim|level) |(force|post|nopost|easy|hard)$")
OTHER_LINE = re.compile(r" multipv (?!1 )")
THINKING = re.compile(r"\s*\d+[+-]?\s+-?\d+\s+\d+\s+\d+\b")
HARMLESS = re.compile(r"\s*Error\s*\(unknown command\)", re.IGNORECASE)


def xboard_names(variant: str | None) -> list[str]:
    """What XBoard engines call a game; the names that others use come first."""
    face = variants.find(variant or "chess").xboard
    return [*face.other_names, face.name or str(variant)]


class Watched(chess.engine.Protocol):
    """A protocol that remembers what was said and when."""

    def __init__(self) -> None:
        super().__init__()
        self.log: deque[tuple[float, str, str]] = deque(maxlen=LOG_LINES)
        self.claims: list[str] = []  # results and illegal moves it has claimed, unasked
        self.went: float | None = None  # when it was told to think, perf_counter
        self.answered: float | None = None  # when its answer was here
        self.moved = ""  # the move of an XBoard engine, which may go before chess.engine hands the move on
        self.thought = ""  # its last line of thinking
        self.variation = ""  # the moves of that line; UCI only, for XBoard lets engines write them as they like
        self.held = ""  # lines that go out with the next one

    def note(self, sign: str, line: str) -> None:
        """Keep a line for the log: > to the engine, < from it, ! its error output, # ours."""
        self.log.append((time.time(), sign, line))

    def log_text(self) -> str:
        """The log as lines of time, direction and text."""
        return "".join(f"{time.strftime('%H:%M:%S', time.gmtime(when))}.{int(when % 1 * 1000):03d} {sign} {line}\n"
                       for when, sign, line in self.log)

    def send_line(self, line: str) -> None:
        self.note(">", line)
        if HELD.match(line):  # another line follows: one write for both
            self.held += f"{line}\n"
            return
        super().send_line(self.held + line)
        self.held = ""
        if line == "go" or line.startswith("go "):
            self.went, self.answered = time.perf_counter(), None
            self.thought = self.variation = ""

    def error_line_received(self, line: str) -> None:
        self.note("!", line)

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        super().pipe_data_received(fd, data)
        if len(self.buffer[fd]) > FLOOD:
            self.note("#", f"ended: {len(self.buffer[fd])} bytes without a line end")
            self.buffer[fd].clear()
            assert self.transport is not None
            self.transport.kill()

    def answer(self) -> None:
        """The line that ends a turn has come."""
        if self.answered is None:
            self.answered = time.perf_counter()

    def tell_thought(self) -> None:
        """Let chess.engine read the last line of thinking. The others, and the variation, nobody would look at."""
        line, self.thought = self.thought, ""
        if line:
            self.hand_on(line)

    def hand_on(self, line: str) -> None:
        """Let chess.engine read a line; what it stumbles over ends the command, not the connection."""
        try:
            super()._line_received(line)
        except (ValueError, IndexError, KeyError) as error:
            if self.command is None:
                self.note("#", f"not understood: {error}")
            else:
                self.command._handle_exception(chess.engine.EngineError(f"cannot read {line[:80]!r}: {error}"))

    async def prepare(self, board: WireBoard, game: object) -> None:
        """A new game: whatever takes long happens now, before a clock runs."""
        raise NotImplementedError


class UciClient(Watched, chess.engine.UciProtocol):
    """UCI."""

    def _line_received(self, line: str) -> None:
        self.note("<", line)
        if line.startswith("info "):
            if " score " in line and not OTHER_LINE.search(line) and ("bound" not in line or not self.thought):
                self.thought, _, self.variation = line.partition(" pv ")
            return
        if line.startswith("bestmove"):
            self.answer()
            self.tell_thought()
        self.hand_on(line)

    async def prepare(self, board: WireBoard, game: object) -> None:
        class Prepare(BaseCommand[None]):
            def __init__(self, engine: UciClient):
                super().__init__(engine)
                self.engine = engine

            def start(self) -> None:
                option = self.engine.options.get("UCI_Variant")
                if option is not None:
                    if option.type == "combo" and board.uci_variant not in (offered := option.var or []):
                        known = ", ".join(offered)
                        raise chess.engine.EngineError(f"does not play {board.uci_variant}: its variants are {known}")
                    self.engine._setoption("UCI_Variant", board.uci_variant)
                elif board.uci_variant != "chess":
                    raise chess.engine.EngineError(f"does not play {board.uci_variant}: it has no option UCI_Variant")
                if "UCI_Chess960" in self.engine.options:
                    self.engine._setoption("UCI_Chess960", board.chess960)
                elif board.chess960:
                    raise chess.engine.EngineError("does not play chess960: it has no option UCI_Chess960")
                self.engine.game = game
                self.engine._ucinewgame()
                self.engine._isready()

            def line_received(self, line: str) -> None:
                if line.strip() == "readyok":
                    self.result.set_result(None)
                    self.set_finished()

        return await self.communicate(Prepare)


class _Patient:
    """An event loop whose timers wait longer: chess.engine gives an XBoard engine two seconds to list its features.

    One that lists them without ever saying `done` is taken as it is after that time.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float):
        self._loop, self._seconds = loop, seconds

    def call_later(self, delay: float, callback: Any, *args: Any) -> asyncio.TimerHandle:
        return self._loop.call_later(max(delay, self._seconds), callback, *args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loop, name)


class XBoardClient(Watched, chess.engine.XBoardProtocol):
    """XBoard, protocol 2, engines without `setboard` included: they get the old `edit` commands."""

    def __init__(self) -> None:
        super().__init__()
        self.edits = False
        self.own_variant: str | None = None  # the name the engine has for the game, where the user knows better

    async def initialize_in(self, seconds: float) -> None:
        """initialize(), with more patience. Raises TimeoutError where no feature has come when it ends."""
        loop, self.loop = self.loop, _Patient(self.loop, seconds)  # type: ignore[assignment]
        try:
            await self.initialize()
        except chess.engine.EngineError:
            if not self.features and not self.returncode.done():
                raise TimeoutError from None
            raise
        finally:
            self.loop = loop

    def _line_received(self, line: str) -> None:
        self.note("<", line)
        word = line.split(maxsplit=1)[0] if line.strip() else ""
        if word in ("move", "resign") or RESULT.match(line):
            self.answer()
        if RESULT.match(line) and "resign" not in line.lower():
            self.claims.append(line.strip())
        if HARMLESS.match(line) or word in ("tellics", "telluser", "tellall", "tellicsnoalias"):
            return
        if word == "feature" and "setboard=0" in line:
            self.edits = True
            line = line.replace("setboard=0", "setboard=1")
        elif found := THINKING.match(line):
            self.thought = found[0]
            return
        if word in ("move", "resign"):
            self.tell_thought()
            self.moved = " ".join(line.split()[1:2])
        self.hand_on(line)

    def send_line(self, line: str) -> None:
        if self.edits and line.startswith("setboard "):
            for part in edit_commands(line.removeprefix("setboard ")):
                super().send_line(part)
        else:
            super().send_line(line)

    def _variant(self, variant: str | None) -> None:
        offered = str(self.features.get("variants", "")).split(",")
        wanted = [self.own_variant] if self.own_variant else xboard_names(variant)
        found = next((name for name in wanted if name in offered), None)
        if found is None:
            raise chess.engine.EngineError(f"does not play {wanted[0]}: its variants are {', '.join(offered)}")
        self.send_line(f"variant {found}")

    async def prepare(self, board: WireBoard, game: object) -> None:
        class Prepare(BaseCommand[None]):
            def __init__(self, engine: XBoardClient):
                super().__init__(engine)
                self.engine = engine

            def start(self) -> None:
                self.engine._new(board, game, {})  # type: ignore[arg-type]
                number = id(self) & 0xffff
                self.pong = f"pong {number}"
                self.engine._ping(number)

            def line_received(self, line: str) -> None:
                if line.strip() == self.pong:
                    self.engine.claims.clear()  # they were about the last game
                    self.result.set_result(None)
                    self.set_finished()
                elif line.startswith(("Error", "Illegal move")):
                    raise chess.engine.EngineError(line)

        return await self.communicate(Prepare)


def edit_commands(fen: str) -> list[str]:
    """A position as commands of CECP's edit mode, man by man; where Black is to move, a dummy move passes the turn before."""
    placement, turn = fen.split()[:2]
    men: dict[str, list[str]] = {"w": [], "b": []}
    for rank, row in zip("87654321", placement.split("/"), strict=True):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                men["w" if letter.isupper() else "b"].append(f"{letter.upper()}{FILES[file]}{rank}")
                file += 1
    dummy = ["a2a3"] if turn == "b" else []
    return [*dummy, "edit", "#", *men["w"], "c", *men["b"], "."]
