"""The plots of a report as SVG elements of one page: their ids do not clash."""

from __future__ import annotations

import io
import itertools
import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.match.ratings import Rating
from bench.match.records import GameRecord
from bench.match.standings import Standings
from bench.match.stats import Tally

WHITE_WINS, DRAWN, BLACK_WINS = "#e8c872", "#b9b9b9", "#4a4a4a"
LINE, BOUND = "#1f5f8b", "#b3261e"
BAND = 0.25
BINS = 30
POINTS = 400  # per line; longer matches are thinned out
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "kingmaker", "font.size": 9, "font.family": "sans-serif",
            "font.sans-serif": ["DejaVu Sans"], "axes.spines.top": False, "axes.spines.right": False}


@dataclass(frozen=True)
class Plot:
    """A plot and its heading."""

    title: str
    svg: str


@dataclass(frozen=True)
class Point:
    """The state of a match after some games: the first player's score, its interval, counts of scores, all players' shares."""

    games: int
    score: float | None
    low: float
    high: float
    counts: tuple[float, ...]
    shares: tuple[float, ...]  # points per game of each player, nan before the first


def point(standings: Standings) -> Point:
    """The state of the match now."""
    tally = standings.tally() if len(standings.names) == 2 else None
    low, high = tally.interval() if tally else (math.nan, math.nan)
    shares = []
    for name in standings.names:
        played = standings.wins[name] + standings.draws[name] + standings.losses[name]
        shares.append(standings.points(name) / played if played else math.nan)
    return Point(standings.finished, tally.score if tally else None, low, high, tally.counts if tally else (), tuple(shares))


def thinned(history: list[Point]) -> list[Point]:
    """At most POINTS of them, always including the last."""
    step = -(-len(history) // POINTS)
    return history[::-1][::step][::-1]


def plots(standings: Standings, games: list[GameRecord], history: list[Point], ratings: list[Rating]) -> list[Plot]:
    """The plots for which there is something to draw."""
    import matplotlib

    matplotlib.use("svg")
    drawn: list[Plot] = []
    counter = itertools.count(1)

    def add(title: str, draw: Callable[[Any], None], height: float = 2.6) -> None:
        drawn.append(Plot(title, figure(draw, f"plot{next(counter)}", height)))

    points = thinned(history)
    if len(standings.names) == 2:
        if any(item.score is not None for item in points):
            add("Score over time", lambda axes: score_over_time(axes, points, standings))
        if standings.setup.sprt is not None:
            add("Log likelihood ratio", lambda axes: llr_over_time(axes, points, standings))
    elif standings.counted:
        add("Score over time", lambda axes: shares_over_time(axes, points, standings))
        add("Ratings", lambda axes: rating_bars(axes, ratings), max(1.6, 0.35 * len(ratings) + 0.8))
    add("Length of games", lambda axes: lengths(axes, games))
    reasons = Counter(game.reason.value for game in games)
    add("How games ended", lambda axes: reason_bars(axes, games), max(1.4, 0.32 * len(reasons) + 0.8))
    return drawn


def figure(draw: Callable[[Any], None], prefix: str, height: float) -> str:
    """A drawing as an SVG element; its ids begin with the prefix, because all plots of a page share one name space."""
    import matplotlib
    from matplotlib import pyplot

    with matplotlib.rc_context(SETTINGS):
        found, axes = pyplot.subplots(figsize=(6.0, height), layout="constrained")
        try:
            draw(axes)
            text = io.StringIO()
            found.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        finally:
            pyplot.close(found)
    svg = text.getvalue()
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"(\d\.\d\d)\d+", r"\1", svg)
    return re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}-", svg)


