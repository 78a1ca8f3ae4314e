"""Pieces and pawns as the kernels see them: tables and constants made from Betza notation and a board."""

from __future__ import annotations

import numpy as np

from engine.errors import RulesError
from engine.rules import betza, bounds
from engine.rules.geometry import DIRECTIONS, STRIDE, WORD, Geometry, Way, word_of
from engine.rules.pieces import Pawn, Piece
from engine.rules.words import MAX_TYPES, TYPES

EVERY = (1 << WORD) - 1
SIGNS = (1, -1)  # Black's steps are White's, turned by half a turn
SLIDES = 4  # directions of a rook, of a bishop


class Mover:
    """A piece type as the kernels see it. Tables are uint64[2, 64], by colour and square.

    It attacks with the steps that capture; quiet: this is the mover of the steps that go onto empty squares, if they differ.
    What is neither a leap nor a slide along a line goes along `rays`: uint8[2, 64, rays, squares], WORD behind the last square;
    the first `skips` squares of a ray are only passed, and `hops` says whether it hops: 0 never, 1 over a piece and on, 2 right
    behind it.
    """

    def __init__(self, piece: Piece, index: int, geometry: Geometry, quiet: bool = False):
        self.letter, self.index, self.word, self.royal = piece.letter, index, TYPES + index, piece.royal
        every = betza.parse(piece.betza)
        wanted = [step for step in every if (step.moves if quiet else step.captures)]
        self.key = index + MAX_TYPES * quiet  # by which piece_targets knows it
        self.divided = not quiet and any(step.moves != step.captures for step in every)
        # whether the squares it comes from are those that the other side's piece would go to
        self.reversible = not self.divided and not any(step.lame or step.hop or step.beyond for step in wanted)
        self.reach = bounds.reach(every, geometry)
        winding = [step for step in wanted if step.winding or (geometry.wraps and step.reach > 1)]
        steps = [step for step in wanted if step not in winding]
        leapers = [step for step in steps if step.reach == 1]
        straight = [step for step in steps if step.reach > 1 and step.straight]
        slanted = [step for step in steps if step.reach > 1 and not step.straight]
        self.leapers = tuple((step.files, step.ranks) for step in leapers)
        self._set_rays(winding, geometry)
        self.winding = bool(winding) or self.divided
        leaps, rook, bishop = (_table(group, geometry) for group in (leapers, straight, slanted))
        self.line_leaps = any(step.on_line for step in leapers)
        self.far_leaps = any(step.far for step in leapers)
        self.leaps = leaps if leaps.any() else None
        self.rook, self.bishop = bool(rook.any()), bool(bishop.any())
        self.overlaps = bool((leaps & (rook | bishop)).any())
        # None for a slide that goes in all four directions as far as the board does
        self.rook_limit = None if _unlimited(straight) else rook
        self.bishop_limit = None if _unlimited(slanted) else bishop
        self.slides = self.rook or self.bishop
        self.bound = all((step.files + step.ranks) % 2 == 0 for step in steps)  # to the squares of one colour

    def _set_rays(self, steps: list[betza.Step], geometry: Geometry) -> None:
        self.rays, self.skips, self.hops, self.ray_count = None, None, None, len(steps)
        if not steps:
            return
        longest = max(len(step.way[1]) for step in steps)
        self.rays = np.full((2, WORD, len(steps), longest + 1), WORD, np.uint8)
        self.skips = np.array([step.way[0] for step in steps], np.int64)
        self.hops = np.array([("", "p", "g").index(step.hop) for step in steps], np.int64)
        for colour, sign in enumerate(SIGNS):
            for number, step in enumerate(steps):
                offsets = [(sign * x, sign * y) for x, y in step.way[1]]
                for square in geometry.squares:
                    path = list(geometry.path(square, offsets))
                    self.rays[colour, square, number, :len(path)] = path

    @property
    def additive(self) -> bool:
        """Its slides reach as far as the board goes and no leap falls on them: its moves can be counted part by part."""
        whole = not ((self.rook and self.rook_limit is not None) or (self.bishop and self.bishop_limit is not None))
        return whole and not self.overlaps and not self.winding


