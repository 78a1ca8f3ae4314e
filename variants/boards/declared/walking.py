"""How pieces of any declared game go: square by square, from their Betza notation."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from engine.rules import betza

if TYPE_CHECKING:
    from engine.rules import Rules


@functools.lru_cache(maxsize=4096)
def steps_of(notation: str) -> tuple[betza.Step, ...]:
    """The steps of a notation."""
    return betza.parse(notation)


def shifted(rules: Rules, square: int, files: int, ranks: int) -> int | None:
    """The square so far east and up; None off the board."""
    file, rank = square % 8 + files, square // 8 + ranks
    if rules.wraps:
        file %= rules.files
    return 8 * rank + file if 0 <= file < rules.files and 0 <= rank < rules.ranks else None


def walk(rules: Rules, step: betza.Step, side: int, square: int, blocked: Collection[int]) -> Iterator[int]:
    """The squares that a step reaches, one after the other, up to and with the first of `blocked` that stops it."""
    sign = -1 if side else 1
    passed, way = step.way
    over = not step.hop
    for number, (files, ranks) in enumerate(way):
        target = shifted(rules, square, sign * files, sign * ranks)
        if target is None or target == square:
            return
        if over and number >= passed:
            yield target
            if step.hop == "g":
                return
        if target in blocked:
            if over:
                return
            over = True


def attacks(rules: Rules, letter: str, side: int, square: int, blocked: Collection[int]) -> set[int]:
    """The squares that a piece attacks, whoever stands there."""
    notation = rules.pawn.capture if letter == "P" and rules.pawn else next(p.betza for p in rules.pieces if p.letter == letter)
    return {target for step in steps_of(notation) if step.captures for target in walk(rules, step, side, square, blocked)}


def quiet(rules: Rules, letter: str, side: int, square: int, blocked: Collection[int]) -> set[int]:
    """The squares that a piece may go to if they are empty; not of pawns."""
    notation = next(piece.betza for piece in rules.pieces if piece.letter == letter)
    return {target for step in steps_of(notation) if step.moves for target in walk(rules, step, side, square, blocked)}
