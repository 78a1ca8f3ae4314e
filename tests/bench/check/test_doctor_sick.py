"""kingmaker doctor on engines that die, hang, flood and lie: each gets a complete report."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import shlex
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_doctor import Rows

from bench.__main__ import main
from bench.check.doctor import uci, xboard, xboard_common
from bench.check.doctor.steps import Patient, SkipError, TroubleError
from bench.check.doctor.uci_common import parse_info
from bench.clients import process
from bench.clients.uci import KINDS, read_options
from bench.clients.xboard import read_features
from support.places import BAD

# What an engine can do instead of saying a line.
DEEDS = {"!kill": "kill -SEGV $$", "!hang": "sleep 1000", "!close": "exec >&-", **{f"!exit{n}": f"exit {n}" for n in (0, 3)}}
ID = ["id name Sick", "id author nobody"]
UCI = {"uci": [*ID, "option name Hash type spin default 1 min 1 max 64", "uciok"], "isready": ["readyok"],
       "go": ["info depth 6 score cp 1 nodes 1 nps 1 time 1 pv e2e4", "bestmove e2e4"]}
XBOARD = {"protover": ["feature ping=1 setboard=1 usermove=1 sigint=0 colors=0 done=1"], "ping": ["pong 1"]}


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Features are not waited for as long as XBoard does."""
    monkeypatch.setattr(xboard, "FEATURES", 1.0)
    monkeypatch.setattr(xboard_common, "FEATURES", 1.0)


def sick(tmp_path: Path, table: dict[str, list[str]]) -> list[str]:
    """The command of an engine that answers the first word of a line by a table; in sh, which starts at once."""
    cases = [f"{word}) " + "; ".join(DEEDS.get(line) or f"printf '%s\\n' {shlex.quote(line)}" for line in lines) + ";;"
             for word, lines in table.items() if lines]
    script = tmp_path / "sick.sh"
    script.write_text("\n".join(['while read -r word rest; do case "$word" in', *cases, "quit) exit 0;;", "esac; done", ""]))
    return ["sh", str(script)]


def report(capsys: pytest.CaptureFixture[str], protocol: str, *words: str, only: str = "", timeout: str = "10") -> Rows:
    """The report, which has every step and was given by steps that knew what they saw."""
    some = ["--only", only] if only else []
    status = main(["doctor", "--protocol", protocol, "--json", *some, "--timeout", timeout, "--", *words])
    said = capsys.readouterr()
    rows: Rows = {row["step"]: row for row in json.loads(said.out)}
    assert status == int(any(row["verdict"] == "FAIL" for row in rows.values())) and not said.err
    steps = importlib.import_module(f"bench.check.doctor.{protocol}").STEPS
    assert only or list(rows) == [step.name for step in steps]
    assert not [row for row in rows.values() if "not understood" in row["seen"]]
    return rows


