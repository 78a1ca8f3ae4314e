"""A game as it is sent to engines: start position, moves, and the notation of moves in both protocols."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import variants
from engine.core.moves import CASTLE, FROM, KIND, TO, part
from engine.errors import EngineError, MoveError
from engine.game import Game
from engine.text import legal_moves, move_text, parse_fen, to_fen

NO_MOVE = ("(none)", "0000", "null", "@@@@")
CASTLING = ("O-O", "O-O-O")


class IllegalMoveError(EngineError):
    """An engine's answer is not a legal move."""


@dataclass(frozen=True)
class WireMove:
    """A legal move: its text and its number."""

    text: str
    number: int


class WireGame:
    """A game, and what of it is sent to engines.

    Obligatory opening moves that have been made are not sent: other engines begin such a game after them
    (Fairy-Stockfish's shatar, for one, has no double step at all).
    """

    def __init__(self, game: Game):
        self.game = game
        self.untold = 0  # moves of the game that are not sent
        if game.rules.opening and game.positions[0].tobytes() == parse_fen(game.rules, game.rules.start_fen).tobytes():
            self.untold = min(len(game.rules.opening), len(game.moves))
        self.moves = [WireMove(move_text(game.rules, game.positions[ply], number, game.chess960), number)
                      for ply, number in enumerate(game.moves[self.untold:], self.untold)]

    @property
    def variant(self) -> str:
        """The game's name."""
        return self.game.rules.name

    @property
    def chess960(self) -> bool:
        """Whether castling is written as king takes rook."""
        return self.game.chess960

    @property
    def turn(self) -> int:
        """The side to move: 0 White, 1 Black."""
        return self.game.turn

    @functools.cached_property
    def root_fen(self) -> str:
        """The position before the first move that is sent, in as few fields as describe it.

        Other engines know no seventh field, so it is left out if it has its default. Counted checks are known to all, and
        Fairy-Stockfish reads their absence as a limit that is reached.
        """
        rules, pos = self.game.rules, self.game.positions[self.untold]
        full = to_fen(rules, pos, shredder=self.chess960)
        six = " ".join(full.split()[:6])
        if six == full or rules.traits.checks_to_win:
            return full
        try:
            same = bool((parse_fen(rules, six) == pos).all())
        except EngineError:
            same = False
        return six if same else full

    @property
    def orthodox_start(self) -> bool:
        """Whether the game is orthodox chess from its start position."""
        return self.variant == "chess" and self.root_fen == variants.find("chess").start_fen

    def push(self, move: WireMove) -> None:
        """Make a move in the game too."""
        self.game.push(move.number)
        self.moves.append(move)

    def parse(self, text: str) -> WireMove:
        """A move as UCI writes it. Raises IllegalMoveError."""
        try:
            number = self.game.parse(text)
        except MoveError:
            raise IllegalMoveError(self._complaint(text)) from None
        return WireMove(self.game.text(number), number)

    def parse_xboard(self, text: str) -> WireMove:
        """A move as XBoard engines write it: castling may be O-O. Raises IllegalMoveError."""
        if text.upper().replace("0", "O") not in CASTLING:
            return self.parse(text)
        for number in map(int, legal_moves(self.game.rules, self.game.pos)):
            if _castles(number) and _kingside(number) == (len(text) == len("O-O")):
                return WireMove(self.game.text(number), number)
        raise IllegalMoveError(self._complaint(text))

    def xboard_text(self, move: WireMove) -> str:
        """A move for XBoard engines: castling is O-O in Chess960."""
        if self.chess960 and _castles(move.number):
            return CASTLING[not _kingside(move.number)]
        return move.text

    def _complaint(self, text: str) -> str:
        if text.lower() in NO_MOVE or not text:
            return f"no move ({text[:40]!r}) although it has {len(self.game.legal_moves())}"
        return f"{text[:40]!r} in {self.game.fen()}"


def xboard_names(variant: str, chess960: bool) -> list[str]:
    """What XBoard engines call a game, the names that other programs use first; `normal` for orthodox chess."""
    face = variants.find(variant).xboard
    if chess960 and face.chess960_name:
        return [face.chess960_name]
    return [*face.other_names, face.name or variant]


def _castles(number: int) -> bool:
    return part(number, KIND) == CASTLE


def _kingside(number: int) -> bool:
    """Whether the rook stands on a higher file than the king."""
    return part(number, TO) > part(number, FROM)
