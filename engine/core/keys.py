"""Zobrist keys: random numbers by what they stand for, xored together."""

from __future__ import annotations

import numpy as np

from engine.compile.jit import inline, jit
from engine.core.bits import ONE, ZERO, U, lowest
from engine.rules import BLACK, CASTLING, EP, MARKS, MAX_TYPES, ROYAL, TURN, TYPES, WHITE
from engine.rules.geometry import WORD

_random = np.random.Generator(np.random.PCG64(20260709))
Z_PIECES = _random.integers(0, 1 << 64, (2, MAX_TYPES, WORD), np.uint64)  # by colour, type and square
Z_EP = _random.integers(0, 1 << 64, WORD, np.uint64)
Z_CASTLING = _random.integers(0, 1 << 64, WORD, np.uint64)
Z_ROYAL = _random.integers(0, 1 << 64, WORD, np.uint64)
Z_MARKS = _random.integers(0, 1 << 64, WORD, np.uint64)
Z_TURN = U(_random.integers(0, 1 << 64, dtype=np.uint64))
Z_HANDS = _random.integers(0, 1 << 64, (2, WORD), np.uint64)


@jit
def key_of_pieces(rules, pos, squares):
    """The part of the key that the pieces on some squares make."""
    key = ZERO
    for word in rules.type_words:
        pieces = pos[word] & squares
        while pieces:
            square = lowest(pieces)
            pieces &= pieces - ONE
            key ^= Z_PIECES[(pos[BLACK] >> square) & ONE, word - TYPES, square]
    return key


@inline
def key_of_squares(table, squares):
    """The part of the key that a bitboard makes; table uint64[64]."""
    key = ZERO
    while squares:
        key ^= table[lowest(squares)]
        squares &= squares - ONE
    return key


@jit(forceinline=True)
def key_of_hand(rules, pos, word):
    """The part of the key that a side's pieces in hand make; word: the side's of rules.hand_words."""
    return key_of_squares(Z_HANDS[word - rules.hand_words[0]], pos[word])


@jit
def full_key(rules, pos):
    """The key of a position from scratch, uint64."""
    key = key_of_pieces(rules, pos, pos[WHITE] | pos[BLACK])
    key ^= key_of_squares(Z_CASTLING, pos[CASTLING]) ^ key_of_squares(Z_EP, pos[EP])
    if rules.stateful:
        key ^= key_of_squares(Z_ROYAL, pos[ROYAL]) ^ key_of_squares(Z_MARKS, pos[MARKS])
    for word in rules.hand_words:
        key ^= key_of_hand(rules, pos, word)
    return key ^ Z_TURN if pos[TURN] else key
