"""Self-play for a study: a game is a task of a pool, its record a line of JSON, so a killed study can be continued."""

from __future__ import annotations

import json
import os
import random
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from filelock import FileLock, Timeout

from bench.clients.inprocess import Lot, SearchPlayer, best_lines, draw_opening, own_searcher, take_back, turns
from bench.inputs import reason
from bench.records import Record, read_records, read_settings
from engine.errors import CommandError
from engine.game import Game
from search.limits import Limits
from search.searcher import Searcher

RECORDS = "games.jsonl"
MOVE_LIMIT = "move limit"  # the reason of an end that is not by the rules
HASH_MB = 8
OPENING_DEPTH = 5  # of the search that separates plausible moves from blunders
OPENING_NODES = 50_000  # of the search that finds out whether an opening has decided the game; then another is drawn
OPENING_LIMIT = 250  # centipawns for either side
OPENING_TRIES = 1000
ALL_MOVES = 256


@dataclass(frozen=True)
class Settings:
    """How the games of a study are played; games with different settings are never mixed."""

    variant: str
    nodes: int | None  # per move
    movetime: float | None  # milliseconds per move
    plies: int  # random opening moves, not counting obligatory ones
    spread: int  # drawn among those at most this many centipawns worse than the best
    book: str | None  # or a book of positions instead
    seed: int
    max_plies: int
    version: str  # of the program
    book_digest: str | None = None  # of the book's positions: a file of the same name may have others


@dataclass(frozen=True)
class StudyTask:
    """One game; its number seeds the dice. fen: start position, None: the game's own with a random opening."""

    settings: Settings
    number: int
    fen: str | None


def play_game(task: StudyTask) -> Record:
    """A game of the engine against itself; the same at every call if nodes limit it."""
    settings = task.settings
    dice = random.Random(f"{settings.variant} {settings.seed} {task.number}")
    searcher = own_searcher(HASH_MB)
    searcher.clear()
    game = Game(settings.variant, task.fen)
    if task.fen is None:
        plausible_opening(game, dice, settings, searcher)
    drawn = len(game.moves)
    searcher.clear()
    player = SearchPlayer(searcher, Limits(nodes=settings.nodes, movetime=settings.movetime))
    scores = [-score if game.turn else score for _, score in turns(game, (player, player), settings.max_plies)]
    outcome = game.outcome()
    result, reason = (outcome.result, outcome.reason.value) if outcome else ("1/2-1/2", MOVE_LIMIT)
    return Record(task.number, task.fen or game.rules.start_fen, drawn, tuple(game.move_stack), tuple(scores), result, reason)


def plausible_opening(game: Game, dice: random.Random, settings: Settings, searcher: Searcher) -> None:
    """Play random moves among the plausible ones; other ones if they decide the game.

    A game decided by its random moves would measure these, not the game.
    """
    def lot(game: Game) -> Lot:
        lines = best_lines(game, searcher, Limits(depth=OPENING_DEPTH), ALL_MOVES)
        good = [info.pv[0] for info in lines if info.score >= lines[0].score - settings.spread]
        return Lot(good, counts=len(lines) > 1)

    for _ in range(OPENING_TRIES):
        goes_on = draw_opening(game, dice, settings.plies, lot)
        if settings.plies == 0 or (goes_on and undecided(game, searcher)):
            return
        take_back(game)
    raise CommandError(f"{settings.plies} random moves decided the game {OPENING_TRIES} times: "
                       f"give less --plies or a smaller --spread than {settings.spread}")


def undecided(game: Game, searcher: Searcher) -> bool:
    """Whether a search finds neither side far ahead."""
    return abs(best_lines(game, searcher, Limits(nodes=OPENING_NODES), 1)[0].score) <= OPENING_LIMIT


# Records on disk

class Records:
    """The games of a study in a file: a line with the settings, then a line per game, each written as the game ends.

    The settings are written with the first game, so that a study that cannot begin binds no later one.
    """

    def __init__(self, file: IO[str], games: dict[int, Record], settings: Settings, lock: FileLock):
        self.file, self.games, self.settings, self.lock = file, games, settings, lock

    @classmethod
    def open(cls, folder: Path, settings: Settings) -> Records:
        """Begin or continue a study; a last line that was cut short by a kill is removed.

        Raises: CommandError if the folder cannot be written, has games with other settings, or is used by another process.
        """
        path = folder / RECORDS
        lock = FileLock(folder / f"{RECORDS}.lock")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=0)
        except Timeout:
            raise CommandError(f"another process is working on the study in {str(folder)!r}") from None
        except OSError as error:
            raise CommandError(f"cannot keep records in {str(path)!r}: {error.strerror or error}") from None
        try:
            return cls._open(path, settings, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def _open(cls, path: Path, settings: Settings, lock: FileLock) -> Records:
        try:
            known = path.read_text(encoding="utf-8") if path.exists() else ""
            whole = known[:known.rfind("\n") + 1]
            lines = whole.splitlines()
            if lines:
                check_settings(path, lines[0], settings)
            file = path.open("r+" if path.exists() else "w+", encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"cannot keep records in {str(path)!r}: {reason(error)}") from None
        file.seek(0, os.SEEK_END)
        if whole != known:
            file.truncate(len(whole.encode()))
            file.seek(0, os.SEEK_END)
        return cls(file, read_records(path, lines[1:]), settings, lock)

    def add(self, record: Record) -> None:
        """Store a game, unless it is there already."""
        if record.number in self.games:
            return
        self.games[record.number] = record
        if not self.file.tell():
            self.file.write(json.dumps({"settings": asdict(self.settings)}) + "\n")
        self.file.write(json.dumps(asdict(record)) + "\n")
        self.file.flush()

    def close(self) -> None:
        """Close the file and release the lock."""
        self.file.close()
        self.lock.release()


def check_settings(path: Path, line: str, settings: Settings) -> None:
    """Raise CommandError naming the first setting that differs."""
    known = read_settings(path, line)
    for name, value in asdict(settings).items():
        if known.get(name) != value:
            raise CommandError(f"{str(path)!r} has {name} {known.get(name)}, not {value}: "
                               f"give another folder with -o, or remove this one")
