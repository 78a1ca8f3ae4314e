"""The kernel of `kingmaker selfplay`: a whole game of short searches, with nothing of Python between them.

At a few hundred nodes a move, calls from Python would cost more than the searches.
"""

from __future__ import annotations

import numpy as np

from bench.clients.inprocess import HARD, MOST_DEPTH
from bench.nets.walking import next_seed
from engine.compile.jit import entry, inline, jit
from engine.core.attackers import in_check
from engine.core.bits import ZERO, U, list_on_stack
from engine.core.ending import over_without_moves
from engine.core.legality import generate, over_at_once, play
from engine.core.movegen import ALL_MOVES
from engine.core.reasons import LAST_LOSS, LAST_WIN, NOT_OVER
from engine.rules import KEY, TURN
from search.alphabeta import search
from search.deepening import NARROW_FROM, widened
from search.draws import is_draw, progress_limit_reached
from search.histories import is_noisy
from search.limits import MATE, MATE_IN_MAX
from search.params import ASPIRATION
from search.state import (
    AGE,
    NODE_LIMIT,
    NODES,
    QSEARCH_BUDGET,
    QSEARCH_CAP,
    RESTRICTED,
    ROOT,
    ROOT_COUNT,
    ROOT_DEPTH,
    ROOT_MOVES,
    SELDEPTH,
    STOP,
)
from search.threads import FIRST_PLY_NODES, NO_LIMIT, QSEARCH_NODES
from search.tt import AGES

# Columns of what is found for a position
SCORE, QUIET, FOUND = range(3)
DECIDED, UNDECIDED = 3, 2  # in place of a result: the opening has decided the game; the game goes on
DRAWN = np.int64(99)  # a reason like those of engine/core/reasons.py, for draws that players claim
_widened = inline(widened)


@entry
def play_kernel(rules, thread, draws, start, nodes, opening, uneven, seed, rows, found):
    """Play a game from `start` after random moves; returns (positions searched, int64, the result for White).

    The result is 1, 0, -1; DECIDED if the opening had decided the game, and UNDECIDED after as many plies as there are rows.
    start: uint64[words]; nodes: int64, of a search; opening: int64, random moves; uneven: int64, the centipawns beyond which
    they have decided the game; seed: uint64, not 0; receiving: rows uint64[n, words], found int64[n, FOUND]: score for White, 1
    if the position is quiet.
    """
    stack, state = thread.stack, thread.state
    moves = list_on_stack(rules.max_moves)
    seed = open_game(rules, stack, start, opening, seed, moves)
    if seed == ZERO:
        return 0, DECIDED
    for n in range(len(rows)):
        pos = stack[ROOT]
        reason, count = verdict(rules, stack, draws, moves)
        if reason != NOT_OVER:
            lost = np.int64(1) if pos[TURN] else np.int64(-1)  # for White if the side to move has lost
            return n, lost if reason <= LAST_LOSS else -lost if reason <= LAST_WIN else np.int64(0)
        score = think(rules, thread, draws, count, moves, nodes)
        white = -score if pos[TURN] else score
        if n == 0 and abs(score) > uneven:
            return 0, DECIDED
        move = U(state[ROOT_MOVES])
        for word in range(rules.words):
            rows[n, word] = pos[word]
        found[n, SCORE] = white
        noisy = is_noisy(pos, np.int64(move)) or in_check(rules, pos, pos[TURN])
        found[n, QUIET] = abs(score) <= MATE_IN_MAX and not noisy
        advance(rules, stack, move)
    return len(rows), UNDECIDED


@jit
def open_game(rules, stack, start, plies, seed, moves):
    """Set up a position and make random moves; returns the next seed, 0 if the game is over then."""
    for row in range(ROOT):
        stack[row, KEY] = ZERO
    for word in range(rules.words):
        stack[ROOT, word] = start[word]
    for _ in range(plies):
        if over_at_once(rules, stack[ROOT]) != NOT_OVER:
            return ZERO
        count = generate(rules, stack[ROOT], ALL_MOVES, moves)
        if count == ZERO:
            return ZERO
        seed = next_seed(seed)
        advance(rules, stack, U(moves[(seed >> U(33)) % count]))
    return seed


