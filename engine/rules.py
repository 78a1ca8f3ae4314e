"""Rules: what one game is, as data; and RulesType, their compile-time face.

A trait names a mechanism, never a game, and left out has its value in FIDE chess. `Rules.traits` is what the kernels see:
plain constants and tables made from the declaration. Name, source, start position and values are not part of it, so games
that differ in these alone share machine code.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numba.core import types
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

from engine import betza
from engine.errors import RulesError

if TYPE_CHECKING:
    import chess

# Position words (engine/position.py explains them)
KEY, TURN, EP, CASTLING, ROYAL, MARKS, CLOCK, PLY, WHITE, BLACK, TYPES = range(11)
MAX_TYPES = 16  # a move has four bits for the type


@dataclass(frozen=True)
class Piece:
    """A piece type: its letter in FEN and its moves in Betza notation; captures as it moves."""

    letter: str
    betza: str
    royal: bool = False


@dataclass(frozen=True)
class Pawn:
    """The pawn, seen from White; Black's is turned round by half a turn.

    Zones are squares run together, `a8b8c8`; Black's turned round as well unless it stands behind a slash: `d2/d7`.
    """

    step: str = "fW"
    capture: str = "fF"
    promotion_zone: str = "a8b8c8d8e8f8g8h8"
    promotes_to: str = "QRBN"
    double_step_zone: str = "a2b2c2d2e2f2g2h2"


@dataclass(frozen=True)
class Worth:
    """What a piece is worth in centipawns: (middlegame, endgame) value and what its square adds.

    `ranks` and `files` run from the owner's first rank and from the a-file; `centre` is added per step nearer to the
    centre (0 on the rim to 3).
    """

    value: tuple[int, int]
    ranks: tuple[tuple[int, ...], tuple[int, ...]] = ((0,) * 8, (0,) * 8)
    files: tuple[tuple[int, ...], tuple[int, ...]] = ((0,) * 8, (0,) * 8)
    centre: tuple[int, int] = (0, 0)


FIDE_PIECES = (Piece("N", "N"), Piece("B", "B"), Piece("R", "R"), Piece("Q", "Q"), Piece("K", "K", royal=True))
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


class BoardClass:
    """A field for a python-chess Board: the class, or its module and name, imported when first asked for.

    Who only plays need not wait for python-chess.
    """

    def __get__(self, rules: Any, owner: Any = None) -> type[chess.Board]:
        if rules is None:
            raise AttributeError("board")  # the field has no default
        found = rules.__dict__["board"]
        if isinstance(found, str):
            module, _, name = found.rpartition(".")
            found = rules.__dict__["board"] = getattr(importlib.import_module(module), name)
        board: type[chess.Board] = found
        return board

    def __set__(self, rules: Any, board: type[chess.Board] | str) -> None:
        rules.__dict__["board"] = board


@dataclass(frozen=True, eq=False)
class Rules:
    """One game. Raises RulesError where traits contradict each other."""

    name: str
    source: str  # where the rules are written down
    board: BoardClass = BoardClass()
    start_fen: str = START
    pieces: tuple[Piece, ...] = FIDE_PIECES
    pawn: Pawn | None = field(default_factory=Pawn)
    castling: bool = True  # the king castles with a rook, in chess960 from any square of the first rank
    royal_safety: bool = True  # one's royal pieces must not be attacked after one's move; else they may be, and are captured
    captures_explode: bool = False  # a capture removes itself and every man but pawns around the square it lands on
    touching_kings_check: bool = True  # a king next to the other king is in check; else neither is, from anything
    material_draws: bool = False  # king against king, with at most one knight or bishop, is a draw
    bare_king_draws: bool = False  # a side left with nothing but its king: drawn at once
    opening: tuple[str, ...] = ()  # moves that must be played from the start position
    mate_series: str = ""  # a mate wins only after a check by one of these types in the series of checks that it ends
    mate_forbidden: str = ""  # a check by these types alone must leave a legal reply
    succession: str = ""  # a captured king is succeeded by a piece of the first of these types its side still has
    driven_king: bool = False  # a turn may be used to move the opponent's king two squares, onto its own men too, not to mate
    title_order: str = ""  # a rotating title makes one man of each side royal; who has it by default, by type
    wary_royals: bool = False  # royal men neither enter nor cross attacked squares, and give check only where they could go
    letter_aliases: Mapping[str, str] = field(default_factory=dict)  # letters read as another type's
    values: Mapping[str, Worth] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.traits  # noqa: B018 - built here so that a contradiction shows where the game is declared

    @functools.cached_property
    def traits(self) -> Traits:
        """What the kernels see."""
        return _traits({"opening": _forced(self), **{name: getattr(self, name) for name in _TRAITS}})

    @functools.cached_property
    def letters(self) -> str:
        """Piece letters by type index, White's: the pawn first."""
        return "P" + "".join(piece.letter for piece in self.pieces)

    @functools.cached_property
    def type(self) -> RulesType:
        """The numba type of these rules."""
        return RulesType(self.traits.digest, self.traits.declared)


