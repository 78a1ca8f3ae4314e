"""Warnings of code that has no output of its own: one line each, once."""

from __future__ import annotations

from collections.abc import Callable

WARNINGS: list[str] = []
_listener: Callable[[str], None] | None = None


def warn(line: str) -> None:
    """Keep a line, and pass it on to the listener, if there is one."""
    if line in WARNINGS:
        return
    WARNINGS.append(line)
    if _listener is not None:
        _listener(line)


def listen(listener: Callable[[str], None]) -> None:
    """Pass on every line, those of before first, to this listener and to no other."""
    global _listener
    _listener = listener
    for line in WARNINGS:
        listener(line)
