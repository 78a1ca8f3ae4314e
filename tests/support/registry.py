"""Games that a test defines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import variants


@pytest.fixture
def own_registry() -> Iterator[None]:
    """What a test defines is forgotten after it."""
    yield
    variants._defined().clear()
