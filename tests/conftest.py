"""Fixtures of several rooms, the order of the files, and a summary of what random games saw.

Compiled code is kept in the user's own cache, so only the first run of the tests compiles.
"""

from __future__ import annotations

import gc
import os
import random

import pytest

from engine.__main__ import RARELY
from support.dask import cluster as cluster  # tests of several files take these as arguments
from support.places import TESTS
from support.registry import own_registry as own_registry
from support.uci import uci as uci
from support.xboard import xboard as xboard

# The files that take longest come first: begun last, they would keep one worker busy when the others have nothing left to do.
# A file that mostly waits is the very first, so that the workers do not all begin with the same compilation. Perft comes when
# the rules of the games are compiled: by then its kernels, too, have been for the greater part.
SLOW_FIRST = (
    "test_match_faults", "test_cache", "test_boards", "test_games", "test_cluster", "test_movegen",
    "test_xboard_games", "test_new_game", "test_match_resume", "test_match_failures", "test_doctor", "test_kill",
    "test_odd_games", "test_tuning", "test_plain_install", "test_perft", "test_attacks", "test_titles", "test_search",
    "test_study", "test_xboard_mouse", "test_perft_command", "test_usage", "test_every_board", "test_protocols",
    "test_gui_games", "test_xboard_wire", "test_clients", "test_match", "test_doctor_sick", "test_openings", "test_fuzz",
    "test_tables", "test_further_commands",
)


@pytest.fixture
def dice(request: pytest.FixtureRequest) -> random.Random:
    """Random numbers, the same in every run of the same test, in whatever folder its file is."""
    return random.Random(f"tests/{request.node.path.name}::{request.node.name}")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return what `-n auto` means: one more than there are cores, because many tests wait for processes and time limits."""
    return 1 + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put slow files first."""
    if unknown := set(SLOW_FIRST) - {path.stem for path in TESTS.rglob("test_*.py")}:
        raise pytest.UsageError(f"SLOW_FIRST in tests/conftest.py names no file: {', '.join(sorted(unknown))}")
    places = {name: place for place, name in enumerate(SLOW_FIRST)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


def pytest_collection_finish() -> None:
    """Leave thousands of tests out of every garbage collection, and collect as rarely as the engine does."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*RARELY)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how often rare states were seen: a comparison proves nothing about what never occurred."""
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, value in report.user_properties:
            if name == "seen":
                terminalreporter.write_line(f"seen in {value}")
