"""`kingmaker suite`: counts the proved wins that a search finds in a given time, per game."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

import variants
from bench.openings.puzzles import read_suite, suite
from bench.printing import print_table
from bench.room import check_hash
from engine.errors import CommandError
from engine.game import Game
from search.limits import Limits
from search.searcher import Searcher
from search.warm import warm


def add_arguments(parser: ArgumentParser) -> None:
    """Add the games and the limits of the search."""
    parser.add_argument("variants", nargs="*", metavar="VARIANT", help="default: all games that have a suite")
    parser.add_argument("--file", type=Path, metavar="FILE",
                        help="the positions of one game, as `kingmaker puzzles` writes them; default: those that come with it")
    parser.add_argument("--movetime", type=int, default=1000, metavar="MS", help="time per position; default: %(default)s")
    parser.add_argument("--threads", type=int, default=1, help="search threads; default: %(default)s")
    parser.add_argument("--hash", type=int, default=64, metavar="MB", help="size of the hash table; default: %(default)s")
    parser.add_argument("--json", action="store_true", help="print a JSON object")


def run(args: Namespace) -> int:
    """Exit status: 0."""
    for name, value, most in (("--movetime", args.movetime, 10 ** 7), ("--threads", args.threads, 256)):
        if not 1 <= value <= most:
            raise CommandError(f"{name} {value} is not from 1 to {most}")
    check_hash(args.hash)
    files = files_of(args)
    console, found = Console(stderr=True), dict[str, Any]()
    for name, file in files.items():
        puzzles = read_suite(file, variants.find(name))
        warm(variants.find(name))  # before the clock runs
        results = [attempt(name, puzzle.fen, puzzle.key, args)
                   for puzzle in track(puzzles, name, console=console, disable=not console.is_terminal, transient=True)]
        lengths = sorted({puzzle.moves for puzzle in puzzles})
        found[name] = {"positions": len(puzzles), "solved": sum(results), "by_length": {
            moves: [sum(solved for solved, puzzle in zip(results, puzzles, strict=True) if puzzle.moves == moves),
                    sum(puzzle.moves == moves for puzzle in puzzles)] for moves in lengths},
            "missed": [puzzle.fen for solved, puzzle in zip(results, puzzles, strict=True) if not solved]}
    if args.json:
        print(json.dumps(found))
        return 0
    lengths = sorted({moves for result in found.values() for moves in result["by_length"]})
    rows = [[name, f"{result['solved']} of {result['positions']}", *(
        "/".join(map(str, result["by_length"].get(moves, (0, 0)))) for moves in lengths)] for name, result in found.items()]
    heads = ["game", f"solved in {args.movetime} ms", *(f"in {moves}" for moves in lengths)]
    print_table(heads, rows)
    return 0


def files_of(args: Namespace) -> dict[str, Path]:
    """The file of positions of each game. Raises CommandError for a game without one."""
    names = [variants.resolve(name) for name in args.variants]
    if args.file is not None:
        if len(names) != 1:
            raise CommandError(f"--file {str(args.file)!r} holds positions of one game: name it, and no other")
        return {names[0]: args.file}
    for name in names:
        if not suite(name).exists():
            raise CommandError(f"{name} has no suite: make one with `kingmaker puzzles`, then give --file FILE")
    return {name: suite(name) for name in names or variants.names() if suite(name).exists()}


def attempt(name: str, fen: str, key: str, args: Namespace) -> bool:
    """Whether a search from an empty table chooses the winning move."""
    game = Game(name, fen)
    best = Searcher(args.hash, args.threads).search(game, Limits(movetime=args.movetime))
    return best.move == game.parse(key)
