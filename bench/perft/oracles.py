"""Counters of leaves: the compiled engine, the game's python-chess Board, another engine; and where two of them differ.

Each counts the leaves below each legal move of a position, which is given by moves from a common one. Moves are written
as the engine does, castling as king takes rook.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol, Self

import chess

from bench.clients.process import EngineGoneError, NoAnswerError, blamed
from bench.clients.programs import words_of
from bench.clients.uci import UciClient
from engine.core.legality import position_after
from engine.errors import CommandError, MoveError
from engine.rules import Rules
from engine.text import Position, move_text, parse_move, to_fen

START_SECONDS = 15.0  # until uciok

Counter = Callable[["Position", int], dict[int, int]]  # leaves below each move


class Oracle(Protocol):
    """A program that can divide."""

    @property
    def name(self) -> str:
        """The program's name."""

    def divide(self, line: Sequence[str], depth: int) -> dict[str, int]:
        """Leaves `depth` >= 1 plies below the position after `line`, by move."""


class Ours:
    """The compiled engine."""

    name = "kingmaker"

    def __init__(self, rules: Rules, pos: Position, count: Counter):
        self.rules, self.pos, self.count = rules, pos, count

    def position(self, line: Sequence[str]) -> Position:
        """The position after a line of moves."""
        pos = self.pos
        for text in line:
            pos = position_after(self.rules, pos, parse_move(self.rules, pos, text))
        return pos

    def divide(self, line: Sequence[str], depth: int) -> dict[str, int]:
        """Leaves by move, counted by the engine."""
        pos = self.position(line)
        return {move_text(self.rules, pos, move, chess960=True): leaves for move, leaves in self.count(pos, depth).items()}


class BoardOracle:
    """The game's python-chess Board: slow, and written apart from the engine."""

    def __init__(self, rules: Rules, fen: str):
        """fen: with castling by rook files."""
        self.name = f"the Board of {rules.name}"
        self.board = rules.board(fen, chess960=True)

    def divide(self, line: Sequence[str], depth: int) -> dict[str, int]:
        """Leaves by move, counted by the Board."""
        board = self.board
        for text in line:
            board = _after(board, {board.uci(move, chess960=True): move for move in board.legal_moves}[text])
        return {board.uci(move, chess960=True): _leaves(_after(board, move), depth - 1) if depth > 1 else 1
                for move in board.legal_moves}