@pytest.mark.parametrize(("words", "seen"), [
    (["true"], "it ended with status 0"), (["false"], "it ended with status 1"), (["cat"], "it said 'uci'"),
    (["sh", "-c", "kill -SEGV $$"], "it died of SIGSEGV"), (["sh", "-c", "exec >&-; sleep 100"], "it closed its output"),
    (["yes"], "it floods its output: more than"), (["cat", "/dev/zero"], "it floods its output: a line of"),
    (["sh", "-c", "yes >&2 & sleep 100"], "no uciok within"),
])
def test_no_engine_at_all(capsys: pytest.CaptureFixture[str], words: list[str], seen: str,
                          monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is not an engine gets the report of the first step; the others are not tried one by one."""
    monkeypatch.setattr(process, "MAX_LINES", 2_000)
    began = time.perf_counter()
    rows = report(capsys, "uci", *words, timeout="20" if "floods" in seen else "1")  # a busy machine takes its time to flood
    assert rows["uci"]["verdict"] == "FAIL" and seen in rows["uci"]["seen"]
    assert time.perf_counter() - began < 30


def test_an_engine_that_closes_its_input() -> None:
    with process.EngineProcess(["sh", "-c", "exec <&-; echo closed; sleep 100"]) as talk:
        talk.until("closed", 20)
        with pytest.raises(process.EngineGoneError, match="it does not read its input"):
            talk.send("uci")


def test_garbage_for_a_name() -> None:
    words = ["sh", "-c", "printf 'id name \\377\\033[31m[/red]\\nid author x\\n\\n\\001\\nuciok\\n'; sleep 100"]
    with Patient(shlex.join(words), "uci", 10) as patient:
        (row,) = [patient.take(step) for step in uci.STEPS if step.name == "uci"]
    assert row.seen.startswith("\ufffd\\x1b[31m[/red], 0 options") and patient.name == "\ufffd\\x1b[31m[/red]"


@pytest.mark.parametrize("words", [["true"], ["false"], ["yes"], ["sh", "-c", "exec >&-; sleep 100"]])
def test_no_xboard_engine_at_all(capsys: pytest.CaptureFixture[str], impatient: None, words: list[str],
                                 monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MAX_LINES", 2_000)
    rows = report(capsys, "xboard", *words, timeout="1")
    assert rows["protover 2"]["verdict"] == "FAIL" and rows["usermove"]["verdict"] in ("FAIL", "skipped")


def test_an_echo_over_xboard(capsys: pytest.CaptureFixture[str], impatient: None) -> None:
    rows = report(capsys, "xboard", "cat", only="usermove", timeout="0.1")
    assert rows["protover 2"]["seen"] == "no feature line within 1 s" and "it said 'e2e4'" in rows["usermove"]["seen"]
    rows = report(capsys, "xboard", "cat", only="feature", timeout="0.1")
    assert rows["feature names"]["verdict"] == "FAIL" and rows["useful features"]["verdict"] == "advice"


@pytest.mark.parametrize(("greeting", "step", "verdict", "seen"), [
    (["id name Sick", "uciok"], "uci", "FAIL", "no `id author`"),
    (["id author nobody", "uciok"], "uci", "FAIL", "0 lines `id name`"),
    (["id name", "uciok"], "uci", "FAIL", "0 lines `id name`, no `id author`"),
    ([*ID, "option name Hash type spin default 1", "uciok"], "option lines", "FAIL", "Hash lacks a whole min"),
    ([*ID, "option name Hash type spin default 1", "uciok"], "Hash, Threads", "skipped", "neither"),
    ([*ID, "option name Threads type string default 1", "uciok"], "Hash, Threads", "skipped", "neither"),
    ([*ID, f"option name Hash type spin default 1 min 1 max {'9' * 5000}", "uciok"], "option lines", "FAIL", "lacks a whole"),
    ([*ID, "option name Skill Level type spin", "uciok"], "Skill Level", "skipped", "Skill Level has no default"),
    ([*ID, "option name UCI_Variant type combo", "uciok"], "UCI_Variant", "skipped", "UCI_Variant has no default"),
    ([*ID, "option", "option name", "option name Hash", "uciok"], "Hash, Threads", "skipped", "neither"),
])
def test_a_greeting_with_faults(capsys: pytest.CaptureFixture[str], tmp_path: Path, greeting: list[str], step: str,
                                verdict: str, seen: str) -> None:
    """The fault is reported at its step, and the other steps follow."""
    command = sick(tmp_path, {**UCI, "uci": greeting})
    rows = report(capsys, "uci", *command, only=step)
    assert rows[step]["verdict"] == verdict and seen in rows[step]["seen"]
    assert report(capsys, "uci", *command, only="go mate")["go mate"]["seen"] == "bestmove e2e4"


@pytest.mark.parametrize(("go", "step", "seen"), [
    (["bestmove e2e4"], "info fields", "no info line with a pv"),
    (["info depth 6 pv", "bestmove e2e4"], "go depth", "pv without a move"),
    (["info score cp 1 pv e2e4", "bestmove e2e4"], "go depth", "without depth"),
    (["info currmove", "bestmove e2e4"], "go depth", "currmove without a move"),
    (["info depth 6 score cp 1 wdl ² 1 2 pv e2e4", "bestmove e2e4"], "go depth", "wdl"),
    ([f"info depth {'9' * 5000} pv e2e4", "bestmove e2e4"], "go depth", "not an integer"),
    (["bestmove"], "go movetime", "'bestmove'"),
    (["bestmove  "], "blanks", "is illegal"),
    (["bestmove \x01\x02 ponder"], "go nodes", "bestmove"),
    (["!exit3"], "go depth", "status 3"),
    (["!kill"], "go depth", "SIGSEGV"),
    (["!close"], "go depth", "closed its output"),
    (["info depth 6 score cp 1 nodes 1 nps 1 time 1 pv e2e4", "bestmove e2e4", "!exit0"], "go depth", "after that it ended"),
    (["info depth 6 score cp 1 nodes 1 nps 1 time 1 pv e2e4", "bestmove e2e4", "!kill"], "go depth", "after that it died of"),
])
def test_a_search_with_faults(capsys: pytest.CaptureFixture[str], tmp_path: Path, go: list[str], step: str, seen: str) -> None:
    row = report(capsys, "uci", *sick(tmp_path, {**UCI, "go": go}), only=step)[step]
    assert row["verdict"] in ("FAIL", "advice") and seen in row["seen"]


def test_an_engine_that_never_answers_a_search_is_not_waited_for_each_time(tmp_path: Path) -> None:
    names = ("uci", "go depth", "go movetime", "go nodes", "go mate", "searchmoves")
    with Patient(shlex.join(sick(tmp_path, {**UCI, "go": []})), "uci", 1.0) as patient:
        rows = [patient.take(step).seen for step in uci.STEPS if step.name in names]
    assert rows[1].startswith("no bestmove within 2 s") and rows[3].startswith("no bestmove within 0.5 s")
    assert rows[4:] == 2 * ["not tried: 3 searches got no bestmove"]


@pytest.mark.parametrize(("protover", "step", "verdict", "seen"), [
    ([], "protover 2", "FAIL", "no feature line"),
    (["feature"], "protover 2", "FAIL", "no feature line"),
    (["feature ping=1 'done=1"], "protover 2", "FAIL", "quotes do not match"),
    (["feature ping done=1", "feature done=1"], "protover 2", "FAIL", "'ping' is not NAME=VALUE"),
    (["feature done=0"], "protover 2", "pass", "1 features"),
    (["feature setboard=1 done=1"], "ping", "skipped", "ping"),
    (["feature variants= done=1"], "variants", "FAIL", "no `normal`"),
    (['feature myname="[/red]\x1b[31m" done=1'], "protover 2", "pass", r"[/red]\x1b[31m"),
])
def test_features_with_faults(capsys: pytest.CaptureFixture[str], tmp_path: Path, impatient: None, protover: list[str],
                              step: str, verdict: str, seen: str) -> None:
    row = report(capsys, "xboard", *sick(tmp_path, {**XBOARD, "protover": protover}), only=step, timeout="0.3")[step]
    assert row["verdict"] == verdict and seen in row["seen"]


def test_an_illegal_move_is_no_crash(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The step plays on after the engine's first move, which is illegal."""
    table = {"protover": ["feature usermove=1 done=1"], "usermove": ["move e7e4"]}
    row = report(capsys, "xboard", *sick(tmp_path, table), only="hard, easy")["hard, easy"]
    assert row["verdict"] == "FAIL" and "e7e4 is illegal" in row["seen"]


def test_a_program_that_vanishes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The first process deletes the program: the steps that need another say so."""
    script = tmp_path / "engine"
    script.write_text("#!/bin/sh\nrm -f \"$0\"\n")
    script.chmod(0o755)
    rows = report(capsys, "uci", str(script))
    assert "no such program" in rows["uci"]["seen"] and rows["uci"]["verdict"] == "FAIL"


def test_no_program_to_begin_with(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    script = tmp_path / "engine"
    script.write_text("neither script nor program")
    script.chmod(0o755)
    assert main(["doctor", "--", str(script)]) == 2
    said = capsys.readouterr()
    assert str(script) in said.err and said.err.count("\n") == 1 and not said.out


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="no process groups here")
def test_what_the_engine_started_is_ended_too(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    report(capsys, "uci", "sh", "-c", f"sleep 300 & echo $! > {pid}; wait", only="ucinewgame", timeout="1")
    child = int(pid.read_text())
    with pytest.raises(ProcessLookupError):
        for _ in range(50):
            os.kill(child, 0)
            if Path(f"/proc/{child}/stat").exists() and ") Z " in Path(f"/proc/{child}/stat").read_text():
                raise ProcessLookupError  # dead, and not a child of this process
            time.sleep(0.02)


def test_a_terminal_shows_what_looks_like_markup(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from bench.check.doctor import show
    from bench.check.doctor.steps import Row, Verdict

    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    show("[/red] Sick", [Row("[b]step", "expected[/]", r"\[/bold]", Verdict.FAIL)])
    said = capsys.readouterr().out
    assert "[/red] Sick" in said and "[b]step" in said and "expected[/]" in said and r"\[/bold]" in said


WORDS = st.lists(st.sampled_from([
    "info", "depth", "score", "cp", "mate", "pv", "wdl", "currmove", "string", "nodes", "lowerbound", "refutation", "1", "-3",
    "", "²", "9" * 30, "e2e4", "option", "name", "type", "spin", "combo", "default", "min", "max", "var", "feature", "a=1", "=",
    'option="x -spin"', '"', "done=1"]) | st.text(max_size=5), max_size=12).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(WORDS)
def test_no_line_is_too_odd_to_be_read(words: str) -> None:
    """Whatever is wrong with a line is reported as TroubleError, or as the `wrong` of an option."""
    with contextlib.suppress(TroubleError, SkipError):
        parse_info(f"info {words}")
    with contextlib.suppress(ValueError):
        read_features(f"info {words}")
    options = read_options([f"option name {words}", f"option {words}"]).values()
    assert all(option.wrong or option.kind in KINDS for option in options)


MODES = ("exit", "segfault", "hang", "illegal", "none", "nonsense", "binary", "flood", "babble", "dreams", "mute", "leaves",
         "garbage", "unready", "endless", "sticky", "resigns", "error", "exit-at-start", "hang-at-start", "stop")


@pytest.mark.long
@pytest.mark.parametrize("protocol", ["uci", "xboard"])
@pytest.mark.parametrize("mode", MODES)
def test_every_kind_of_bad_engine(capsys: pytest.CaptureFixture[str], mode: str, protocol: str) -> None:
    """All steps, in bounded time; from its second move on it is as bad as it can be."""
    began = time.perf_counter()
    rows = report(capsys, protocol, sys.executable, BAD, mode, timeout="1")
    assert any(row["verdict"] == "FAIL" for row in rows.values())
    assert time.perf_counter() - began < 150


