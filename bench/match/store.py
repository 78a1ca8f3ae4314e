"""Results on disk: one SQLite file per match, in WAL mode, one transaction per game; the schema documents it.

A game is in the file completely or not at all, whatever kills the writer. `games.number` is its place in the schedule, so a
resumed match plays exactly the missing numbers.
"""

from __future__ import annotations

import errno
import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.match.records import End, GameRecord, Ply
from engine.errors import CommandError

SCHEMA_VERSION = 1
NOT_THE_FILE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
                sqlite3.SQLITE_PERM, sqlite3.SQLITE_BUSY)  # refused by the system, whatever is in the file
SCHEMA = """
CREATE TABLE match (                -- how the match was set up; one row per setting
    key       TEXT PRIMARY KEY,     -- schema, variant, schedule, book, rules, sprt, chess960, seed, event, pgn, openings,
    value     TEXT NOT NULL         -- keep_logs; JSON (see setup.Setup)
);
CREATE TABLE players (
    id        INTEGER PRIMARY KEY,  -- from 1, in the order of the command line
    name      TEXT NOT NULL UNIQUE,
    command   TEXT NOT NULL,
    protocol  TEXT NOT NULL,        -- uci or xboard
    settings  TEXT NOT NULL         -- JSON: tc, st, depth, nodes, timemargin, options
);
CREATE TABLE games (                -- only finished games, each complete
    number    INTEGER PRIMARY KEY,  -- place in the schedule, from 1
    round     INTEGER NOT NULL,     -- from 1
    pair      INTEGER NOT NULL,     -- two games of one pair: the same players and opening, colours reversed; from 1
    white     INTEGER NOT NULL REFERENCES players,
    black     INTEGER NOT NULL REFERENCES players,
    variant   TEXT NOT NULL,
    chess960  INTEGER NOT NULL,     -- 1: castling is written as king takes rook
    opening   INTEGER,              -- place in the book, from 1; NULL without a book
    opening_name TEXT NOT NULL,     -- in the book, may be empty
    fen       TEXT NOT NULL,        -- start position, seventh field included; book moves follow
    final_fen TEXT NOT NULL,        -- last position
    result    TEXT NOT NULL CHECK (result IN ('1-0', '0-1', '1/2-1/2', '*')),  -- '*': void, not counted
    reason    TEXT NOT NULL,        -- a value of records.End: checkmate, repetition, ..., illegal move, time, crash, stall
    detail    TEXT NOT NULL,        -- one line: what exactly happened
    fault     INTEGER,              -- 0 White, 1 Black misbehaved; NULL: nobody
    plies     INTEGER NOT NULL,     -- moves of both sides, book moves included
    started   TEXT NOT NULL,        -- ISO 8601, UTC
    finished  TEXT NOT NULL,
    seconds   REAL NOT NULL,        -- wall time
    overhead  REAL NOT NULL,        -- CPU seconds of the referee
    white_log TEXT,                 -- path relative to this file's folder; NULL if not kept
    black_log TEXT
);
CREATE TABLE moves (
    game      INTEGER NOT NULL REFERENCES games,
    ply       INTEGER NOT NULL,     -- from 1
    move      TEXT NOT NULL,        -- e2e4, e7e8q, K@d1, K@a8,e7e5
    san       TEXT NOT NULL,        -- in short algebraic notation
    book      INTEGER NOT NULL,     -- 1: move of the opening
    seconds   REAL,                 -- thinking time measured by the referee; NULL for book moves
    clock     REAL,                 -- seconds left after the move, increment included; NULL without a clock
    score     INTEGER,              -- centipawns, from the mover's side
    mate      INTEGER,              -- moves to mate, from the mover's side, negative if mated; score is NULL then
    depth     INTEGER,
    nodes     INTEGER,
    PRIMARY KEY (game, ply)
) WITHOUT ROWID;
CREATE INDEX games_by_pair ON games (pair);
"""
LATER = """
CREATE TABLE IF NOT EXISTS illegal_lines (  -- illegal variations; older files than 0.1.0 lack this table
    game      INTEGER NOT NULL REFERENCES games,
    ply       INTEGER NOT NULL,     -- the move it was reported with, from 1
    detail    TEXT NOT NULL,        -- its first illegal move, and the moves before it
    PRIMARY KEY (game, ply)
) WITHOUT ROWID;
"""


