"""`kingmaker openings`: makes an EPD book of balanced start positions.

A candidate is the start position after random moves. It is kept if it is quiet and level: the side to move is not in check,
the score of the best move lies in the window, a second move is about as good, and after each of the next moves of the best
line a search from the other side still finds the score in the window.
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

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import variants
from bench.clients.inprocess import best_lines, own_searcher
from bench.data import BOOKS
from bench.outputs import check_writable
from bench.workers import Pool, add_cluster_argument, workers
from engine.errors import CommandError
from engine.game import Game
from engine.rules import KEY, Rules
from engine.text import legal_moves
from search.limits import Info, Limits

MAX_TRIES = 3000  # candidates for one position before giving up
MAX_STALE = 200  # positions in a row that are in the book already
LEAST_NODES = 1000  # with fewer, a search may end without a score
SCREEN = 20  # the first search of a candidate takes this fraction of the nodes
HASH_MB = 2
SEVENTH = 7  # fields of a FEN in games with a state of their own


@dataclass(frozen=True)
class OpeningTask:
    """One position to find for a book; its number seeds the dice."""

    variant: str
    plies: int
    window: int
    nodes: int
    follow: int
    seed: int
    number: int


@dataclass(frozen=True)
class Opening:
    """A position found: FEN, key, score in centipawns from the side to move, and how many candidates were tried."""

    fen: str
    key: int
    score: int
    tries: int


def add_arguments(parser: ArgumentParser) -> None:
    """Add the game, the number of positions and what makes them balanced."""
    parser.add_argument("variant", help=f"the game: {variants.listed()}")
    parser.add_argument("--count", type=int, default=200, metavar="N", help="number of positions; default: %(default)s")
    parser.add_argument("--plies", type=int, default=6, metavar="N",
                        help="random moves, not counting obligatory ones; default: %(default)s")
    parser.add_argument("--window", type=int, default=60, metavar="CP",
                        help="largest score for either side, centipawns; default: %(default)s")
    parser.add_argument("--nodes", type=int, default=50_000, metavar="N", help="per search; default: %(default)s")
    parser.add_argument("--follow", type=int, default=2, metavar="N",
                        help="check the score again after each of the next N plies of the best line; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="default: %(default)s")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N", help="default: %(default)s")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: standard output")
    add_cluster_argument(parser)


def run(args: Namespace) -> int:
    """Exit status: 0."""
    name = variants.resolve(args.variant)
    for option, least, most in (("count", 1, 1_000_000), ("plies", 0, 200), ("window", 1, 10_000),
                                ("nodes", LEAST_NODES, 10**9), ("follow", 0, 20), ("processes", 1, 1024)):
        if not least <= getattr(args, option) <= most:
            raise CommandError(f"--{option} {getattr(args, option)} is not from {least} to {most}")
    if args.output is not None and not args.output.parent.is_dir():
        raise CommandError(f"-o {str(args.output)!r}: no folder {str(args.output.parent)!r}")
    if args.output is not None:
        check_writable(args.output)
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
    """That many different openings, in the order of their numbers: the same for any number of workers.

    Raises: CommandError if there are not enough.
    """
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
                    raise CommandError(f"only {len(found)} different positions, --count is {count}: "
                                       f"give more --plies than {task.plies} or a wider --window than {task.window}")
            progress.update(bar, completed=len(found))
    raise AssertionError("tasks have no end")


# In a worker

def find_opening(task: OpeningTask) -> Opening:
    """The first balanced candidate that the task's dice give. Raises CommandError after MAX_TRIES."""
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
    """A game after that many random moves, not counting forced ones; None if it ended."""
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
    """The score of a balanced position from the side to move; None for others. The game is left unchanged."""
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
    """Whether the best score lies in the window."""
    return bool(lines) and abs(lines[0].score) <= window


def judged(game: Game, nodes: int, multipv: int) -> list[Info]:
    """The best lines of a search of that many nodes."""
    return best_lines(game, own_searcher(HASH_MB), Limits(nodes=max(1, nodes)), multipv)


# Books as text

def shipped(variant: str) -> Path:
    """The shipped book of a variant. Raises OptionError for an unknown one."""
    return BOOKS / f"{variants.resolve(variant)}.epd"


def epd(rules: Rules, opening: Opening, name: str, comment: str = "") -> str:
    """A line of a book: four fields and opcodes; if the game has a seventh field, the whole FEN before the opcodes.

    `ce` is the score in centipawns from the side to move. Source: PGN standard 16.2.
    """
    fields = opening.fen.split()
    if len(fields) < SEVENTH:
        fields[4:] = [f"hmvc {fields[4]};", f"fmvn {fields[5]};"]
    note = f' c0 "{comment}";' if comment else ""
    return f'{" ".join(fields)} ce {opening.score}; id "{name}";{note}'
