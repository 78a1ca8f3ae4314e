"""A game in progress: the start position, the moves made, what is legal now, and how it ended."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import variants
from engine.legality import in_check_kernel, play_kernel
from engine.rules import BLACK, CLOCK, KEY, MARKS, TURN, TYPES, WHITE, Rules
from engine.text import Position, legal_moves, move_text, parse_fen, parse_move, to_fen

if TYPE_CHECKING:
    from search.pool import Searcher


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


@dataclass(frozen=True)
class Line:
    """What a search says of one move: score in centipawns from the side to move, moves to mate or None, the line."""

    score: int
    mate: int | None
    depth: int
    nodes: int
    moves: tuple[str, ...]


class Game:
    """A game of one variant.

    >>> game = Game("ataturk")
    >>> game.push("K@d1")
    >>> len(game.legal_moves()), game.fen()
    (27, 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 1 1 d1e1/e8')
    >>> game = Game("atomic", "rnbqkbnr/ppp1pppp/8/3p4/8/4P3/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    >>> game.play(depth=5) in game.legal_moves(), game.result()
    (True, '*')
    """

    def __init__(self, rules: Rules | str = "chess", fen: str | None = None, chess960: bool = False):
        """Raises FenError, OptionError."""
        self.rules = variants.find(rules) if isinstance(rules, str) else rules
        self.chess960 = chess960
        self.positions: list[Position] = [parse_fen(self.rules, fen or self.rules.start_fen)]
        self.moves: list[int] = []
        self._search: Searcher | None = None

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

    def result(self) -> str:
        """`1-0`, `0-1`, `1/2-1/2`, or `*` while the game goes on; outcome() also says why."""
        outcome = self.outcome()
        return "*" if outcome is None else outcome.result

    def analyse(self, *, depth: int | None = None, nodes: int | None = None, movetime: float | None = None,
                multipv: int = 1) -> list[Line]:
        """Search here and now, without a subprocess: the best lines, best first; empty where the game is over.

        movetime in milliseconds; without any limit it takes a second.
        """
        from search.limits import Info, Limits

        if depth is None and nodes is None and movetime is None:
            movetime = 1000.0
        found: dict[int, Info] = {}

        def keep(info: Info) -> None:
            if not info.bound:
                found[info.multipv] = info

        self._searcher().search(self, Limits(depth=depth, nodes=nodes, movetime=movetime), multipv=multipv, on_info=keep)
        return [Line(info.score, info.mate, info.depth, info.nodes, self._texts(info.pv)) for _, info in sorted(found.items())]

    def play(self, *, depth: int | None = None, nodes: int | None = None, movetime: float | None = None) -> str | None:
        """The move a search chooses, as text, not yet made; None where the game is over."""
        lines = self.analyse(depth=depth, nodes=nodes, movetime=movetime)
        return lines[0].moves[0] if lines and lines[0].moves else None

    def _searcher(self) -> Searcher:
        if self._search is None:
            from search.pool import Searcher

            self._search = Searcher()
        return self._search

    def _texts(self, moves: tuple[int, ...]) -> tuple[str, ...]:
        """A line of moves from the position now, as text."""
        texts, pos = [], self.pos
        for move in moves:
            texts.append(move_text(self.rules, pos, move, self.chess960))
            child = np.zeros_like(pos)
            play_kernel(self.rules, pos, child, np.uint64(move))
            pos = child
        return tuple(texts)

    def repetitions(self) -> int:
        """How often the position now has stood on the board, this time included."""
        return sum(1 for position in self.positions[-1:-2 - int(self.pos[CLOCK]):-1] if position[KEY] == self.pos[KEY])

    def verdict(self) -> Outcome | None:
        """What the position alone decides: mate, stalemate, an exploded king, no heir, a bare king; else None."""
        rules, pos, us = self.rules, self.pos, self.turn
        king = rules.traits.king
        if king is not None and rules.captures_explode:
            for side in (0, 1):
                if not int(pos[king.word]) & int(pos[WHITE + side]):
                    return Outcome(1 - side, Reason.EXPLOSION)
        if king is not None and rules.bare_king_draws:
            if any(not int(pos[WHITE + side]) & ~int(pos[king.word]) for side in (0, 1)):
                return Outcome(None, Reason.ROBADO)
        if not len(legal_moves(rules, pos)):
            if king is not None and rules.succession and not int(pos[king.word]) & int(pos[WHITE + us]):
                return Outcome(1 - us, Reason.NO_HEIR)
            if not self.in_check():
                return Outcome(None, Reason.STALEMATE)
            if rules.mate_series and not int(pos[MARKS]) >> (1 - us) & 1:
                return Outcome(None, Reason.NIOL)
            return Outcome(1 - us, Reason.CHECKMATE)
        return None

    def outcome(self) -> Outcome | None:
        """How the game ended, None while it goes on; what the position decides comes before what is counted."""
        rules, pos = self.rules, self.pos
        decided = self.verdict()
        if decided is not None:
            return decided
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
