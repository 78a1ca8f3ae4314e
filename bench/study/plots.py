"""The plots of a study: six panels in one small SVG whose text stays text."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.study.measures import Measures

WHITE_WINS, DRAWN, BLACK_WINS = "#e8c872", "#b9b9b9", "#4a4a4a"
LINE = "#1f5f8b"
BAND = 0.25
BINS = 24
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "kingmaker", "font.size": 8, "axes.spines.top": False,
            "axes.spines.right": False, "font.family": "sans-serif",
            "font.sans-serif": ["DejaVu Sans"]}


def draw(found: Measures, path: Path) -> None:
    """Write the plots of a study as SVG; the same bytes for the same measures."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    with matplotlib.rc_context(SETTINGS):
        figure, axes = pyplot.subplots(2, 3, figsize=(9.6, 5.2), layout="constrained")
        try:
            results(axes[0, 0], found)
            lengths(axes[0, 1], found)
            branching(axes[0, 2], found)
            specials(axes[1, 0], found)
            times(axes[1, 1], found)
            values(axes[1, 2], found)
            figure.suptitle(f"{found.variant}: {found.games} games", fontsize=10)
            text = io.StringIO()
            figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        finally:
            pyplot.close(figure)
    path.write_text(re.sub(r"(\d\.\d\d)\d+", r"\1", text.getvalue()), encoding="utf-8")  # a hundredth of a point is enough


def results(axes: Any, found: Measures) -> None:
    """Shares of results, and White's score."""
    parts = ((found.wins, WHITE_WINS, "White"), (found.draws, DRAWN, "drawn"), (found.losses, BLACK_WINS, "Black"))
    left = 0.0
    for share, colour, name in parts:
        axes.barh([1], [share.value], left=[left], color=colour, height=0.5)
        if share.value > 0.12:
            axes.text(left + share.value / 2, 1, f"{name}\n{share.value:.0%}", ha="center", va="center",
                      color="white" if colour == BLACK_WINS else "black")
        left += share.value
    score = found.score.value
    low, high = (max(0.0, min(1.0, edge)) for edge in (found.score.low, found.score.high))
    axes.errorbar([score], [0.35], xerr=[[score - low], [high - score]], fmt="o", color=LINE, capsize=3, markersize=4)
    axes.axvline(0.5, color="0.7", linewidth=0.8, zorder=0)
    axes.set(xlim=(0, 1), ylim=(0, 1.4), yticks=[0.35], yticklabels=["White's\nscore"], title="results")


def lengths(axes: Any, found: Measures) -> None:
    """Lengths of games, and when they are decided."""
    edges = np.linspace(0, max(found.lengths), BINS + 1)
    axes.hist(found.lengths, edges, color=DRAWN, label="end")
    if found.settled_plies:
        axes.hist(found.settled_plies, edges, histtype="step", color=LINE, label="decided")
    axes.legend(frameon=False)
    axes.set(title="length", xlabel="ply", ylabel="games", xlim=(0, None))


def branching(axes: Any, found: Measures) -> None:
    """Legal moves by ply."""
    plies = np.arange(1, len(found.branching_by_ply) + 1)
    low, middle, high = (np.array([getattr(ply, part) for ply in found.branching_by_ply]) for part in ("low", "value", "high"))
    if np.isfinite(low).all():
        axes.fill_between(plies, low.round(1), high.round(1), color=LINE, alpha=BAND, linewidth=0)
    axes.plot(plies, middle.round(1), color=LINE, linewidth=1)
    axes.set(title="legal moves", xlabel="ply", ylim=(0, None), xlim=(0, None))


def specials(axes: Any, found: Measures) -> None:
    """The share of games that have each event."""
    names = [special.name for special in found.specials][::-1]
    shares = [special.games for special in found.specials][::-1]
    bars(axes, names, [share.value for share in shares], [(share.low, share.high) for share in shares])
    axes.set(title="games that have it", xlim=(0, 1))


def times(axes: Any, found: Measures) -> None:
    """When each event happens: the middle half and the median."""
    seen = [special for special in found.specials if special.when][::-1]
    for row, special in enumerate(seen):
        assert special.when is not None
        low, middle, high = special.when
        axes.barh([row], [high - low], left=[low], color=LINE, alpha=BAND * 2, height=0.6)
        axes.plot([middle], [row], "|", color="black", markersize=9)
    axes.set(yticks=range(len(seen)), yticklabels=[special.name for special in seen], title="when it happens", xlabel="ply",
             xlim=(0, None))


def values(axes: Any, found: Measures) -> None:
    """Values of pieces."""
    told = [value for value in found.values if all(map(math.isfinite, (value.centipawns.low, value.centipawns.high)))][::-1]
    bars(axes, [value.letter for value in told], [value.centipawns.value for value in told],
         [(value.centipawns.low, value.centipawns.high) for value in told])
    axes.set(title="value of one more piece", xlabel="centipawns (400: ten to one)")


def bars(axes: Any, names: Sequence[str], middle: Sequence[float], edges: Sequence[tuple[float, float]]) -> None:
    """Horizontal bars with error bars."""
    rows = range(len(names))
    errors = [[max(0.0, value - low) for value, (low, _) in zip(middle, edges, strict=True)],
              [max(0.0, high - value) for value, (_, high) in zip(middle, edges, strict=True)]]
    axes.barh(rows, middle, color=LINE, alpha=BAND * 2, height=0.6)
    axes.errorbar(middle, rows, xerr=errors, fmt="none", ecolor="black", capsize=2, linewidth=0.8)
    axes.set(yticks=rows, yticklabels=names)
