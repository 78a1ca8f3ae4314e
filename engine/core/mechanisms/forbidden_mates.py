"""Mates that may not be given: if pieces of certain types alone give check, a legal reply must be left.

Such a mate is an illegal move, so that the question is recursive: a reply that would itself be such a mate is none.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import entry, jit
from engine.core.attackers import attackers
from engine.core.bits import ONE, ZERO, U, list_on_stack, lowest, rotate, row_on_stack
from engine.core.mechanisms.bare_king import bare_king
from engine.core.movegen import ALL_MOVES, COUNT, legal
from engine.core.moves import K_PROMOTION, kind_of, promotion_of, target_of, type_of
from engine.core.position import W_WHITE, make
from engine.rules import BLACK, TURN, TYPES, WHITE
from engine.rules.mechanism import Mechanism


@jit(forceinline=True)
def might_check(rules, pos):
    """Whether a piece whose type may not mate alone could go where it attacks the opposing king."""
    us = pos[TURN]
    own = pos[W_WHITE + us]
    foe = lowest(pos[rules.king.word] & pos[W_WHITE + (us ^ ONE)])
    for piece in rules.mate_forbidden:
        goals = piece.leaps[us ^ ONE, foe] & ~own
        movers = pos[piece.word] & own
        while movers:
            if piece.leaps[us, lowest(movers)] & goals:
                return True
            movers &= movers - ONE
    for piece in rules.mating_promotions:
        if piece.leaps[us ^ ONE, foe] & promotion_squares(rules, us, pos[TYPES] & own) & ~own:
            return True
    return False


@jit
def promotion_squares(rules, us, pawns):
    """Where these pawns of the side `us` could promote, if nothing is in their way and there is something to capture."""
    found = ZERO
    for step in rules.pawn.steps:
        source, shift = (step.source[0], step.shift[0]) if us == ZERO else (step.source[1], step.shift[1])
        found |= rotate(pawns & source, shift)
    for step in rules.pawn.captures:
        source, shift = (step.source[0], step.shift[0]) if us == ZERO else (step.source[1], step.shift[1])
        found |= rotate(pawns & source, shift)
    return found & (rules.pawn.zone[0] if us == ZERO else rules.pawn.zone[1])


@jit
def allowed_mates(rules, pos, moves, n):
    """Keep those of the first n moves that are not forbidden mates; returns how many."""
    child = row_on_stack(rules.words)
    kept = ZERO
    i = ZERO
    while i < n:
        if not forbidden_mate(rules, pos, child, U(moves[i])):
            moves[kept] = moves[i]
            kept += ONE
        i += ONE
    return kept


@jit
def forbidden_mate(rules, pos, child, move):
    """Whether `move` checks by forbidden types alone and leaves no reply; `child` is scratch.

    Where a bare king draws, a move that leaves the other side one ends the game at once, whatever it attacks.
    """
    us = pos[TURN]
    mover, goal = type_of(move), target_of(move)
    if rules.mating_promotions:
        if kind_of(move) == K_PROMOTION:
            mover = promotion_of(move)
    foe = lowest(pos[rules.king.word] & pos[W_WHITE + (us ^ ONE)])
    suspect = False
    for piece in rules.mate_forbidden:
        if mover == U(piece.index):
            if (piece.leaps[us ^ ONE, foe] >> goal) & ONE:
                suspect = True
    if not suspect:
        return False
    make(rules, pos, child, move, False)
    if rules.bare_king_draws:
        if bare_king(rules, child):
            return False
    checkers = attackers(rules, child, foe, child[WHITE] | child[BLACK], child[W_WHITE + us], us)
    for piece in rules.mate_forbidden:
        checkers &= ~child[piece.word]
    if checkers:
        return False
    return not has_reply(rules, child)


@entry
def has_reply(rules, pos):
    """Whether the side to move has a legal move, forbidden mates excepted. Calls itself for each such mate."""
    moves = list_on_stack(rules.max_moves)
    child = row_on_stack(rules.words)
    n = legal(rules, pos, ALL_MOVES, moves)
    i = ZERO
    while i < n:
        if allowed_reply(rules, pos, child, np.uint64(moves[i])):
            return True
        if has_reply(rules, child):
            return True
        i += ONE
    return False


@jit
def allowed_reply(rules, pos, child, move):
    """Whether `move` needs no further look; else the position after it is left in `child`."""
    us = pos[TURN]
    foe = lowest(pos[rules.king.word] & pos[W_WHITE + (us ^ ONE)])
    make(rules, pos, child, move, False)
    if rules.bare_king_draws:
        if bare_king(rules, child):
            return True
    checkers = attackers(rules, child, foe, child[WHITE] | child[BLACK], child[W_WHITE + us], us)
    others = checkers
    for piece in rules.mate_forbidden:
        others &= ~child[piece.word]
    return checkers == ZERO or others != ZERO


@jit
def without_forbidden(rules, pos, mode, moves):
    """Legal moves without forbidden mates."""
    if mode == COUNT:
        listed = list_on_stack(rules.max_moves)
        return allowed_mates(rules, pos, listed, legal(rules, pos, ALL_MOVES, listed))
    return allowed_mates(rules, pos, moves, legal(rules, pos, mode, moves))


MECHANISM = Mechanism(
    name="forbidden mates", trait="mate_forbidden", takes_over=might_check,
    generate=without_forbidden)
