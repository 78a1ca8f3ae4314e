"""The statistics of a match: Elo and normalized Elo with error bars, likelihood of superiority, the sequential test.

All are computed from a `Tally`, which counts how often each score occurred: of pairs of games with one opening and colours
reversed if there are such (five scores), else of games (three). Sources: Michel Van den Bergh, "Comparing the approximations
for the generalized log likelihood ratio of a multinomial distribution" and "Comments on normalized Elo"
(cantate.be/Fishtest).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import CommandError

PER_UNIT = 800 / math.log(10)  # Elo per standard deviation of one game: normalized Elo
Z95 = 1.959963984540054  # half the width of a 95 % interval, in standard deviations
MOST = {"normalized": 200.0, "logistic": 1000.0, "bayesian": 1000.0}  # Elo; beyond, the ratio does not exist for all counts
MODELS = tuple(MOST)
NEVER_SEEN = 1e-3  # the count of a score that has not occurred, so that logarithms exist
ROUNDS = 200  # of a search for a root; twenty suffice unless a score is very rare
PAIR_NAMES = ("LL", "LD", "DD/WL", "WD", "WW")


@dataclass(frozen=True)
class Tally:
    """How often each score occurred: of games (3 counts: 0, 1/2, 1 point) or pairs (5 counts: 0, 1/2, 1, 3/2, 2 points)."""

    counts: tuple[float, ...]

    @classmethod
    def of_games(cls, wins: int, draws: int, losses: int) -> Tally:
        """The tally of games."""
        return cls((losses, draws, wins))

    @classmethod
    def of_pairs(cls, pairs: Sequence[int]) -> Tally:
        """The tally of pairs: LL, LD, DD and WL together, WD, WW."""
        return cls(tuple(pairs))

    @property
    def paired(self) -> bool:
        """Whether it counts pairs."""
        return len(self.counts) == 5

    @property
    def number(self) -> float:
        """How many games or pairs there are."""
        return sum(self.counts)

    @property
    def scores(self) -> tuple[float, ...]:
        """The points of each count as a share: 0 to 1."""
        return tuple(index / (len(self.counts) - 1) for index in range(len(self.counts)))

    @property
    def score(self) -> float:
        """The share of points won, 0 to 1."""
        return sum(map(float.__mul__, self.scores, map(float, self.counts))) / self.number

    @property
    def variance(self) -> float:
        """The variance of the score of one game or one pair."""
        mean = self.score
        return sum(count * (score - mean) ** 2 for score, count in zip(self.scores, self.counts, strict=True)) / self.number

    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score."""
        half = Z95 * math.sqrt(self.variance / self.number)
        return self.score - half, self.score + half

    def elo(self) -> tuple[float, float]:
        """Elo difference and half its 95 % interval; infinite if the score is 0 or 1 or has no variance."""
        if not self.variance:
            return elo_of(self.score), math.inf
        low, high = map(elo_of, self.interval())
        return elo_of(self.score), (high - low) / 2

    def normalized_elo(self) -> tuple[float, float]:
        """Score difference per standard deviation of one game, in Elo, and half its 95 % interval; nan without variance."""
        deviation = math.sqrt(self.variance * (2 if self.paired else 1))
        if not deviation:
            return math.nan, math.nan
        low, high = self.interval()
        return (self.score - 0.5) / deviation * PER_UNIT, (high - low) / 2 / deviation * PER_UNIT

    def los(self) -> float:
        """Likelihood of superiority: the probability that the first engine is stronger, 0 to 1."""
        if not self.variance:
            return 0.5 if self.score == 0.5 else float(self.score > 0.5)
        return 0.5 * (1 + math.erf((self.score - 0.5) / math.sqrt(2 * self.variance / self.number)))

    def summary(self) -> dict[str, Any]:
        """All statistics under short names; None if infinite or undefined."""
        elo, error = self.elo()
        normalized, normalized_error = self.normalized_elo()
        values = {"score": self.score, "elo": elo, "elo_error": error, "nelo": normalized, "nelo_error": normalized_error,
                  "los": self.los()}
        return {name: value if math.isfinite(value) else None for name, value in values.items()}

    def text(self) -> str:
        """The statistics in one line."""
        elo, error = self.elo()
        normalized, normalized_error = self.normalized_elo()
        return (f"score {self.score:.2%}, Elo {plus_minus(elo, error)}, nElo {plus_minus(normalized, normalized_error)}, "
                f"LOS {self.los():.1%}")


def plus_minus(value: float, error: float) -> str:
    """`+12.3 ± 4.5`; `+∞ ± ∞` or `undefined` without finite numbers."""
    if math.isnan(value):
        return "undefined"
    return " ± ".join(f"{number:{sign}z.1f}".replace("inf", "∞") for number, sign in (
        (value, "+"), (error if math.isfinite(value) else math.inf, "")))


def elo_of(score: float) -> float:
    """The Elo difference at which a score is expected; infinite if it is 0 or 1."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else 0.0 - 400 * math.log10(1 / score - 1)  # no negative zero


def score_of(elo: float) -> float:
    """The score expected at an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True)
