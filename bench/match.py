"""`kingmaker match`: engines against each other at any of the games, our rules being the referee."""

from __future__ import annotations

import json
import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from bench.arbiter import setup as options
from bench.workers import add_cluster_argument, workers
from engine.errors import CommandError

if TYPE_CHECKING:
    from bench.arbiter.pgn import PgnFile
    from bench.arbiter.records import GameRecord
    from bench.arbiter.referee import GameTask
    from bench.arbiter.setup import Setup
    from bench.arbiter.store import Store


def add_arguments(parser: ArgumentParser) -> None:
    options.add_arguments(parser)
    add_cluster_argument(parser)


def run(args: Namespace) -> int:
    from bench.arbiter.live import Display
    from bench.arbiter.standings import Standings

    with results(args) as (store, setup):
        standings = Standings(setup)
        for record in store.games():
            standings.add(record)
        pgn = open_pgn(store, setup)
        display = Display(standings, args.json)
        try:
            with workers(args.concurrency, args.cluster) as pool, display.running():
                for stage in range(setup.schedule.stages()):
                    if standings.verdict() != "continue":
                        break
                    with closing(pool.run(play, tasks(setup, store, stage))) as games:
                        for _, record in games:
                            keep(record, setup, store, pgn)
                            standings.add(record)
                            display.game(record)
                            if standings.verdict() != "continue":
                                break
        except KeyboardInterrupt:
            open_pgn(store, setup)  # it may have come between a game's results and its PGN
            display.final()
            print(f"stopped after {len(store.numbers())} of {setup.schedule.total} games; "
                  f"kingmaker match -results {shlex.quote(str(store.path))} --resume goes on", file=sys.stderr)
            return 130
        display.final()
        return 0


def play(task: GameTask) -> GameRecord:
    """In a worker: one game."""
    from bench.arbiter.tables import play as play_at_table

    return play_at_table(task)


@contextmanager
def results(args: Namespace) -> Iterator[tuple[Store, Setup]]:
    """The file of results, new or found, for this process alone, and the match it is about."""
    from filelock import FileLock, Timeout

    from bench.arbiter.setup import Setup, read_setup
    from bench.arbiter.specs import EngineSpec
    from bench.arbiter.store import Store

    path: Path = args.results
    if args.concurrency < 1:
        raise CommandError(f"-concurrency {args.concurrency} is less than 1")
    setup = None if args.resume else read_setup(args)
    if args.resume and not path.is_file():
        raise CommandError(f"nothing to resume: no results at {path}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path.with_name(f"{path.name}.lock"))
        lock.acquire(timeout=0)
    except Timeout:
        raise CommandError(f"another process plays the match in {path}") from None
    except OSError as error:
        raise CommandError(f"cannot write results to {path}: {error.strerror or error}") from None
    with lock:
        if setup is None:
            store = Store.open(path, write=True)
            rows = store.db.execute("SELECT name, command, protocol, settings FROM players ORDER BY id").fetchall()
            engines = tuple(EngineSpec.from_settings(name, command, protocol, json.loads(values))
                            for name, command, protocol, values in rows)
            if store.setting("schedule") is None:
                raise CommandError(f"{path} holds no match: it was killed before it began; delete it")
            setup = Setup.from_settings(store.setting, engines)
            if args.engine:
                same_match(path, read_setup(args), setup)
        else:
            store = Store.create(path)
            store.begin([(engine.name, shlex.join(engine.command), engine.protocol, engine.settings())
                         for engine in setup.engines], setup.settings())
        with closing(store):
            yield store, setup


def same_match(path: Path, given: Setup, found: Setup) -> None:
    """Whoever repeats the command line with --resume means that match. Raises CommandError naming what is another."""
    other = [field.name for field in fields(found) if getattr(given, field.name) != getattr(found, field.name)]
    if other:
        raise CommandError(f"--resume: {path} was begun with other {', '.join(other)}; without options it goes on as it was")


def open_pgn(store: Store, setup: Setup) -> PgnFile | None:
    """The PGN file, complete with the games that are finished."""
    from bench.arbiter.pgn import PgnFile, game_text

    if setup.pgn is None:
        return None
    pgn = PgnFile(Path(setup.pgn), store.setting("pgn_start"))
    if store.setting("pgn_start") is None:
        store.keep("pgn_start", pgn.start)
    else:
        pgn.rewrite(game_text(record, setup.event, controls(setup, record)) for record in store.games())
    return pgn


def controls(setup: Setup, record: GameRecord) -> tuple[str, str]:
    """White's and Black's time control as text."""
    found = {engine.name: str(engine.tc) if engine.tc else f"{engine.st:g}/move" if engine.st else ""
             for engine in setup.engines}
    return found[record.white], found[record.black]


def tasks(setup: Setup, store: Store, stage: int) -> Iterator[GameTask]:
    """The games of a stage that are not finished."""
    from bench.arbiter.referee import GameTask

    finished = store.numbers()
    for fixture in setup.schedule.fixtures(stage, *(swiss_state(setup, store, stage) if setup.schedule.stages() > 1 else ())):
        if fixture.number in finished:
            continue
        opening = setup.book[fixture.opening % len(setup.book)]
        yield GameTask(
            fixture.number, fixture.round, fixture.pair, setup.engines[fixture.white], setup.engines[fixture.black],
            setup.variant, opening.fen, opening.moves, setup.chess960, opening.place, opening.name, setup.rules,
            setup.keep_logs)


def swiss_state(setup: Setup, store: Store, stage: int) -> tuple[list[float], frozenset[tuple[int, int]], frozenset[int]]:
    """Points, who has met whom and who sat out, in the rounds before a stage; sitting out is worth a won encounter."""
    from bench.arbiter.stats import half_points

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


def keep(record: GameRecord, setup: Setup, store: Store, pgn: PgnFile | None) -> None:
    """Logs, results, PGN, in this order: what the results name is there, and what the PGN lacks can be had from them."""
    from bench.arbiter.pgn import game_text

    folder = store.path.with_name(f"{store.path.name}.logs")
    paths: list[str | None] = [None, None]
    for side, text in enumerate(record.logs):
        if text:
            folder.mkdir(exist_ok=True)
            path = folder / f"{record.number}-{('white', 'black')[side]}.log"
            path.write_text(text, encoding="utf-8")
            paths[side] = str(path.relative_to(store.path.parent))
    store.add(record, (paths[0], paths[1]))
    if pgn is not None:
        pgn.append(game_text(record, setup.event, controls(setup, record)))
