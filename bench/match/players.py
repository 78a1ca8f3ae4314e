"""An engine at the board: a process that plays game after game, and every way it can fail, told in one line."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import chess
import chess.engine

from bench.match.clients import FEATURES, UciClient, Watched, XBoardClient
from bench.match.records import End
from bench.match.specs import STOPPED, Clock, EngineSpec
from bench.match.wire import IllegalMove, WireBoard, WireMove
from engine.protocol.options import suggestion

LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None  # loaded here: little is safe between fork and exec
PR_SET_PDEATHSIG = 1
QUIT = 2.0  # seconds between `quit` and the end
SWITCH = {word: value for value, words in ((True, "true 1 on yes"), (False, "false 0 off no")) for word in words.split()}
HANGS = 2  # after so many silent starts an engine is not waited for again


class Fault(Exception):
    """What an engine did wrong; it loses the game by it."""

    def __init__(self, end: End, detail: str):
        super().__init__(detail)
        self.end = end
        self.detail = " ".join(detail.split())


@dataclass
class Reply:
    """An engine's answer to `go`."""

    move: WireMove | None
    seconds: float
    score: int | None = None
    mate: int | None = None
    depth: int | None = None
    nodes: int | None = None
    resigned: bool = False
    offered_draw: bool = False
    claims: tuple[str, ...] = ()
    variation: str = ""


