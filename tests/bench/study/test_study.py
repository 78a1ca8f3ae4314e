"""`kingmaker study`: its games against the Boards, its events in made-up games, its statistics against known cases."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import chess
import numpy as np
import pytest

import engine
import variants
from bench.__main__ import main
from bench.match.stats import elo_of
from bench.records import Record
from bench.study.facts import Facts, facts, kinds
from bench.study.measures import CENTIPAWNS, Estimate, fit, mean, measure, settled_at, share
from bench.study.page import update
from bench.study.play import Records, Settings, StudyTask, play_game
from bench.study.tables import estimate
from engine.errors import CommandError
from support.places import ROOT
from variants.boards import StatefulBoard

FOOL = "f2f3 e7e5 g2g4 d8h4"
QUICK = ("--nodes", "150", "--plies", "4", "--max-plies", "60", "--processes", "1")


def settings(variant: str, **changes: object) -> Settings:
    """Very fast games."""
    return Settings(**{"variant": variant, "nodes": 200, "movetime": None, "plies": 4, "spread": 60, "book": None, "seed": 1,
                       "max_plies": 80, "version": "0", **changes})  # type: ignore[arg-type]


def told(variant: str, moves: str, fen: str | None = None, result: str = "1/2-1/2", reason: str = "move limit",
         scores: tuple[int, ...] = ()) -> Facts:
    """The facts of a game given by its moves."""
    start = fen or variants.find(variant).start_fen
    return facts(Record(0, start, 0, tuple(moves.split()), scores, result, reason), variant)


# Games

@pytest.mark.parametrize("name", ["ataturk", "shatar", "atomic"])
def test_games_by_the_readable_board(name: str) -> None:
    """Every move is legal, nothing follows the end, and result and reason are the Board's."""
    record = play_game(StudyTask(settings(name, max_plies=400), 3, None))
    board = variants.find(name).board(record.fen)
    branching = []
    for text in record.moves:
        assert board.outcome(claim_draw=True) is None
        branching.append(board.legal_moves.count())
        board.push_uci(text)
    assert facts(record, name).branching == tuple(branching)
    assert len(record.scores) == len(record.moves) - record.drawn
    if isinstance(board, StatefulBoard):
        assert record.reason == (board.end_reason() or "move limit")
    assert record.result == (board.result(claim_draw=True) if record.reason != "move limit" else "1/2-1/2")


def test_games_are_seeded() -> None:
    task = StudyTask(settings("atomic"), 5, None)
    assert play_game(task) == play_game(task)
    others = {play_game(StudyTask(settings("atomic"), number, None)).moves[:4] for number in range(6)}
    assert len(others) > 3


def test_obligatory_moves_are_not_drawn() -> None:
    record = play_game(StudyTask(settings("shatar", plies=2, max_plies=8), 0, None))
    assert record.moves[:2] == ("d2d4", "d7d5") and record.drawn == 4 and len(record.moves) == 8
    assert record.result == "1/2-1/2" and record.reason == "move limit"


def test_plausible_openings_do_not_blunder() -> None:
    """With a spread of nothing only the best moves are drawn, with a wide one all of them."""
    def first_moves(spread: int) -> set[str]:
        return {play_game(StudyTask(settings("chess", plies=1, spread=spread, max_plies=2, nodes=50), number, None)).moves[0]
                for number in range(15)}

    assert len(first_moves(0)) <= 3 and len(first_moves(10_000)) > 6


# Events

