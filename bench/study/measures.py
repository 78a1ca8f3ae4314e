"""The numbers of a study, each with its 95 % interval.

Shares of games have Wilson's interval; means and ratios have bootstrap intervals over games, because plies of one game are not
independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import variants
from bench.match.stats import elo_of
from bench.study.facts import Facts, kinds

CONFIDENCE = 0.95
RESAMPLES = 1000
REFITS = 200  # resamples of a regression, which takes longer
LEAD = 200  # centipawns of a lead
FEWEST_POSITIONS = 50  # in which the sides differ in a type, at least, to fit its value
PRIOR = 1e-3  # weight of the prior that keeps a value finite if all games agree
CENTIPAWNS = 400 / math.log(10)  # per unit of a logistic regression: 400 centipawns win 10 points of 11
THINNEST = 30  # games that reach a ply, at least, for its mean


@dataclass(frozen=True)
class Estimate:
    """A value, its interval, and the number of games or positions behind it."""

    value: float
    low: float
    high: float
    count: int

    def map(self, function: Callable[[float], float]) -> Estimate:
        """The estimate of an increasing function of the value."""
        return Estimate(function(self.value), function(self.low), function(self.high), self.count)


@dataclass(frozen=True)
class Special:
    """How often an event happens, and when."""

    name: str
    meaning: str
    games: Estimate  # share of the games that have it
    each: Estimate  # number per game
    when: tuple[float, float, float] | None  # quartiles of the ply, from 1; None if it never happened


@dataclass(frozen=True)
class Value:
    """The value of one more piece of a type."""

    letter: str
    pawns: Estimate | None  # in pawns; None if the pawn's value is not surely above zero
    centipawns: Estimate  # 400: ten to one


@dataclass(frozen=True)
class Measures:
    """All that is measured of one game."""

    variant: str
    games: int
    different: int  # distinct games
    score: Estimate  # White's, 0 to 1
    elo: Estimate  # the same as a difference of ratings
    wins: Estimate  # White's share of all games
    losses: Estimate
    draws: Estimate
    decided: Estimate  # share that was won
    white_of_decided: Estimate | None  # White's share of those
    length: Estimate  # mean plies
    lengths: tuple[int, ...]
    quartiles: tuple[float, float, float]
    settled: Estimate | None  # ply after which the winner's score stayed above LEAD, mean of decided games
    settled_plies: tuple[int, ...]
    comebacks: Estimate | None  # share of decided games whose winner was LEAD behind
    branching: Estimate  # legal moves, mean of all positions
    branching_by_ply: tuple[Estimate, ...]
    specials: tuple[Special, ...]
    reasons: tuple[tuple[str, str, Estimate], ...]  # (reason, result, share)
    values: tuple[Value, ...]
    positions: int  # behind the values


def measure(variant: str, games: Sequence[Facts], seed: int = 1) -> Measures:
    """All measures of one game or more; the same for the same games and seed."""
    rng = np.random.default_rng(seed)
    points = np.array([game.points for game in games])
    count = len(games)
    won, lost = int((points == 1).sum()), int((points == 0).sum())
    score = mean(points, rng, 0, 1)
    turns = [settled_at(game) for game in games if game.points != 0.5]
    lengths = np.array([game.plies for game in games])
    branching = [np.array(game.branching) for game in games]
    values, positions = piece_values(variant, games, rng)
    return Measures(
        variant=variant, games=count, different=len({game.record.moves for game in games}),
        score=score, elo=score.map(elo_of),
        wins=share(won, count), losses=share(lost, count), draws=share(count - won - lost, count),
        decided=share(won + lost, count), white_of_decided=share(won, won + lost) if won + lost else None,
        length=mean(lengths, rng), lengths=tuple(map(int, lengths)), quartiles=quartiles(lengths),
        settled=mean(np.array(turns), rng) if turns else None, settled_plies=tuple(turns),
        comebacks=share(sum(map(came_back, games)), won + lost) if won + lost else None,
        branching=ratio([row.sum() for row in branching], lengths, rng),
        branching_by_ply=by_ply(branching, rng),
        specials=tuple(specials(variant, games, rng)), reasons=tuple(reasons(games)), values=values, positions=positions)


def share(some: int, of: int) -> Estimate:
    """A share with Wilson's interval."""
    from scipy.stats import binomtest

    interval = binomtest(some, of).proportion_ci(CONFIDENCE, method="wilson")
    return Estimate(some / of, float(interval.low), float(interval.high), of)


