"""Games on a local Dask cluster: a worker is killed in mid-match, every game counts once, no engine is left behind."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from test_match_resume import command, engines_of, finished, games_of, wait_for

from support.dask import Dask
from support.places import ROOT


@pytest.mark.long
def test_a_worker_dies_and_no_game_with_it(cluster: Dask, tmp_path: Path) -> None:
    runner = subprocess.Popen(command(tmp_path, "--cluster", cluster.address, games=30), cwd=ROOT, text=True,
                              env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    wait_for("eight games and four engines", lambda: len(finished(tmp_path)) >= 8 and len(engines_of(tmp_path)) == 4)
    cluster.workers[0].kill()
    wait_for("the end of the dead worker's engines", lambda: len(engines_of(tmp_path)) <= 2)
    said, _ = runner.communicate(timeout=120)
    assert runner.returncode == 0, said
    assert finished(tmp_path) == list(range(1, 31)) and said.count("\nGame ") + said.startswith("Game ") == 30
    assert sorted(int(game.headers["GameNumber"]) for game in games_of(tmp_path / "r.pgn")) == list(range(1, 31))
    wait_for("the engines to be sent home by the worker that lives on", lambda: not engines_of(tmp_path))
