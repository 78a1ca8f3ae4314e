"""`kingmaker openings`: balanced positions to begin games from, as an EPD book; and how such books are read.

A candidate is the array after random moves. It is kept when it is quiet and level for both sides: nobody is in check, the best
move's score lies in the window, a second move is about as good, and after each of the next moves of the best line a search from
the other side finds the score in the window still.
"""

from __future__ import annotations

import itertools
import os
import random
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import variants
from bench.data import BOOKS
from bench.workers import Pool, add_cluster_argument, workers
from engine.errors import CommandError

if TYPE_CHECKING:
    from engine.game import Game
    from engine.rules import Rules
    from search.limits import Info

MAX_TRIES = 3000  # candidates for one position before the request is called hopeless
MAX_STALE = 200  # positions in a row that were there already
LEAST_NODES = 1000  # with fewer a search may end without a score
SCREEN = 20  # a first look at a candidate takes this part of the nodes
HASH_MB = 2
SEVENTH = 7  # fields of a FEN with a state of its game's own


@dataclass(frozen=True)
class OpeningTask:
    """One position of a book: which game, how it is looked for, and its number, which seeds the dice."""

    variant: str
    plies: int
    window: int
    nodes: int
    follow: int
    seed: int
    number: int


@dataclass(frozen=True)
class Opening:
    """A position found: its FEN, its key, the score in centipawns from the side to move, how many candidates it took."""

    fen: str
    key: int
    score: int
    tries: int


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("variant", help=f"one of {', '.join(variants.names())}")
    parser.add_argument("--count", type=int, default=200, metavar="N", help="positions; default: %(default)s")
    parser.add_argument("--plies", type=int, default=6, metavar="N",
                        help="random moves from the array, obligatory ones apart; default: %(default)s")
    parser.add_argument("--window", type=int, default=60, metavar="CP",
                        help="largest score either side may have, centipawns; default: %(default)s")
    parser.add_argument("--nodes", type=int, default=50_000, metavar="N", help="per search; default: %(default)s")
    parser.add_argument("--follow", type=int, default=2, metavar="N",
                        help="plies of the best line after each of which the score is looked at again; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="default: %(default)s")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N", help="default: %(default)s")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: standard output")
    add_cluster_argument(parser)


def run(args: Namespace) -> int:
    name = variants.resolve(args.variant)
    for option, least, most in (("count", 1, 1_000_000), ("plies", 0, 200), ("window", 1, 10_000),
                                ("nodes", LEAST_NODES, 10**9), ("follow", 0, 20), ("processes", 1, 1024)):
        if not least <= getattr(args, option) <= most:
            raise CommandError(f"--{option} {getattr(args, option)} is not from {least} to {most}")
    if args.output is not None and not args.output.parent.is_dir():
        raise CommandError(f"-o {str(args.output)!r}: no folder {str(args.output.parent)!r}")
    tasks = (OpeningTask(name, args.plies, args.window, args.nodes, args.follow, args.seed, number)
             for number in itertools.count())
    with workers(args.processes, args.cluster) as pool:
        found = make_book(pool, tasks, args.count)
    command = (f"kingmaker openings {name} --count {args.count} --plies {args.plies} --window {args.window} "
               f"--nodes {args.nodes} --follow {args.follow} --seed {args.seed}")
    rules = variants.find(name)
    lines = [epd(rules, opening, f"{name} {number}", command if number == 1 else "")
             for number, opening in enumerate(found, 1)]
    text = "".join(f"{line}\n" for line in lines)
    if args.output is None:
        sys.stdout.write(text)
    else:
        args.output.write_text(text, encoding="utf-8")
    tries = sum(opening.tries for opening in found)
    print(f"{name}: {len(found)} positions of {tries:,} candidates", file=sys.stderr)
    return 0