def mean(values: np.ndarray, rng: np.random.Generator, least: float = -math.inf, most: float = math.inf) -> Estimate:
    """A mean over games with a bootstrap interval; of a single game it is unknown.

    If all values are equal, the bootstrap sees no variance: between known bounds the interval then shows how far other values,
    as many as may have been missed, would move the mean; without bounds it has no width.
    """
    from scipy.stats import bootstrap

    value = float(np.mean(values))
    if len(values) < 2:
        return Estimate(value, -math.inf, math.inf, len(values))
    if np.ptp(values) == 0:
        missed = share(0, len(values)).high if math.isfinite(most - least) else 0.0
        low, high = (value + missed * (edge - value) if missed else value for edge in (least, most))
        return Estimate(value, low, high, len(values))
    found = bootstrap((values,), np.mean, n_resamples=RESAMPLES, confidence_level=CONFIDENCE, method="percentile", rng=rng)
    return Estimate(value, float(found.confidence_interval.low), float(found.confidence_interval.high), len(values))


def ratio(over: Sequence[float], under: np.ndarray, rng: np.random.Generator) -> Estimate:
    """A mean over the plies of all games, resampled by games."""
    from scipy.stats import bootstrap

    above = np.array(over, float)
    value = float(above.sum() / under.sum())
    if len(above) < 2:
        return Estimate(value, -math.inf, math.inf, len(above))
    found = bootstrap((above, under), lambda a, b, axis=-1: a.sum(axis) / b.sum(axis), paired=True, n_resamples=RESAMPLES,
                      confidence_level=CONFIDENCE, method="percentile", rng=rng)
    return Estimate(value, float(found.confidence_interval.low), float(found.confidence_interval.high), len(above))


def quartiles(values: Sequence[int] | np.ndarray) -> tuple[float, float, float]:
    """The three quartiles."""
    low, middle, high = np.percentile(np.asarray(values), (25, 50, 75))
    return float(low), float(middle), float(high)


def by_ply(branching: Sequence[np.ndarray], rng: np.random.Generator) -> tuple[Estimate, ...]:
    """The mean number of legal moves at each ply that enough games reach."""
    found = []
    fewest = min(THINNEST, len(branching))
    for ply in range(max(map(len, branching))):
        there = np.array([row[ply] for row in branching if len(row) > ply])
        if len(there) < fewest:
            break
        found.append(mean(there, rng))
    return tuple(found)


def settled_at(game: Facts) -> int:
    """The ply, from 1, after which the winner's score was never below LEAD; the last ply if it never was that high."""
    sign = 1 if game.points == 1 else -1
    settled = game.plies
    for back, score in enumerate(reversed(game.record.scores)):
        if sign * score < LEAD:
            break
        settled = game.plies - back
    return settled


def came_back(game: Facts) -> bool:
    """Whether the winner had been LEAD behind."""
    if game.points == 0.5:
        return False
    sign = 1 if game.points == 1 else -1
    return any(sign * score <= -LEAD for score in game.record.scores)


def specials(variant: str, games: Sequence[Facts], rng: np.random.Generator) -> list[Special]:
    """The events that the rules make possible, including those that never happened."""
    found = []
    for kind in kinds(variants.find(variant)):
        plies = [[ply + 1 for ply, name in game.events if name == kind.name] for game in games]
        every = [ply for row in plies for ply in row]
        having = share(sum(map(bool, plies)), len(games))
        each = mean(np.array([len(row) for row in plies]), rng)
        if not every:  # what was never seen may still happen
            each = Estimate(0, 0, having.high, len(games))
        found.append(Special(kind.name, kind.meaning, having, each, quartiles(every) if every else None))
    return found


