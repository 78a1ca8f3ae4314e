"""The layout of tables: which position has which number, as arrays for the kernels.

The number of a position is made of its block (further state and side to move) and of the squares of its pieces: the lead, a
piece brought to one of the squares that symmetry leaves, then the other pieces, equal ones together as a combination.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Sequence
from math import comb

import numpy as np

from engine.errors import CommandError
from engine.rules import TYPES, Rules
from engine.rules.geometry import LARGEST, STRIDE, WORD
from search.tables.materials import ordered
from search.tables.numbers import (
    BLACK_BITS,
    BLACK_SLOT,
    BLACK_STATES,
    COLUMNS,
    DIRECT,
    FIFTY_MOVES,
    GROUP,
    LEADS,
    MOST_PIECES,
    OFFSET,
    PIECES,
    SIGNATURES,
    SIZE,
    SLOTS,
    TITLE_SLOT,
    WHITE_BITS,
    Atlas,
)

NO_WAY = -1
SEED = 20261122
FULL = (1 << WORD) - 1


def _maps() -> np.ndarray:
    """int64[8, 64]: the symmetries of the full board, 0 the identity."""
    x, y = np.arange(WORD) % STRIDE, np.arange(WORD) // STRIDE
    left, down = LARGEST - 1 - x, LARGEST - 1 - y  # counted from the other edge
    turns = ((x, y), (left, y), (down, left), (x, down), (left, down), (y, x), (down, x), (y, left))
    return np.array([file + STRIDE * rank for file, rank in turns], np.int64)


MAPS = _maps()


def _mapped(bitboard: int, way: np.ndarray) -> int:
    """A bitboard seen by a map."""
    return sum(1 << int(way[square]) for square in range(WORD) if bitboard >> square & 1)


def _fits(table: np.ndarray, way: np.ndarray, exchange: int) -> bool:
    """Whether a map, with the sides exchanged if `exchange` is 1, turns a table of goals, uint64[2, 64], into itself."""
    return all(_mapped(int(table[colour, square]), way) == int(table[colour ^ exchange, way[square]])
               for colour in (0, 1) for square in range(WORD) if way[square] >= 0)


def _tables_of(rules: Rules, letters: str) -> list[np.ndarray]:
    """uint64[2, 64] each: what a game with some piece types depends on, by colour and square."""
    found, traits = [], rules.traits
    if traits.goal is not None:
        found.append(_zone_table(traits.goal))
    if traits.driven_king:
        found.append(np.array([traits.driven_goals] * 2))
    for piece in traits.pieces:
        if piece.letter in letters:
            found += [table for table in (piece.leaps, piece.rook_limit, piece.bishop_limit) if table is not None]
    pawn = traits.pawn
    if pawn is not None and "P" in letters:
        found.append(pawn.attacks)
        steps = np.zeros((2, WORD), np.uint64)
        for step in pawn.steps:
            for colour in (0, 1):
                for square in range(WORD):
                    if int(step.source[colour]) >> square & 1:
                        steps[colour, square] |= np.uint64(1 << (square + int(step.shift[colour])) % WORD)
        found.append(steps)
        found += [_zone_table(pawn.zone), _zone_table(pawn.double)]
    return found


def _zone_table(zone: Sequence[np.uint64]) -> np.ndarray:
    """uint64[2, 64]: a square of the zone has itself as goal, another one has none."""
    return np.array([[int(squares) & 1 << square for square in range(WORD)] for squares in zone], np.uint64)


def symmetries(rules: Rules, letters: str) -> tuple[int, ...]:
    """The maps of the board, by row of MAPS, that leave a game with these piece types as it is."""
    geometry = rules.traits.geometry
    if (geometry.files, geometry.ranks) != (LARGEST, LARGEST):
        return (0,)
    found = frozenset(range(len(MAPS)))
    for letter in letters:
        found &= _symmetries_of(rules, letter)
    return tuple(sorted(found))


@functools.cache
def _symmetries_of(rules: Rules, letter: str) -> frozenset[int]:
    """The maps that leave a game with one piece type as it is."""
    tables = _tables_of(rules, letter)
    return frozenset(number for number, way in enumerate(MAPS) if all(_fits(table, way, 0) for table in tables))


@functools.cache
def flip(rules: Rules) -> np.ndarray:
    """int64[64]: the map of the board that leaves a game as it is if the sides are exchanged. Raises CommandError."""
    geometry = rules.traits.geometry
    tables = _tables_of(rules, rules.letters)
    for turn in (geometry.mirrored, geometry.opposite):
        way = np.array([turn(square) if square in geometry.squares else NO_WAY for square in range(WORD)], np.int64)
        if all(_fits(table, way, 1) for table in tables):
            return np.maximum(way, 0)
    raise CommandError(f"tables need sides that are alike, and those of {rules.name} are not")


def _reachable(rules: Rules, material: str) -> str:
    """The piece types that may appear in games that begin with a material."""
    letters = set(material.replace("v", ""))
    if "P" in letters and rules.pawn is not None:
        letters |= set(rules.pawn.promotes_to)
    if rules.succession:
        letters.add("K")
    return "".join(sorted(letters))


def placed(material: str) -> list[tuple[int, str]]:
    """The pieces by slot, as (colour, letter): the lead first, equal ones together. A piece without equals leads."""
    pieces = [(colour, letter) for colour, side in enumerate(material.split("v")) for letter in ordered(side)]
    counts = Counter(pieces)
    kings = [piece for piece in pieces if piece[1] == "K"]
    single = [piece for piece in pieces if counts[piece] == 1 and piece[1] != "P"]
    lead = next(iter(kings + single), pieces[0])
    first = [piece for piece in pieces if piece == lead]
    return first + [piece for piece in pieces if piece != lead]


def lay_out(rules: Rules, material: str) -> tuple[np.ndarray, np.ndarray, tuple[int, ...], list[int]]:
    """(int64[COLUMNS] without OFFSET, uint64[8] of allowed squares, the symmetries, the homes of the lead)."""
    traits = rules.traits
    layout, allowed = np.zeros(COLUMNS, np.int64), np.zeros(8, np.uint64)
    slots = placed(material)
    assert len(slots) <= MOST_PIECES
    for i, (colour, letter) in enumerate(slots):
        index = rules.letters.index(letter)
        able = bool(traits.titles and letter != "P" and not (index and traits.pieces[index - 1].royal))
        layout[SLOTS + i] = TYPES + index + BLACK_SLOT * colour + TITLE_SLOT * able
        allowed[i] = traits.geometry.board
        if letter == "P":
            assert traits.pawn is not None
            allowed[i] = np.uint64(int(traits.geometry.board) & FULL & ~traits.pawn.nowhere[colour])
    leads = slots.count(slots[0])
    ways = symmetries(rules, _reachable(rules, material))
    homes = [square for square in range(WORD) if square == min(int(MAPS[way, square]) for way in ways)]
    size, i = len(homes), 1
    while i < len(slots):
        members = leads - 1 if i < leads else slots.count(slots[i])
        layout[GROUP + i] = members
        size *= comb(WORD, members)
        i += members
    layout[PIECES], layout[SIZE], layout[LEADS], layout[BLACK_STATES] = len(slots), size, leads, 1
    layout[DIRECT] = leads == 1 and layout[GROUP:GROUP + MOST_PIECES].max() <= (1 if traits.titles else 2)
    if traits.titles:
        states = [_title_states(layout, colour, side) for colour, side in enumerate(material.split("v"))]
        layout[BLACK_STATES] = states[1]
    return layout, allowed, ways, homes


def _title_states(layout: np.ndarray, colour: int, side: str) -> int:
    """How many states of title and marks a side has; sets the bits of its marks.

    With two pieces that may hold the title and no third to come, marks make no difference: the other may always be named.
    """
    able = sum(1 for slot in layout[SLOTS:SLOTS + MOST_PIECES]
               if slot & TITLE_SLOT and bool(slot & BLACK_SLOT) == bool(colour))
    bits = 0 if able == 1 or (able == 2 and "P" not in side) else able - 1
    layout[(WHITE_BITS, BLACK_BITS)[colour]] = bits
    return able << bits


def entries(rules: Rules, material: str) -> int:
    """How many numbers a table has."""
    layout, _, _, _ = lay_out(rules, material)
    states = 4 if rules.traits.mate_series else 1
    if rules.traits.titles:
        sides = material.split("v")
        states = _title_states(layout, 0, sides[0]) * _title_states(layout, 1, sides[1])
    return int(layout[SIZE]) * states * 2


def refuse_untabled(rules: Rules) -> None:
    """Raise CommandError for a game whose state a table does not hold."""
    traits = rules.traits
    no_kings = traits.kingless or not (traits.royals or traits.titles)
    one_way = not all(piece.reversible for piece in traits.pieces)
    for there, what in ((traits.checks_to_win, "counts checks"), (traits.drops, "has pieces in hand"),
                        (no_kings, "is played without kings"), (traits.extinction, "ends when pieces are extinct"),
                        (traits.stalemate == "win", "is won by who has no move"),
                        (traits.goal_answered, "lets Black follow White to the goal"),
                        (one_way, "has moves that cannot be taken back by geometry"),
                        (traits.progress_limit != FIFTY_MOVES, "has no 50-move rule")):
        if there:
            raise CommandError(f"{rules.name} {what}: such positions have no tables")


class Charts:
    """The atlas of some materials: their layouts, and the codes of some of them."""

    def __init__(self, rules: Rules, materials: Sequence[str], coded: Collection[str] = ()):
        """coded: those whose codes enter() is to bring; the others are laid out only."""
        refuse_untabled(rules)
        self.rules, self.names = rules, list(materials)
        self.number = {name: i for i, name in enumerate(self.names)}
        n = len(self.names)
        layout, allowed = np.zeros((n, COLUMNS), np.int64), np.zeros((n, 8), np.uint64)
        homes, numbers = np.zeros((n, WORD), np.int64), np.full((n, WORD), -1, np.int64)
        ways = np.full((n, WORD, 8), NO_WAY, np.int64)
        signatures, owners = np.zeros(SIGNATURES, np.uint64), np.full(SIGNATURES, -1, np.int64)
        chance = np.random.Generator(np.random.PCG64(SEED))
        weights = chance.integers(0, 1 << 64, (2, 16), np.uint64)
        offset = 0
        for number, name in enumerate(self.names):
            layout[number], allowed[number], group, home = lay_out(rules, name)
            layout[number, OFFSET] = offset
            offset += entries(rules, name) if name in coded else 0
            homes[number, :len(home)] = home
            numbers[number, home] = np.arange(len(home))
            for square in range(WORD):
                fitting = [way for way in group if int(MAPS[way, square]) in home]
                ways[number, square, :len(fitting)] = fitting
            sides = name.split("v")
            for swap in (0, 1):
                _enter(rules, weights, signatures, owners, sides[::-1] if swap else sides, number * 2 + swap)
        known = np.zeros(offset, np.uint16)
        geometry = rules.traits.geometry
        driven_from = np.zeros(WORD, np.uint64)
        for origin in geometry.squares:
            for goal in range(WORD):
                if int(rules.traits.driven_goals[origin]) >> goal & 1:
                    driven_from[goal] |= np.uint64(1 << origin)
        binomial = np.array([[comb(m, k) for k in range(8)] for m in range(WORD + 1)], np.int64)
        self.atlas = Atlas(layout, allowed, homes, numbers, ways, MAPS, flip(rules), driven_from, binomial, weights,
                           signatures, owners, known)

    def enter(self, name: str, codes: np.ndarray) -> None:
        """Copy the codes of a material, uint8 or uint16[entries], into the atlas."""
        start = int(self.atlas.layout[self.number[name], OFFSET])
        self.atlas.known[start:start + len(codes)] = codes


def _enter(rules: Rules, weights: np.ndarray, signatures: np.ndarray, owners: np.ndarray, sides: Sequence[str],
           owner: int) -> None:
    """Enter the owner of a material into the hash table; where both sides have the same, the first entry stays."""
    found = sum(int(weights[colour, rules.letters.index(letter)]) for colour, side in enumerate(sides) for letter in side)
    found &= FULL
    place = found >> (WORD - SIGNATURES.bit_length() + 1)
    while owners[place] >= 0:
        if int(signatures[place]) == found:
            return
        place = (place + 1) % SIGNATURES
    signatures[place], owners[place] = found, owner
