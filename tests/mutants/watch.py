"""A pytest plugin for the runner: writes to the file $MUTANTS_WATCH which tests began and which failed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def _note(word: str, name: str) -> None:
    with Path(os.environ["MUTANTS_WATCH"]).open("a", encoding="utf-8") as file:
        file.write(f"{word} {name}\n")


def pytest_runtest_logstart(nodeid: str) -> None:
    """Note a test that begins."""
    _note("began", nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note a test that failed."""
    if report.failed:
        _note("failed", report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note a file that cannot be read."""
    if report.failed:
        _note("failed", report.nodeid)
