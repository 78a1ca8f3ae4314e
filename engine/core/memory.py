"""Room for big tables: zeros that begin on a page, in huge pages where the system has them.

A table is read at random places: with pages of 4 KiB every look misses the processor's list of pages first.
"""

from __future__ import annotations

import mmap
from contextlib import suppress

import numpy as np

HUGE = 1 << 21  # bytes of a huge page


def zeros(words: int) -> np.ndarray:
    """uint64[words], zeros; given back to the system with the last reference. Raises MemoryError, OSError."""
    size = words * 8
    if size < HUGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        return np.zeros(words, np.uint64)
    room = mmap.mmap(-1, size + HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with suppress(OSError):  # a system without them
        room.madvise(mmap.MADV_HUGEPAGE)
    whole = np.frombuffer(room, np.uint8)
    first = -whole.ctypes.data % HUGE
    return whole[first:first + size].view(np.uint64)
