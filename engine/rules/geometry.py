"""The board: which squares there are, where a step from one of them leads, and the tables and constants that follow from it.

Every board lies in one 64-bit word with eight squares to a rank, a1 = 0, b1 = 1, a2 = 8. A smaller board fills the lower left
corner of that word: a slider that leaves it at the right or the top never comes back, so that the attack tables of the full
board serve any size, once the squares outside are taken out of a piece's goals.

The kernels know a board by the constants here; they hold no number of files or ranks themselves.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

import numpy as np

from engine.errors import RulesError
from engine.squares import SQUARES

STRIDE = 8  # squares from one rank to the next
WORD = 64  # squares a word has room for
FILE_BITS, RANK_SHIFT = np.uint64(STRIDE - 1), np.uint64(3)  # file: square & FILE_BITS; rank: square >> RANK_SHIFT
RANK_BITS = np.uint64(WORD - STRIDE)  # the first square of its rank: square & RANK_BITS
UPSIDE_DOWN, HALF_TURN = RANK_BITS, np.uint64(WORD - 1)  # to xor a square with, on the full board
LIGHT = np.uint64(0x55AA_55AA_55AA_55AA)  # the light squares; a1 is dark
SMALLEST, LARGEST = 5, 8  # files, ranks
KING_DIRECTIONS = tuple((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y)
# a queen's; the opposite of each stands four further
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (-1, 1), (0, -1), (-1, 0), (-1, -1), (1, -1))

Way = tuple[int, int]  # files east, ranks north
CastlingFiles = tuple[tuple[int, int], tuple[int, int]]  # west, east: where the king goes, where the rook goes


class Geometry:
    """A board of `files` by `ranks`. Bitboards and squares are numpy.uint64, tables of them are by square.

    wraps: whether the first and the last file touch, as on a cylinder.
    """

    def __init__(self, files: int, ranks: int, wraps: bool = False):
        for what, number in (("files", files), ("ranks", ranks)):
            if not SMALLEST <= number <= LARGEST:
                raise RulesError(f"a board of {number} {what}: from {SMALLEST} to {LARGEST} are possible")
        self.files, self.ranks, self.wraps = files, ranks, wraps
        self.last_file, self.last_rank = files - 1, ranks - 1
        self._rays: dict[tuple[int, int, int], np.ndarray] = {}
        self.squares = tuple(y * STRIDE + x for y in range(ranks) for x in range(files))
        self.board = word_of(self.squares)
        # what to add to a square of the first rank to reach the same file of White's, of Black's first rank
        self.home = np.array([0, self.last_rank * STRIDE], np.uint64)
        self.west_edge, self.east_edge = (word_of(range(file, WORD, STRIDE)) for file in (0, self.last_file))
        # the files and ranks in the middle: two on boards of an even number, one twice on others
        self.centre_files, self.centre_ranks = (self.last_file // 2, files // 2), (self.last_rank // 2, ranks // 2)
        # what to take off a square that was xored with UPSIDE_DOWN, HALF_TURN
        self.mirror_shift = np.uint64((LARGEST - ranks) * STRIDE)
        self.turn_shift = np.uint64((LARGEST - ranks) * STRIDE + LARGEST - files)
        # the enemy's half of the board, by side; the same and a rank more
        half, more = ranks // 2 * STRIDE, (ranks // 2 + 1) * STRIDE
        self.enemy_half = np.array([word_of(range(ranks * STRIDE - half, WORD)), word_of(range(half))], np.uint64)
        self.far_half = np.array([word_of(range(ranks * STRIDE - more, WORD)), word_of(range(more))], np.uint64)
        self.black_home = np.uint64(self.last_rank * STRIDE)
        self.first_rank = np.array([word_of(range(home, home + files)) for home in (0, self.last_rank * STRIDE)], np.uint64)
        self.king_attacks = self._table(KING_DIRECTIONS)
        self.directions = self.lanes(DIRECTIONS)
        # castling takes the king and the rook to the two files next to the edge's: g and f, c and d of eight
        self.castling_files = ((2, 3), (files - 2, files - 3))  # west, east: the king's, the rook's

    def __repr__(self) -> str:
        return f"Geometry({self.files}, {self.ranks}, {self.wraps})"

    def step(self, square: int, files: int, ranks: int) -> int | None:
        """The square that far east and north of `square`, None outside the board."""
        x, y = square % STRIDE + files, square // STRIDE + ranks
        if self.wraps:
            x %= self.files
        return y * STRIDE + x if 0 <= x < self.files and 0 <= y < self.ranks else None

    def way(self, square: int, files: int, ranks: int, reach: int) -> Iterator[int]:
        """The squares that a step, repeated up to `reach` times, enters one after the other from `square`."""
        start = square
        for _ in range(reach):
            target = self.step(square, files, ranks)
            if target is None or target == start:
                return
            yield target
            square = target

    def path(self, square: int, ways: Iterable[Way]) -> Iterator[int]:
        """The squares that lie so far from `square`, up to the edge of the board and not round to where it began."""
        for files, ranks in ways:
            target = self.step(square, files, ranks)
            if target is None or target == square:
                return
            yield target

    def rays(self, files: int, ranks: int, reach: int) -> np.ndarray:
        """uint64[64]: the same squares as bitboards, for every square. Shared between callers: not to be changed."""
        found = self._rays.get((files, ranks, reach))
        if found is None:
            found = np.zeros(WORD, np.uint64)
            for square in self.squares:
                found[square] = sum(1 << target for target in self.way(square, files, ranks, reach))
            self._rays[files, ranks, reach] = found
        return found

    def opposite(self, square: int) -> int:
        """The square as the other side of the table sees it: a1 is h8, or the corner that the board has there."""
        return (self.last_rank - square // STRIDE) * STRIDE + self.last_file - square % STRIDE

    def mirrored(self, square: int) -> int:
        """The square as the other side sees it in a mirror: a1 is a8, or the corner that the board has there."""
        return (self.last_rank - square // STRIDE) * STRIDE + square % STRIDE

    def zone(self, names: str) -> tuple[np.uint64, np.uint64]:
        """A zone by colour. `a8b8`: Black's is turned by half a turn, unless it follows a slash, `d2/d7`."""
        white, slash, black = names.partition("/")
        ours = self.squares_named(white)
        return word_of(ours), word_of(self.squares_named(black) if slash else map(self.opposite, ours))

    def squares_named(self, names: str) -> list[int]:
        """Squares whose names run together. Raises RulesError for one that the board does not have."""
        found = []
        for i in range(0, len(names), 2):
            square = SQUARES.get(names[i:i + 2])
            if square not in self.squares:
                raise RulesError(f"{names[i:i + 2]!r} is not a square of a board of {self.files} by {self.ranks}")
            found.append(square)
        return found

    def _table(self, ways: Iterable[Way]) -> np.ndarray:
        """uint64[64]: the squares that one step in any of these ways enters."""
        table = np.zeros(WORD, np.uint64)
        for square in self.squares:
            table[square] = word_of({target for x, y in ways if (target := self.step(square, x, y)) is not None})
        return table

    def lanes(self, ways: Iterable[Way]) -> Lanes:
        """One step in each of up to eight ways."""
        return Lanes(self, tuple(ways))

    def castling_way(self, goals_of_sides: tuple[CastlingFiles, CastlingFiles]) -> np.ndarray:
        """uint64[2, 8, 8]: by side and files of king and rook, the squares that castling needs empty but for those two."""
        ways = np.zeros((2, STRIDE, STRIDE), np.uint64)
        for side, home in enumerate(map(int, self.home)):
            for king in range(self.files):
                for rook in range(self.files):
                    goals = goals_of_sides[side][rook > king]
                    files = {file for start, goal in zip((king, rook), goals, strict=True)
                             for file in range(min(start, goal), max(start, goal) + 1)} - {king, rook}
                    ways[side, king, rook] = word_of(home + file for file in files)
        return ways


class Lanes:
    """One step in up to eight ways, a lane each, for kernels that take them all at once: uint64[8] each.

    by: to rotate a bitboard left by; entered: the squares that the step enters, none in a lane without a way.
    """

    def __init__(self, geometry: Geometry, ways: tuple[Way, ...]):
        ways += ((0, 0),) * (len(DIRECTIONS) - len(ways))
        self.by = np.array([(y * STRIDE + x) % WORD for x, y in ways], np.uint64)
        entered = [geometry.rays(x, y, 1) if x or y else [0] for x, y in ways]
        self.entered = np.array([np.bitwise_or.reduce(squares) for squares in entered], np.uint64)


def word_of(squares: Iterable[int]) -> np.uint64:
    """The bitboard of different squares."""
    return np.uint64(sum(1 << square for square in squares))


@functools.cache
def board_of(files: int, ranks: int, wraps: bool = False) -> Geometry:
    """The board of that size, one object: the kernels share its tables. Raises RulesError."""
    return Geometry(files, ranks, wraps)
