"""`kingmaker spsa`: tunes many numbers of the search at once by games of the engine against itself.

Simultaneous perturbation stochastic approximation (Spall 1992): every pair of games is played between two sets of numbers, in
which each number is moved up or down by its step at random; then the numbers move a little towards the winner.

Several games can be tuned together. They take turns, and what is learned is how far each number moves from where it stands
in each game: what all of them want is learned from all their pairs.
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
from bench.clients.inprocess import Player, SingleThread, draw_opening, take_back, turns
from bench.inputs import read_json
from bench.nets.selfplay import OPENING, PLIES, UNEVEN
from bench.workers import add_cluster_argument, workers
from engine.errors import CommandError
from engine.game import Game
from engine.rules import Rules
from search.eval.features import TUNED, params_of
from search.eval.files import read_file
from search.eval.net.files import net_of
from search.params import PARAMS

HASH_MB = 8
BATCH = 16  # pairs of games between two changes of the numbers: the result does not depend on the concurrency
SETTLE = 0.1  # share of all batches before steps become noticeably smaller
SHRINK, FALL = 0.101, 0.602  # exponents of the two gains, as recommended by Spall
# Divided by the square root of the number of pairs: the steps that a number moves at first for a pair won 2-0. So chance moves
# it as far in a long run as in a short one.
LEARN = 2
CLOCK_NUMBERS = ("soft_limit", "unstable", "stable_step", "drop_slope", "share_slope", "hard_limit", "moves_left",
                 "moves_late")
SWITCHED_OFF = {"forcing_slope": 0, "decided": 32000}  # values with which a number has no effect


class PairTask(NamedTuple):
    """A pair of games with one opening, colours reversed."""

    variant: str
    nodes: int
    seed: int
    number: int
    plus: dict[str, int]
    minus: dict[str, int]


def add_arguments(parser: ArgumentParser) -> None:
    """Add game, file, numbers and how games are played."""
    parser.add_argument("variants", metavar="VARIANT", nargs="+", help="several are tuned together: numbers move alike in all")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="state; continued if the settings are the same")
    parser.add_argument("--numbers", metavar="NAME,NAME",
                        help="of search/params.py; default: all that the games use under a node limit")
    parser.add_argument("--pairs", type=int, default=4000, metavar="N",
                        help=f"pairs of games, rounded up to a multiple of {BATCH}; default: %(default)s")
    parser.add_argument("--nodes", type=int, default=5000, help="nodes per move; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--concurrency", type=int, default=os.cpu_count() or 1, metavar="N", help="default: %(default)s")
    parser.add_argument("--write", action="store_true", help="finally write the numbers into the engine's file")
    add_cluster_argument(parser)


def run(args: Namespace) -> int:
    """Exit status: 0."""
    for switch, value in (("pairs", args.pairs), ("nodes", args.nodes)):
        if value < 1:
            raise CommandError(f"--{switch} must be at least 1, not {value}")
    games = {rules.name: rules for rules in (variants.find(variants.resolve(name)) for name in args.variants)}
    known = [row.name for row in PARAMS]
    used = [numbers_used(rules) for rules in games.values()]
    names = args.numbers.split(",") if args.numbers else [name for name in used[0] if all(name in other for other in used)]
    for name in names:
        if name not in known:
            raise CommandError(f"--numbers {name!r} is not one of {', '.join(known)}")
    start = {game: {name: int(params_of(rules)[PARAMS.index(name)]) for name in names} for game, rules in games.items()}
    settings: dict[str, Any] = {"variants": list(games), "nodes": args.nodes, "seed": args.seed,
                                "pairs": whole_batches(args.pairs), "start": start}
    path = Path(args.output)
    state = resume(path, settings)
    batches = settings["pairs"] // BATCH
    with (workers(args.concurrency, args.cluster) as pool,
          Progress(console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress):
        bar = progress.add_task(", ".join(games), total=batches, completed=state["batch"])
        while state["batch"] < batches:
            tasks = draw(settings, state["moved"], state["batch"], batches)
            results = {task.number: (task, won) for task, won in pool.run(play_pair, tasks)}
            learn(state, [results[number] for number in sorted(results)], batches)
            keep(path, settings, state)
            progress.update(bar, completed=state["batch"])
    for game, numbers in start.items():
        found = rounded(shifted(numbers, state["moved"]))
        print(f"{game}, {state['batch'] * BATCH} pairs at {args.nodes} nodes: "
              + ", ".join(f"{name} {numbers[name]} -> {value}" for name, value in found.items()))
        if args.write:
            give(TUNED / f"{game}.json", found)
    return 0


def whole_batches(pairs: int) -> int:
    """That many pairs of games, rounded up."""
    return -(-pairs // BATCH) * BATCH


def numbers_used(rules: Rules) -> list[str]:
    """The numbers that a game uses under a node limit. One without effect would only wander."""
    p = params_of(rules)
    unused = {name for name, off in SWITCHED_OFF.items() if p[PARAMS.index(name)] == off}
    if not rules.captures_forced:
        unused.add("reply_extension")
    return [row.name for row in PARAMS if row.name not in unused and row.name not in CLOCK_NUMBERS]


def gains(batch: int, batches: int) -> tuple[float, float]:
    """(steps by which a number differs in a pair, steps that it moves for a pair won 2-0) in a batch."""
    late = 1 + batch / (SETTLE * batches)
    return late**-SHRINK, LEARN * (batches * BATCH)**-0.5 * late**-FALL


def draw(settings: dict[str, Any], moved: dict[str, float], batch: int, batches: int) -> list[PairTask]:
    """The pairs of a batch, of each game in turn; the same at every call. moved: how far each number is from its start."""
    tasks = []
    far = gains(batch, batches)[0]
    for number in range(batch * BATCH, (batch + 1) * BATCH):
        variant = settings["variants"][number % len(settings["variants"])]
        chance = random.Random(f"{variant} {settings['seed']} {number}")
        ways = {name: chance.choice((-1, 1)) for name in moved}
        plus, minus = (rounded(shifted(settings["start"][variant], {
            name: by + sign * ways[name] * far * step_of(name) for name, by in moved.items()})) for sign in (1, -1))
        tasks.append(PairTask(variant, settings["nodes"], settings["seed"], number, plus, minus))
    return tasks


def shifted(numbers: dict[str, int], moved: dict[str, float]) -> dict[str, float]:
    """The numbers of a game, each so far from where it stands."""
    return {name: numbers[name] + by for name, by in moved.items()}


def step_of(name: str) -> int:
    """The step of a number of the search."""
    return PARAMS.rows[PARAMS.index(name)].step


def rounded(numbers: dict[str, float]) -> dict[str, int]:
    """The numbers as the engine takes them: integers within their ranges."""
    rows = {name: PARAMS.rows[PARAMS.index(name)] for name in numbers}
    return {name: max(rows[name].least, min(rows[name].most, round(value))) for name, value in numbers.items()}


def play_pair(task: PairTask) -> int:
    """Points of `plus` minus points of `minus`, -2 to 2. The same at every call."""
    rules = variants.find(task.variant)
    chance = random.Random(f"{task.variant} {task.seed} {task.number} opening")
    players = []
    for changed in (task.plus, task.minus):
        p = params_of(rules)
        for name, value in changed.items():
            p[PARAMS.index(name)] = value
        players.append(SingleThread(rules, task.nodes, p, HASH_MB, net_of(rules)))
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
            won += played if white == 0 else -played
        else:
            return won


def play_out(game: Game, players: tuple[Player, Player]) -> int | None:
    """Play a game until the rules end it: the result for White; None if the opening decided it.

    A game that goes on after PLIES plies counts as drawn. players: White's, Black's; two games must not share them at the same
    time.
    """
    for number, (_, score) in enumerate(turns(game, players, PLIES)):
        if number == 0 and abs(score) > UNEVEN:
            return None
    outcome = game.outcome()
    return 0 if outcome is None or outcome.winner is None else 1 - 2 * outcome.winner


def random_opening(game: Game, chance: random.Random) -> None:
    """Play random moves from the start; other ones if they end the game."""
    while not draw_opening(game, chance, chance.randint(*OPENING)):
        take_back(game)


def learn(state: dict[str, Any], results: list[tuple[PairTask, int]], batches: int) -> None:
    """Move the numbers towards the winners."""
    far, speed = gains(state["batch"], batches)
    moved = state["moved"]
    for task, won in results:
        for name in moved:
            # The real difference of the two sets: rounding may have removed it
            apart = (task.plus[name] - task.minus[name]) / (2 * far * step_of(name))
            moved[name] += speed * step_of(name) * apart * won / 2
    state["batch"] += 1


def resume(path: Path, settings: dict[str, Any]) -> dict[str, Any]:
    """The state in a file, or a new one. Raises CommandError if the file has other settings."""
    if not path.exists():
        return {"batch": 0, "moved": dict.fromkeys(next(iter(settings["start"].values())), 0.0)}
    found = read_json(path)
    if not isinstance(found, dict) or not {"settings", "state"} <= found.keys():
        raise CommandError(f"{str(path)!r} is not a state of `kingmaker spsa`: give another file with -o")
    if "moved" not in found["state"]:
        raise CommandError(f"{str(path)!r} was begun by an earlier version: give another file with -o")
    begun = found["settings"]
    if isinstance(begun.get("pairs"), int):
        begun["pairs"] = whole_batches(begun["pairs"])
    for name, value in settings.items():
        if begun.get(name) != value:
            other = "other numbers" if name == "start" else f"{name} {begun.get(name)!r}, not {value!r}"
            raise CommandError(f"{str(path)!r} was begun with {other}: give another file with -o")
    state: dict[str, Any] = found["state"]
    return state


def keep(path: Path, settings: dict[str, Any], state: dict[str, Any]) -> None:
    """Write the state. Raises CommandError."""
    partial = path.with_name(path.name + ".part")
    try:
        partial.write_text(json.dumps({"settings": settings, "state": state}, indent=1) + "\n", encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise CommandError(f"cannot write the state to {str(path)!r}: {error.strerror or error}") from None


def give(path: Path, found: dict[str, int]) -> None:
    """Write the numbers that are not the defaults into a game's file, on one line."""
    content = read_file(path)
    params = {name: value for name, value in {**content.get("params", {}), **found}.items()
              if value != PARAMS.rows[PARAMS.index(name)].start}
    text = path.read_text(encoding="utf-8") if path.exists() else "{\n}\n"
    lines = [line for line in text.splitlines() if not line.startswith(' "params": ')]
    lines.insert(1, f' "params": {json.dumps(params)}' + ("," if len(lines) > 2 else ""))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
