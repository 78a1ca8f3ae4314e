"""`kingmaker walk`: positions a few random moves away from games of self-play, with the scores of shallow searches.

A search asks for values of positions that no game ever shows: a queen just left hanging, an exchange half done. Games alone
do not teach them. Here every position costs a search of a few hundred nodes, so there can be many.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track

import variants
from bench.nets.selfplay import HASH_MB, net_name
from bench.nets.store import Data, Settings, batch_path, batches, games_in, load_batch, prepare, save_batch, settings_of
from bench.nets.walking import walk_kernel
from bench.workers import add_cluster_argument, workers
from engine.errors import CommandError
from engine.game import Game
from search import tt
from search.eval.features import params_of, weights_of
from search.eval.net.files import net_of
from search.state import QSEARCH_BUDGET, QSEARCH_CAP, ROOT_DEPTH
from search.threads import NO_LIMIT, QSEARCH_NODES, Shared, Worker

UNKNOWN = 2  # in place of a result


class WalkTask(NamedTuple):
    """A batch of games to walk away from."""

    variant: str
    batch: Path
    settings: Settings
    steps: int
    depth: int
    walks: int


def add_arguments(parser: ArgumentParser) -> None:
    """Add games and how far and deep to look."""
    parser.add_argument("games", metavar="FOLDER", help="games of `kingmaker selfplay`")
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True)
    parser.add_argument("--walks", type=int, default=4, help="from each position of the games; default: %(default)s")
    parser.add_argument("--steps", type=int, default=3, help="random moves of a walk, at most; default: %(default)s")
    parser.add_argument("--depth", type=int, default=2, help="of the searches; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--concurrency", type=int, default=os.cpu_count() or 1, metavar="N", help="default: %(default)s")
    add_cluster_argument(parser)


def run(args: Namespace) -> int:
    """Exit status: 0."""
    for name, value, most in (("walks", args.walks, 1000), ("steps", args.steps, 50), ("depth", args.depth, 20)):
        if not 1 <= value <= most:
            raise CommandError(f"--{name} {value} is not from 1 to {most}")
    games, folder = Path(args.games), Path(args.output)
    with workers(args.concurrency, args.cluster) as pool:
        variant = settings_of(games).variant
        how = f"{args.walks} walks of {args.steps} steps, depth {args.depth}, from {games.resolve().name}"
        settings = Settings(variant, 0, args.seed, net_name(variant), how)
        files = batches(games)
        tasks = [WalkTask(variant, path, settings, args.steps, args.depth, args.walks)
                 for path in files if games_in(batch_path(folder, int(path.stem))) < games_in(path)]
        prepare(folder, settings)  # when nothing can be refused any more: it binds later runs
        for task, data in track(pool.run(walk_batch, tasks), f"{variant}, walks", len(tasks), console=Console(stderr=True),
                                disable=not sys.stderr.isatty()):
            save_batch(batch_path(folder, int(task.batch.stem)), data, games_in(task.batch))
    print(f"{variant}: walks from {len(files)} batches, in {folder}")
    return 0


def walk_batch(task: WalkTask) -> Data:
    """The positions of one batch. The same at every call."""
    rules, data = variants.find(task.variant), load_batch(task.batch)
    rows = np.repeat(data.rows, task.walks, axis=0)
    worker = Worker(rules)
    worker.begin(Game(rules), 0, False, NO_LIMIT, False)
    shared = Shared(params_of(rules), weights_of(rules), tt.new_table(HASH_MB), int(rules.material_draws), net_of(rules))
    worker.state[QSEARCH_BUDGET], worker.state[QSEARCH_CAP], worker.state[ROOT_DEPTH] = QSEARCH_NODES, NO_LIMIT, task.depth
    found, scores, origins = np.zeros_like(rows), np.zeros(len(rows), np.int16), np.zeros(len(rows), np.int64)
    seed = np.uint64((task.settings.seed << 32) + int(task.batch.stem) + 1)
    n = int(walk_kernel(rules, worker.thread(shared), shared.draws, rows, seed, task.steps, task.depth, found, scores, origins))
    origins = origins[:n] // task.walks
    return Data(found[:n], scores[:n], np.full(n, UNKNOWN, np.int8), data.games[origins])
