"""What the reference engine thinks of positions, kept in a file of the folder: each is asked once."""

from __future__ import annotations

import json
import shlex
import sqlite3
import threading
from pathlib import Path
from typing import Any

from bench.judge.thinker import MATED
from bench.match.specs import EngineSpec
from engine.errors import CommandError
from engine.game import Game

NAME = "reference.sqlite"
SCHEMA = """
CREATE TABLE IF NOT EXISTS engine (settings TEXT NOT NULL);                       -- whose scores these are; one row, JSON
CREATE TABLE IF NOT EXISTS scores (fen TEXT PRIMARY KEY, score INTEGER NOT NULL)  -- centipawns, from the side to move
"""


class Reference:
    """The scores of a folder. Several threads may use it."""

    def __init__(self, folder: Path, game: str, spec: EngineSpec):
        """Raises CommandError if the folder has the scores of another game or engine, or of other limits."""
        self.spec, self._lock = spec, threading.Lock()
        settings = {"game": game, **described(spec)}
        path = folder / NAME
        try:
            self._file = sqlite3.connect(path, check_same_thread=False)
            self._file.executescript(SCHEMA)
            known = self._file.execute("SELECT settings FROM engine").fetchone()
            if known is None:
                with self._file:
                    self._file.execute("INSERT INTO engine VALUES (?)", (json.dumps(settings),))
        except sqlite3.Error as error:
            raise CommandError(f"cannot keep scores in {str(path)!r}: {error}") from None
        begun = settings if known is None else json.loads(known[0])
        for name in [*settings, *begun]:
            if begun.get(name) != settings.get(name):
                raise CommandError(f"{str(path)!r} has scores with {name} {said(begun.get(name))}, "
                                   f"not {said(settings.get(name))}: give another folder with -o")

    def known(self, fen: str) -> int | None:
        """A score that the file has."""
        with self._lock:
            row = self._file.execute("SELECT score FROM scores WHERE fen = ?", (fen,)).fetchone()
        return None if row is None else int(row[0])

    def keep(self, fen: str, score: int) -> None:
        """Add a score to the file."""
        with self._lock, self._file:
            self._file.execute("INSERT OR REPLACE INTO scores VALUES (?, ?)", (fen, score))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def described(spec: EngineSpec) -> dict[str, Any]:
    """What an engine's scores depend on: its command, its options, one key each, and its other settings, for JSON."""
    settings = spec.settings()
    options = {f"option.{name}": value for name, value in settings.pop("options")}
    return {"cmd": shlex.join(spec.command), **options, **settings}


def said(value: object) -> str:
    """A setting in an error; one that is not there is none."""
    return "none" if value is None else str(value)


def decided(game: Game) -> int | None:
    """The score of a game that is over, from the side to move; None if it is not."""
    outcome = game.outcome()
    if outcome is None:
        return None
    return 0 if outcome.winner is None else MATED if outcome.winner == game.turn else -MATED
