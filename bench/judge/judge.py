"""Asks engines and the reference about the positions of a folder."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import Any

import numpy as np

from bench.judge.measures import Mean, lost_chances, nodes_to_mate, score_error
from bench.judge.reference import Reference, decided
from bench.judge.thinker import Team, Thinker
from bench.openings.puzzles import read_suite, suite
from engine.errors import CommandError
from engine.game import Game
from engine.rules import Rules

BEYOND = 1000  # centipawns of the reference: such positions are decided, and left out


class Judge:
    """The positions of a folder and the reference's scores of them."""

    def __init__(self, rules: Rules, fens: list[str], reference: Reference, referees: Team, args: Namespace):
        """Ask the referees about all positions that the reference does not know, and leave out those that are decided."""
        self.rules, self.reference, self.referees, self.args = rules, reference, referees, args
        games = self._games(fens)
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

        self.referees.ask_all(unknown, ask, f"{spec.name}, the reference")
        for game in unknown:
            scores[game.fen()] = self.reference.known(game.fen())
        return np.array([scores[game.fen()] for game in games], np.int64)

    def measure(self, team: Team) -> dict[str, Any]:
        """All measures of an engine."""
        found: dict[str, Any] = {"error": {}, "lost": {}}
        for depth in self.args.depths:
            answers = team.answers(self._games(self.fens), f"depth {depth}")
            error = score_error(np.array([answer.score for answer in answers]), self.scores)
            found["error"][depth] = {"mean": error.value, "error": error.error,
                                     "nodes": round(float(np.mean([answer.nodes for answer in answers])))}
        for nodes in self.args.nodes:
            answers = team.answers(self._games(self.fens), f"nodes {nodes}")
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
            answers = team.answers(self._games(fens), f"nodes {limit}")
            found["mates"] = {"nodes": nodes_to_mate([answer.mate_nodes for answer in answers], limit),
                              "seen": sum(answer.mate_nodes is not None for answer in answers), "positions": len(fens)}
        return found

    def _games(self, fens: list[str]) -> list[Game]:
        return [Game(self.rules, fen) for fen in fens]
