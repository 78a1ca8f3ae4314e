"""A game in the shape chess.engine wants: what it asks of a chess.Board, answered by the compiled rules.

chess.engine hands boards on to engines as text and reads their moves back. `WireBoard` gives it just that for every game: seven
FEN fields, `K@d1`, an XBoard name, and a check of moves that takes microseconds also where the game's own Board needs longer.
"""

from __future__ import annotations

import copy
import functools
from dataclasses import dataclass
from typing import Any, ClassVar

import chess

from engine.core.moves import CASTLE, KIND, TO
from engine.errors import EngineError, MoveError
from engine.game import Game
from engine.rules import Rules
from engine.text import Position, legal_moves, parse_fen, to_fen

NO_MOVE = ("(none)", "0000", "null", "@@@@")


class IllegalMove(ValueError):
    """What an engine answered is no legal move; a ValueError, as chess.engine expects."""


@dataclass(frozen=True)
class WireMove:
    """A legal move: its text, and its number where it is legal."""

    text: str
    number: int

    def uci(self) -> str:
        return self.text

    __str__ = uci


@dataclass(frozen=True, eq=False)
class Root:
    """The position that engines are told a game began from. Equal only to itself: one game has one."""

    rules: Rules
    pos: Position
    chess960: bool

    @functools.cached_property
    def fen(self) -> str:
        """As few fields as say it: engines of others know no seventh, so it is left out where it is the default."""
        full = to_fen(self.rules, self.pos, shredder=self.chess960)
        six = " ".join(full.split()[:6])
        if six == full:
            return full
        try:
            same = bool((parse_fen(self.rules, six) == self.pos).all())
        except EngineError:
            same = False
        return six if same else full


class WireBoard:
    """The part of chess.Board that chess.engine uses. Made by `board_of`, one class per game, as python-chess has it."""

    uci_variant: ClassVar[str]
    xboard_variant: ClassVar[str]

    def __init__(self, root: Root, game: Game, told: int = 0):
        """`told`: the number of the game's moves before the root."""
        self._root = root
        self.game = game
        self._told = told
        self.chess960 = root.chess960
        self.move_stack: list[WireMove] = []
        for ply, number in enumerate(game.moves[told:], told):
            self.move_stack.append(WireMove(_text(game, ply, number), number))

    @property
    def turn(self) -> chess.Color:
        return self.game.turn == 0

    def fen(self, **_: Any) -> str:
        return self._root.fen if not self.move_stack else to_fen(self.game.rules, self.game.pos, shredder=self.chess960)

    def root(self) -> WireBoard:
        """A board of its own at the root."""
        return type(self)(self._root, _from(self.game, self._root.pos))

    def copy(self, *, stack: bool | int = True) -> WireBoard:
        """The position now, without what led to it unless `stack` asks for that."""
        if stack:
            game = copy.copy(self.game)
            game.positions, game.moves = list(game.positions), list(game.moves)
            other = type(self)(self._root, game, len(game.moves))
            other._told, other.move_stack = self._told, list(self.move_stack)
            return other
        return type(self)(Root(self.game.rules, self.game.pos, self.chess960), _from(self.game, self.game.pos))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WireBoard) and self._root is other._root and self.move_stack == other.move_stack

    __hash__ = None  # type: ignore[assignment]

    def push(self, move: WireMove) -> None:
        self.game.push(move.number)
        self.move_stack.append(move)

    def pop(self) -> WireMove:
        self.game.pop()
        return self.move_stack.pop()

    def parse_uci(self, text: str) -> WireMove:
        """Raises IllegalMove."""
        try:
            number = self.game.parse(text)
        except MoveError:
            raise IllegalMove(self._complaint(text)) from None
        return WireMove(self.game.text(number), number)

    def push_uci(self, text: str) -> WireMove:
        move = self.parse_uci(text)
        self.push(move)
        return move

    def xboard(self, move: WireMove) -> str:
        """A move as XBoard engines read it: castling is O-O in Chess960."""
        if self.chess960 and _castles(move.number):
            return "O-O" if move.number >> TO & 63 > move.number & 63 else "O-O-O"
        return move.text

    def parse_xboard(self, text: str) -> WireMove:
        """Raises IllegalMove."""
        if text.upper().replace("0", "O") in ("O-O", "O-O-O"):
            for number in map(int, legal_moves(self.game.rules, self.game.pos)):
                if _castles(number) and (number >> TO & 63 > number & 63) == (len(text) == 3):
                    return WireMove(self.game.text(number), number)
            raise IllegalMove(self._complaint(text))
        return self.parse_uci(text)

    def push_xboard(self, text: str) -> WireMove:
        move = self.parse_xboard(text)
        self.push(move)
        return move

    def outcome(self, *, claim_draw: bool = False) -> chess.Outcome | None:
        """For chess.engine's own `result` line; the referee names the reason itself."""
        outcome = self.game.outcome()
        if outcome is None:
            return None
        return chess.Outcome(chess.Termination.VARIANT_WIN, None if outcome.winner is None else outcome.winner == 0)

    def _complaint(self, text: str) -> str:
        if text.lower() in NO_MOVE or not text:
            return f"no move ({text[:40]!r}) although it has {len(self.game.legal_moves())}"
        return f"{text[:40]!r} in {self.game.fen()}"


def board_of(game: Game, variant_names: tuple[str, str] | None = None) -> WireBoard:
    """The board of a game that is about to be played; obligatory opening moves, already made, are not told to the engines.

    Engines of others begin such a game after them: Fairy-Stockfish's shatar, for one, has no double step at all.
    """
    told = 0
    if game.rules.opening and game.positions[0].tobytes() == parse_fen(game.rules, game.rules.start_fen).tobytes():
        told = min(len(game.rules.opening), len(game.moves))
    root = Root(game.rules, game.positions[told], game.chess960)
    uci, xboard = variant_names or (game.rules.name, "normal" if game.rules.name == "chess" else game.rules.name)
    return _kind(uci, xboard)(root, game, told)


@functools.cache
def _kind(uci: str, xboard: str) -> type[WireBoard]:
    return type("WireBoard", (WireBoard,), {"uci_variant": uci, "xboard_variant": xboard})


def _from(game: Game, pos: Position) -> Game:
    """The same game, begun at a position."""
    other = copy.copy(game)
    other.positions, other.moves = [pos], []
    return other


def _text(game: Game, ply: int, number: int) -> str:
    from engine.text import move_text

    return move_text(game.rules, game.positions[ply], number, game.chess960)


def _castles(number: int) -> bool:
    return number >> KIND & 15 == CASTLE