_TRAITS = ("pieces", "pawn", "castling", "royal_safety", "captures_explode", "touching_kings_check", "bare_king_draws",
           "mate_series", "mate_forbidden", "succession", "driven_king", "title_order", "wary_royals")


class Mover:
    """A piece type as the kernels see it. Tables are uint64[2, 64], by colour and square."""

    def __init__(self, piece: Piece, index: int):
        self.letter, self.index, self.word, self.royal = piece.letter, index, TYPES + index, piece.royal
        leaps, rook, bishop = np.zeros((3, 2, 64), np.uint64)
        full = {True: set[tuple[int, int]](), False: set[tuple[int, int]]()}
        self.line_leaps = self.far_leaps = False
        for step in betza.parse(piece.betza):
            straight = step.files == 0 or step.ranks == 0
            self.line_leaps |= step.reach == 1 and _on_line(step)
            self.far_leaps |= step.reach == 1 and _is_far(step)
            table = leaps if step.reach == 1 else rook if straight else bishop
            if step.reach == betza.FULL:
                full[straight].add((step.files, step.ranks))
            for colour, sign in enumerate((1, -1)):
                for square in range(64):
                    table[colour, square] |= np.uint64(_ray(square, sign * step.files, sign * step.ranks, step.reach))
        self.leaps = leaps if leaps.any() else None
        self.rook, self.bishop = bool(rook.any()), bool(bishop.any())
        self.overlaps = bool((leaps & (rook | bishop)).any())
        self.rook_limit = None if len(full[True]) == 4 else rook
        self.bishop_limit = None if len(full[False]) == 4 else bishop
        self.slides = self.rook or self.bishop

    @property
    def additive(self) -> bool:
        """Its slides reach as far as the board goes and no leap falls on them: its moves can be counted part by part."""
        whole = not ((self.rook and self.rook_limit is not None) or (self.bishop and self.bishop_limit is not None))
        return whole and not self.overlaps


def _on_line(step: betza.Step) -> bool:
    return step.files == 0 or step.ranks == 0 or abs(step.files) == abs(step.ranks)


def _is_far(step: betza.Step) -> bool:
    """Whether a leap of that step passes over a square of a line."""
    return _on_line(step) and max(abs(step.files), abs(step.ranks)) > 1


def _ray(square: int, files: int, ranks: int, reach: int) -> int:
    found, x, y = 0, square & 7, square >> 3
    for _ in range(reach):
        x, y = x + files, y + ranks
        if not (0 <= x < 8 and 0 <= y < 8):
            break
        found |= 1 << (y * 8 + x)
    return found


