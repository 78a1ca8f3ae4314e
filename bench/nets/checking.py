"""Kernels that compare accumulators made step by step with fresh ones, and that are timed."""

from __future__ import annotations

import numpy as np

from bench.nets.walking import next_seed
from engine.compile.jit import entry
from engine.core.bits import ZERO, U, list_on_stack
from engine.core.legality import generate, over_at_once, play
from engine.core.movegen import ALL_MOVES
from engine.core.moves import kind_of
from engine.core.reasons import NOT_OVER
from engine.rules import KEY
from search.eval.evaluate import static_value
from search.eval.net.inference import net_value
from search.eval.net.inputs import THREATS, VIEWS


@entry
def check_kernel(rules, stack, net, fresh, seed, positions, kinds):
    """Play at random, now and then going back, and value positions both ways; returns how many differ, int64.

    stack: uint64[..., words], a position to start from in row 0, as many rows as `net` has accumulators; fresh: a Net for one
    row; seed: uint64, not 0; positions: how many to compare; kinds: int64[16], receives how many moves of each kind were made.
    """
    moves = list_on_stack(rules.max_moves)
    row, wrong, compared = np.int64(0), 0, 0
    while compared < positions:
        seed = next_seed(seed)
        chance = (seed >> U(33)) & U(15)
        if chance < U(12):  # the others keep the accumulators of other moves, or none
            compared += 1
            value = net_value(rules, stack, row, net)
            for word in range(rules.words + THREATS):
                fresh.seen[0, word] = ZERO
            same = net_value(rules, stack[row:row + 1], np.int64(0), fresh) == value
            for view in range(VIEWS):
                for k in range(len(net.bias)):
                    same = same and net.accumulators[row, view, k] == fresh.accumulators[0, view, k]
            wrong += not same
        if chance == U(15):
            row = np.int64((seed >> U(40)) % U(row + 1))
        count = ZERO
        if row < len(stack) - 1 and over_at_once(rules, stack[row]) == NOT_OVER:
            count = generate(rules, stack[row], ALL_MOVES, moves)
        if count == ZERO:
            row = np.int64(0)
            continue
        seed = next_seed(seed)
        move = U(moves[(seed >> U(33)) % count])
        kinds[kind_of(move)] += 1
        play(rules, stack[row], stack[row + 1], move)
        row += 1
    return wrong


@entry
def time_kernel(rules, stack, weights, net, rounds):
    """Value a line of positions move by move, again and again; returns a sum, int64, so that nothing is left out.

    Each round forgets what the accumulators of a position belong to: they would be up to date already.
    """
    total = 0
    for _ in range(rounds):
        for row in range(len(stack)):
            if len(net.rows) > 0:
                net.seen[row, KEY] = ZERO
            total += static_value(rules, stack, np.int64(row), weights, net)
    return total
