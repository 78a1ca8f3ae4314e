"""A plain `pip install kingmaker`: commands that need no extra work; the others name the extra before any work begins.

In a virtual environment that holds the required packages and nothing else, not even what those of the extras bring along.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from bench import COMMANDS
from bench.extras import EXTRAS
from support.commands import Done, run_in_turn
from support.places import BAD, ROOT, TESTS

CLUSTER = ["--cluster", "tcp://127.0.0.1:9"]
ENGINE = ["-engine", f"cmd={sys.executable}", f"args={BAD} good"]

# What each command is asked, and the libraries it lacks; {} is an empty folder.
LACKS: dict[str, tuple[list[str], str]] = {
    "report": (["{}/r.sqlite", "-o", "{}/report"], "scipy and matplotlib and jinja2"),
    "study": (["chess", "--games", "1", "-o", "{}/study"], "scipy and matplotlib"),
    "tune": (["{}"], "scipy"),
    "wdl": (["{}"], "scipy"),
    "judge": (["chess", "-o", "{}/judge"], "scipy"),
    "train": (["chess", "{}"], "matplotlib"),
    "levels": (["--anchor", "{}/none"], "scipy"),
    "verify": (["{}/none.pgn", "--pyffish"], "pyffish"),
    "match": ([*ENGINE, *ENGINE, "-each", "tc=9", "-results", "{}/r.sqlite", *CLUSTER], "distributed"),
    "perft": (["chess", "2", *CLUSTER], "distributed"),
    "selfplay": (["chess", "-o", "{}/games", *CLUSTER], "distributed"),
    "walk": (["{}", "-o", "{}/walks", *CLUSTER], "distributed"),
    "spsa": (["chess", "-o", "{}/spsa.json", *CLUSTER], "distributed"),
    "openings": (["chess", *CLUSTER], "distributed"),
}
WORKS: dict[str, list[str]] = {
    "perft": ["chess", "2"],
    "sprt": ["--pairs", "1", "2", "3", "4", "5"],
    "warm": ["chess"],
    "net": ["chess"],
    "solve": ["7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "--mate", "1"],
    "check-variant": [str(TESTS / "support" / "small.ini"), "--games", "0"],
    "table": ["chess", "KvK", "--folder", "{}"],
    "xboard": ["chess", "--print"],
    "gui-config": ["xboard"],
    "pictures": ["-o", "{}"],
    "signature": ["--variant", "chess", "--depth", "3"],
    "doctor": ["--only", "silence at the start", "--", sys.executable, BAD, "good"],
}
SLOW: dict[str, list[str]] = {
    "openings": ["chess", "--count", "1", "--plies", "2", "--nodes", "2000", "--processes", "1"],
    "selfplay": ["chess", "--games", "1", "--nodes", "50", "--concurrency", "1", "-o", "{}/games"],
    "spsa": ["chess", "--pairs", "1", "--nodes", "100", "--concurrency", "1", "-o", "{}/spsa.json"],
    "endings": ["chess", "KvK", "--play", "0", "-o", "{}/chess.json"],
    "suite": ["shatar", "--movetime", "1"],
    "fuzz": ["--lines", "200", "--variant", "chess"],
    "latency": ["--tries", "2", "--starts", "1"],
    "speed": ["--rounds", "1", "--search-ms", "10"],
    "run": ["--moves", "1", "--movetime", "0.01", "--pgn", "{}/run.pgn"],
    "puzzles": ["chess", "{}/games.jsonl", "--count", "1"],
}


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The interpreter of an environment with the required packages alone."""
    folder = tmp_path_factory.mktemp("plain")
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    names, seen = ["kingmaker"], set[str]()
    while names:
        found = distribution(names.pop())
        for text in found.requires or []:
            wanted = Requirement(text)
            if wanted.name not in seen and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
                seen.add(wanted.name)
                names.append(wanted.name)
        if found.name != "kingmaker":
            for top in {file.parts[0] for file in found.files or [] if file.parts[0] != ".."}:
                (site / top).symlink_to(str(found.locate_file(top)))
    return str(folder / "bin" / "python")


def run(python: str, words: list[str], folder: Path, patience: float = 120) -> subprocess.CompletedProcess[str]:
    """`kingmaker WORDS` there."""
    return subprocess.run([python, "-m", "engine", *(word.replace("{}", str(folder)) for word in words)], cwd=ROOT,
                          capture_output=True, text=True, timeout=patience, check=False, env=dict(os.environ))


def in_turn(python: str, rows: dict[str, list[str]], folder: Path) -> dict[str, Done]:
    """All of these commands there."""
    return run_in_turn({name: [word.replace("{}", str(folder)) for word in words] for name, words in rows.items()}, python)


def test_every_command_is_looked_at() -> None:
    assert set(COMMANDS) == {*LACKS, *WORKS, *SLOW}


def test_the_environment_is_plain(python: str) -> None:
    code = f"from importlib.util import find_spec; print([name for name in {[*EXTRAS, 'numba']} if find_spec(name)])"
    assert subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout == "['numba']\n"


def test_what_needs_an_extra_says_so_before_any_work(python: str, tmp_path: Path) -> None:
    seen = in_turn(python, {name: words for name, (words, _) in LACKS.items()}, tmp_path)
    for name, (_, libraries) in LACKS.items():
        verb = "are" if " and " in libraries else "is"
        extra = EXTRAS[libraries.split()[0]]
        said = f"kingmaker {name}: {libraries} {verb} not installed: pip install '.[{extra}]' in the source tree\n"
        assert seen[name] == (2, "", said)
    assert not list(tmp_path.iterdir())


def test_what_needs_no_extra_works(python: str, tmp_path: Path) -> None:
    for name, (status, out, err) in in_turn(python, WORKS, tmp_path).items():
        assert status == 0 and (out or list(tmp_path.iterdir())), (name, err)


@pytest.mark.long
@pytest.mark.parametrize("name", SLOW)
def test_what_takes_longer_works_too(python: str, name: str, tmp_path: Path) -> None:
    done = run(python, [name, *SLOW[name]], tmp_path, 300)
    if name == "puzzles":  # its games come from `study`, which needs the extra
        assert done.returncode == 2 and "cannot read games from" in done.stderr
    else:
        assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr and "not installed" not in done.stderr


@pytest.mark.parametrize("names", ["ab", "abc"])
def test_a_match_with_ratings_and_a_test(python: str, names: str, tmp_path: Path) -> None:
    """Two engines under -sprt and three with ratings, to the end; and what was played is verified."""
    engines = [word for name in names for word in (*ENGINE, f"name={name}")]
    words = ["match", *engines, "-each", "tc=60", "-maxmoves", "2", "-results", "{}/r.sqlite", "-pgnout", "{}/r.pgn"]
    done = run(python, [*words, "-games", "4", *(["-sprt", "elo0=0", "elo1=5"] if names == "ab" else [])], tmp_path)
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert ("SPRT: not decided" if names == "ab" else "White's advantage: Elo ") in done.stdout
    done = run(python, ["verify", "{}/r.pgn"], tmp_path)
    assert done.returncode == 0 and "all agree" in done.stdout, done.stdout + done.stderr
