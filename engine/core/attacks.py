"""Attacks of sliders on the full board, by look-up (PEXT) or by arithmetic (obstruction difference), and lines between squares.

Smaller boards use the same tables (engine/rules/geometry.py says why they may). Both ways give the same bitboards;
processor.sliders() chooses at import. Tables are made here in a few milliseconds.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import inline
from engine.compile.processor import sliders
from engine.core.bits import ONE, ZERO, U, leading_zeros, pext
from engine.rules.geometry import LARGEST, WORD, board_of

ROOK_DIRECTIONS = ((0, 1), (1, 0))  # one of each pair of opposite directions, (files, ranks)
BISHOP_DIRECTIONS = ((1, 1), (-1, 1))
FULL_BOARD = board_of(LARGEST, LARGEST)


def _rays() -> np.ndarray:
    """uint64[4, 2, 64]: squares below and above on each line through a square, by the order N, E, NE, NW."""
    rays = np.zeros((4, 2, WORD), np.uint64)
    for line, (files, ranks) in enumerate(ROOK_DIRECTIONS + BISHOP_DIRECTIONS):
        for side, sign in enumerate((-1, 1)):
            rays[line, side] = FULL_BOARD.rays(sign * files, sign * ranks, LARGEST - 1)
    return rays


RAYS = _rays()
LINES = RAYS[:, 0] | RAYS[:, 1]  # uint64[4, 64]
ROOK_EMPTY, BISHOP_EMPTY = LINES[0] | LINES[1], LINES[2] | LINES[3]  # attacks on an empty board, uint64[64]


def _pairs() -> tuple[np.ndarray, np.ndarray]:
    """uint64[64, 64] twice: squares strictly between two squares; the whole line through both, 0 where there is none."""
    between, through = np.zeros((2, WORD, WORD), np.uint64)
    a, b = np.indices((WORD, WORD))
    up = (b > a).astype(np.intp)
    for line in range(4):
        on = LINES[line, a] >> b.astype(np.uint64) & ONE != ZERO
        between[on] = (RAYS[line, up, a] & RAYS[line, 1 - up, b])[on]
        through[on] = (LINES[line, a] | ONE << a.astype(np.uint64))[on]
    return between, through


BETWEEN, THROUGH = _pairs()


def _inner(line: int) -> np.ndarray:
    """The squares of a line whose occupation matters: all but the last on each side."""
    inner = np.zeros(WORD, np.uint64)
    for square in range(WORD):
        for side, last in ((0, lambda b: b & -b), (1, lambda b: 1 << (b.bit_length() - 1))):
            ray = int(RAYS[line, side, square])
            if ray:
                inner[square] |= U(ray ^ last(ray))
    return inner


def pext_table(lines: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """(uint64[64, 2] of mask and offset, uint64[n] of attacks at offset + pext(occupied, mask)).

    What several pieces leave of a line is what each of them alone leaves: the entries of a square are made by doubling.
    """
    masks = _inner(lines[0]) | _inner(lines[1])
    parts = []
    for square, mask in enumerate(map(int, masks)):
        found = LINES[lines[0], square:square + 1] | LINES[lines[1], square:square + 1]
        for bit in range(WORD):
            if mask >> bit & 1:
                line = lines[int(LINES[lines[1], square]) >> bit & 1]
                found = np.concatenate((found, found & ~RAYS[line, int(bit > square), bit]))
        parts.append(found)
    offsets = np.cumsum([0, *map(len, parts[:-1])]).astype(np.uint64)
    return np.stack((masks, offsets), axis=1), np.concatenate(parts)


if sliders() != "lines":
    _ROOK, _ROOK_ATTACKS = pext_table((0, 1))
    _BISHOP, _BISHOP_ATTACKS = pext_table((2, 3))

    @inline
    def rook_attacks(square, occupied):
        """Squares a rook on `square` attacks; all uint64."""
        return _ROOK_ATTACKS[_ROOK[square, 1] + pext(occupied, _ROOK[square, 0])]

    @inline
    def bishop_attacks(square, occupied):
        """Squares a bishop on `square` attacks; all uint64."""
        return _BISHOP_ATTACKS[_BISHOP[square, 1] + pext(occupied, _BISHOP[square, 0])]

else:

    _LAST = U(WORD - 1)  # square

    @inline
    def _line_attacks(low, up, occupied):
        below = (low & occupied) | ONE
        above = up & occupied
        return (low | up) & (((above & (ZERO - above)) << ONE) - (ONE << (_LAST - leading_zeros(below))))

    @inline
    def rook_attacks(square, occupied):
        """Squares a rook on `square` attacks; all uint64."""
        return (_line_attacks(RAYS[0, 0, square], RAYS[0, 1, square], occupied)
                | _line_attacks(RAYS[1, 0, square], RAYS[1, 1, square], occupied))

    @inline
    def bishop_attacks(square, occupied):
        """Squares a bishop on `square` attacks; all uint64."""
        return (_line_attacks(RAYS[2, 0, square], RAYS[2, 1, square], occupied)
                | _line_attacks(RAYS[3, 0, square], RAYS[3, 1, square], occupied))
