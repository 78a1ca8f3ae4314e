"""The standings of a match: points, pairs, and the ratio of the test."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from bench.match.ratings import rate
from bench.match.records import GameRecord
from bench.match.setup import Setup
from bench.match.stats import PAIR_NAMES, Tally, half_points


class Standings:
    """Counts results. If two engines play, the score shown is that of the first."""

    def __init__(self, setup: Setup):
        self.setup = setup
        self.names = [engine.name for engine in setup.engines]
        self.wins, self.draws, self.losses = Counter[str](), Counter[str](), Counter[str]()
        self.faults: Counter[tuple[str, str]] = Counter()  # (who, reason)
        self.illegal_lines: Counter[str] = Counter()  # by engine
        self.reasons: Counter[str] = Counter()
        self.games: list[tuple[str, str, float]] = []  # White, Black, White's points
        self.finished = 0
        self.void = 0
        self.white_points = 0.0
        self.plies = 0  # made by engines
        self.overhead = 0.0
        self._pairs: dict[int, list[tuple[str, int]]] = defaultdict(list)  # who was White, and White's half points

    def add(self, record: GameRecord) -> None:
        """Count a finished game."""
        self.finished += 1
        self.reasons[record.reason.value] += 1
        self.plies += sum(not ply.book for ply in record.plies)
        self.overhead += record.overhead
        if record.fault is not None:
            self.faults[(record.white, record.black)[record.fault], record.reason.value] += 1
        for ply in record.illegal_lines:
            self.illegal_lines[record.mover(ply)] += 1
        half = half_points(record.result)
        if half is None:
            self.void += 1
            return
        winner, loser = (record.white, record.black) if half == 2 else (record.black, record.white)
        if half == 1:
            self.draws.update((record.white, record.black))
        else:
            self.wins[winner] += 1
            self.losses[loser] += 1
        self.white_points += half / 2
        self.games.append((record.white, record.black, half / 2))
        self._pairs[record.pair].append((record.white, half))

    @property
    def counted(self) -> int:
        """Games with a result."""
        return len(self.games)

    def points(self, name: str) -> float:
        """A win is one point, a draw half a point."""
        return self.wins[name] + self.draws[name] / 2

    def of_games(self) -> Tally:
        """Wins, draws, losses of the first engine."""
        name = self.names[0]
        return Tally.of_games(self.wins[name], self.draws[name], self.losses[name])

    def pairs(self) -> list[int]:
        """Finished pairs by the first engine's points: 0, 1/2, 1, 3/2, 2."""
        counts = [0] * 5
        for pair in self._pairs.values():
            if len(pair) == 2:
                counts[sum(half if white == self.names[0] else 2 - half for white, half in pair)] += 1
        return counts

    def tally(self) -> Tally | None:
        """What the first engine's score is computed from: pairs if openings are repeated, else games; None without any."""
        if self.setup.schedule.repeat and not (self.setup.sprt and self.setup.sprt.model == "bayesian"):
            found = Tally.of_pairs(self.pairs())
        else:
            found = self.of_games()
        return found if found.number else None

    def llr(self) -> float | None:
        """The log likelihood ratio of the test; None without a test."""
        tally = self.tally()
        return None if self.setup.sprt is None else self.setup.sprt.llr(tally) if tally else 0.0

    def verdict(self) -> str:
        """H0, H1 or continue."""
        tally = self.tally()
        return self.setup.sprt.verdict(tally) if self.setup.sprt and tally else "continue"

    def summary(self) -> dict[str, Any]:
        """Everything, for JSON."""
        found: dict[str, Any] = {
            "games": self.finished, "void": self.void, "total": self.setup.schedule.total, "variant": self.setup.variant,
            "players": {name: {"wins": self.wins[name], "draws": self.draws[name], "losses": self.losses[name],
                               "points": self.points(name)} for name in self.names},
            "draw_rate": self.draw_rate(), "white_score": self.white_points / self.counted if self.counted else None,
            "reasons": dict(self.reasons),
            "faults": [{"player": name, "reason": reason, "games": count} for (name, reason), count in self.faults.items()],
            "illegal_lines": dict(self.illegal_lines),
            "overhead_ms_per_move": 1000 * self.overhead / self.plies if self.plies else None}
        if len(self.names) == 2:
            found["pairs"] = dict(zip(PAIR_NAMES, self.pairs(), strict=True))
            if tally := self.tally():
                found |= tally.summary()
            if sprt := self.setup.sprt:
                found["sprt"] = {"llr": self.llr(), "lower": sprt.lower, "upper": sprt.upper, "verdict": self.verdict()}
        elif self.counted:
            found["ratings"] = [{"name": rating.name, "elo": rating.elo, "error": rating.error, "points": rating.points,
                                 "games": rating.games} for rating in rate(self.names, self.games)[0]]
        return found

    def draw_rate(self) -> float | None:
        """The share of draws, None before the first game."""
        return sum(self.draws.values()) / 2 / self.counted if self.counted else None
