"""`kingmaker tune`: fits the evaluation of a game to positions of selfplay by logistic regression (Texel's method).

The expected result is a logistic function of the evaluation; the target is a mixture of the game's result and the search's
score. A normal prior holds each weight near its start value: weights on which the positions have no bearing do not change.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import Progress

import variants
from bench.extras import need
from bench.inputs import read_json
from bench.nets.store import Data, Settings, load_games
from bench.outputs import check_writable
from bench.tuning import ends
from bench.workers import add_cluster_argument
from engine.errors import CommandError
from engine.rules import Rules
from search.eval.endings import known_kernel
from search.eval.evaluate import trace_all_kernel
from search.eval.features import (
    CELLS,
    FEATURES,
    GROUPS,
    MOBILITY,
    REACH,
    SQUARES,
    TUNED,
    make_weights,
    start_features,
    start_values,
    weights_of,
    written_features,
)
from search.eval.files import read_file

RESULT_SHARE = 0.6  # share of the result in the target; the rest is the search's score
HELD_BACK = 10  # one game in that many is held back to measure the fit
INDEPENDENT = 0.1  # weight of a position, which is one of many of its game
PRIOR = {"squares": 25.0, "freedom": 12.0, "danger": 60.0, "cornered": 4.0, "apart": 4.0}  # standard deviations, centipawns
OTHER_PRIOR = 20.0
MATERIAL_PRIOR = 300.0
PAWN = 100  # centipawns that a pawn is worth after the fit
LEAST_VALUE = 20.0  # centipawns that a piece is worth in exchanges
EDGE = 3000  # centipawns; scores are clipped
FEATURES_EACH = 160  # features per position; more than the average
SURE = 80  # centipawns: advantages to fit scales to
SCALE_PRIOR = 12.0  # 64ths
ROUNDS = 4  # of fitting weights, then scales and chances


class Sparse(NamedTuple):
    """The features of positions."""

    matrix: Any  # scipy.sparse.csr_array, float32[n, columns + types]: features, then numbers of pieces of each type
    columns: np.ndarray  # int[columns]: features that occur
    stages: np.ndarray  # float[n]: share of the middlegame, 0 to 1
    cells: np.ndarray  # int64[n, 2]: cells of SCALES if White is better, if Black is


@dataclass
class Fit:
    """A result. features: float[FEATURES, 2]; loss: mean cross entropy of the games held back, before and after."""

    features: np.ndarray
    values: dict[str, int]  # exchange values in centipawns, by letter
    scales: np.ndarray
    scale: float  # centipawns at odds of e to 1
    loss: tuple[float, float]


def add_arguments(parser: ArgumentParser) -> None:
    """Add the games, the file and the limits of the fit."""
    parser.add_argument("games", metavar="FOLDER", nargs="+", help="folders of `kingmaker selfplay`, of one game")
    parser.add_argument("-o", "--output", metavar="FILE", help="default: the engine's own file")
    parser.add_argument("--ends", type=int, default=500, metavar="NODES",
                        help="fit also to ends of searches of that many nodes from each position; 0: none; "
                             "default: %(default)s")
    parser.add_argument("--concurrency", type=int, default=os.cpu_count() or 1, metavar="N",
                        help="number of concurrent searches; default: %(default)s")
    add_cluster_argument(parser)
    parser.add_argument("--iterations", type=int, default=50, help="of the minimiser, per round; default: %(default)s")


def run(args: Namespace) -> int:
    """Exit status: 0."""
    need("scipy")
    if args.iterations < 1:
        raise CommandError(f"--iterations must be at least 1, not {args.iterations}")
    if args.ends < 0:
        raise CommandError(f"--ends must be at least 0, not {args.ends}")
    loaded = [load_games(Path(folder)) for folder in args.games]
    names = sorted({settings.variant for settings, _ in loaded})
    if len(names) > 1:
        raise CommandError(f"games of {' and '.join(names)}: give folders of one game")
    rules = variants.find(names[0])
    path = Path(args.output) if args.output else TUNED / f"{rules.name}.json"
    check_writable(path)
    if path.exists() and not isinstance(read_json(path), dict):  # its numbers of the search are kept
        raise CommandError(f"{str(path)!r} is not a file of `kingmaker tune`")
    parts, offset = list[Data](), 0
    for folder, (_, data) in zip(args.games, loaded, strict=True):
        parts.append(data._replace(games=data.games + offset))
        if args.ends:
            found = ends.find(Path(folder), args.ends, args.concurrency, args.cluster)
            parts.append(found._replace(games=found.games + offset))
        offset += int(data.games.max()) + 1
    data = unknown(rules, Data(*(np.concatenate(columns) for columns in zip(*parts, strict=True))))
    fit = Tuner(rules, data, path.with_suffix(".part.npz")).fit(args.iterations)
    write(path, rules, [settings for settings, _ in loaded], args.ends, len(data.rows), fit)
    print(f"{rules.name}: {len(data.rows)} positions, loss {fit.loss[0]:.5f} before, {fit.loss[1]:.5f} after "
          f"on the games held back; {fit.scale:.0f} centipawns at odds of e to 1; written to {path}")
    return 0


def unknown(rules: Rules, data: Data) -> Data:
    """The positions without elementary endings, whose values are known exactly."""
    known = np.zeros(len(data.rows), np.bool_)
    known_kernel(rules, data.rows, weights_of(rules), known)
    return Data(*(column[~known] for column in data))


def extract(rules: Rules, rows: np.ndarray) -> Sparse:
    """The features of positions, uint64[n, words]."""
    from scipy.sparse import csr_array, hstack

    weights = make_weights(rules, start_features(rules), start_values(rules))
    n = len(rows)
    features, times = np.zeros(n * FEATURES_EACH, np.int32), np.zeros(n * FEATURES_EACH, np.int8)
    starts, stages, cells = np.zeros(n + 1, np.int64), np.zeros(n, np.int64), np.zeros((n, 2), np.int64)
    room = np.zeros((2, FEATURES + 2), np.int64)
    count = int(trace_all_kernel(rules, rows, weights, room, starts, features, times, stages, cells))
    assert count <= len(features), "more features than there is room for"
    columns, index = np.unique(features[:count], return_inverse=True)
    matrix = csr_array((times[:count].astype(np.float32), index.astype(np.int32), starts), (n, len(columns)))
    types = np.where((columns >= SQUARES) & (columns < SQUARES + 64 * len(rules.letters)), (columns - SQUARES) // 64, -1)
    chosen = (types[:, None] == np.arange(len(rules.letters))).astype(np.float32)
    material = csr_array(matrix @ chosen)
    return Sparse(hstack([matrix, material], "csr"), columns, stages / 4096, cells)


class Tuner:
    """One fit. Its state is written to a file every few iterations, so that a killed fit can be continued."""

    def __init__(self, rules: Rules, data: Data, kept: Path):
        from scipy.special import expit

        self.rules, self.kept, self.expit = rules, kept, expit
        self.sparse = extract(rules, data.rows)
        self.start = start_features(rules)
        self.held = data.games % HELD_BACK == HELD_BACK - 1
        self.won = (data.results + 1) / 2
        sigma = np.concatenate([np.full(group.features, PRIOR.get(group.name, OTHER_PRIOR)) for group in GROUPS])
        # The value of a type is free: else the prior would hold all its squares together.
        extra = len(rules.letters)
        self.sigma = np.concatenate([sigma[self.sparse.columns], np.full(extra, MATERIAL_PRIOR)])[:, None]
        self.scales = np.full(CELLS, 64.0)
        self.first = np.concatenate([self.start[self.sparse.columns], np.zeros((extra, 2))])
        self.scores = np.clip(data.scores, -EDGE, EDGE).astype(float)
        self._aim(self.first)
        self.learn = np.where(self.held, 0.0, INDEPENDENT)
        known = (data.rows, self.won, self.scores, self.first)
        self.mark = hashlib.sha256(b"".join(part.tobytes() for part in known)).hexdigest()

    def values(self, weights: np.ndarray, scaled: bool = True) -> np.ndarray:
        """Centipawns for White; weights: float[columns, 2]."""
        both = self.sparse.matrix @ weights
        plain: np.ndarray = both[:, 0] * self.sparse.stages + both[:, 1] * (1 - self.sparse.stages)
        return plain * self._factor(plain) if scaled else plain

    def _factor(self, plain: np.ndarray) -> np.ndarray:
        cells = np.where(plain > 0, self.sparse.cells[:, 0], self.sparse.cells[:, 1])
        factor: np.ndarray = self.scales[cells] / 64
        return factor

    def loss(self, weights: np.ndarray) -> float:
        """Mean cross entropy between the results of the games held back and the evaluation."""
        return float(self._entropy(self.values(weights), self.won)[self.held].mean())

    def _entropy(self, values: np.ndarray, target: np.ndarray) -> np.ndarray:
        logit = values / self.scale
        entropy: np.ndarray = np.logaddexp(0, logit) - target * logit
        return entropy

    def _aim(self, weights: np.ndarray) -> None:
        """Fit the scale, centipawns at odds of e to 1, to these weights, and set the target."""
        self.scale = self._fit_scale(self.values(weights))
        thought = self.expit(self.scores / self._fit_scale(self.scores))
        self.target = RESULT_SHARE * self.won + (1 - RESULT_SHARE) * thought

    def _fit_scale(self, values: np.ndarray) -> float:
        from scipy.optimize import minimize_scalar

        def loss(log: float) -> float:
            logit = values * np.exp(-log)
            return float((np.logaddexp(0, logit) - self.won * logit)[~self.held].mean())

        return float(np.exp(minimize_scalar(loss, bounds=(np.log(30), np.log(2000)), method="bounded").x))

    def fit(self, iterations: int) -> Fit:
        """Weights and scales in turn."""
        weights, done = self._resume()
        before = self.loss(self.first)
        self._aim(weights)
        with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress:
            bar = progress.add_task(self.rules.name, total=ROUNDS * iterations)
            for stage in range(ROUNDS):
                left = iterations * (stage + 1) - done
                if left > 0:
                    weights, done = self._descend(weights, done, left, lambda n: progress.update(bar, completed=n))
                    self._save(weights, done)
                    self._fit_scales(weights)
                    self._aim(weights)
        features = self.folded(weights)
        factor = PAWN / values_of(self.rules, self.sparse, features, 1.0)["P"] if self.rules.traits.pawn is not None else 1.0
        features *= factor
        self.scale *= factor
        weights = weights * factor
        self.kept.unlink(missing_ok=True)
        values = {letter: round(value) for letter, value in values_of(self.rules, self.sparse, features).items()}
        return Fit(features, values, np.round(self.scales).astype(int), self.scale, (before, self.loss(weights)))

    def folded(self, weights: np.ndarray) -> np.ndarray:
        """float[FEATURES, 2]: values of types added to their squares; start values for features that no position has."""
        features, columns = self.start.copy(), self.sparse.columns
        features[columns] = weights[:len(columns)]
        for index in range(len(self.rules.letters)):
            features[SQUARES + index * 64:SQUARES + (index + 1) * 64] += weights[len(columns) + index]
        return features

    def _descend(self, weights: np.ndarray, done: int, iterations: int, tell: Any) -> tuple[np.ndarray, int]:
        from scipy.optimize import minimize

        state = {"done": done}

        def objective(flat: np.ndarray) -> tuple[float, np.ndarray]:
            now = flat.reshape(-1, 2) * self.sigma + self.first
            plain = self.values(now, scaled=False)
            factor = self._factor(plain)
            values = plain * factor
            wrong = (self.expit(values / self.scale) - self.target) * self.learn * factor / self.scale
            both = np.stack([wrong * self.sparse.stages, wrong * (1 - self.sparse.stages)], 1).astype(np.float32)
            slope = (self.sparse.matrix.T @ both) * self.sigma + flat.reshape(-1, 2)
            entropy = float((self._entropy(values, self.target) * self.learn).sum())
            return entropy + float((flat**2).sum()) / 2, slope.ravel().astype(float)

        def keep(flat: np.ndarray) -> None:
            state["done"] += 1
            tell(state["done"])
            if state["done"] % 10 == 0:
                self._save(flat.reshape(-1, 2) * self.sigma + self.first, state["done"])

        flat = ((weights - self.first) / self.sigma).ravel()
        found = minimize(objective, flat, jac=True, method="L-BFGS-B", callback=keep,
                         options={"maxiter": iterations, "maxcor": 20})
        return found.x.reshape(-1, 2) * self.sigma + self.first, done + iterations

    def _fit_scales(self, weights: np.ndarray) -> None:
        """Fit for each class of material what an advantage is worth."""
        from scipy.optimize import minimize_scalar

        plain = self.values(weights, scaled=False)
        cells = np.where(plain > 0, self.sparse.cells[:, 0], self.sparse.cells[:, 1])
        use = (np.abs(plain) > SURE) & ~self.held
        for number in range(len(self.scales)):
            here = use & (cells == number)
            if number % 3 == 0 or not here.any():  # against a lone royal piece, tables have it
                continue
            values, target = plain[here], self.won[here]

            def loss(scale: float, values: np.ndarray = values, target: np.ndarray = target) -> float:
                entropy = float(self._entropy(values * scale / 64, target).sum()) * INDEPENDENT
                return entropy + ((scale - 64) / SCALE_PRIOR) ** 2 / 2

            self.scales[number] = minimize_scalar(loss, bounds=(2, 64), method="bounded").x

    def _save(self, weights: np.ndarray, done: int) -> None:
        partial = self.kept.with_suffix(".tmp")
        with partial.open("wb") as file:
            np.savez(file, weights=weights, done=done, scales=self.scales, mark=self.mark)
        partial.replace(self.kept)

    def _resume(self) -> tuple[np.ndarray, int]:
        try:
            with np.load(self.kept) as file:
                if str(file["mark"]) == self.mark:
                    self.scales = file["scales"]
                    return file["weights"], int(file["done"])
        except (OSError, ValueError, KeyError, EOFError):
            pass
        return self.first.copy(), 0


def values_of(rules: Rules, sparse: Sparse, features: np.ndarray, least: float = LEAST_VALUE) -> dict[str, float]:
    """Exchange values of pieces, centipawns: the mean of a type's squares and mobility in the positions, over both phases.

    least: of any piece.
    """
    often = np.zeros(len(features))
    often[sparse.columns] = abs(sparse.matrix).sum(axis=0)[:len(sparse.columns)]
    found = {}
    for index, letter in enumerate(rules.letters):
        if letter not in start_values(rules):
            continue
        value = 0.0
        for first, size in ((SQUARES + index * 64, 64), (MOBILITY + index * REACH, REACH)):
            weight = often[first:first + size]
            if weight.sum():
                value += float((features[first:first + size].mean(axis=1) * weight).sum() / weight.sum())
        found[letter] = max(least, value)
    return found


def write(path: Path, rules: Rules, settings: list[Settings], nodes: int, positions: int, fit: Fit) -> None:
    """Write the result for the engine, one line per row of numbers. nodes: of the searches for ends."""
    head: dict[str, Any] = {"games": [{"nodes": s.nodes, "seed": s.seed} for s in settings], "ends": nodes,
            "positions": positions, "loss": [round(x, 5) for x in fit.loss], "centipawns": round(fit.scale),
            "values": fit.values, "scales": fit.scales.tolist()}
    if params := read_file(path).get("params"):  # numbers of the search, from spsa
        head["params"] = params
    lines = [f" {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    groups = []
    for name, rows in written_features(rules, fit.features).items():
        inner = ",\n".join(f"   {json.dumps(label)}: {json.dumps(pair)}" for label, pair in rows.items())
        groups.append(f"  {json.dumps(name)}: {{\n{inner}}}")
    text = "{\n" + "\n".join(lines) + '\n "features": {\n' + ",\n".join(groups) + "}}\n"
    path.write_text(text, encoding="utf-8")
