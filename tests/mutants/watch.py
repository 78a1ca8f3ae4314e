"""A pytest plugin for the runner: says in the file $MUTANTS_WATCH which test began and which failed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def _note(word: str, name: str) -> None:
    with Path(os.environ["MUTANTS_WATCH"]).open("a", encoding="utf-8") as file:
        file.write(f"{word} {name}\n")


def pytest_runtest_logstart(nodeid: str) -> None:
    _note("began", nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        _note("failed", report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _note("failed", report.nodeid)
