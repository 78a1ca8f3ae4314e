"""Whether the variations that engines report are legal. An illegal one loses no game, but is reported."""

from __future__ import annotations

import numpy as np

from engine.core.legality import position_after
from engine.core.moves import FROM, KIND, PROMOTION, TO, part
from engine.errors import MoveError
from engine.rules import Rules
from engine.squares import SQUARES
from engine.text import Position, legal_moves, parse_move


def first_illegal(rules: Rules, pos: Position, line: str) -> str:
    """The first illegal move of a line and the moves before it; empty if all are legal."""
    words = line.split()
    for number, word in enumerate(words):
        move = _quickly(legal_moves(rules, pos), word)
        if move is None:
            try:
                move = parse_move(rules, pos, word)
            except MoveError:
                before = " ".join(words[:number])
                return f"{word[:20]!r} after {before}" if before else f"{word[:20]!r}"
        pos = position_after(rules, pos, move)
    return ""


def _quickly(moves: np.ndarray, word: str) -> int | None:
    """The only move between two squares; None if more has to be known: then parse_move() takes 50 µs."""
    origin, target = SQUARES.get(word[:2]), SQUARES.get(word[2:])
    if origin is None or target is None:
        return None
    found = moves[(part(moves, FROM) == origin) & (part(moves, TO) == target)]
    return int(found[0]) if len(found) == 1 and part(int(found[0]), KIND) != PROMOTION else None
