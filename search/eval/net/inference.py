"""The output of a net, an NNUE, in whole numbers: the same on every machine.

    hidden = bias + the rows of a side's inputs        int16, for both sides: the accumulator
    value  = sum of clip(hidden, 0, QA) ** 2 * out     the side to move first, one of BUCKETS rows by pieces on the board

The accumulator of a row of the search's stack is kept beside the words it was made for, and made only when a value is asked
for: from the nearest row whose own is up to date, by the inputs in which the two rows differ.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from engine.compile.by_reference import by_reference
from engine.compile.jit import entry, inline, jit
from engine.core.bits import ZERO, U, list_on_stack, popcount, row_on_stack
from engine.rules import BLACK, KEY, TURN, WHITE
from engine.rules.geometry import WORD
from search.eval.net.inputs import MOST_INPUTS, THREATS, VIEWS, kind_of_view, list_changes, threats
from search.eval.net.layers import BLOCK, block_at, keep
from search.limits import MOST_STATIC

QA, QB = 181, 256  # 1.0 in the hidden layer, whose square fits an int16; 1.0 in the weights of the output
SCALE = 400  # centipawns of an output of 1.0
WEIGHT_MOST = 507  # of the output, in 1 / QB: BLOCK * QA * QA * WEIGHT_MOST fits an int32
_I16, _I32 = np.int16, np.int32
# The last number of pieces of each row of the output; with four or fewer an ending is known
LAST_OF_BUCKET = (6, 9, 12, 15, 19, 23, 27, 64)
BUCKETS = len(LAST_OF_BUCKET)
_BUCKET = np.searchsorted(LAST_OF_BUCKET, np.arange(WORD + 1)).astype(np.uint8)


@by_reference
class Net(namedtuple("Net", "rows bias out out_bias numbers kinds threats accumulators seen seen_kinds")):
    """A net and the accumulators of one thread. Without rows there is no net.

    rows: int16[inputs, neurons]; bias: int16[neurons]; out: int16[BUCKETS, 2, neurons]; out_bias: int64[BUCKETS], in
    1 / (QA * QB); numbers: uint16[2, 2 * zones, inputs of a zone] and kinds: uint8[2, 65], inputs.tables(); threats: int64, 1
    if the states of pieces have rows of their own; accumulators: int16[stack + 1, 2, neurons];
    seen: uint64[stack + 1, words + THREATS], the positions that they belong to, with their threats; seen_kinds:
    uint8[stack + 1, 2], their kinds of view; the last ones of an empty board. A view is what other engines call a perspective.
    """


@jit
def net_value(rules, stack, row, net):
    """Centipawns, int64, from the side to move of stack[row]. stack: uint64[..., words]; row: int64."""
    bring_up_to_date(rules, stack, row, net)
    return output(rules, stack[row], net.accumulators[row], net)


@inline
def bring_up_to_date(rules, stack, row, net):
    """Update net.accumulators[row] unless it belongs to stack[row] already."""
    if net.seen[row, KEY] != stack[row, KEY]:
        update(rules, stack, row, net)


@jit
def update(rules, stack, row, net):
    """Bring net.accumulators[row] up to date with stack[row]."""
    pos, seen = stack[row], net.seen
    empty = len(seen) - 1
    source = nearest(stack, row, seen)
    attacked, protected = ZERO, ZERO
    if net.threats != 0:
        attacked, protected = threats(rules, pos)
    added, removed = list_on_stack(MOST_INPUTS), list_on_stack(MOST_INPUTS)
    todo = 3  # a bit for each view; a view whose kind has changed is made from the empty board
    while todo != 0:
        n_added, n_removed = list_changes(rules, seen[source], pos, attacked, protected, added, removed)
        left = 0
        for view in range(VIEWS):
            if (todo >> view) & 1:
                kind = kind_of_view(rules, pos, net.kinds, view)
                if source != empty and kind != net.seen_kinds[source, view]:
                    left |= 1 << view
                else:
                    net.seen_kinds[row, view] = kind
                    change(net.rows, net.numbers[view, kind], net.accumulators[source, view], net.accumulators[row, view],
                           added, n_added, removed, n_removed)
        todo, source = left, empty
    for word in range(rules.words):
        seen[row, word] = pos[word]
    seen[row, rules.words], seen[row, rules.words + 1] = attacked, protected


@inline
def nearest(stack, row, seen):
    """The row whose accumulator the one of stack[row] is made from, int64: a move or two before, its own, or the empty one."""
    if row > 0 and seen[row - 1, KEY] == stack[row - 1, KEY]:
        return row - 1
    if row > 1 and seen[row - 2, KEY] == stack[row - 2, KEY]:
        return row - 2
    old, new = seen[row], stack[row]
    if popcount(old[WHITE] ^ new[WHITE]) + popcount(old[BLACK] ^ new[BLACK]) < popcount(new[WHITE] | new[BLACK]):
        return row
    return len(seen) - 1


@jit
def change(rows, numbers, source, target, added, n_added, removed, n_removed):
    """Target = source + the rows of the inputs that are added - those that are removed; all int16[neurons].

    rows: int16[inputs, neurons]; numbers: uint16[inputs of a zone], by number of an input, its row as the view sees it;
    added: uint32[...], of which the first n_added, uint64, count; removed, n_removed: likewise.
    """
    blocks = U(len(target)) // U(BLOCK)
    for number in range(blocks):
        block = block_at(source, number)
        for i in range(n_added):
            block += block_at(rows, U(numbers[added[i]]) * blocks + number)
        for i in range(n_removed):
            block -= block_at(rows, U(numbers[removed[i]]) * blocks + number)
        keep(block, target, number)


@jit
def output(rules, pos, hidden, net):
    """Centipawns, int64, from the side to move. hidden: int16[2, neurons], by colour."""
    us = np.int64(pos[TURN])
    bucket = np.int64(bucket_of(pos))
    out = net.out[bucket]
    total = np.int64(0)
    for first in range(ZERO, U(hidden.shape[1]), U(BLOCK)):
        total += np.int64(_sum_of_block(hidden[us], out[0], first)) + np.int64(_sum_of_block(hidden[1 - us], out[1], first))
    value = (total // QA + net.out_bias[bucket]) * SCALE // (QA * QB)
    return max(-MOST_STATIC, min(MOST_STATIC, value))


@inline
def _sum_of_block(hidden, out, first):
    """Sum of clip(hidden, 0, QA) ** 2 * out, int32, over the neurons from `first` on, uint64; exact.

    hidden, out: int16[neurons].
    """
    total = _I32(0)
    for k in range(first, first + U(BLOCK)):
        x = min(max(hidden[k], _I16(0)), _I16(QA))
        square = _I16(x * x)
        total = _I32(total + _I32(_I32(square) * _I32(out[k])))
    return total


@inline
def bucket_of(pos):
    """Which row of the output a position has, uint8."""
    return _BUCKET[popcount(pos[WHITE] | pos[BLACK])]


@entry
def inputs_kernel(rules, rows, numbers, kinds, with_threats, starts, found, buckets):
    """The inputs of many positions as a sparse matrix; returns the number of entries, int64.

    rows: uint64[n, words]; numbers, kinds: as in Net; with_threats: Net's threats. Receiving: starts int64[n + 1]; found
    uint16[2, ...], those that the side to move sees and those that the other one sees, of row i from starts[i] on, as many as
    there is room for; buckets uint8[n].
    """
    added, removed = list_on_stack(MOST_INPUTS), list_on_stack(MOST_INPUTS)
    empty = row_on_stack(rules.words + THREATS)
    for word in range(rules.words + THREATS):
        empty[word] = ZERO
    total = 0
    for i in range(len(rows)):
        pos = rows[i]
        starts[i] = total
        buckets[i] = bucket_of(pos)
        us = np.int64(pos[TURN])
        attacked, protected = ZERO, ZERO
        if with_threats != 0:
            attacked, protected = threats(rules, pos)
        n, _ = list_changes(rules, empty, pos, attacked, protected, added, removed)
        for seat in range(VIEWS):
            view = us ^ seat
            table = numbers[view, kind_of_view(rules, pos, kinds, view)]
            for k in range(np.int64(n)):
                if total + k < found.shape[1]:
                    found[seat, total + k] = table[added[k]]
        total += np.int64(n)
    starts[len(rows)] = total
    return total
