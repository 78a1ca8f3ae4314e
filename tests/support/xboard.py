"""An engine that speaks to an XBoard."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.protocol.xboard.commands import XBoard
from support.talk import Inside


@pytest.fixture
def xboard() -> Iterator[Inside]:
    """An engine in force mode at the start of a game of chess."""
    talk = Inside(XBoard)
    talk.send("xboard", "protover 2")
    talk.until("feature done=1")
    talk.send("new", "nopost", "sd 4", "st 60", "force")
    yield talk
    talk.close()
