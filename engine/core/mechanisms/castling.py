"""Castling with a rook, or its like, from any squares of the first rank, by default to the g- and f-file or the c- and d-file.

The right to castle is a bit on the rook's square. It ends when the king or the rook leaves its square, or the board.
"""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attackers import king_could_stand, snipers
from engine.core.attacks import BETWEEN
from engine.core.bits import ONE, ZERO, U, lowest
from engine.core.movegen import COUNT
from engine.core.moves import K_CASTLE, encode, origin_of, target_of, type_of
from engine.core.position import W_WHITE
from engine.rules import BLACK, CASTLING, MARKS, ROYAL, TURN, WHITE
from engine.rules.geometry import FILE_BITS
from engine.rules.mechanism import Mechanism


@jit(forceinline=True)
def castling_squares(rules, us, king, rook):
    """(square the king goes to, square the rook goes to), uint64."""
    if rook > king:
        return rules.castling_goals[us, 1, 0], rules.castling_goals[us, 1, 1]
    return rules.castling_goals[us, 0, 0], rules.castling_goals[us, 0, 1]


@jit(forceinline=True)
def castling_rooks(rules, pos, king):
    """Rooks the king may castle with as far as rights and the way go; whether squares are attacked is not looked at."""
    us = pos[TURN]
    occupied = pos[WHITE] | pos[BLACK]
    ready = ZERO
    rooks = pos[CASTLING] & pos[W_WHITE + us]
    while rooks:
        rook = lowest(rooks)
        if rules.castling_way[us, king & FILE_BITS, rook & FILE_BITS] & occupied == ZERO:
            ready |= ONE << rook
        rooks &= rooks - ONE
    return ready


@jit
def add_castlings(rules, pos, mode, moves, n, king, rooks, danger):
    """Add castling with `rooks`, given that the king is not in check."""
    while rooks:
        rook = lowest(rooks)
        rooks &= rooks - ONE
        if may_castle(rules, pos, king, rook, danger):
            if mode != COUNT:
                moves[n] = encode(king, rook, U(rules.king.index), K_CASTLE)
            n += ONE
    return n


@jit(forceinline=True)
def count_castlings(rules, pos, king, rooks, danger):
    """How many moves add_castlings() adds."""
    n = ZERO
    while rooks:
        if may_castle(rules, pos, king, lowest(rooks), danger):
            n += ONE
        rooks &= rooks - ONE
    return n


@jit(forceinline=True)
def may_castle(rules, pos, king, rook, danger):
    """Whether nobody attacks the way and the goal of a king that castles with `rook`; it is not in check, the way is free.

    The king's goal is looked at again if a slider on its rank might be let in by the rook that leaves.
    """
    us = pos[TURN]
    them = us ^ ONE
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
    king_to, rook_to = castling_squares(rules, us, king, rook)
    kt, rt = ONE << king_to, ONE << rook_to
    allowed = True
    if rules.royal_safety:
        allowed = BETWEEN[king, king_to] & danger == ZERO
        if allowed:
            if rules.winding or snipers(rules, pos, king_to, enemy & rules.geometry.first_rank[us], them):
                occupied = ((own | enemy) & ~(ONE << king | ONE << rook)) | kt | rt
                allowed = king_could_stand(rules, pos, king_to, occupied, enemy, them)
            else:
                allowed = danger & kt == ZERO
    return allowed


@jit
def castle(rules, pos, child, move):
    """Set the pieces, rights and marks after castling; returns the squares that changed."""
    us = pos[TURN]
    king, rook = origin_of(move), target_of(move)
    king_to, rook_to = castling_squares(rules, us, king, rook)
    k, r, kt, rt = ONE << king, ONE << rook, ONE << king_to, ONE << rook_to
    for word in rules.board_words:
        child[word] = pos[word] & ~(k | r)
    child[W_WHITE + us] |= kt | rt
    child[rules.king.word] |= kt
    if us == ZERO:
        child[rules.rooks[0].word] |= rt
    else:
        child[rules.rooks[1].word] |= rt
    child[CASTLING] = pos[CASTLING] & ~pos[W_WHITE + us]
    if rules.titles:
        child[ROYAL] = _carried(rules, pos[ROYAL], k, r, kt, rt)
        child[MARKS] = _carried(rules, pos[MARKS], k, r, kt, rt)
    if rules.drops:
        child[ROYAL], child[MARKS] = pos[ROYAL], pos[MARKS]
        for word in rules.hand_words:
            child[word] = pos[word]
    return k | r | kt | rt


@jit(forceinline=True)
def keep_rights(rules, pos, child, move, captured):
    """Set the rights after an ordinary move."""
    rights = pos[CASTLING]
    if rights:
        if type_of(move) == U(rules.king.index):
            rights &= ~pos[W_WHITE + pos[TURN]]
        if rules.kings_vanish:
            if captured:
                rights &= child[WHITE] | child[BLACK]
                for side in (0, 1):
                    stood = pos[rules.king.word] & pos[WHITE + side]
                    if stood & ~(child[rules.king.word] & child[WHITE + side]):
                        rights &= ~pos[WHITE + side]
        rights &= ~(ONE << origin_of(move) | ONE << target_of(move))
    child[CASTLING] = rights
    return ZERO


@jit(forceinline=True)
def _carried(rules, marks, king, rook, king_to, rook_to):
    """Marks on squares, carried along by castling; all of them bits."""
    moved = marks & ~(king | rook)
    if marks & king:
        moved |= king_to
    if marks & rook:
        moved |= rook_to
    return moved


MECHANISM = Mechanism(
    name="castling", trait="castling", kind=K_CASTLE, make=castle, after_move=keep_rights,
    castling_rooks=castling_rooks, add_castlings=add_castlings, count_castlings=count_castlings)
