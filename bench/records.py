"""Games that a study has recorded: what one is, and the lines that hold them and their settings."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import CommandError


@dataclass(frozen=True)
class Record:
    """One finished game."""

    number: int
    fen: str
    drawn: int  # random moves at the beginning; the others were searched
    moves: tuple[str, ...]
    scores: tuple[int, ...]  # centipawns from White's side, before each searched move
    result: str
    reason: str


def read_settings(path: Path, line: str) -> dict[str, Any]:
    """The settings in the first line of a file, under which its games were played. Raises CommandError without any."""
    try:
        found = json.loads(line)["settings"]
    except (ValueError, KeyError, TypeError):
        found = None
    if not isinstance(found, dict):
        raise CommandError(f"{str(path)!r} has no games of a study")
    return found


def read_records(path: Path, lines: Iterable[str]) -> dict[int, Record]:
    """The games in lines of JSON, by number. Raises CommandError naming a line that is not a game."""
    games: dict[int, Record] = {}
    for number, line in enumerate(lines, 2):
        try:
            found = json.loads(line)
            record = Record(**{**found, "moves": tuple(found["moves"]), "scores": tuple(found["scores"])})
        except (ValueError, KeyError, TypeError):
            raise CommandError(f"{str(path)!r}, line {number}, is not a record of a game") from None
        games.setdefault(record.number, record)
    return games
