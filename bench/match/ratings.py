"""Ratings of many players by the Bradley-Terry model with error bars; a draw is half a win."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bench.match.stats import Z95

ELO = 400 / math.log(10)  # Elo per unit of the logistic function
PRIOR = 1000.0  # Elo, standard deviation of the prior: it keeps the rating of an engine that only wins finite
SMALLEST = 1e-9  # units of the logistic function: a smaller step changes nothing
FEW = 10  # games in excess of the parameters, at least, for the dispersion of results to be estimated


@dataclass(frozen=True)
class Rating:
    """The rating of a player."""

    name: str
    elo: float  # relative to the mean of all players
    error: float  # half the 95 % interval
    points: float
    games: int


def rate(names: list[str], games: Iterable[tuple[str, str, float]]) -> tuple[list[Rating], float, float]:
    """Ratings, best first, and White's advantage in Elo with its error, from (white, black, White's points: 1, 0.5, 0).

    The likeliest ratings under expected points 1/(1 + 10^(-(white - black + advantage)/400)), with a weak normal prior. Error
    bars come from the curvature of the likelihood, scaled by the dispersion of the results.
    """
    played = list(games)
    place = {name: index for index, name in enumerate(names)}
    size = len(names)
    design = np.zeros((len(played), size + 1))
    points = np.array([score for _, _, score in played])
    for row, (white, black, _) in enumerate(played):
        design[row, place[white]] += 1
        design[row, place[black]] -= 1
        design[row, size] = 1
    found, curvature = fit(design, points, np.full(size + 1, (ELO / PRIOR) ** 2))
    expected = expectation(design @ found)
    spread = expected * (1 - expected)
    freedom = len(played) - size - 1
    dispersion = 1.0
    if freedom >= FEW:
        seen = float(np.sum((points - expected) ** 2 / np.maximum(spread, 1e-9))) / freedom
        dispersion = min(1.0, max(seen, 1 - float(np.mean(points == 0.5))))  # at least as between equals
    covariance = np.linalg.inv(curvature) * dispersion
    centre = np.eye(size + 1)
    centre[:size, :size] -= 1 / size
    values = centre @ found * ELO
    errors = Z95 * ELO * np.sqrt(np.diag(centre @ covariance @ centre.T))
    ratings = []
    for name in names:
        index = place[name]
        own = [(score if white == name else 1 - score) for white, black, score in played if name in (white, black)]
        ratings.append(Rating(name, float(values[index]), float(errors[index]), float(sum(own)), len(own)))
    return sorted(ratings, key=lambda rating: -rating.elo), float(values[size]), float(errors[size])


def expectation(margin: np.ndarray) -> np.ndarray:
    """The logistic function: expected points, 0 to 1."""
    found: np.ndarray = 0.5 * (1 + np.tanh(margin / 2))
    return found


def fit(design: np.ndarray, points: np.ndarray, prior: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The likeliest x where row i of float64[n, k] expects expectation(design[i] @ x) points, and the curvature there.

    points: float64[n], 0 to 1; prior: float64[k], the precision of x around 0. Newton's method: the loss is convex, and a
    step that does not lower it is halved until it does.
    """

    def loss(x: np.ndarray) -> float:
        margin = design @ x
        return float(np.sum(np.logaddexp(0, margin) - points * margin) + prior @ (x * x) / 2)

    x = np.zeros(design.shape[1])
    before = loss(x)
    while True:
        expected = expectation(design @ x)
        gradient = design.T @ (expected - points) + prior * x
        curvature = design.T @ (design * (expected * (1 - expected))[:, None]) + np.diag(prior)
        step = np.linalg.solve(curvature, gradient)
        while float(np.max(np.abs(step), initial=0.0)) > SMALLEST and (after := loss(x - step)) >= before:
            step = step / 2
        if float(np.max(np.abs(step), initial=0.0)) <= SMALLEST:
            return x, curvature
        x, before = x - step, after
