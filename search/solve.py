"""Forced wins by exhaustive proof: no evaluation, no pruning but by what is proved.

An attacker's node needs one move that wins, a defender's that every move loses. A win is what the rules call one: mate (where
it counts), a king exploded, a king taken whom nobody succeeds. Repetition and the count of fifty moves are left out, as in
problems; a bare king's draw and a mate that only draws are not.

The table is that of counts.py: under a position's identity and the moves left, 1 for a win and 0 for none.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np

from engine.bits import ONE, ZERO, U
from engine.counts import MISS, SECRET, fold, identity, new_table, probe, store
from engine.game import Game
from engine.jit import entry, jit
from engine.legality import generate, in_check, play
from engine.movegen import ALL_MOVES, COUNT
from engine.rules import MARKS, TURN
from engine.text import legal_moves
from search.alphabeta import drawn_by_rule, mated, royals_gone

MAX_MATE = 30  # moves
STOP, NODES, NODE_LIMIT, KILLERS = range(4)
_I0, _I1, _I2 = np.int64(0), np.int64(1), np.int64(2)
_S_ORDER, _MOVE, QUIET_MOVE, UNSAFE = U(32), U((1 << 32) - 1), U(64), U(1 << 20)


@jit(forceinline=True)
def known_as(rules, pos):
    """identity(), and what decides whether a mate counts."""
    check, place = identity(rules, pos)
    if rules.mate_series:
        check ^= fold(pos[MARKS] ^ SECRET[0, 0], SECRET[1, 1])
        place ^= fold(pos[MARKS] ^ SECRET[2, 0], SECRET[3, 1])
    return check, place


@jit
def lost(rules, pos, nowhere):
    """Whether the side to move has lost by the rules."""
    if royals_gone(rules, pos):
        return True
    if drawn_by_rule(rules, pos):
        return False
    us = pos[TURN]
    if in_check(rules, pos, us):
        if generate(rules, pos, COUNT, nowhere) == ZERO:
            return mated(rules, pos, us, _I0) < _I0
    return False


@jit
def order(rules, pos, child, moves, n, ordered, answers):
    """Write the attacker's moves into `ordered`, uint64[n] of order << 32 | move, least first: few answers, checks first.

    answers: room for counting. Returns True where one of the moves wins at once; it is then ordered[0].
    """
    i = ZERO
    while i < n:
        move = U(moves[i])
        play(rules, pos, child, move)
        rank = ZERO
        if royals_gone(rules, child):
            ordered[0] = move
            return True
        if drawn_by_rule(rules, child):
            rank = UNSAFE
        else:
            rank = generate(rules, child, COUNT, answers)
            checks = in_check(rules, child, child[TURN])
            if rank == ZERO:
                if checks and mated(rules, child, child[TURN], _I0) < _I0:
                    ordered[0] = move
                    return True
                rank = UNSAFE
            elif not checks:
                rank += QUIET_MOVE
        key = (rank << _S_ORDER) | move
        at = i
        while at > ZERO and ordered[at - ONE] > key:
            ordered[at] = ordered[at - ONE]
            at -= ONE
        ordered[at] = key
        i += ONE
    return False


@entry
def prove(rules, table, stack, lists, ordered, state, ply, left):
    """1 where the attacker, to move at even plies, wins in `left` >= 1 moves of its own or fewer, else 0; int64.

    Meaningless once state[STOP] is set. stack uint64[plies, words], lists uint32 and ordered uint64[plies, rules.max_moves],
    state int64[KILLERS + plies], all of at least ply + 2 * left + 1 plies.
    """
    if state[STOP] != 0:
        return _I0
    if state[NODES] >= state[NODE_LIMIT]:
        state[STOP] = _I1
        return _I0
    state[NODES] += _I1
    pos, moves, child, nowhere = stack[ply], lists[ply], stack[ply + 1], lists[ply + 1]
    if royals_gone(rules, pos) or drawn_by_rule(rules, pos):
        return _I0
    attacks = ply & _I1 == _I0
    i = ZERO
    if attacks and left == _I1:
        n = generate(rules, pos, ALL_MOVES, moves)
        while i < n:
            play(rules, pos, child, U(moves[i]))
            if lost(rules, child, nowhere):
                return _I1
            i += ONE
        return _I0
    check, place = known_as(rules, pos)
    depth = _I2 * left + (ply & _I1)
    kept = probe(table, check, place, depth)
    if kept != MISS:
        return np.int64(kept)
    n = generate(rules, pos, ALL_MOVES, moves)
    row = ordered[ply]
    won = _I0
    if attacks:
        if order(rules, pos, child, moves, n, row, nowhere):
            won = _I1
        else:
            while i < n and won == _I0:
                if row[i] < UNSAFE << _S_ORDER:
                    play(rules, pos, child, row[i] & _MOVE)
                    won = prove(rules, table, stack, lists, ordered, state, ply + _I1, left)
                i += ONE
    else:
        # The defender: what refuted a sister position first.
        killer = state[KILLERS + ply]
        while i < n:
            if np.int64(moves[i]) == killer:
                moves[i] = moves[0]
                moves[0] = np.uint32(killer)
            i += ONE
        won = _I1 if n > ZERO else _I0
        i = ZERO
        while i < n and won != _I0:
            play(rules, pos, child, U(moves[i]))
            won = prove(rules, table, stack, lists, ordered, state, ply + _I1, left - _I1)
            if won == _I0:
                state[KILLERS + ply] = np.int64(moves[i])
            i += ONE
    if state[STOP] == _I0:
        store(table, check, place, depth, U(won))
    return won


@dataclass(frozen=True)
class Solution:
    """A forced win: in how many moves, by which first moves, and one line in which the defender holds out longest."""

    moves: int
    keys: tuple[int, ...]  # every first move that wins as fast
    line: tuple[int, ...]
    nodes: int


class Solver:
    """Proves forced wins of one game; keeps its table between questions."""

    def __init__(self, hash_mb: int = 64):
        self._table = new_table(hash_mb)
        self._state = np.zeros(KILLERS + 2 * MAX_MATE + 4, np.int64)
        self._lock = threading.Lock()

    def stop(self) -> None:
        """End a proof under way; callable from another thread."""
        self._state[STOP] = 1

    @property
    def nodes(self) -> int:
        """Positions looked at since the last solve() began."""
        return int(self._state[NODES])

    def solve(self, game: Game, most: int, nodes: int | None = None) -> Solution | None:
        """The shortest forced win of the side to move in at most `most` moves; None where there is none.

        Raises: TimeoutError when stopped, or after so many nodes, with nothing proved.
        """
        with self._lock:
            self._state[:] = 0
            self._state[NODE_LIMIT] = (1 << 62) if nodes is None else nodes
            rules = game.rules
            plies = 2 * most + 3
            self._stack = np.zeros((plies, rules.traits.words), np.uint64)
            size = plies, rules.traits.max_moves
            self._lists, self._ordered = np.zeros(size, np.uint32), np.zeros(size, np.uint64)
            if game.verdict() is not None:
                return None
            for left in range(1, most + 1):
                if self._wins(game, left):
                    self._state[NODE_LIMIT] = 1 << 62
                    keys = tuple(move for move in map(int, legal_moves(rules, game.pos)) if self._keeps(game, move, left))
                    return Solution(left, keys, self._line(game, keys[0], left), self.nodes)
            return None

    def _wins(self, game: Game, left: int) -> bool:
        """Whether the side to move wins in `left` moves or fewer."""
        self._stack[0] = game.pos
        won = prove(game.rules, self._table, self._stack, self._lists, self._ordered, self._state, np.int64(0), np.int64(left))
        if self._state[STOP]:
            raise TimeoutError(f"nothing proved in {self.nodes:,} nodes")
        return bool(won)

    def _keeps(self, game: Game, move: int, left: int) -> bool:
        """Whether the attacker wins in `left` moves when it begins with `move`."""
        game.push(move)
        try:
            return self._won(game) or (left > 1 and self._answered(game, left - 1) is not None)
        finally:
            game.pop()

    @staticmethod
    def _won(game: Game) -> bool:
        """Whether the side to move has lost."""
        outcome = game.verdict()
        return outcome is not None and outcome.winner == game.turn ^ 1

    def _answered(self, game: Game, left: int) -> tuple[int, int] | None:
        """(the answer that holds out longest, moves the attacker then needs), None where an answer escapes `left` moves."""
        worst: tuple[int, int] | None = None
        if game.verdict() is not None:
            return None
        for answer in map(int, legal_moves(game.rules, game.pos)):
            game.push(answer)
            try:
                need = next((n for n in range(1, left + 1) if self._wins(game, n)), None)
            finally:
                game.pop()
            if need is None:
                return None
            if worst is None or need > worst[1]:
                worst = answer, need
        return worst

    def _line(self, game: Game, key: int, left: int) -> tuple[int, ...]:
        """A line of best play from both sides that begins with `key`."""
        game.push(key)
        try:
            if self._won(game):
                return (key,)
            worst = self._answered(game, left - 1)
            assert worst is not None
            answer, need = worst
            game.push(answer)
            try:
                following = next(move for move in map(int, legal_moves(game.rules, game.pos)) if self._keeps(game, move, need))
                return key, answer, *self._line(game, following, need)
            finally:
                game.pop()
        finally:
            game.pop()
