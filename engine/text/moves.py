"""Moves as text: coordinate notation, as in UCI, with additions for the special moves of some games."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.core.legality import legal_moves
from engine.core.moves import (
    CASTLE,
    DOUBLE,
    DRIVE,
    DROP,
    EN_PASSANT,
    FROM,
    HAS_HEIR,
    HEIR,
    KIND,
    NAMING,
    NORMAL,
    PROMOTES,
    PROMOTION,
    TO,
    TYPE,
    part,
)
from engine.core.position import Position
from engine.errors import MoveError
from engine.rules import Rules
from engine.rules.geometry import STRIDE
from engine.squares import square_name

KINDS = {NORMAL: "normal", DOUBLE: "double step", EN_PASSANT: "en passant", CASTLE: "castling", PROMOTION: "promotion",
         NAMING: "naming", DRIVE: "drive", DROP: "drop"}


class MoveParts(NamedTuple):
    """What a move consists of; squares from 0 (a1) to 63 (h8)."""

    kind: str  # a value of KINDS
    origin: int
    target: int  # when castling, the rook's square
    promotes_to: str  # a capital letter; empty if the move is no promotion
    heir: int | None  # the square of the piece that is made king before the move; None if there is none


def move_parts(rules: Rules, move: int) -> MoveParts:
    """Take a move apart.

    >>> from variants import find
    >>> chess = find("chess")
    >>> from engine.text import parse_fen
    >>> move_parts(chess, parse_move(chess, parse_fen(chess, "8/P6k/8/8/8/8/8/K7 w"), "a7a8n"))
    MoveParts(kind='promotion', origin=48, target=56, promotes_to='N', heir=None)
    """
    kind = part(move, KIND)
    promotes_to = rules.letters[part(move, PROMOTES)] if kind == PROMOTION else ""
    heir = part(move, HEIR) if part(move, HAS_HEIR) else None
    return MoveParts(KINDS[kind], part(move, FROM), part(move, TO), promotes_to, heir)


def castling_target(rules: Rules, origin: int, rook: int) -> int:
    """The square where a king ends that castles with the rook on a square: on eight files, the g file or the c file."""
    return int(rules.traits.castling_goals[int(origin >= STRIDE), int(rook > origin), 0])


def move_text(rules: Rules, pos: Position, move: int, chess960: bool = False) -> str:
    """Write a move in coordinate notation.

    Castling is king takes rook if `chess960`, or if king or rook do not start on their orthodox squares. A naming of the
    piece on d1 is `K@d1`, a pawn dropped on e4 `P@e4`; a move before which it becomes king begins with `K@d1,`.
    """
    kind, origin, target, promotes_to, heir = move_parts(rules, int(move))
    if kind == "naming":
        return f"K@{square_name(origin)}"
    if kind == "drop":
        return f"{rules.letters[part(int(move), TYPE)]}@{square_name(origin)}"
    if kind == "castling" and not chess960 and _is_orthodox(rules, origin, target):
        target = castling_target(rules, origin, target)
    prefix = "" if heir is None else f"K@{square_name(heir)},"
    return prefix + square_name(origin) + square_name(target) + promotes_to.lower()


def _is_orthodox(rules: Rules, king: int, rook: int) -> bool:
    """Whether castling starts from the king's orthodox file and a corner, and no move of the king looks the same."""
    files, mover = rules.traits.geometry.files, rules.traits.king
    target = castling_target(rules, king, rook)
    walks = mover is not None and mover.leaps is not None and int(mover.leaps[int(king >= STRIDE), king]) >> target & 1
    return king % STRIDE == files // 2 and rook % STRIDE in (0, files - 1) and target != king and not walks


def parse_move(rules: Rules, pos: Position, text: str) -> int:
    """Return the legal move with that text.

    Castling may be written as king to its target or as king takes rook, a naming as `K@d1` or `d1d1`. If the text leaves the
    choice of an heir open, the one on the lowest square is chosen.
    Raises: MoveError with the text.
    """
    wanted = _normalized(rules, text)
    moves = sorted(map(int, legal_moves(rules, pos)), key=lambda move: move >> HEIR)  # lowest heir first
    spellings: tuple[Callable[[int], str], ...] = (
        lambda move: move_text(rules, pos, move), lambda move: move_text(rules, pos, move, chess960=True),
        lambda move: _castling_goal(rules, move))
    for spell in spellings:
        for move in moves:
            spelled = spell(move).lower()
            if wanted and wanted in (spelled, spelled.rpartition(",")[2]):
                return move
    raise MoveError(f"illegal move {text[:40]!r}")


def _normalized(rules: Rules, text: str) -> str:
    """The text of a move in lower case, with the game's own letters, and a naming as `k@d1`."""
    heir, comma, move = text.strip().lower().rpartition(",")
    for alias, letter in rules.letter_aliases.items():
        if len(move) == 5 and move[0] != "k" and move[4] == alias.lower():
            move = move[:4] + letter.lower()
    if len(move) == 4 and move[:2] == move[2:]:
        move = f"k@{move[:2]}"
    return heir + comma + move


def _castling_goal(rules: Rules, move: int) -> str:
    """`e1g1`, also for a king that castles from an unorthodox square; empty for other moves."""
    if part(move, KIND) != CASTLE:
        return ""
    origin = part(move, FROM)
    return square_name(origin) + square_name(castling_target(rules, origin, part(move, TO)))
