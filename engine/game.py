"""A game in progress: its start position, the moves made, what is legal now, and how it ended."""

from __future__ import annotations

import enum
import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import variants
from engine.core.bits import squares
from engine.core.ending import MOST_MINOR, ending_kernel, only_minor_pieces
from engine.core.legality import in_check_kernel, position_after
from engine.core.reasons import (
    BARE_KING,
    BOTH_GOALS,
    CHECK_LIMIT,
    CHECKMATE,
    ENEMY_EXPLODED,
    EXPLOSION,
    EXTINCTION,
    EXTINCTION_WIN,
    GOAL,
    KING_CAPTURED,
    LAST_LOSS,
    LAST_WIN,
    NO_HEIR,
    NOT_OVER,
    OWN_GOAL,
    STALEMATE,
    STALEMATE_LOSS,
    STALEMATE_WIN,
    WEAK_MATE,
)
from engine.errors import MoveError
from engine.rules import BLACK, CLOCK, KEY, PLY, ROYAL, TURN, WHITE, Rules
from engine.text import MoveParts, Position, board_text, legal_moves, move_parts, move_text, parse_fen, parse_move, to_fen
from engine.text.moves import castling_target

if TYPE_CHECKING:
    import chess


class Reason(enum.Enum):
    """Why a game is over."""

    CHECKMATE = "checkmate"
    EXPLOSION = "explosion"
    NO_HEIR = "no heir"
    KING_CAPTURED = "king captured"
    CHECK_LIMIT = "check limit"
    GOAL = "goal"
    EXTINCTION = "extinction"  # a side without pieces
    NIOL = "niol"  # a mate whose series of checks has no shak: a draw
    ROBADO = "robado"  # a bare king: a draw
    STALEMATE = "stalemate"
    REPETITION = "repetition"
    FIFTY_MOVES = "50 moves"
    MATERIAL = "insufficient material"


REASONS = {CHECKMATE: Reason.CHECKMATE, EXPLOSION: Reason.EXPLOSION, NO_HEIR: Reason.NO_HEIR,
           KING_CAPTURED: Reason.KING_CAPTURED, CHECK_LIMIT: Reason.CHECK_LIMIT, WEAK_MATE: Reason.NIOL,
           BARE_KING: Reason.ROBADO, STALEMATE: Reason.STALEMATE, ENEMY_EXPLODED: Reason.EXPLOSION, GOAL: Reason.GOAL,
           OWN_GOAL: Reason.GOAL, BOTH_GOALS: Reason.GOAL, EXTINCTION: Reason.EXTINCTION, EXTINCTION_WIN: Reason.EXTINCTION,
           STALEMATE_LOSS: Reason.STALEMATE,
           STALEMATE_WIN: Reason.STALEMATE}


@dataclass(frozen=True)
class Outcome:
    """How a game ended: the winner (0 White, 1 Black, None for a draw) and why."""

    winner: int | None
    reason: Reason

    @property
    def result(self) -> str:
        """`1-0`, `0-1` or `1/2-1/2`."""
        return "1/2-1/2" if self.winner is None else ("1-0", "0-1")[self.winner]

    @property
    def claimable(self) -> bool:
        """Whether the moves ended the game and not the position: over the board a player must claim such a draw."""
        return self.reason in (Reason.REPETITION, Reason.FIFTY_MOVES)