@pytest.mark.parametrize(("variant", "fen", "moves", "expected"), [
    ("chess", None, "e2e4 a7a6 e4e5 d7d5 e5d6 a6a5 g1f3 a5a4 f1c4 b7b6 e1g1 c7d6",
     {"en passant": [5], "castling": [11], "capture": [5, 12]}),
    ("chess", "4k3/P6P/8/8/8/8/8/4K3 w - - 0 1", "a7a8q e8e7 h7h8n",
     {"promotion": [1, 3], "underpromotion": [3], "check": [1]}),
    ("atomic", None, "g1f3 b8c6 f3e5 c6e5", {"explosion": [4]}),  # knight takes knight: those two alone
    ("atomic", None, "g1f3 a7a6 f3g5 a6a5 g5f7", {"explosion": [5], "wide explosion": [5]}),
    ("ataturk", None, "K@d1 f7f6 e2e4 K@d8", {"coup": [1, 4]}),
    ("madness-fide", None, "e2e4 e7e5 e8e6", {"insane move": [3]}),
    ("madness-fide", "4k3/8/4p3/8/8/8/8/4K3 w - - 0 1", "e8e6", {"insane move": [1], "insane capture": [1], "capture": [1]}),
    ("ascending", "q3k3/8/8/8/8/8/8/K3R3 w - - 0 1", "e1e8", {"capture": [1], "succession": [1]}),
    ("ascending", "r3k2r/8/8/8/8/8/8/K3R3 w - - 0 1", "e1e8 K@h8,h8h7",
     {"capture": [1], "succession": [1], "choice of heir": [2]}),
    ("ascending", "4k3/p7/8/8/8/8/8/K3R3 w - - 0 1", "e1e8", {"capture": [1]}),  # a pawn never ascends: the game is over
])
def test_events(variant: str, fen: str | None, moves: str, expected: dict[str, list[int]]) -> None:
    """Made-up games; plies from 1."""
    found: dict[str, list[int]] = {}
    for ply, name in told(variant, moves, fen).events:
        found.setdefault(name, []).append(ply + 1)
    assert found == expected


def test_ends_that_are_events() -> None:
    game = told("shatar", "e1e2", "4k3/8/8/8/8/8/3Rp3/4K3 w - - 0 1 -", reason="robado")
    assert game.events == ((0, "capture"), (0, "robado"))


@pytest.mark.parametrize(("variant", "has", "lacks"), [
    ("chess", "capture check castling promotion underpromotion", "coup explosion niol succession"),
    ("atomic", "explosion check castling", "capture coup"),
    ("nocheckatomic", "explosion castling", "check"),
    ("shatar", "niol robado promotion", "castling underpromotion"),
    ("warmspit", "coup castling check", "succession"),
    ("madness", "insane check", "castling explosion"),
    ("ascending", "succession castling", "check niol"),
])
def test_a_game_has_the_events_its_rules_allow(variant: str, has: str, lacks: str) -> None:
    names = " ".join(kind.name for kind in kinds(variants.find(variant)))
    assert all(word in names for word in has.split())
    assert not any(word in names.split() for word in lacks.split())


def test_material_of_quiet_positions() -> None:
    """No position in check, none before or after a capture; White's pieces minus Black's: P N B R Q K, then who moves."""
    game = told("chess", "e2e4 d7d5 e4d5 d8d5 b1c3 d5e5 f1e2 g8f6")
    # The positions before moves 2 (after e4), 6 and 8 are quiet; what preceded the start position is not known.
    assert [list(row) for row in game.material] == [
        [0, 0, 0, 0, 0, 0, -1], [0, 0, 0, 0, 0, 0, -1], [0, 0, 0, 0, 0, 0, -1]]


# Statistics

def test_wilson() -> None:
    """8 of 10: 0.49 to 0.94 (Wilson 1927 as in Agresti and Coull 1998, and in any textbook); none of 10: 0 to 0.278."""
    found = share(8, 10)
    assert (round(found.low, 3), round(found.high, 3), found.value) == (0.490, 0.943, 0.8)
    assert share(0, 10).low == 0 and round(share(0, 10).high, 3) == 0.278


def test_bootstrap_of_a_mean_is_the_normal_interval() -> None:
    values = np.random.default_rng(7).normal(40, 12, 500)
    found = mean(values, np.random.default_rng(1))
    half = 1.96 * float(values.std(ddof=1)) / math.sqrt(500)
    assert found.value == values.mean()
    assert abs(found.low - (found.value - half)) < 0.15 * half and abs(found.high - (found.value + half)) < 0.15 * half


def test_one_game_has_no_error_bar() -> None:
    assert mean(np.array([3.0]), np.random.default_rng(1)).high == math.inf


def test_games_that_are_all_drawn_leave_a_doubt() -> None:
    """None of ten was decided, so up to 27.8 % may be (Wilson): all for one side they would move the score by half of that."""
    found = mean(np.full(10, 0.5), np.random.default_rng(1), 0, 1)
    assert found.value == 0.5 and round(found.high, 3) == 0.639 and round(found.low, 3) == 0.361


