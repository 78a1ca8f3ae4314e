"""The kernels that prove forced wins: no evaluation, and no pruning except by what is proved.

An attacker's node needs one winning move; in a defender's node every move must lose. A win is what the rules call one: a mate
(if it counts), a king exploded, a king captured without a successor, and in some games what the defender's own move brings
about. Repetition and the fifty-move rule are ignored, as in problems; the draw by a bare king and mates that only draw are not.

The table is that of hashed_perft.py: under a position's identity and the moves left, 1 for a win and 0 for none.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import entry, jit
from engine.core.attackers import in_check
from engine.core.bits import ONE, ZERO, U
from engine.core.ending import lost, over_without_moves
from engine.core.hashed_perft import MISS, SECRET, fold, identity, probe, store
from engine.core.legality import generate, over_at_once, play
from engine.core.movegen import ALL_MOVES, COUNT
from engine.core.reasons import LAST_LOSS, LAST_WIN, NOT_OVER
from engine.rules import MARKS, TURN

STOP, NODES, NODE_LIMIT, KILLERS = range(4)
_NO_WIN, _WIN = np.int64(0), np.int64(1)
_I0, _I1, _I2 = np.int64(0), np.int64(1), np.int64(2)
_S_ORDER, _MOVE, QUIET_MOVE, UNSAFE = U(32), U((1 << 32) - 1), U(64), U(1 << 20)


@jit(forceinline=True)
def identity_and_marks(rules, pos):
    """identity(), and the marks that decide how a game ends: (check, place), uint64."""
    check, place = identity(rules, pos)
    if rules.stateful and not rules.titles:
        check ^= fold(pos[MARKS] ^ SECRET[0, 0], SECRET[1, 1])
        place ^= fold(pos[MARKS] ^ SECRET[2, 0], SECRET[3, 1])
    return check, place


@jit
def order_moves(rules, pos, child, moves, n, ordered, answers):
    """Write the attacker's moves into `ordered`, uint64[n] of order << 32 | move, ascending: few answers and checks first.

    pos, child: uint64[words]; moves: uint32[n]; answers: uint32[rules.max_moves], room for counting. Returns True if one of
    the moves wins at once; it is then ordered[0].
    """
    i = ZERO
    while i < n:
        move = U(moves[i])
        play(rules, pos, child, move)
        rank = UNSAFE
        reason = over_at_once(rules, child)
        if reason == NOT_OVER:
            rank = generate(rules, child, COUNT, answers)
            checks = in_check(rules, child, child[TURN])
            if rank == ZERO:
                reason = over_without_moves(rules, child, checks)
                rank = UNSAFE
            elif not checks:
                rank += QUIET_MOVE
        if reason != NOT_OVER and reason <= LAST_LOSS:
            ordered[0] = move
            return True
        key = (rank << _S_ORDER) | move
        at = i
        while at > ZERO and ordered[at - ONE] > key:
            ordered[at] = ordered[at - ONE]
            at -= ONE
        ordered[at] = key
        i += ONE
    return False


@jit
def is_win(reason):
    """Whether a reason says that the side to move has won."""
    return reason > LAST_LOSS and reason <= LAST_WIN


@jit
def won_without_moves(rules, pos):
    """Whether the side to move, which has no legal move, has won by that."""
    return is_win(over_without_moves(rules, pos, in_check(rules, pos, pos[TURN])))


@entry
def prove(rules, table, stack, lists, ordered, state, ply, left):
    """1 if the attacker, to move at even plies, wins in `left` moves of its own or fewer, else 0; int64.

    left: at least 1; the attacker's nodes below may have 0, where only what the defender's last move has decided is a win.
    Meaningless once state[STOP] is set. stack uint64[plies, words], lists uint32 and ordered uint64[plies, rules.max_moves],
    state int64[KILLERS + plies], all of at least ply + 2 * left + 1 plies.
    """
    if state[STOP] != 0:
        return _NO_WIN
    if state[NODES] >= state[NODE_LIMIT]:
        state[STOP] = _I1
        return _NO_WIN
    state[NODES] += _I1
    pos, moves, child, scratch = stack[ply], lists[ply], stack[ply + 1], lists[ply + 1]
    attacks = ply & _I1 == _I0
    reason = over_at_once(rules, pos)
    if reason != NOT_OVER:
        return _WIN if attacks and is_win(reason) else _NO_WIN
    at_once = left == _I1  # the attacker's last move itself must win
    if rules.extinction or rules.stalemate == "win" or rules.goal_answered:
        at_once = False  # the answer to it may win, too
    i = ZERO
    if attacks and at_once:
        n = generate(rules, pos, ALL_MOVES, moves)
        while i < n:
            play(rules, pos, child, U(moves[i]))
            if lost(rules, child, scratch):
                return _WIN
            i += ONE
        return _NO_WIN
    if attacks and left == _I0:
        if generate(rules, pos, COUNT, scratch) == ZERO:
            return _WIN if won_without_moves(rules, pos) else _NO_WIN
        return _NO_WIN
    check, place = identity_and_marks(rules, pos)
    depth = _I2 * left + (ply & _I1)
    kept = probe(table, check, place, depth)
    if kept != MISS:
        return np.int64(kept)
    n = generate(rules, pos, ALL_MOVES, moves)
    row = ordered[ply]
    won = _NO_WIN
    if attacks and n == ZERO:
        won = _WIN if won_without_moves(rules, pos) else _NO_WIN
    elif attacks:
        if order_moves(rules, pos, child, moves, n, row, scratch):
            won = _WIN
        else:
            while i < n and won == _NO_WIN:
                if row[i] < UNSAFE << _S_ORDER:
                    play(rules, pos, child, row[i] & _MOVE)
                    won = prove(rules, table, stack, lists, ordered, state, ply + _I1, left)
                i += ONE
    else:
        # The defender: first the move that refuted a sibling.
        killer = state[KILLERS + ply]
        while i < n:
            if np.int64(moves[i]) == killer:
                moves[i] = moves[0]
                moves[0] = np.uint32(killer)
            i += ONE
        won = _WIN if n > ZERO else _NO_WIN
        i = ZERO
        while i < n and won == _WIN:
            play(rules, pos, child, U(moves[i]))
            won = prove(rules, table, stack, lists, ordered, state, ply + _I1, left - _I1)
            if won == _NO_WIN:
                state[KILLERS + ply] = np.int64(moves[i])
            i += ONE
    if state[STOP] == _I0:
        store(table, check, place, depth, U(won))
    return won
