"""Compiled code is kept in the user's own cache, so only the first run of the tests compiles."""

from __future__ import annotations

import random

import pytest

from support.dask import cluster as cluster  # tests of several rooms take it as an argument


@pytest.fixture
def dice(request: pytest.FixtureRequest) -> random.Random:
    """Random numbers, the same in every run of the same test, in whatever folder its file is."""
    return random.Random(f"tests/{request.node.path.name}::{request.node.name}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how often rare states were seen: a comparison proves nothing about what never occurred."""
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, value in report.user_properties:
            if name == "seen":
                terminalreporter.write_line(f"seen in {value}")
