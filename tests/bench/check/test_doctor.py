"""kingmaker doctor: passes this engine, and says what is wrong with engines that misbehave on purpose."""

from __future__ import annotations

import importlib
import json
import shlex
import sys
from pathlib import Path

import pytest

import variants
from bench.__main__ import main
from bench.check.doctor.steps import Patient, Steps, TroubleError, Verdict
from bench.check.doctor.uci_common import parse_info
from bench.clients.uci import read_options
from bench.clients.xboard import read_features
from search.warm import warm
from support.talk import ENGINE

Rows = dict[str, dict[str, str]]


def diagnose(capsys: pytest.CaptureFixture[str], protocol: str, *words: str, only: str = "") -> tuple[int, Rows]:
    """Exit status and the rows by step."""
    some = ["--only", only] if only else []
    status = main(["doctor", "--protocol", protocol, "--json", *some, "--timeout", "5", "--", *words])
    return status, {row["step"]: row for row in json.loads(capsys.readouterr().out)}


QUICK = {
    "uci": ("uci", "option lines", "ucinewgame", "go depth", "legal variations", "go mate", "searchmoves", "go infinite",
            "stop at once", "isready while searching", "ponder, stop", "MultiPV", "UCI_ShowWDL", "no legal move",
            "a game of 600 plies", "UCI_Chess960", "nonsense", "blanks", "illegal move in position"),
    "xboard": ("protover 2", "feature names", "engine options", "ping", "harmless commands", "usermove", "force, go",
               "playother", "sd", "undo, remove", "illegal move", "setboard", "setboard, nonsense", "dummy move"),
}


@pytest.mark.parametrize("protocol", QUICK)
def test_ourselves_in_short(protocol: str) -> None:
    steps: Steps = importlib.import_module(f"bench.check.doctor.{protocol}").STEPS
    warm(variants.find("chess"))  # the 20 seconds are for answers, not for compiling
    with Patient(shlex.join([*ENGINE, protocol]), protocol, 20.0) as patient:
        rows = [patient.take(step._replace(fresh=False)) for step in steps if step.name in QUICK[protocol]]
    assert [row.step for row in rows] == list(QUICK[protocol])
    assert not [row for row in rows if row.verdict is not Verdict.PASS]


@pytest.mark.long
@pytest.mark.parametrize("protocol", ["uci", "xboard"])
def test_ourselves(capsys: pytest.CaptureFixture[str], protocol: str) -> None:
    status, rows = diagnose(capsys, protocol, *ENGINE)
    wrong = [row for row in rows.values() if row["verdict"] not in ("pass", "skipped")]
    assert status == 0 and not wrong
    skipped = [row["step"] for row in rows.values() if row["verdict"] == "skipped"]
    assert len(rows) >= {"uci": 49, "xboard": 36}[protocol] and len(skipped) <= 1


SLOPPY = """
import sys, time
print("Sloppy 1.0", flush=True)
searching = None
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["uci"]:
        print("id name Sloppy\\nid author nobody\\noption name Hash type spin default 999 min 1 max 16\\n"
              "option name UCI_ShowWDL type check default false\\noption name Odd type knob default 3\\nuciok", flush=True)
    elif words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["go"]:
        print("info depth 6 score cp 12.5 nodes 3 nps 3 time 1 pv e2e4" if "depth" in words and "searchmoves" not in words
              else "info depth 3 score cp 1 wdl 500 500 500 nodes 90000 nps 3 time 1 pv e2e5", flush=True)
        print("bestmove e2e5" if "searchmoves" not in words else "bestmove e2e4", flush=True)
    elif words[:1] == ["quit"]:
        time.sleep(3)
        break
"""


def test_a_sloppy_engine(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Each of its sins is found at its step, and no step ends the examination."""
    script = tmp_path / "sloppy.py"
    script.write_text(SLOPPY)
    status, rows = diagnose(capsys, "uci", sys.executable, str(script))
    assert status == 1
    expected = {
        "silence at the start": ("advice", "Sloppy 1.0"), "option lines": ("FAIL", "knob"), "go depth": ("FAIL", "12.5"),
        "go nodes": ("FAIL", "90000"), "searchmoves": ("FAIL", "e2e4"), "go infinite": ("FAIL", "before stop"),
        "go infinite, mate found": ("FAIL", "before stop"), "ponder, ponderhit": ("FAIL", "before ponderhit"),
        "drawn by repetition": ("FAIL", "12.5"), "UCI_ShowWDL": ("FAIL", "12.5"),
        "currmove": ("advice", "none"), "no legal move": ("FAIL", "e2e5"), "quit": ("FAIL", "still alive"),
        "go movetime": ("FAIL", "ms"), "MultiPV": ("skipped", "no option"), "UCI_Variant": ("skipped", "no option"),
    }
    for step, (verdict, part) in expected.items():
        assert rows[step]["verdict"] == verdict and part in rows[step]["seen"], rows[step]
    assert "999" in rows["option lines"]["seen"]
    assert rows["isready"]["verdict"] == "pass" and rows["nonsense"]["verdict"] == "pass"


MUTE = "import sys\nfor line in sys.stdin: pass\n"


@pytest.mark.parametrize(("protocol", "step"), [("uci", "uci"), ("xboard", "protover 2")])
def test_an_engine_that_says_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, protocol: str, step: str,
) -> None:
    script = tmp_path / "mute.py"
    script.write_text(MUTE)
    status, rows = diagnose(capsys, protocol, sys.executable, str(script), only=step)
    assert status == 1 and rows[step]["verdict"] == "FAIL" and "within" in rows[step]["seen"]


@pytest.mark.parametrize(("arguments", "named"), [
    (["--", "/no/such/engine"], "/no/such/engine"), (["--timeout", "-1"], "-1"), (["--only", "xyzzy"], "xyzzy")])
def test_bad_usage(capsys: pytest.CaptureFixture[str], arguments: list[str], named: str) -> None:
    assert main(["doctor", *arguments]) == 2
    said = capsys.readouterr().err
    assert named in said and said.count("\n") == 1


@pytest.mark.parametrize("line", [
    "info depth x", "info depth 1 score cp", "info depth 1 score cp 0.3 pv e2e4", "info depth 1 frob 3", "info nodes 1e6",
    "info score 12"])
def test_info_lines_that_are_wrong(line: str) -> None:
    with pytest.raises(TroubleError):
        parse_info(line)


def test_lines_that_are_right() -> None:
    info = parse_info("info depth 4 seldepth 6 multipv 1 score mate -3 upperbound wdl 0 0 1000 nodes 7 nps 3 hashfull 2 "
                      "tbhits 0 time 1 pv e2e4 e7e5")
    assert info["score"] == ("mate", -3) and info["bound"] == "upperbound" and info["wdl"] == [0, 0, 1000]
    assert info["pv"] == ["e2e4", "e7e5"] and info["hashfull"] == 2
    found = read_options([
        "option name Book File type string default <empty>", "option name Mode type combo default a var a var b c",
        "option name Clear type button", "option name N type spin default -2 min -9 max 9"])
    assert not any(option.wrong for option in found.values()) and found["mode"].var == ("a", "b c")
    assert read_features('feature ping=1 myname="A B" option="Depth -spin 3 1 9" done=0') == {
        "ping": "1", "myname": "A B", "option Depth -spin 3 1 9": "Depth -spin 3 1 9", "done": "0"}