@jit
def advance(rules, stack, move):
    """Make a move at the root; the keys before it move up."""
    play(rules, stack[ROOT], stack[ROOT + 1], move)
    for row in range(ROOT):
        stack[row, KEY] = stack[row + 1, KEY]
    for word in range(rules.words):
        stack[ROOT, word] = stack[ROOT + 1, word]


@jit
def verdict(rules, stack, draws, moves):
    """(why the game is over at the root or NOT_OVER, legal moves): as the rules say, or DRAWN."""
    pos = stack[ROOT]
    reason = over_at_once(rules, pos)
    if reason != NOT_OVER:
        return np.int64(reason), ZERO
    count = generate(rules, pos, ALL_MOVES, moves)
    if count == ZERO:
        return np.int64(over_without_moves(rules, pos, in_check(rules, pos, pos[TURN]))), ZERO
    if progress_limit_reached(rules, pos) or is_draw(rules, stack, ROOT, draws):
        return DRAWN, ZERO
    return np.int64(NOT_OVER), count


@jit
def think(rules, thread, draws, count, moves, nodes):
    """Deepen until so many nodes are searched; returns the score, centipawns from the side to move.

    The best move is the first of the root moves then. As SingleThread does it.
    """
    state = thread.state
    thread.refutations[:] = 0
    state[NODES], state[STOP], state[NODE_LIMIT] = 0, 0, HARD * nodes
    state[AGE] = (state[AGE] + 1) % AGES
    state[ROOT_COUNT], state[RESTRICTED] = np.int64(count), 0
    for k in range(np.int64(count)):
        state[ROOT_MOVES + 2 * k] = moves[k]
    score, depth = np.int64(0), np.int64(1)
    while depth < MOST_DEPTH:
        delta = np.int64(thread.p[ASPIRATION])
        alpha, beta = np.int64(-MATE), np.int64(MATE)
        if depth >= NARROW_FROM and abs(score) < MATE_IN_MAX:
            alpha, beta = score - delta, score + delta
        while True:
            value = iterate(rules, thread, draws, depth, alpha, beta)
            if state[STOP] != 0:
                return score
            if alpha < value < beta or abs(value) >= MATE:
                break
            alpha, beta, delta = _widened(alpha, beta, delta, value)
        score = value
        bring_forward(state, thread.lists[0, 0])
        if abs(score) > MATE_IN_MAX or state[NODES] >= nodes:
            return score
        depth += 1
    return score


@jit
def iterate(rules, thread, draws, depth, alpha, beta):
    """Search the root to a depth; the score, int64. As Worker.iterate() does it."""
    state = thread.state
    state[QSEARCH_BUDGET], state[QSEARCH_CAP] = QSEARCH_NODES, np.int64(NO_LIMIT)
    if depth == 1:
        state[QSEARCH_BUDGET] = min(np.int64(QSEARCH_NODES), FIRST_PLY_NODES // state[ROOT_COUNT])
        state[QSEARCH_CAP] = state[NODES] + FIRST_PLY_NODES
    state[ROOT_DEPTH], state[SELDEPTH] = depth, 0
    for k in range(state[ROOT_COUNT]):
        state[ROOT_MOVES + 2 * k + 1] = 0
    thread.lists[0, 0] = 0
    return np.int64(search(rules, thread, draws, np.int64(0), depth, alpha, beta, np.int64(0)))


@jit
def bring_forward(state, move):
    """Put the best move first among the root moves; the others keep their order."""
    k = 0
    while k < state[ROOT_COUNT] - 1 and state[ROOT_MOVES + 2 * k] != move:
        k += 1
    while k > 0:
        state[ROOT_MOVES + 2 * k] = state[ROOT_MOVES + 2 * k - 2]
        k -= 1
    state[ROOT_MOVES] = move
