"""What scores are worth: fits to games whose results are drawn from a known curve."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest

from bench.match.records import End, GameRecord, Ply
from bench.report.scores import DECIDED, LEAST, fit, worths

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def drawn_from(odds: Callable[[float], float], games: int = 20000, seed: int = 1) -> list[GameRecord]:
    """Games of one move each by White, A in odd games and B in even ones, whose score decides with which odds it wins."""
    chance = random.Random(seed)
    found = []
    for number in range(1, games + 1):
        score = chance.randint(-600, 600)
        won = chance.random() < 1 / (1 + math.exp(-odds(score)))
        white, black = ("A", "B") if number % 2 else ("B", "A")
        found.append(GameRecord(number, 1, number, white, black, "chess", START, "1-0" if won else "0-1", End.CHECKMATE,
                                plies=[Ply("e2e4", "e4", score=score), Ply("e7e5", "e5")]))
    return found


@pytest.mark.parametrize(("level", "weight"), [(0.0, 1.0), (-0.9, 1.1), (-1.4, -0.8), (0.3, 0.0)])
def test_the_curve_is_found_again(level: float, weight: float) -> None:
    for worth in worths(drawn_from(lambda score: level + weight * score / 300)):
        assert worth.moves == 10000
        assert worth.level == pytest.approx(level, abs=0.1) and worth.weight == pytest.approx(weight, abs=0.1)
        assert worth.points_at_zero == pytest.approx(1 / (1 + math.exp(-level)), abs=0.04)
        assert worth.explained > 0.1 if abs(weight) > 0.5 else worth.explained < 0.01


def test_scores_are_those_of_the_mover() -> None:
    """Black's good scores go with Black's wins, also where Black moves first."""
    black_first, games = START.replace(" w ", " b "), []
    for number in range(2 * LEAST):
        black_wins = number % 4 < 2
        plies, fen = [Ply("e7e5", "e5", score=200 if black_wins else -200)], black_first
        if number % 2:
            plies, fen = [Ply("e2e4", "e4"), *plies], START
        games.append(GameRecord(number, 1, number, "A", "B", "chess", fen, "0-1" if black_wins else "1-0", plies=plies))
    only, = worths(games)
    assert only.player == "B" and only.weight > 2


def test_book_moves_decided_positions_and_void_games_are_left_out() -> None:
    def of(ply: Ply, result: str = "1-0") -> list[GameRecord]:
        return [GameRecord(n, 1, n, "A", "B", "chess", START, result, plies=[ply]) for n in range(LEAST)]

    assert len(worths(of(Ply("e2e4", score=10)))) == 1
    for games in (of(Ply("e2e4", score=10, book=True)), of(Ply("e2e4", score=DECIDED)), of(Ply("e2e4", mate=3)),
                  of(Ply("e2e4", score=10), "*"), of(Ply("e2e4", score=10))[1:]):
        assert worths(games) == []


def test_results_that_are_all_alike_are_no_fault() -> None:
    worth = fit("A", np.array([[score, 1.0] for score in range(-300, 300, 10)]))
    assert math.isfinite(worth.loss) and worth.points_at_zero > 0.9
