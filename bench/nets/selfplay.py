"""`kingmaker selfplay`: collects positions of games of the engine against itself, with scores and results, for fitting.

A batch of games is one task of a pool and one file, so a killed run can be continued.
"""

from __future__ import annotations

import os
import random
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track

import variants
from bench.nets.playing import DECIDED, FOUND, QUIET, SCORE, UNDECIDED, play_kernel
from bench.nets.store import (
    BATCH,
    Data,
    Settings,
    batch_path,
    batches,
    games_in,
    load,
    load_batch,
    pieces_on,
    prepare,
    save_batch,
    settings_of,
)
from bench.workers import add_cluster_argument, workers
from engine.errors import CommandError
from engine.game import Game
from engine.rules import Rules
from search import tt
from search.eval.features import params_of, weights_of
from search.eval.net.files import net_of
from search.threads import Shared, Worker

PLIES = 1000  # nothing is kept of a longer game: nobody knows its result
OPENING = (4, 10)  # random plies, least and most
UNEVEN = 400  # centipawns: an opening with a higher score has decided the game, and another is drawn
DETOUR = (1, 3)  # random plies from a position of an earlier game, least and most
DETOUR_UNEVEN = 1000  # the same as UNEVEN: here it is the imbalances that are to be learned
HASH_MB = 1  # of a game of short searches: it stays within the processor's own memory


class BatchTask(NamedTuple):
    """Games of consecutive numbers."""

    settings: Settings
    first: int
    games: int
    source: Path | None = None  # a batch of games at whose positions these begin
    pieces: int = 0  # that many at least are on the board where they begin


def add_arguments(parser: ArgumentParser) -> None:
    """Add game, folder and how games are played."""
    parser.add_argument("variant", metavar="VARIANT")
    parser.add_argument("-o", "--output", metavar="FOLDER", required=True, help="a folder with the same settings is continued")
    parser.add_argument("--games", type=int, default=2000, help="default: %(default)s")
    parser.add_argument("--nodes", type=int, default=200,
                        help="nodes per move, after which the next depth is not begun; default: %(default)s")
    parser.add_argument("--from", dest="source", metavar="FOLDER",
                        help="begin games one to three random moves away from positions of these games, not at the start")
    parser.add_argument("--pieces", type=int, default=0, metavar="N",
                        help="with --from: only positions with at least N pieces; default: all")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random openings; default: %(default)s")
    parser.add_argument("--concurrency", type=int, default=os.cpu_count() or 1, metavar="N", help="default: %(default)s")
    add_cluster_argument(parser)


