"""The king the opponent may move: two squares in a line, the first empty, onto an empty square or its own men."""

from __future__ import annotations

import numpy as np

from engine.compile.jit import jit
from engine.core.attacks import BETWEEN
from engine.core.bits import ONE, ZERO, U, list_on_stack, lowest, row_on_stack
from engine.core.movegen import COUNT, NOISY, QUIET, attackers, legal
from engine.core.position import BLAST, K_DRIVE, W_WHITE, encode, make
from engine.rules import TURN

SECOND_SQUARES = np.array([sum(1 << ((y + dy) * 8 + x + dx) for dx in (-2, 0, 2) for dy in (-2, 0, 2)
                               if (dx or dy) and 0 <= x + dx < 8 and 0 <= y + dy < 8)
                           for y in range(8) for x in range(8)], np.uint64)


@jit
def drives(rules, pos, mode, moves, n, strict):
    """Add the moves of the opponent's king. strict: literal; False lets it land in checkmate."""
    us = pos[TURN]
    them = us ^ ONE
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
    occupied = own | enemy
    kings = pos[rules.king.word]
    king, foe = lowest(kings & own), lowest(kings & enemy)
    foe_bit = ONE << foe
    targets = SECOND_SQUARES[foe] & ~own & ~BLAST[king]  # BLAST: the squares next to one's own king
    if mode == NOISY:
        targets &= enemy
    if mode == QUIET:
        targets &= ~enemy
    while targets:
        target = lowest(targets)
        bit = ONE << target
        targets ^= bit
        if BETWEEN[foe, target] & occupied:
            continue
        after = (occupied ^ foe_bit) | bit
        if attackers(rules, pos, king, after, enemy & ~(foe_bit | bit), them):
            continue
        move = encode(foe, target, U(rules.king.index), K_DRIVE)
        if strict:
            if attackers(rules, pos, target, after, own, us):
                if not can_answer(rules, pos, move):
                    continue
        if mode != COUNT:
            moves[n] = move
        n += ONE
    return n


@jit
def can_answer(rules, pos, move):
    """Whether the side driven into check by `move` could answer, its own drives allowed to mate."""
    child = row_on_stack(rules.words)
    nowhere = list_on_stack(0)
    make(rules, pos, child, move, False)
    if legal(rules, child, COUNT, nowhere):
        return True
    return drives_lenient(rules, child, nowhere) > ZERO


@jit
def drives_lenient(rules, pos, nowhere):
    """How many moves the opponent's king has where mating it is allowed."""
    return drives(rules, pos, COUNT, nowhere, ZERO, False)