def reasons(games: Sequence[Facts]) -> list[tuple[str, str, Estimate]]:
    """How games end, the most frequent first."""
    counts: dict[tuple[str, str], int] = {}
    for game in games:
        key = game.record.reason, game.record.result
        counts[key] = counts.get(key, 0) + 1
    return [(*key, share(number, len(games))) for key, number in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


# Values by regression

def piece_values(variant: str, games: Sequence[Facts], rng: np.random.Generator) -> tuple[tuple[Value, ...], int]:
    """Values of pieces by logistic regression of White's points on material in quiet positions; and how many positions.

    Every game has the same weight, shared by its positions. A constant and the side to move are fitted too. Intervals come
    from fits to resampled games.
    """
    rows = [game for game in games if len(game.material)]
    if len(rows) < 2:
        return (), sum(len(game.material) for game in rows)
    stacked = np.concatenate([game.material for game in rows]).astype(float)
    letters = variants.find(variant).letters
    able = [index for index in range(len(letters)) if (stacked[:, index] != 0).sum() >= FEWEST_POSITIONS]
    columns = [*able, len(letters)]
    data = np.column_stack([stacked[:, columns], np.ones(len(stacked))])
    starts = np.cumsum([0, *(len(game.material) for game in rows)])
    target = np.repeat([game.points for game in rows], np.diff(starts))
    weight = np.repeat(1 / np.diff(starts), np.diff(starts))
    fitted = fit(data, target, weight)
    refits = np.empty((REFITS, len(fitted)))
    for number in range(REFITS):
        drawn = np.bincount(rng.integers(0, len(rows), len(rows)), minlength=len(rows))
        refits[number] = fit(data, target, weight * np.repeat(drawn, np.diff(starts)), fitted)
    edges = 100 * (1 - CONFIDENCE) / 2, 100 * (1 + CONFIDENCE) / 2
    has_pawn = able[:1] == [0] and fitted[0] > 0 and np.percentile(refits[:, 0], edges[0]) > 0
    values = []
    for place, index in enumerate(able):
        seen = int((stacked[:, index] != 0).sum())
        low, high = np.percentile(refits[:, place], edges)
        plain = Estimate(float(fitted[place]), float(low), float(high), seen).map(lambda value: value * CENTIPAWNS)
        pawns = None
        if has_pawn:
            low, high = np.percentile(refits[:, place] / refits[:, 0], edges)
            pawns = Estimate(float(fitted[place] / fitted[0]), float(low), float(high), seen)
        values.append(Value(letters[index], pawns, plain))
    return tuple(values), len(stacked)


def fit(data: np.ndarray, target: np.ndarray, weight: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """float64[columns]: the coefficients of a logistic regression, with a weak prior around zero.

    data: float64[rows, columns]; target: float64[rows], 0 to 1; weight: float64[rows]. Uses einsum, because so little work is
    not worth the threads that a matrix product starts.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        z = np.einsum("ij,j->i", data, w)
        cost = float(np.sum(weight * (np.logaddexp(0, z) - target * z))) + PRIOR * float(np.sum(w * w))
        return cost, np.einsum("ij,i->j", data, weight * (expit(z) - target)) + 2 * PRIOR * w

    def curvature(w: np.ndarray) -> np.ndarray:
        p = expit(np.einsum("ij,j->i", data, w))
        found: np.ndarray = np.einsum("ij,ik->jk", data * (weight * p * (1 - p))[:, None], data)
        return found + 2 * PRIOR * np.eye(len(w))

    first = np.zeros(data.shape[1]) if start is None else start
    found: Any = minimize(loss, first, jac=True, hess=curvature, method="trust-exact")
    coefficients: np.ndarray = found.x
    return coefficients