def score_over_time(axes: Any, points: list[Point], standings: Standings) -> None:
    """The first player's score with its 95 % interval."""
    told = [item for item in points if item.score is not None]
    games = [item.games for item in told]
    low, high = (np.clip([getattr(item, edge) for item in told], 0, 1) for edge in ("low", "high"))
    axes.fill_between(games, low, high, color=LINE, alpha=BAND, linewidth=0)
    axes.plot(games, [item.score for item in told], color=LINE, linewidth=1.2)
    axes.axhline(0.5, color="0.6", linewidth=0.8)
    axes.set(xlabel="games", ylabel=f"score of {plain(standings.names[0])}", ylim=(0, 1.02), xlim=(0, max(games)))


def llr_over_time(axes: Any, points: list[Point], standings: Standings) -> None:
    """The sequential test between its bounds."""
    sprt = standings.setup.sprt
    assert sprt is not None
    games = [0, *(item.games for item in points)]
    ratios = [0.0, *(sprt.llr(Tally(item.counts)) if item.counts else 0.0 for item in points)]
    axes.plot(games, ratios, color=LINE, linewidth=1.2)
    for bound, name in ((sprt.upper, f"H1: {sprt.elo1:g}"), (sprt.lower, f"H0: {sprt.elo0:g}")):
        axes.axhline(bound, color=BOUND, linewidth=0.9, linestyle="--")
        axes.annotate(name, (0, bound), xytext=(3, 3), textcoords="offset points", color=BOUND)
    axes.axhline(0, color="0.6", linewidth=0.8)
    axes.set(xlabel="games", ylabel="LLR", xlim=(0, max(games)))
    axes.margins(y=0.12)


def shares_over_time(axes: Any, points: list[Point], standings: Standings) -> None:
    """Points per game of each player."""
    games = [item.games for item in points]
    for place, name in enumerate(standings.names):
        axes.plot(games, [item.shares[place] for item in points], linewidth=1.2, label=plain(name))
    axes.axhline(0.5, color="0.6", linewidth=0.8)
    axes.legend(frameon=False, fontsize=8, ncols=2)
    axes.set(xlabel="games", ylabel="points a game", ylim=(0, 1.02), xlim=(0, max(games)))


def rating_bars(axes: Any, ratings: list[Rating]) -> None:
    """Ratings with 95 % intervals, the best at the top."""
    rows = range(len(ratings))[::-1]
    axes.errorbar([rating.elo for rating in ratings], rows, xerr=[rating.error for rating in ratings], fmt="o", color=LINE,
                  capsize=3, markersize=4)
    axes.axvline(0, color="0.6", linewidth=0.8)
    axes.set(yticks=rows, yticklabels=[plain(rating.name) for rating in ratings], xlabel="Elo")


def lengths(axes: Any, games: list[GameRecord]) -> None:
    """Plies of the games, by result."""
    parts = (("White won", "1-0", WHITE_WINS), ("drawn", "1/2-1/2", DRAWN), ("Black won", "0-1", BLACK_WINS),
             ("void", "*", "white"))
    there = [part for part in parts if any(game.result == part[1] for game in games)]
    edges = np.linspace(0, max(1, *(len(game.plies) for game in games)) if games else 1, BINS + 1)
    axes.hist([[len(game.plies) for game in games if game.result == result] for _, result, _ in there], edges, stacked=True,
              color=[colour for _, _, colour in there], label=[name for name, _, _ in there], edgecolor="white", linewidth=0.3)
    axes.legend(frameon=False, fontsize=8)
    axes.set(xlabel="plies", ylabel="games", xlim=(0, None))
    axes.yaxis.get_major_locator().set_params(integer=True)


def reason_bars(axes: Any, games: list[GameRecord]) -> None:
    """Games by reason of their end, faults in red."""
    counts = Counter(game.reason for game in games).most_common()[::-1]
    axes.barh([reason.value for reason, _ in counts], [count for _, count in counts],
              color=[BOUND if reason.fault else LINE for reason, _ in counts], height=0.6)
    axes.set(xlabel="games")
    axes.xaxis.get_major_locator().set_params(integer=True)


def plain(name: str) -> str:
    """A name without formulas: matplotlib would take dollars for them."""
    return name.replace("$", r"\$")
