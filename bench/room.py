"""Room for tables: what a --hash may be."""

from __future__ import annotations

from engine.errors import CommandError
from engine.places import memory_limit


def check_hash(megabytes: int, here: bool = True) -> None:
    """Raise CommandError unless a --hash of so many MiB is one, and fits where it is wanted here."""
    if megabytes < 1:
        raise CommandError(f"--hash {megabytes} is less than 1")
    if here and megabytes > memory_limit():
        raise CommandError(f"--hash {megabytes} does not fit into {memory_limit()} MiB")
