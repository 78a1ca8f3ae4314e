"""`kingmaker wdl`: fits the chances of win, draw and loss behind a score to games of `kingmaker selfplay`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

import numpy as np

from bench.extras import need
from bench.tuning.selfplay import load
from engine.protocol.wdl import Model

EDGE = 2000  # centipawns; beyond, the result is no news
DRAWN_ANEW = 40  # fits behind a standard error


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("games", metavar="FOLDER", nargs="+", help="what `kingmaker selfplay` wrote: a row for each")


def run(args: Namespace) -> int:
    need("scipy")
    for folder in args.games:
        settings, data = load(Path(folder))
        model, errors = fit(data.scores, data.results, data.games)
        print(f'    "{settings.variant}": Model({model.centre:.0f}, {model.scale:.0f}, {model.games}),'
              f"  # ± {errors[0]:.0f}, {errors[1]:.0f}; {len(data.scores)} positions, drawn {np.mean(data.results == 0):.0%}",
              flush=True)
    return 0


def fit(scores: np.ndarray, results: np.ndarray, games: np.ndarray) -> tuple[Model, tuple[float, float]]:
    """The likeliest model, and one standard error of its two numbers, by drawing whole games anew (bootstrap).

    For each position: scores: centipawns, for either side; results: how the game ended for that side, 1, 0 or -1; games: of
    which one it is. All int[n].
    """
    clipped = np.clip(scores.astype(float), -EDGE, EDGE)
    names, owner = np.unique(games, return_inverse=True)
    centre, scale = _likeliest(clipped, results, np.ones(len(clipped)))
    chance, again = np.random.default_rng(1), []
    for _ in range(DRAWN_ANEW):
        weight = np.bincount(chance.integers(0, len(names), len(names)), minlength=len(names))[owner].astype(float)
        again.append(_likeliest(clipped, results, weight))
    spread = np.std(np.array(again), axis=0)
    return Model(centre, scale, len(names)), (float(spread[0]), float(spread[1]))


def _likeliest(scores: np.ndarray, results: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Counts of each score and result say all that the positions do, and are far fewer."""
    from scipy.optimize import minimize
    from scipy.special import expit

    kinds, place = np.unique(scores * 4 + results, return_inverse=True)
    count = np.bincount(place, weight)
    score, result = (kinds + 1) // 4, (kinds + 1) % 4 - 1

    def loss(logs: np.ndarray) -> float:
        centre, scale = np.exp(logs)
        win, lose = expit((score - centre) / scale), expit((-score - centre) / scale)
        chances = np.where(result > 0, win, np.where(result < 0, lose, 1 - win - lose))
        return -float((count * np.log(np.maximum(chances, 1e-9))).sum())

    centre, scale = np.exp(minimize(loss, np.log([100.0, 100.0]), method="Nelder-Mead").x)
    return float(centre), float(scale)
