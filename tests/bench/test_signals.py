"""Signals end a pool of workers wherever they come, and nothing waits forever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from support.places import ROOT

AT_EVERY_LOCK = """
import os, signal, sys, threading, time
from bench.signals import Ended
from bench.workers import workers

main = threading.get_ident()
entered = worst = 0

def enter(self):
    global entered
    got = self._lock.__enter__()
    if threading.get_ident() == main:
        entered += 1
        if entered == worst:
            os.kill(os.getpid(), int(sys.argv[1]))
    return got

if __name__ == "__main__":
    threading.Condition.__enter__ = enter
    while entered >= worst:
        entered, worst = 0, worst + 1
        try:
            with workers(1) as pool:
                assert len(list(pool.run(time.sleep, [0.02, 0.02]))) == 2
            assert entered < worst
        except Ended as error:
            assert error.number == int(sys.argv[1])
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    print(worst)
"""

WHILE_A_RESULT_COMES = """
import multiprocessing.connection, threading, time
from bench.workers import workers

began = threading.Event()
receive = multiprocessing.connection.Connection._recv

def slowly(self, size, *more):
    if size > SIZE:
        began.set()
        time.sleep(0.5)
    return receive(self, size, *more)

SIZE = 1_000_000  # far more than a pipe holds: its sender waits for a reader

if __name__ == "__main__":
    multiprocessing.connection.Connection._recv = slowly
    with workers(1) as pool:
        answers = pool.run(bytes, [2 * SIZE])
        threading.Thread(target=lambda: list(answers), daemon=True).start()
        assert began.wait(30)
    print("closed")
"""

LOST = """
import os, signal, time
from bench.signals import Ended
from bench.workers import workers

class Finaliser:
    def __del__(self):  # what is raised in here is only printed
        os.kill(os.getpid(), signal.SIGTERM)

if __name__ == "__main__":
    try:
        with workers(1) as pool:
            for number, _ in pool.run(time.sleep, [0.01] * 1000):
                Finaliser()
    except Ended:
        print("ended")
"""


def heed_ctrl_c() -> None:
    """In a child before its program begins: a shell lets what runs in the background ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def output_of(script: str, folder: Path, *words: str) -> str:
    path = folder / "script.py"
    path.write_text(script)
    done = subprocess.run([sys.executable, str(path), *words], env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=60,
                          capture_output=True, text=True, check=False, preexec_fn=heed_ctrl_c)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_may_come_while_any_lock_is_taken(number: signal.Signals, tmp_path: Path) -> None:
    """One by one, at each condition variable that the main thread enters in the life of a pool."""
    assert int(output_of(AT_EVERY_LOCK, tmp_path, str(int(number)))) > 8


def test_a_pool_closes_while_a_worker_sends_a_result(tmp_path: Path) -> None:
    assert output_of(WHILE_A_RESULT_COMES, tmp_path) == "closed"


def test_a_signal_whose_exception_is_lost_ends_it_all_the_same(tmp_path: Path) -> None:
    assert output_of(LOST, tmp_path) == "ended"


BUSY = """
import time
from bench.signals import Ended
from bench.workers import workers

if __name__ == "__main__":
    try:
        with workers(2) as pool:
            list(pool.run(time.sleep, [60, 60]))
    except Ended:
        pass
"""


def children_of(process: subprocess.Popen[str]) -> set[int]:
    text = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii")
    return set(map(int, text.split()))


def wait_for(what: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not what():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.3, 1.0])
def test_workers_are_silent_about_a_signal_to_all(seconds: float, tmp_path: Path) -> None:
    """As Ctrl-C at a terminal sends it, so many seconds after the workers were started."""
    path = tmp_path / "script.py"
    path.write_text(BUSY)
    with subprocess.Popen([sys.executable, str(path)], env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True,
                          stderr=subprocess.PIPE, start_new_session=True, preexec_fn=heed_ctrl_c) as process:
        wait_for(lambda: len(children_of(process)) == 3)  # the workers and the resource tracker
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=30)[1] == ""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_warm_leaves_no_process_behind(tmp_path: Path) -> None:
    """Compilation that nobody waits for any more goes on for minutes."""
    with subprocess.Popen([sys.executable, "-m", "engine", "warm", "3check"], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env={**os.environ, "KINGMAKER_CACHE": str(tmp_path)}) as process:
        wait_for(lambda: len(children_of(process)) >= 2)
        time.sleep(3)  # by now they compile
        children = children_of(process)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 128 + signal.SIGTERM
        try:
            wait_for(lambda: not any(Path(f"/proc/{child}").exists() for child in children))
        finally:
            for child in children:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
