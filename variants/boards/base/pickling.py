"""Boards whose class is made from a game's rules, and so is an attribute of no module, in pickles."""

from __future__ import annotations

import pickle
from typing import Any

import chess

from engine.errors import OptionError


class MadeBoard:
    """Is pickled with the name of its game, by which the class is found again."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Raises pickle.PicklingError if the game has no name here by which it is found."""
        import variants  # which need not import Boards to list the games

        name = str(getattr(self, "uci_variant"))  # noqa: B009 - of the chess.Board that this is mixed into
        try:
            found: type = variants.find(name).board
        except OptionError:
            found = object
        if type(self) is not found:
            raise pickle.PicklingError(f"no game that is found by the name {name!r} has this Board")
        return blank, (name,), self.__dict__


def blank(name: str) -> chess.Board:
    """A Board of a game for pickle to fill. Raises OptionError if the game is unknown here."""
    import variants

    kind = variants.find(name).board
    return kind.__new__(kind)
