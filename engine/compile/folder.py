"""The folder that compiled code is kept in.

It is named by a hash of everything the machine code depends on: sources (the protocols apart), versions, options, processor.
numba's own stamp sees the one file a function stands in and misses edits in the files it calls.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import stat
import sys
import time
from pathlib import Path

import llvmlite
import numba
import platformdirs

from engine.compile.processor import processor, sliders
from engine.compile.sources import text_of
from engine.notices import warn
from engine.places import ROOT

# Folders and files that decide what the machine code of a game is. Editing anything else recompiles nothing; what a game
# declares is part of its type.
KERNELS = ("engine/squares.py", "engine/rules", "engine/compile", "engine/core", "search/eval",
           *(f"search/{name}.py" for name in ("alphabeta", "decisive", "draws", "exchange", "forcing", "histories", "learning",
                                               "limits", "ordering", "params", "picker", "proof", "pruning", "state", "tt",
                                               "tables/numbers", "tables/backwards", "tables/kernels", "tables/tree")))
UNUSED_SECONDS = 30 * 24 * 3600


@functools.cache
def stamp() -> str:
    """A hash of all that decides what the machine code is."""
    digest = hashlib.sha256()
    config = numba.config
    for part in (numba.__version__, llvmlite.__version__, sys.version, config.OPT, config.BOUNDSCHECK, *processor(), sliders()):
        digest.update(f"{part}\n".encode())
    for path in kernel_files():
        digest.update(f"{path.relative_to(ROOT)}\n".encode() + text_of(str(path)))
    return digest.hexdigest()[:20]


@functools.cache
def kernel_files() -> tuple[Path, ...]:
    """The files that KERNELS names."""
    found = []
    for name in KERNELS:
        place = ROOT / name
        found += [place] if place.suffix else sorted(place.rglob("*.py"))
    return tuple(found)


@functools.cache
def _kernel_names() -> frozenset[str]:
    return frozenset(map(str, kernel_files()))


@functools.cache
def is_stamped(file: str) -> bool:
    """Whether the text of a file is part of the stamp. A checkout may be reached through a link."""
    return os.path.realpath(file) in _kernel_names()


@functools.cache
def cache_dir() -> Path | None:
    """The folder compiled code is kept in, ours alone; None where there is none to trust, and a line in WARNINGS.

    The files are pickles: whoever can write them runs code in this process. KINGMAKER_CACHE overrules the place.
    """
    try:
        base = Path(os.environ.get("KINGMAKER_CACHE") or platformdirs.user_cache_dir("kingmaker"))
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = base / stamp()
        if not folder.exists():
            _prune(base)
        folder.mkdir(mode=0o700, exist_ok=True)
        for place in (base, folder):
            info = place.lstat()
            if not stat.S_ISDIR(info.st_mode):
                raise PermissionError(f"{place} is a link")
            if hasattr(os, "getuid") and (info.st_uid != os.getuid() or info.st_mode & 0o022):
                raise PermissionError(f"others can write to {place}")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(f"{folder} cannot be written")
        (folder / ".alive").touch()
    except (OSError, RuntimeError) as error:
        warn(f"no cache for compiled code, compiling in memory: {error}")
        return None
    return folder


def recreate(folder: Path) -> None:
    """Make the folder again if somebody has deleted it. Raises OSError."""
    for place in (folder.parent, folder):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)


def _prune(base: Path) -> None:
    """Remove what other versions compiled and nobody has used for a month."""
    for alive in base.glob("*/.alive"):
        if time.time() - alive.stat().st_mtime > UNUSED_SECONDS:
            shutil.rmtree(alive.parent, ignore_errors=True)