def test_regression_finds_what_was_put_in() -> None:
    """Results drawn from known values of pawn and knight: found again within two standard errors of a large sample."""
    rng = np.random.default_rng(3)
    data = np.column_stack([rng.integers(-3, 4, 40_000), rng.integers(-2, 3, 40_000), np.ones(40_000)]).astype(float)
    truth = np.array([0.5, 1.6, 0.2])
    target = (rng.random(40_000) < 1 / (1 + np.exp(-data @ truth))).astype(float)
    found = fit(data, target, np.ones(40_000))
    assert np.abs(found - truth).max() < 0.05
    assert math.isclose(CENTIPAWNS * math.log(10), 400)


def test_regression_survives_games_that_all_agree() -> None:
    data = np.array([[1.0], [2.0], [-1.0]])
    found = fit(data, np.array([1.0, 1.0, 0.0]), np.ones(3))
    assert np.isfinite(found).all() and found[0] > 1


def test_values_have_error_bars_that_hold_the_truth() -> None:
    """Made-up games: material of one sample stands all game long and decides it by chance, a knight three times a pawn."""
    rng = np.random.default_rng(11)
    letters = variants.find("chess").letters
    games = []
    for _ in range(600):
        row = np.zeros(len(letters) + 1, np.int64)
        row[0], row[letters.index("N")], row[-1] = rng.integers(-3, 4), rng.integers(-2, 3), rng.choice([-1, 1])
        won = rng.random() < 1 / (1 + math.exp(-(0.4 * row[0] + 1.2 * row[letters.index("N")])))
        record = Record(0, "", 0, ("e2e4",), (), "1-0" if won else "0-1", "checkmate")
        games.append(Facts(record, float(won), (20,), (), np.array([row, row])))
    values = {value.letter: value for value in measure("chess", games).values}
    assert set(values) == {"P", "N"}
    knight = values["N"].pawns
    assert knight is not None and knight.low < 3 < knight.high < 4.5
    assert values["P"].centipawns.low < 0.4 * CENTIPAWNS < values["P"].centipawns.high


def test_when_a_game_is_decided() -> None:
    """Searched from the second move on; White wins: from the sixth ply on never below 200 again."""
    record = Record(0, "", 1, ("a",) * 8, (0, 250, 300, 100, 210, 900, 900), "1-0", "checkmate")
    game = Facts(record, 1.0, (20,) * 8, (), np.zeros((0, 7), np.int64))
    assert settled_at(game) == 6
    lost = Facts(Record(0, "", 1, ("a",) * 8, (0, -250, -300, -100, 30, 0, 0), "0-1", "time"), 0.0, (20,) * 8, (),
                 np.zeros((0, 7), np.int64))
    assert settled_at(lost) == 8


def test_measures_of_games_told_by_hand() -> None:
    games = [told("chess", FOOL, result="0-1", reason="checkmate", scores=(0, 300, -100, -31999)),
             told("chess", "e2e4 f7f6 d2d4 g7g5 d1h5", result="1-0", reason="checkmate", scores=(0, 0, 0, 0, 31999)),
             told("chess", "e2e4 e7e5"), told("chess", "e2e4 e7e5")]
    found = measure("chess", games)
    assert (found.games, found.different) == (4, 3)
    assert found.score.value == 0.5 and found.draws.value == 0.5 and found.wins.value == found.losses.value == 0.25
    assert found.length.value == 13 / 4 and found.lengths == (4, 5, 2, 2)
    assert found.comebacks is not None and found.comebacks.value == 0.5  # Black had been 300 behind
    assert {(reason, result): estimate.value for reason, result, estimate in found.reasons} == {
        ("checkmate", "0-1"): 0.25, ("checkmate", "1-0"): 0.25, ("move limit", "1/2-1/2"): 0.5}
    checks = next(special for special in found.specials if special.name == "check")
    assert checks.games.value == 0.5 and checks.each.value == 0.5 and checks.when == (4.25, 4.5, 4.75)
    never = next(special for special in found.specials if special.name == "castling")
    assert never.games.value == 0 < never.each.high and never.when is None
    assert found.branching_by_ply[0].value == 20 and found.branching_by_ply[0].low == 20


