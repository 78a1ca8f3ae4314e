"""Which games the short run of the tests takes, where every game costs a compilation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

import variants

# Their mechanisms are those of ataturk, madness and atomic, with other numbers. The rules of all games are compared with their
# Boards in every run; what else is compiled for a game (search, evaluation, solver), for these only in the long run.
TWINS = ("warmspit", "madness-legan", "madness-fide", "nocheckatomic")

# Further games that have a net and a book.
LICHESS = ("kingofthehill", "3check", "racingkings", "horde", "antichess", "crazyhouse")
LICHESS_LONG = [pytest.param(name, marks=pytest.mark.long) for name in LICHESS]


def twins_long(cases: Iterable[str | tuple[Any, ...]]) -> list[object]:
    """Games, or rows that begin with one, as parameters of a test, the twins for the long run."""
    rows = [(case,) if isinstance(case, str) else case for case in cases]
    return [pytest.param(*row, marks=[pytest.mark.long] if row[0] in TWINS else []) for row in rows]


def others_long(*short: str) -> list[object]:
    """The first ten games as parameters of a test that compiles kernels of its own, all but `short` for the long run."""
    return [pytest.param(name, marks=[] if name in short else [pytest.mark.long]) for name in variants.names()]