class PawnStep:
    """One pawn step on a whole bitboard: keep the pawns in `source[colour]`, rotate left by `shift[colour]`."""

    def __init__(self, step: betza.Step, geometry: Geometry, round_by: int = 0):
        files = step.files + round_by * geometry.files  # on a cylinder, round_by -1 or 1: over the edge
        delta = step.ranks * STRIDE + files
        self.shift = tuple(np.uint64(d % WORD) for d in (delta, -delta))
        self.back = self.shift[::-1]
        ahead = (step.files, step.ranks)
        # the lane of its line: of its direction in geometry.DIRECTIONS or of the opposite
        self.axis = DIRECTIONS.index(ahead) % (len(DIRECTIONS) // 2) if ahead in DIRECTIONS else None
        entered = [geometry.rays(sign * step.files, sign * step.ranks, 1) for sign in SIGNS]
        self.source = tuple(
            word_of(square for square in np.flatnonzero(table).tolist()
                    if not geometry.wraps or 0 <= square % STRIDE + sign * files < geometry.files)
            for sign, table in zip(SIGNS, entered, strict=True))


class PawnTraits:
    """The pawn as the kernels see it; tuples are by colour."""

    index, word = 0, TYPES

    def __init__(self, pawn: Pawn, letters: str, geometry: Geometry):
        steps, captures = betza.parse(pawn.step), betza.parse(pawn.capture)
        _refuse_pawn(pawn, letters, steps, captures)
        self.promotions = tuple(letters.index(letter) for letter in pawn.promotes_to)
        self.extra_promotions = np.uint64(max(0, len(self.promotions) - 1))
        self.steps, self.captures = _pawn_steps(steps, geometry), _pawn_steps(captures, geometry)
        self.far_leaps = any(step.far for step in steps + captures)
        mirrored = {(-step.files, step.ranks) for step in steps + captures}
        self.lopsided = mirrored != {(step.files, step.ranks) for step in steps + captures}  # tells left from right
        self.zone = geometry.zone(pawn.promotion_zone)
        self.straight = pawn.step == "fW" and self.zone[0] == geometry.first_rank[1]  # to the last rank of its file
        self.double = geometry.zone(pawn.double_step_zone)
        self.doubles = bool(pawn.double_step_zone)
        self.unpassed = geometry.zone(pawn.unpassed_zone) if pawn.unpassed_zone else None
        self.attacks = _table(captures, geometry)  # uint64[2, 64]
        # where no pawn of a colour can stand: it would have promoted, or has no way to come there
        entered = _table(steps + captures, geometry)
        self.nowhere = tuple(
            int(self.zone[colour]) | ~(int(np.bitwise_or.reduce(entered[colour])) | int(self.double[colour])) & EVERY
            for colour in (0, 1))
        self.stuck = tuple(np.uint64(self._stuck(colour)) for colour in (0, 1))

    def _stuck(self, colour: int) -> int:
        """Squares from which a pawn never promotes unless it captures on the way."""
        way, before = int(self.zone[colour]), 0
        while way != before:
            before = way
            for step in self.steps:
                back = int(step.shift[1 - colour])
                way |= (way << back | way >> (WORD - back)) & EVERY & int(step.source[colour])
        return ~way & EVERY


class Leaper:
    """A piece type among those that leap together.

    lanes: uint64[2, 8], by colour, all ones where it has the leap; whole: it has all of them.
    """

    def __init__(self, mover: Mover, ways: tuple[tuple[Way, ...], ...]):
        self.word = mover.word
        self.lanes = np.zeros((len(SIGNS), len(DIRECTIONS)), np.uint64)
        for colour, sign in enumerate(SIGNS):
            own = turned_ways(mover.leapers, sign)
            self.lanes[colour, [lane for lane, way in enumerate(ways[colour]) if way in own]] = EVERY
        self.whole = bool(self.lanes[:, :len(ways[0])].all())


class Leaps:
    """Up to eight leaps that kernels make at once: by, entered as in geometry.Lanes, by colour; who makes them; its number.

    on_line: they are the eight directions in their order, so that a pinned piece can be kept on its line.
    """

    def __init__(self, number: int, movers: list[Mover], ways: tuple[Way, ...], geometry: Geometry):
        self.number = number
        self.on_line = ways == DIRECTIONS
        of_sides = (ways, ways if self.on_line else turned_ways(ways, -1))
        lanes = [geometry.lanes(of_side) for of_side in of_sides]
        self.by = np.stack([side.by for side in lanes])
        self.entered = np.stack([side.entered for side in lanes])
        self.leapers = tuple(Leaper(mover, of_sides) for mover in movers if set(mover.leapers) & set(ways))


def leaps_of(movers: list[Mover], geometry: Geometry) -> tuple[Leaps, ...]:
    """The leaps of these piece types, in groups that are made at once."""
    every = sorted({way for mover in movers for way in mover.leapers})
    groups: list[tuple[Way, ...]] = [DIRECTIONS] if set(every) & set(DIRECTIONS) else []
    others = [way for way in every if way not in DIRECTIONS]
    groups += [tuple(others[i:i + len(DIRECTIONS)]) for i in range(0, len(others), len(DIRECTIONS))]
    return tuple(Leaps(number, movers, group, geometry) for number, group in enumerate(groups))


def turned_ways(ways: tuple[Way, ...], sign: int) -> tuple[Way, ...]:
    """The same ways as the side of that sign goes them."""
    return tuple((sign * x, sign * y) for x, y in ways)


def _pawn_steps(steps: tuple[betza.Step, ...], geometry: Geometry) -> tuple[PawnStep, ...]:
    rounds = (0, -1, 1) if geometry.wraps else (0,)
    found = [PawnStep(step, geometry, round_by) for step in steps for round_by in rounds]
    return tuple(step for step in found if int(step.source[0]) | int(step.source[1]))


def _table(steps: list[betza.Step] | tuple[betza.Step, ...], geometry: Geometry) -> np.ndarray:
    """uint64[2, 64]: what these steps reach on an empty board, by colour and square."""
    table = np.zeros((2, WORD), np.uint64)
    for colour, sign in enumerate(SIGNS):
        for step in steps:
            table[colour] |= geometry.rays(sign * step.files, sign * step.ranks, step.reach)
    return table


def _unlimited(steps: list[betza.Step]) -> bool:
    return len([step for step in steps if step.reach == betza.FULL]) == SLIDES


def _refuse_pawn(pawn: Pawn, letters: str, steps: tuple[betza.Step, ...], captures: tuple[betza.Step, ...]) -> None:
    """Raises RulesError for a pawn that the kernels do not know."""
    if any(step.reach > 1 or step.winding or not (step.moves and step.captures) for step in steps + captures):
        raise RulesError(f"pawn {pawn.step!r} {pawn.capture!r}: a pawn's steps are leaps and have no range")
    for letter in pawn.promotes_to:
        if letter not in letters[1:]:
            raise RulesError(f"pawn promotes to {letter!r}, which is not a piece of {letters!r}")
    if pawn.double_step_zone and len(steps) != 1:
        raise RulesError(f"pawn {pawn.step!r} with a double step: the passed square is unknown with several directions")
    if {(s.files, s.ranks) for s in steps} & {(s.files, s.ranks) for s in captures}:
        raise RulesError(f"pawn {pawn.step!r} {pawn.capture!r}: steps and captures must differ")
