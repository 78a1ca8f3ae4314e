"""A move as a uint32.

    bits 0-5 origin   6-11 target   12-15 type   16-19 promotion   20-23 kind   24-29 heir   30 whether there is an heir

Castling goes to the rook's square. Naming a king and dropping a piece have origin = target. A driven king is the opponent's,
moved by its own squares. An heir is the square of the piece that becomes king before the move.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from engine.compile.jit import inline
from engine.core.bits import SQUARE_BITS, U

NORMAL, DOUBLE, EN_PASSANT, CASTLE, PROMOTION, NAMING, DRIVE, DROP = range(8)  # kinds of move
FROM, TO, TYPE, PROMOTES, KIND, HEIR, HAS_HEIR = 0, 6, 12, 16, 20, 24, 30  # where a move's parts begin
_MASKS = {FROM: 63, TO: 63, TYPE: 15, PROMOTES: 15, KIND: 15, HEIR: 63, HAS_HEIR: 1}

S_TO, S_TYPE, S_PROMOTES, S_KIND = U(TO), U(TYPE), U(PROMOTES), U(KIND)
S_HEIR, S_HAS_HEIR = U(HEIR), U(HAS_HEIR)
TYPE_BITS, KIND_BITS = U(15), U(15)
K_DOUBLE, K_EN_PASSANT, K_CASTLE, K_PROMOTION = U(DOUBLE), U(EN_PASSANT), U(CASTLE), U(PROMOTION)
K_NAMING, K_DRIVE, K_DROP = U(NAMING), U(DRIVE), U(DROP)

Moves = TypeVar("Moves", int, np.ndarray)


@inline
def encode(origin, target, type_index, kind):
    """A move without promotion or heir; all uint64."""
    return origin | (target << S_TO) | (type_index << S_TYPE) | (kind << S_KIND)


@inline
def kind_of(move):
    """The kind of a move, uint64."""
    return (move >> S_KIND) & KIND_BITS


@inline
def origin_of(move):
    """The square a move starts from, uint64."""
    return move & SQUARE_BITS


@inline
def target_of(move):
    """The square a move goes to, uint64; the rook's if it castles."""
    return (move >> S_TO) & SQUARE_BITS


@inline
def type_of(move):
    """Type index of the piece that moves, before it promotes, uint64."""
    return (move >> S_TYPE) & TYPE_BITS


@inline
def promotion_of(move):
    """Type index that a promotion chooses, uint64."""
    return (move >> S_PROMOTES) & TYPE_BITS


def part(move: Moves, begins: int) -> Moves:
    """A part of a move for Python: of an int, or of each of an array; begins: FROM, TO, TYPE ... HAS_HEIR."""
    return move >> begins & _MASKS[begins]
