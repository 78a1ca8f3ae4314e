"""What the kernels see of the rules: plain constants and tables made from the declaration."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from engine.errors import RulesError
from engine.rules import betza, bounds
from engine.rules.contradictions import refuse_contradictions
from engine.rules.geometry import is_far, on_line, ray, zone
from engine.rules.pieces import Pawn, Piece
from engine.rules.words import MAX_TYPES, TYPES, WHITE
from engine.squares import SQUARES


class Mover:
    """A piece type as the kernels see it. Tables are uint64[2, 64], by colour and square."""

    def __init__(self, piece: Piece, index: int):
        self.letter, self.index, self.word, self.royal = piece.letter, index, TYPES + index, piece.royal
        leaps, rook, bishop = np.zeros((3, 2, 64), np.uint64)
        full = {True: set[tuple[int, int]](), False: set[tuple[int, int]]()}
        self.line_leaps = self.far_leaps = False
        steps = betza.parse(piece.betza)
        self.reach = bounds.reach(steps)
        for step in steps:
            straight = step.files == 0 or step.ranks == 0
            self.line_leaps |= step.reach == 1 and on_line(step)
            self.far_leaps |= step.reach == 1 and is_far(step)
            table = leaps if step.reach == 1 else rook if straight else bishop
            if step.reach == betza.FULL:
                full[straight].add((step.files, step.ranks))
            for colour, sign in enumerate((1, -1)):
                for square in range(64):
                    table[colour, square] |= np.uint64(ray(square, sign * step.files, sign * step.ranks, step.reach))
        self.leaps = leaps if leaps.any() else None
        self.rook, self.bishop = bool(rook.any()), bool(bishop.any())
        self.overlaps = bool((leaps & (rook | bishop)).any())
        self.rook_limit = None if len(full[True]) == 4 else rook
        self.bishop_limit = None if len(full[False]) == 4 else bishop
        self.slides = self.rook or self.bishop
        self.bound = all((step.files + step.ranks) % 2 == 0 for step in steps)  # to the squares of one colour

    @property
    def additive(self) -> bool:
        """Its slides reach as far as the board goes and no leap falls on them: its moves can be counted part by part."""
        whole = not ((self.rook and self.rook_limit is not None) or (self.bishop and self.bishop_limit is not None))
        return whole and not self.overlaps


class PawnStep:
    """One pawn step on a whole bitboard: keep the pawns in `source[colour]`, rotate left by `shift[colour]`."""

    def __init__(self, step: betza.Step):
        delta = step.ranks * 8 + step.files
        self.shift = tuple(np.uint64(d % 64) for d in (delta, -delta))
        self.back = self.shift[::-1]
        self.source = tuple(
            np.uint64(sum(1 << square for square in range(64) if ray(square, sign * step.files, sign * step.ranks, 1)))
            for sign in (1, -1))


class PawnTraits:
    """The pawn as the kernels see it; tuples are by colour."""

    index, word = 0, TYPES

    def __init__(self, pawn: Pawn, letters: str):
        steps, captures = betza.parse(pawn.step), betza.parse(pawn.capture)
        if any(step.reach > 1 for step in steps + captures):
            raise RulesError(f"pawn {pawn.step!r} {pawn.capture!r}: a pawn's steps have no range")
        for letter in pawn.promotes_to:
            if letter not in letters[1:]:
                raise RulesError(f"pawn promotes to {letter!r}, which is no piece of {letters!r}")
        self.promotions = tuple(letters.index(letter) for letter in pawn.promotes_to)
        self.extra_promotions = np.uint64(max(0, len(self.promotions) - 1))
        self.steps = tuple(PawnStep(step) for step in steps)
        self.captures = tuple(PawnStep(step) for step in captures)
        self.far_leaps = any(is_far(step) for step in steps + captures)
        mirrored = {(-step.files, step.ranks) for step in steps + captures}
        self.lopsided = mirrored != {(step.files, step.ranks) for step in steps + captures}  # tells left from right
        self.zone = zone(pawn.promotion_zone)
        self.straight = pawn.step == "fW" and self.zone[0] == np.uint64(0xFF << 56)  # to the last rank of its file
        self.double = zone(pawn.double_step_zone)
        self.doubles = bool(pawn.double_step_zone)
        if self.doubles and len(steps) != 1:
            raise RulesError(f"pawn {pawn.step!r} with a double step: the passed square is unknown with several directions")
        if {(s.files, s.ranks) for s in steps} & {(s.files, s.ranks) for s in captures}:
            raise RulesError(f"pawn {pawn.step!r} {pawn.capture!r}: steps and captures must differ")
        attacks, comes = np.zeros((2, 64), np.uint64), [0, 0]
        for colour, sign in enumerate((1, -1)):
            for square in range(64):
                for step in captures:
                    attacks[colour, square] |= np.uint64(ray(square, sign * step.files, sign * step.ranks, 1))
                for step in steps + captures:
                    comes[colour] |= ray(square, sign * step.files, sign * step.ranks, 1)
        self.attacks = attacks  # uint64[2, 64]
        # where no pawn of a colour can stand: it would have promoted, or has no way to come there
        self.nowhere = tuple(int(self.zone[colour]) | ~comes[colour] & (1 << 64) - 1 for colour in (0, 1))
        self.stuck = tuple(np.uint64(self._stuck(colour)) for colour in (0, 1))

    def _stuck(self, colour: int) -> int:
        """Squares from which a pawn never promotes unless it captures on the way."""
        way, before, every = int(self.zone[colour]), 0, (1 << 64) - 1
        while way != before:
            before = way
            for step in self.steps:
                back = int(step.shift[1 - colour])
                way |= (way << back | way >> (64 - back)) & every & int(step.source[colour])
        return ~way & every


class Forced:
    """A position, by its men and side to move, and the one move that may be played there."""

    def __init__(self, men: tuple[int, ...], turn: int, origin: int, target: int):
        self.men = tuple(np.uint64(word) for word in men)  # WHITE, BLACK and the types, as in a position
        self.turn, self.origin, self.target = np.uint64(turn), np.uint64(origin), np.uint64(target)


def forced_moves(letters: str, start_fen: str, opening: tuple[str, ...]) -> tuple[tuple[tuple[int, ...], int, int, int], ...]:
    """(men, turn, origin, target) for each obligatory opening move; the moves are steps of single men onto empty squares."""
    if not opening:
        return ()
    found = []
    men = [0] * (2 + len(letters))
    board, turn = start_fen.split()[:2]
    for rank, row in zip(range(7, -1, -1), board.split("/"), strict=True):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
                continue
            for word in (int(letter.islower()), 2 + letters.index(letter.upper())):
                men[word] |= 1 << (rank * 8 + file)
            file += 1
    for ply, text in enumerate(opening):
        origin, target = SQUARES[text[:2]], SQUARES[text[2:]]
        if not (men[0] | men[1]) >> origin & 1 or (men[0] | men[1]) >> target & 1:
            raise RulesError(f"opening move {text!r} does not step onto an empty square")
        found.append((tuple(men), (ply + (turn == "b")) % 2, origin, target))
        men = [word ^ (1 << origin | 1 << target) if word >> origin & 1 else word for word in men]
    return tuple(found)


class Traits:
    """Everything the kernels know of a game; equal declarations give equal digests."""

    def __init__(self, pieces: tuple[Piece, ...], pawn: Pawn | None, **flags: Any):
        self.declared = {"pieces": pieces, "pawn": pawn, **flags}
        self.digest = hashlib.sha256(repr(sorted(self.declared.items())).encode()).hexdigest()[:16]
        letters = "P" + "".join(piece.letter for piece in pieces)
        if len(set(letters)) != len(letters) or not letters.isalpha() or not letters.isupper():
            raise RulesError(f"piece letters {letters!r} must be different capitals, P being the pawn")
        if len(letters) > MAX_TYPES:
            raise RulesError(f"{len(letters)} piece types, at most {MAX_TYPES} fit a move")
        self.pieces = tuple(Mover(piece, index) for index, piece in enumerate(pieces, 1))
        self.pawn = None if pawn is None else PawnTraits(pawn, letters)
        self.castling: bool = flags["castling"]
        self.royal_safety: bool = flags["royal_safety"]
        self.captures_explode: bool = flags["captures_explode"]
        self.touching_kings_check: bool = flags["touching_kings_check"]
        self.bare_king_draws: bool = flags["bare_king_draws"]
        self.driven_king: bool = flags["driven_king"]
        self.wary_royals: bool = flags["wary_royals"]
        self.opening = tuple(Forced(*forced) for forced in flags["opening"])
        for name in ("mate_series", "mate_forbidden", "succession", "title_order"):
            for letter in flags[name]:
                if letter not in letters[1:]:
                    raise RulesError(f"{name} names {letter!r}, which is no piece of {letters!r}")
        self.mate_series = tuple(TYPES + letters.index(letter) for letter in flags["mate_series"])  # words
        self.mate_forbidden = tuple(mover for mover in self.pieces if mover.letter in flags["mate_forbidden"])
        self.succession = tuple(TYPES + letters.index(letter) for letter in flags["succession"])  # words, first in line first
        self.titles = bool(flags["title_order"])
        self.max_moves = bounds.most_moves(pieces, pawn, titles=self.titles, driven_king=self.driven_king,
                                           succession=bool(self.succession))
        self.title_order = tuple(TYPES + letters.index(letter) for letter in flags["title_order"])  # words
        self.stateful = self.titles or bool(self.mate_series)  # ROYAL and MARKS are in use
        self.board_words = tuple(range(WHITE, TYPES + len(letters)))
        self.type_words = self.board_words[2:]
        self.words = TYPES + len(letters)
        royals = tuple(mover for mover in self.pieces if mover.royal)
        self.royals = royals
        kings = royals or tuple(mover for mover in self.pieces if mover.letter == "K")
        self.king = kings[0] if len(kings) == 1 and not kings[0].slides else None  # castles; its colour's only one
        # one leaping royal type: pins and check masks decide legality
        self.one_king = self.king is not None and not self.titles
        # someone leaps over squares of a line: such a check cannot be blocked, and such a leap can leave a pin's line
        self.far_leaps = any(m.far_leaps for m in self.pieces if m is not self.king) or (
            self.pawn is not None and self.pawn.far_leaps)
        self.rook_sliders = tuple(m.word for m in self.pieces if m.rook and m.rook_limit is None)
        self.bishop_sliders = tuple(m.word for m in self.pieces if m.bishop and m.bishop_limit is None)
        self.counted_rooks = tuple(m.word for m in self.pieces if m.rook and m.additive)
        self.counted_bishops = tuple(m.word for m in self.pieces if m.bishop and m.additive)
        self.limited_sliders = tuple(
            m for m in self.pieces if (m.rook and m.rook_limit is not None) or (m.bishop and m.bishop_limit is not None))
        # words of the sliding pieces that keep to one colour, where mates make an ending of them drawish
        self.bishops = tuple(m.word for m in self.pieces if m.bound and m.slides) if (
            self.royal_safety and not self.captures_explode and self.pawn is not None and self.pawn.straight) else ()
        # a lone king in the corner where a pawn would promote holds against bishops of the other colour
        self.corner_holds = self.one_king and not self.driven_king and not self.mate_series
        rooks = [mover for mover in self.pieces if mover.letter == "R"]
        self.rook = rooks[0] if rooks else None
        refuse_contradictions(self)


def traits_of(declared: dict[str, Any]) -> Traits:
    """The traits of a declaration, one object for all that say the same: numba's cache asks for them a dozen times."""
    key = repr(sorted(declared.items()))
    if key not in _KNOWN_TRAITS:
        _KNOWN_TRAITS[key] = Traits(**declared)
    return _KNOWN_TRAITS[key]


_KNOWN_TRAITS: dict[str, Traits] = {}
