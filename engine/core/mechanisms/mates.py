"""Mates that do not count: some may not be given, some only draw; and the other rules about how a game may begin and end."""

from __future__ import annotations

import numpy as np

from engine.compile.jit import entry, jit
from engine.core.bits import N63, ONE, ZERO, U, list_on_stack, lowest, row_on_stack
from engine.core.movegen import ALL_MOVES, attackers, legal
from engine.core.position import N15, S_TO, S_TYPE, W_WHITE, Z_MARKS, key_of_squares, make
from engine.rules import BLACK, KEY, MARKS, TURN, WHITE


@jit(forceinline=True)
def bare_king(rules, pos):
    """Whether a side has nothing but its king."""
    kings = pos[rules.king.word]
    return pos[WHITE] & ~kings == ZERO or pos[BLACK] & ~kings == ZERO


@jit
def forced_move(rules, pos):
    """The one move that may be played here, 0 where there is no such rule."""
    for forced in rules.opening:
        if pos[WHITE] == forced.men[0] and pos[BLACK] == forced.men[1] and pos[TURN] == forced.turn:
            same = True
            for word in rules.type_words:
                if pos[word] != forced.men[word - WHITE]:
                    same = False
            if same:
                return forced_encoding(rules, pos, forced.origin, forced.target)
    return ZERO


@jit
def forced_encoding(rules, pos, origin, target):
    """The move of the man on `origin` to `target`, as the generator would list it."""
    found = ZERO
    listed = list_on_stack(rules.max_moves)
    n = legal(rules, pos, ALL_MOVES, listed)
    i = ZERO
    while i < n:
        move = U(listed[i])
        if move & N63 == origin and (move >> S_TO) & N63 == target:
            found = move
        i += ONE
    return found


@jit(forceinline=True)
def might_check(rules, pos):
    """Whether a man whose type may not mate alone could go where it attacks the opposing king."""
    us = pos[TURN]
    own = pos[W_WHITE + us]
    foe = lowest(pos[rules.king.word] & pos[W_WHITE + (us ^ ONE)])
    for piece in rules.mate_forbidden:
        goals = piece.leaps[us ^ ONE, foe] & ~own
        men = pos[piece.word] & own
        while men:
            if piece.leaps[us, lowest(men)] & goals:
                return True
            men &= men - ONE
    return False


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

    A move that leaves the other side a bare king draws at once, whatever it attacks.
    """
    us = pos[TURN]
    man, goal = (move >> S_TYPE) & N15, (move >> S_TO) & N63
    foe = lowest(pos[rules.king.word] & pos[W_WHITE + (us ^ ONE)])
    suspect = False
    for piece in rules.mate_forbidden:
        if man == U(piece.index):
            if (piece.leaps[us ^ ONE, foe] >> goal) & ONE:
                suspect = True
    if not suspect:
        return False
    make(rules, pos, child, move, False)
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
    if bare_king(rules, child):
        return True
    checkers = attackers(rules, child, foe, child[WHITE] | child[BLACK], child[W_WHITE + us], us)
    others = checkers
    for piece in rules.mate_forbidden:
        others &= ~child[piece.word]
    return checkers == ZERO or others != ZERO


@jit
def update_series(rules, pos, child):
    """Keep the marks of unbroken series of checks up to date after a move from `pos` to `child`, key included."""
    us = pos[TURN]
    mark = ONE << us
    foe = pos[rules.king.word] & child[W_WHITE + (us ^ ONE)]
    checkers = ZERO
    if foe:
        checkers = attackers(rules, child, lowest(foe), child[WHITE] | child[BLACK], child[W_WHITE + us], us)
    marks = pos[MARKS]
    if checkers == ZERO:
        marks &= ~mark
    else:
        counting = ZERO
        for word in rules.mate_series:
            counting |= child[word]
        if checkers & counting:
            marks |= mark
    child[MARKS] = marks
    child[KEY] ^= key_of_squares(Z_MARKS, pos[MARKS] ^ marks)


