"""Room for tables: what a --hash may be."""

from __future__ import annotations

import os

from engine.errors import CommandError


def memory() -> int:
    """MiB of memory a table may take: nine tenths of what is in the machine; without limit where that is unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 9 // 10 >> 20
    except (AttributeError, OSError, ValueError):
        return 1 << 40


def check_hash(megabytes: int, here: bool = True) -> None:
    """Raise CommandError unless a --hash of so many MiB is one, and fits where it is wanted here."""
    if megabytes < 1:
        raise CommandError(f"--hash {megabytes} is less than 1")
    if here and megabytes > memory():
        raise CommandError(f"--hash {megabytes} does not fit into {memory()} MiB")
