"""Compiled code is kept in the user's own cache, so only the first run of the tests compiles."""

from __future__ import annotations

import random

import pytest


@pytest.fixture
def dice(request: pytest.FixtureRequest) -> random.Random:
    """Random numbers, the same at every run of the same test."""
    return random.Random(request.node.nodeid)
