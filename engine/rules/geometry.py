"""The board as squares: their names, rays and zones; a1 = 0, b1 = 1, ... h8 = 63."""

from __future__ import annotations

import numpy as np

from engine.rules import betza
from engine.squares import SQUARES


def on_line(step: betza.Step) -> bool:
    """Whether a step goes along a rank, a file or a diagonal."""
    return step.files == 0 or step.ranks == 0 or abs(step.files) == abs(step.ranks)


def is_far(step: betza.Step) -> bool:
    """Whether a leap of that step passes over a square of a line."""
    return on_line(step) and max(abs(step.files), abs(step.ranks)) > 1


def ray(square: int, files: int, ranks: int, reach: int) -> int:
    """The squares that a step, repeated up to `reach` times, crosses from `square`, as a bitboard."""
    found, x, y = 0, square & 7, square >> 3
    for _ in range(reach):
        x, y = x + files, y + ranks
        if not (0 <= x < 8 and 0 <= y < 8):
            break
        found |= 1 << (y * 8 + x)
    return found


def zone(names: str) -> tuple[np.uint64, np.uint64]:
    """A zone as bitboards by colour. `a8b8`: Black's is turned by half a turn, unless it follows a slash, `d2/d7`."""
    white, slash, black = names.partition("/")
    return squares_named(white, 0), squares_named(black, 0) if slash else squares_named(white, 63)


def squares_named(names: str, turn: int) -> np.uint64:
    """Squares run together as a bitboard, each index xored with `turn`."""
    return np.uint64(sum(1 << (SQUARES[names[i:i + 2]] ^ turn) for i in range(0, len(names), 2)))
