"""`kingmaker spsa`: tunes the numbers of the search by games against itself, all of them at a time.

Simultaneous perturbation stochastic approximation (Spall 1992): every pair of games is played between two sets of numbers, each
moved by its step up or down at random, and the numbers go a little the way of the winner.
"""

from __future__ import annotations

import json
import os
import random
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import Progress

import variants
from bench.clients.inprocess import SingleThread
from bench.tuning.selfplay import HASH_MB, play_out, random_opening
from bench.workers import add_cluster_argument, workers
from engine.errors import CommandError
from engine.game import Game
from search.eval.features import TUNED, params_of
from search.eval.files import read_file
from search.params import PARAMS

BATCH = 16  # pairs of games between two changes of the numbers: what comes out is the same at any concurrency
SETTLE = 0.1  # of all batches pass before steps grow noticeably smaller
SHRINK, FALL = 0.101, 0.602  # exponents of the two gains, as Spall advises
LEARN = 0.06  # steps a number goes at first for a pair won twice
CLOCK_NUMBERS = ("soft_limit", "unstable", "stable_step", "drop_slope", "share_slope", "hard_limit", "moves_left")


class PairTask(NamedTuple):
    """A pair of games with one opening, colours reversed."""

    variant: str
    nodes: int
    seed: int
    number: int
    plus: dict[str, int]
    minus: dict[str, int]


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("variant", metavar="VARIANT")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="where it stands; one begun alike goes on")
    parser.add_argument("--numbers", metavar="NAME,NAME", help="of search/params.py; default: all that node limits can judge")
    parser.add_argument("--pairs", type=int, default=4000, help="default: %(default)s")
    parser.add_argument("--nodes", type=int, default=5000, help="a move; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--concurrency", type=int, default=os.cpu_count() or 1, metavar="N", help="default: %(default)s")
    parser.add_argument("--write", action="store_true", help="in the end give the engine the numbers")
    add_cluster_argument(parser)


def run(args: Namespace) -> int:
    if args.pairs < 1 or args.nodes < 1:
        raise CommandError(f"--pairs {args.pairs} and --nodes {args.nodes} must be at least 1")
    rules = variants.find(variants.resolve(args.variant))
    known = [row.name for row in PARAMS]
    names = args.numbers.split(",") if args.numbers else [name for name in known if name not in CLOCK_NUMBERS]
    for name in names:
        if name not in known:
            raise CommandError(f"--numbers {name!r} is none of {', '.join(known)}")
    start = {name: float(params_of(rules)[PARAMS.index(name)]) for name in names}
    settings = {"variant": rules.name, "nodes": args.nodes, "seed": args.seed, "pairs": args.pairs, "start": start}
    path = Path(args.output)
    state = resume(path, settings)
    batches = -(-args.pairs // BATCH)
    with (workers(args.concurrency, args.cluster) as pool,
          Progress(console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress):
        bar = progress.add_task(rules.name, total=batches, completed=state["batch"])
        while state["batch"] < batches:
            tasks = draw(settings, state["now"], state["batch"], batches)
            results = {task.number: (task, won) for task, won in pool.run(play_pair, tasks)}
            learn(state, [results[number] for number in sorted(results)], batches)
            keep(path, settings, state)
            progress.update(bar, completed=state["batch"])
    found = rounded(state["now"])
    print(f"{rules.name}, {state['batch'] * BATCH} pairs at {args.nodes} nodes: "
          + ", ".join(f"{name} {start[name]:.0f} -> {value}" for name, value in found.items()))
    if args.write:
        give(TUNED / f"{rules.name}.json", found)
    return 0


def gains(batch: int, batches: int) -> tuple[float, float]:
    """(steps a number is moved for a pair, steps it goes for a pair won twice) in a batch."""
    late = (1 + batch / (SETTLE * batches))
    return late**-SHRINK, LEARN * late**-FALL


def draw(settings: dict[str, Any], now: dict[str, float], batch: int, batches: int) -> list[PairTask]:
    """The pairs of a batch, the same whenever it is drawn."""
    tasks = []
    for number in range(batch * BATCH, (batch + 1) * BATCH):
        chance = random.Random(f"{settings['variant']} {settings['seed']} {number}")
        ways = {name: chance.choice((-1, 1)) for name in now}
        far = gains(batch, batches)[0]
        plus, minus = (rounded({name: value + sign * ways[name] * far * step_of(name) for name, value in now.items()})
                       for sign in (1, -1))
        tasks.append(PairTask(settings["variant"], settings["nodes"], settings["seed"], number, plus, minus))
    return tasks


def step_of(name: str) -> int:
    return PARAMS.rows[PARAMS.index(name)].step


def rounded(numbers: dict[str, float]) -> dict[str, int]:
    """As the engine takes them: whole and within their range."""
    rows = {name: PARAMS.rows[PARAMS.index(name)] for name in numbers}
    return {name: max(rows[name].least, min(rows[name].most, round(value))) for name, value in numbers.items()}


def play_pair(task: PairTask) -> int:
    """Points of `plus` less those of `minus`, -2 to 2. The same at every call."""
    rules = variants.find(task.variant)
    chance = random.Random(f"{task.variant} {task.seed} {task.number} opening")
    players = []
    for changed in (task.plus, task.minus):
        p = params_of(rules)
        for name, value in changed.items():
            p[PARAMS.index(name)] = value
        players.append(SingleThread(rules, task.nodes, p, HASH_MB))
    while True:
        opening = Game(rules)
        random_opening(opening, chance)
        won = 0
        for white in (0, 1):
            game = Game(rules)
            for move in opening.moves:
                game.push(move)
            for player in players:
                player.clear()
            played = play_out(game, (players[white], players[1 - white]))
            if played is None:
                break
            won += played[0] if white == 0 else -played[0]
        else:
            return won


def learn(state: dict[str, Any], results: list[tuple[PairTask, int]], batches: int) -> None:
    """Go the way of the winners."""
    far, speed = gains(state["batch"], batches)
    now = state["now"]
    for task, won in results:
        for name in now:
            # The way is what the two sets really differed in: rounding may have left nothing of it
            apart = (task.plus[name] - task.minus[name]) / (2 * far * step_of(name))
            now[name] += speed * step_of(name) * apart * won / 2
    state["batch"] += 1


def resume(path: Path, settings: dict[str, Any]) -> dict[str, Any]:
    """Where it stood. Raises CommandError where the file was begun with other settings."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {"batch": 0, "now": dict(settings["start"])}
    except (OSError, ValueError) as error:
        raise CommandError(f"cannot read {str(path)!r}: {error}") from None
    for name, value in settings.items():
        if not isinstance(found, dict) or found.get("settings", {}).get(name) != value:
            raise CommandError(f"{str(path)!r} was begun with another {name} than {value}: give another file with -o")
    state: dict[str, Any] = found["state"]
    return state


def keep(path: Path, settings: dict[str, Any], state: dict[str, Any]) -> None:
    partial = path.with_name(path.name + ".part")
    try:
        partial.write_text(json.dumps({"settings": settings, "state": state}, indent=1) + "\n", encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise CommandError(f"cannot keep where it stands in {str(path)!r}: {error.strerror or error}") from None


def give(path: Path, found: dict[str, int]) -> None:
    """Write the numbers into a game's file, a line of their own."""
    content = read_file(path)
    params = {**content.get("params", {}), **found}
    text = path.read_text(encoding="utf-8") if path.exists() else "{\n}\n"
    lines = [line for line in text.splitlines() if not line.startswith(' "params": ')]
    lines.insert(1, f' "params": {json.dumps(params)}' + ("," if len(lines) > 2 else ""))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
