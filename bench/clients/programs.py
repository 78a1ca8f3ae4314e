"""Finds programs on the PATH, and in Debian's folder of games, which the PATH of root or of a service leaves out."""

from __future__ import annotations

import os
import shlex
import shutil

from engine.errors import CommandError

GAMES = "/usr/games"


def find(word: str) -> str | None:
    """The path of a program; None if there is none."""
    return shutil.which(word) or (None if os.sep in word else shutil.which(word, path=GAMES))


def words_of(command: str | list[str]) -> list[str]:
    """The words of a command, the first as a path. Raises CommandError naming the command if there is no such program."""
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise CommandError(f"no such program: {command!r}: {error}") from None
    program = find(words[0]) if words and words[0] else None
    if program is None:
        raise CommandError(f"no such program: {(command if isinstance(command, str) else shlex.join(words))!r}")
    return [program, *words[1:]]
