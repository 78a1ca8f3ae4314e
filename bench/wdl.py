"""`kingmaker wdl`: fits the chances of win, draw and loss behind a score to games the engine plays against itself."""

from __future__ import annotations

import random
import sys
from argparse import ArgumentParser, Namespace
from typing import NamedTuple

import numpy as np

import variants
from engine.errors import CommandError
from engine.wdl import Model

PLIES = 400  # a longer game counts as a draw
OPENING = 8  # random plies
EDGE = 2000  # centipawns; beyond, the result is no news


class Sample(NamedTuple):
    """One position: of which game, the score for the side to move, and how the game ended for it: 1, 0 or -1."""

    game: int
    score: int
    result: int


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("variants", nargs="*", metavar="VARIANT", help="default: all")
    parser.add_argument("--games", type=int, default=300, help="of each variant; default: %(default)s")
    parser.add_argument("--nodes", type=int, default=2000, help="a move; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="of the random openings; default: %(default)s")


def run(args: Namespace) -> int:
    if args.games < 1 or args.nodes < 1:
        raise CommandError(f"--games {args.games} and --nodes {args.nodes} must be at least 1")
    for name in [variants.resolve(name) for name in args.variants] or variants.names():
        samples = play(name, args.games, args.nodes, args.seed)
        model, errors = fit(samples, args.games)
        share = [sum(1 for s in samples if s.result == r) / len(samples) for r in (1, 0, -1)]
        print(f'    "{name}": Model({model.centre:.0f}, {model.scale:.0f}, {model.games}),'
              f"  # ± {errors[0]:.0f}, {errors[1]:.0f}; {len(samples)} positions, drawn {share[1]:.0%}", flush=True)
    return 0


def play(name: str, games: int, nodes: int, seed: int) -> list[Sample]:
    """Self-play, one thread: every second ply of every game is a sample."""
    from rich.console import Console
    from rich.progress import track

    from engine.game import Game
    from search.limits import Info, Limits
    from search.pool import Searcher

    rules, found = variants.find(name), list[Sample]()
    searcher = Searcher(16, 1)
    console = Console(stderr=True)
    for number in track(range(games), name, console=console, disable=not sys.stderr.isatty()):
        chance = random.Random(f"{name} {seed} {number}")
        game = Game(rules)
        searcher.clear()
        scores: list[tuple[int, int]] = []  # (side to move, score)
        while game.outcome() is None and len(game.moves) < PLIES:
            if len(game.moves) < OPENING:
                game.push(chance.choice(sorted(game.legal_moves())))
                continue
            news: list[Info] = []
            best = searcher.search(game, Limits(nodes=nodes), on_info=news.append)
            if news and news[-1].mate is None and len(game.moves) % 2 == number % 2:
                scores.append((game.turn, news[-1].score))
            assert best.move is not None
            game.push(best.move)
        outcome = game.outcome()
        winner = None if outcome is None else outcome.winner
        found += [Sample(number, score, 0 if winner is None else 1 if winner == turn else -1) for turn, score in scores]
    return found


def fit(samples: list[Sample], games: int) -> tuple[Model, tuple[float, float]]:
    """The likeliest model, and one standard error of its two numbers, by drawing whole games anew (bootstrap)."""
    scores = np.clip(np.array([s.score for s in samples], float), -EDGE, EDGE)
    results = np.array([s.result for s in samples])
    owner = np.array([s.game for s in samples])
    centre, scale = _likeliest(scores, results, np.ones(len(samples)))
    chance, again = np.random.default_rng(1), []
    for _ in range(40):
        weight = np.bincount(chance.integers(0, games, games), minlength=games)[owner].astype(float)
        again.append(_likeliest(scores, results, weight))
    spread = np.std(np.array(again), axis=0)
    return Model(centre, scale, games), (float(spread[0]), float(spread[1]))


def _likeliest(scores: np.ndarray, results: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    from scipy.optimize import minimize
    from scipy.special import expit

    def loss(logs: np.ndarray) -> float:
        centre, scale = np.exp(logs)
        win, lose = expit((scores - centre) / scale), expit((-scores - centre) / scale)
        chances = np.where(results > 0, win, np.where(results < 0, lose, 1 - win - lose))
        return -float((weight * np.log(np.maximum(chances, 1e-9))).sum())

    centre, scale = np.exp(minimize(loss, np.log([100.0, 100.0]), method="Nelder-Mead").x)
    return float(centre), float(scale)
