"""Proofs of forced wins: the first moves that win, and the line of longest resistance. The kernel is in proof.py."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np

from engine.core.hashed_perft import new_table
from engine.game import Game
from search.proof import KILLERS, NODE_LIMIT, NODES, STOP, prove

MAX_MATE = 30  # moves


@dataclass(frozen=True)
class Solution:
    """A forced win. Moves of lines are numbers, as in Game."""

    moves: int  # of the winner
    keys: tuple[int, ...]  # all first moves that win as fast
    line: tuple[int, ...]  # of longest resistance
    nodes: int


class Solver:
    """Proves forced wins; keeps its table from call to call, so use one for each game.

    hash_mb: MiB of the table.
    """

    def __init__(self, hash_mb: int = 64):
        if hash_mb < 1:
            raise ValueError(f"hash_mb must be at least 1, not {hash_mb}")
        self._table = new_table(hash_mb)
        self._state = np.zeros(KILLERS + 2 * MAX_MATE + 4, np.int64)
        self._lock = threading.Lock()

    def stop(self) -> None:
        """End the proof under way. May be called by another thread."""
        self._state[STOP] = 1

    @property
    def nodes(self) -> int:
        """Positions searched since the last solve() began."""
        return int(self._state[NODES])

    def solve(self, game: Game, most: int, nodes: int | None = None) -> Solution | None:
        """Find the shortest forced win of the side to move in at most `most` moves; None if there is none.

        most: 1 to MAX_MATE; nodes: how many to search at most. Raises: TimeoutError if nothing is proved before that, or
        before a stop; ValueError for another `most`.
        """
        if not 1 <= most <= MAX_MATE:
            raise ValueError(f"most {most} is not from 1 to {MAX_MATE}")
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
                    keys = tuple(move for move in game.legal_numbers() if self._keeps(game, move, left))
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
        """Whether the attacker wins in `left` moves if it begins with `move`."""
        game.push(move)
        try:
            return self._winner(game) == game.turn ^ 1 or self._answered(game, left - 1) is not None
        finally:
            game.pop()

    @staticmethod
    def _winner(game: Game) -> int | None:
        """Who has won, as a colour; None if nobody has."""
        outcome = game.verdict()
        return None if outcome is None else outcome.winner

    def _answered(self, game: Game, left: int) -> tuple[int, int] | None:
        """The longest resistance and the moves that the attacker needs then; None if an answer escapes for `left` moves.

        It needs 0 after an answer that itself loses, as the capture of the attacker's last piece does in antichess.
        """
        worst: tuple[int, int] | None = None
        if game.verdict() is not None:
            return None
        for answer in game.legal_numbers():
            game.push(answer)
            try:
                over = self._winner(game) == game.turn
                need = 0 if over else next((n for n in range(1, left + 1) if self._wins(game, n)), None)
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
            if self._winner(game) == game.turn ^ 1:
                return (key,)
            worst = self._answered(game, left - 1)
            assert worst is not None
            answer, need = worst
            if need == 0:
                return key, answer
            game.push(answer)
            try:
                following = next(move for move in game.legal_numbers() if self._keeps(game, move, need))
                return key, answer, *self._line(game, following, need)
            finally:
                game.pop()
        finally:
            game.pop()
