"""Signals end a pool of workers wherever they come, and nothing waits forever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
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


def output_of(script: str, folder: Path, *words: str) -> str:
    path = folder / "script.py"
    path.write_text(script)
    done = subprocess.run([sys.executable, str(path), *words], env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=60,
                          capture_output=True, text=True, check=False, preexec_fn=lambda: signal.signal(
                              signal.SIGINT, signal.default_int_handler))
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
