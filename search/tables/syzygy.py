"""Syzygy tablebases at the root of a search: which moves keep the best result, and how soon they make progress.

python-chess reads the files. They say who wins under the 50-move rule (WDL: .rtbw in chess) and how many plies the next
capture or pawn move is away (DTZ: .rtbz), see https://syzygy-tables.info/metrics. This module imports python-chess, which takes
a tenth of a second: import it only if the user has such files.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import chess
import chess.syzygy
import chess.variant

import variants
from engine.core.legality import position_after
from engine.game import Game
from engine.rules import CASTLING, CLOCK, Rules
from engine.text import Position, legal_moves, to_fen
from search.tables.files import TableError
from search.tables.numbers import FIFTY_MOVES
from search.tables.probing import decided

SURE = FIFTY_MOVES - 1  # plies until the next capture or pawn move: distances are rounded, by one ply at most
WIN_SCORE = 20_000  # centipawns of a won position without a known mate, as other engines report it
CHECKSUM = 16  # bytes, at the end of a file whose other blocks have 64 each
MAGIC = 4  # bytes
PIECES_AT = 5  # the byte where the lists of pieces begin
PAWN_FILES = 4  # files with a list of their own, where there are pawns
HEADER = 64  # bytes, more than the lists take


@functools.cache
def games() -> dict[str, type[chess.Board]]:
    """The games that have such tables, with their Boards: those declared with a Board of python-chess that has tables.

    Boards of others may be registered there, too, and inherit the suffix of the files.
    """
    ours, own = variants.playable(), ("chess", "chess.variant")
    boards = {str(board.uci_variant): board for board in chess.variant.VARIANTS if board.tbw_suffix and board.__module__ in own}
    return {name: board for name, board in boards.items() if name in ours and variants.find(name).board is board}


class Prober(Protocol):
    """What is asked of python-chess's Tablebase. Both raise MissingTableError, and TableError for damaged files."""

    def probe_wdl(self, board: chess.Board) -> int:
        """2 for a win of the side to move, 1 for one that takes too long for the 50-move rule, 0, -1 or -2."""

    def probe_dtz(self, board: chess.Board) -> int:
        """Plies to the next capture or pawn move, negative for a loss, 0 for a draw; beyond 100 if the 50-move rule draws."""


@dataclass(frozen=True)
class Grade:
    """What a move is worth to who makes it, the 50-move rule counted.

    wdl: 2 win, 1 win that the 50-move rule draws, 0 draw, -1 loss that it draws, -2 loss;
    plies: to the next capture or pawn move, 0 if unknown.
    """

    wdl: int
    plies: int

    @property
    def rank(self) -> tuple[int, int]:
        """Greater for what the mover prefers: wins that progress soon, then draws, then losses that take long."""
        return self.wdl, -self.plies if self.wdl > 0 else self.plies

    def __str__(self) -> str:
        name = {2: "win", 1: "win, a draw by the 50-move rule", 0: "draw", -1: "loss, a draw by the 50-move rule", -2: "loss"}
        progress = f", next capture or pawn move in {self.plies} plies" if self.plies and self.wdl else ""
        return name[self.wdl] + progress


@dataclass(frozen=True)
class SyzygyRoot:
    """What the files say of the moves to choose from, best first."""

    moves: tuple[tuple[int, Grade], ...]

    @property
    def best(self) -> list[int]:
        """The moves to choose from: those that hold the best result, and of these the ones that hold it best."""
        return [move for move, grade in self.moves if grade.rank == self.moves[0][1].rank]

    @property
    def grade(self) -> Grade:
        """What the best move is worth."""
        return self.moves[0][1]

    @property
    def score(self) -> int:
        """Centipawns, where the search finds no mate."""
        wdl = self.grade.wdl
        return 0 if abs(wdl) < 2 else WIN_SCORE if wdl > 0 else -WIN_SCORE