class PawnStep:
    """One pawn step on a whole bitboard: keep the pawns in `source[colour]`, rotate left by `shift[colour]`."""

    def __init__(self, step: betza.Step):
        delta = step.ranks * 8 + step.files
        self.shift = tuple(np.uint64(d % 64) for d in (delta, -delta))
        self.back = self.shift[::-1]
        self.source = tuple(
            np.uint64(sum(1 << square for square in range(64) if _ray(square, sign * step.files, sign * step.ranks, 1)))
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
        self.far_leaps = any(_is_far(step) for step in steps + captures)
        mirrored = {(-step.files, step.ranks) for step in steps + captures}
        self.lopsided = mirrored != {(step.files, step.ranks) for step in steps + captures}  # tells left from right
        self.zone = _zone(pawn.promotion_zone)
        self.double = _zone(pawn.double_step_zone)
        self.doubles = bool(pawn.double_step_zone)
        if self.doubles and len(steps) != 1:
            raise RulesError(f"pawn {pawn.step!r} with a double step: the passed square is unknown with several directions")
        if {(s.files, s.ranks) for s in steps} & {(s.files, s.ranks) for s in captures}:
            raise RulesError(f"pawn {pawn.step!r} {pawn.capture!r}: steps and captures must differ")
        attacks, comes = np.zeros((2, 64), np.uint64), [0, 0]
        for colour, sign in enumerate((1, -1)):
            for square in range(64):
                for step in captures:
                    attacks[colour, square] |= np.uint64(_ray(square, sign * step.files, sign * step.ranks, 1))
                for step in steps + captures:
                    comes[colour] |= _ray(square, sign * step.files, sign * step.ranks, 1)
        self.attacks = attacks  # uint64[2, 64]
        # where no pawn of a colour can stand: it would have promoted, or has no way to come there
        self.nowhere = tuple(int(self.zone[colour]) | ~comes[colour] & (1 << 64) - 1 for colour in (0, 1))


_SQUARES = {f"{file}{rank}": 8 * rank + number - 8 for rank in range(1, 9) for number, file in enumerate("abcdefgh")}


def _zone(names: str) -> tuple[np.uint64, np.uint64]:
    white, slash, black = names.partition("/")
    return _squares(white, 0), _squares(black, 0) if slash else _squares(white, 63)


def _squares(names: str, turn: int) -> np.uint64:
    return np.uint64(sum(1 << (_SQUARES[names[i:i + 2]] ^ turn) for i in range(0, len(names), 2)))


class Forced:
    """A position, by its men and side to move, and the one move that may be played there."""

    def __init__(self, men: tuple[int, ...], turn: int, origin: int, target: int):
        self.men = tuple(np.uint64(word) for word in men)  # WHITE, BLACK and the types, as in a position
        self.turn, self.origin, self.target = np.uint64(turn), np.uint64(origin), np.uint64(target)


def _forced(rules: Rules) -> tuple[tuple[tuple[int, ...], int, int, int], ...]:
    """(men, turn, origin, target) for each obligatory opening move; the moves are steps of single men onto empty squares."""
    if not rules.opening:
        return ()
    found = []
    letters, men = rules.letters, [0] * (2 + len(rules.letters))
    board, turn = rules.start_fen.split()[:2]
    for rank, row in zip(range(7, -1, -1), board.split("/"), strict=True):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
                continue
            for word in (int(letter.islower()), 2 + letters.index(letter.upper())):
                men[word] |= 1 << (rank * 8 + file)
            file += 1
    for ply, text in enumerate(rules.opening):
        origin, target = _SQUARES[text[:2]], _SQUARES[text[2:]]
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
        rooks = [mover for mover in self.pieces if mover.letter == "R"]
        self.rook = rooks[0] if rooks else None
        for wrong, text in (
            (self.castling and (self.king is None or self.rook is None), "castling needs one leaping royal type and R"),
            (self.captures_explode and not self.one_king, "captures_explode needs one leaping royal type"),
            (not self.touching_kings_check and not self.captures_explode,
             "touching_kings_check=False needs captures_explode: else a king could take the other"),
            (not royals and not self.titles, "no royal piece: nothing to win or lose"),
            (self.wary_royals != self.titles, "title_order and wary_royals need each other so far"),
            (bool(self.succession) and (self.royal_safety or not self.one_king or self.captures_explode),
             "succession needs royal_safety=False, one leaping royal type and captures that do not explode"),
            (self.driven_king and not (self.royal_safety and self.one_king and not self.captures_explode),
             "driven_king needs one leaping royal type that must be safe, and captures that do not explode"),
            (bool(self.mate_forbidden or self.mate_series) and not (self.royal_safety and self.one_king),
             "mate_series and mate_forbidden need check and one leaping royal type"),
            (any(mover.slides for mover in self.mate_forbidden), "mate_forbidden takes leapers only"),
            (bool(self.mate_forbidden) and (self.driven_king or self.captures_explode),
             "mate_forbidden goes with neither driven_king nor captures_explode"),
            (self.king is not None and pawn is not None and self.king.letter in pawn.promotes_to,
             "a pawn promotes to the only royal piece"),
        ):
            if wrong:
                raise RulesError(f"contradictory traits: {text}")


def _traits(declared: dict[str, Any]) -> Traits:
    """The traits of a declaration, one object for all that say the same: numba's cache asks for them a dozen times."""
    key = repr(sorted(declared.items()))
    if key not in _KNOWN_TRAITS:
        _KNOWN_TRAITS[key] = Traits(**declared)
    return _KNOWN_TRAITS[key]


_KNOWN_TRAITS: dict[str, Traits] = {}


class RulesType(types.Type):  # type: ignore[misc]
    """The type of a game's rules: holds no data, every trait is a constant to the compiler.

    numba's cache index names the types of all games compiled so far: reading it must not build the tables of them all.
    """

    def __init__(self, digest: str, declared: dict[str, Any]):
        self.digest, self.declared = digest, declared
        super().__init__(name=f"Rules({digest})")

    @property
    def traits(self) -> Traits:
        """What the kernels see."""
        return _traits(self.declared)

    def __reduce__(self) -> Any:
        return RulesType, (self.digest, self.declared)


@typeof_impl.register(Rules)
def _typeof_rules(value: Rules, context: Any) -> RulesType:
    return value.type


register_model(RulesType)(models.OpaqueModel)


@unbox(RulesType)
def _unbox_rules(typ: RulesType, obj: Any, context: Any) -> NativeValue:
    return NativeValue(context.context.get_dummy_value())


@infer_getattr
class _RulesAttribute(AttributeTemplate):  # type: ignore[misc]
    key = RulesType

    def generic_resolve(self, typ: RulesType, attr: str) -> Any:
        value = getattr(typ.traits, attr, None)
        return types.maybe_literal(value) if isinstance(value, bool | int) else None


@lower_getattr_generic(RulesType)
def _lower_trait(context: Any, builder: Any, typ: RulesType, value: Any, attr: str) -> Any:
    trait = getattr(typ.traits, attr)
    return context.get_constant(types.boolean if isinstance(trait, bool) else types.int64, trait)


