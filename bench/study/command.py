"""`kingmaker study`: how a game plays, measured in games of the engine against itself; a study that was stopped goes on."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import engine
import variants
from bench.extras import need
from bench.workers import add_cluster_argument, workers
from engine.errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.study.facts import Facts
    from bench.study.measures import Measures
    from bench.study.play import Record, Records, Settings, StudyTask

NODES = 3000
SHIPPED = "shipped"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("variant", help=f"one of {', '.join(variants.names())}")
    parser.add_argument("--games", type=int, default=300, metavar="N", help="default: %(default)s")
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--nodes", type=int, metavar="N", help=f"per move; default: {NODES}")
    limit.add_argument("--movetime", type=float, metavar="MS", help="milliseconds per move instead")
    parser.add_argument("--plies", type=int, default=6, metavar="N",
                        help="opening moves drawn by lot, obligatory ones apart; default: %(default)s")
    parser.add_argument("--spread", type=int, default=50, metavar="CP",
                        help="drawn among moves no more than so many centipawns behind the best; default: %(default)s")
    parser.add_argument("--book", metavar="FILE",
                        help=f"begin from the positions of an EPD book instead, in turn; '{SHIPPED}': the one that comes along")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="default: %(default)s")
    parser.add_argument("--max-plies", type=int, default=500, metavar="N",
                        help="a game that long is called a draw; default: %(default)s")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N", help="default: %(default)s")
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER",
                        help="keeps the games; tables and plots come there too; default: games/study/VARIANT")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    parser.add_argument("--page", type=Path, metavar="FILE",
                        help="put the results into this page too, where it has a place for the game; docs/study.md has")
    add_cluster_argument(parser)


def run(args: Namespace) -> int:
    from rich.console import Console

    from bench.study import tables as study_tables
    from bench.study.measures import measure
    from bench.study.play import Records

    need("scipy", "matplotlib")
    if args.page is not None and not args.page.is_file():
        raise CommandError(f"--page {str(args.page)!r} is no file")
    settings, starts = checked(args)
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
        from bench.study.page import update

        update(args.page, found)
    if args.json:
        print(json.dumps(told))
    else:
        study_tables.show(Console(), study_tables.tables(found))
        print(f"games, tables and plots in {folder}", file=sys.stderr)
    return 0


def checked(args: Namespace) -> tuple[Settings, list[str]]:
    """The settings, and the positions to begin from where a book was given. Raises CommandError, OptionError."""
    from bench.openings.book import shipped
    from bench.openings.epd import read_positions
    from bench.study.play import Settings

    name = variants.resolve(args.variant)
    nodes = NODES if args.nodes is None and args.movetime is None else args.nodes
    for option, value, least, most in (
            ("games", args.games, 1, 10**7), ("nodes", nodes, 1, 10**12), ("movetime", args.movetime, 1, 10**7),
            ("plies", args.plies, 0, 200), ("spread", args.spread, 0, 100_000), ("max-plies", args.max_plies, 1, 10_000),
            ("processes", args.processes, 1, 1024)):
        if value is not None and not least <= value <= most:
            raise CommandError(f"--{option} {value} is not from {least} to {most}")
    if args.plies >= args.max_plies:
        raise CommandError(f"--plies {args.plies} leaves nothing to play before --max-plies {args.max_plies}")
    book = shipped(name) if args.book == SHIPPED else Path(args.book) if args.book else None
    starts = [] if book is None else [fen for _, _, fen in read_positions(book, variants.find(name))]
    settings = Settings(name, nodes, args.movetime, 0 if book else args.plies, 0 if book else args.spread, args.book, args.seed,
                        args.max_plies, engine.__version__)
    return settings, starts


def play(args: Namespace, settings: Settings, starts: list[str], records: Records) -> None:
    """Play the games that are missing; each is on disk as it ends."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from bench.study.play import StudyTask, play_game

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
    """What happened in the games."""
    from bench.study.facts import facts

    return [facts(record, variant) for record in records]


def keep(folder: Path, found: Measures, told: dict[str, Any]) -> None:
    """Write the results beside the games: study.json, study.md, study.svg. Raises CommandError."""
    from bench.study import plots as study_plots
    from bench.study import tables as study_tables

    page = "\n\n".join(map(study_tables.markdown, study_tables.tables(found)))
    try:
        (folder / "study.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        (folder / "study.md").write_text(f"{page}\n", encoding="utf-8")
        study_plots.draw(found, folder / "study.svg")
    except OSError as error:
        raise CommandError(f"cannot write results to {str(folder)!r}: {error.strerror}") from None