def run(args: Namespace) -> int:
    """Exit status: 0."""
    for switch, value in (("games", args.games), ("nodes", args.nodes)):
        if value < 1:
            raise CommandError(f"--{switch} must be at least 1, not {value}")
    variant, folder = variants.resolve(args.variant), Path(args.output)
    sources = sources_of(args.source, variant)
    if args.pieces < 0:
        raise CommandError(f"--pieces must be at least 0, not {args.pieces}")
    if args.pieces and not sources:
        raise CommandError(f"--pieces {args.pieces} needs --from")
    begin = f"{DETOUR[0]} to {DETOUR[1]} random moves from {Path(args.source).resolve().name}" if sources else ""
    if args.pieces:
        begin += f", {args.pieces} pieces or more"
    settings = Settings(variant, args.nodes, args.seed, net_name(variant), begin=begin)
    if sources:
        starts_of(sources[0], args.pieces)
    wanted = []
    for first in range(0, args.games, BATCH):
        source = sources[first // BATCH % len(sources)] if sources else None
        wanted.append(BatchTask(settings, first, min(BATCH, args.games - first), source, args.pieces))
    with workers(args.concurrency, args.cluster) as pool:
        prepare(folder, settings)  # when nothing can be refused any more: it binds later runs
        tasks = [task for task in wanted if games_in(batch_path(folder, task.first // BATCH)) < task.games]
        for task, data in track(pool.run(play_batch, tasks), settings.variant, len(tasks), console=Console(stderr=True),
                                disable=not sys.stderr.isatty()):
            save_batch(batch_path(folder, task.first // BATCH), data, task.games)
    total = load(folder)[1]
    print(f"{settings.variant}: {sum(map(games_in, batches(folder)))} games, {len(total.rows)} positions, "
          f"drawn {np.mean(total.results == 0):.0%}, in {folder}")
    return 0


def net_name(variant: str) -> str:
    """The digest of the net of a game, empty if it has none."""
    net = net_of(variants.find(variant))
    return "" if net is None else net.digest


def sources_of(folder: str | None, variant: str) -> list[Path]:
    """The batches of a folder of games of a variant; none without a folder. Raises CommandError."""
    if folder is None:
        return []
    if (found := settings_of(Path(folder)).variant) != variant:
        raise CommandError(f"{folder!r} has games of {found}, not of {variant}")
    if not (paths := batches(Path(folder))):
        raise CommandError(f"no games in {folder!r}")
    return paths


def play_batch(task: BatchTask) -> Data:
    """The games of one task. The same at every call with the same net."""
    rules = variants.find(task.settings.variant)
    players = SelfPlay(rules, task.settings, None if task.source is None else starts_of(task.source, task.pieces))
    parts = [players.play(number) for number in range(task.first, task.first + task.games)]
    return Data(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def starts_of(source: Path, pieces: int) -> np.ndarray:
    """uint64[n, words]: the positions of a batch that are not decided and have at least so many pieces.

    Raises CommandError without one.
    """
    data = load_batch(source)
    open_positions = np.abs(data.scores.astype(int)) <= DETOUR_UNEVEN
    open_positions &= pieces_on(data.rows) >= pieces
    if not open_positions.any():
        few = f" or has fewer than {pieces} pieces" if pieces else ""
        raise CommandError(f"every position in {str(source)!r} is decided{few}")
    starts: np.ndarray = data.rows[open_positions]
    return starts


class SelfPlay:
    """Plays the games of a task one after the other, in the same memory.

    starts: uint64[n, words], positions from which games begin; None for the start position.
    """

    def __init__(self, rules: Rules, settings: Settings, starts: np.ndarray | None = None):
        self.rules, self.settings = rules, settings
        self.worker = Worker(rules)
        self.shared = Shared(params_of(rules), weights_of(rules), tt.new_table(HASH_MB), int(rules.material_draws),
                             net_of(rules))
        self.rows = np.zeros((PLIES, rules.traits.words), np.uint64)
        self.found = np.zeros((PLIES, FOUND), np.int64)
        self.starts = starts
        self.start = Game(rules).pos
        self.random_plies, self.uneven = (OPENING, UNEVEN) if starts is None else (DETOUR, DETOUR_UNEVEN)

    def play(self, number: int) -> Data:
        """The quiet positions of a game, played until the rules end it; none if they do not in PLIES plies."""
        chance = random.Random(f"{self.rules.name} {self.settings.seed} {number}")
        result, n = DECIDED, 0
        while result == DECIDED:
            tt.wipe(self.shared.table)
            self.worker.histories[:] = 0
            opening = chance.randint(*self.random_plies)
            if self.starts is not None:
                self.start = self.starts[chance.randrange(len(self.starts))]
            n, result = play_kernel(self.rules, self.worker.thread(self.shared), self.shared.draws, self.start,
                                    self.settings.nodes, opening, self.uneven, np.uint64(chance.getrandbits(63) + 1),
                                    self.rows, self.found)
        quiet = (self.found[:n, QUIET] == 1) & (result != UNDECIDED)
        rows, scores = self.rows[:n][quiet], self.found[:n, SCORE][quiet].astype(np.int16)
        return Data(rows, scores, np.full(len(rows), result, np.int8), np.full(len(rows), number, np.int32))