class Player:
    """One engine process and its protocol."""

    def __init__(self, spec: EngineSpec):
        self.spec = spec
        self.client: Watched | None = None
        self.hangs = 0
        self.trouble = ""  # what the last start ended with, or why the process is gone in the midst of a game
        self.log = ""  # of an engine that is gone

    @property
    def alive(self) -> bool:
        return self.client is not None and not self.client.returncode.done()

    def log_text(self) -> str:
        return self.client.log_text() if self.client else self.log

    async def start(self) -> None:
        """Start the process and say hello, unless it runs already. Raises Fault."""
        if self.alive:
            return
        if self.hangs >= HANGS:
            raise Fault(End.START, self.trouble)
        self.log = ""
        kind: type[Watched] = XBoardClient if self.spec.protocol == "xboard" else UciClient
        try:
            _, client = await kind.popen(list(self.spec.command), setpgrp=True, cwd=self.spec.directory,
                                         preexec_fn=_end_with_parent if LIBC else None)
        except OSError as error:
            why = error.strerror or str(error)
            if self.spec.directory is not None and error.filename == self.spec.directory:
                raise Fault(End.START, f"cannot enter the folder dir={self.spec.directory}: {why}") from None
            raise Fault(End.START, f"cannot run {self.spec.command[0]!r}: {why}") from None
        self.client = client
        try:
            async with asyncio.timeout(self.spec.startup):
                if isinstance(client, XBoardClient):
                    client.own_variant = self.spec.variant
                    await client.initialize_in(min(FEATURES, self.spec.startup))
                else:
                    await client.initialize()
                await client.configure(self._options(client))
                await client.ping()
            self.hangs = 0
            if self.spec.nodes and isinstance(client, XBoardClient) and not client.features.get("nps", 0):
                raise chess.engine.EngineError("knows no limit of nodes (no feature nps=1)")
        except TimeoutError:
            self.hangs += 1
            uci, seconds = self.spec.protocol == "uci", self.spec.startup
            if not client.initialized and not uci and not cast(XBoardClient, client).features:
                seconds = min(FEATURES, seconds)
            hello = "readyok or pong" if client.initialized else "uciok" if uci else "features"
            self.trouble = f"no {hello} within {seconds:g} s"
            await self.kill()
            raise Fault(End.START, self.trouble) from None
        except chess.engine.EngineTerminatedError:
            code = client.returncode.result()
            await self.kill()
            raise Fault(End.START, f"ended with {_status(code)} while starting") from None
        except (chess.engine.EngineError, ValueError) as error:
            await self.kill()
            raise Fault(End.START, str(error)) from None

    def _options(self, client: Watched) -> dict[str, Any]:
        """Options by the engine's own spelling; a check box takes 1 and on for true. Raises EngineError for what it has not."""
        options = cast(Any, client).options
        known = {name.lower(): name for name in options}
        if isinstance(client, XBoardClient):
            known |= {word: known[feature] for word, feature in (("hash", "memory"), ("threads", "cores")) if feature in known}
        found: dict[str, Any] = {}
        for name, value in self.spec.options:
            own = known.get(name.lower())
            if own is None:
                near = suggestion(name, list(options))
                raise chess.engine.EngineError(f"option.{name}={value}: the engine has no such option{near}")
            if options[own].type == "check":
                if value.lower() not in SWITCH:
                    raise chess.engine.EngineError(f"option.{name}={value} is neither true nor false")
                found[own] = SWITCH[value.lower()]
            elif options[own].type == "button":
                found[own] = None
            else:
                found[own] = value
        return found

    async def new_game(self, board: WireBoard, game: object) -> None:
        """Announce a game and wait until the engine is ready for it. Raises Fault."""
        client = self.client
        assert client is not None
        client.log.clear()
        try:
            async with asyncio.timeout(self.spec.startup):
                await client.prepare(board, game)
        except TimeoutError:
            await self.kill()
            raise Fault(End.START, f"not ready for a game within {self.spec.startup:g} s") from None
        except chess.engine.EngineTerminatedError:
            code = client.returncode.result()
            await self.kill()
            raise Fault(End.CRASH, f"ended with {_status(code)} before its first move") from None
        except (chess.engine.EngineError, ValueError) as error:
            await self.kill()
            raise Fault(End.START, str(error)) from None

    async def play(self, board: WireBoard, clocks: tuple[Clock, Clock], game: object, draw_offered: bool) -> Reply:
        """Let it think. Raises Fault; a client that is no use any more is gone then."""
        client, spec = self.client, self.spec
        if client is None:
            raise Fault(End.CRASH, self.trouble)
        own = clocks[board.game.turn]
        given = own.left if own.left is not None else spec.st
        if own.left is not None and spec.st is not None:
            given = min(own.left, spec.st)
        limit = _limit(spec, own, clocks)
        limit.clock_id = game
        client.went, client.answered, client.moved = None, None, ""
        patience = spec.patience if given is None else max(given, 0.0) + spec.margin
        turn = asyncio.ensure_future(client.play(
            cast(chess.Board, board), limit, game=game, draw_offered=draw_offered,
            info=chess.engine.INFO_BASIC | chess.engine.INFO_SCORE))
        done = await self._wait(turn, patience + 0.05)
        if not done and client.answered is not None:  # an XBoard engine that moved in time owes a pong
            done, _ = await asyncio.wait((turn,), timeout=STOPPED)
        if not done:
            turn.cancel()  # chess.engine says `stop`
            raise await self._too_late(given, client.answered is not None)
        try:
            result = turn.result()
        except chess.engine.EngineTerminatedError:
            code = client.returncode.result()
            await self.kill()
            if client.moved:  # it has moved, and then gone: a matter of its next turn, if there is one
                move = self._last_move(board, client.moved)
                self.trouble = f"ended with {_status(code)} after its move"
                return Reply(move, (client.answered or 0.0) - (client.went or 0.0), claims=tuple(client.claims))
            raise Fault(End.CRASH, f"ended with {_status(code)} on its turn") from None
        except chess.engine.EngineError as error:
            cause = error.args[0] if error.args else ""
            await self.kill()
            if isinstance(cause, IllegalMove):
                raise Fault(End.ILLEGAL, str(cause)) from None
            if str(cause).lstrip().startswith("Illegal move"):
                raise Fault(End.FALSE_CLAIM, f"says of a legal move: {str(cause)[:80]!r}") from None
            raise Fault(End.ERROR, str(cause)[:200]) from None
        seconds = (client.answered or time.perf_counter()) - (client.went or time.perf_counter())
        if given is not None and seconds > given + spec.margin:
            raise Fault(End.TIME, _overstepped(seconds, given, spec.margin))
        claims, client.claims = tuple(client.claims), []
        score = result.info.get("score")
        return Reply(
            cast("WireMove | None", result.move), seconds, score.relative.score() if score else None,
            score.relative.mate() if score else None, result.info.get("depth"), result.info.get("nodes"), result.resigned,
            result.draw_offered, claims, client.variation)

    async def _wait(self, turn: asyncio.Future[chess.engine.PlayResult], patience: float) -> set[Any]:
        """Wait for the end of a turn until `patience` seconds after `go` went out, which may be late on a busy machine."""
        assert self.client is not None
        start = time.perf_counter()
        while True:
            end = (self.client.went or start) + patience
            done, _ = await asyncio.wait((turn,), timeout=max(0.01, end - time.perf_counter()))
            if done or time.perf_counter() >= (self.client.went or start) + patience:
                return done

    def _last_move(self, board: WireBoard, text: str) -> WireMove:
        """The move of an engine that is gone. Raises Fault."""
        try:
            return board.parse_xboard(text)
        except IllegalMove as error:
            raise Fault(End.ILLEGAL, str(error)) from None

    async def _too_late(self, given: float | None, moved: bool) -> Fault:
        """No answer in time: a loss on time if it still obeys `stop`, which chess.engine has sent, else a stall."""
        client, start = self.client, time.perf_counter()
        assert client is not None
        while client.answered is None and self.alive and time.perf_counter() < start + STOPPED:
            await asyncio.sleep(0.005)
        if not self.alive:
            code = client.returncode.result()
            await self.kill()
            return Fault(End.CRASH, f"ended with {_status(code)} on its turn")
        if moved:
            await self.kill()
            return Fault(End.STALL, f"moved, but no pong within {STOPPED:g} s")
        stalled = client.answered is None
        seconds = (client.answered or time.perf_counter()) - (client.went or start)
        if stalled or client.command is not None:
            await self.kill()  # stalled, or chess.engine cannot tell that the turn has ended: so with XBoard's `?`
        if stalled:
            return Fault(End.STALL, f"no move after {seconds:.1f} s, nor within {STOPPED:g} s of being told to move at once")
        if given is None:
            return Fault(End.STALL, f"no move for {self.spec.patience:g} s")
        return Fault(End.TIME, _overstepped(seconds, given, self.spec.margin))

    def late_claims(self) -> tuple[str, ...]:
        """What it claimed since it was last asked, on the opponent's time."""
        if self.client is None:
            return ()
        found, self.client.claims = tuple(self.client.claims), []
        return found

    async def game_over(self, board: WireBoard, result: str, why: str) -> None:
        """Tell an XBoard engine how the game ended; a new process next time, if the user wants that."""
        client = self.client
        if client is not None and self.alive and isinstance(client, XBoardClient):
            winner = {"1-0": chess.WHITE, "0-1": chess.BLACK}.get(result)
            text = why.translate(str.maketrans("{}", "[]"))[:100]
            with suppress(chess.engine.EngineError, TimeoutError):
                async with asyncio.timeout(STOPPED):
                    await client.send_game_result(cast(chess.Board, board), winner, text, result != "*")
        if self.spec.restart:
            await self.close()

    async def close(self) -> None:
        """Ask it to quit; end it if it does not."""
        client = self.client
        if client is not None and self.alive:
            with suppress(chess.engine.EngineError, TimeoutError, OSError):
                async with asyncio.timeout(QUIT):
                    await client.quit()
        await self.kill()

    async def kill(self) -> None:
        """End the process and whatever it started; the log stays."""
        client, self.client = self.client, None
        if client is None:
            return
        self.log = client.log_text()
        assert client.transport is not None
        with suppress(OSError):
            os.killpg(client.transport.get_pid(), signal.SIGKILL)
        with suppress(TimeoutError):
            async with asyncio.timeout(QUIT):
                await asyncio.shield(client.returncode)
        client.transport.close()


