"""Moves that must be played from the start position, as positions and the one move that each allows."""

from __future__ import annotations

import numpy as np

from engine.errors import RulesError
from engine.rules.geometry import STRIDE
from engine.squares import SQUARES

Declared = tuple[tuple[int, ...], int, int, int]  # bitboards, side to move, origin, target


class Forced:
    """A position, by its pieces and side to move, and the one move that may be played there."""

    def __init__(self, pieces: tuple[int, ...], turn: int, origin: int, target: int):
        self.pieces = tuple(np.uint64(word) for word in pieces)  # WHITE, BLACK and the types, as in a position
        self.turn, self.origin, self.target = np.uint64(turn), np.uint64(origin), np.uint64(target)


def forced_moves(letters: str, start_fen: str, opening: tuple[str, ...]) -> tuple[Declared, ...]:
    """What Forced takes, for each obligatory opening move; the moves are steps of single pieces onto empty squares.

    Raises: RulesError.
    """
    if not opening:
        return ()
    found = []
    words, turn = _bitboards(letters, start_fen)
    for ply, text in enumerate(opening):
        if text[:2] not in SQUARES or text[2:] not in SQUARES:
            raise RulesError(f"opening move {text!r} is not made of two squares")
        origin, target = SQUARES[text[:2]], SQUARES[text[2:]]
        if not (words[0] | words[1]) >> origin & 1 or (words[0] | words[1]) >> target & 1:
            raise RulesError(f"opening move {text!r} does not step onto an empty square")
        found.append((tuple(words), (ply + turn) % 2, origin, target))
        words = [word ^ (1 << origin | 1 << target) if word >> origin & 1 else word for word in words]
    return tuple(found)


def _bitboards(letters: str, start_fen: str) -> tuple[list[int], int]:
    """(White's, Black's and each type's pieces, side to move) of a start position."""
    words = [0] * (2 + len(letters))
    board, turn = start_fen.split()[:2]
    for rank, row in enumerate(reversed(board.split("/"))):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
                continue
            for word in (int(letter.islower()), 2 + letters.index(letter.upper())):
                words[word] |= 1 << (rank * STRIDE + file)
            file += 1
    return words, int(turn == "b")
