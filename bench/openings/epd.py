"""Positions from files: EPD with or without opcodes, or a FEN per line, with a seventh field if the game has one."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

from bench.inputs import reason
from engine.errors import CommandError, FenError
from engine.rules import Rules
from engine.text import parse_fen, to_fen


def read_positions(path: Path, rules: Rules) -> list[tuple[int, str, str]]:
    """(line number, line, FEN) for each position; empty lines and lines that begin with # are skipped.

    Raises: CommandError naming file and line, also for a file without positions.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"cannot read positions from {str(path)!r}: {reason(error)}") from None
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            found.append((number, line, to_fen(rules, parse_fen(rules, epd_fen(line)))))
        except FenError as error:
            raise CommandError(f"{path}, line {number}: {error}") from None
    if not found:
        raise CommandError(f"no positions in {str(path)!r}")
    return found


def epd_fen(line: str) -> str:
    """The FEN of an EPD line: the fields before the opcodes, and the clocks from the opcodes if they are there.

    >>> epd_fen('4k3/8/8/8/8/8/8/4K3 w - - hmvc 3; fmvn 9; id "bare; kings";')
    '4k3/8/8/8/8/8/8/4K3 w - - 3 9'
    >>> epd_fen("4k3/8/8/8/3Q4/8/8/4K3 w - - 0 1 e1/e8 ce 12;")
    '4k3/8/8/8/3Q4/8/8/4K3 w - - 0 1 e1/e8'
    >>> epd_fen("4k3/8/8/8/3Q4/8/8/4K3 w - - d4e1/e8 hmvc 7; ce 12;")
    '4k3/8/8/8/3Q4/8/8/4K3 w - - 7 1 d4e1/e8'
    """
    words = line.split()
    fields, rest = words[:4], words[4:]
    if [word.rstrip(";").isdigit() for word in rest[:2]] == [True, True]:  # a FEN: two clocks and perhaps a seventh field
        fields += rest[:2] if len(rest) < 3 or not is_seventh(rest[2].rstrip(";")) else rest[:3]
        return " ".join(field.rstrip(";") for field in fields)
    seventh = [rest.pop(0).rstrip(";")] if rest and is_seventh(rest[0].rstrip(";")) else []
    clocks = {"hmvc": "0", "fmvn": "1"}
    for word, value in itertools.pairwise(rest):
        if word in clocks:
            clocks[word] = value.rstrip(";")
    return " ".join([*fields, *clocks.values(), *seventh])


def is_seventh(word: str) -> bool:
    """Whether a word can be a seventh field: titles such as `d1e1/e8`, marks of a series of checks, or counted checks."""
    return "/" in word or word in ("-", "w", "b", "wb") or re.fullmatch(r"\+?[0-9]+\+[0-9]+", word) is not None