def _limit(spec: EngineSpec, own: Clock, clocks: tuple[Clock, Clock]) -> chess.engine.Limit:
    white, black = clocks
    if own.left is None:
        white = black = Clock(None)  # a clock of the opponent's alone would be taken for one's own
    return chess.engine.Limit(
        time=spec.st, depth=spec.depth, nodes=spec.nodes, white_clock=white.left, black_clock=black.left,
        white_inc=white.control.increment if white.control else None,
        black_inc=black.control.increment if black.control else None, remaining_moves=own.to_go or None)


def _overstepped(seconds: float, given: float, margin: float) -> str:
    allowed = f" and a margin of {margin * 1000:.0f} ms" if margin else ""
    return f"{seconds:.3f} s used, {given:.3f} s left{allowed}"


def _status(code: int) -> str:
    try:
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
    except ValueError:
        return f"exit status {code}"


def find_program(command: tuple[str, ...], directory: str | None) -> str | None:
    """The program of a command, or None where there is no such thing."""
    import shutil

    word = command[0]
    if directory and "/" in word and not Path(word).is_absolute():
        word = str(Path(directory) / word)
    return shutil.which(word)


def _end_with_parent() -> None:
    """In the new process, before the engine runs: the kernel kills it when the one that started it is gone (Linux)."""
    assert LIBC is not None
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
