"""Attacks of sliders, by look-up (PEXT) or by arithmetic (obstruction difference), and the lines between squares.

Both ways give the same bitboards; jit.sliders() chooses at import. Tables are made here in a few milliseconds.
"""

from __future__ import annotations

import numpy as np

from engine.bits import N63, ONE, ZERO, U, highest, pext
from engine.jit import inline, sliders

ROOK_DIRECTIONS = ((0, 1), (1, 0))  # one of each pair of opposite directions, (files, ranks)
BISHOP_DIRECTIONS = ((1, 1), (-1, 1))


def _rays() -> np.ndarray:
    """uint64[4, 2, 64]: squares below and above on each line through a square, by the order N, E, NE, NW."""
    rays = np.zeros((4, 2, 64), np.uint64)
    for line, (dx, dy) in enumerate(ROOK_DIRECTIONS + BISHOP_DIRECTIONS):
        for square in range(64):
            for side, sign in enumerate((-1, 1)):
                x, y, found = square & 7, square >> 3, 0
                while 0 <= (x := x + sign * dx) < 8 and 0 <= (y := y + sign * dy) < 8:
                    found |= 1 << (y * 8 + x)
                rays[line, side, square] = found
    return rays


RAYS = _rays()
LINES = RAYS[:, 0] | RAYS[:, 1]  # uint64[4, 64]
ROOK_EMPTY, BISHOP_EMPTY = LINES[0] | LINES[1], LINES[2] | LINES[3]  # attacks on an empty board, uint64[64]


def _pairs() -> tuple[np.ndarray, np.ndarray]:
    """uint64[64, 64] twice: squares strictly between two squares; the whole line through both, 0 where there is none."""
    between, through = np.zeros((2, 64, 64), np.uint64)
    for line in range(4):
        for a in range(64):
            for b in range(64):
                if int(LINES[line, a]) >> b & 1:
                    near, far = (1, 0) if b > a else (0, 1)
                    between[a, b] = RAYS[line, near, a] & RAYS[line, far, b]
                    through[a, b] = LINES[line, a] | U(1 << a)
    return between, through


BETWEEN, THROUGH = _pairs()


def _inner(line: int) -> np.ndarray:
    """The squares of a line whose occupation matters: all but the last on each side."""
    inner = np.zeros(64, np.uint64)
    for square in range(64):
        for side, last in ((0, lambda b: b & -b), (1, lambda b: 1 << (b.bit_length() - 1))):
            ray = int(RAYS[line, side, square])
            if ray:
                inner[square] |= U(ray ^ last(ray))
    return inner


def line_attacks_table(line: int, squares: np.ndarray, occupied: np.ndarray) -> np.ndarray:
    """Attacks along one line for many (square, occupied) pairs at once, in numpy."""
    low, up = RAYS[line, 0, squares], RAYS[line, 1, squares]
    below = (low & occupied) | ONE
    for shift in (1, 2, 4, 8, 16, 32):  # smear down: all bits up to the highest blocker
        below |= below >> U(shift)
    with np.errstate(over="ignore"):
        first_above = (up & occupied) & (ZERO - (up & occupied))
        found: np.ndarray = (low | up) & ((first_above << ONE) - ((below >> ONE) + ONE))
    return found


def _pext_table(lines: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """(uint64[64, 2] of mask and offset, uint64[n] of attacks at offset + pext(occupied, mask))."""
    masks = _inner(lines[0]) | _inner(lines[1])
    entry = np.zeros((64, 2), np.uint64)
    parts, offset = [], 0
    for square in range(64):
        mask = int(masks[square])
        bits = [bit for bit in range(64) if mask >> bit & 1]
        index = np.arange(1 << len(bits), dtype=np.uint64)
        occupied = np.zeros(len(index), np.uint64)
        for number, bit in enumerate(bits):
            occupied |= ((index >> U(number)) & ONE) << U(bit)
        where = np.full(len(index), square)
        parts.append(line_attacks_table(lines[0], where, occupied) | line_attacks_table(lines[1], where, occupied))
        entry[square] = mask, offset
        offset += len(index)
    return entry, np.concatenate(parts)


if sliders() == "pext":
    _ROOK, _ROOK_ATTACKS = _pext_table((0, 1))
    _BISHOP, _BISHOP_ATTACKS = _pext_table((2, 3))

    @inline
    def rook_attacks(square, occupied):
        """Squares a rook on `square` attacks; all uint64."""
        return _ROOK_ATTACKS[_ROOK[square, 1] + pext(occupied, _ROOK[square, 0])]

    @inline
    def bishop_attacks(square, occupied):
        """Squares a bishop on `square` attacks; all uint64."""
        return _BISHOP_ATTACKS[_BISHOP[square, 1] + pext(occupied, _BISHOP[square, 0])]

else:

    @inline
    def _line_attacks(low, up, occupied):
        below = (low & occupied) | ONE
        above = up & occupied
        return (low | up) & (((above & (ZERO - above)) << ONE) - (ONE << (N63 - highest(below))))

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
