"""Hashed perft: counting with a table of counts known, shared by threads.

The table is uint64[8 * buckets]: a bucket is one cache line of four entries, an entry two words, `check ^ data` and `data`,
so that a torn write does not check out and reads as a miss. data, from the lowest bit:

    6 depth    10 tag    48 leaves

A position is known by 128 bits made from its words, not by its zobrist key, of which a long count would use up the 64 bits:
64 bits are the check, 10 the tag, up to 32 choose the bucket. With 2^30 entries and 10^12 look-ups a wrong count has odds of
about one to ten million.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from engine.compile.jit import entry, inline, jit
from engine.core.bits import ALL, ONE, ZERO, U, rotate
from engine.core.legality import advance, generate
from engine.core.memory import zeros
from engine.core.movegen import ALL_MOVES, COUNT
from engine.rules import CASTLING, EP, MARKS, MAX_TYPES, ROYAL, TURN, TYPES, WHITE

MISS = ALL  # no entry
TOO_MANY = ALL - ONE  # leaves that 64 bits do not hold
MAX_STORED = U((1 << 48) - 1)
S_TAG, S_LEAVES = U(6), U(16)  # where they begin in data
DEPTH_MASK, TAG_MASK, LOW = U(63), U(1023), U(0xFFFF)  # LOW: of depth and tag
ENTRY, BUCKET = U(2), U(8)  # words
LAST_ENTRY = BUCKET - ENTRY  # of a bucket
S_TURN = U(27)  # the bit of d4, where no right to castle is
S_HALF = U(32)

SECRET = np.random.Generator(np.random.PCG64(20261120)).integers(0, 1 << 64, (4, TYPES + MAX_TYPES + 2), np.uint64)


@intrinsic  # type: ignore[untyped-decorator]
def fold(typingctx: Any, x: Any, y: Any) -> Any:
    """Upper half xor lower half of the product of two uint64."""
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        high = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))
        return builder.xor(high, builder.trunc(product, ir.IntType(64)))
    return types.uint64(types.uint64, types.uint64), codegen


@jit(forceinline=True)
def identity(rules, pos):
    """(check, place): a 128-bit hash of all that decides which moves are legal, now or later.

    Black's pieces are all that are not White's. Series of checks decide what a mate is worth, never what is legal.
    """
    white = pos[WHITE]
    rights = pos[CASTLING] ^ (pos[TURN] << S_TURN)
    check = fold(pos[EP] ^ SECRET[0, 0], rights ^ SECRET[1, 0])
    place = fold(pos[EP] ^ SECRET[2, 0], rights ^ SECRET[3, 0])
    for word in rules.type_words:
        check ^= fold(pos[word] ^ SECRET[0, word], rotate(white, U(word)) ^ SECRET[1, word])
        place ^= fold(pos[word] ^ SECRET[2, word], rotate(white, U(word + 16)) ^ SECRET[3, word])
    for word in rules.hand_words:
        check ^= fold(pos[word] ^ SECRET[0, word], SECRET[1, word])
        place ^= fold(pos[word] ^ SECRET[2, word], SECRET[3, word])
    if rules.titles or rules.drops or rules.counts_checks:
        check ^= fold(pos[ROYAL] ^ SECRET[0, 1], pos[MARKS] ^ SECRET[1, 1])
        place ^= fold(pos[ROYAL] ^ SECRET[2, 1], pos[MARKS] ^ SECRET[3, 1])
    return check, place


@inline
def bucket(table, place):
    """Index of the first word of the bucket that `place` belongs to."""
    return (((place >> S_HALF) * (U(len(table)) // BUCKET)) >> S_HALF) * BUCKET


@inline
def probe(table, check, place, depth):
    """Leaves `depth` plies below the position of that identity, or MISS."""
    wanted = U(depth) | ((place & TAG_MASK) << S_TAG)
    at = bucket(table, place)
    end = at + BUCKET
    while at < end:
        data = table[at + ONE]
        if table[at] ^ data == check and data & LOW == wanted:
            return data >> S_LEAVES
        at += ENTRY
    return MISS


@inline
def store(table, check, place, depth, leaves):
    """Keep a count: it replaces the shallowest of three entries, or the fourth if all three are deeper."""
    if leaves <= MAX_STORED:
        at = bucket(table, place)
        slot = at
        least = table[at + ONE] & DEPTH_MASK
        other = at + ENTRY
        while other < at + LAST_ENTRY:
            found = table[other + ONE] & DEPTH_MASK
            if found < least:
                least = found
                slot = other
            other += ENTRY
        if least > U(depth):
            slot = at + LAST_ENTRY
        data = U(depth) | ((place & TAG_MASK) << S_TAG) | (leaves << S_LEAVES)
        table[slot] = check ^ data
        table[slot + ONE] = data


def new_table(megabytes: int) -> np.ndarray:
    """An empty table, uint64[8 * buckets], its buckets on cache lines. Raises MemoryError."""
    return zeros(megabytes << 17)


@entry
def hashed_kernel(rules, table, stack, lists, ply, depth):
    """Leaves `depth` >= 1 plies below stack[ply], as perft_kernel has them, or TOO_MANY; what is found goes into `table`."""
    pos, moves = stack[ply], lists[ply]
    if depth == 1:
        return generate(rules, pos, COUNT, moves)
    check, place = identity(rules, pos)
    total = probe(table, check, place, depth)
    if total != MISS:
        return total
    total = ZERO
    child = stack[ply + 1]
    n = generate(rules, pos, ALL_MOVES, moves)
    i = ZERO
    while i < n:
        advance(rules, pos, child, np.uint64(moves[i]))
        if depth == 2:
            total += generate(rules, child, COUNT, lists[ply + 1])
        else:
            part = hashed_kernel(rules, table, stack, lists, ply + 1, depth - 1)
            if part >= TOO_MANY - total:
                return TOO_MANY
            total += part
        i += ONE
    store(table, check, place, depth, total)
    return total
