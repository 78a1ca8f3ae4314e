"""Forced captures: who can capture must."""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attackers import move_targets
from engine.core.bits import ONE, ZERO, U, list_on_stack, lowest, popcount
from engine.core.movegen import ALL_MOVES, COUNT, NOISY, QUIET, always, emit, legal, pawn_moves, pseudo_en_passant
from engine.core.moves import K_CASTLE, K_EN_PASSANT, kind_of, promotion_of, target_of
from engine.core.position import W_WHITE
from engine.rules import EP, TURN, TYPES
from engine.rules.mechanism import Mechanism


@jit
def forced(rules, pos, mode, moves):
    """The captures if there are any, else all moves; returns how many."""
    if rules.royals:
        return forced_with_king(rules, pos, mode, moves)
    us = pos[TURN]
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + (us ^ ONE)]
    n = captures(rules, pos, mode, moves, own, enemy)
    if n == ZERO:
        return quiet_moves(rules, pos, mode, moves, own, own | enemy)
    return ZERO if mode == QUIET else n


@jit(forceinline=True)
def captures(rules, pos, mode, moves, own, enemy):
    """Captures of any piece, listed unless the mode counts them or leaves them out."""
    us = pos[TURN]
    n = ZERO
    listing = COUNT if mode == QUIET else mode
    if rules.pawn:
        n = pawn_moves(rules, listing, moves, n, us, pos[TYPES] & own, ~(own | enemy), ZERO, enemy)
        if rules.pawn.doubles:
            if pos[EP]:
                if mode in (COUNT, QUIET):
                    n += popcount(rules.pawn.attacks[us ^ ONE, lowest(pos[EP])] & pos[TYPES] & own)
                else:
                    n = pseudo_en_passant(rules, pos, moves, n)
    for piece in rules.pieces:
        movers = pos[piece.word] & own
        while movers:
            square = lowest(movers)
            movers &= movers - ONE
            n = emit(rules, listing, moves, n, square, move_targets(rules, piece.index, us, square, own | enemy) & enemy,
                     U(piece.index))
    return n


@jit(forceinline=True)
def quiet_moves(rules, pos, mode, moves, own, occupied):
    """Moves onto empty squares; promotions are noisy."""
    us = pos[TURN]
    n = ZERO
    if rules.pawn:
        n = pawn_moves(rules, mode, moves, n, us, pos[TYPES] & own, ~occupied, ~occupied, ZERO)
    if mode != NOISY:
        for piece in rules.pieces:
            movers = pos[piece.word] & own
            while movers:
                square = lowest(movers)
                movers &= movers - ONE
                targets = move_targets(rules, piece.index, us, square, occupied) & ~occupied & rules.geometry.board
                n = emit(rules, mode, moves, n, square, targets, U(piece.index))
    return n


@jit
def forced_with_king(rules, pos, mode, moves):
    """The same among the legal moves of a side whose king must be safe."""
    enemy = pos[W_WHITE + (pos[TURN] ^ ONE)]
    listed = list_on_stack(rules.max_moves)
    k = legal(rules, pos, ALL_MOVES, listed)
    found, i = ZERO, ZERO
    while i < k:
        found += captures_one(rules, U(listed[i]), enemy)
        i += ONE
    n, i = ZERO, ZERO
    while i < k:
        move = U(listed[i])
        if found == ZERO or captures_one(rules, move, enemy):
            noisy = found > ZERO or promotion_of(move) != ZERO
            if mode in (COUNT, ALL_MOVES) or noisy == (mode == NOISY):
                if mode != COUNT:
                    moves[n] = listed[i]
                n += ONE
        i += ONE
    return n


@jit(forceinline=True)
def captures_one(rules, move, enemy):
    """1 if the move captures, else 0; uint64."""
    kind = kind_of(move)
    if kind == K_EN_PASSANT:
        return ONE
    if kind == K_CASTLE:
        return ZERO
    return (enemy >> target_of(move)) & ONE


@jit(forceinline=True)
def forced_replies(rules, pos):
    """How many captures the side to move has, uint64; if there is one, it has no other moves."""
    us = pos[TURN]
    return captures(rules, pos, COUNT, list_on_stack(0), pos[W_WHITE + us], pos[W_WHITE + (us ^ ONE)])


MECHANISM = Mechanism(
    name="forced captures", trait="captures_forced", takes_over=always, generate=forced)
