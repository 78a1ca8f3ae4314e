"""The values that --hash may have."""

from __future__ import annotations

from engine.errors import CommandError
from engine.places import memory_limit


def check_hash(megabytes: int, here: bool = True) -> None:
    """Raise CommandError unless --hash is at least 1 MiB and, if the table is made on this machine, fits into its memory."""
    if megabytes < 1:
        raise CommandError(f"--hash {megabytes} is less than 1")
    if here and megabytes > memory_limit():
        raise CommandError(f"--hash {megabytes} does not fit into {memory_limit()} MiB")