class Store:
    """The results of one match. One process writes; others may read at the same time."""

    def __init__(self, path: Path, connection: sqlite3.Connection):
        self.path = path
        self.db = connection
        self.db.row_factory = sqlite3.Row

    @classmethod
    def create(cls, path: Path) -> Store:
        """Create a file. Raises CommandError if it exists."""
        if path.exists():
            raise CommandError(f"{path} exists already: give --resume to continue, or another file with -results")
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            connection = sqlite3.connect(path)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.executescript(f"BEGIN; {SCHEMA} {LATER} COMMIT;")
        except sqlite3.Error as error:
            raise CommandError(f"cannot write results to {path}: {error}") from None
        store = cls(path, connection)
        store.keep({"schema": SCHEMA_VERSION})
        return store

    @classmethod
    def open(cls, path: Path, write: bool = False) -> Store:
        """Open an existing file. Raises CommandError if there is none, or if it is not a file of results."""
        if not path.is_file():
            raise CommandError(f"no results at {path}")
        try:
            connection = sqlite3.connect(f"{path.resolve().as_uri()}?{'mode=rw' if write else _read_only(path)}", uri=True)
            store = cls(path, connection)
            found = store.setting("schema")
            if write:
                connection.execute("PRAGMA synchronous = FULL")
                connection.executescript(LATER)
        except sqlite3.Error as error:
            what = "cannot be used" if primary(error) in NOT_THE_FILE else "is not a file of match results"
            raise CommandError(f"{path} {what}: {error}") from None
        if found is None:
            raise CommandError(f"{path} is not a file of match results: it has no settings")
        if found != SCHEMA_VERSION:
            raise CommandError(f"{path} has results of version {found}, this program reads {SCHEMA_VERSION}")
        return store

    def close(self) -> None:
        """Close the file."""
        self.db.close()

    # Settings.

    def keep(self, settings: dict[str, Any]) -> None:
        """Keep settings, as JSON. Raises OSError."""
        with self._writing():
            self.db.executemany("INSERT OR REPLACE INTO match VALUES (?, ?)",
                                [(key, json.dumps(value)) for key, value in settings.items()])

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction. Raises OSError, with the name of the file, for what the system refuses: a full disk above all."""
        try:
            with self.db:
                yield
        except sqlite3.OperationalError as error:
            full = primary(error) == sqlite3.SQLITE_FULL
            raise OSError(errno.ENOSPC if full else errno.EIO, str(error), str(self.path)) from None

    def setting(self, key: str, default: Any = None) -> Any:
        """One setting, or the default if it was never set."""
        row = self.db.execute("SELECT value FROM match WHERE key = ?", (key,)).fetchone()
        return default if row is None else json.loads(row["value"])

    def begin(self, players: Iterable[tuple[str, str, str, dict[str, Any]]], settings: dict[str, Any]) -> None:
        """Store the match: (name, command, protocol, settings) of the players in order, and its own settings."""
        with self._writing():
            self.db.executemany("INSERT OR REPLACE INTO match VALUES (?, ?)",
                                [(key, json.dumps(value)) for key, value in settings.items()])
            self.db.executemany("INSERT INTO players (name, command, protocol, settings) VALUES (?, ?, ?, ?)",
                                [(*texts, json.dumps(settings)) for *texts, settings in players])

    def players(self) -> dict[str, int]:
        """The numbers of the players by name, in order."""
        return {row["name"]: row["id"] for row in self.db.execute("SELECT id, name FROM players ORDER BY id")}

    # Games.

    def add(self, game: GameRecord, logs: tuple[str | None, str | None] = (None, None)) -> None:
        """Store a finished game. Raises sqlite3.IntegrityError if its number is taken: no game counts twice."""
        ids = self.players()
        row = {
            "number": game.number, "round": game.round, "pair": game.pair, "white": ids[game.white], "black": ids[game.black],
            "variant": game.variant, "chess960": int(game.chess960), "opening": game.opening, "opening_name": game.opening_name,
            "fen": game.fen, "final_fen": game.final_fen, "result": game.result, "reason": game.reason.value,
            "detail": game.detail, "fault": game.fault, "plies": len(game.plies), "started": _iso(game.started),
            "finished": _iso(game.finished), "seconds": game.finished - game.started, "overhead": game.overhead,
            "white_log": logs[0], "black_log": logs[1],
        }
        names = ", ".join(row)
        marks = ", ".join(f":{name}" for name in row)
        with self._writing():
            self.db.execute(f"INSERT INTO games ({names}) VALUES ({marks})", row)
            self.db.executemany(
                "INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(game.number, number, ply.move, ply.san, int(ply.book), ply.seconds, ply.clock, ply.score, ply.mate, ply.depth,
                  ply.nodes) for number, ply in enumerate(game.plies, 1)])
            self.db.executemany("INSERT INTO illegal_lines VALUES (?, ?, ?)",
                                [(game.number, ply, detail) for ply, detail in game.illegal_lines.items()])

    def numbers(self) -> set[int]:
        """The numbers of the finished games."""
        return {row["number"] for row in self.db.execute("SELECT number FROM games")}

    def games(self) -> Iterator[GameRecord]:
        """All finished games in the order they ended, without logs. Raises CommandError if the file is damaged."""
        try:
            yield from self._games()
        except (sqlite3.Error, KeyError, TypeError, ValueError) as error:
            raise CommandError(f"{self.path} is not a complete file of match results: {error}") from None

    def _games(self) -> Iterator[GameRecord]:
        names = {number: name for name, number in self.players().items()}
        lines: dict[int, dict[int, str]] = defaultdict(dict)
        if self.db.execute("SELECT 1 FROM sqlite_master WHERE name = 'illegal_lines'").fetchone():
            for row in self.db.execute("SELECT * FROM illegal_lines"):
                lines[row["game"]][row["ply"]] = row["detail"]
        for row in self.db.execute("SELECT * FROM games ORDER BY finished, number").fetchall():
            plies = [Ply(ply["move"], ply["san"], bool(ply["book"]), ply["seconds"], ply["clock"], ply["score"], ply["mate"],
                         ply["depth"], ply["nodes"])
                     for ply in self.db.execute("SELECT * FROM moves WHERE game = ? ORDER BY ply", (row["number"],))]
            yield GameRecord(
                row["number"], row["round"], row["pair"], names[row["white"]], names[row["black"]], row["variant"], row["fen"],
                row["result"], End(row["reason"]), row["detail"], row["fault"], row["opening"], row["opening_name"],
                row["final_fen"], bool(row["chess960"]), _seconds(row["started"]), _seconds(row["finished"]), row["overhead"],
                plies, lines[row["number"]])


def primary(error: sqlite3.Error) -> int:
    """SQLite's code of an error without what extends it."""
    code: int = getattr(error, "sqlite_errorcode", 0)  # errors of the module itself have none
    return code & 0xFF


def _read_only(path: Path) -> str:
    """How to open a file that is only read.

    A finished match has no -wal. It is opened as immutable: SQLite then makes no files beside it, which a folder that is
    read-only would not allow and which would be left there.
    """
    return "mode=ro" if path.resolve().with_name(f"{path.resolve().name}-wal").exists() else "mode=ro&immutable=1"


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