class Sprt:
    """A sequential probability ratio test of elo0 against elo1.

    Models: `normalized` (Elo per standard deviation of a game), `logistic` (Elo of the score), `bayesian` (BayesElo with the
    observed draw rate; single games only). Raises CommandError naming an invalid parameter.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "normalized"

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise CommandError(f"sprt: model={self.model!r} is not one of {', '.join(MODELS)}")
        most = MOST[self.model]
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not -most <= elo <= most:
                raise CommandError(f"sprt: {name}={elo:g} is not from {-most:g} to {most:g}, as {self.model} Elo has to be")
        if not self.elo0 < self.elo1:
            raise CommandError(f"sprt: elo0={self.elo0:g} is not below elo1={self.elo1:g}")
        for name, risk in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < risk < 1:
                raise CommandError(f"sprt: {name}={risk:g} is not between 0 and 1")
        if self.alpha + self.beta >= 1:
            raise CommandError(f"sprt: alpha={self.alpha:g} and beta={self.beta:g} add up to 1 or more")

    @property
    def lower(self) -> float:
        """The log likelihood ratio at which elo0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log likelihood ratio at which elo1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, tally: Tally) -> float:
        """The generalized log likelihood ratio. Raises CommandError if it cannot be computed in floating point."""
        try:
            return self._llr(tally) if tally.number else 0.0
        except (ArithmeticError, ValueError):
            counts = " ".join(f"{count:g}" for count in tally.counts)
            raise CommandError(f"sprt: no ratio can be computed for the counts {counts}") from None

    def _llr(self, tally: Tally) -> float:
        if self.model == "bayesian":
            return self._bayesian(tally)
        counts = tuple(count or NEVER_SEEN for count in tally.counts)
        if self.model == "logistic":
            return _ratio(counts, *(_at_score(counts, tally.scores, score_of(elo)) for elo in (self.elo0, self.elo1)))
        unit = PER_UNIT / math.sqrt(2 if tally.paired else 1)  # a pair has twice the variance, its score half the deviation
        return _ratio(counts, *(_at_deviation(counts, tally.scores, elo / unit) for elo in (self.elo0, self.elo1)))

    def _bayesian(self, tally: Tally) -> float:
        if tally.paired:
            raise CommandError("sprt: the bayesian model does not take pairs")
        losses, draws, wins = (count or NEVER_SEEN for count in tally.counts)
        if not tally.counts[0] or not tally.counts[2]:
            return 0.0
        total = losses + draws + wins
        won, lost = wins / total, losses / total
        draw_elo = 200 * math.log10((1 - lost) / lost * (1 - won) / won)
        scores = [(score_of(elo - draw_elo) + 1 - score_of(-elo - draw_elo)) / 2 for elo in (self.elo0, self.elo1)]
        counts = (losses, draws, wins)
        return _ratio(counts, *(_at_score(counts, tally.scores, score) for score in scores))

    def verdict(self, tally: Tally) -> str:
        """`H1` if elo1 is accepted, `H0` if elo0 is, else `continue`."""
        llr = self.llr(tally)
        return "H1" if llr >= self.upper else "H0" if llr <= self.lower else "continue"


def _ratio(counts: tuple[float, ...], null: list[float], other: list[float]) -> float:
    return sum(count * (math.log(q) - math.log(p)) for count, p, q in zip(counts, null, other, strict=True))


def _tilted(counts: tuple[float, ...], moments: list[float]) -> list[float]:
    """The likeliest distribution under which the mean of `moments` is 0: p/(1 + x m), for the right x."""
    total = sum(counts)
    shares = [count / total for count in counts]
    low, high = -1 / max(moments), -1 / min(moments)  # between these poles the average falls from infinity to minus infinity
    x = 0.0
    for _ in range(ROUNDS):
        parts = [moment / (1 + x * moment) for moment in moments]
        average = sum(map(float.__mul__, shares, parts))
        low, high = (x, high) if average > 0 else (low, x)
        step = average / sum(share * part * part for share, part in zip(shares, parts, strict=True))  # Newton's
        former, x = x, x + step if low < x + step < high else (low + high) / 2
        if abs(x - former) <= 1e-15 + 1e-14 * abs(x):
            break
    return [share / (1 + x * moment) for share, moment in zip(shares, moments, strict=True)]


def _at_score(counts: tuple[float, ...], scores: tuple[float, ...], score: float) -> list[float]:
    """The likeliest distribution whose mean is `score`."""
    return _tilted(counts, [own - score for own in scores])


def _at_deviation(counts: tuple[float, ...], scores: tuple[float, ...], t: float) -> list[float]:
    """The likeliest distribution whose mean is 1/2 plus `t` of its own standard deviations: by repeated linearisation."""
    shares = [1 / len(counts)] * len(counts)
    for _ in range(50):
        mean = sum(map(float.__mul__, shares, scores))
        deviation = math.sqrt(sum(share * (own - mean) ** 2 for share, own in zip(shares, scores, strict=True)))
        moments = [own - 0.5 - t * deviation / 2 * (1 + ((own - mean) / deviation) ** 2) for own in scores]
        found = _tilted(counts, moments)
        change = max(map(abs, map(float.__sub__, found, shares)))
        shares = found
        if change < 1e-9:
            break
    return shares


def half_points(result: str) -> int | None:
    """White's half points: 2, 1 or 0; None for a game without result."""
    return {"1-0": 2, "1/2-1/2": 1, "0-1": 0}.get(result)
