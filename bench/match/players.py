"""An engine at the board: a process that plays game after game, and every way it can fail, described in one line."""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from dataclasses import dataclass

from bench.clients.process import EngineGoneError, NoAnswerError
from bench.clients.uci import UciClient
from bench.clients.xboard import XBoardClient
from bench.match.records import End
from bench.match.seats import Limits, RefusedError, SaidError, Seat, UciSeat
from bench.match.specs import STOPPED, Clock, EngineSpec
from bench.match.wire import IllegalMoveError, WireGame, WireMove
from bench.match.xboard_seat import FEATURES, XBoardSeat
from engine.errors import CommandError

QUIT = 2.0  # seconds between `quit` and the end
GRACE = 0.05  # seconds over the time given before an engine is told to move
DYING = 0.5  # seconds a process has to end after its output did
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
    score: int | None = None  # centipawns
    mate: int | None = None
    depth: int | None = None
    nodes: int | None = None
    resigned: bool = False
    offered_draw: bool = False
    claims: tuple[str, ...] = ()
    variation: str = ""


class Player:
    """One engine and, while it runs, its process."""

    def __init__(self, spec: EngineSpec):
        self.spec = spec
        self.seat: Seat | None = None
        self.hangs = 0
        self.trouble = ""  # how the last start ended, or why the process is gone in the middle of a game
        self.log = ""  # of an engine that is gone

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self.seat is not None and self.seat.client.alive

    def log_text(self) -> str:
        """The lines exchanged with the engine in this game."""
        return self.seat.client.log_text() if self.seat else self.log

    def reader_seconds(self) -> float:
        """Processor seconds spent on reading what the process said so far."""
        return self.seat.client.reader_seconds if self.seat else 0.0

    # Before a game.

    def start(self) -> None:
        """Start the process and exchange greetings, unless it runs already. Raises Fault."""
        if self.alive:
            return
        self.kill()
        if self.hangs >= HANGS:
            raise Fault(End.START, self.trouble)
        self.log = ""
        self.seat = seat = self._sit_down()
        try:
            seat.start(time.perf_counter() + self.spec.startup)
            self.hangs = 0
        except NoAnswerError:
            self.hangs += 1
            seconds = min(FEATURES, self.spec.startup) if seat.hello == "features" else self.spec.startup
            hello, seconds = ("readyok or pong", self.spec.startup) if seat.greeted else (seat.hello, seconds)
            self.trouble = f"no {hello} within {seconds:g} s"
            self.kill()
            raise Fault(End.START, self.trouble) from None
        except EngineGoneError:
            raise Fault(End.START, f"{self._ended()} while starting") from None
        except RefusedError as error:
            self.kill()
            raise Fault(End.START, str(error)) from None

    def _sit_down(self) -> Seat:
        """A process just started. Raises Fault."""
        spec = self.spec
        try:
            if spec.protocol == "xboard":
                return XBoardSeat(XBoardClient(spec.command, spec.directory, dies_with_us=True), spec)
            return UciSeat(UciClient(spec.command, spec.directory, dies_with_us=True), spec)
        except CommandError as error:
            cause = error.__cause__
            why = (isinstance(cause, OSError) and cause.strerror) or str(cause)
            if spec.directory is not None and isinstance(cause, OSError) and cause.filename == spec.directory:
                raise Fault(End.START, f"cannot enter the folder dir={spec.directory}: {why}") from None
            raise Fault(End.START, f"cannot run {spec.command[0]!r}: {why}") from None

    def new_game(self, game: WireGame) -> None:
        """Announce a game and wait until the engine is ready for it. Raises Fault."""
        assert self.seat is not None
        self.seat.client.log.clear()
        try:
            self.seat.prepare(game, time.perf_counter() + self.spec.startup)
        except NoAnswerError:
            self.kill()
            raise Fault(End.START, f"not ready for a game within {self.spec.startup:g} s") from None
        except EngineGoneError:
            raise Fault(End.CRASH, f"{self._ended()} before its first move") from None
        except (RefusedError, SaidError) as error:
            self.kill()
            raise Fault(End.START, str(error)) from None

    # Its turn.

    def play(self, game: WireGame, clocks: tuple[Clock, Clock], draw_offered: bool) -> Reply:
        """Let it think. Raises Fault; a process that is of no use any more is gone then."""
        seat, spec = self.seat, self.spec
        if seat is None:
            raise Fault(End.CRASH, self.trouble)
        limits = Limits(spec, clocks, game.turn)
        given = limits.given
        patience = spec.patience if given is None else max(given, 0.0) + spec.margin
        try:
            seat.go(game, limits, draw_offered)
            done = seat.wait(game, (seat.went or 0.0) + patience + GRACE)
            if not done and seat.answered is not None:  # an XBoard engine that moved in time owes a pong
                done = seat.wait(game, time.perf_counter() + STOPPED)
            if not done:
                raise self._too_late(seat, given)
        except EngineGoneError:
            return self._left(seat)
        except IllegalMoveError as error:
            self.kill()
            raise Fault(End.ILLEGAL, str(error)) from None
        except SaidError as error:
            self.kill()
            if str(error).lstrip().startswith("Illegal move"):
                raise Fault(End.FALSE_CLAIM, f"says of a legal move: {str(error)[:80]!r}") from None
            raise Fault(End.ERROR, str(error)[:200]) from None
        if given is not None and seat.seconds > given + spec.margin:
            raise Fault(End.TIME, _overstepped(seat.seconds, given, spec.margin))
        thought = seat.thinking()
        return Reply(seat.move, seat.seconds, thought.score, thought.mate, thought.depth, thought.nodes, seat.resigned,
                     seat.offered_draw, seat.take_claims(), seat.variation)

    def _left(self, seat: Seat) -> Reply:
        """The answer of an engine that ended on its turn, if it had moved: its next turn is a crash. Raises Fault."""
        how = self._ended()
        if seat.move is None:
            raise Fault(End.CRASH, f"{how} on its turn") from None
        self.trouble = f"{how} after its move"
        return Reply(seat.move, seat.seconds, claims=tuple(seat.claims))

    def _too_late(self, seat: Seat, given: float | None) -> Fault:
        """No answer in time: a loss on time if it still obeys when told to move at once, else a stall.

        Raises: EngineGoneError, IllegalMoveError, SaidError.
        """
        moved = seat.answered is not None
        if moved:
            self.kill()
            return Fault(End.STALL, f"moved, but no pong within {STOPPED:g} s")
        seat.move_now()
        end = time.perf_counter() + STOPPED
        while seat.answered is None and time.perf_counter() < end and self.alive:
            time.sleep(0.005)
        if not self.alive:
            return Fault(End.CRASH, f"{self._ended()} on its turn")
        stalled, seconds = seat.answered is None, seat.seconds
        if stalled or isinstance(seat, XBoardSeat):  # after `?` nothing shows when its turn has ended
            self.kill()
        if stalled:
            return Fault(End.STALL, f"no move after {seconds:.1f} s, nor within {STOPPED:g} s of being told to move at once")
        if given is None:
            return Fault(End.STALL, f"no move for {self.spec.patience:g} s")
        return Fault(End.TIME, _overstepped(seconds, given, self.spec.margin))

    def late_claims(self) -> tuple[str, ...]:
        """What it claimed since the last look, on the opponent's time."""
        return self.seat.take_claims() if self.seat else ()

    # After a game.

    def game_over(self, game: WireGame, result: str, why: str) -> None:
        """Send an XBoard engine the result of the game; end the process if the user wants a new one for each game."""
        if self.alive and isinstance(self.seat, XBoardSeat):
            with suppress(EngineGoneError):
                self.seat.result(game, result, why)
        if self.spec.restart:
            self.close()

    def ask_to_quit(self) -> None:
        """Send `quit`."""
        if self.seat is not None and self.alive:
            with suppress(EngineGoneError):
                self.seat.client.send("quit")

    def close(self) -> None:
        """Ask it to quit; end it if it does not."""
        self.ask_to_quit()
        if self.seat is not None:
            self.seat.client.ended(QUIT)
        self.kill()

    def kill(self) -> int | None:
        """End the process and whatever it started; the log stays. Returns its exit status, None if there was none."""
        seat, self.seat = self.seat, None
        if seat is None:
            return None
        status = seat.client.kill()
        self.log = seat.client.log_text()
        return status

    def _ended(self) -> str:
        """How the process ended; it is gone then."""
        if self.seat is not None:
            self.seat.client.ended(DYING)
        status = self.kill()
        return f"ended with {_status(status)}"


def _overstepped(seconds: float, given: float, margin: float) -> str:
    allowed = f" and a margin of {margin * 1000:.0f} ms" if margin else ""
    return f"{seconds:.3f} s used, {given:.3f} s left{allowed}"


def _status(code: int | None) -> str:
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
    return f"exit status {code}"
