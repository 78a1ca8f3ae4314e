"""Errors that a user can cause. Every message is one line that names the bad value."""

from __future__ import annotations


class EngineError(Exception):
    """Bad input. Nothing has changed, and the caller may try again."""


class FenError(EngineError):
    """A FEN that cannot be read, or describes a position that cannot occur in the game."""


class MoveError(EngineError):
    """A move that cannot be read, or is not legal in the position."""


class OptionError(EngineError):
    """An unknown option, or a value outside its range."""


class CommandError(EngineError):
    """An unknown command, or one with wrong arguments."""


class RulesError(EngineError):
    """Traits that contradict each other; raised where the variant is declared."""
