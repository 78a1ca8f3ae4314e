"""Positions of self-play, the fit of an evaluation to them, and the options of a tuning build."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import variants
from bench.__main__ import main
from bench.clients.inprocess import SingleThread
from bench.nets import selfplay
from bench.nets.selfplay import BatchTask, play_batch
from bench.nets.store import Data, Settings, games_in, load
from bench.tuning import ends, spsa
from bench.tuning.tune import Tuner
from engine.game import Game
from engine.protocol import options, session
from engine.protocol.session import Session
from search.clock import soft_factor
from search.eval import features
from search.eval.files import TunedError
from search.params import PARAMS
from support.places import ROOT

SELFPLAY = ["selfplay", "chess", "--nodes", "80", "--concurrency", "1"]


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Of 80 games, 50 in a file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selfplay, "BATCH", 50)
        folder = tmp_path_factory.mktemp("games")
        assert main([*SELFPLAY, "-o", str(folder), "--games", "80"]) == 0
        yield folder


def test_selfplay_is_the_same_at_every_call(games: Path) -> None:
    _, data = load(games)
    again = play_batch(BatchTask(Settings("chess", 80, 1), 50, 30))
    second = data.games >= 50
    assert second.any() and not second.all() and set(np.unique(data.results)) <= {-1, 0, 1}
    for field, there in again._asdict().items():
        assert (getattr(data, field)[second] == there).all(), field


def test_selfplay_goes_on_where_it_stopped(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stamps = {path: path.stat().st_mtime_ns for path in games.glob("*.npz")}
    before = load(games)[1]
    (games / "000001.npz").unlink()
    for wanted, found in ((60, 60), (80, 80), (10, 80)):  # the file of 10 games is made again with all 30
        assert main([*SELFPLAY, "-o", str(games), "--games", str(wanted)]) == 0
        assert f"chess: {found} games" in capsys.readouterr().out
        assert sum(map(games_in, games.glob("*.npz"))) == found and max(load(games)[1].games) == found - 1
    assert (games / "000000.npz").stat().st_mtime_ns == stamps[games / "000000.npz"]
    for field, there in load(games)[1]._asdict().items():
        assert (getattr(before, field) == there).all(), field
    assert main(["selfplay", "chess", "-o", str(games), "--nodes", "90"]) == 2
    assert "has nodes 80, not 90" in capsys.readouterr().err


@pytest.mark.parametrize("spoilt", [b"", b"x" * 1000, None], ids=["empty", "other", "cut"])
def test_a_spoilt_file_is_named(games: Path, tmp_path: Path, spoilt: bytes | None, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(shutil.copytree(games, tmp_path / "games"))
    (folder / "000001.npz").write_bytes((games / "000001.npz").read_bytes()[:900] if spoilt is None else spoilt)
    for words in (["wdl", str(folder)], [*SELFPLAY, "-o", str(folder), "--games", "80"]):
        assert main(words) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "cannot read games from" in line and line.endswith("000001.npz': not a file of positions")


def test_chances_behind_a_score_are_fitted_to_the_games(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wdl", str(games)]) == 0
    row = re.fullmatch(r"chess: win_model=WinModel\((\d+), (\d+), (\d+)\),  # ± \d+, \d+; (\d+) positions, drawn \d+%\n",
                       capsys.readouterr().out)
    assert row is not None
    centre, scale, count, positions = map(int, row.groups())
    assert 0 <= centre < 1000 and 10 < scale < 2000 and 60 < count <= 80 < positions


def test_ends_are_where_the_search_ends() -> None:
    """A mate teaches nothing; the position after a winning capture does."""
    player = SingleThread(variants.find("chess"), 2000, PARAMS.array(), 8)
    assert ends.end_of(player, Game("chess", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")) is None
    game = Game("chess", "4k3/pp3ppp/8/3q4/8/2N5/PP3PPP/4K3 w - - 0 1")
    taken = game.parse("c3d5")
    row = ends.end_of(player, game)
    assert row is not None and (row == game.pos).all()
    assert game.moves[0] == taken and len(game.moves) > 2 and "q" not in game.fen().split()[0] and not game.in_check()


def test_ends_are_kept_beside_the_games(games: Path) -> None:
    """They are the same at any concurrency, and searched once."""
    once, data = ends.find(games, 30, 1), load(games)[1]
    folder, = games.glob("ends-30-*")
    assert [path.name for path in sorted(folder.iterdir())] == ["000000.npz", "000001.npz"]
    assert len(data.rows) / 4 < len(once.rows) <= len(data.rows) and set(once.games) <= set(data.games)
    for game in set(once.games):  # each keeps the result of its game
        assert set(once.results[once.games == game]) == set(data.results[data.games == game])
    (folder / "000001.npz").unlink()
    again = ends.find(games, 30, 2)
    for field, there in once._asdict().items():
        assert (getattr(again, field) == there).all(), field


def test_tune_fits_the_games(games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Better than what it began with, on the positions it learns from."""
    path = tmp_path / "chess.json"
    assert main(["tune", str(games), "-o", str(path), "--iterations", "5", "--ends", "30", "--concurrency", "1"]) == 0
    assert "chess: " in capsys.readouterr().out
    found = json.loads(path.read_text())
    assert found["values"]["P"] == 100 and len(found["scales"]) == 48
    assert found["games"] == [{"nodes": 80, "seed": 1}] and found["ends"] == 30
    assert not list(tmp_path.glob("*.part*"))
    assert main(["tune", str(tmp_path)]) == 2
    assert "has no games" in capsys.readouterr().err
    for text, said in (("", f"cannot read {str(path)!r}: not JSON"), ("[]", "is not a file of `kingmaker tune`")):
        path.write_text(text)
        assert main(["tune", str(games), "-o", str(path), "--ends", "0"]) == 2
        assert said in capsys.readouterr().err and path.read_text() == text


