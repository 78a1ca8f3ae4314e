"""Where the program is installed, and how much memory the machine has."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent  # contains engine, search, variants and bench, installed or not


def memory_limit() -> int:
    """MiB that a table may take: nine tenths of the machine's memory; practically unlimited if that is unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 9 // 10 >> 20
    except (AttributeError, OSError, ValueError):
        return 1 << 30
