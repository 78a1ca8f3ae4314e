"""Moves that must be played from the start position."""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.bits import ONE, ZERO, U, list_on_stack
from engine.core.movegen import ALL_MOVES, COUNT, NOISY, legal
from engine.core.moves import origin_of, target_of
from engine.rules import BLACK, TURN, WHITE
from engine.rules.mechanism import Mechanism


@jit
def forced_move(rules, pos):
    """The one move that may be played here, 0 if no rule says so."""
    for forced in rules.opening:
        if pos[WHITE] == forced.pieces[0] and pos[BLACK] == forced.pieces[1] and pos[TURN] == forced.turn:
            same = True
            for word in rules.type_words:
                if pos[word] != forced.pieces[word - WHITE]:
                    same = False
            if same:
                return forced_encoding(rules, pos, forced.origin, forced.target)
    return ZERO


@jit
def forced_encoding(rules, pos, origin, target):
    """The move of the piece on `origin` to `target`, as the generator would list it."""
    found = ZERO
    listed = list_on_stack(rules.max_moves)
    n = legal(rules, pos, ALL_MOVES, listed)
    i = ZERO
    while i < n:
        move = U(listed[i])
        if origin_of(move) == origin and target_of(move) == target:
            found = move
        i += ONE
    return found


@jit
def is_forced(rules, pos):
    """Whether only one move may be played here."""
    return forced_move(rules, pos) != ZERO


@jit
def list_forced(rules, pos, mode, moves):
    """That move, which is a quiet one."""
    if mode == NOISY:
        return ZERO
    if mode != COUNT:
        moves[0] = forced_move(rules, pos)
    return ONE


MECHANISM = Mechanism(
    name="opening", trait="opening", takes_over=is_forced, generate=list_forced)
