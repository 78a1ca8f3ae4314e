"""Engines that are asked about single positions, over UCI; every question is a new game for them."""

from __future__ import annotations

import queue
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import NamedTuple, TypeVar

from rich.console import Console
from rich.progress import track

from bench.clients.process import NoAnswerError, blamed
from bench.clients.uci import UciClient, read_thinking
from bench.match.seats import OTHER_LINE, RefusedError, UciSeat
from bench.match.specs import EngineSpec
from bench.match.wire import WireGame
from engine.errors import CommandError
from engine.game import Game

T = TypeVar("T")
MATED = 10_000  # centipawns in place of a mate


class Answer(NamedTuple):
    """What an engine thinks of a position."""

    move: str
    score: int  # centipawns, from the side to move
    nodes: int
    mate_nodes: int | None  # when it first announced that the side to move mates; None: it did not
    mate: int | None = None  # moves to the mate it announces, negative if the side to move is mated; None: it announces none


class Thinker:
    """A process of an engine, for one game."""

    def __init__(self, spec: EngineSpec):
        """Start it. Raises CommandError naming the engine."""
        if spec.protocol != "uci":
            raise CommandError(f"{spec.name}: proto={spec.protocol} cannot be asked about positions, only uci can")
        self.spec = spec
        self.client = UciClient(spec.command, spec.directory, dies_with_us=True)
        self.seat = UciSeat(self.client, spec)
        with ExitStack() as stack:  # ends it if it does not start well
            stack.push(self.client)
            with blamed(self.client):
                try:
                    self.seat.start(time.perf_counter() + spec.startup)
                except RefusedError as error:
                    raise CommandError(f"{spec.name}: {error}") from None
            stack.pop_all()

    def prepare(self, game: Game) -> WireGame:
        """Announce a position and wait until the engine is ready for it. Raises CommandError."""
        wire = WireGame(Game(game.rules, game.fen()))
        with blamed(self.client):
            try:
                self.seat.prepare(wire, time.perf_counter() + self.spec.startup)
            except RefusedError as error:
                raise CommandError(f"{self.spec.name}: {error}") from None
        return wire

    def ask(self, game: Game, limits: str) -> Answer:
        """Search a position with an empty table; limits: the words behind `go`. Raises CommandError."""
        wire = self.prepare(game)
        with blamed(self.client):
            self.client.listener = None  # of the seat: it would keep the last line only
            self.client.set_position(wire.root_fen)
            lines = [line.text for line in self.client.go(limits, self.spec.patience)]
        words = lines[-1].split()
        if len(words) < 2 or not game.is_legal(words[1]):
            raise CommandError(f"{self.spec.name}: {lines[-1]!r} is not a move in {game.fen()}")
        return answer_of(words[1], lines[:-1])

    def quit(self) -> None:
        """End the process."""
        with suppress(NoAnswerError):
            self.client.quit()


class Team:
    """Processes of an engine that share questions. They are started when there is something to ask, and kept."""

    def __init__(self, spec: EngineSpec, size: int):
        self.spec, self.size = spec, size
        self.thinkers: list[Thinker] = []

    def check(self, game: Game) -> None:
        """Start the first process, which must have the options of the engine and play the game. Raises CommandError."""
        self.thinkers.append(Thinker(self.spec))
        self.thinkers[0].prepare(game)

    def answers(self, games: list[Game], limits: str) -> list[Answer]:
        """What the engine answers to positions. Raises CommandError."""
        return self.ask_all(games, lambda thinker, game: thinker.ask(game, limits), f"{self.spec.name}, {limits}")

    def ask_all(self, games: list[Game], ask: Callable[[Thinker, Game], T], label: str) -> list[T]:
        """Share questions, shown as `label`. Raises CommandError; then the team is of no more use."""
        if not games:
            return []
        while len(self.thinkers) < min(self.size, len(games)):
            self.thinkers.append(Thinker(self.spec))
        free = queue.SimpleQueue[Thinker]()
        for thinker in self.thinkers:
            free.put(thinker)

        def one(game: Game) -> T:
            thinker = free.get()
            try:
                return ask(thinker, game)
            finally:
                free.put(thinker)

        with ThreadPoolExecutor(len(self.thinkers)) as pool:
            try:
                return list(track(pool.map(one, games), label, len(games), console=Console(stderr=True), transient=True,
                                  disable=not sys.stderr.isatty()))
            except BaseException:
                pool.shutdown(cancel_futures=True, wait=False)
                raise

    def close(self) -> None:
        """End the processes."""
        while self.thinkers:
            self.thinkers.pop().quit()


def answer_of(move: str, lines: list[str]) -> Answer:
    """What lines of thinking say; the last score that is no bound counts."""
    score, nodes, mate_nodes, mate = 0, 0, None, None
    for line in lines:
        if not line.startswith("info ") or OTHER_LINE.search(line):
            continue
        said = read_thinking(line)
        nodes = max(nodes, said.nodes or 0)
        if said.mate is not None and said.mate > 0 and mate_nodes is None:
            mate_nodes = nodes
        if "bound" not in line and (said.score is not None or said.mate is not None):
            score = said.score if said.score is not None else MATED if (said.mate or 0) > 0 else -MATED
            mate = said.mate
    return Answer(move, max(-MATED, min(MATED, score)), nodes, mate_nodes, mate)
