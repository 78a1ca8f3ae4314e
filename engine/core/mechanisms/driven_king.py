"""The king the opponent may move: by default two squares in a line, the first empty; onto an empty square or its own pieces."""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attackers import attackers
from engine.core.bits import ONE, ZERO, U, list_on_stack, lowest, row_on_stack
from engine.core.movegen import COUNT, NOISY, QUIET, legal
from engine.core.moves import K_DRIVE, encode, origin_of, target_of
from engine.core.position import W_WHITE, make
from engine.rules import CASTLING, TURN
from engine.rules.mechanism import Mechanism


@jit
def add_drives(rules, pos, mode, moves, n):
    """Add the moves of the opponent's king that do not mate it."""
    return drives(rules, pos, mode, moves, n, True)


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
    targets = rules.driven_goals[foe] & ~own & ~rules.geometry.king_attacks[king]
    if mode == NOISY:
        targets &= enemy
    if mode == QUIET:
        targets &= ~enemy
    while targets:
        target = lowest(targets)
        bit = ONE << target
        targets ^= bit
        if rules.driven_way[foe, target] & occupied:
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


@jit
def drive(rules, pos, child, move):
    """Set the pieces after the opponent's king was driven; returns the squares that changed."""
    them = pos[TURN] ^ ONE
    origin_bit, target_bit = ONE << origin_of(move), ONE << target_of(move)
    for word in rules.board_words:
        child[word] = pos[word] & ~(origin_bit | target_bit)
    child[W_WHITE + them] |= target_bit
    child[rules.king.word] |= target_bit
    child[CASTLING] = pos[CASTLING]
    return origin_bit | target_bit


MECHANISM = Mechanism(
    name="driven king", trait="driven_king", kind=K_DRIVE, make=drive, add_moves=add_drives)