def make_book(pool: Pool, tasks: Iterator[OpeningTask], count: int) -> list[Opening]:
    """So many different openings, in the order of their numbers, whichever came first: the same for any number of workers.

    Raises: CommandError where there are not so many.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    found: dict[int, Opening] = {}
    waiting: dict[int, Opening] = {}
    console = Console(stderr=True)
    columns = (TextColumn("openings"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        bar = progress.add_task("openings", total=count)
        number = stale = 0
        for task, opening in pool.run(find_opening, tasks):
            waiting[task.number] = opening
            while number in waiting:
                opening = waiting.pop(number)
                number += 1
                stale = stale + 1 if opening.key in found else 0
                found.setdefault(opening.key, opening)
                if len(found) == count:
                    return list(found.values())
                if stale >= MAX_STALE:
                    raise CommandError(f"only {len(found)} different positions where --count {count} are wanted: "
                                       f"give more --plies than {task.plies} or a wider --window than {task.window}")
            progress.update(bar, completed=len(found))
    raise AssertionError("tasks have no end")


# In a worker

def find_opening(task: OpeningTask) -> Opening:
    """The first candidate of the task's dice that is balanced. Raises CommandError after MAX_TRIES."""
    from engine.rules import KEY

    rules, dice = variants.find(task.variant), random.Random(f"{task.variant} {task.seed} {task.number}")
    for tries in range(1, MAX_TRIES + 1):
        game = wander(rules, dice, task.plies)
        if game is None:
            continue
        score = balance(game, task)
        if score is not None:
            return Opening(game.fen(), int(game.pos[KEY]), score, tries)
    raise CommandError(f"no balanced position in {MAX_TRIES} tries: give a wider --window than {task.window} "
                       f"or another number of --plies than {task.plies}")


def wander(rules: Rules, dice: random.Random, plies: int) -> Game | None:
    """The array after so many random moves, not counting those that had to be played; None where the game ended."""
    from engine.game import Game
    from engine.text import legal_moves

    game = Game(rules)
    while True:
        moves = [int(move) for move in legal_moves(rules, game.pos)]
        if len(moves) != 1:
            if plies == 0 and moves:
                return game
            plies -= 1
        if not moves:
            return None
        game.push(moves[0] if len(moves) == 1 else dice.choice(moves))


def balance(game: Game, task: OpeningTask) -> int | None:
    """The score of a balanced position from the side to move; None for any other. The game is left as it was."""
    if game.outcome() is not None or game.in_check():
        return None
    if not within(judged(game, max(LEAST_NODES, task.nodes // SCREEN), 1), 2 * task.window):
        return None
    lines = judged(game, task.nodes, 2)
    if not within(lines, task.window) or len(lines) < 2 or lines[1].score < lines[0].score - task.window:
        return None
    followed = 0
    try:
        for move in lines[0].pv[:task.follow]:
            game.push(move)
            followed += 1
            if game.outcome() is not None or not within(judged(game, task.nodes, 1), task.window):
                return None
    finally:
        for _ in range(followed):
            game.pop()
    return lines[0].score


def within(lines: list[Info], window: int) -> bool:
    """Whether a search found the position that level."""
    return bool(lines) and abs(lines[0].score) <= window


def judged(game: Game, nodes: int, multipv: int) -> list[Info]:
    """The best lines after so many nodes."""
    from bench.clients.inprocess import best_lines, own_searcher
    from search.limits import Limits

    return best_lines(game, own_searcher(HASH_MB), Limits(nodes=max(1, nodes)), multipv)


# Books as text

def shipped(variant: str) -> Path:
    """The book that comes with the program. Raises OptionError for an unknown variant."""
    return BOOKS / f"{variants.resolve(variant)}.epd"


def epd(rules: Rules, opening: Opening, name: str, comment: str = "") -> str:
    """A line of a book: four fields and opcodes; where the game has a seventh field, the whole FEN before the opcodes.

    `ce` is the score in centipawns from the side to move. Source: PGN standard 16.2.
    """
    fields = opening.fen.split()
    if len(fields) < SEVENTH:
        fields[4:] = [f"hmvc {fields[4]};", f"fmvn {fields[5]};"]
    note = f' c0 "{comment}";' if comment else ""
    return f'{" ".join(fields)} ce {opening.score}; id "{name}";{note}'
