"""Folders of positions to learn from: the settings of their games, and one file for each batch of games."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from engine.errors import CommandError
from engine.rules import BLACK, WHITE

SETTINGS = "settings.json"
BATCH = 100  # games of a file; the last one may have fewer
NO_POSITIONS = "not a file of positions"


@dataclass(frozen=True)
class Settings:
    """How the games of a folder are played."""

    variant: str
    nodes: int
    seed: int
    net: str = ""  # digest of the net that plays; empty without one
    walk: str = ""  # how positions were reached from games of another folder; empty for games
    begin: str = ""  # where games begin, if not at the start position


class Data(NamedTuple):
    """Quiet positions of games, one per row."""

    rows: np.ndarray  # uint64[n, words]: positions (engine/core/position.py)
    scores: np.ndarray  # int16[n]: centipawns for White, by the search
    results: np.ndarray  # int8[n]: result for White: 1, 0, -1; 2 if it is unknown, as in walks
    games: np.ndarray  # int32[n]: number of the game


def pieces_on(rows: np.ndarray) -> np.ndarray:
    """int[n]: how many pieces are on the board in each of these positions."""
    counts: np.ndarray = np.bitwise_count(rows[:, WHITE] | rows[:, BLACK])
    return counts


def prepare(folder: Path, settings: Settings) -> None:
    """Create a folder, or check that it has the same settings. Raises CommandError."""
    path = folder / SETTINGS
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text(json.dumps(asdict(settings)) + "\n", encoding="utf-8")
    except OSError as error:
        raise CommandError(f"cannot keep games in {str(folder)!r}: {error.strerror or error}") from None
    known = asdict(settings_of(folder))
    for name, value in asdict(settings).items():
        if known[name] != value:
            raise CommandError(f"{str(folder)!r} has {name} {known[name] or 'none'}, not {value or 'none'}: "
                               "give another folder with -o")


def settings_of(folder: Path) -> Settings:
    """The settings of a folder. Raises CommandError if it has no games of selfplay."""
    try:
        return Settings(**json.loads((folder / SETTINGS).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        raise CommandError(f"{str(folder)!r} has no games of `kingmaker selfplay`") from None


def batch_path(folder: Path, number: int) -> Path:
    """The file for the games of a task."""
    return folder / f"{number:06d}.npz"


def load(folder: Path) -> tuple[Settings, Data]:
    """All games of a folder, in the order of their numbers. Raises CommandError."""
    settings = settings_of(folder)
    found = [load_batch(path) for path in batches(folder)]
    if not found:
        raise CommandError(f"no games in {str(folder)!r}")
    return settings, Data(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def load_games(folder: Path) -> tuple[Settings, Data]:
    """The same for what learns from results. Raises CommandError for a folder of walks, too: these have none."""
    if settings_of(folder).walk:
        raise CommandError(f"{str(folder)!r} has positions of `kingmaker walk`, without results: give games of selfplay")
    return load(folder)


def save_batch(path: Path, data: Data, games: int) -> None:
    """Write the file of so many games, whole or not at all."""
    partial = path.with_suffix(".part")
    with partial.open("wb") as file:
        np.savez_compressed(file, **data._asdict(), played=np.int64(games))
    partial.replace(path)


def games_in(path: Path) -> int:
    """How many games a file is made of, also those of which it has no position; 0 without the file. Raises CommandError."""
    if not path.exists():
        return 0
    with opened(path) as file:
        return int(file["played"]) if "played" in file else BATCH


def positions_in(path: Path) -> int:
    """How many positions a file has, without reading them all. Raises CommandError."""
    with opened(path) as file:
        return len(file["results"])


def batches(folder: Path) -> list[Path]:
    """The files of a folder, in the order of their games."""
    return sorted(folder.glob("*.npz"))


def load_batch(path: Path) -> Data:
    """The games of one file. Raises CommandError."""
    with opened(path) as file:
        return Data(*(file[name] for name in Data._fields))


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """The arrays of a file by their names. Raises CommandError, also for what is read inside the block."""
    try:
        with np.load(path) as file:
            yield file
    except OSError as error:
        raise CommandError(f"cannot read games from {str(path)!r}: {error.strerror or NO_POSITIONS}") from None
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error):  # numpy speaks of its own options
        raise CommandError(f"cannot read games from {str(path)!r}: {NO_POSITIONS}") from None
