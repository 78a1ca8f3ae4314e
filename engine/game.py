"""A game in progress: the start position, the moves made, what is legal now, and how it ended."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np

import variants
from engine.legality import in_check_kernel, legal_moves_kernel, play_kernel
from engine.movegen import MAX_MOVES
from engine.rules import BLACK, CLOCK, KEY, MARKS, TURN, TYPES, WHITE, Rules
from engine.text import Position, legal_moves, move_text, parse_fen, parse_move, to_fen


class Reason(enum.Enum):
    """Why a game is over."""

    CHECKMATE = "checkmate"
    EXPLOSION = "explosion"
    NO_HEIR = "no heir"
    NIOL = "niol"  # mate without a shak in the series of checks: a draw
    ROBADO = "robado"  # a bare king: a draw
    STALEMATE = "stalemate"
    REPETITION = "repetition"
    FIFTY_MOVES = "50 moves"
    MATERIAL = "insufficient material"


@dataclass(frozen=True)
class Outcome:
    """How a game ended: the winner, 0 White, 1 Black, None for a draw, and why."""

    winner: int | None
    reason: Reason

    @property
    def result(self) -> str:
        """`1-0`, `0-1` or `1/2-1/2`."""
        return "1/2-1/2" if self.winner is None else ("1-0", "0-1")[self.winner]


class Game:
    """A game of one variant.

    >>> game = Game("atomic")
    >>> game.push("g1f3")
    >>> len(game.legal_moves()), game.fen()
    (20, 'rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1')
    """

    def __init__(self, rules: Rules | str = "chess", fen: str | None = None, chess960: bool = False):
        """Raises FenError, OptionError."""
        self.rules = variants.find(rules) if isinstance(rules, str) else rules
        self.chess960 = chess960
        self.positions: list[Position] = [parse_fen(self.rules, fen or self.rules.start_fen)]
        self.moves: list[int] = []

    @property
    def pos(self) -> Position:
        """The position now, uint64[words]."""
        return self.positions[-1]

    @property
    def turn(self) -> int:
        """The side to move: 0 White, 1 Black."""
        return int(self.pos[TURN])

    def fen(self) -> str:
        """The position now as FEN."""
        return to_fen(self.rules, self.pos)

    def legal_moves(self) -> list[str]:
        """The legal moves as text."""
        return [move_text(self.rules, self.pos, move, self.chess960) for move in legal_moves(self.rules, self.pos)]

    def text(self, move: int) -> str:
        """A move of the position now as text."""
        return move_text(self.rules, self.pos, move, self.chess960)

    def parse(self, text: str) -> int:
        """The legal move `text` names. Raises MoveError."""
        return parse_move(self.rules, self.pos, text)

    def push(self, move: str | int) -> None:
        """Make a move. Raises MoveError and leaves the game as it was."""
        number = self.parse(move) if isinstance(move, str) else int(move)
        child = np.zeros_like(self.pos)
        play_kernel(self.rules, self.pos, child, np.uint64(number))
        self.positions.append(child)
        self.moves.append(number)

    def pop(self) -> int:
        """Take the last move back and return it."""
        self.positions.pop()
        return self.moves.pop()

    def in_check(self) -> bool:
        """Whether the side to move is in check."""
        return bool(in_check_kernel(self.rules, self.pos, self.pos[TURN]))

    def repetitions(self) -> int:
        """How often the position now has stood on the board, this time included."""
        return sum(1 for position in self.positions[-1:-2 - int(self.pos[CLOCK]):-1] if position[KEY] == self.pos[KEY])

    def outcome(self) -> Outcome | None:
        """How the game ended, None while it goes on; what the rules decide comes before what is counted."""
        rules, pos, us = self.rules, self.pos, self.turn
        king = rules.traits.king
        if king is not None and rules.captures_explode:
            for side in (0, 1):
                if not int(pos[king.word]) & int(pos[WHITE + side]):
                    return Outcome(1 - side, Reason.EXPLOSION)
        if king is not None and rules.bare_king_draws:
            if any(not int(pos[WHITE + side]) & ~int(pos[king.word]) for side in (0, 1)):
                return Outcome(None, Reason.ROBADO)
        if not legal_moves_kernel(rules, pos, np.empty(MAX_MOVES, np.uint32)):
            if king is not None and rules.succession and not int(pos[king.word]) & int(pos[WHITE + us]):
                return Outcome(1 - us, Reason.NO_HEIR)
            if not self.in_check():
                return Outcome(None, Reason.STALEMATE)
            if rules.mate_series and not int(pos[MARKS]) >> (1 - us) & 1:
                return Outcome(None, Reason.NIOL)
            return Outcome(1 - us, Reason.CHECKMATE)
        if rules.material_draws and self._bare():
            return Outcome(None, Reason.MATERIAL)
        if self.repetitions() >= 3:
            return Outcome(None, Reason.REPETITION)
        if pos[CLOCK] >= 100:
            return Outcome(None, Reason.FIFTY_MOVES)
        return None

    def _bare(self) -> bool:
        """King against king with at most one knight or bishop."""
        men = int(self.pos[WHITE] | self.pos[BLACK])
        if men.bit_count() > 3:
            return False
        letters = [letter for index, letter in enumerate(self.rules.letters) if int(self.pos[TYPES + index])]
        return set(letters) <= {"K"} or (men.bit_count() == 3 and set(letters) <= {"K", "N", "B"})
