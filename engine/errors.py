"""What can be wrong with what we are told; every message names the bad value in one line."""

from __future__ import annotations


class EngineError(Exception):
    """Bad input; the state before it is kept and the caller may ask again."""


class FenError(EngineError):
    """A FEN that cannot be read, or describes no position of the game."""


class MoveError(EngineError):
    """A move that cannot be read, or is not legal where it was given."""


class OptionError(EngineError):
    """An option nobody has, or a value outside its range."""


class CommandError(EngineError):
    """A command nobody has, or with arguments that make no sense."""


class RulesError(EngineError):
    """Traits that contradict each other; raised where the variant is declared."""
