"""Drops: a captured piece changes sides, and instead of a move its new owner may put it on an empty square.

A side's hand is a word: HAND_BITS bits for each type. ROYAL holds the pieces that came from promotion: captured, they are
pawns again.
"""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attackers import attackers
from engine.core.bits import ONE, ZERO, U, lowest, popcount
from engine.core.movegen import COUNT, NOISY, allowed_targets
from engine.core.moves import K_DROP, K_PROMOTION, encode, kind_of, origin_of, target_of, type_of
from engine.core.position import W_TYPES, W_WHITE, type_at
from engine.rules import CASTLING, MARKS, ROYAL, TURN
from engine.rules.mechanism import Mechanism
from engine.rules.words import HAND_BITS

N_BITS = U(HAND_BITS)
MOST_IN_HAND = (ONE << N_BITS) - ONE


@jit(forceinline=True)
def in_hand(rules, pos, colour, index):
    """How many pieces of a type, by its index, a side has in hand, uint64."""
    return (pos[U(rules.hand_words[0]) + colour] >> (U(index) * N_BITS)) & MOST_IN_HAND


@jit(forceinline=True)
def take_in_hand(rules, pos, child, move, captured):
    """Carry hands and promoted pieces through an ordinary move; a captured piece goes to the capturer's hand."""
    us = pos[TURN]
    origin_bit, target_bit = ONE << origin_of(move), ONE << target_of(move)
    marks = pos[ROYAL]
    for word in rules.hand_words:
        child[word] = pos[word]
    kept = marks & ~(origin_bit | target_bit | captured)
    if marks & origin_bit or kind_of(move) == K_PROMOTION:
        kept |= target_bit
    child[ROYAL] = kept
    child[MARKS] = pos[MARKS]
    if rules.captures_to_hand:
        if captured:
            child[U(rules.hand_words[0]) + us] += taken(rules, pos, us, captured)
    return ZERO


@jit(forceinline=True)
def taken(rules, pos, us, captured):
    """What a capture adds to the hand of `us`: the piece on the bit `captured`, unless it is full of those."""
    index = ZERO if pos[ROYAL] & captured else type_at(rules, pos, lowest(captured))
    if in_hand(rules, pos, us, index) >= MOST_IN_HAND:
        return ZERO
    return ONE << (index * N_BITS)


@jit(forceinline=True)
def add_drops(rules, pos, mode, moves, n):
    """Add the drops: onto empty squares, against check between the king and the piece that checks it."""
    us = pos[TURN]
    if mode != NOISY:
        if pos[U(rules.hand_words[0]) + us]:
            king = lowest(pos[rules.king.word] & pos[W_WHITE + us])
            quiet = drop_squares(rules, pos, king)
            if rules.pawn:
                for index in rules.pawn_in_hand:
                    if in_hand(rules, pos, us, index):
                        n = emit_drops(rules, mode, moves, n, quiet & rules.droppable[us, 1], index)
            for piece in rules.pieces:
                if not piece.royal:
                    if in_hand(rules, pos, us, piece.index):
                        n = emit_drops(rules, mode, moves, n, quiet & rules.droppable[us, 0], piece.index)
    return n


@jit(forceinline=True)
def drop_squares(rules, pos, king):
    """The empty squares on which a piece may be dropped, as far as the safety of the king on the square `king` goes."""
    if rules.winding:
        us = pos[TURN]
        them = us ^ ONE
        own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
        left = rules.geometry.board & ~(own | enemy)
        found = ZERO
        while left:
            bit = left & (ZERO - left)
            left ^= bit
            if attackers(rules, pos, king, own | enemy | bit, enemy, them) == ZERO:
                found |= bit
        return found
    return allowed_targets(rules, pos, king)[0]


@jit(forceinline=True)
def emit_drops(rules, mode, moves, n, targets, index):
    """Add the drops of one type onto `targets`."""
    if mode == COUNT:
        return n + popcount(targets)
    while targets:
        target = lowest(targets)
        targets &= targets - ONE
        moves[n] = encode(target, target, U(index), K_DROP)
        n += ONE
    return n


@jit
def drop(rules, pos, child, move):
    """Put a piece from the hand of the side to move on the board; returns its square."""
    us = pos[TURN]
    target_bit = ONE << target_of(move)
    for word in rules.board_words:
        child[word] = pos[word]
    for word in rules.hand_words:
        child[word] = pos[word]
    child[W_WHITE + us] |= target_bit
    child[W_TYPES + type_of(move)] |= target_bit
    child[U(rules.hand_words[0]) + us] -= ONE << (type_of(move) * N_BITS)
    child[CASTLING], child[MARKS], child[ROYAL] = pos[CASTLING], pos[MARKS], pos[ROYAL]
    return target_bit


MECHANISM = Mechanism(
    name="drops", trait="drops", kind=K_DROP, make=drop, after_move=take_in_hand, add_moves=add_drops)