def test_numbers_for_people() -> None:
    assert estimate(share(8, 10), percent=True) == "80.0 % (49.0 to 94.3)"
    assert estimate(share(1, 1).map(elo_of), 0, sign=True).startswith("∞ (")
    assert estimate(Estimate(-0.2, -3.4, 0.3, 9), 0, sign=True) == "+0 (\N{MINUS SIGN}3 to +0)"


# The command

def lines_of(folder: Path) -> list[str]:
    """The records of a folder, sorted by number."""
    return sorted((folder / "games.jsonl").read_text(encoding="utf-8").splitlines()[1:],
                  key=lambda line: int(json.loads(line)["number"]))


def test_study_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Plain lines on a pipe, JSON on request, files beside the games; asked again it plays nothing and says the same."""
    folder = tmp_path / "some" / "folder"
    words = ["study", "atomic", "--games", "3", *QUICK, "-o", str(folder)]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert out.startswith("atomic: 3 games\tvalue (95 % interval)\nWhite's score\t") and "\x1b" not in out
    assert "explosion\t" in out
    games = lines_of(folder)
    plot = (folder / "study.svg").read_bytes()
    assert main([*words, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == json.loads((folder / "study.json").read_text(encoding="utf-8"))
    assert said["games"] == 3 and said["settings"]["nodes"] == 150 and said["score"]["count"] == 3
    assert lines_of(folder) == games and (folder / "study.svg").read_bytes() == plot
    assert b"NaN" not in plot and len(plot) < 90_000
    assert "| White's score | " in (folder / "study.md").read_text(encoding="utf-8")


def test_a_killed_study_goes_on(tmp_path: Path) -> None:
    """Killed between two games and in the middle of a line: the same games in the end, each once."""
    words = ["study", "chess", *QUICK, "-o", str(tmp_path), "--games"]
    command = [sys.executable, "-m", "bench", *words, "1000"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        path, deadline = tmp_path / "games.jsonl", time.monotonic() + 120
        while not path.exists() or path.read_bytes().count(b"\n") < 4:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    kept = path.read_bytes()
    path.write_bytes(kept[:-20])  # as if the kill had come while the last line was written
    games = kept.count(b"\n") + 2
    assert main([*words, str(games)]) == 0
    told = json.loads(path.read_text(encoding="utf-8").splitlines()[0])["settings"]
    whole = [json.dumps(asdict(play_game(StudyTask(Settings(**told), number, None)))) for number in range(games)]
    assert lines_of(tmp_path) == whole


def test_a_book_is_played_in_turn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = tmp_path / "two.epd"
    book.write_text("4k3/8/8/8/3Q4/8/3r4/4K3 w - -\n4k3/8/8/8/3Q4/8/3r4/4K3 b - -\n")
    words = ["study", "chess", "--games", "3", *QUICK, "--book", str(book), "-o", str(tmp_path / "s")]
    assert main(words) == 0
    assert [json.loads(line)["fen"].split()[1] for line in lines_of(tmp_path / "s")] == ["w", "b", "w"]
    book.write_text(f"# the same positions\n{book.read_text()}")
    assert main(words) == 0
    book.write_text("4k3/8/8/8/3Q4/8/3r4/4K3 b - -\n")
    capsys.readouterr()
    assert main(words) == 2
    assert re.search(r"has book_digest [0-9a-f]{16}, not [0-9a-f]{16}: give another folder", capsys.readouterr().err)


PAGE = """# Games

