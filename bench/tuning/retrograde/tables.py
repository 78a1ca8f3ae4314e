"""Exact values of elementary endings by retrograde analysis, in every game.

A material is named like `KQvKR`. Its table has an entry for every placement of its pieces, side to move and further state of
the game (titles, series of checks). Moves are the engine's; values are found from the end backwards. Repetition and the
50-move rule are ignored.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from bench.tuning.retrograde.kernels import (
    BUSY,
    CAPTURES,
    ILLEGAL,
    SLOTS,
    Atlas,
    link_kernel,
    pack_kernel,
    scan_kernel,
    settle_kernel,
    unpack_kernel,
)
from engine.errors import CommandError
from engine.rules import PLY, TYPES, Rules
from engine.text import Position
from search.tables.materials import ORDER, named, successors

FULL, FILES, CORNERS, NONE = range(4)  # symmetries: all eight; left and right; the diagonal a8-h1; none
MAX_ENTRIES = 4096
BLACK_SLOT, TITLE_SLOT = 16, 32
CHUNK = 1 << 18  # positions per call of a kernel


def _maps() -> np.ndarray:
    """int64[8, 64]: the symmetries of the board, 0 the identity, 1 left and right, 2 the diagonal a8-h1."""
    x, y = np.arange(64) & 7, np.arange(64) >> 3
    turns = ((x, y), (7 - x, y), (7 - y, 7 - x), (x, 7 - y), (7 - x, 7 - y), (y, x), (7 - y, x), (y, 7 - x))
    return np.array([file + 8 * rank for file, rank in turns], np.int64)


def _anchors(maps: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[int]]:
    """By symmetry: squares of the first piece, their numbers, the map that brings a square among them, how many there are."""
    homes = ([x + 8 * y for y in range(4) for x in range(y, 4)],
             [x + 8 * y for y in range(8) for x in range(4)],
             [x + 8 * y for y in range(8) for x in range(8) if x + y <= 7], list(range(64)))
    allowed = (range(8), (0, 1), (0, 2), (0,))
    squares, numbers, transform = np.zeros((3, 4, 64), np.int64)
    for kind, home in enumerate(homes):
        squares[kind, :len(home)] = home
        for number, square in enumerate(home):
            numbers[kind, square] = number
        for square in range(64):
            transform[kind, square] = next(m for m in allowed[kind] if maps[m, square] in home)
    return squares, numbers, transform, [len(home) for home in homes]


MAPS = _maps()
ANCHORS, NUMBERS, TRANSFORM, HOMES = _anchors(MAPS)


def _symmetry(rules: Rules) -> int:
    """The symmetry of the board with pawns."""
    pawn = rules.traits.pawn
    assert pawn is not None
    if pawn.lopsided:
        return CORNERS
    double = int(pawn.double[0])
    return FILES if all((double >> s & 1) == (double >> (s ^ 7) & 1) for s in range(64)) else NONE


class Tables:
    """The tables of some materials of a game and of all materials they lead to.

    folder: keeps tables from run to run, for experiments.
    """

    def __init__(self, rules: Rules, wanted: Iterable[str], folder: Path | None = None, progress: bool = False):
        self.rules, self.folder, self.progress = rules, folder, progress
        self.names = self._plan(wanted)
        self.number = {name: i for i, name in enumerate(self.names)}
        self.longest: dict[str, int] = {}
        n = len(self.names)
        layout, allowed = np.zeros((n, 16), np.int64), np.zeros((n, 8), np.uint64)
        signatures, owners = np.zeros(MAX_ENTRIES, np.uint64), np.full(MAX_ENTRIES, -1, np.int64)
        offset = 0
        self.sizes: list[int] = []
        for number, name in enumerate(self.names):
            size = self._lay_out(name, layout[number], allowed[number])
            layout[number, 4] = offset
            self.sizes.append(size)
            offset += size
            white, black = name.split("v")
            for swap, sides in enumerate(((white, black), (black, white))):
                self._enter(signatures, owners, sides, number * 2 + swap)
        self.flags = np.zeros(offset, np.uint8)
        self.atlas = Atlas(layout, allowed, ANCHORS, NUMBERS, TRANSFORM, MAPS, np.array([56, 56, 63, 56], np.int64),
                           signatures, owners, np.zeros(offset, np.int16))
        for name in self.names:
            self._make(name)

    # Layout.

    def _plan(self, wanted: Iterable[str]) -> list[str]:
        """All materials needed, those that others lead to first."""
        done: list[str] = []

        def add(name: str) -> None:
            for lesser in sorted(successors(self.rules, name)):
                if lesser not in done:
                    add(lesser)
            if name not in done:
                done.append(name)

        for name in wanted:
            add(named(*name.split("v")))
        return done

    def _lay_out(self, name: str, layout: np.ndarray, allowed: np.ndarray) -> int:
        rules, traits = self.rules, self.rules.traits
        sides = name.split("v")
        kind = _symmetry(rules) if "P" in name else FULL
        placed = [(colour, letter) for colour, side in enumerate(sides) for letter in side]
        size = HOMES[kind] * 64 ** (len(placed) - 1)
        states, side_states = 1, [1, 1]
        for i, (colour, letter) in enumerate(placed):
            index = rules.letters.index(letter)
            able = bool(traits.titles and letter != "P" and not (index and traits.pieces[index - 1].royal))
            layout[SLOTS + i] = TYPES + index + BLACK_SLOT * colour + TITLE_SLOT * able
            allowed[i] = np.uint64((1 << 64) - 1)
            if letter == "P":
                assert traits.pawn is not None
                allowed[i] = np.uint64((1 << 64) - 1 & ~traits.pawn.nowhere[colour])
        if traits.titles:
            for colour, side in enumerate(sides):
                electable = sum(1 for i, (c, _) in enumerate(placed) if c == colour and layout[SLOTS + i] & TITLE_SLOT)
                # With two, and no third by promotion, marks make no difference: the other piece may always be named.
                bits = 0 if electable == 1 or (electable == 2 and "P" not in side) else electable - 1
                layout[5 + colour] = bits
                side_states[colour] = electable << bits
            states = side_states[0] * side_states[1]
        elif traits.mate_series:
            states = 4
        layout[:4] = len(placed), kind, size, side_states[1]
        return int(size * states * 2)

    def _enter(self, signatures: np.ndarray, owners: np.ndarray, sides: tuple[str, str], owner: int) -> None:
        found = 0
        for colour, side in enumerate(sides):
            for letter, count in Counter(side).items():
                found |= count << (32 * colour + 4 * self.rules.letters.index(letter))
        place = (found * 0x9E3779B97F4A7C15 & (1 << 64) - 1) >> 52
        while owners[place] >= 0:
            if int(signatures[place]) == found:
                return  # both sides have the same pieces
            place = (place + 1) % MAX_ENTRIES
        signatures[place], owners[place] = found, owner

    # Making.

    def values(self, name: str) -> np.ndarray:
        """int16[n]: the value of each position of a material for the side to move."""
        return self._part(self.atlas.values, name)

    def captures(self, name: str) -> np.ndarray:
        """bool[n]: whether the side to move has a capture."""
        found: np.ndarray = self._part(self.flags, name) & CAPTURES > 0
        return found

    def _part(self, whole: np.ndarray, name: str) -> np.ndarray:
        number = self.number[name]
        first = int(self.atlas.layout[number, 4])
        return whole[first:first + self.sizes[number]]

    def _make(self, name: str) -> None:
        began = time.monotonic()
        due, flags = self.values(name), self._part(self.flags, name)
        path = None if self.folder is None else self.folder / self.rules.name / f"{name}.npz"
        if path is not None and path.exists():
            with np.load(path) as kept:
                due[:], flags[:] = kept["values"], kept["flags"]
        else:
            self._solve(name, due, flags)
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                np.savez(path, values=due, flags=flags)
        self.longest[name] = int(due[due < ILLEGAL].max(initial=0))
        if self.progress:
            print(f"{self.rules.name} {name}: {len(due)} positions, longest win {self.longest[name]} plies, "
                  f"{time.monotonic() - began:.1f} s", file=sys.stderr, flush=True)

    def _solve(self, name: str, due: np.ndarray, flags: np.ndarray) -> None:
        table, n = self.number[name], len(due)
        rows, moves = np.zeros((2, self.rules.traits.words), np.uint64), np.empty(self.rules.traits.max_moves, np.uint32)
        late, remaining, counts = np.zeros(n, np.int16), np.zeros(n, np.uint8), np.zeros(n, np.uint8)
        starts, room = np.zeros(n + 1, np.uint32), np.empty(CHUNK * BUSY, np.uint32)
        chunks = [slice(first, min(first + CHUNK, n)) for first in range(0, n, CHUNK)]
        children: list[np.ndarray] = []
        for at in chunks:
            missing, used = scan_kernel(self.rules, self.atlas, table, rows, moves, at.start, due[at], late[at], remaining[at],
                                        flags[at], starts, counts[at], room)
            if missing:
                raise CommandError(f"{self.rules.name} {name}: {missing} moves lead to materials without a table")
            children.append(room[:used].copy())
        assert sum(map(len, children)) < 1 << 32
        np.cumsum(starts, out=starts)
        parents = np.empty(int(starts[-1]), np.uint32)
        for at, listed in zip(chunks, children, strict=True):
            link_kernel(at.start, counts[at], listed, starts, parents)
        del children, room
        ply, idle = 0, 0
        last = max(int(late.max()), int(np.abs(np.where(due == ILLEGAL, 0, due)).max())) + 1
        while idle < 2 or ply <= last:
            settled = settle_kernel(ply, due, late, remaining, starts, parents)
            idle = 0 if settled else idle + 1
            ply += 1

    # Use.

    def position(self, name: str, index: int) -> Position | None:
        """The position with that number; None if it is impossible."""
        pos = np.zeros(self.rules.traits.words, np.uint64)
        stands = unpack_kernel(self.rules, self.atlas, self.number[name], index, pos)
        pos[PLY] = pos[1]
        return pos if stands and self.values(name)[index] != ILLEGAL else None

    def value(self, pos: Position) -> int:
        """The value of a position for the side to move: k > 0 a win in k plies, -k a loss in k - 1, 0 a draw."""
        table, index = pack_kernel(self.rules, self.atlas, pos)
        if table < 0:
            raise KeyError("no table has that material")
        return int(self.values(self.names[table])[index])


def pieces_of(rules: Rules) -> str:
    """The letters of a game's pieces except pawn and king, best first."""
    return "".join(letter for letter in ORDER if letter in rules.letters and letter not in "KP")
