"""The fit of the chances behind a score finds the numbers that made-up results were drawn with."""

from __future__ import annotations

import math
import random

import pytest

from bench.__main__ import main
from bench.wdl import Sample, fit, play


@pytest.mark.parametrize(("centre", "scale"), [(120.0, 80.0), (30.0, 200.0)])
def test_the_fit_finds_what_was_put_in(centre: float, scale: float) -> None:
    chance, samples = random.Random(1), list[Sample]()
    for game in range(1500):
        score = chance.randrange(-600, 600)
        win, loss = (1 / (1 + math.exp((centre - x) / scale)) for x in (score, -score))
        drawn = chance.random()
        samples.append(Sample(game, score, 1 if drawn < win else -1 if drawn < win + loss else 0))
    model, errors = fit(samples, 1500)
    assert model.games == 1500
    assert abs(model.centre - centre) < 4 * errors[0] and abs(model.scale - scale) < 4 * errors[1]
    assert 0 < errors[0] < 20 and 0 < errors[1] < 30


def test_samples_are_seen_from_the_side_to_move() -> None:
    """The winner's samples count as won and the loser's as lost, of one game both; a seed gives the same games again."""
    samples = play("atomic", 3, 60, seed=2)
    assert samples == play("atomic", 3, 60, seed=2)
    for game in range(3):
        results = {sample.result for sample in samples if sample.game == game}
        assert results in ({0}, {1, -1}, {1}, {-1}), results
    assert {sample.result for sample in samples} >= {1, -1}


def test_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wdl", "chess", "--games", "0"]) == 2
    assert "--games 0" in capsys.readouterr().err
