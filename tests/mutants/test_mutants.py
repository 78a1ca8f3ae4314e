"""The list of faults for `make mutants` keeps up with the code, and its runner tells killed from survived."""

from __future__ import annotations

import ast
import shlex
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from mutants import Mutant, MutantError, read_list
from mutants.runner import ROOT, Runner

MUTANTS = read_list()
MECHANISMS = {"titles and marks", "drives", "blasts", "succession and choice", "castling rights and ways", "en passant", "pins",
              "series and forbidden mates", "bare kings", "keys", "clocks", "check limit", "repetition", "promotion zones"}


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_every_mutation_still_applies(mutant: Mutant) -> None:
    """Its text is there once, what comes out compiles and says something else, and the tests it names are there."""
    changed, before = mutant.source(ROOT), (ROOT / mutant.file).read_text(encoding="utf-8")
    compile(changed, mutant.file, "exec")
    assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(before))
    files = [word for word in shlex.split(mutant.tests) if word.startswith("tests/")]
    assert files and all((ROOT / name.partition("::")[0]).is_file() for name in files)
    assert mutant.why


COLLECT = """
import contextlib, io, shlex, sys
import pytest
for words in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()):
        status = pytest.main([*shlex.split(words), "--collect-only", "-p", "no:cacheprovider"])
    if status:
        print(words, int(status))
"""


def test_the_tests_of_every_mutant_are_in_make_test() -> None:
    """A name may be misspelt, or a test have become a long one: then nothing would be run."""
    named = sorted({mutant.tests for mutant in MUTANTS})
    said = subprocess.run([sys.executable, "-c", COLLECT, *named, "tests/mutants -k absent"], cwd=ROOT, capture_output=True,
                          text=True, check=True)
    assert said.stdout.splitlines() == ["tests/mutants -k absent 5"]


def test_all_mechanisms_are_there() -> None:
    counts = Counter(mutant.mechanism for mutant in MUTANTS)
    assert set(counts) == MECHANISMS and counts.total() >= 40 and min(counts.values()) >= 2


TOY = Mutant(id="toy", mechanism="", games=(), file="engine/toy.py", old="a + b", new="a - b", why="",
             tests="tests/test_toy.py")
TOY_SOURCE = """
def add(a, b):
    return a + b

def double(a):
    return a * 2

def zero():
    return 0
"""
TOY_TESTS = """
import pytest, toy

def test_double():
    assert toy.add(2, 2) == 4 == toy.double(2)

@pytest.mark.long
def test_nothing():
    assert toy.add(1, 0) == 1 and toy.zero() == 0
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with a module, its tests, and the plugin that watches them."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # pytest starts three times as fast
    root = tmp_path / "root"
    for name, text in {
        ".gitignore": "__pycache__/\n/build/\n",
        "engine/toy.py": TOY_SOURCE,
        "tests/test_toy.py": TOY_TESTS,
        "tests/mutants/watch.py": (ROOT / "tests/mutants/watch.py").read_text(encoding="utf-8"),
        "pytest.ini": "[pytest]\npythonpath = engine\naddopts = -m 'not long'\nmarkers = long\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(("old", "new", "killer", "stage"), [
    ("a + b", "a - b", "test_double", "first"),
    ("return 0", "return 1", "test_nothing", "long"),
    ("a * 2", "a + a", None, None),
])
def test_killed_by_whom_or_survived(toy: Path, old: str, new: str, killer: str | None, stage: str | None) -> None:
    runner = Runner(toy, toy / "build", say=pytest.fail)
    mutant = replace(TOY, old=old, new=new)
    result = runner.judge(mutant, "long")
    assert (result.killer, result.stage) == (f"tests/test_toy.py::{killer}" if killer else None, stage)
    assert old in (toy / "engine/toy.py").read_text(encoding="utf-8"), "the tree itself is never changed"
    assert runner.known(mutant, "long") == result == Runner(toy, toy / "build").known(mutant, "first")
    assert runner.known(replace(mutant, new="0"), "long") is None
    (toy / "tests/test_more.py").write_text("def test_more():\n    pass\n", encoding="utf-8")
    assert (runner.known(mutant, "long") is None) == (killer is None), "another test may kill what survived"
    (toy / "engine/toy.py").write_text("a + b, a * 2\n", encoding="utf-8")
    assert runner.known(mutant, "long") is None, "what was tested is no more"


def test_a_test_that_fails_anyway_kills_nobody(toy: Path) -> None:
    (toy / "tests/test_sick.py").write_text("def test_sick():\n    assert False\n", encoding="utf-8")
    said: list[str] = []
    result = Runner(toy, toy / "build", say=said.append).judge(replace(TOY, tests="tests/test_sick.py"), "first")
    assert result.killer is None and result.upto == "first"
    assert said == ["toy: tests/test_sick.py::test_sick fails without the mutant too, passed over"]


@pytest.mark.parametrize(("text", "times"), [("a ^ b", 0), ("def ", 3)])
def test_a_text_that_is_not_there_once_is_refused(toy: Path, text: str, times: int) -> None:
    with pytest.raises(MutantError) as caught:
        Runner(toy, toy / "build").judge(replace(TOY, old=text), "first")
    assert str(caught.value) == f"toy: engine/toy.py has the text to replace {times} times: '{text.strip()}'"
    assert not (toy / "build").exists()


@pytest.mark.parametrize(("text", "complaint"), [
    ("[[mutant]\n", "list.toml: "), ("[[mutant]]\nid = 'a'\n", "mutant a: missing .*'mechanism'"),
])
def test_a_bad_list_is_refused_in_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "list.toml").write_text(text, encoding="utf-8")
    with pytest.raises(MutantError, match=complaint) as caught:
        read_list(tmp_path / "list.toml")
    assert "\n" not in str(caught.value)
