"""Memory for tables that are looked into at random places."""

from __future__ import annotations

import mmap
from contextlib import suppress

import numpy as np

BYTES_PER_MIB = 1 << 20


def table(megabytes: int) -> np.ndarray:
    """Zeros, uint64[megabytes * 131072], on cache lines and where the system has them on huge pages.

    A page is not there before it is touched, so a large table costs nothing at first. On small pages every look into the
    table misses the translation cache too: perft and search spend a quarter of their time waiting for it.
    Raises: MemoryError.
    """
    size = megabytes * BYTES_PER_MIB
    try:
        room = mmap.mmap(-1, size)
    except (OSError, OverflowError, ValueError) as error:
        raise MemoryError(f"no memory for a table of {megabytes} MiB: {error}") from None
    import os
    if hasattr(mmap, "MADV_HUGEPAGE") and not os.environ.get("NOHUGE"):
        with suppress(OSError):  # a kernel without them
            room.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(room, np.uint64)
