"""`kingmaker wdl`: fits the chances of win, draw and loss at a score to games of `kingmaker selfplay`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

import numpy as np

from bench.extras import need
from bench.nets.store import load_games
from engine.rules import WinModel

EDGE = 2000  # centipawns; scores are clipped
RESAMPLES = 40  # fits for a standard error


def add_arguments(parser: ArgumentParser) -> None:
    """Add the games."""
    parser.add_argument("games", metavar="FOLDER", nargs="+", help="folders of `kingmaker selfplay`; prints one fit for each")


def run(args: Namespace) -> int:
    """Exit status: 0."""
    need("scipy")
    for folder in args.games:
        settings, data = load_games(Path(folder))
        model, errors = fit(data.scores, data.results, data.games)
        print(f"{settings.variant}: win_model=WinModel({model.centre:.0f}, {model.scale:.0f}, {model.games}),"
              f"  # ± {errors[0]:.0f}, {errors[1]:.0f}; {len(data.scores)} positions, drawn {np.mean(data.results == 0):.0%}",
              flush=True)
    return 0


def fit(scores: np.ndarray, results: np.ndarray, games: np.ndarray) -> tuple[WinModel, tuple[float, float]]:
    """The likeliest model, and one standard error of its two numbers, by resampling whole games (bootstrap).

    For each position, all int[n]: scores: centipawns for one side; results: of the game for that side, 1, 0 or -1; games: the
    number of the game.
    """
    clipped = np.clip(scores.astype(float), -EDGE, EDGE)
    names, owner = np.unique(games, return_inverse=True)
    centre, scale = _likeliest(clipped, results, np.ones(len(clipped)))
    chance, again = np.random.default_rng(1), []
    for _ in range(RESAMPLES):
        weight = np.bincount(chance.integers(0, len(names), len(names)), minlength=len(names))[owner].astype(float)
        again.append(_likeliest(clipped, results, weight))
    spread = np.std(np.array(again), axis=0)
    return WinModel(centre, scale, len(names)), (float(spread[0]), float(spread[1]))


def _likeliest(scores: np.ndarray, results: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """The likeliest centre and scale, from counts of each score and result, which are far fewer than the positions."""
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
