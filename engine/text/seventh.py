"""The seventh FEN field: state of some games that the board does not show.

Rotating titles: `white/black`, each the squares of the holder and of those who have held the title before (`d1e1/e8`).
Series of checks: the sides whose series counts towards a mate that wins: `-`, `w`, `b` or `wb`.
A limit of checks: the checks that White and Black have given, `+1+0`. Checks that are left, `2+3`, are read as well, also as
the fifth of seven fields, as python-chess writes them.
"""

from __future__ import annotations

import re

import numpy as np

from engine.core.bits import squares
from engine.errors import FenError
from engine.rules import MARKS, ROYAL, TURN, TYPES, WHITE, Rules
from engine.rules.words import MARKS_OF_A_SIDE
from engine.squares import parse_square, square_name

SIDES = ("White", "Black")


def read_seventh(rules: Rules, pos: np.ndarray, text: str | None) -> None:
    """Set ROYAL and MARKS from the field; None for its default. Raises FenError."""
    traits = rules.traits
    if traits.titles:
        _read_titles(rules, pos, text)
    elif traits.mate_series:
        if text not in (None, "-", "w", "b", "wb"):
            raise FenError(f"field 7 {text!r} is none of -, w, b, wb")
        pos[MARKS] = ("w" in (text or "")) | ("b" in (text or "")) << 1
    elif traits.checks_to_win:
        for colour, given in enumerate(_checks_given(text, traits.checks_to_win)):
            if given == traits.checks_to_win and colour == int(pos[TURN]):
                raise FenError(f"field 7 {text!r}: {SIDES[colour]} has given its last check and is to move")
            pos[MARKS] |= np.uint64((1 << given) - 1 << MARKS_OF_A_SIDE * colour)
    elif text is not None:
        raise FenError(f"field 7 {text!r}: {rules.name} has no seventh field")


def write_seventh(rules: Rules, pos: np.ndarray) -> str:
    """The field with a blank before it; empty if the game has none."""
    if rules.traits.titles:
        sides = []
        for colour in (0, 1):
            own = int(pos[WHITE + colour])
            holder, held = int(pos[ROYAL]) & own, int(pos[MARKS]) & own & ~int(pos[ROYAL])
            sides.append("".join(map(square_name, [*squares(holder), *squares(held)])))
        return " " + "/".join(sides)
    if rules.traits.mate_series:
        return " " + (("w" if int(pos[MARKS]) & 1 else "") + ("b" if int(pos[MARKS]) & 2 else "") or "-")
    if rules.traits.checks_to_win:
        given = [(int(pos[MARKS]) >> MARKS_OF_A_SIDE * colour & (1 << MARKS_OF_A_SIDE) - 1).bit_count() for colour in (0, 1)]
        return f" +{given[0]}+{given[1]}"
    return ""


def _checks_given(text: str | None, limit: int) -> tuple[int, int]:
    """Checks given by White and Black. Raises FenError."""
    match = re.fullmatch(r"(\+?)([0-9]{1,2})\+([0-9]{1,2})", "+0+0" if text is None else text)
    if match is None or max(int(match[2]), int(match[3])) > limit:
        raise FenError(f"field 7 {text!r} does not count checks up to {limit}, such as +1+0")
    white, black = int(match[2]), int(match[3])
    return (white, black) if match[1] else (limit - white, limit - black)


def electable(rules: Rules, pos: np.ndarray, colour: int) -> int:
    """Bitboard of the pieces of a side that can hold the title: no pawns, and none that are royal by their type."""
    found = int(pos[WHITE + colour]) & ~int(pos[TYPES])
    for piece in rules.traits.royals:
        found &= ~int(pos[piece.word])
    return found


def _read_titles(rules: Rules, pos: np.ndarray, text: str | None) -> None:
    parts = (None, None) if text is None else tuple(text.split("/"))
    if len(parts) != 2:
        raise FenError(f"field 7 {text!r} is not white/black, such as e1/e8")
    for colour, part in enumerate(parts):
        able = electable(rules, pos, colour)
        if part is None:
            holders = [next(squares(found)) for words in rules.traits.title_classes
                       if (found := sum(int(pos[word]) for word in words) & able)]
            if not holders:
                raise FenError(f"{SIDES[colour]} has no piece to hold its title")
            named = holders[:1]
        else:
            named = _named(rules, pos, colour, part, text)
        pos[ROYAL] |= np.uint64(1 << named[0])
        pos[MARKS] |= np.uint64(sum(1 << square for square in named))


def _named(rules: Rules, pos: np.ndarray, colour: int, part: str, text: str | None) -> list[int]:
    """The squares in one side's part of the field. Raises FenError."""
    names = [part[i:i + 2] for i in range(0, len(part), 2)]
    found: list[int] = []
    if not names:
        raise FenError(f"field 7 {text!r} names no title holder of {SIDES[colour]}")
    for name in names:
        where = f"field 7 {text!r}: {name!r}"
        square = parse_square(name)
        if square is None:
            raise FenError(f"{where} is not a square")
        if square in found:
            raise FenError(f"{where} is named twice")
        wrong = _unfit(rules, pos, colour, square)
        if wrong:
            raise FenError(f"{where} is {wrong}")
        found.append(square)
    return found


def _unfit(rules: Rules, pos: np.ndarray, colour: int, square: int) -> str:
    """Why no piece on a square can hold a side's title; empty if one can."""
    if not (int(pos[WHITE]) | int(pos[WHITE + 1])) >> square & 1:
        return "empty"
    if not int(pos[WHITE + colour]) >> square & 1:
        return f"not {SIDES[colour]}'s"
    if int(pos[TYPES]) >> square & 1:
        return "a pawn"
    return "" if electable(rules, pos, colour) >> square & 1 else "royal without a title"
