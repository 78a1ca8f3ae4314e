"""The measures: how good scores are, how much moves lose, how soon mates are seen."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

PAWNS = 300  # centipawns of the reference: a lead of so much is worth 1 / (1 + 1/e) of the game
UNSEEN = 2  # times the limit of nodes: what a mate that is never seen counts as
SIGMAS = 1.96  # of a 95 % interval


class Mean(NamedTuple):
    """A mean and half the width of its 95 % interval."""

    value: float
    error: float

    @classmethod
    def of(cls, values: np.ndarray) -> Mean:
        """Of independent values, float64[n]."""
        return cls(float(values.mean()), SIGMAS * float(values.std()) / math.sqrt(max(1, len(values))))


def chances(scores: np.ndarray) -> np.ndarray:
    """The expected points behind centipawns, float64[n], 0 to 1."""
    points: np.ndarray = 1 / (1 + np.exp(-np.asarray(scores, float) / PAWNS))
    return points


def score_error(scores: np.ndarray, reference: np.ndarray) -> Mean:
    """The mean square error of expected points, in 1/10,000, with the scores scaled as fits best.

    Programs do not agree what a pawn is, so only what a scale cannot mend is an error. scores, reference: centipawns, int64[n].
    """
    from scipy.optimize import minimize_scalar

    wanted = chances(reference)

    def errors(scale: float) -> np.ndarray:
        squares: np.ndarray = (chances(scores * scale) - wanted) ** 2
        return squares

    def loss(log: float) -> float:
        return float(np.mean(errors(math.exp(log))))

    found = minimize_scalar(loss, bounds=(math.log(0.1), math.log(10)), method="bounded")
    return Mean.of(1e4 * errors(math.exp(float(found.x))))


def lost_chances(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Expected points that each move lost, in percent. before, after: the reference's centipawns for the mover, int64[n]."""
    lost: np.ndarray = 100 * (chances(before) - chances(after))
    return lost


def nodes_to_mate(found: list[int | None], limit: int) -> float:
    """The geometric mean of the nodes at which mates were seen; None for one that was not seen within the limit."""
    return math.exp(sum(math.log(max(1, UNSEEN * limit if nodes is None else nodes)) for nodes in found) / len(found))
