"""Self-play for a study: one game is one task of a pool; its record is a line of JSON, so a killed study goes on."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from filelock import FileLock, Timeout

import variants
from bench.thinking import look, own_searcher
from engine.errors import CommandError
from search.limits import Info, Limits

if TYPE_CHECKING:
    from engine.game import Game
    from search.searcher import Searcher

RECORDS = "games.jsonl"
MOVE_LIMIT = "move limit"  # reason of an end that is none of the rules'
HASH_MB = 8
OPENING_DEPTH = 5  # of the search that tells plausible moves from blunders
OPENING_NODES = 50_000  # of the search that tells whether an opening has decided the game: then it is drawn anew
OPENING_LIMIT = 250  # centipawns for either side
OPENING_TRIES = 1000
ALL_MOVES = 256


@dataclass(frozen=True)
class Settings:
    """How the games of a study are played; games under different settings are never mixed."""

    variant: str
    nodes: int | None  # per move
    movetime: float | None  # milliseconds per move
    plies: int  # opening moves drawn by lot, obligatory ones apart
    spread: int  # among those no more than so many centipawns behind the best
    book: str | None  # or a book of positions instead
    seed: int
    max_plies: int
    version: str  # of the program


@dataclass(frozen=True)
class Task:
    """One game: its number seeds the dice. `fen` is its start, None for the array with moves drawn by lot."""

    settings: Settings
    number: int
    fen: str | None


@dataclass(frozen=True)
class Record:
    """One finished game."""

    number: int
    fen: str
    drawn: int  # moves drawn by lot at the beginning; the others were searched
    moves: tuple[str, ...]
    scores: tuple[int, ...]  # centipawns from White's side, before each searched move
    result: str
    reason: str


def play_game(task: Task) -> Record:
    """A game of the engine against itself; the same at every call where nodes limit it."""
    from engine.game import Game

    settings = task.settings
    dice = random.Random(f"{settings.variant} {settings.seed} {task.number}")
    searcher = own_searcher(HASH_MB)
    searcher.clear()
    game = Game(settings.variant, task.fen)
    texts = draw_opening(game, dice, settings, searcher) if task.fen is None else []
    drawn, scores = len(texts), list[int]()
    searcher.clear()
    limits = Limits(nodes=settings.nodes, movetime=settings.movetime)
    said: list[Info] = []
    while (outcome := game.outcome()) is None and len(game.moves) < settings.max_plies:
        said.clear()
        best = searcher.search(game, limits, on_info=said.append)
        assert best.move is not None
        exact = [info.score for info in said if not info.bound]
        score = exact[-1] if exact else 0
        scores.append(-score if game.turn else score)
        texts.append(game.text(best.move))
        game.push(best.move)
    return Record(task.number, game_fen(settings.variant, task.fen), drawn, tuple(texts), tuple(scores),
                  outcome.result if outcome else "1/2-1/2", outcome.reason.value if outcome else MOVE_LIMIT)


def game_fen(variant: str, fen: str | None) -> str:
    """Where a game begins."""
    return fen or variants.find(variant).start_fen


def draw_opening(game: Game, dice: random.Random, settings: Settings, searcher: Searcher) -> list[str]:
    """Play moves drawn by lot among the plausible ones, anew where they decide the game; returns their texts.

    A lottery decides games that the players would not have: those would tell of the lottery. Both sides' blunders go alike.
    """
    for _ in range(OPENING_TRIES):
        texts, left = list[str](), settings.plies
        while left > 0 and game.outcome() is None:
            lines = look(game, searcher, Limits(depth=OPENING_DEPTH), ALL_MOVES)
            left -= len(lines) > 1
            move = dice.choice([info.pv[0] for info in lines if info.score >= lines[0].score - settings.spread])
            texts.append(game.text(move))
            game.push(move)
        if settings.plies == 0 or (game.outcome() is None and abs(
                look(game, searcher, Limits(nodes=OPENING_NODES), 1)[0].score) <= OPENING_LIMIT):
            return texts
        for _ in texts:
            game.pop()
    raise CommandError(f"{settings.plies} moves drawn by lot decided the game {OPENING_TRIES} times: "
                       f"give less --plies or a smaller --spread than {settings.spread}")


# Records on disk

class Records:
    """The games of one study in a folder: a line with the settings, then a line per game, each written as the game ends."""

    def __init__(self, file: IO[str], games: dict[int, Record], lock: FileLock):
        self.file, self.games, self.lock = file, games, lock

    @classmethod
    def open(cls, folder: Path, settings: Settings) -> Records:
        """Begin a study, or go on with it: a last line cut short by a kill is taken away.

        Raises: CommandError where the folder cannot be written, holds games under other settings, or another process is at it.
        """
        path = folder / RECORDS
        lock = FileLock(folder / f"{RECORDS}.lock")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=0)
        except Timeout:
            raise CommandError(f"another process is at the study in {str(folder)!r}") from None
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
            raise CommandError(f"cannot keep records in {str(path)!r}: {getattr(error, 'strerror', None) or error}") from None
        file.seek(0, os.SEEK_END)
        if whole != known:
            file.truncate(len(whole.encode()))
            file.seek(0, os.SEEK_END)
        if not lines:
            file.write(json.dumps({"settings": asdict(settings)}) + "\n")
            file.flush()
        return cls(file, read_records(path, lines[1:]), lock)

    def add(self, record: Record) -> None:
        """Keep a game; one that is there already stays as it is."""
        if record.number in self.games:
            return
        self.games[record.number] = record
        self.file.write(json.dumps(asdict(record)) + "\n")
        self.file.flush()

    def close(self) -> None:
        self.file.close()
        self.lock.release()


def check_settings(path: Path, line: str, settings: Settings) -> None:
    """Raises CommandError naming the first setting that is another one."""
    try:
        known: dict[str, Any] = json.loads(line)["settings"]
    except (ValueError, KeyError, TypeError):
        raise CommandError(f"{str(path)!r} holds no games of a study") from None
    for name, value in asdict(settings).items():
        if known.get(name) != value:
            raise CommandError(f"{str(path)!r} was begun with {name} {known.get(name)}, not {value}: "
                               f"give another folder with -o, or remove this one")


def read_records(path: Path, lines: Iterable[str]) -> dict[int, Record]:
    """The games in lines of JSON, by number. Raises CommandError naming a line that is none."""
    games: dict[int, Record] = {}
    for number, line in enumerate(lines, 2):
        try:
            found = json.loads(line)
            record = Record(**{**found, "moves": tuple(found["moves"]), "scores": tuple(found["scores"])})
        except (ValueError, KeyError, TypeError):
            raise CommandError(f"{str(path)!r}, line {number}, is no record of a game") from None
        games.setdefault(record.number, record)
    return games
