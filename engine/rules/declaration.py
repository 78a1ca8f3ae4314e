"""Rules: what one game is, as data."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from engine.rules.declared import Declared
from engine.rules.facts import (
    DEFAULT_FACE,
    DEFAULT_PICTURE,
    DEFAULT_SPEED,
    DEFAULT_WIN_MODEL,
    Face,
    Picture,
    SpeedCase,
    WinModel,
)
from engine.rules.opening import forced_moves
from engine.rules.pieces import Worth
from engine.rules.traits import Traits, traits_of

if TYPE_CHECKING:
    import chess

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


class BoardClass:
    """A field for a python-chess Board: the class, or its module and name, imported when first asked for.

    Who only plays need not wait for python-chess.
    """

    def __get__(self, rules: Any, owner: Any = None) -> type[chess.Board]:
        if rules is None:
            return ""  # type: ignore[return-value]
        found = rules.__dict__["board"]
        if not found:  # by name, like the Boards that games name: nothing here depends on variants
            found = rules.__dict__["board"] = importlib.import_module("variants.boards.default").board_of(rules)
        if isinstance(found, str):
            module, _, name = found.rpartition(".")
            found = rules.__dict__["board"] = getattr(importlib.import_module(module), name)
        board: type[chess.Board] = found
        return board

    def __set__(self, rules: Any, board: type[chess.Board] | str) -> None:
        rules.__dict__["board"] = board


@dataclass(frozen=True, eq=False)
class Rules(Declared):
    """One game. Raises RulesError if traits contradict each other."""

    name: str
    source: str  # where the rules are written down
    board: BoardClass = BoardClass()  # default: variants.boards.default
    start_fen: str = START
    opening: tuple[str, ...] = ()  # moves that must be played from the start position
    material_draws: bool = False  # king against king, with at most one knight or bishop, is a draw
    letter_aliases: Mapping[str, str] = field(default_factory=dict)  # letters read as another type's
    values: Mapping[str, Worth] = field(default_factory=dict)

    # Facts that are no rules.
    aliases: tuple[str, ...] = ()  # other names, however they are spaced
    chess960_aliases: tuple[str, ...] = ()  # names that also switch UCI_Chess960 on
    fairy_name: str = ""  # Fairy-Stockfish's name of the game, if its rules are the same there; empty: it has none
    xboard: Face = DEFAULT_FACE
    win_model: WinModel = DEFAULT_WIN_MODEL
    picture: Picture = DEFAULT_PICTURE
    speed: SpeedCase = DEFAULT_SPEED

    def __post_init__(self) -> None:
        self.traits  # noqa: B018 - built here so that a contradiction shows where the game is declared

    @functools.cached_property
    def traits(self) -> Traits:
        """What the kernels see."""
        declared = {trait.name: getattr(self, trait.name) for trait in fields(Declared)}
        return traits_of({"opening": forced_moves(self.letters, self.start_fen, self.opening), **declared})

    @functools.cached_property
    def letters(self) -> str:
        """Piece letters by type index, White's: the pawn first, or `_` in a game without pawns."""
        return ("_" if self.pawn is None else "P") + "".join(piece.letter for piece in self.pieces)
