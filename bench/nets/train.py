"""`kingmaker train`: fits a net to positions of `kingmaker selfplay`.

A killed run goes on after the last pass over the data that was finished.
"""

from __future__ import annotations

import json
import math
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

import variants
from bench.extras import need
from bench.nets.shuffle import Sample, Shuffled, batch_of, checks, shuffled
from bench.nets.store import batches, load_batch, settings_of
from bench.nets.trainer import Batch, Trainer
from bench.outputs import check_writable
from engine.errors import CommandError
from engine.rules import Rules
from search.eval.evaluate import net_kernel, value_kernel
from search.eval.features import weights_of
from search.eval.net.files import Weights, no_net, path_of, read_net, write_net, zones_of
from search.eval.net.inference import SCALE
from search.eval.net.inputs import MOST_ZONES, inputs_of, rows_without_threats
from search.eval.net.layers import BLOCK

LAST_RATE = 0.01  # of the first: what the learning rate falls to
MOST_NEURONS = 4096
QUANTISED = 20_000  # positions on which the whole numbers are compared


@dataclass(frozen=True)
class Plan:
    """How a net is trained."""

    variant: str
    folders: tuple[str, ...]
    passes: int
    batch: int
    rate: float
    result_share: float
    horizon: float
    walk_share: float  # of the positions without results that a pass learns
    seed: int
    zones: int
    threats: bool  # whether inputs tell attacked and protected pieces from others
    neurons: int  # of the hidden layer
    start: str  # digest of the net that it begins as; "" for random numbers


def add_arguments(parser: ArgumentParser) -> None:
    """Add data and how they are learned."""
    parser.add_argument("variant", metavar="VARIANT")
    parser.add_argument("folders", metavar="FOLDER", nargs="+", help="games of `kingmaker selfplay`")
    parser.add_argument("-o", "--output", metavar="FILE", help="the net; default: the one that the engine uses for the game")
    parser.add_argument("--start", metavar="NET", help="begin with the weights of this net; default: random ones")
    parser.add_argument("--passes", type=int, default=20, help="over all positions; default: %(default)s")
    parser.add_argument("--batch", type=int, default=16384, help="positions of a step; default: %(default)s")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate at first; default: %(default)s")
    parser.add_argument("--result-share", type=float, default=0.3, metavar="SHARE",
                        help="of the game's result in the target, the rest is the score's; default: %(default)s")
    parser.add_argument("--horizon", type=float, default=0.0, metavar="PLIES",
                        help="in place of the result alone, learn from a mean of the scores of about the next PLIES plies and "
                        "the result; 0: the result alone; default: %(default)g")
    parser.add_argument("--walk-share", type=float, default=1.0, metavar="SHARE",
                        help="of the positions of walks that each pass learns, drawn anew; default: %(default)g")
    parser.add_argument("--zones", type=int, default=1,
                        help=f"number of king buckets, each with its own weights, 1 to {MOST_ZONES}; default: %(default)s")
    parser.add_argument("--threats", action="store_true", help="let the inputs tell which pieces are attacked and which are "
                        "protected; --start may be a net without this")
    parser.add_argument("--neurons", type=int, metavar="N", help=f"of the hidden layer, a multiple of {BLOCK}; default: as "
                        f"many as --start has, or {BLOCK}")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--threads", type=int, default=1, help="default: %(default)s")