| game | games |
|---|---|
| [atomic](#atomic) | 0 |
| [chess](#chess) | 0 |

By hand.
<!-- chess: tables -->
old
<!-- chess: end -->
After.
"""


def test_a_page_takes_results_and_keeps_what_was_written_by_hand(tmp_path: Path) -> None:
    page = tmp_path / "study.md"
    page.write_text(PAGE, encoding="utf-8")
    found = measure("chess", [told("chess", FOOL, result="0-1", reason="checkmate"), told("chess", "e2e4 e7e5")])
    for _ in range(2):  # again changes nothing more
        update(page, found)
        text = page.read_text(encoding="utf-8")
        assert text.startswith("# Games\n") and "\nBy hand.\n" in text and text.endswith("<!-- chess: end -->\nAfter.\n")
        assert "| [atomic](#atomic) | 0 |" in text and "| [chess](#chess) | 2 | 25.0 % (" in text and "old" not in text
        assert "| checkmate | 0-1 | 50.0 % (" in text and text.count("**Special moves**") == 1
        assert (tmp_path / "study" / "chess.svg").is_file() and "](study/chess.svg)" in text
    with pytest.raises(CommandError, match="has no block <!-- atomic: tables -->"):
        update(page, measure("atomic", [told("atomic", "e2e4 e7e5")]))
    assert page.read_text(encoding="utf-8") == text


def test_the_page_has_a_place_for_every_game() -> None:
    """Each game has its row, block and picture; the block lists exactly the events that its rules allow."""
    docs = ROOT / "docs"
    text = (docs / "study.md").read_text(encoding="utf-8")
    every = {kind.name for name in variants.names() for kind in kinds(variants.find(name))}
    for name in variants.names():
        assert len(re.findall(rf"^\| \[{name}\]\(#{name}\) \| \d+ \|", text, re.MULTILINE)) == 1
        section = text.split(f"<!-- {name}: tables -->")[1].split(f"<!-- {name}: end -->")[0]
        events = set(re.findall(r"^\| ([a-z ]+) \| \d", section, re.MULTILINE)) & every
        assert events == {kind.name for kind in kinds(variants.find(name))}
        assert f"](study/{name}.svg)" in section and (docs / "study" / f"{name}.svg").stat().st_size < 90_000
        assert f"\n## {name}\n" in text


@pytest.mark.parametrize(("words", "said"), [
    (("study", "draughts"), "unknown variant 'draughts'"),
    (("study", "chess", "--games", "0"), "--games 0 is not from 1 to 10000000"),
    (("study", "chess", "--nodes", "0"), "--nodes 0 is not from 1"),
    (("study", "chess", "--movetime", "0"), "--movetime 0.0 is not from 1"),
    (("study", "chess", "--processes", "0"), "--processes 0 is not from 1"),
    (("study", "chess", "--plies", "30", "--max-plies", "20"), "--plies 30 leaves no moves to play before --max-plies 20"),
    (("study", "chess", "--book", "/no/such.epd"), "cannot read positions from '/no/such.epd'"),
    (("study", "chess", "--page", "/no/page.md"), "--page '/no/page.md' is not a file"),
    (("study", "chess", "-o", "/dev/null/x"), "cannot keep records in '/dev/null/x/games.jsonl'"),
])
def test_nonsense_gets_one_line(words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert said in captured.err and captured.err.count("\n") == 1 and not captured.out


def test_a_study_without_games_binds_no_later_one(tmp_path: Path) -> None:
    """Such as one whose cluster was not there."""
    for seed in (1, 2):
        records = Records.open(tmp_path, settings("chess", seed=seed))
        records.close()
        assert not (tmp_path / "games.jsonl").read_bytes()


def test_games_under_other_settings_are_not_mixed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["study", "chess", "--games", "1", *QUICK, "-o", str(tmp_path)]
    kept = settings("chess", nodes=150, spread=50, max_plies=60, version=engine.__version__)
    records = Records.open(tmp_path, kept)
    records.add(Record(0, chess.STARTING_FEN, 1, ("e2e4", "e7e5"), (20,), "1/2-1/2", "move limit"))
    records.close()
    path = tmp_path / "games.jsonl"
    before = path.read_bytes()
    records = Records.open(tmp_path, kept)
    assert main(words) == 2 and path.read_bytes() == before
    assert "another process is working on the study in" in capsys.readouterr().err
    records.close()
    assert main(words) == 0 and path.read_bytes() == before  # nothing was left to play
    capsys.readouterr()
    for change, said in ((["--seed", "2"], "has seed 1, not 2"), (["--nodes", "151"], "has nodes 150, not 151")):
        assert main([*words, *change]) == 2
        assert said in capsys.readouterr().err and path.read_bytes() == before
    path.write_bytes(before + b'{"number": 7}\n')
    assert main(words) == 2
    assert "line 3, is not a record of a game" in capsys.readouterr().err
    path.write_text("nonsense\n")
    assert main(words) == 2
    assert "has no games of a study" in capsys.readouterr().err and path.read_text() == "nonsense\n"
