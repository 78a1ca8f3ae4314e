"""The measures of a study as tables, for a terminal, as plain lines or Markdown; and as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable

from bench.study.measures import Estimate, Measures

MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Table:
    """A title, names of columns, rows of text; the first column is left-aligned, the others right-aligned."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def number(value: float, digits: int, sign: bool = False) -> str:
    """A number as text."""
    if math.isinf(value):
        return "-∞" if value < 0 else "∞"
    value = round(value, digits) + 0.0  # no negative zero
    return f"{value:{'+' if sign else ''}.{digits}f}".replace("-", MINUS)


def estimate(found: Estimate | None, digits: int = 1, percent: bool = False, sign: bool = False) -> str:
    """`53.1 % (49.8 to 56.4)`: a value and its interval."""
    if found is None:
        return ""
    factor = 100 if percent else 1
    value, low, high = (number(part * factor, digits, sign) for part in (found.value, found.low, found.high))
    return f"{value}{' %' if percent else ''} ({low} to {high})"


def tables(found: Measures) -> list[Table]:
    """All measures as tables, in order."""
    decided = found.white_of_decided
    overview = [
        ("White's score", estimate(found.score, percent=True)),
        ("first-move advantage, Elo", estimate(found.elo, 0, sign=True)),
        ("White wins", estimate(found.wins, percent=True)),
        ("Black wins", estimate(found.losses, percent=True)),
        ("draws", estimate(found.draws, percent=True)),
        ("White's share of decided games", estimate(decided, percent=True)),
        ("length, plies", estimate(found.length)),
        ("length, quartiles", quarters(found.quartiles)),
        ("decided at ply", estimate(found.settled)),
        ("won after being far behind", estimate(found.comebacks, percent=True)),
        ("legal moves in a position", estimate(found.branching)),
    ]
    specials = tuple((special.name, estimate(special.games, 0, percent=True), estimate(special.each, 2),
                      quarters(special.when)) for special in found.specials)
    values = tuple((value.letter, estimate(value.pawns, 2), estimate(value.centipawns, 0), f"{value.centipawns.count:,}")
                   for value in found.values)
    reasons = tuple((reason, result, estimate(share, percent=True)) for reason, result, share in found.reasons)
    result = [Table(f"{found.variant}: {found.games} games", ("measure", "value (95 % interval)"),
                    tuple(row for row in overview if row[1])),
              Table("how games end", ("reason", "result", "share"), reasons),
              Table("special moves", ("event", "games that have it", "times a game", "when, quartiles of the ply"), specials)]
    if values:
        result.append(Table(f"What one more piece is worth, from {found.positions:,} quiet positions",
                            ("piece", "in pawns", "in centipawns", "positions"), values))
    return result


def quarters(found: tuple[float, float, float] | None) -> str:
    """`31, 45, 60`."""
    return "" if found is None else ", ".join(number(value, 0) for value in found)


def markdown(table: Table) -> str:
    """A table in Markdown, with its title in bold above."""
    lines = [f"**{table.title[:1].upper()}{table.title[1:]}**", "", f"| {' | '.join(table.columns)} |",
             f"|{'|'.join('---' if place == 0 else '---:' for place in range(len(table.columns)))}|"]
    lines += [f"| {' | '.join(row)} |" for row in table.rows]
    return "\n".join(lines)


def plain(table: Table) -> str:
    """A table as lines with tabs between cells."""
    return "\n".join(["\t".join([table.title, *table.columns[1:]]), *("\t".join(row) for row in table.rows)])


def show(console: Console, found: Sequence[Table]) -> None:
    """Print the tables on a terminal, or as plain lines."""
    if not console.is_terminal:
        console.file.write("\n\n".join(map(plain, found)) + "\n")
        return
    for table in found:
        drawn = RichTable(title=table.title, title_justify="left")
        for place, column in enumerate(table.columns):
            drawn.add_column(column, justify="left" if place == 0 else "right")
        for row in table.rows:
            drawn.add_row(*row)
        console.print(drawn)


def as_json(found: Measures, settings: dict[str, Any]) -> dict[str, Any]:
    """The measures with their settings; infinite numbers become null."""
    cleaned = finite({"settings": settings, **asdict(found)})
    assert isinstance(cleaned, dict)
    return cleaned


def finite(value: Any) -> Any:
    """The same without infinities, which JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [finite(part) for part in value]
    return value
