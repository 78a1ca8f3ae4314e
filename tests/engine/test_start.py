"""What a start costs: warm, only what is needed is imported and loaded; cold, only what was asked for is compiled."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

import variants
from bench import run as run_command
from bench.__main__ import main
from bench.clients.process import EngineProcess
from engine.core.perft import perft
from engine.protocol.loading import without
from engine.rules import KEY
from engine.text import parse_fen, start_position
from support.places import ROOT
from support.talk import ENGINE, PATIENCE

# Needed by compilations, Boards, tables, tests: not by an engine whose code is kept.
IDLE = ("scipy", "yaml", "chess", "rich", "filelock", "matplotlib", "numba.cpython.charseq", "numba.typed.typedlist",
        "numba.np.linalg", "numba.np.random.generator_core")

LOADED = """
import sys
from engine.__main__ import main
import engine.protocol.session
load = engine.protocol.session.Session.load
def told(self, *args, **kwargs):
    load(self, *args, **kwargs)
    print("info string modules", *(name for name in sys.argv[1].split(",") if sys.modules.get(name)), flush=True)
    print("info string hidden", *(name for name, module in sys.modules.items() if module is None), flush=True)
engine.protocol.session.Session.load = told
main(["uci"])
"""


def test_a_warm_start_imports_nothing_for_nothing() -> None:
    for _ in range(2):  # the second time everything is compiled
        with EngineProcess([sys.executable, "-c", LOADED, ",".join(IDLE)], cwd=str(ROOT)) as talk:
            talk.send("uci", "isready")
            said = talk.until("readyok", PATIENCE)
            assert not talk.errors
    idle = [line.split()[3:] for line in said if line.startswith("info string modules")]
    assert idle and not any(idle), idle
    assert [line for line in said if line.startswith("info string hidden")] == ["info string hidden"] * len(idle)


def test_modules_are_hidden_only_meanwhile() -> None:
    with without("antigravity", "json"):
        assert json is sys.modules["json"]  # imported before: stays
        with pytest.raises(ImportError):
            importlib.import_module("antigravity")
    assert "antigravity" not in sys.modules and importlib.util.find_spec("antigravity") is not None


def test_nothing_is_compiled_before_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A GUI that greets an engine may want another game than the first: python-chess names it when a game begins."""
    cache = tmp_path / "cache"
    monkeypatch.setenv("KINGMAKER_CACHE", str(cache))
    with EngineProcess(ENGINE, cwd=str(ROOT)) as talk:
        talk.send("uci")
        talk.until("uciok", PATIENCE)
        until = time.monotonic() + PATIENCE
        while not list(cache.glob("*/.alive")) and time.monotonic() < until:  # it has come to load
            time.sleep(0.05)
        assert not talk.listen(0.5)
    assert list(cache.glob("*/.alive")) and not list(cache.rglob("*.nb?"))


def test_a_count_is_timed_without_its_surroundings() -> None:
    """No library for progress bars, no threads and no parts beyond the root moves in what is timed."""
    code = ("import sys, engine.core.perft\n"
            "from bench.__main__ import main\n"
            "count, calls = engine.core.perft.perft, []\n"
            "engine.core.perft.perft = lambda *words: calls.append(words) or count(*words)\n"
            "main(['perft', 'chess', '4', '--json'])\n"
            "print(len(calls), *(name for name in ('rich', 'rich.progress') if name in sys.modules))\n")
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    counted, parts = said.splitlines()
    assert json.loads(counted)["nodes"] == 197_281
    assert parts == "21", "one warming up, twenty root moves"


def test_a_first_run_compiles_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(run_command, "compile_parts", asked.extend)
    run_command.prepare("atomic")
    assert asked[:2] == [("atomic", "search"), ("atomic", "rules and perft")]
    assert sorted(asked[2:]) == sorted((name, "perft alone") for name in variants.names() if name != "atomic")


@pytest.mark.parametrize("name", variants.names())
def test_the_start_position_that_needs_no_compiling(name: str) -> None:
    rules = variants.find(name)
    bare, whole = start_position(rules), parse_fen(rules, rules.start_fen)
    assert bare[KEY] == 0 and [perft(rules, bare, depth) for depth in (1, 2, 3)] == [
        perft(rules, whole, depth) for depth in (1, 2, 3)]
    bare[KEY] = whole[KEY]
    assert (bare == whole).all()


def test_a_table_of_counts_compiles_one_function() -> None:
    """Of a game that is counted and not played; here loading it is counted."""
    code = ("import sys, variants\n"
            "from engine.compile import jit\n"
            "from search.warm import PARTS\n"
            "compile, asked = jit._Dispatcher.compile, []\n"
            "jit._Dispatcher.compile = lambda self, sig: (asked.append(self.py_func.__name__), compile(self, sig))[1]\n"
            "PARTS['perft alone'](variants.find('chess'))\n"
            "print(*asked)\n")
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert said.split() == ["perft_kernel"]


@pytest.mark.parametrize("words", [["perft", "chess", "1"], ["xboard", "chess", "--fen", "4k3/8/8/8/8/8/8/4K3 w", "--print"],
                                   ["solve", "4k3/8/8/8/8/8/8/4K2R w K -", "--mate", "1"]], ids=lambda words: words[0])
def test_a_cache_that_cannot_be_used_is_mentioned_once(words: list[str]) -> None:
    """Before anything is compiled: here nothing is, for the first function that would be ends the command."""
    code = ("import sys\n"
            "from bench.__main__ import main\n"
            "from engine.compile import jit\n"
            "def stop(*words): raise KeyboardInterrupt\n"
            "jit._Dispatcher.compile = stop\n"
            "sys.exit(main(sys.argv[1:]))\n")
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=ROOT, capture_output=True, text=True, check=False,
                          env={**os.environ, "KINGMAKER_CACHE": "/dev/null/cache"})
    assert done.returncode == 130
    assert done.stderr.count("no cache for compiled code") == 1 and "/dev/null/cache" in done.stderr, done.stderr


def test_warming_a_cache_that_cannot_be_used_is_refused() -> None:
    done = subprocess.run([*ENGINE, "warm"], cwd=ROOT, capture_output=True, text=True, check=False,
                          env={**os.environ, "KINGMAKER_CACHE": "/dev/null/cache"})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1 and "/dev/null/cache" in done.stderr


@pytest.mark.parametrize(("words", "said"), [
    (["run", "--movetime", "nan"], "--movetime nan is not from 0.001 to 3600"),
    (["run", "--movetime", "-1"], "--movetime -1 is not from"), (["run", "--moves", "0"], "--moves 0 is not from 1 to 10000"),
    (["speed", "--rounds", "0"], "--rounds 0 is not from 1"), (["speed", "--search-ms", "-1"], "--search-ms -1 is not"),
    (["latency", "--threads", "0"], "--threads 0 is not from 1 to 256")])
def test_numbers_that_make_no_sense(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert said in captured.err and captured.err.count("\n") == 1 and not captured.out


def test_a_first_run_never_asks_for_another_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """An `isready` before the game is named would compile chess."""
    sent: list[str] = []
    send = EngineProcess.send

    def keep(engine: EngineProcess, *lines: str) -> float:
        sent.extend(lines)
        return send(engine, *lines)

    monkeypatch.setattr(EngineProcess, "send", keep)
    run_command.play(Console(quiet=True), "atomic", 0.001, 1)
    assert 0 < sent.index("setoption name UCI_Variant value atomic") < sent.index("isready")
