"""The engine in this process, for tests of its protocols."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.protocol.uci import Uci
from support.talk import Inside


@pytest.fixture
def uci() -> Iterator[Inside]:
    """An engine that is ready."""
    talk = Inside(Uci)
    talk.send("isready")
    talk.until("readyok")
    yield talk
    talk.close()
