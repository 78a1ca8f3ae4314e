"""How results are printed: a table at a terminal, lines with tabs for other programs."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table


def print_table(heads: list[str], rows: list[list[str]]) -> None:
    """Print rows below their heads to standard output."""
    if sys.stdout.isatty():
        table = Table(*heads)
        for row in rows:
            table.add_row(*row)
        Console().print(table)
    else:
        for row in [heads, *rows]:
            print("\t".join(row))
