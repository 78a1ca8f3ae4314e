"""Where the program lies, and how much room the machine has."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent  # holds engine, search, variants and bench, installed or not


def memory_limit() -> int:
    """MiB of memory a table may take: nine tenths of what the machine has; practically unlimited if that is unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 9 // 10 >> 20
    except (AttributeError, OSError, ValueError):
        return 1 << 30