def run(args: Namespace) -> int:
    """Exit status: 0."""
    need("matplotlib")
    for name, value, least, most in (("passes", args.passes, 1, 10_000), ("batch", args.batch, 1, 1 << 24),
                                     ("rate", args.rate, 1e-9, 1.0), ("result-share", args.result_share, 0.0, 1.0),
                                     ("horizon", args.horizon, 0.0, 1e6), ("walk-share", args.walk_share, 0.0, 1.0),
                                     ("threads", args.threads, 1, 256),
                                     ("zones", args.zones, 1, MOST_ZONES)):
        if not least <= value <= most:
            raise CommandError(f"--{name} {value} is not from {least} to {most}")
    rules = variants.find(variants.resolve(args.variant))
    folders = tuple(Path(folder) for folder in args.folders)
    for folder in folders:
        if (found := settings_of(folder).variant) != rules.name:
            raise CommandError(f"{str(folder)!r} has games of {found}, not of {rules.name}")
    if args.walk_share == 0 and all(settings_of(folder).walk for folder in folders):
        raise CommandError("--walk-share 0 leaves nothing to learn: all folders are walks")
    output, kept = Path(args.output) if args.output else path_of(rules), folders[0] / "train"
    plot = output.with_suffix(".svg") if args.output else kept / "loss.svg"
    start = read_net(Path(args.start), rules) if args.start else None
    if start and start.threats and not args.threats:
        raise CommandError(f"the net {args.start!r} is for --threats")
    if start and (zones := zones_of(rules, start.rows, start.threats)) != args.zones:
        raise CommandError(f"the net {args.start!r} is for --zones {zones}, not {args.zones}")
    fewest = start.neurons if start else BLOCK
    neurons = fewest if args.neurons is None else args.neurons
    if not 1 <= neurons <= MOST_NEURONS or neurons % BLOCK:
        raise CommandError(f"--neurons {neurons} is not a multiple of {BLOCK} from {BLOCK} to {MOST_NEURONS}")
    if neurons < fewest:
        raise CommandError(f"the net {args.start!r} has {fewest} neurons, more than --neurons {neurons}")
    check_writable(output, output.with_suffix(".part"), plot)
    plan = Plan(rules.name, tuple(map(str, folders)), args.passes, args.batch, args.rate, args.result_share, args.horizon,
                args.walk_share, args.seed, args.zones, args.threats, neurons, start.digest if start else "")
    played = next((folder for folder in folders if not settings_of(folder).walk), folders[0])  # walks have no results
    for line in checks(load_batch(batches(played)[-1])):
        print(line)
    with Progress(TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), console=Console(stderr=True),
                  disable=not sys.stderr.isatty()) as progress:
        bar = progress.add_task("shuffling", total=1.0)
        data = shuffled(folders, rules, kept / "shuffled", plan.seed, plan.horizon,
                        lambda share: progress.update(bar, completed=share))
        progress.remove_task(bar)
        bar = progress.add_task("training", total=1.0)
        training = Training(rules, plan, data, kept, args.threads, start)
        training.run(lambda share: progress.update(bar, completed=share))
    training.plot(plot)
    weights = training.trainer.quantised(training.about(), plan.threats)
    print(quantisation(rules, training, weights))
    for line in beside_others(rules, data, weights, start):
        print(line)
    write_net(output, rules, weights)
    print(f"{output}: {neurons} hidden, {training.positions:,} positions, held out loss {training.losses[-1][1]:.5f}")
    return 0


