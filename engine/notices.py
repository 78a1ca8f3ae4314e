"""What code without a channel of its own has to tell whoever runs it: one line each, once."""

from __future__ import annotations

from collections.abc import Callable

WARNINGS: list[str] = []
_listener: Callable[[str], None] | None = None


def warn(line: str) -> None:
    """Keep a line, and hand it on where somebody listens."""
    if line in WARNINGS:
        return
    WARNINGS.append(line)
    if _listener is not None:
        _listener(line)


def listen(listener: Callable[[str], None]) -> None:
    """Hand on each line to come to this listener, and to no other."""
    global _listener
    _listener = listener
