"""The kernel of `kingmaker walk`."""

from __future__ import annotations

import numpy as np

from engine.compile.jit import entry, inline
from engine.core.attackers import in_check
from engine.core.bits import ZERO, U, list_on_stack
from engine.core.legality import generate, over_at_once, play
from engine.core.movegen import ALL_MOVES
from engine.core.reasons import NOT_OVER
from engine.rules import TURN
from search.alphabeta import search
from search.histories import is_noisy
from search.limits import MATE, MATE_IN_MAX
from search.state import DOUBLE_EXTENSIONS, EXCLUDED, PAIR_ROWS, PLAYED, QUIET, ROOT


@entry
def walk_kernel(rules, thread, draws, rows, seed, steps, depth, found, scores, origins):
    """Walk at random from each position and search where the walk ends; returns how many quiet positions were found, int64.

    rows: uint64[n, words]; seed: uint64, not 0; receiving: found uint64[n, words], scores int16[n]: centipawns for White,
    origins int64[n]: the row that each was found from.
    """
    stack, lists, state = thread.stack, thread.lists, thread.state
    moves = list_on_stack(rules.max_moves)
    n = 0
    for i in range(len(rows)):
        for word in range(rules.words):
            stack[ROOT, word] = rows[i, word]
        seed = next_seed(seed)
        wanted = 1 + np.int64((seed >> U(33)) % U(steps))
        ply = np.int64(0)
        while ply < wanted:
            if over_at_once(rules, stack[ROOT + ply]) != NOT_OVER:
                break
            count = generate(rules, stack[ROOT + ply], ALL_MOVES, moves)
            if count == ZERO:
                break
            seed = next_seed(seed)
            move = moves[(seed >> U(33)) % count]
            play(rules, stack[ROOT + ply], stack[ROOT + ply + 1], U(move))
            state[PLAYED + ply] = move
            state[PAIR_ROWS + ply] = state[QUIET + ply] = 0
            ply += 1
        pos = stack[ROOT + ply]
        if ply < wanted or over_at_once(rules, pos) != NOT_OVER or in_check(rules, pos, pos[TURN]):
            continue
        state[EXCLUDED + ply], state[DOUBLE_EXTENSIONS + ply] = 0, 0
        # A capture that quiescence prefers is the best move of most searches, too: looking first saves those.
        search(rules, thread, draws, ply, np.int64(0), np.int64(-MATE), np.int64(MATE), np.int64(0))
        if lists[ply, 0] != 0 and is_noisy(pos, lists[ply, 0]):
            continue
        score = np.int64(search(rules, thread, draws, ply, depth, np.int64(-MATE), np.int64(MATE), np.int64(0)))
        best = lists[ply, 0]
        if best == 0 or abs(score) > MATE_IN_MAX or is_noisy(pos, best):
            continue
        for word in range(rules.words):
            found[n, word] = pos[word]
        scores[n] = -score if pos[TURN] else score
        origins[n] = i
        n += 1
    return n


@inline
def next_seed(seed):
    """The next number of a xorshift generator, uint64."""
    seed ^= seed << U(13)
    seed ^= seed >> U(7)
    return seed ^ (seed << U(17))
