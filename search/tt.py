"""The transposition table, shared by all threads without a lock.

uint64[8 * clusters]: a cluster is four entries, an entry two words. The second word is the data, from the lowest bit:

    31 move, 0 for none    16 score + OFFSET    8 depth - SHALLOWEST    2 bound    6 age    1 on_pv

The first word is the lower 48 bits of `key ^ data` and above them the static evaluation + OFFSET, 0 for none. The upper half
of the key chooses the cluster. A torn write fails the check of the first word and reads as a miss.

The age is the number of the search that wrote the entry, modulo AGES; other engines call it the generation.

In the kernels, table is uint64[8 * clusters], key and data are uint64, everything else int64.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from engine.compile.jit import inline
from engine.core.bits import ONE, ZERO, U, fetch_ahead
from engine.core.memory import zeros
from search.limits import MATE_IN_MAX

BIG = 1 << 20  # words; a smaller table is wiped before other threads would start
NO_BOUND, UPPER, LOWER, EXACT = range(4)
AGES = 64
SHALLOWEST = -8  # depth of an entry
ONLY_EVAL = -6  # depth of an entry that is good for its static evaluation, not for a cutoff
DEEPER = 4  # plies by which an entry of the same key and search must be deeper to outlive a new bound; not measured

OFFSET = np.int64(32768)  # makes scores and static evaluations unsigned
NO_EVAL = -OFFSET
_MOST_EVAL = OFFSET - np.int64(1)
_AGE_PLIES = np.int64(4)  # of depth: what being one search younger is worth to an entry; not measured
_EMPTY_WORTH = np.int64(-1 << 20)  # less than that of any entry
_MATE = np.int64(MATE_IN_MAX)

_ENTRY_WORDS, _CLUSTER_WORDS = U(2), U(8)
_MOVE, _SCORE, _DEPTH, _BOUND, _AGE = U((1 << 31) - 1), U(0xFFFF), U(0xFF), U(3), U(AGES - 1)
_S_SCORE, _S_DEPTH, _S_BOUND, _S_AGE, _S_ON_PV = U(31), U(47), U(55), U(57), U(63)
_CHECK, _S_EVAL = U((1 << 48) - 1), U(48)
_S_HALF = U(32)
_SAMPLE = 1000  # entries that hashfull() looks at


def new_table(megabytes: int, threads: int = 1) -> np.ndarray:
    """An empty table whose pages are in memory, so that no search waits for them. Raises MemoryError, OSError."""
    table = zeros(int(_CLUSTER_WORDS) * max(1, (megabytes << 20) // (8 * int(_CLUSTER_WORDS))))
    wipe(table, threads)
    return table


def wipe(table: np.ndarray, threads: int = 1) -> None:
    """Zero a table on `threads` threads, at most one per processor."""
    count = min(threads, os.cpu_count() or 1)
    if count < 2 or len(table) < BIG:
        table[:] = 0
        return
    with ThreadPoolExecutor(count) as pool:  # numpy fills without the GIL
        list(pool.map(lambda part: part.fill(0), np.array_split(table, count)))


@inline
def _cluster(table, key):
    """Index of the first word of a key's cluster, by the upper half of the key."""
    return (((key >> _S_HALF) * (U(len(table)) // _CLUSTER_WORDS)) >> _S_HALF) * _CLUSTER_WORDS


@inline
def prefetch(table, key):
    """Ask the processor for a key's cluster before it is needed."""
    fetch_ahead(table, _cluster(table, key))


@inline
def probe(table, key):
    """(first word, data) stored under a key, zeros for none."""
    at = _cluster(table, key)
    end = at + _CLUSTER_WORDS
    while at < end:
        first, data = table[at], table[at + ONE]
        if (first ^ data ^ key) & _CHECK == ZERO and data != ZERO:
            return first, data
        at += _ENTRY_WORDS
    return ZERO, ZERO


@inline
def eval_of(first):
    """The static evaluation, NO_EVAL for none; first: the first word, uint64."""
    return np.int64(first >> _S_EVAL) - OFFSET


@inline
def move_of(data):
    """The best move, 0 for none."""
    return np.int64(data & _MOVE)


@inline
def depth_of(data):
    """Depth of the search, plies."""
    return np.int64((data >> _S_DEPTH) & _DEPTH) + SHALLOWEST


@inline
def on_pv_of(data):
    """1 if the position was in a principal variation, else 0."""
    return np.int64(data >> _S_ON_PV)


@inline
def bound_of(data):
    """UPPER, LOWER or EXACT."""
    return np.int64((data >> _S_BOUND) & _BOUND)


@inline
def score_of(data, ply):
    """The score; mates count from the root again, not from the node."""
    score = np.int64((data >> _S_SCORE) & _SCORE) - OFFSET
    if score > _MATE:
        return score - ply
    if score < -_MATE:
        return score + ply
    return score


@inline
def store(table, key, age, move, score, depth, bound, ply, static_eval, on_pv):
    """Store a result in place of its key's entry, unless that is much deeper, or of the least valuable one of its cluster."""
    if score > _MATE:
        score += ply
    elif score < -_MATE:
        score -= ply
    at = _cluster(table, key)
    end = at + _CLUSTER_WORDS
    slot = at
    least = np.int64(1 << 30)
    kept = False
    while at < end:
        data = table[at + ONE]
        if (table[at] ^ data ^ key) & _CHECK == ZERO:
            if move == 0:
                move = move_of(data)
            slot = at
            kept = bound != EXACT and depth + DEEPER < depth_of(data) and U(age) == (data >> _S_AGE) & _AGE
            break
        worth = depth_of(data) - np.int64((U(age) - (data >> _S_AGE)) & _AGE) * _AGE_PLIES
        if data == ZERO:
            worth = _EMPTY_WORTH
        if worth < least:
            least = worth
            slot = at
        at += _ENTRY_WORDS
    if kept:
        return
    data = (U(move) | (U(score + OFFSET) << _S_SCORE) | (U(depth - SHALLOWEST) << _S_DEPTH) | (U(bound) << _S_BOUND)
            | (U(age) << _S_AGE) | (U(on_pv) << _S_ON_PV))
    table[slot] = ((key ^ data) & _CHECK) | (U(min(max(static_eval, NO_EVAL), _MOST_EVAL) + OFFSET) << _S_EVAL)
    table[slot + ONE] = data


def hashfull(table: np.ndarray, age: int) -> int:
    """Entries of this search, per mille, estimated from the first _SAMPLE entries."""
    data = table[1:2 * _SAMPLE + 1:2]
    used = (data != 0) & ((data >> _S_AGE) & _AGE == age)
    return int(used.sum()) * 1000 // max(1, len(data))


def peek(table: np.ndarray, key: int) -> int:
    """The move stored under a key, for Python; 0 for none."""
    words = int(_CLUSTER_WORDS)
    at = ((key >> 32) * (len(table) // words) >> 32) * words
    for slot in range(at, at + words, int(_ENTRY_WORDS)):
        data = int(table[slot + 1])
        if data and (int(table[slot]) ^ data ^ key) & int(_CHECK) == 0:
            return data & int(_MOVE)
    return 0
