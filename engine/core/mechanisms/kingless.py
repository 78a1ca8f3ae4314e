"""A side without a king: nothing of it can be checked, and it loses with its last piece."""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attackers import royals
from engine.core.bits import ONE, ZERO, list_on_stack, lowest, popcount
from engine.core.movegen import COUNT, QUIET, en_passant, free_moves, pawn_moves, pseudo_en_passant, target_mask
from engine.core.position import W_WHITE
from engine.core.reasons import EXTINCTION, EXTINCTION_WIN, NOT_OVER
from engine.rules import EP, TURN, TYPES
from engine.rules.mechanism import Mechanism


@jit(forceinline=True)
def has_no_king(rules, pos):
    """Whether the side to move has no king."""
    return royals(rules, pos) & pos[W_WHITE + pos[TURN]] == ZERO


@jit
def unbound_moves(rules, pos, mode, moves):
    """All moves of the pieces; returns how many."""
    us = pos[TURN]
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + (us ^ ONE)]
    n = ZERO
    if rules.pawn:
        n = pawn_moves(rules, mode, moves, n, us, pos[TYPES] & own, ~(own | enemy), ~(own | enemy), enemy)
        if mode != QUIET and rules.pawn.doubles:
            if pos[EP]:
                if mode == COUNT:
                    n += popcount(rules.pawn.attacks[us ^ ONE, lowest(pos[EP])] & pos[TYPES] & own)
                else:
                    n = pseudo_en_passant(rules, pos, moves, n)
    return free_moves(rules, pos, mode, moves, n, us, own, target_mask(rules, mode, own, enemy), own | enemy)


@jit
def capture_in_passing(rules, pos, capturers):
    """Whether a legal en passant capture exists: always, or as the king's safety allows."""
    king = royals(rules, pos) & pos[W_WHITE + pos[TURN]]
    if king == ZERO:
        return True
    return en_passant(rules, pos, COUNT, list_on_stack(0), ZERO, lowest(king)) > ZERO


@jit
def extinct(rules, pos):
    """EXTINCTION if the side to move has no piece left, EXTINCTION_WIN if the other side has none: so it can be set up."""
    if pos[W_WHITE + pos[TURN]] == ZERO:
        return EXTINCTION
    if pos[W_WHITE + (pos[TURN] ^ ONE)] == ZERO:
        return EXTINCTION_WIN
    return NOT_OVER


MECHANISM = Mechanism(
    name="kingless", trait="kingless", takes_over=has_no_king, generate=unbound_moves,
    en_passant_possible=capture_in_passing, over_at_once=extinct)
