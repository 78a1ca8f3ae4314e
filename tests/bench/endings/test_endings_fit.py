"""Fitting elementary endings: what is read from the tables, and the row that comes of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import variants
from bench.__main__ import main
from bench.endings.kernels import CAPTURES, CHECKED
from bench.endings.pairs import paired
from bench.endings.tables import NO_POSITION, Tables
from engine.core.legality import in_check_kernel
from engine.game import Game
from engine.rules import BLACK, TURN, TYPES, WHITE
from engine.text import to_fen


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the tables of all tests are kept."""
    return tmp_path_factory.mktemp("tables")


def test_samples_are_what_they_say(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = variants.find("chess")
    tables = Tables(rules, ["KvKQ"], folder, progress=True)
    assert [line.split(":")[0] for line in capsys.readouterr().err.splitlines()] == ["chess KvK", "chess KQvK"]
    values = tables.values("KQvK")
    assert values.max(where=values != NO_POSITION, initial=0) == 19 and values.min() == -21  # mate in ten moves
    found = tables.sample("KQvK", np.arange(0, len(values), 40))
    assert len(found.rows) == np.count_nonzero(values[::40] != NO_POSITION) > 200
    assert (found.values == values[::40][values[::40] != NO_POSITION]).all() and not found.firsts.any()
    for row, value, flags in zip(found.rows, found.values, found.flags, strict=True):
        game = Game(rules, to_fen(rules, row))
        board = rules.board(game.fen())
        assert bool(in_check_kernel(rules, row, row[TURN])) == board.is_check() == bool(flags & CHECKED)
        assert any(map(board.is_capture, board.legal_moves)) == bool(flags & CAPTURES)
        assert board.is_checkmate() == (value == -1)


def test_a_side_to_move_is_the_first_of_two_alike(folder: Path) -> None:
    tables = Tables(variants.find("chess"), ["KvK"], folder)
    found = tables.sample("KvK", np.arange(tables.files["KvK"].entries))
    assert (found.firsts == found.rows[:, TURN]).all() and {0, 1} == set(found.firsts.tolist())


@pytest.mark.parametrize(("words", "said", "status"), [
    (("chess", "KZvK"), "'KZvK' is not a material of chess", 2), (("chess", "KKvK"), "'KKvK' has a side with 2 kings", 2),
    (("atomic", "QvK"), "'QvK' is decided in atomic", 2), (("chess", "KQRRBvK"), "'KQRRBvK' has 6 pieces", 2),
    (("chess", "KRvK", "--tables", "/dev/null/x"), "/dev/null/x/chess: Not a directory", 1)])
def test_bad_input_is_named(words: tuple[str, ...], said: str, status: int, tmp_path: Path,
                            capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["endings", *words, "--play", "0", "-o", str(tmp_path / "x.json")]) == status
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line and not (tmp_path / "x.json").exists()


def test_games_below_none_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["endings", "chess", "KQvK", "--play", "-1", "-o", str(tmp_path / "x.json")]) == 2
    assert capsys.readouterr().err == "kingmaker endings: --play must be at least 0, not -1\n"


def test_a_row_is_fitted_and_proved_in_play(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "chess.json"
    assert main(["endings", "chess", "KRvK", "--tables", str(folder), "--play", "2", "-o", str(path)]) == 0
    assert "chess: " in capsys.readouterr().out and (folder / "chess" / "KRvK.kmt").exists()
    row = json.loads(path.read_text())["endings"]["KRvK"]
    assert row["shares"] == [100, 0, 0], "a rook that cannot be captured at once wins"
    assert row["longest"] == 33 and row["error"] < row["spread"] / 2
    apart, corner = row["apart"], row["corner"]
    assert apart[2] > apart[5] > apart[7], "kings that are near are better"
    assert corner["0"] > corner["3"] > corner["6"], "and a king in a corner"


def test_a_least_value_is_kept(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "chess.json"
    assert main(["endings", "chess", "KPvK", "--tables", str(folder), "--play", "0", "--least", "60", "-o", str(path)]) == 0
    row = json.loads(path.read_text())["endings"]["KPvK"]
    assert row["least"] == 60 and row["shares"][1] > 20, "without it, a draw is worth nothing"


def test_numbers_of_pairs_are_found() -> None:
    """What depends on two squares and the side to move is learned, what nothing explains stays."""
    rules = variants.find("chess")
    chance = np.random.default_rng(5)
    rows, wanted = list[np.ndarray](), list[int]()
    while len(rows) < 8000:
        rook, king, foe = chance.choice(64, 3, replace=False)
        if foe % 8 > 3 or king % 8 > 1 or rook // 8 > 1:
            continue
        pos = np.zeros(rules.traits.words, np.uint64)
        turn, rook, king, foe = int(chance.integers(2)), int(rook), int(king), int(foe)
        pos[WHITE], pos[BLACK], pos[TURN] = 1 << rook | 1 << king, 1 << foe, turn
        pos[TYPES + rules.letters.index("R")], pos[TYPES + rules.letters.index("K")] = 1 << rook, 1 << king | 1 << foe
        rows.append(pos)
        wanted.append(500 + (60 if king % 8 == 1 and rook % 2 else 0) - 40 * turn)
    guess = np.full(len(rows), 500)
    stack, wins = np.array(rows), np.array(wanted)
    pairs, error = paired(rules, stack, np.zeros(len(rows), np.uint64), wins, guess, (400, 600), chance)
    assert pairs.shape == (3, 2, 64, 64)
    assert error < 0.35 * float(np.sqrt(((wins - guess) ** 2).mean()))
    wins = 500 + 50 * chance.choice([-1, 1], len(rows))
    assert paired(rules, stack, np.zeros(len(rows), np.uint64), wins, guess, (400, 600), chance)[1] > 45