class Training:
    """A net on its way through the passes."""

    def __init__(self, rules: Rules, plan: Plan, data: Shuffled, kept: Path, threads: int, start: Weights | None):
        self.rules, self.plan, self.data, self.kept = rules, plan, data, kept / "state.npz"
        self.trainer = Trainer(inputs_of(rules, plan.zones, plan.threats), plan.seed, threads, plan.neurons)
        if start:
            self.trainer.begin_as(start, rows_without_threats(rules, plan.zones) if plan.threats > start.threats else None)
        self.held = self.batch(data.read(-1))
        self.positions = sum(data.sizes())
        self.losses: list[tuple[float, float]] = []  # of each pass: learned, held out
        self._resume()

    def run(self, tell: Callable[[float], None]) -> None:
        """All passes that are left. tell: called with the share that is done."""
        while len(self.losses) < self.plan.passes:
            number, learned, total = len(self.losses), 0, 0.0
            chance = np.random.default_rng((self.plan.seed, number))
            for file, shard in enumerate(chance.permutation(self.data.shards)):
                batch = self.batch(self.data.read(int(shard), chance).with_share_of_walks(self.plan.walk_share, chance))
                for first in range(0, len(batch.targets), self.plan.batch):
                    which = np.arange(first, min(first + self.plan.batch, len(batch.targets)))
                    done = (number + (file + first / len(batch.targets)) / self.data.shards) / self.plan.passes
                    total += self.trainer.step(batch, which, self._rate(done)) * len(which)
                    learned += len(which)
                    tell(done)
            self.losses.append((total / max(1, learned), self.loss()))
            self._save()
            print(f"pass {number + 1:>3}  loss {self.losses[-1][0]:.5f}  held out {self.losses[-1][1]:.5f}", flush=True)

    def _rate(self, done: float) -> float:
        """The learning rate falls as a cosine does."""
        return self.plan.rate * (LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * done)) / 2)

    def batch(self, sample: Sample, result_share: float | None = None) -> Batch:
        """Positions as the trainer of this net sees them; result_share: None for that of the plan."""
        share = self.plan.result_share if result_share is None else result_share
        return batch_of(self.rules, sample, share, self.plan.zones, self.plan.threats)

    def loss(self) -> float:
        """Mean squared error of the positions held out."""
        points = 1 / (1 + np.exp(-self.trainer.values(self.held)))
        return float(((points - self.held.targets) ** 2).mean())

    def about(self) -> dict[str, object]:
        """How the net was made."""
        return {"plan": asdict(self.plan) | {"folders": [asdict(settings_of(Path(folder))) for folder in self.plan.folders]},
                "positions": self.positions, "loss": [round(x, 6) for x in self.losses[-1]]}

    def plot(self, path: Path) -> None:
        """The losses by passes."""
        import matplotlib.figure

        figure = matplotlib.figure.Figure(figsize=(6, 3), layout="constrained")
        axes = figure.add_subplot(xlabel="passes", ylabel="squared error")
        for label, values in zip(("learned", "held out"), zip(*self.losses, strict=True), strict=True):
            axes.plot(range(1, len(values) + 1), values, label=label)
        axes.legend()
        figure.savefig(path)

    def _save(self) -> None:
        partial = self.kept.with_suffix(".part")
        with partial.open("wb") as file:
            np.savez(file, vector=self.trainer.vector, moments=self.trainer.moments, steps=self.trainer.steps,
                     losses=np.array(self.losses), plan=np.array(self._mark()))
        partial.replace(self.kept)

    def _resume(self) -> None:
        try:
            with np.load(self.kept) as file:
                if str(file["plan"]) == self._mark():
                    self.trainer.vector[:], self.trainer.moments[:] = file["vector"], file["moments"]
                    self.trainer.steps = int(file["steps"])
                    self.losses = [(float(a), float(b)) for a, b in file["losses"]]
        except (OSError, ValueError, KeyError, EOFError):
            pass

    def _mark(self) -> str:
        return json.dumps([asdict(self.plan), self.positions, self.trainer.shape.size])


def quantisation(rules: Rules, training: Training, weights: Weights) -> str:
    """A line about what rounding changes."""
    sample = training.data.read(-1, np.random.default_rng(1))
    first = Sample(*(part[:QUANTISED] for part in sample))
    exact = training.trainer.values(training.batch(first, 0.0)) * SCALE
    whole = values_of(rules, weights, first.rows)
    return f"quantisation  {np.abs(exact - whole).mean():.1f} centipawns on average, {np.abs(exact - whole).max():.0f} at most"


def beside_others(rules: Rules, data: Shuffled, weights: Weights, start: Weights | None) -> list[str]:
    """Lines about how well the net, the one that it began as and the sum predict scores and outlooks of positions held out.

    If the sum gave the scores, a net that predicts them worse than the sum itself plays worse, too. In later generations the
    scores are those of the net before, and what is new is in the outlooks.
    """
    sample = data.read(-1, np.random.default_rng(2))
    first = Sample(*(part[:QUANTISED] for part in sample))
    players = [("the net", weights), ("the sum", None)]
    if start is not None:
        players.insert(1, ("the net before", start))
    points = [(name, 1 / (1 + np.exp(-values_of(rules, which, first.rows) / SCALE))) for name, which in players]
    lines = []
    for label, result_share in (("scores", 0.0), ("outlooks", 1.0)):
        targets = batch_of(rules, first, result_share).targets
        errors = ", ".join(f"of {name} {1e4 * ((found - targets) ** 2).mean():.1f}" for name, found in points)
        lines.append(f"{label:<13} held out: error {errors} (1/10,000 of expected points)")
    return lines


def values_of(rules: Rules, trained: Weights | None, rows: np.ndarray) -> np.ndarray:
    """int64[n]: centipawns of positions from the side to move, by a net in whole numbers, or by the sum without one."""
    stack, weights, net = rows[:1].copy(), weights_of(rules), no_net(rules) if trained is None else trained.net(rules, 1)
    kernel = value_kernel if trained is None else net_kernel
    found = np.zeros(len(rows), np.int64)
    for i, row in enumerate(rows):
        stack[0] = row
        found[i] = kernel(rules, stack, 0, weights, net)
    return found
