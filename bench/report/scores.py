"""What the scores of a player are worth: how well they predict the results of its games.

An engine plays for what its own scores overrate, so they tend to be too good, and the worse its evaluation, the more so.
Scores that say nothing about results, or the contrary, point to an evaluation that has to be mended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from bench.match.records import GameRecord
from bench.match.stats import half_points

UNIT = 300.0  # centipawns: scores are counted in these, as in `kingmaker judge`
DECIDED = 1500  # centipawns: from here on a game is decided, and both players know it
LEAST = 50  # moves with a score; with fewer, nothing is fitted


class Worth(NamedTuple):
    """The scores of a player, fitted to results: P(point) = 1 / (1 + exp(-(level + weight * score)))."""

    player: str
    moves: int
    level: float  # log odds of a point at a score of 0
    weight: float  # log odds per 300 centipawns
    loss: float  # cross entropy of the fit, nats
    base: float  # cross entropy without any score, nats

    @property
    def points_at_zero(self) -> float:
        """Points expected at a score of 0, 0 to 1."""
        return float(1 / (1 + np.exp(-self.level)))

    @property
    def explained(self) -> float:
        """The part of the uncertainty of results that the scores remove, 0 to 1."""
        return 1 - self.loss / self.base if self.base > 0 else 0.0


def worths(games: Iterable[GameRecord]) -> list[Worth]:
    """The worth of each player's scores, in the order of their names; only players with enough moves."""
    scores: dict[str, list[tuple[int, float]]] = {}
    for game in games:
        for player, score, points in scored_moves(game):
            scores.setdefault(player, []).append((score, points))
    return [fit(player, np.array(found, float)) for player, found in sorted(scores.items()) if len(found) >= LEAST]


def scored_moves(game: GameRecord) -> Iterator[tuple[str, int, float]]:
    """(player, its score in centipawns, its points) of each move with a score that leaves the game open."""
    half = half_points(game.result)
    if half is None:
        return
    for number, ply in enumerate(game.plies, 1):
        if ply.score is not None and abs(ply.score) < DECIDED and not ply.book:
            player = game.mover(number)
            yield player, ply.score, (half if player == game.white else 2 - half) / 2


def fit(player: str, found: np.ndarray) -> Worth:
    """Logistic regression of points on scores; found: float64[n, 2], scores and points."""
    from scipy.optimize import minimize

    scores, points = found[:, 0] / UNIT, found[:, 1]

    def loss(x: np.ndarray) -> float:
        odds = x[0] + x[1] * scores
        return float((np.logaddexp(0, odds) - points * odds).mean())

    best = minimize(loss, np.zeros(2), bounds=((-8, 8), (-8, 8)))
    mean = min(max(float(points.mean()), 1e-9), 1 - 1e-9)
    base = -mean * np.log(mean) - (1 - mean) * np.log(1 - mean)
    return Worth(player, len(found), float(best.x[0]), float(best.x[1]), float(best.fun), float(base))
