"""Which games the short run of the tests takes, where every game costs a compilation."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

# Their mechanisms are those of ataturk and madness, with other numbers. The rules of all games are compared with their Boards
# in every run; what else is compiled for a game (search, evaluation, solver), for these only in the long run.
TWINS = ("warmspit", "madness-legan", "madness-fide")


def twins_long(names: Iterable[str]) -> list[object]:
    """The games as parameters of a test, the twins for the long run."""
    return [pytest.param(name, marks=[pytest.mark.long] if name in TWINS else []) for name in names]
