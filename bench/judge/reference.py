"""What the reference engine thinks of positions, kept in a file of the folder: each is asked once."""

from __future__ import annotations

import json
import sqlite3
import threading
from pathlib import Path

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

    def __init__(self, folder: Path, spec: EngineSpec):
        """Raises CommandError if the folder has the scores of another engine, or of other limits."""
        self.spec, self._lock = spec, threading.Lock()
        settings = json.dumps({"command": spec.command, **spec.settings()})
        path = folder / NAME
        try:
            self._file = sqlite3.connect(path, check_same_thread=False)
            self._file.executescript(SCHEMA)
            known = self._file.execute("SELECT settings FROM engine").fetchone()
            if known is None:
                with self._file:
                    self._file.execute("INSERT INTO engine VALUES (?)", (settings,))
        except sqlite3.Error as error:
            raise CommandError(f"cannot keep scores in {str(path)!r}: {error}") from None
        if known is not None and known[0] != settings:
            raise CommandError(f"{str(path)!r} has scores of {known[0]}, not of {settings}: give another folder with -o")

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


def decided(game: Game) -> int | None:
    """The score of a game that is over, from the side to move; None if it is not."""
    outcome = game.outcome()
    if outcome is None:
        return None
    return 0 if outcome.winner is None else MATED if outcome.winner == game.turn else -MATED
