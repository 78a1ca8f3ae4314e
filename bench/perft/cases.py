"""Tables of perft counts made by other programs.

Our format: lines `id NAME`, `epd FEN`, `perft DEPTH NODES`; `#` begins a comment. EPD: `FEN ;D1 20 ;D2 400` per line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.inputs import reason
from engine.errors import CommandError


@dataclass(frozen=True)
class PerftCase:
    """The number of leaves below a position by another program."""

    name: str
    fen: str
    depth: int
    nodes: int


def read_perft(path: Path) -> list[PerftCase]:
    """The cases of a table in either format, in the order of the file. Raises CommandError naming file and line."""
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path}: {reason(error)}") from None
    read = _epd if any(re.search(r";\s*D\d", line) for line in lines) else _perft
    cases = []
    for number, line in read(path, lines):
        if isinstance(line, PerftCase):
            cases.append(line)
        else:
            raise CommandError(f"{path}:{number}: {line[:80]!r} is not a perft case")
    if not cases:
        raise CommandError(f"{path}: no perft case in it")
    return cases


def _perft(path: Path, lines: list[str]) -> Iterator[tuple[int, PerftCase | str]]:
    name = fen = ""
    for number, line in enumerate(lines, 1):
        word, _, rest = line.partition("#")[0].strip().partition(" ")
        count = re.fullmatch(r"\s*(\d+)\s+([\d,_]+)\s*", rest)
        if word == "id" and rest:
            name, fen = rest.strip(), ""
        elif word == "epd" and rest:
            fen = rest.strip()
        elif word == "perft" and fen and count:
            yield number, PerftCase(name or fen, fen, int(count[1]), _number(count[2]))
        elif word:
            yield number, line.strip()


def _epd(path: Path, lines: list[str]) -> Iterator[tuple[int, PerftCase | str]]:
    for number, line in enumerate(lines, 1):
        fen, *operations = line.partition("#")[0].split(";")
        if not fen.strip():
            continue
        counts = [re.fullmatch(r"\s*D(\d+)\s+([\d,_]+)\s*", operation) for operation in operations]
        if not any(counts):
            yield number, line.strip()
        for count in counts:
            if count:  # other operations are ignored
                yield number, PerftCase(f"line {number}", fen.strip(), int(count[1]), _number(count[2]))


def _number(text: str) -> int:
    return int(re.sub("[,_]", "", text))
