"""The files of a match: created when it begins, removed if it does not, and opened again when it is resumed."""

from __future__ import annotations

import json
import shlex
import sqlite3
from argparse import Namespace
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from bench.match.pgn import PgnFile, game_text
from bench.match.records import GameRecord
from bench.match.setup import Setup, differences, read_setup
from bench.match.specs import EngineSpec
from bench.match.store import Store
from engine.errors import CommandError


class Files:
    """Results, PGN and logs of one match, locked for this process."""

    def __init__(self, setup: Setup, store: Store, pgn: PgnFile | None):
        self.setup = setup
        self.store = store
        self.pgn = pgn

    def settle(self) -> None:
        """Store the schedule if the number of games was changed. Raises OSError."""
        settings = self.setup.settings()
        if self.store.setting("schedule") != settings["schedule"]:
            self.store.keep({name: settings[name] for name in ("schedule", "book")})

    def keep(self, record: GameRecord) -> None:
        """Write logs, results and PGN, in this order: what the results name exists, and the PGN can be made from them.

        Raises OSError naming the file; a game that is not in the results is played again.
        """
        path = self.store.path
        folder = path.with_name(f"{path.name}.logs")
        paths: list[str | None] = [None, None]
        for side, text in enumerate(record.logs):
            if text:
                folder.mkdir(exist_ok=True)
                log = folder / f"{record.number}-{('white', 'black')[side]}.log"
                try:
                    log.write_text(text, encoding="utf-8")
                except OSError as error:
                    raise OSError(error.errno, error.strerror, str(log)) from None
                paths[side] = str(log.relative_to(path.parent))
        self.store.add(record, (paths[0], paths[1]))
        if self.pgn is not None:
            self.pgn.append(game_text(record, self.setup.event, self._controls(record)))

    def complete_pgn(self) -> None:
        """Add to the PGN the games that only the results have. Raises OSError."""
        if self.pgn is not None:
            self.pgn.complete(game_text(record, self.setup.event, self._controls(record)) for record in self.store.games())

    def _controls(self, record: GameRecord) -> tuple[str, str]:
        """White's and Black's time control as text."""
        found = {engine.name: str(engine.tc) if engine.tc else f"{engine.st:g}/move" if engine.st else ""
                 for engine in self.setup.engines}
        return found[record.white], found[record.black]


def new_files(args: Namespace, held: ExitStack, undo: ExitStack) -> Files:
    """Create the files of the match that a command line describes; `held` closes them, `undo` removes them.

    Raises: CommandError, OptionError; before anything is created if the error is in the command line or the PGN.
    """
    setup, path = read_setup(args), Path(args.results)
    if path.is_dir():
        raise CommandError(f"-results {path} is a folder")
    if path.exists():
        raise CommandError(f"{path} exists already: give --resume to continue, or another file with -results")
    pgn = None
    if setup.pgn is not None:
        if Path(setup.pgn).resolve() == path.resolve():
            raise CommandError(f"-pgnout and -results are both {path}")
        _make(Path(setup.pgn), f"cannot write games to {setup.pgn}", undo)
        pgn = PgnFile(Path(setup.pgn))
    _lock(path, held, undo)
    for name in (f"{path.name}-wal", f"{path.name}-shm", path.name):
        undo.callback(_gone, path.with_name(name).unlink)
    store = Store.create(path)
    held.callback(store.close)
    undo.callback(store.close)
    store.begin([(engine.name, shlex.join(engine.command), engine.protocol, engine.settings()) for engine in setup.engines],
                setup.settings())
    return Files(setup, store, pgn)


def found_files(args: Namespace, held: ExitStack) -> Files:
    """Open the files of a match that is resumed. Raises CommandError naming settings that differ from those it has."""
    path: Path = args.results
    if not path.is_file():
        raise CommandError(f"nothing to resume: no results at {path}")
    with ExitStack() as undo:
        _lock(path, held, undo)
        files = _opened(path, args, held)
        undo.pop_all()
    files.complete_pgn()
    return files


def _opened(path: Path, args: Namespace, held: ExitStack) -> Files:
    store = Store.open(path, write=True)
    held.callback(store.close)
    if store.setting("schedule") is None:
        raise CommandError(f"{path} has no match: it was killed before the match began; delete it")
    found = stored_setup(store)
    setup = read_setup(args, found)
    if wrong := differences(found, setup, store.numbers()):
        raise CommandError(f"-resume: the match in {path} has other settings than {'; '.join(wrong)}")
    pgn = None
    if setup.pgn is not None:
        _make(Path(setup.pgn), f"cannot write games to {setup.pgn}", ExitStack())
        pgn = PgnFile(Path(setup.pgn))
    return Files(setup, store, pgn)


def stored_setup(store: Store) -> Setup:
    """The match in a file of results. Raises CommandError if the file is incomplete."""
    try:
        rows = store.db.execute("SELECT name, command, protocol, settings FROM players ORDER BY id").fetchall()
        engines = tuple(EngineSpec.from_settings(name, command, protocol, json.loads(values))
                        for name, command, protocol, values in rows)
        return Setup.from_settings(store.setting, engines)
    except (sqlite3.Error, KeyError, TypeError, ValueError) as error:
        raise CommandError(f"{store.path} is not a complete file of match results: {error}") from None


def _lock(path: Path, held: ExitStack, undo: ExitStack) -> None:
    """Lock a file of results against other processes."""
    place = path.with_name(f"{path.name}.lock")
    _make(place, f"cannot write results to {path}", undo)  # FileLock would wait, and not say why it cannot create the file
    lock = FileLock(place)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise CommandError(f"another process is playing the match in {path}") from None
    held.callback(lock.release)


def _make(path: Path, complaint: str, undo: ExitStack) -> None:
    """Make sure that a file can be written. It and its folders are created if missing; `undo` removes them."""
    try:
        for folder in reversed([path.parent, *path.parent.parents]):
            if not folder.exists():
                folder.mkdir()
                undo.callback(_gone, folder.rmdir)
        if not path.exists():
            path.touch()
            undo.callback(_gone, path.unlink)
        with path.open("ab"):
            pass
    except OSError as error:
        raise CommandError(f"{complaint}: {error.strerror or error}") from None


def _gone(remove: Callable[[], None]) -> None:
    with suppress(OSError):
        remove()
