"""Judging engines without games: the measures by hand, the answers, and the command with our own engine."""

from __future__ import annotations

import json
import math
import shlex
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import variants
from bench.__main__ import main
from bench.clients.uci import OURSELVES
from bench.judge.measures import PAWNS, Mean, chances, lost_chances, nodes_to_mate, score_error
from bench.judge.positions import drawn_positions, pieces_on
from bench.judge.reference import decided
from bench.judge.thinker import MATED, answer_of
from engine.game import Game
from engine.rules import Rules

FEW = ["--positions", "5", "--depths", "1,2", "--nodes", "200", "--mate-nodes", "300", "--concurrency", "2"]


# The measures


def test_chances_are_those_of_a_logistic_curve() -> None:
    assert chances(np.array([0, PAWNS, -PAWNS])) == pytest.approx([0.5, 1 / (1 + 1 / math.e), 1 / (1 + math.e)])


def test_only_what_no_scale_mends_is_an_error() -> None:
    reference = np.array([-400, -50, 0, 120, 600])
    assert score_error(reference * 2, reference).value == pytest.approx(0, abs=1e-3)
    # the signs exchanged: the best that a positive scale can do is to say next to nothing
    blind = 1e4 * np.mean((0.5 - chances(reference)) ** 2)
    assert blind < score_error(-reference, reference).value < 1.5 * blind


def test_moves_lose_what_the_reference_says() -> None:
    lost = lost_chances(np.array([PAWNS, 0]), np.array([0, 0]))
    whole = 100 * (1 / (1 + 1 / math.e) - 0.5)
    assert lost == pytest.approx([whole, 0])
    assert Mean.of(lost).value == pytest.approx(whole / 2)
    assert Mean.of(lost).error == pytest.approx(1.96 * whole / 2 / math.sqrt(2))


def test_a_mate_that_is_not_seen_counts_as_twice_the_limit() -> None:
    assert nodes_to_mate([100, None], 5000) == pytest.approx(1000)


def test_the_last_exact_score_counts_and_the_first_mate() -> None:
    lines = ["info depth 1 score cp 30 nodes 50 pv e2e4", "info depth 2 score cp 900 lowerbound nodes 80",
             "info depth 2 multipv 2 score cp -700 nodes 90", "info string nodes 7 score mate 1",
             "info depth 3 score mate 4 nodes 120 pv e2e4", "info depth 4 score mate 3 nodes 400 pv e2e4"]
    assert answer_of("e2e4", lines[:2]) == ("e2e4", 30, 80, None, None)
    assert answer_of("e2e4", lines) == ("e2e4", MATED, 400, 120, 3)
    assert answer_of("e2e4", ["info depth 3 score mate -2 nodes 9"]) == ("e2e4", -MATED, 9, None, -2)


def test_games_that_are_over_need_no_reference() -> None:
    assert decided(Game("chess", "7k/5KQ1/8/8/8/8/8/8 b - - 0 1")) == -MATED
    assert decided(Game("chess", "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1")) == 0
    assert decided(Game("atomic", "8/8/8/8/8/8/8/K7 b - - 0 1")) == -MATED
    assert decided(Game()) is None


# The positions


def test_positions_are_open_and_the_same_again() -> None:
    rules: Rules = variants.find("chess")
    found = drawn_positions(rules, 12, 3)
    assert len(set(found)) == 12 and found == drawn_positions(rules, 12, 3) and found != drawn_positions(rules, 12, 4)
    for fen in found:
        game = Game(rules, fen)
        assert pieces_on(game.pos) >= 0.3 * 32 and game.outcome() is None


# The command


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("judge") / "chess"


def judged(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, object]:
    words = ["judge", "chess", "-o", str(folder), "-reference", "nodes=500", *FEW, "--json", *more]
    assert main(words) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_engines_are_judged_and_answers_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engines = ["-engine", f"cmd={OURSELVES}", "name=net", "-engine", f"cmd={OURSELVES}", "name=sum", "option.Use NNUE=false"]
    first = judged(folder, capsys, *engines)
    assert first == judged(folder, capsys, *engines)
    assert first["variant"] == "chess" and first["positions"] in range(1, 6)
    found = first["engines"]
    assert isinstance(found, dict) and list(found) == ["net", "sum"] and found["net"] != found["sum"]
    for measures in found.values():
        assert set(measures["error"]) == {"1", "2"} and 0 <= measures["error"]["2"]["mean"] < 2500
        assert measures["error"]["1"]["nodes"] < measures["error"]["2"]["nodes"]
        assert -100 < measures["lost"]["200"]["mean"] < 100
        gain = found["net"]["lost"]["200"]["mean"] - measures["lost"]["200"]["mean"]
        assert measures["lost"]["200"]["gain"] == pytest.approx(gain) and measures["lost"]["200"]["gain_error"] >= 0
        assert measures["mates"]["positions"] == 30 and 0 <= measures["mates"]["seen"] <= 30