class Files(chess.syzygy.Tablebase):
    """The files of one game. A file that cannot be read is left out from then on, and named by the TableError."""

    def __init__(self, board: type[chess.Board]):
        super().__init__(VariantBoard=board)

    def probe_wdl_table(self, board: chess.Board) -> int:
        """As in python-chess. Raises TableError."""
        try:
            return super().probe_wdl_table(board)
        except chess.syzygy.MissingTableError:
            raise
        except Exception as error:
            raise self._damaged(self.wdl, board) from error

    def probe_dtz_table(self, board: chess.Board, wdl: int) -> tuple[int, int]:
        """As in python-chess. Raises TableError."""
        try:
            return super().probe_dtz_table(board, wdl)
        except chess.syzygy.MissingTableError:
            raise
        except Exception as error:
            raise self._damaged(self.dtz, board) from error

    def _damaged(self, tables: dict[str, chess.syzygy.Table], board: chess.Board) -> TableError:
        table = tables[chess.syzygy.calc_key(board)]
        for key in (table.key, table.mirrored_key):
            tables.pop(key, None)
        return TableError(f"{table.path!r} is damaged")


class Syzygy:
    """The Syzygy files in some folders. May be used by several threads."""

    def __init__(self, folders: Sequence[Path], on_bad: Callable[[str], None] = lambda line: None):
        """on_bad: called once for each file that cannot be used, which is left out from then on."""
        self.folders, self._on_bad = tuple(folders), on_bad
        self._lock = threading.RLock()
        self._games: dict[str, tuple[Prober | None, int]] = {}  # by the digest: prober, pieces of the largest table
        self._distrusted: set[tuple[str, str]] = set()  # games and materials whose files contradict each other

    def use(self, rules: Rules, prober: Prober, most_pieces: int) -> None:
        """Ask this prober about a game, instead of files in the folders."""
        with self._lock:
            self._games[rules.traits.digest] = prober, most_pieces

    def _game(self, rules: Rules) -> tuple[Prober | None, int]:
        """Prober and size of a game; the folders are read when a game is first asked for."""
        with self._lock:
            if rules.traits.digest not in self._games:
                name = next((name for name in games() if variants.find(name).traits.digest == rules.traits.digest), None)
                self._games[rules.traits.digest] = (None, 0) if name is None else self._open(name)
            return self._games[rules.traits.digest]

    def _open(self, name: str) -> tuple[Prober | None, int]:
        """All sound files of a game."""
        board = games()[name]
        files, most = Files(board), 0
        for folder in self.folders:
            for path in sorted(folder.iterdir()) if folder.is_dir() else ():
                try:
                    if path.suffix in _magics(board) and _checked(path, name):
                        most = max(most, len(path.stem) - 1)
                        files.add_file(str(path))
                except TableError as error:
                    self._on_bad(str(error))
        return (files, most) if files.wdl else (None, 0)

    def most_pieces(self, rules: Rules) -> int:
        """Pieces of the largest table of a game, 0 without any."""
        return self._game(rules)[1]

    def root(self, game: Game, allowed: Sequence[int]) -> SyzygyRoot | None:
        """What the files say of the allowed moves; None if they do not know them all."""
        with self._lock:
            grades = dict(self.moves(game.rules, game.pos))
        moves = [(move, grades[move]) for move in allowed if move in grades]
        return SyzygyRoot(tuple(sorted(moves, key=lambda each: each[1].rank, reverse=True))) if moves else None

    def moves(self, rules: Rules, pos: Position) -> list[tuple[int, Grade]]:
        """The legal moves, as numbers, and what each is worth, best first; none if the files do not know them all."""
        prober, most = self._game(rules)
        board = chess.Board(None) if prober is None else self._board(rules, pos)
        if prober is None or int(pos[CASTLING]) or chess.popcount(board.occupied) > most:
            return []
        material = chess.syzygy.calc_key(board)
        if (rules.traits.digest, material) in self._distrusted:
            return []
        try:
            found = _graded(rules, pos, prober)
            if found and _sign(prober.probe_wdl(board)) != _sign(found[0][1].wdl):
                self._distrusted.add((rules.traits.digest, material))
                self._on_bad(f"the Syzygy table of {material} contradicts those of its moves")
                return []
        except chess.syzygy.MissingTableError:
            return []
        except TableError as error:
            self._on_bad(str(error))
            return []
        return found

    @staticmethod
    def _board(rules: Rules, pos: Position) -> chess.Board:
        return rules.board(to_fen(rules, pos))


