"""Paths that the tests use."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]  # the repository
TESTS = ROOT / "tests"
BAD = str(TESTS / "support" / "bad_engine.py")  # an engine that does wrong on purpose
PERFT_TABLES = TESTS / "engine" / "core" / "perft"
ENDINGS = TESTS / "search" / "eval" / "endings"
