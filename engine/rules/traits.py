"""What the kernels see of the rules: plain constants and tables made from the declaration."""

from __future__ import annotations

import functools
import hashlib
from typing import Any

import numpy as np

from engine.errors import RulesError
from engine.rules import betza, bounds
from engine.rules.contradictions import refuse_contradictions
from engine.rules.geometry import WORD, board_of, word_of
from engine.rules.mechanism import Mechanism, registered
from engine.rules.movers import Mover, PawnTraits, leaps_of
from engine.rules.opening import Forced
from engine.rules.pieces import Pawn, Piece
from engine.rules.words import MAX_TYPES, TYPES, WHITE
from engine.squares import FILES


class Traits:
    """Everything the kernels know of a game; equal declarations give equal digests.

    Switches and numbers are attributes under the names they have in the declaration. `*_words` and other tuples of int are
    indices of words in a position.
    """

    castling: bool
    royal_safety: bool
    captures_explode: bool
    touching_kings_check: bool
    bare_king_draws: bool
    driven_king: bool
    wary_royals: bool
    checks_to_win: int
    goal_answered: bool
    kingless: bool
    captures_forced: bool
    drops: bool
    progress_limit: int
    extinction_count: int
    extinction_wins: bool
    several_kings: bool
    captures_to_hand: bool
    captures_return: bool  # what is captured may be dropped: then no capture or pawn move makes an earlier position impossible
    repetitions: int

    def __init__(self, pieces: tuple[Piece, ...], pawn: Pawn | None, **declared: Any):
        self.declared = {"pieces": pieces, "pawn": pawn, **declared}
        self.digest = hashlib.sha256(repr(sorted(self.declared.items())).encode()).hexdigest()[:16]
        for name, value in declared.items():
            if isinstance(value, bool | int):
                setattr(self, name, value)
        self.captures_return = self.drops and self.captures_to_hand
        self.geometry = board_of(declared["files"], declared["ranks"], declared["wraps"])
        letters = ("_" if pawn is None else "P") + "".join(piece.letter for piece in pieces)
        _refuse_letters(letters)
        self.pieces = tuple(Mover(piece, index, self.geometry) for index, piece in enumerate(pieces, 1))
        self.movers = self.pieces + tuple(
            Mover(piece, index, self.geometry, quiet=True) for index, piece in enumerate(pieces, 1)
            if self.pieces[index - 1].divided)
        self.winding = any(mover.winding for mover in self.pieces)  # then pins and check masks say nothing
        self.winders = tuple(mover for mover in self.pieces if mover.rays is not None)
        self.types = len(letters)
        self.pawn = None if pawn is None else PawnTraits(pawn, letters, self.geometry)
        self.goal = self.geometry.zone(declared["goal"]) if declared["goal"] else None
        for name in ("goal_types", "extinction"):
            if declared[name] != "*" and set(declared[name]) - set(letters):
                raise RulesError(f"{name} {declared[name]!r} is neither '*' nor made of the pieces {letters!r}")
        every = tuple(TYPES + index for index in range(len(letters)))
        kinds = declared["goal_types"] or "".join(piece.letter for piece in pieces if piece.royal)
        self.goal_words = every if kinds == "*" else tuple(TYPES + letters.index(letter) for letter in kinds)
        self.extinction = ((every,) if declared["extinction"] == "*" else  # sets of words, counted together
                           tuple((TYPES + letters.index(letter),) for letter in declared["extinction"]))
        self.stalemate = declared["stalemate"]
        self.pawn_in_hand = (0,) if pawn is not None else ()  # its index, in a tuple
        zones = self.geometry.zone(declared["drop_zone"]) if declared["drop_zone"] else (self.geometry.board,) * 2
        ranks = self.geometry.first_rank
        closed = [ranks[side] * ("first" in declared["pawn_drops"]) | ranks[1 - side] * ("last" in declared["pawn_drops"])
                  for side in (0, 1)]
        # uint64[2, 2]: squares by side for pieces, for pawns
        self.droppable = np.array([[zone, zone & ~shut] for zone, shut in zip(zones, closed, strict=True)], np.uint64)
        self._lay_out(letters, declared["drops"])
        self._set_royals(bool(declared["title_order"]), declared["several_kings"])
        self._set_castling(letters, declared["castling_partner"], declared["castling_files"])
        self.driven_king = bool(declared["driven_king"])
        self._set_drives("nDnA" if declared["driven_king"] is True else declared["driven_king"] or "")
        self._set_sliders()
        self._set_mechanisms(letters, declared)
        self.max_moves = bounds.most_moves(pieces, pawn, self.geometry, titles=self.titles, succession=bool(self.succession),
                                           drives=max(int(goals).bit_count() for goals in self.driven_goals), drops=self.drops)
        refuse_contradictions(self)

    @functools.cached_property
    def mechanisms(self) -> tuple[Mechanism, ...]:
        """The mechanisms that are at work in this game, in the order of their hooks."""
        return tuple(mechanism for mechanism in registered() if mechanism.at_work(self))

    def _lay_out(self, letters: str, drops: bool) -> None:
        """Which words a position has."""
        self.board_words = tuple(range(WHITE, TYPES + len(letters)))
        self.type_words = self.board_words[2:]
        self.words = TYPES + len(letters)
        # uint64[2, types, board words]: all ones for the words that a piece of that side and type stands in
        self.placing = np.zeros((2, len(letters), len(self.board_words)), np.uint64)
        for side in (0, 1):
            for kind in range(len(letters)):
                self.placing[side, kind, [side, 2 + kind]] = (1 << WORD) - 1
        self.in_hand = tuple(range(len(letters)))
        self.hand_words: tuple[int, ...] = ()  # by side: how many pieces of each type it may drop
        if drops:
            self.hand_words = (self.words, self.words + 1)
            self.words += 2

    def _set_royals(self, titles: bool, several: bool) -> None:
        self.royals = tuple(mover for mover in self.pieces if mover.royal)
        kings = self.royals or tuple(mover for mover in self.pieces if titles and mover.letter == "K")
        if not kings or len(kings) > 1:  # of several types the one that castles
            kings = tuple(mover for mover in kings if mover.letter == "K")
        leaps = len(kings) == 1 and not several and not kings[0].slides and not kings[0].winding
        self.king = kings[0] if leaps else None  # castles; its colour's only one

    def _set_castling(self, letters: str, partner: str, files: str) -> None:
        """Whom the king castles with and where both go, by side."""
        names = partner.split("/") * (1 if "/" in partner else 2)
        found = [[mover for mover in self.pieces if mover.letter == name] for name in names]
        self.rooks = tuple(movers[0] for movers in found) if len(found) == 2 and all(found) else None
        goals = []
        for text in (files.split("/") * (1 if "/" in files else 2)):
            numbers = [FILES[:self.geometry.files].find(letter) for letter in text]
            if text and (len(text) != 4 or -1 in numbers or len(set(text[:2])) < 2 or len(set(text[2:])) < 2):
                raise RulesError(f"castling_files {files!r} are not four files of the board, such as cdgf")
            goals.append(((numbers[0], numbers[1]), (numbers[2], numbers[3])) if text else self.geometry.castling_files)
        self.castling_files = goals[0], goals[1]
        self.castling_way = self.geometry.castling_way(self.castling_files)
        # uint64[2, 2, 2]: by side, west or east: the squares where king and rook go
        self.castling_goals = np.array(self.castling_files, np.uint64) + self.geometry.home.reshape(2, 1, 1)

    def _set_drives(self, notation: str) -> None:
        """Where the opponent may move a king, and what must be empty on its way there: uint64[64], uint64[64, 64]."""
        self.driven_goals, self.driven_way = np.zeros(WORD, np.uint64), np.zeros((WORD, WORD), np.uint64)
        for step in betza.parse(notation) if notation else ():
            if step.reach > 1 or step.hop or step.beyond or not (step.moves and step.captures):
                raise RulesError(f"driven_king {notation!r}: only leaps, which may be lame")
            passed, way = step.way
            for square in self.geometry.squares:
                path = list(self.geometry.path(square, way))
                if len(path) == len(way):
                    self.driven_goals[square] |= np.uint64(1 << path[-1])
                    self.driven_way[square, path[-1]] |= word_of(path[:passed])

    def _set_steps_to_goal(self) -> None:
        """By side and square: the king's steps that bring it nearer to its goal, uint64[2, 64]."""
        self.steps_to_goal = np.zeros((2, WORD), np.uint64)
        if self.king is None or self.king.leaps is None or self.goal is None or not self.goal_by_step:
            return
        for side in range(2):
            near = int(self.goal[side])
            while True:
                steps = {square: int(self.king.leaps[side, square]) & near
                         for square in self.geometry.squares if not near >> square & 1}
                reached = {square: step for square, step in steps.items() if step}
                for square, step in reached.items():
                    self.steps_to_goal[side, square] = step
                    near |= 1 << square
                if not reached:
                    break

    def _set_sliders(self) -> None:
        # someone leaps over squares of a line: such a check cannot be blocked, and such a leap can leave a pin's line;
        # a step over the edge of a cylinder looks like such a leap
        self.far_leaps = self.geometry.wraps or any(m.far_leaps for m in self.pieces if m is not self.king) or (
            self.pawn is not None and self.pawn.far_leaps)
        self.rook_sliders = tuple(m.word for m in self.pieces if m.rook and m.rook_limit is None)
        self.bishop_sliders = tuple(m.word for m in self.pieces if m.bishop and m.bishop_limit is None)
        self.counted_rooks = tuple(m.word for m in self.pieces if m.rook and m.additive)
        self.counted_bishops = tuple(m.word for m in self.pieces if m.bishop and m.additive)
        self.limited_sliders = tuple(
            m for m in self.pieces if (m.rook and m.rook_limit is not None) or (m.bishop and m.bishop_limit is not None))

    def _set_mechanisms(self, letters: str, declared: dict[str, Any]) -> None:
        """What the traits that name piece types, and those that follow from several, are to the kernels."""
        for name in ("mate_series", "mate_forbidden", "succession", "title_order"):
            for letter in declared[name].replace(" ", ""):
                if letter not in letters[1:]:
                    raise RulesError(f"{name} names {letter!r}, which is not a piece of {letters!r}")
        self.mate_series, self.succession, self.title_order = (
            tuple(TYPES + letters.index(letter) for letter in declared[name].replace(" ", ""))  # words
            for name in ("mate_series", "succession", "title_order"))
        self.succession_classes, self.title_classes = (  # words of a class, the first in line first
            tuple(tuple(TYPES + letters.index(letter) for letter in group)
                  for group in (declared[name].split() if " " in declared[name] else declared[name]))
            for name in ("succession", "title_order"))
        self.mate_forbidden = tuple(mover for mover in self.pieces if mover.letter in declared["mate_forbidden"])
        self.mating_promotions = tuple(mover for mover in self.mate_forbidden  # those of them that a pawn may become
                                       if self.pawn is not None and mover.index in self.pawn.promotions)
        self.opening = tuple(Forced(*forced) for forced in declared["opening"])
        self.titles = bool(self.title_order)
        self.counts_marks = bool(self.mate_series) or self.checks_to_win > 0  # MARKS holds no squares
        self.stateful = self.titles or self.counts_marks or self.drops  # ROYAL and MARKS are in use
        self.marks_move = self.titles or self.drops  # a move itself sets ROYAL and MARKS; else they are taken over
        # the side to move may have won, by what the rules say or without a move
        self.wins_at_once = bool(self.goal is not None or self.kingless or self.extinction or self.stalemate == "win")
        # although there would be moves
        self.ends_early = bool(self.goal is not None or self.checks_to_win > 0 or self.extinction)
        self.counts_checks = self.checks_to_win > 0  # which moves there are depends on the checks before
        # bitboards of both colours that tell positions apart: types, with titles royal ones and marks, rights to castle
        self.net_planes = len(letters) * (1 + self.titles) + self.titles + bool(self.castling)
        # one leaping royal type: pins and check masks decide legality
        self.one_king = self.king is not None and not self.titles and len(self.royals) == 1
        self.pins_decide = self.one_king and (not self.winding or not self.royal_safety)
        # every piece that is not royal leaps or slides as far as the board goes: all can be moved at once, way by way
        self.moves_at_once = (not self.geometry.wraps and not self.far_leaps and not any(m.slides for m in self.royals)
                              and all(m.additive for m in self.pieces if not m.royal))
        self.leaps = leaps_of([m for m in self.pieces if not m.royal], self.geometry) if self.moves_at_once else ()
        # and then nothing but checks and pins along lines decides what is legal
        self.counted_at_once = (self.moves_at_once and self.pins_decide and self.royal_safety and self.touching_kings_check
                                and not self.captures_explode)
        # both sides run to the same end of the board, so Black is not shown it upside down
        mirrored = 0 if self.goal is None else sum(1 << self.geometry.mirrored(square) for square in self.geometry.squares
                                                   if int(self.goal[0]) >> square & 1)
        self.sides_run_alike = self.goal is not None and self.goal[0] == self.goal[1] != mirrored
        # only the king wins by arriving, so a glance at its steps tells whether it can
        self.goal_by_step = bool(self.goal is not None and self.one_king and self.royal_safety
                                 and self.king is not None and self.goal_words == (self.king.word,))
        self._set_steps_to_goal()
        # a king may leave the board without its own move, and so may a rook
        self.kings_vanish = (self.captures_explode or bool(self.succession) or self.titles
                             or (bool(self.royals) and not self.royal_safety))
        # words of the sliding pieces that keep to one colour, where mates make an ending of them drawish
        self.bishops = tuple(m.word for m in self.pieces if m.bound and m.slides) if (
            self.royal_safety and not self.captures_explode and self.pawn is not None and self.pawn.straight) else ()
        # a lone king in the corner where a pawn would promote holds against bishops of the other colour
        self.corner_holds = self.one_king and not self.driven_king and not self.mate_series


def _refuse_letters(letters: str) -> None:
    """Raises RulesError for piece letters, the pawn's first, that cannot stand in a FEN or are too many."""
    if len(set(letters)) != len(letters) or any(not ("A" <= letter <= "Z") for letter in letters.lstrip("_")):
        raise RulesError(f"piece letters {letters!r} must be different capitals, P being the pawn")
    if len(letters) > MAX_TYPES:
        raise RulesError(f"{len(letters)} piece types, at most {MAX_TYPES} fit a move")


def traits_of(declared: dict[str, Any]) -> Traits:
    """The traits of a declaration, one object for all that say the same: numba's cache asks for them a dozen times."""
    key = repr(sorted(declared.items()))
    if key not in _KNOWN_TRAITS:
        _KNOWN_TRAITS[key] = Traits(**declared)
    return _KNOWN_TRAITS[key]


_KNOWN_TRAITS: dict[str, Traits] = {}
