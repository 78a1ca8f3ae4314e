"""Asks engines and the reference about the positions of a folder."""

from __future__ import annotations

import queue
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from rich.console import Console
from rich.progress import track

from bench.judge.measures import Mean, lost_chances, nodes_to_mate, score_error
from bench.judge.reference import Reference, decided
from bench.judge.thinker import Answer, Thinker
from bench.match.specs import EngineSpec
from bench.openings.puzzles import read_suite, suite
from engine.errors import CommandError
from engine.game import Game
from engine.rules import Rules

T = TypeVar("T")
BEYOND = 1000  # centipawns of the reference: such positions are decided, and left out


class Judge:
    """The positions of a folder and the reference's scores of them."""

    def __init__(self, rules: Rules, fens: list[str], reference: Reference, args: Namespace):
        """Ask the reference about all positions that it does not know, and leave out those that are decided."""
        self.rules, self.reference, self.args = rules, reference, args
        games = [Game(rules, fen) for fen in fens]
        scores = self.reference_scores(games)
        self.fens = [fen for fen, score in zip(fens, scores, strict=True) if abs(score) <= BEYOND]
        self.scores = scores[np.abs(scores) <= BEYOND]
        self.first: dict[int, np.ndarray] = {}  # what the first engine's moves lost, by its nodes
        if not self.fens:
            raise CommandError(f"no position in {str(args.output)!r} is undecided")

    def reference_scores(self, games: Sequence[Game]) -> np.ndarray:
        """int64[n]: centipawns from the side to move, also of games that are over."""
        spec = self.reference.spec
        limits = (("depth", spec.depth), ("nodes", spec.nodes))
        words = " ".join(f"{word} {value}" for word, value in limits if value is not None)
        scores = {game.fen(): decided(game) for game in games}
        unknown = []
        for game in games:
            fen = game.fen()
            if scores[fen] is None:
                scores[fen] = self.reference.known(fen)
                if scores[fen] is None:
                    unknown.append(game)

        def ask(thinker: Thinker, game: Game) -> None:
            self.reference.keep(game.fen(), thinker.ask(game, words).score)

        self._ask_all(spec, unknown, ask, f"{spec.name}, the reference")
        for game in unknown:
            scores[game.fen()] = self.reference.known(game.fen())
        return np.array([scores[game.fen()] for game in games], np.int64)

    def measure(self, spec: EngineSpec) -> dict[str, Any]:
        """All measures of an engine."""
        found: dict[str, Any] = {"error": {}, "lost": {}}
        for depth in self.args.depths:
            answers = self._answers(spec, self.fens, f"depth {depth}")
            error = score_error(np.array([answer.score for answer in answers]), self.scores)
            found["error"][depth] = {"mean": error.value, "error": error.error,
                                     "nodes": round(float(np.mean([answer.nodes for answer in answers])))}
        for nodes in self.args.nodes:
            answers = self._answers(spec, self.fens, f"nodes {nodes}")
            after = []
            for fen, answer in zip(self.fens, answers, strict=True):
                after.append(Game(self.rules, fen))
                after[-1].push(answer.move)
            lost = lost_chances(self.scores, -self.reference_scores(after))
            first = self.first.setdefault(nodes, lost)  # where two engines make the same move, neither gains
            mean, gain = Mean.of(lost), Mean.of(first - lost)
            found["lost"][nodes] = {"mean": mean.value, "error": mean.error, "gain": gain.value, "gain_error": gain.error}
        if (path := suite(self.rules.name)).exists():
            fens = [puzzle.fen for puzzle in read_suite(path, self.rules)]
            limit = self.args.mate_nodes
            answers = self._answers(spec, fens, f"nodes {limit}")
            found["mates"] = {"nodes": nodes_to_mate([answer.mate_nodes for answer in answers], limit),
                              "seen": sum(answer.mate_nodes is not None for answer in answers), "positions": len(fens)}
        return found

    def _answers(self, spec: EngineSpec, fens: list[str], limits: str) -> list[Answer]:
        """What an engine answers to positions."""
        return self._ask_all(spec, [Game(self.rules, fen) for fen in fens], lambda thinker, game: thinker.ask(game, limits),
                             f"{spec.name}, {limits}")

    def _ask_all(self, spec: EngineSpec, games: list[Game], ask: Callable[[Thinker, Game], T], label: str) -> list[T]:
        """Share questions among as many processes of an engine as may run at a time. Raises CommandError."""
        if not games:
            return []
        free = queue.SimpleQueue[Thinker]()
        thinkers = [Thinker(spec) for _ in range(min(self.args.concurrency, len(games)))]
        for thinker in thinkers:
            free.put(thinker)

        def one(game: Game) -> T:
            thinker = free.get()
            try:
                return ask(thinker, game)
            finally:
                free.put(thinker)

        try:
            with ThreadPoolExecutor(len(thinkers)) as pool:
                try:
                    return list(track(pool.map(one, games), label, len(games), console=Console(stderr=True), transient=True,
                                      disable=not sys.stderr.isatty()))
                except BaseException:
                    pool.shutdown(cancel_futures=True, wait=False)
                    raise
        finally:
            for thinker in thinkers:
                thinker.quit()
