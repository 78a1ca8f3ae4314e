"""However it is told to quit, and whatever it is doing: the process and its threads end within a second."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.places import ROOT
from support.talk import ENGINE, Process

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for threads in /proc")

SECOND = 1.0
UCI = {
    "idle": ("readyok", ["uci", "isready"]),
    "searching": ("info depth 3 .*", ["uci", "setoption name Threads value 2", "isready", "go infinite"]),
    "pondering": ("info depth 3 .*", ["uci", "isready", "go ponder wtime 60000 btime 60000"]),
    "counting": ("readyok", ["uci", "isready", "go perft 12", "isready"]),
    "in a bench": ("readyok", ["uci", "isready", "bench 30", "isready"]),
    "compiling": ("info string compiling .*", ["uci", "isready"]),
}
XBOARD = {
    "idle": ("pong 1", ["xboard", "protover 2", "accepted debug", "new", "ping 1"]),
    "searching": (r"3 -?\d+ .*", ["xboard", "protover 2", "new", "post", "st 600", "usermove e2e4"]),
    "pondering": ("move .*", ["xboard", "protover 2", "new", "hard", "st 0.1", "usermove e2e4"]),
    "analysing": (r"3 -?\d+ .*", ["xboard", "protover 2", "new", "post", "analyze"]),
    "compiling": ("# compiling .*", ["xboard", "protover 2", "accepted debug"]),
}
CASES = [("uci", state) for state in UCI] + [("xboard", state) for state in XBOARD]
# Commands that end by themselves with an answer: after the end of its input, a script still gets it.
FINITE = [("uci", "counting"), ("uci", "in a bench"), ("uci", "compiling"), ("xboard", "searching"), ("xboard", "compiling")]
BRIEF = [("uci", "idle"), ("uci", "searching"), ("uci", "compiling"), ("xboard", "searching")]


def gone(pid: int) -> bool:
    """Whether a process has no thread left; a zombie counts as gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def assert_gone(pid: int, began: float) -> None:
    while not gone(pid):
        assert time.monotonic() < began + SECOND, f"alive, {len(list(Path(f'/proc/{pid}/task').iterdir()))} threads"
        time.sleep(0.005)


def bring_to(talk: Process, protocol: str, state: str) -> None:
    """Make an engine do something."""
    pattern, lines = (UCI if protocol == "uci" else XBOARD)[state]
    if state == "compiling" or protocol == "uci":
        talk.send(*lines)
    else:
        talk.send(*lines[:2])
        talk.until("feature done=1")
        talk.send(*lines[2:])
    talk.until(pattern)


@pytest.fixture
def engine(protocol: str, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Process:
    """One that is in the wanted state."""
    if state == "compiling":
        monkeypatch.setenv("KINGMAKER_CACHE", str(tmp_path / "cache"))
    talk = Process()
    bring_to(talk, protocol, state)
    return talk


@pytest.mark.parametrize(("protocol", "state"), [case for case in CASES if case not in FINITE])
def test_stdin_closed(engine: Process) -> None:
    """Whoever could still say `stop` is gone."""
    with engine:
        engine.hang_up()
        assert_gone(engine.process.pid, time.monotonic())
        assert engine.end() == (0, "")


@pytest.mark.parametrize(("protocol", "state", "hangs_up"),
                         [(*case, False) for case in CASES] + [(*case, True) for case in FINITE])
def test_stdout_closed(protocol: str, state: str, hangs_up: bool, tmp_path: Path) -> None:
    """Even if it has nothing to print and would not notice, and even if its input has ended before."""
    environment = dict(os.environ) | ({"KINGMAKER_CACHE": str(tmp_path / "cache")} if state == "compiling" else {})
    with subprocess.Popen(ENGINE, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write("".join(f"{line}\n" for line in (UCI if protocol == "uci" else XBOARD)[state][1]).encode())
            process.stdin.flush()
            process.stdout.readline()
            if hangs_up:
                process.stdin.close()
            time.sleep(0.3)  # on its way to the state; every state on the way must obey as well
            assert process.poll() is None  # it answers what it was asked
            process.stdout.close()
            assert_gone(process.pid, time.monotonic())
            assert process.wait() == 0
        finally:
            process.kill()


@pytest.mark.parametrize(("protocol", "state"), BRIEF)
def test_terminated(engine: Process) -> None:
    with engine:
        engine.process.send_signal(signal.SIGTERM)
        assert_gone(engine.process.pid, time.monotonic())


@pytest.mark.parametrize(("protocol", "state"), BRIEF)
def test_interrupt_is_ignored(engine: Process, protocol: str, state: str) -> None:
    with engine:
        for _ in range(3):
            engine.process.send_signal(signal.SIGINT)
            time.sleep(0.02)
        if state == "compiling":
            engine.until("info string compiling .*" if protocol == "uci" else "# compiling .*")  # it goes on
        elif protocol == "uci":
            engine.send("isready")
            engine.until("readyok", 20)
        else:
            engine.send("?", "force", "ping 2")
            engine.until("pong 2", 20)
        assert not gone(engine.process.pid)


def test_interrupted_after_the_end_of_its_input() -> None:
    """Then no GUI can mean anything by it, and a person at the terminal means the end."""
    with Process() as talk:
        bring_to(talk, "uci", "counting")
        talk.hang_up()
        time.sleep(0.2)
        assert not gone(talk.process.pid)
        talk.process.send_signal(signal.SIGINT)
        assert_gone(talk.process.pid, time.monotonic())


PARENT = """
import subprocess, sys, time
engine = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
engine.stdin.write(sys.argv[1].encode()); engine.stdin.flush()
for line in engine.stdout:
    if line.startswith(sys.argv[2].encode()):
        break
print(engine.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("state", UCI)
def test_parent_killed(state: str, tmp_path: Path) -> None:
    """A GUI that crashes says nothing and closes nothing: the system does."""
    pattern, lines = UCI[state]
    environment = dict(os.environ) | ({"KINGMAKER_CACHE": str(tmp_path / "cache")} if state == "compiling" else {})
    words = [sys.executable, "-c", PARENT, "".join(f"{line}\n" for line in lines), pattern.partition(" .*")[0], *ENGINE]
    parent = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, env=environment)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    try:
        parent.kill()
        assert_gone(pid, time.monotonic())
    finally:
        parent.wait()
        parent.stdout.close()
        if not gone(pid):
            os.kill(pid, signal.SIGKILL)
