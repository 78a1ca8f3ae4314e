"""`kingmaker study`: measures a game in games of the engine against itself; a study that was stopped can be continued."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

import engine
import variants
from bench.extras import need
from bench.openings.book import shipped
from bench.openings.epd import read_positions
from bench.records import Record
from bench.study import plots as study_plots
from bench.study import tables as study_tables
from bench.study.facts import Facts, facts
from bench.study.measures import Measures, measure
from bench.study.page import check, update
from bench.study.play import Records, Settings, StudyTask, play_game
from bench.workers import add_cluster_argument, workers
from engine.errors import CommandError

NODES = 3000
SHIPPED = "shipped"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the game, how its games are played, and where results go."""
    parser.add_argument("variant", help=f"the game: {variants.listed()}")
    parser.add_argument("--games", type=int, default=300, metavar="N", help="default: %(default)s")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--nodes", type=int, metavar="N", help=f"per move; default: {NODES}")
    limit.add_argument("--movetime", type=float, metavar="MS", help="milliseconds per move instead")
    parser.add_argument("--plies", type=int, default=6, metavar="N",
                        help="random opening moves, not counting obligatory ones; default: %(default)s")
    parser.add_argument("--spread", type=int, default=50, metavar="CP",
                        help="draw among moves at most CP centipawns worse than the best; default: %(default)s")
    parser.add_argument("--book", metavar="FILE",
                        help=f"start from the positions of an EPD book instead, in turn; '{SHIPPED}': the shipped book")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="default: %(default)s")
    parser.add_argument("--max-plies", type=int, default=500, metavar="N",
                        help="a longer game is a draw; default: %(default)s")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N", help="default: %(default)s")
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER",
                        help="folder for games, tables and plots; default: games/study/VARIANT")
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    parser.add_argument("--page", type=Path, metavar="FILE",
                        help="also write the results into a page that has a place for the game, as docs/study.md")
    add_cluster_argument(parser)


def run(args: Namespace) -> int:
    """Exit status: 0."""
    need("scipy", "matplotlib")
    if args.page is not None and not args.page.is_file():
        raise CommandError(f"--page {str(args.page)!r} is not a file")
    settings, starts = checked(args)
    if args.page is not None:
        check(args.page, settings.variant)
    folder = args.output or Path("games") / "study" / settings.variant
    records = Records.open(folder, settings)
    try:
        play(args, settings, starts, records)
    finally:
        records.close()
    found = measure(settings.variant, look_again(settings.variant, [records.games[number] for number in range(args.games)]),
                    settings.seed)
    told = study_tables.as_json(found, asdict(settings))
    keep(folder, found, told)
    if args.page is not None:
        update(args.page, found)
    if args.json:
        print(json.dumps(told))
    else:
        study_tables.show(Console(), study_tables.tables(found))
        print(f"games, tables and plots in {folder}", file=sys.stderr)
    return 0


def checked(args: Namespace) -> tuple[Settings, list[str]]:
    """The settings, and the start positions if a book was given. Raises CommandError, OptionError."""
    name = variants.resolve(args.variant)
    nodes = NODES if args.nodes is None and args.movetime is None else args.nodes
    for option, value, least, most in (
            ("games", args.games, 1, 10**7), ("nodes", nodes, 1, 10**12), ("movetime", args.movetime, 1, 10**7),
            ("plies", args.plies, 0, 200), ("spread", args.spread, 0, 100_000), ("max-plies", args.max_plies, 1, 10_000),
            ("processes", args.processes, 1, 1024)):
        if value is not None and not least <= value <= most:
            raise CommandError(f"--{option} {value} is not from {least} to {most}")
    if args.plies >= args.max_plies:
        raise CommandError(f"--plies {args.plies} leaves no moves to play before --max-plies {args.max_plies}")
    book = shipped(name) if args.book == SHIPPED else Path(args.book) if args.book else None
    starts = [] if book is None else [fen for _, _, fen in read_positions(book, variants.find(name))]
    settings = Settings(name, nodes, args.movetime, 0 if book else args.plies, 0 if book else args.spread, args.book, args.seed,
                        args.max_plies, engine.__version__, digest(starts) if book else None)
    return settings, starts


def digest(fens: list[str]) -> str:
    """Tells lists of positions apart."""
    return hashlib.sha256("\n".join(fens).encode()).hexdigest()[:16]


def play(args: Namespace, settings: Settings, starts: list[str], records: Records) -> None:
    """Play the missing games; each is stored as it ends."""
    missing = [number for number in range(args.games) if number not in records.games]
    if not missing:
        return

    def tasks() -> Iterator[StudyTask]:
        for number in missing:
            yield StudyTask(settings, number, starts[number % len(starts)] if starts else None)

    console = Console(stderr=True)
    columns = (TextColumn(settings.variant), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with (Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress,
          workers(args.processes, args.cluster) as pool):
        bar = progress.add_task("games", total=args.games, completed=args.games - len(missing))
        for _, record in pool.run(play_game, tasks()):
            records.add(record)
            progress.advance(bar)


def look_again(variant: str, records: list[Record]) -> list[Facts]:
    """The facts about the games, by replaying them."""
    return [facts(record, variant) for record in records]


def keep(folder: Path, found: Measures, told: dict[str, Any]) -> None:
    """Write the results next to the games: study.json, study.md, study.svg. Raises CommandError."""
    page = "\n\n".join(map(study_tables.markdown, study_tables.tables(found)))
    try:
        (folder / "study.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        (folder / "study.md").write_text(f"{page}\n", encoding="utf-8")
        study_plots.draw(found, folder / "study.svg")
    except OSError as error:
        raise CommandError(f"cannot write results to {str(folder)!r}: {error.strerror}") from None