def folders_in(text: str) -> list[Path]:
    """The folders of a path list, separated as in PATH."""
    return [Path(name) for name in text.split(os.pathsep) if name]


def _graded(rules: Rules, pos: Position, prober: Prober) -> list[tuple[int, Grade]]:
    """Each legal move with its grade, best first. Raises what the prober raises."""
    found = [(move, _grade(rules, position_after(rules, pos, move), prober)) for move in map(int, legal_moves(rules, pos))]
    if any(grade.wdl and not grade.plies for _, grade in found):  # distances that some moves lack compare none
        found = [(move, Grade(grade.wdl, 0)) for move, grade in found]
    return sorted(found, key=lambda each: each[1].rank, reverse=True)


def _grade(rules: Rules, after: Position, prober: Prober) -> Grade:
    """What a move to this position is worth to who made it."""
    over = decided(rules, after)
    if over is not None:
        return Grade(-2 * over.result, 1 if over.result else 0)
    board = rules.board(to_fen(rules, after))
    wdl, clock = -prober.probe_wdl(board), int(after[CLOCK])
    if wdl == 0 or clock == 0:
        return Grade(wdl, 1 if wdl else 0)
    try:
        plies = abs(prober.probe_dtz(board))
    except chess.syzygy.MissingTableError:
        return Grade(wdl, 0)
    return Grade(_sign(wdl) if clock + plies > SURE else wdl, plies + 1)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _magics(board: type[chess.Board]) -> dict[str, tuple[bytes | None, ...]]:
    """The first bytes that a game's files may have, by their suffix; those of losing chess without pawns serve suicide, too."""
    return {str(board.tbw_suffix): (board.tbw_magic, board.pawnless_tbw_magic),
            str(board.tbz_suffix): (board.tbz_magic, board.pawnless_tbz_magic)}


def _checked(path: Path, name: str) -> bool:
    """Whether a file has the name, the first bytes and the size of a table of the game. Raises TableError."""
    board = games()[name]
    magics = _magics(board)
    if not chess.syzygy.is_tablename(path.stem, one_king=board.one_king):
        raise TableError(f"{str(path)!r} has no name of a table")
    try:
        with path.open("rb") as file:
            header, size = file.read(HEADER), os.fstat(file.fileno()).st_size
    except OSError as error:
        raise TableError(f"{str(path)!r} cannot be read: {error.strerror or error}") from None
    if header[:MAGIC] not in magics[path.suffix]:
        raise TableError(f"{str(path)!r} {_other(header[:MAGIC], path.suffix, name)}")
    if size % 64 != CHECKSUM:
        raise TableError(f"{str(path)!r} is cut short or altered: no table has {size} bytes")
    if not _of_material(header, path.stem, both_sides=path.suffix == board.tbw_suffix):
        raise TableError(f"{str(path)!r} is damaged: it lists other pieces than {path.stem}")
    return True


def _of_material(header: bytes, material: str, *, both_sides: bool) -> bool:
    """Whether a file lists the pieces of its name. python-chess looks for them on the board without end.

    A list has a nibble for each piece: the low ones for one side to move, the high ones for the other in files of results.
    """
    white, black = ([chess.PIECE_SYMBOLS.index(letter.lower()) for letter in side] for side in material.split("v"))
    wanted = [sorted([*white, *(8 + kind for kind in black)]), sorted([*black, *(8 + kind for kind in white)])]
    orders = 1 + (chess.PAWN in white and chess.PAWN in black)
    at, pieces = PIECES_AT, len(white) + len(black)
    for _ in range(PAWN_FILES if chess.PAWN in white + black else 1):
        listed = header[at + orders:at + orders + pieces]
        sides = [sorted(each >> shift & 15 for each in listed) for shift in ((0, 4) if both_sides else (0,))]
        if not all(side in wanted for side in sides):
            return False
        at += orders + pieces
    return True


def _other(magic: bytes, suffix: str, name: str) -> str:
    """What a file is that begins with the wrong bytes."""
    for each, board in games().items():
        for kind, starts in _magics(board).items():
            if magic in starts:
                return f"is a table of {each}, not of {name}" if each != name else f"is a {kind} table, not a {suffix} one"
    return "is not a table"
