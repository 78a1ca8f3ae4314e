"""Iterative deepening: what becomes of a move that beats the window when a stop comes before the wider one is searched."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import variants
from engine.game import Game
from engine.text import legal_moves
from search.deepening import Deepening
from search.limits import MATE, Limits
from search.params import PARAMS

GUESS = 20  # centipawns, the score of the last iteration


class ScriptedWorker:
    """A worker whose calls of the kernel return what a script says: (score, line, whether a stop came)."""

    def __init__(self, script: list[tuple[int, list[int], bool]]):
        self.script = script
        self.orders: list[list[int]] = []  # the root moves of each call
        self.stopped, self.best_score, self.seldepth, self._line = False, 0, 0, [0]

    def iterate(self, shared: Any, roots: list[int], *limits: Any) -> int:
        """The next score of the script."""
        self.orders.append(list(roots))
        self.best_score, self._line, self.stopped = self.script.pop(0)
        return self.best_score

    def line(self) -> list[int]:
        """The next line of the script."""
        return self._line


def deepen(script: list[tuple[int, list[int], bool]], roots: list[int], game: Game) -> tuple[Any, list[list[int]]]:
    """(the line of a depth, the orders in which the root moves were searched)."""
    worker = ScriptedWorker(script)
    task: Any = SimpleNamespace(workers=[worker], roots=roots, game=game, limits=Limits(), lines=[], elapsed=lambda: 0.0,
                                shared=SimpleNamespace(p=PARAMS.array()))
    return Deepening(task, 0)._search(roots, 9, GUESS, 0), worker.orders


def test_a_move_that_failed_high_is_played_after_a_stop() -> None:
    game = Game(variants.find("chess"))
    roots = legal_moves(game.rules, game.pos).tolist()
    good = roots[7]
    line, orders = deepen([(MATE // 100, [good], False), (0, [], True)], roots, game)
    assert line is not None and line.pv == (good,) and line.bound == "lowerbound" and line.score == MATE // 100
    assert orders[0] == roots
    assert orders[1] == [good] + [move for move in roots if move != good]


def test_what_the_wider_window_found_counts_more() -> None:
    game = Game(variants.find("chess"))
    roots = legal_moves(game.rules, game.pos).tolist()
    line, _ = deepen([(MATE // 100, [roots[7]], False), (GUESS, [roots[3]], True)], roots, game)
    assert line is not None and line.pv == (roots[3],)


def test_a_move_that_failed_high_and_then_low_is_forgotten() -> None:
    game = Game(variants.find("chess"))
    roots = legal_moves(game.rules, game.pos).tolist()
    line, _ = deepen([(MATE // 100, [roots[7]], False), (-MATE // 100, [], False), (0, [], True)], roots, game)
    assert line is None
