"""The position: uint64 words, and how a move changes them.

    KEY       zobrist key                          CLOCK  plies since a capture or pawn move
    TURN      0 White, 1 Black                     PLY    plies since the start of the game: 2 * (fullmove - 1) + TURN
    EP        the square passed by a double step   WHITE, BLACK   the pieces of each side
    CASTLING  the rooks that may still castle      TYPES + n      the pieces of type n, both sides; 0 is the pawn
    ROYAL, MARKS  state of the seventh FEN field, zero if a game has none; with drops ROYAL holds the pieces from promotion

Positions are copied on make (a game's words are two cache lines), so a search keeps them in uint64[plies, words].
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import jit
from engine.core.bits import ONE, ZERO, U, lowest, popcount, rotate
from engine.core.keys import (
    Z_CASTLING,
    Z_EP,
    Z_MARKS,
    Z_PIECES,
    Z_ROYAL,
    Z_TURN,
    key_of_hand,
    key_of_pieces,
    key_of_squares,
)
from engine.core.moves import (
    K_DOUBLE,
    K_EN_PASSANT,
    K_PROMOTION,
    kind_of,
    origin_of,
    promotion_of,
    target_of,
    type_of,
)
from engine.rules import BLACK, CASTLING, CLOCK, EP, KEY, MARKS, PLY, ROYAL, TURN, TYPES, WHITE

Position = np.ndarray  # uint64[rules.traits.words]

W_TYPES, W_WHITE = U(TYPES), U(WHITE)


@jit
def type_at(rules, pos, square):
    """Type index of the piece on an occupied square."""
    found = ZERO
    for piece in rules.pieces:
        found += ((pos[piece.word] >> square) & ONE) * U(piece.index)
    return found


@jit(forceinline=True)
def make(rules, pos, child, move, keyed):
    """Write the position after a legal `move` into `child`, another row.

    keyed: literal; False leaves KEY, CLOCK and PLY alone, for counting.
    What must look at the new position (a passed square nobody can capture on, a series of checks) is left to legality.play.
    """
    kind = kind_of(move)
    for mechanism in rules.mechanisms:
        if mechanism.make is not None:
            if kind == mechanism.kind:
                _make_special(rules, pos, child, move, keyed)
                return
    captured = _move_piece(rules, pos, child, move)
    changed = ZERO
    for mechanism in rules.mechanisms:
        if mechanism.after_move is not None:
            changed |= mechanism.after_move(rules, pos, child, move, captured)
    child[TURN] = pos[TURN] ^ ONE
    if keyed:
        _update_key(rules, pos, child, move, captured, changed)
        child[CLOCK] = ZERO if captured or type_of(move) == ZERO else pos[CLOCK] + ONE
        child[PLY] = pos[PLY] + ONE


@jit(forceinline=True)
def _move_piece(rules, pos, child, move):
    """Set the pieces of `child` and its passed square after an ordinary move; returns the square captured on as a bitboard."""
    us = pos[TURN]
    them = us ^ ONE
    origin, target, kind = origin_of(move), target_of(move), kind_of(move)
    origin_bit, target_bit = ONE << origin, ONE << target
    captured = pos[W_WHITE + them] & target_bit
    keep = ~(origin_bit | target_bit)
    placed = type_of(move)
    passed = ZERO
    if rules.pawn:
        if kind == K_PROMOTION:
            placed = promotion_of(move)
        elif kind == K_EN_PASSANT:
            if rules.pawn.doubles:
                captured = behind(rules, target_bit, us)
                keep ^= captured
        elif kind == K_DOUBLE:
            if rules.pawn.doubles:
                crossed = behind(rules, target_bit, us)
                if rules.pawn.attacks[us, lowest(crossed)] & pos[W_WHITE + them] & pos[TYPES]:
                    passed = crossed
                    if rules.pawn.unpassed is not None:
                        if (rules.pawn.unpassed[0] if us == ZERO else rules.pawn.unpassed[1]) & origin_bit:
                            passed = ZERO
    for word in rules.board_words:  # not `|=` at the words of side and type: loads wait for stores at indices yet unknown
        child[word] = (pos[word] & keep) | (rules.placing[us, placed, word - WHITE] & target_bit)
    child[EP] = passed
    if not rules.castling:
        child[CASTLING] = ZERO
    return captured


@jit(forceinline=True)
def behind(rules, bit, us):
    """The square that a pawn of `us` on the square of `bit` has stepped over, if a double step brought it there; a bit."""
    return rotate(bit, rules.pawn.steps[0].shift[1] if us == ZERO else rules.pawn.steps[0].shift[0])


@jit(forceinline=True)
def _update_key(rules, pos, child, move, captured, changed):
    """Set KEY after an ordinary move. changed: squares on which the move alone does not tell what stood or stands there."""
    us = pos[TURN]
    origin, target = origin_of(move), target_of(move)
    placed = promotion_of(move) if kind_of(move) == K_PROMOTION else type_of(move)
    key = pos[KEY] ^ Z_TURN ^ Z_PIECES[us, type_of(move), origin] ^ Z_PIECES[us, placed, target]
    key ^= key_of_squares(Z_EP, pos[EP] | child[EP]) ^ key_of_squares(Z_CASTLING, pos[CASTLING] ^ child[CASTLING])
    gone = captured
    if changed:
        gone |= changed & ~(ONE << target)
        if (changed >> origin) & ONE:
            key ^= Z_PIECES[us, type_of(move), origin]
        if (changed >> target) & ONE:
            key ^= Z_PIECES[us, placed, target]
        key ^= key_of_pieces(rules, child, changed)
    if gone:
        key ^= key_of_pieces(rules, pos, gone)
    child[KEY] = key
    _carry_marks(rules, pos, child)


@jit(forceinline=True)
def _carry_marks(rules, pos, child):
    """Bring the key up to date with ROYAL and MARKS; a game in which no move carries them takes them over as they are."""
    if rules.marks_move:
        child[KEY] ^= key_of_squares(Z_ROYAL, pos[ROYAL] ^ child[ROYAL]) ^ key_of_squares(Z_MARKS, pos[MARKS] ^ child[MARKS])
        for side in rules.hand_words:
            child[KEY] ^= key_of_hand(rules, pos, side) ^ key_of_hand(rules, child, side)
    else:
        child[ROYAL], child[MARKS] = pos[ROYAL], pos[MARKS]


@jit
def _make_special(rules, pos, child, move, keyed):
    """make() for a move of a kind that a mechanism has for itself; apart, for such moves are rare."""
    changed = ZERO
    for mechanism in rules.mechanisms:
        if mechanism.make is not None:
            if kind_of(move) == mechanism.kind:
                changed = mechanism.make(rules, pos, child, move)
    child[EP] = ZERO
    child[TURN] = pos[TURN] ^ ONE
    if keyed:
        key = pos[KEY] ^ Z_TURN ^ key_of_squares(Z_EP, pos[EP])
        key ^= key_of_squares(Z_CASTLING, pos[CASTLING] ^ child[CASTLING])
        child[KEY] = key ^ key_of_pieces(rules, pos, changed) ^ key_of_pieces(rules, child, changed)
        _carry_marks(rules, pos, child)
        captures = popcount(child[WHITE] | child[BLACK]) < popcount(pos[WHITE] | pos[BLACK])
        child[CLOCK] = ZERO if captures else pos[CLOCK] + ONE
        child[PLY] = pos[PLY] + ONE


@jit
def make_null(rules, pos, child):
    """Write the position after a pass into `child`."""
    for word in rules.board_words:
        child[word] = pos[word]
    child[EP] = ZERO
    child[CASTLING] = pos[CASTLING]
    child[ROYAL], child[MARKS] = pos[ROYAL], pos[MARKS]
    for word in rules.hand_words:
        child[word] = pos[word]
    child[TURN] = pos[TURN] ^ ONE
    child[KEY] = pos[KEY] ^ Z_TURN ^ key_of_squares(Z_EP, pos[EP])
    child[CLOCK] = pos[CLOCK] + ONE
    child[PLY] = pos[PLY] + ONE