def _after(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy(stack=False)
    after.push(move)
    return after


def _leaves(board: chess.Board, depth: int) -> int:
    if depth == 1:
        return board.legal_moves.count()
    return sum(_leaves(_after(board, move), depth - 1) for move in board.legal_moves)


class Rival:
    """Another UCI engine that knows `go perft`. Raises CommandError if it ends, or does not answer in time."""

    def __init__(self, command: str, rules: Rules, timeout: float):
        """Start it. Raises CommandError if it does not start, is no UCI engine or does not play the game."""
        self.rules, self.timeout = rules, timeout
        self.engine = UciClient(words_of(command))
        try:
            with blamed(self.engine):
                self._greet(min(timeout, START_SECONDS))
                self.engine.ready(timeout)
                self._choose_variant()
        except CommandError:
            self.engine.kill()
            raise
        self.name = self.engine.name

    def _greet(self, seconds: float) -> None:
        try:
            self.engine.greet(seconds)
        except NoAnswerError as error:
            raise CommandError(f"{self.engine.name}: {error}; --against takes UCI engines, those of XBoard have no go perft"
                               ) from None

    def _choose_variant(self) -> None:
        offered = self.engine.variants
        names = (self.rules.name, self.rules.fairy_name, *self.rules.aliases)
        known = next((name for name in names if name and name in offered), None)
        if known is not None:
            self.engine.set_variant(known, self.timeout)
        elif offered or self.rules.name != "chess":
            raise CommandError(f"{self.engine.name} does not play {self.rules.name}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        with suppress(EngineGoneError):
            self.engine.quit()

    def at(self, pos: Position, chess960: bool) -> RivalOracle:
        """The engine at a position. chess960: castling as king takes rook, rights by files."""
        if "uci_chess960" in self.engine.options:
            with blamed(self.engine):
                self.engine.set_option("UCI_Chess960", chess960)
                self.engine.ready(self.timeout)
        elif chess960:
            raise CommandError(f"{self.name} knows no Chess960 (option UCI_Chess960)")
        return RivalOracle(self, self.rules, pos, chess960)

    def leaves(self, fen: str, moves: Sequence[str], depth: int) -> dict[str, int]:
        """The leaves below each move, as the engine writes moves."""
        with blamed(self.engine):
            self.engine.set_position(fen, moves)
            self.engine.ready(self.timeout)
            lines = [line for _, line in self.engine.perft(depth, self.timeout)]
        found = {match[1]: int(match[2]) for line in lines if (match := re.fullmatch(r"(\S+): (\d+)", line.strip()))}
        total = re.search(r"\d+", lines[-1])
        if total is None or sum(found.values()) != int(total[0]):
            raise CommandError(f"{self.name}: the counts of its moves do not add up to {lines[-1]!r} at {fen}")
        return found


@dataclass
class RivalOracle:
    """Another engine at one position."""

    rival: Rival
    rules: Rules
    pos: Position
    chess960: bool
    spelled: dict[tuple[str, ...], str] = field(default_factory=dict)  # by line: its last move as the rival writes it

    @property
    def name(self) -> str:
        """The other engine's name."""
        return self.rival.name

    def divide(self, line: Sequence[str], depth: int) -> dict[str, int]:
        """Leaves by move, counted by the other engine."""
        fen = to_fen(self.rules, self.pos, shredder=self.chess960)
        if self.rules.traits.mate_series:  # other engines lack the field, and no count depends on it
            fen = " ".join(fen.split()[:6])
        pos = Ours(self.rules, self.pos, lambda pos, depth: {}).position(line)
        moves = [self.spelled[tuple(line[:end])] for end in range(1, len(line) + 1)]
        found = {}
        for words, leaves in self.rival.leaves(fen, moves, depth).items():
            try:
                text = move_text(self.rules, pos, parse_move(self.rules, pos, words), chess960=True)
            except MoveError:
                text = words
            self.spelled[(*line, text)] = words
            found[text] = leaves
        return found


@dataclass(frozen=True)
class Difference:
    """Where two lists of legal moves differ: the line there, the moves only one has, and the counts on the way."""

    line: tuple[str, ...]
    ours_alone: tuple[str, ...]
    theirs_alone: tuple[str, ...]
    steps: tuple[str, ...]


def first_difference(ours: Oracle, theirs: Oracle, depth: int) -> Difference | None:
    """The shallowest position within `depth` plies whose legal moves differ; None if there is none."""
    for height in range(1, depth + 1):
        left, line, steps = height, list[str](), list[str]()
        mine, other = ours.divide(line, left), theirs.divide(line, left)
        while mine != other:
            if set(mine) != set(other):
                return Difference(tuple(line), _only(mine, other), _only(other, mine), tuple(steps))
            move = min(move for move in mine if mine[move] != other[move])
            steps.append(f"{move}, {left - 1} plies below it: {mine[move]:,} by {ours.name}, {other[move]:,} by {theirs.name}")
            line.append(move)
            left -= 1
            before = mine[move], other[move]
            mine, other = ours.divide(line, left), theirs.divide(line, left)
            after = sum(mine.values()), sum(other.values())
            if before != after:  # a count depends on how the position is reached
                who = ours.name if before[0] != after[0] else theirs.name
                steps.append(f"{who} contradicts itself: {before} from above, {after} from there")
                return Difference(tuple(line), (), (), tuple(steps))
    return None


def _only(these: dict[str, int], those: dict[str, int]) -> tuple[str, ...]:
    return tuple(sorted(set(these) - set(those)))
