"""Squares and their names: a1 = 0, b1 = 1, ... h8 = 63. Imports nothing heavy: the protocols need it before all else."""

from __future__ import annotations

FILES, RANKS = "abcdefgh", "12345678"
SQUARES = {file + rank: number for number, (rank, file) in enumerate((rank, file) for rank in RANKS for file in FILES)}
_NAMES = tuple(SQUARES)


def square_name(square: int) -> str:
    """`e4` for 28."""
    return _NAMES[square]


def parse_square(name: str) -> int | None:
    """28 for `e4`; None for what names no square."""
    return SQUARES.get(name)
