"""Probing: what tables in a folder say about positions and moves.

A value holds for best play from both sides without history: the winner needs no repetition, and the 50-move rule is not
counted, only reported (Line.quiet). Positions with castling rights are in no table.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import variants
from engine.core.ending import ending_kernel
from engine.core.legality import position_after, settle_kernel
from engine.core.reasons import LAST_LOSS, LAST_WIN, NOT_OVER
from engine.errors import CommandError
from engine.rules import BLACK, CASTLING, CLOCK, EP, WHITE, Rules
from engine.text import Position, legal_moves
from search.tables.atlas import Charts
from search.tables.files import SUFFIX, TableError, TableFile
from search.tables.kernels import find_kernel, unpack_kernel
from search.tables.materials import stands
from search.tables.numbers import FIFTY_MOVES, MOST_PIECES
from search.tables.tree import NO_TABLES, TreeTables, score_kernel

TREE_MIB = 1024  # of the tables that the search has in memory
BUNDLED = Path(variants.__file__).parent / "endings" / "tables"  # tables that come with the games
MOST_TRIES = 100_000  # numbers that are drawn for one random position


@dataclass(frozen=True)
class Value:
    """What a position is worth to the side to move: result 1, 0 or -1, and plies to the end of the game (0 for a draw)."""

    result: int
    plies: int

    def __str__(self) -> str:
        if self.result == 0:
            return "draw"
        moves = (self.plies + 1) // 2
        return f"{'win' if self.result > 0 else 'loss'} in {self.plies} plies ({moves} move{'s' if moves != 1 else ''})"

    def before(self) -> Value:
        """What a move to this position is worth to who makes it."""
        return Value(-self.result, self.plies + 1 if self.result else 0)

    @property
    def rank(self) -> tuple[int, int]:
        """Greater for what the side to move prefers: quick wins, then draws, then slow losses."""
        return self.result, -self.result * self.plies


DRAW, LOST = Value(0, 0), Value(-1, 0)


def value_of_code(code: int) -> Value:
    """The value that a code of a table stands for."""
    if code == 0:
        return DRAW
    return Value(-1, code - 1) if code & 1 else Value(1, code - 1)


@dataclass(frozen=True)
class Line:
    """Best play from both sides; moves are numbers."""

    moves: tuple[int, ...]
    quiet: int  # the most plies in a row without capture or pawn move, those before the line included
    too_long: bool  # whether the 50-move rule ends the game before the line does


def _in_memory(rules: Rules, codes: dict[str, np.ndarray]) -> TreeTables:
    """Tables for the search. `codes` is emptied: each table is freed once it is copied."""
    names = list(codes)
    charts = Charts(rules, names, names)
    while codes:
        charts.enter(*codes.popitem())
    return TreeTables(max(len(name) - 1 for name in names), charts.atlas)


class Tables:
    """The tables in a folder, FOLDER/GAME/MATERIAL.kmt. May be used by several threads.

    >>> Tables(Path("no such folder")).most_pieces(__import__("variants").find("chess"))
    0
    """

    def __init__(self, folder: Path, on_bad: Callable[[str], None] = lambda line: None, bundled: bool = False):
        """Read nothing yet.

        on_bad: called once for each file that cannot be used, which is left out from then on; bundled: whether the tables
        that come with the games are used, too, for materials that the folder lacks.
        """
        self._folders, self._on_bad = (folder, BUNDLED) if bundled else (folder,), on_bad
        self._lock = threading.RLock()
        self._games: dict[str, tuple[Charts | None, dict[str, TableFile]]] = {}
        self._trees: dict[str, TreeTables] = {}

    def _game(self, rules: Rules) -> tuple[Charts | None, dict[str, TableFile]]:
        """The charts and files of a game; both are read when first asked for."""
        with self._lock:
            if rules.traits.digest not in self._games:
                files: dict[str, TableFile] = {}
                for path in (each for folder in self._folders for each in sorted((folder / rules.name).glob(f"*{SUFFIX}"))):
                    try:
                        found = TableFile(path, rules)
                        if found.material in files:
                            continue
                        if not _is_material(rules, found.material):
                            raise TableError(f"{str(path)!r} is not a table of {rules.name}")
                        files[found.material] = found
                    except TableError as error:
                        self._on_bad(str(error))
                charts = None
                if files:
                    try:
                        charts = Charts(rules, list(files))
                    except CommandError as error:  # made by a version that did not refuse the game
                        self._on_bad(str(error))
                        files = {}
                self._games[rules.traits.digest] = charts, files
            return self._games[rules.traits.digest]

    def warm(self, rules: Rules) -> None:
        """Load and compile all that answers about a game need, before a clock runs."""
        charts, _ = self._game(rules)
        if charts is not None:
            find_kernel(rules, charts.atlas, np.zeros(rules.traits.words, np.uint64))  # no table is of the empty board
            self.tree(rules)

    def materials(self, rules: Rules) -> list[str]:
        """The materials of a game that there are tables of."""
        return list(self._game(rules)[1])

    def most_pieces(self, rules: Rules) -> int:
        """Pieces of the largest table of a game, 0 without any."""
        return max((len(name) - 1 for name in self.materials(rules)), default=0)

    def file(self, rules: Rules, material: str) -> TableFile | None:
        """The file of a material, if there is one."""
        return self._game(rules)[1].get(material)

    def _drop(self, rules: Rules, material: str, error: TableError) -> None:
        """Leave a file out that turned out to be damaged."""
        with self._lock:
            files = self._game(rules)[1]
            if files.pop(material, None) is not None:
                self._on_bad(str(error))

    # Values

    def value(self, rules: Rules, pos: Position) -> Value | None:
        """The value of a position; None if no table has it."""
        over = decided(rules, pos)
        if over is not None:
            return over
        if (int(pos[WHITE]) | int(pos[BLACK])).bit_count() > min(self.most_pieces(rules), MOST_PIECES) or int(pos[CASTLING]):
            return None
        if int(pos[EP]):  # such positions have no number
            values = [value for _, value in self.moves(rules, pos)]
            return max(values, key=lambda value: value.rank) if values else None
        charts, files = self._game(rules)
        assert charts is not None
        table, index = find_kernel(rules, charts.atlas, pos)
        name = charts.names[int(table)] if table >= 0 else ""
        if name not in files:
            return None
        try:
            return value_of_code(files[name].code(int(index)))
        except TableError as error:
            self._drop(rules, name, error)
            return None

    def moves(self, rules: Rules, pos: Position) -> list[tuple[int, Value]]:
        """The legal moves, as numbers, and what each is worth to who makes it, best first; none if one is in no table."""
        found = []
        for move in map(int, legal_moves(rules, pos)):
            value = self.value(rules, position_after(rules, pos, move))
            if value is None:
                return []
            found.append((move, value.before()))
        return sorted(found, key=lambda each: each[1].rank, reverse=True)

    def line(self, rules: Rules, pos: Position, most: int = 1000) -> Line:
        """Best play from a position, at most that many plies; nothing for a draw or where tables lack."""
        played: list[int] = []
        worst, too_long = int(pos[CLOCK]), False
        while len(played) < most:
            moves = self.moves(rules, pos)
            if not moves or moves[0][1].result == 0:
                break
            too_long |= int(pos[CLOCK]) >= FIFTY_MOVES  # drawn already, even if this move is a capture
            played.append(moves[0][0])
            pos = position_after(rules, pos, moves[0][0])
            worst = max(worst, int(pos[CLOCK]))
        return Line(tuple(played), worst, too_long)

    def tree(self, rules: Rules) -> TreeTables:
        """Tables for the search, in memory: small ones first, as many as TREE_MIB has room for. Damaged ones are left out."""
        with self._lock:
            digest = rules.traits.digest
            if digest not in self._trees:
                codes: dict[str, np.ndarray] = {}
                room = TREE_MIB << 20
                for name, file in sorted(self._game(rules)[1].items(), key=lambda item: item[1].entries):
                    room -= 2 * file.entries
                    if room < 0:
                        break
                    try:
                        codes[name] = file.codes()
                    except TableError as error:
                        self._drop(rules, name, error)
                self._trees[digest] = _in_memory(rules, codes) if codes else NO_TABLES
            return self._trees[digest]

    # Positions of a table

    def position(self, rules: Rules, material: str, index: int) -> Position | None:
        """The position with that number in a table; None if there is none."""
        charts, _ = self._game(rules)
        if charts is None or material not in charts.number:
            return None
        pos = np.zeros(rules.traits.words, np.uint64)
        if not unpack_kernel(rules, charts.atlas, charts.number[material], index, pos):
            return None
        settle_kernel(rules, pos)
        return pos

    def random_positions(self, rules: Rules, material: str, chance: np.random.Generator) -> Iterator[tuple[Position, Value]]:
        """Positions of a table drawn with equal chances, and their values, without end. Raises TableError."""
        file = self.file(rules, material)
        assert file is not None, material
        while True:
            for _ in range(MOST_TRIES):
                index = int(chance.integers(file.entries))
                pos = self.position(rules, material, index)
                if pos is not None:
                    yield pos, value_of_code(file.code(index))
                    break
            else:
                return


@functools.cache
def bundled() -> Tables:
    """The tables that come with the games: of endings that the search does not win by what it knows of them otherwise."""
    return Tables(BUNDLED)


def warm_bundled(rules: Rules) -> None:
    """Load and compile what the search needs of the tables that come with a game, before a clock runs."""
    tree = bundled().tree(rules)
    if tree.most:
        score_kernel(rules, tree, np.zeros(rules.traits.words, np.uint64), 0)  # no table is of the empty board


def decided(rules: Rules, pos: Position) -> Value | None:
    """The value of a position in which the game is over, repetition and the 50-move rule apart; None while it goes on."""
    reason = int(ending_kernel(rules, pos, np.empty(rules.traits.max_moves, np.uint32)))
    if reason == NOT_OVER:
        return None
    if reason <= LAST_LOSS:
        return LOST
    return Value(1, 0) if reason <= LAST_WIN else DRAW


def _is_material(rules: Rules, name: str) -> bool:
    sides = name.split("v")
    return len(sides) == 2 and all(side and set(side) <= set(rules.letters) for side in sides) \
        and len(name) - 1 <= MOST_PIECES and stands(rules, name)
