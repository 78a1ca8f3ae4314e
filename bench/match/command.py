"""`kingmaker match`: engines against each other in any game, refereed by our rules."""

from __future__ import annotations

import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress

from bench.match import setup as options
from bench.match.files import Files, found_files, new_files
from bench.match.live import Display
from bench.match.probe import refuse
from bench.match.referee import GameTask
from bench.match.schedule import Fixture
from bench.match.setup import Setup
from bench.match.standings import Standings
from bench.match.stats import half_points
from bench.match.store import Store
from bench.match.tables import play
from bench.signals import ended_by, status_of
from bench.toplevel import reason
from bench.workers import Pool, WorkerError, add_cluster_argument, workers
from engine.errors import CommandError


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of a match, and --cluster."""
    options.add_arguments(parser)
    add_cluster_argument(parser)


def run(args: Namespace) -> int:
    """Exit status: 0; 1 if something other than the user ended the match; 128 plus the number of the signal that did."""
    if args.concurrency < 1:
        raise CommandError(f"-concurrency {args.concurrency} is less than 1")
    with ExitStack() as held, ExitStack() as undo:
        files = found_files(args, held) if args.resume else new_files(args, held, undo)
        standings = Standings(files.setup)
        for record in files.store.games():
            standings.add(record)
        display = Display(standings, args.json)
        ready = False
        try:
            with workers(args.concurrency, args.cluster) as pool:
                if standings.finished < files.setup.schedule.total:
                    refuse(pool, task_of(files.setup, Fixture(0, 1, 1, 0, 0, 0)), files.setup.engines)
                files.settle()
                undo.pop_all()  # from here on there is a match to resume
                ready = True
                with display.running():
                    play_all(pool, files, standings, display)
        except (KeyboardInterrupt, OSError, WorkerError) as error:
            if not ready:
                raise
            return stopped(error, files, display)
        display.final()
        return 0


def play_all(pool: Pool, files: Files, standings: Standings, display: Display) -> None:
    """Play the games that are not finished, until the schedule or the test ends the match."""
    for stage in range(files.setup.schedule.stages()):
        if standings.verdict() != "continue":
            return
        with closing(pool.run(play, tasks(files.setup, files.store, stage))) as games:
            for _, record in games:
                files.keep(record)
                standings.add(record)
                display.game(record)
                if standings.verdict() != "continue":
                    return


def stopped(error: BaseException, files: Files, display: Display) -> int:
    """Report the state of a match that was stopped, why it was, and how to resume it; returns the exit status."""
    with suppress(OSError):
        files.complete_pgn()  # it may have ended between a game's results and its PGN
    with suppress(OSError):
        display.final()
    interrupted = ended_by(error)
    if interrupted is None:
        print(f"kingmaker match: {reason(error) if isinstance(error, OSError) else error}", file=sys.stderr)
    print(f"stopped after {len(files.store.numbers())} of {files.setup.schedule.total} games; "
          f"to resume: kingmaker match -results {shlex.quote(str(files.store.path))} --resume", file=sys.stderr)
    return 1 if interrupted is None else status_of(interrupted)


def tasks(setup: Setup, store: Store, stage: int) -> Iterator[GameTask]:
    """The games of a stage that are not finished."""
    finished = store.numbers()
    for fixture in setup.schedule.fixtures(stage, *(swiss_state(setup, store, stage) if setup.schedule.stages() > 1 else ())):
        if fixture.number not in finished:
            yield task_of(setup, fixture)


def task_of(setup: Setup, fixture: Fixture) -> GameTask:
    """A game of the schedule with everything that a worker needs."""
    opening = setup.book[fixture.opening % len(setup.book)]
    return GameTask(
        fixture.number, fixture.round, fixture.pair, setup.engines[fixture.white], setup.engines[fixture.black], setup.variant,
        opening.fen, opening.moves, setup.chess960, opening.place, opening.name, setup.rules, setup.keep_logs)


def swiss_state(setup: Setup, store: Store, stage: int) -> tuple[list[float], frozenset[tuple[int, int]], frozenset[int]]:
    """Points, pairs that have met and byes, in the rounds before a stage; a bye scores like a won encounter."""
    size = len(setup.engines)
    points, met, playing = [0.0] * size, set(), [set[int]() for _ in range(stage)]
    for number, white, black, result in store.db.execute("SELECT round, white, black, result FROM games"):
        if number <= stage:
            half = half_points(result) or 0
            points[white - 1] += half / 2
            points[black - 1] += 1 - half / 2 if half_points(result) is not None else 0
            met.add((min(white, black) - 1, max(white, black) - 1))
            playing[number - 1] |= {white - 1, black - 1}
    byes = {place for present in playing for place in range(size) if place not in present}
    for place in byes:
        points[place] += setup.schedule.games
    return points, frozenset(met), frozenset(byes)