def test_tune_finds_what_decides(games: Path, tmp_path: Path) -> None:
    """Results that follow from the knights alone: knights are what it learns to value."""
    rules = variants.find("chess")
    _, data = load(games)
    word = next(piece.word for piece in rules.traits.pieces if piece.letter == "N")
    white, black = (np.array([int(row[word] & row[side]).bit_count() for row in data.rows]) for side in (8, 9))
    data = Data(data.rows, np.zeros_like(data.scores), np.sign(white - black).astype(np.int8), data.games)
    values = Tuner(rules, data, tmp_path / "x.npz").fit(15).values
    start = Tuner(rules, load(games)[1], tmp_path / "y.npz").fit(1).values
    assert values["N"] / values["R"] > 1.5 * start["N"] / start["R"], (values, start)


def test_a_killed_fit_goes_on(games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules, data = variants.find("chess"), load(games)[1]

    class KilledError(Exception):
        pass

    def die(self: Tuner, weights: np.ndarray) -> None:
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(Tuner, "_fit_scales", die)
        with pytest.raises(KilledError):
            Tuner(rules, data, tmp_path / "part.npz").fit(10)
    done: list[int] = []
    descend = Tuner._descend

    def counted(self: Tuner, weights: np.ndarray, number: int, left: int, tell: Any) -> tuple[np.ndarray, int]:
        done.append(number)
        return descend(self, weights, number, left, tell)

    monkeypatch.setattr(Tuner, "_descend", counted)
    Tuner(rules, data, tmp_path / "part.npz").fit(10)
    assert done == [10, 20, 30] and not (tmp_path / "part.npz").exists()


def test_patience() -> None:
    p = PARAMS.array()
    assert soft_factor(0, 0, 0.5, p) > soft_factor(4, 0, 0.5, p) > soft_factor(8, 0, 0.5, p) == soft_factor(80, 0, 0.5, p)
    assert soft_factor(3, 60, 0.5, p) > soft_factor(3, 0, 0.5, p) > soft_factor(3, -60, 0.5, p)
    assert soft_factor(3, 0, 0.2, p) > soft_factor(3, 0, 0.95, p) > 0


def test_hash_is_cut_to_the_memory_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    news: list[str] = []
    monkeypatch.setattr(session, "memory_limit", lambda: 20)
    ours = Session(news.append)
    ours.set_option(options.find("Hash"), "65536")
    assert ours.values["Hash"] == 20 and news == ["Hash 65536 does not fit into memory, using 20 MiB"]
    ours.set_option(options.find("Hash"), "12")
    assert ours.values["Hash"] == 12 and len(news) == 1


def test_a_tuning_build_offers_its_numbers() -> None:
    """KINGMAKER_TUNE=1: each of search/params.py is an option, and what it is set to changes the search."""
    def talk(tune: str, *lines: str) -> str:
        env = {**os.environ, "KINGMAKER_TUNE": tune}
        text = "\n".join(("uci", *lines, "go depth 9", ""))
        process = subprocess.Popen([sys.executable, "-m", "engine", "uci"], cwd=ROOT, env=env, text=True, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(text)
        process.stdin.flush()
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("bestmove"):
                break
        process.stdin.write("quit\n")
        process.stdin.flush()
        process.wait(20)
        return "".join(said)

    def nodes(said: str) -> int:
        return int(next(line for line in reversed(said.splitlines()) if " depth 9 " in line).split(" nodes ")[1].split()[0])

    plain, tuned = talk("0"), talk("1")
    assert "name rfp_margin" not in plain
    for row in PARAMS:
        assert f"option name {row.name} type spin default {row.start} min {row.least} max {row.most}\n" in tuned
    assert nodes(plain) == nodes(tuned) != nodes(talk("1", "setoption name rfp_margin value 200"))
    assert "rfp_margin '5000' is not an integer from" in talk("1", "setoption name rfp_margin value 5000")


def test_spsa_goes_on_and_finds_the_better_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The games are the same at every call, and the number moves to where pairs are won."""
    path = tmp_path / "spsa.json"
    words = ["spsa", "chess", "-o", str(path), "--nodes", "60", "--numbers", "rfp_margin,lmr_base", "--concurrency", "1"]
    assert main([*words, "--pairs", "16"]) == 0
    once, said = path.read_text(), capsys.readouterr().out
    assert "chess, 16 pairs at 60 nodes: rfp_margin 106 -> " in said
    assert main([*words, "--pairs", "16"]) == 0 and path.read_text() == once  # nothing left to do
    capsys.readouterr()
    path.unlink()
    assert main([*words, "--pairs", "16"]) == 0 and path.read_text() == once
    assert main([*words, "--pairs", "6"]) == 0 and path.read_text() == once  # which means 16, too
    path.write_text(once.replace('"pairs": 16', '"pairs": 4'))  # as an earlier version kept it
    assert main([*words, "--pairs", "16"]) == 0
    capsys.readouterr()
    assert main([*words, "--pairs", "32"]) == 2
    assert "was begun with pairs 16, not 32" in capsys.readouterr().err
    assert main([*words[:6], "--numbers", "nonsense"]) == 2
    assert "'nonsense' is not one of aspiration" in capsys.readouterr().err
    path.write_text(once.replace('"moved"', '"now"'))
    assert main([*words, "--pairs", "16"]) == 2
    assert "was begun by an earlier version: give another file with -o" in capsys.readouterr().err
    path.write_text("[]")
    assert main([*words, "--pairs", "16"]) == 2 and path.read_text() == "[]"
    assert "is not a state of `kingmaker spsa`" in capsys.readouterr().err
    for folder, why in ((path, "not JSON"), (tmp_path, "Is a directory")):
        path.write_text("")
        assert main([*words[:3], str(folder), *words[4:]]) == 2
        assert capsys.readouterr().err == f"kingmaker spsa: cannot read {str(folder)!r}: {why}\n"


def test_spsa_leaves_alone_what_a_game_does_not_use() -> None:
    """A number without effect would only wander: forced captures, and values that switch a number off."""
    chess, antichess = (spsa.numbers_used(variants.find(name)) for name in ("chess", "antichess"))
    assert "reply_extension" in antichess and "reply_extension" not in chess
    assert "decided" in chess and "decided" not in antichess  # tuned in chess, off by default
    assert "lmr_base" in chess and "moves_left" not in chess and "forcing_slope" not in chess


def test_spsa_goes_the_way_of_the_winner() -> None:
    """Against an arbiter that always prefers the greater number."""
    settings: dict[str, Any] = {"variants": ["chess"], "nodes": 1, "seed": 1,
                                "start": {"chess": {"rfp_margin": 75, "lmr_base": 40}}}
    moved = won_by_the_greater(settings)
    assert moved["rfp_margin"] > 35 > abs(moved["lmr_base"]) * 3


def test_spsa_moves_the_numbers_of_several_games_alike() -> None:
    """They take turns, and each stands where it stood, moved by as much; where a number is at its end, it learns nothing."""
    settings: dict[str, Any] = {"variants": ["chess", "atomic", "shatar"], "nodes": 1, "seed": 1, "start": {
        "chess": {"rfp_margin": 75, "lmr_base": 40}, "atomic": {"rfp_margin": 100, "lmr_base": 50},
        "shatar": {"rfp_margin": 300, "lmr_base": 60}}}
    tasks = spsa.draw(settings, {"rfp_margin": 20.0, "lmr_base": 0.0}, 0, 20)
    assert [task.variant for task in tasks[:4]] == ["chess", "atomic", "shatar", "chess"]
    for task, margin in zip(tasks, (95, 120, 300), strict=False):
        assert {task.plus["rfp_margin"], task.minus["rfp_margin"]} <= {margin - 8, min(margin + 8, 300)}
    state: dict[str, Any] = {"batch": 0, "moved": {"rfp_margin": 20.0, "lmr_base": 0.0}}
    only_shatar = [(task, 2) for task in tasks if task.variant == "shatar"]
    spsa.learn(state, only_shatar, 20)
    assert state["moved"]["rfp_margin"] == 20 and state["moved"]["lmr_base"] != 0
    assert won_by_the_greater(settings)["rfp_margin"] > 35


def won_by_the_greater(settings: dict[str, Any]) -> dict[str, float]:
    """How far the numbers move if the greater `rfp_margin` wins each pair in which they differ."""
    state: dict[str, Any] = {"batch": 0, "moved": {"rfp_margin": 0.0, "lmr_base": 0.0}}
    for batch in range(20):
        tasks = spsa.draw(settings, state["moved"], batch, 20)
        assert tasks == spsa.draw(settings, state["moved"], batch, 20)
        apart = [task.plus["rfp_margin"] - task.minus["rfp_margin"] for task in tasks]
        spsa.learn(state, [(task, 2 * (by > 0) - 2 * (by < 0)) for task, by in zip(tasks, apart, strict=True)], 20)
    moved: dict[str, float] = state["moved"]
    return moved


def test_a_game_that_is_not_tuned_is_given_numbers_of_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "TUNED", tmp_path)
    rules = variants.find("horde")
    before = features.fitted_weights(rules)
    features._params_of.cache_clear()
    try:
        spsa.give(tmp_path / "horde.json", {"rfp_margin": 80})
        assert features.params_of(rules)[PARAMS.index("rfp_margin")] == 80
        assert (features.fitted_weights(rules) == before).all()
    finally:
        features._params_of.cache_clear()


def test_numbers_given_to_the_engine_are_what_it_searches_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "TUNED", tmp_path)
    rules = variants.find("chess")
    features._params_of.cache_clear()
    try:
        assert (features.params_of(rules) == PARAMS.array()).all()
        (tmp_path / "chess.json").write_text('{\n "values": {}\n}\n')
        for value in (80, 90):
            spsa.give(tmp_path / "chess.json", {"rfp_margin": value})
            features._params_of.cache_clear()
            assert features.params_of(rules)[PARAMS.index("rfp_margin")] == value
        spsa.give(tmp_path / "chess.json", {"rfp_margin": 106, "lmr_base": 41})  # 106 is the default
        assert json.loads((tmp_path / "chess.json").read_text()) == {"params": {"lmr_base": 41}, "values": {}}
        (tmp_path / "chess.json").write_text('{"params": {"rfp_margin": 9999}}')
        features._params_of.cache_clear()
        with pytest.raises(TunedError, match=r"rfp_margin 9999 is not in 20"):
            features.params_of(rules)
    finally:
        features._params_of.cache_clear()
