"""Opening books, studies and fits of further games and of games from a file: they work, or one line says why not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.places import ROOT

# The first has the rules of chess, so that nothing is compiled for it; the second a hopper, a goal and hands.
DEFINED = """
[other-array:chess]
startFen = rbnqknbr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKNBR w KQkq - 0 1

[cannon-house:losalamos]
customPiece1 = c:mRcpR
startFen = rnqkcr/pppppp/6/6/PPPPPP/RNQKCR w - - 0 1
pieceDrops = true
capturesToHand = true
flagPiece = k
flagRegionWhite = c6
flagRegionBlack = c1
"""
GAMES = [pytest.param(name, marks=() if name == "other-array" else [pytest.mark.long, pytest.mark.timeout(1800)])
         for name in ("other-array", "cannon-house", "crazyhouse", "antichess", "ataturk-ff-cc")]
SELFPLAY = ("--games", "20", "--nodes", "60", "--concurrency", "1")


def kingmaker(folder: Path, *words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    """A command, with the games of the file."""
    file = folder / "own.ini"
    file.write_text(DEFINED)
    done = subprocess.run([sys.executable, "-m", "engine", "--variants", str(file), *words], cwd=folder, text=True,
                          capture_output=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == status, f"{words}: {done.stdout[-1500:]}\n{done.stderr[-1500:]}"
    return done


@pytest.mark.parametrize("name", GAMES)
def test_openings(name: str, tmp_path: Path) -> None:
    kingmaker(tmp_path, "openings", name, "--count", "2", "--nodes", "1000", "--plies", "4", "--window", "200", "--processes",
              "1", "-o", "book.epd")
    lines = (tmp_path / "book.epd").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2 and all(name in line for line in lines)
    kingmaker(tmp_path, "study", name, "--games", "2", "--nodes", "60", "--max-plies", "20", "--processes", "1", "--book",
              "book.epd", "-o", "study")


@pytest.mark.parametrize("name", GAMES)
def test_study(name: str, tmp_path: Path) -> None:
    told = kingmaker(tmp_path, "study", name, "--games", "3", "--nodes", "60", "--plies", "4", "--max-plies", "60",
                     "--processes", "1", "-o", "study", "--json")
    assert json.loads(told.stdout)["settings"]["variant"] == name
    games = [json.loads(line) for line in (tmp_path / "study" / "games.jsonl").read_text().splitlines() if "moves" in line]
    assert len(games) == 3


@pytest.mark.parametrize("name", GAMES)
def test_tune(name: str, tmp_path: Path) -> None:
    kingmaker(tmp_path, "selfplay", name, *SELFPLAY, "-o", "selfplay")
    kingmaker(tmp_path, "tune", "selfplay", "--ends", "30", "--iterations", "1", "--concurrency", "1", "-o", "tuned.json")
    tuned = json.loads((tmp_path / "tuned.json").read_text())
    assert tuned["positions"] > 100 and tuned["games"] == [{"nodes": 60, "seed": 1}] and "P" in tuned["values"]
    kingmaker(tmp_path, "wdl", "selfplay")


def test_why_a_game_of_the_file_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "bad.ini").write_text("[mine:chess]\npromotionPieceTypes = xq\n")
    done = kingmaker(tmp_path, "--variants", "bad.ini", "perft", "mine", "2", status=2)
    lines = done.stderr.splitlines()
    assert lines[0].endswith("bad.ini: mine: line 2: promotionPieceTypes = xq: no piece 'x'")
    assert lines[1].startswith("kingmaker perft: unknown variant 'mine'") and len(lines) == 2


@pytest.mark.parametrize(("words", "said"), [
    (("tune", "nowhere"), "nowhere"),
    (("openings", "cannon-hose"), "unknown variant 'cannon-hose'"),
    (("study", "armies-xx-yy"), "unknown variant 'armies-xx-yy'"),
    (("table", "cannon-house", "KQvK"), "pieces in hand"),
    (("endings", "antichess", "KQvK"), "antichess is played without kings"),
    (("suite", "cannon-house"), "cannon-house has no suite: make one with `kingmaker puzzles`"),
    (("suite", "--file", "some.epd"), "name it, and no other"),
])
def test_what_does_not_work_is_refused_in_one_line(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = kingmaker(tmp_path, *words, status=2)
    assert said in done.stderr and "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()[-1]) < 2000