class Game:
    """A game of one variant, similar to a Board of python-chess.

    A move is text, as in UCI, or a number, which is valid in one position only. Methods that take a move accept both.

    >>> game = Game("ataturk")
    >>> game.push("K@d1")
    >>> len(game.legal_moves()), game.fen()
    (27, 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 1 1 d1e1/e8')
    >>> game = Game("atomic", "rnbqkbnr/ppp1pppp/8/3p4/8/4P3/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
    >>> len(game.legal_moves()), game.result()
    (30, '*')

    Games can be copied and pickled; search.analysis plays and analyses them. Two games are equal if variant, position, clocks
    and move numbers are, whatever their moves were. Games can change, so they have no hash.

    >>> game = Game()
    >>> game.extend(["e2e4", "e7e5", "g1f3"])
    >>> game.move_stack, game.san("b8c6"), game.ply(), game.is_game_over()
    (['e2e4', 'e7e5', 'g1f3'], 'Nc6', 3, False)
    >>> game.copy() == game, game.root() == Game()
    (True, True)
    >>> knight = game.pop()
    >>> game.text(knight), game
    ('g1f3', Game('chess', 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2'))
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, rules: Rules | str = "chess", fen: str | None = None, chess960: bool = False):
        """Start a game, from the start position of the variant or from a FEN.

        rules: a variant, or its name; chess960: castling is written as king takes rook.
        Raises: OptionError for an unknown name, FenError.
        """
        self.rules = variants.find(rules) if isinstance(rules, str) else rules
        self.chess960 = chess960
        self.positions: list[Position] = [parse_fen(self.rules, fen or self.rules.start_fen)]  # never changed in place
        self.moves: list[int] = []

    # Python's protocols

    def __repr__(self) -> str:
        more = ", chess960=True" if self.chess960 else ""
        return f"{type(self).__name__}({self.rules.name!r}, {self.fen()!r}{more})"

    def __str__(self) -> str:
        return board_text(self.rules, self.pos)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self.rules.name == other.rules.name and self.fen() == other.fen()

    def copy(self, *, stack: bool | int = True) -> Self:
        """An independent copy with all moves made so far, the last `stack` ones, or none."""
        kept = len(self.moves) if stack is True else min(max(0, int(stack)), len(self.moves))
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.positions, other.moves = self.positions[len(self.moves) - kept:], self.moves[len(self.moves) - kept:]
        return other

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        other = self.copy()
        other.positions = [pos.copy() for pos in self.positions]
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Rules by name if possible, so that a game that is unpickled uses the compiled code of the registered variant."""
        name = self.rules.name
        known = name in variants.playable() and variants.find(name) is self.rules
        return {**self.__dict__, "rules": name if known else self.rules}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if isinstance(self.rules, str):
            self.rules = variants.find(self.rules)

    def _repr_svg_(self) -> str:
        """A picture for notebooks."""
        return str(self.board()._repr_svg_())

    # The position

    @property
    def pos(self) -> Position:
        """The current position, uint64[words]; layout in engine/core/position.py."""
        return self.positions[-1]

    @property
    def turn(self) -> int:
        """The side to move: 0 White, 1 Black."""
        return int(self.pos[TURN])

    @property
    def halfmove_clock(self) -> int:
        """Plies since the last capture or pawn move."""
        return int(self.pos[CLOCK])

    @property
    def fullmove_number(self) -> int:
        """The move number, as in the FEN."""
        return int(self.pos[PLY]) // 2 + 1

    @property
    def key(self) -> int:
        """The zobrist key of the position, without clocks and move numbers."""
        return int(self.pos[KEY])

    def key_after(self, move: int) -> int:
        """The zobrist key of the position after a legal move, given by its number."""
        return int(position_after(self.rules, self.pos, move)[KEY])

    def ply(self) -> int:
        """Plies since the start of the game, by the move number of the FEN."""
        return int(self.pos[PLY])

    def fen(self) -> str:
        """The position as FEN."""
        return to_fen(self.rules, self.pos)

    def pieces(self, side: int | None = None) -> int:
        """Bitboard of the squares occupied by a side (0 White, 1 Black), or by both."""
        if side is None:
            return int(self.pos[WHITE] | self.pos[BLACK])
        return int(self.pos[WHITE + side])

    def king(self, side: int) -> int | None:
        """The square of a side's king; None if it has none."""
        king = self.rules.traits.king
        found = 0 if king is None else int(self.pos[king.word]) & self.pieces(side)
        return found.bit_length() - 1 if found else None

    def royal_squares(self) -> list[int]:
        """The squares of the pieces of both sides that are royal by their type."""
        return [square for piece in self.rules.traits.royals for square in squares(int(self.pos[piece.word]))]

    def title_holders(self) -> list[int]:
        """The squares of the pieces of both sides that hold a rotating title; empty in games without one."""
        return list(squares(int(self.pos[ROYAL]))) if self.rules.title_order else []

    def board(self) -> chess.Board:
        """The game as a Board of python-chess, with its moves."""
        board = self.rules.board(to_fen(self.rules, self.positions[0]), chess960=self.chess960)
        if board.has_chess960_castling_rights():  # then castling is king takes rook in move_text(), too
            board.chess960 = True
        for move in self.move_stack:
            board.push_uci(move)
        return board

    def legal_moves(self) -> list[str]:
        """The legal moves as text."""
        return [move_text(self.rules, self.pos, move, self.chess960) for move in legal_moves(self.rules, self.pos)]

    def legal_numbers(self) -> list[int]:
        """The legal moves as numbers, in the order of legal_moves()."""
        return [int(move) for move in legal_moves(self.rules, self.pos)]

    def destination(self, move: int) -> int:
        """The square where the piece of a legal move ends: its target, but in castling the king's new square."""
        parts = self.parts(move)
        return castling_target(self.rules, parts.origin, parts.target) if parts.kind == "castling" else parts.target

    def is_legal(self, move: str | int) -> bool:
        """Whether a move is legal now."""
        try:
            self._number(move)
        except MoveError:
            return False
        return True

    def text(self, move: int) -> str:
        """A legal move as text."""
        return move_text(self.rules, self.pos, move, self.chess960)

    def parts(self, move: int) -> MoveParts:
        """What a legal move consists of."""
        return move_parts(self.rules, move)

    def parse(self, text: str) -> int:
        """The number of the legal move with that text. Raises MoveError."""
        return parse_move(self.rules, self.pos, text)

    def san(self, move: str | int) -> str:
        """A legal move in short algebraic notation. Raises MoveError."""
        board = self.copy(stack=False).board()
        return board.san(board.parse_uci(self.text(self._number(move))))

    def parse_san(self, san: str) -> int:
        """The number of the legal move with that short algebraic notation. Raises MoveError."""
        board = self.copy(stack=False).board()
        try:
            return self.parse(board.uci(board.parse_san(san)))
        except ValueError as error:
            raise MoveError(f"{error}") from None

    # Making moves

    @property
    def move_stack(self) -> list[str]:
        """The moves made so far, as text."""
        pairs = zip(self.positions, self.moves, strict=False)  # the last position has no move yet
        return [move_text(self.rules, pos, move, self.chess960) for pos, move in pairs]

    def push(self, move: str | int) -> None:
        """Make a move. Raises MoveError, changing nothing."""
        number = self._number(move)
        self.positions.append(position_after(self.rules, self.pos, number))
        self.moves.append(number)

    def push_san(self, san: str) -> int:
        """Make the move with that short algebraic notation, and return its number. Raises MoveError, changing nothing."""
        move = self.parse_san(san)
        self.push(move)
        return move

    def extend(self, moves: Iterable[str | int]) -> None:
        """Make several moves, all or none. Raises MoveError, with the index of the first that is not legal, from 1."""
        before = len(self.moves)
        try:
            for move in moves:
                self.push(move)
        except BaseException as error:
            number = len(self.moves) - before + 1
            del self.positions[before + 1:], self.moves[before:]
            if isinstance(error, MoveError):
                raise MoveError(f"{error}, number {number} of the moves") from None
            raise

    def pop(self) -> int:
        """Take the last move back and return its number. Raises IndexError if there is none."""
        move = self.peek()
        self.positions.pop()
        self.moves.pop()
        return move

    def peek(self) -> int:
        """The number of the last move. Raises IndexError if there is none."""
        if not self.moves:
            raise IndexError(f"no move has been made in {self!r}")
        return self.moves[-1]

    def root(self) -> Self:
        """The game before its first move."""
        other = self.copy(stack=False)
        other.positions = self.positions[:1]
        return other

    def reset(self) -> None:
        """Start again from the start position of the variant."""
        self.set_fen(self.rules.start_fen)

    def set_fen(self, fen: str) -> None:
        """Start again from another position. Raises FenError, changing nothing."""
        self.positions, self.moves = [parse_fen(self.rules, fen)], []

    def _number(self, move: str | int) -> int:
        """The number of a legal move. Raises MoveError, and TypeError for what is neither text nor a number."""
        if isinstance(move, str):
            return self.parse(move)
        number = operator.index(move)
        if number not in legal_moves(self.rules, self.pos):
            raise MoveError(f"illegal move {number} in {self.fen()}")
        return number

    # Check, repetition, the end

    def in_check(self) -> bool:
        """Whether the side to move is in check."""
        return bool(in_check_kernel(self.rules, self.pos, self.pos[TURN]))

    def is_check(self) -> bool:
        """The same as in_check(), by the name in python-chess."""
        return self.in_check()

    def is_checkmate(self) -> bool:
        """Whether the side to move is checkmated."""
        decided = self.verdict()
        return decided is not None and decided.reason is Reason.CHECKMATE

    def is_stalemate(self) -> bool:
        """Whether the side to move has no move and is not in check."""
        decided = self.verdict()
        return decided is not None and decided.reason is Reason.STALEMATE

    def is_repetition(self, count: int = 3) -> bool:
        """Whether the position has occurred that often."""
        return self.repetitions() >= count

    def is_game_over(self) -> bool:
        """Whether the game is over; draws by repetition and by 50 moves need no claim."""
        return self.outcome() is not None

    def result(self) -> str:
        """`1-0`, `0-1`, `1/2-1/2`, or `*` if the game is not over; outcome() also says why."""
        outcome = self.outcome()
        return "*" if outcome is None else outcome.result

    def repetitions(self) -> int:
        """How often the position has occurred, including now."""
        return sum(1 for position in self.repeatable() if position[KEY] == self.pos[KEY])

    def repeatable(self) -> list[Position]:
        """The last positions, this one included, that the rules allow to occur again: those since a capture or pawn move."""
        if self.rules.traits.captures_return:
            return self.positions
        return self.positions[-1 - int(self.pos[CLOCK]):]

    def verdict(self) -> Outcome | None:
        """The outcome by the position alone: mate, stalemate, exploded king, no heir, bare king; None if it is not over."""
        reason = int(ending_kernel(self.rules, self.pos, np.empty(self.rules.traits.max_moves, np.uint32)))
        if reason == NOT_OVER:
            return None
        if LAST_LOSS < reason <= LAST_WIN:
            return Outcome(self.turn, REASONS[reason])
        return Outcome(1 - self.turn if reason <= LAST_LOSS else None, REASONS[reason])

    def outcome(self) -> Outcome | None:
        """How the game ended, None if it is not over; verdict() comes before draws by material, repetition and 50 moves."""
        rules, pos = self.rules, self.pos
        decided = self.verdict()
        if decided is not None:
            return decided
        if rules.material_draws and self._few_pieces():
            return Outcome(None, Reason.MATERIAL)
        if 0 < rules.repetitions <= self.repetitions():
            return Outcome(None, Reason.REPETITION)
        if 0 < rules.progress_limit <= pos[CLOCK]:
            return Outcome(None, Reason.FIFTY_MOVES)
        return None

    def _few_pieces(self) -> bool:
        """Whether there are only kings, and at most one knight or bishop."""
        return self.pieces().bit_count() <= MOST_MINOR and bool(only_minor_pieces(self.rules.traits, self.pos))
