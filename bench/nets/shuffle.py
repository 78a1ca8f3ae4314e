"""Shuffles positions of self-play over all their games, in memory that does not grow with them.

A first pass deals every position to a file by chance; a file is shuffled whenever it is read. Positions of a game resemble each
other: in the order in which they were played, a net learns the last games instead of the game.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.nets.store import Data, batches, load_batch, pieces_on, positions_in
from bench.nets.trainer import Batch
from engine.errors import CommandError
from engine.rules import PLY, TURN, Rules
from search.eval.features import weights_of
from search.eval.net.inference import SCALE, inputs_kernel
from search.eval.net.inputs import VIEWS, tables
from search.eval.scale import WHOLE, scales_kernel

SHARD = 1 << 20  # positions of a file, about
DECIDED = 10_000  # centipawns: beyond, nothing is left to learn
HELD_OUT = 50  # of so many games one is not learned from
ROOM = 48  # inputs of a position, on average at most

Tell = Callable[[float], None]  # called with the share that is done, 0 to 1


class Sample(NamedTuple):
    """Positions as a file holds them.

    rows: uint64[n, words]; scores: int16[n], centipawns for White; outlooks: float32[n], outlooks().
    """

    rows: np.ndarray
    scores: np.ndarray
    outlooks: np.ndarray

    def with_share_of_walks(self, share: float, chance: np.random.Generator) -> Sample:
        """All positions of games and, by chance, this share of those of walks, which have no outlook."""
        if share == 1:
            return self
        keep = ~np.isnan(self.outlooks) | (chance.random(len(self.outlooks)) < share)
        return Sample(*(np.ascontiguousarray(part[keep]) for part in self))


class Shuffled:
    """The files that positions were dealt to, those held out in a file of their own."""

    def __init__(self, folder: Path, rules: Rules, shards: int):
        words = rules.traits.words
        self.folder, self.rules, self.shards = folder, rules, shards
        self.dtype = np.dtype([("row", "<u8", (words,)), ("score", "<i2"), ("outlook", "<f4")])

    def path(self, number: int) -> Path:
        """The file of a number; that of -1 is held out."""
        return self.folder / ("held.bin" if number < 0 else f"{number:04d}.bin")

    def sizes(self) -> list[int]:
        """Positions of each file, without those held out."""
        return [self.path(number).stat().st_size // self.dtype.itemsize for number in range(self.shards)]

    def read(self, number: int, chance: np.random.Generator | None = None) -> Sample:
        """The positions of a file, shuffled by chance."""
        found = np.fromfile(self.path(number), self.dtype)
        if chance is not None:
            found = found[chance.permutation(len(found))]
        return Sample(*(np.ascontiguousarray(found[name]) for name in ("row", "score", "outlook")))

    def deal(self, files: list[Path], seed: int, horizon: float, tell: Tell) -> None:
        """Deal the positions of all games to the files; horizon: see outlooks()."""
        chance = np.random.default_rng(seed)
        opened = [self.path(number).open("wb") for number in range(-1, self.shards)]
        try:
            for done, path in enumerate(files):
                data = load_batch(path)
                keep = np.abs(data.scores.astype(int)) <= DECIDED
                found = np.zeros(int(keep.sum()), self.dtype)
                found["row"], found["score"] = data.rows[keep], data.scores[keep]
                found["outlook"] = outlooks(data, horizon)[keep]
                numbers = chance.integers(0, self.shards, len(found))
                numbers[data.games[keep] % HELD_OUT == 0] = -1
                order = np.argsort(numbers, kind="stable")
                ends = np.searchsorted(numbers[order], np.arange(-1, self.shards + 1))
                for file, first, last in zip(opened, ends[:-1], ends[1:], strict=True):
                    found[order[first:last]].tofile(file)
                tell((done + 1) / len(files))
        finally:
            for file in opened:
                file.close()


def shuffled(folders: Iterable[Path], rules: Rules, kept: Path, seed: int, horizon: float, tell: Tell) -> Shuffled:
    """Deal the positions of folders of self-play to files in `kept`, unless that was done before. Raises CommandError."""
    files = [path for folder in folders for path in batches(folder)]
    if not files:
        raise CommandError(f"no games in {', '.join(repr(str(folder)) for folder in folders)}")
    positions = sum(positions_in(path) for path in files)
    found = Shuffled(kept, rules, max(1, round(positions / SHARD)))
    mark = hashlib.sha256("\n".join([*(f"{p} {p.stat().st_size}" for p in files), f"{seed} {horizon}"]).encode()).hexdigest()
    done = kept / "done.json"
    if not (done.exists() and json.loads(done.read_text(encoding="utf-8")) == mark):
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        found.deal(files, seed, horizon, tell)
        done.write_text(json.dumps(mark), encoding="utf-8")
    return found


def outlooks(data: Data, horizon: float) -> np.ndarray:
    """float32[n]: White's expected points by what follows in the game, NaN for positions without one.

    It is a weighted mean of the scores of the later positions and, at the end, of the result. horizon: plies over which the
    weight of a score falls to 1/e; 0: the result alone. Games of short searches are full of errors, so their results are noisy;
    the very next scores add little to the position's own.
    """
    expected = (1 / (1 + np.exp(-data.scores / SCALE))).tolist()
    plies, games, results = data.rows[:, PLY].tolist(), data.games.tolist(), data.results.tolist()
    found = np.full(len(expected), np.nan, np.float32)
    later = 0.0
    for i in range(len(expected) - 1, -1, -1):
        if abs(results[i]) > 1:
            continue
        if i + 1 == len(expected) or games[i + 1] != games[i]:
            later = (results[i] + 1) / 2
        elif horizon:
            kept = math.exp((plies[i] - plies[i + 1]) / horizon)
            later = kept * later + (1 - kept) * expected[i + 1]
        found[i] = later
    return found


def batch_of(rules: Rules, sample: Sample, result_share: float, zones: int = 1, threats: bool = False) -> Batch:
    """Positions with their inputs and targets: the score's expected points mixed with a share of the outlook.

    zones: of the king, for which the net has rows of their own; threats: whether it tells the states of pieces apart.
    """
    numbers, kinds = tables(rules, zones, threats)
    n = len(sample.scores)
    starts, buckets = np.zeros(n + 1, np.int64), np.zeros(n, np.uint8)
    room = n * ROOM
    while True:
        found = np.zeros((VIEWS, room), np.uint16)
        total = int(inputs_kernel(rules, sample.rows, numbers, kinds, int(threats), starts, found, buckets))
        if total <= room:
            break
        room = total
    scales = np.zeros((VIEWS, n), np.uint8)
    scales_kernel(rules, sample.rows, weights_of(rules), scales)
    side = 1.0 - 2.0 * sample.rows[:, TURN].astype(np.float64)
    points = (1 - side) / 2 + side * sample.outlooks
    expected = 1 / (1 + np.exp(-sample.scores * side / SCALE))
    mixed = result_share * points + (1 - result_share) * expected
    targets = np.where(np.isnan(points), expected, mixed).astype(np.float32)
    return Batch(starts, found, buckets, scales.astype(np.float32) / WHOLE, targets)


def checks(data: Data) -> list[str]:
    """What can be wrong with positions of self-play, in lines of figures."""
    decisive = (np.abs(data.results) == 1) & (np.abs(data.scores.astype(int)) > 100)
    agree = float((np.sign(data.scores[decisive]) == data.results[decisive]).mean()) if decisive.any() else float("nan")
    keys = data.rows[:, 0]
    stages = np.histogram(pieces_on(data.rows), [0, 6, 11, 16, 21, 26, 65])[0] / len(keys)
    return [f"positions     {len(keys):,}",
            f"agreement     {agree:.1%} of scores beyond a pawn have the sign of the result",
            f"drawn         {float((data.results == 0).mean()):.1%}",
            f"duplicates    {1 - len(np.unique(keys)) / len(keys):.1%}",
            "pieces        " + ", ".join(f"{label} {share:.0%}" for label, share in zip(
                ("to 5", "to 10", "to 15", "to 20", "to 25", "more"), stages, strict=True))]
