"""Openings from books: EPD with four to seven fields, or PGN."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path

from bench.data import BOOKS
from bench.match.pgn import parsed
from bench.openings.epd import read_positions
from engine.errors import CommandError
from engine.game import Game
from engine.rules import Rules

SHIPPED = "book"  # file=book is the shipped book


@dataclass(frozen=True)
class Opening:
    """The beginning of a game: a position, and moves from there."""

    fen: str
    moves: tuple[str, ...] = ()
    name: str = ""
    place: int | None = None  # in the book, from 1


@dataclass(frozen=True)
class Book:
    """A file of openings and how to use it."""

    file: str
    format: str = "epd"
    order: str = "sequential"
    plies: int | None = None
    start: int = 1

    def path(self, variant: str) -> Path:
        """The path of the file. Raises CommandError."""
        path = Path(self.file)
        if self.file == SHIPPED and not path.exists():
            path = BOOKS / f"{variant}.epd"
        if not path.is_file():
            raise CommandError(f"no book of openings at {str(path)!r}")
        return path

    def openings(self, rules: Rules, chess960: bool, seed: int, wanted: int) -> list[Opening]:
        """As many openings as wanted, in order; a book that is too short is repeated.

        Raises: CommandError naming file, line and error of what is not an opening of the game.
        """
        path = self.path(rules.name)
        found = (read_pgn(path, rules, chess960, self.plies) if self.format == "pgn" else
                 read_epd(path, rules, chess960))
        if not found:
            raise CommandError(f"{path} has no openings")
        if self.order == "random":
            random.Random(seed).shuffle(found)
        return [found[(self.start - 1 + index) % len(found)] for index in range(wanted)]


def read_epd(path: Path, rules: Rules, chess960: bool) -> list[Opening]:
    """The openings of an EPD file, one position per line. Raises CommandError."""
    found: list[Opening] = []
    for number, line, fen in read_positions(path, rules):
        name = re.search(r'\bid\s+"([^"]*)"', line)
        fen = _playable(Game(rules, fen, chess960), f"{path}, line {number}")
        found.append(Opening(fen, (), name[1] if name else "", len(found) + 1))
    return found


def read_pgn(path: Path, rules: Rules, chess960: bool, plies: int | None = None) -> list[Opening]:
    """The first `plies` moves of each game of a PGN; None: all of them. Raises CommandError."""
    found: list[Opening] = []
    for number, read in enumerate(parsed(path), 1):
        where = f"{path}, game {number}"
        if read.errors:
            raise CommandError(f"{where}: {read.errors[0]}")
        board = read.board()
        if type(board).uci_variant != rules.name:
            raise CommandError(f"{where} is a game of {type(board).uci_variant}, not of {rules.name}")
        fen, moves = board.fen(), []
        for move in list(read.mainline_moves())[:plies]:
            moves.append(board.uci(move))
            board.push(move)
        game = Game(rules, fen, chess960)
        for text in moves:
            game.push(text)
        _playable(game, where)
        names = [read.headers.get(tag, "") for tag in ("ECO", "Opening", "Event")]
        name = next((name for name in names if name.strip("?")), "")
        found.append(Opening(fen, tuple(moves), name, number))
    return found


def _playable(game: Game, where: str) -> str:
    """The position's FEN. Raises CommandError if the game is over."""
    outcome = game.outcome()
    if outcome is not None:
        raise CommandError(f"{where}: the game is over there, {outcome.result} by {outcome.reason.value}")
    return game.fen()
