"""Playing below full strength: fewer nodes, and a choice among the best lines with errors. Imports nothing heavy."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import random

    from engine.protocol.options import Value
    from search.limits import Info

FULL = 20  # the Skill Level without a handicap
LINES = 4  # root moves to choose among
PROOF = 1_000_000  # the most nodes for finding a mate again that was announced a move ago

# (Skill Level, Elo) in orthodox chess by 386 games of `kingmaker levels`, November 2026; standard errors 50 to 80
SCALE = ((0.0, 800.0), (4.0, 860.0), (8.0, 1175.0), (12.0, 1530.0), (16.0, 1850.0), (20.0, 2100.0))


class Handicap(NamedTuple):
    """Nodes of a search, and how far the judgement of a line may err."""

    nodes: int
    error: float  # centipawns, standard deviation


def handicap(values: Mapping[str, Value]) -> Handicap | None:
    """The handicap by UCI_Elo if that is switched on, else by Skill Level; None for full strength, as in analysis.

    values: the options by name.
    """
    if values["UCI_AnalyseMode"]:
        return None
    if values["UCI_LimitStrength"]:
        return of_level(level_of(float(values["UCI_Elo"])))
    level = float(values["Skill Level"])
    return of_level(level) if level < FULL else None


def of_level(level: float) -> Handicap:
    """The handicap of a level from 0, a beginner, to FULL."""
    return Handicap(round(200 * 1.3**level), 250 * (1 - level / (FULL + 2)) ** 2)


def level_of(elo: float) -> float:
    """The level that plays at a rating, interpolated linearly between measured ones.

    >>> level_of(SCALE[0][1]), level_of(SCALE[-1][1])
    (0.0, 20.0)
    """
    for (low, low_elo), (high, high_elo) in itertools.pairwise(SCALE):
        if elo <= high_elo:
            return low + (high - low) * max(0.0, elo - low_elo) / (high_elo - low_elo)
    return SCALE[-1][0]


def choose(lines: Mapping[int, Info], given: Handicap, chance: random.Random) -> Info | None:
    """The line that looks best to a judge who errs; None if there are no lines.

    lines: by rank; chance: the source of errors. Scores are judged with an error, mates without: the quickest mate is played,
    however much other lines win, and a mate by the opponent is avoided if possible, else delayed.
    """
    def judged(info: Info) -> float:
        return float(info.score) if info.mate is not None else info.score + chance.gauss(0, given.error)

    return max(lines.values(), key=judged, default=None)
