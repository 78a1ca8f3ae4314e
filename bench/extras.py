"""Libraries that only some commands need: asked for before the work begins, not after hours of it."""

from __future__ import annotations

from importlib.util import find_spec

from engine.errors import CommandError


def need(*modules: str) -> None:
    """Raises CommandError naming the first module that is not installed, and how to get it."""
    for name in modules:
        if find_spec(name) is None:
            raise CommandError(f"{name} is not installed: pip install 'kingmaker[arbiter]'")
