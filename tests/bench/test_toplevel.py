"""How a command ends: a full disk, a closed pipe, an encoding that lacks a character, no memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.toplevel import guarded
from support.places import ROOT
from support.talk import ENGINE

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")


def run(*words: str, stdout: Any = subprocess.PIPE, stderr: Any = subprocess.PIPE, **environment: str) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of `kingmaker WORDS`."""
    done = subprocess.run([*ENGINE, *words], cwd=ROOT, stdout=stdout, stderr=stderr, check=False, timeout=120,
                          env={**os.environ, "PYTHONUNBUFFERED": "", **environment})
    return done.returncode, (done.stdout or b"").decode("ascii"), (done.stderr or b"").decode("ascii")


@needs_full
@pytest.mark.parametrize("words", [("--help",), ("--version",), ("perft", "--help"), ("perft", "chess", "3"),
                                   ("sprt", "--wdl", "1", "2", "3")], ids=" ".join)
def test_a_full_disk_is_one_line_and_a_failure(words: tuple[str, ...]) -> None:
    name = "kingmaker" if words[0].startswith("-") else f"kingmaker {words[0]}"
    with FULL.open("w") as full:
        assert run(*words, stdout=full) == (1, "", f"{name}: cannot write to standard output: No space left on device\n")


@needs_full
def test_unbuffered_output_on_a_full_disk() -> None:
    with FULL.open("w") as full:
        said = run("--version", stdout=full, PYTHONUNBUFFERED="1")
    assert said == (1, "", "kingmaker: cannot write: No space left on device\n")


@needs_full
def test_a_full_disk_under_the_messages_hides_no_status() -> None:
    with FULL.open("w") as full:
        assert run("perft", "chses", "3", stderr=full)[0] == 2
        assert run("perft", stderr=full)[0] == 2
        assert run("sprt", "--wdl", "1", "2", "3", stdout=full, stderr=full)[0] == 1


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [("--help",), ("perft", "chess", "2")], ids=" ".join)
def test_a_reader_that_has_seen_enough_hears_no_complaint(words: tuple[str, ...], unbuffered: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert run(*words, stdout=writer, PYTHONUNBUFFERED=unbuffered) == (1, "", "")
    finally:
        os.close(writer)


@pytest.mark.parametrize("environment", [
    {"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}])
def test_an_encoding_of_ascii_alone(environment: dict[str, str]) -> None:
    status, said, complaint = run("sprt", "--pairs", "1", "2", "3", "4", "5", **environment)
    assert (status, complaint) == (0, "") and "nElo +131.3 +- 124.3" in said
    status, said, complaint = run("sprt", "--wdl", "3", "0", "0", **environment)
    assert (status, complaint) == (0, "") and "Elo +inf +- inf" in said


def test_other_characters_become_letters_or_escapes() -> None:
    code = "from bench.toplevel import open_streams; open_streams(); print('Atat\\u00fcrk \\u265a \\udcff \\u00d7')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True,
                          env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.stdout == b"Ataturk \\u265a \\udcff x\n"


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_closed_stream_is_the_null_device(closed: int) -> None:
    """And no file that is opened later takes its number."""
    code = ("import os, sys; from bench.toplevel import open_streams; open_streams();"
            "print('out'); print('err', file=sys.stderr); sys.stdin.read(); sys.exit(os.open(os.devnull, os.O_RDONLY))")
    shell = f"exec \"$0\" -c \"$1\" {closed}>&-"
    done = subprocess.run(["sh", "-c", shell, sys.executable, code], cwd=ROOT,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode >= 3
    assert (done.stdout, done.stderr) == ("" if closed == 1 else "out\n", "" if closed == 2 else "err\n")


def test_what_the_system_refuses_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_much() -> int:
        raise MemoryError("Unable to allocate 1 TiB")

    def missing() -> int:
        return len((tmp_path / "none").read_text())

    def broken() -> int:  # not our reader: another process we talk to
        raise BrokenPipeError(32, "Broken pipe")

    def interrupted() -> int:
        raise KeyboardInterrupt

    seen = [(guarded("kingmaker x", work), capsys.readouterr().err) for work in (too_much, missing, interrupted, lambda: 7)]
    assert seen == [(1, "kingmaker x: not enough memory: Unable to allocate 1 TiB\n"),
                    (1, f"kingmaker x: {tmp_path / 'none'}: No such file or directory\n"), (130, ""), (7, "")]
    with (tmp_path / "out").open("w") as file:
        monkeypatch.setattr(sys, "stdout", file)
        assert guarded("kingmaker x", broken) == 1
    assert capsys.readouterr().err == "kingmaker x: Broken pipe\n"