def test_the_reference_loses_nothing_by_its_own_moves(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its move at its own limit is the best it knows: what it loses is what the next search finds out."""
    found = judged(folder, capsys, "--nodes", "500")["engines"]
    assert isinstance(found, dict) and abs(found["kingmaker"]["lost"]["500"]["mean"]) < 20


SILENT = shlex.join([sys.executable, "-c", "import time; time.sleep(60)"])


@pytest.mark.parametrize(("words", "message"), [
    (["-reference", "nodes=600"], "has scores with nodes 500, not 600: give another folder with -o"),
    (["-reference", "nodes=500", "option.Hash=8"], "has scores with option.Hash none, not 8: give another folder with -o"),
    (["-reference", "nodes=500", "--positions", "6"], "has positions 5, not 6: give another folder with -o"),
    (["-reference", "nodes=500", "--seed", "2"], "has seed 1, not 2: give another folder with -o"),
    (["-reference", f"cmd={OURSELVES}"], "has no limit: add depth= or nodes="),
    (["-reference", "nodes=500", "--depths", "0"], "--depths 0 is not from 1 to 100"),
    (["-reference", "nodes=500", "--positions", "0"], "--positions 0 is not from 1"),
    (["-reference", "nodes=500", "-engine", f"cmd={OURSELVES}", "depth=3"], "-engine: unknown key"),
    (["-reference", "nodes=500", "-engine", "name=x"], "-engine: cmd= is missing"),
    (["-reference", "nodes=500", "-engine", f"cmd={OURSELVES}", "proto=xboard"], "only uci can"),
    (["-reference", "nodes=500", "-engine", f"cmd={OURSELVES}", "option.Hush=3"], "the engine has no such option"),
    (["-reference", "nodes=500", "-engine", f"cmd={SILENT}", "startup=0.3"], "no uciok within"),
    (["-reference", "nodes=500", "-engine", "cmd=/nowhere/engine"], "/nowhere/engine"),
])
def test_bad_input_is_named(folder: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    if not folder.exists():
        judged(folder, capsys)
    assert main(["judge", "chess", "-o", str(folder), *FEW, *words]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert message in said[-1]


def test_a_folder_is_of_one_game(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not folder.exists():
        judged(folder, capsys)
    words = ["-reference", "nodes=500", *FEW[2:]]
    assert main(["judge", "atomic", "-o", str(folder), *words]) == 2
    assert "positions.epd' has variant chess, not atomic: give another folder with -o" in capsys.readouterr().err
    (tmp_path / "positions.epd").write_text("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n")
    assert main(["judge", "atomic", "-o", str(tmp_path), *words]) == 2
    assert "does not say which game its positions are of" in capsys.readouterr().err
    shutil.copy(folder / "reference.sqlite", tmp_path)
    (tmp_path / "positions.epd").unlink()
    assert main(["judge", "atomic", "-o", str(tmp_path), *words, "--positions", "1"]) == 2
    assert "reference.sqlite' has scores with game chess, not atomic" in capsys.readouterr().err


def test_the_number_of_positions_is_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = judged(folder, capsys)
    assert main(["judge", "chess", "-o", str(folder), "-reference", "nodes=500", *FEW[2:]]) == 0  # as many as the folder has
    heads, row = (line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert heads[:2] == ["engine", "positions"] and row[:2] == ["kingmaker", str(found["positions"])]


@pytest.mark.parametrize("words", [
    ["-engine", "cmd=/nowhere/engine"], ["-engine", f"cmd={OURSELVES}", "option.Hush=3"],
    ["-reference", "cmd=/nowhere/engine", "depth=1"],
], ids=["no engine", "no option", "no reference"])
def test_what_is_refused_leaves_no_folder(tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", "chess", "-o", str(tmp_path / "new"), *FEW, *words]) == 2
    assert not list(tmp_path.iterdir())
