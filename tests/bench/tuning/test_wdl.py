"""The fit of winning chances to scores recovers the numbers that made-up results were drawn with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.__main__ import main
from bench.tuning.wdl import fit


@pytest.mark.parametrize(("centre", "scale"), [(120.0, 80.0), (30.0, 200.0)])
def test_the_fit_finds_what_was_put_in(centre: float, scale: float) -> None:
    chance = np.random.default_rng(1)
    scores = chance.integers(-600, 600, 1500)
    win, loss = (1 / (1 + np.exp((centre - x) / scale)) for x in (scores, -scores))
    drawn = chance.random(1500)
    results = np.where(drawn < win, 1, np.where(drawn < win + loss, -1, 0))
    model, errors = fit(scores, results, np.arange(1500))
    assert model.games == 1500
    assert abs(model.centre - centre) < 4 * errors[0] and abs(model.scale - scale) < 4 * errors[1]
    assert 0 < errors[0] < 20 and 0 < errors[1] < 30
    assert np.allclose(fit(-scores, -results, np.arange(1500))[0], model, rtol=1e-3)  # colours do not matter
    often = fit(np.repeat(scores, 4), np.repeat(results, 4), np.repeat(np.arange(1500), 4))
    assert np.allclose(often[0], model, rtol=1e-3) and np.allclose(often[1], errors, rtol=1e-2)  # of one game, not four


def test_bad_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wdl", str(tmp_path)]) == 2
    assert "has no games" in capsys.readouterr().err
