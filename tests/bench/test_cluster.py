"""Distributed work: nothing lost, nothing done twice, nothing left running; in processes here and on a local Dask cluster."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count, islice
from pathlib import Path

import pytest

import variants
from bench.__main__ import main
from bench.perft.counter import PerftCounter
from bench.workers import WorkerError, as_here, sources, workers
from engine.core.perft import divide, perft
from engine.errors import CommandError
from engine.text import parse_fen
from support.dask import Dask
from support.places import ROOT, TESTS


def double(number: int) -> int:
    return 2 * number


def fail_on_three(number: int) -> int:
    if number == 3:
        raise CommandError(f"bad value {number}")
    return number


def nap(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def die_once(task: tuple[str, int]) -> int:
    """Kills its own process the first time it meets task 5, as the system does when memory runs out."""
    folder, number = task
    if number == 5:
        try:
            (Path(folder) / "died").touch(exist_ok=False)
        except FileExistsError:
            return number
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die(number: int) -> int:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except FileNotFoundError:
        return False


def within(seconds: float, holds: Callable[[], bool]) -> bool:
    """Whether something comes true in that time."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


def gone(pids: list[int]) -> bool:
    return within(60, lambda: not any(map(alive, pids)))


def test_every_task_is_answered_once() -> None:
    with workers(2) as pool:
        assert pool.size == 2
        assert Counter(pool.run(double, range(50))) == Counter((n, 2 * n) for n in range(50))
        assert dict(pool.run(double, [7])) == {7: 14}
        assert list(pool.run(double, [])) == []


def test_tasks_are_drawn_when_there_is_room() -> None:
    drawn = []

    def endless() -> Iterator[int]:
        for number in count():
            drawn.append(number)
            yield number

    with workers(2) as pool:
        answers = pool.run(double, endless())
        assert len(list(islice(answers, 6))) == 6
        answers.close()
        assert len(drawn) <= 6 + 2 + 2
        assert dict(pool.run(double, [1, 2])) == {1: 2, 2: 4}, "the pool is as good as new"


def test_what_a_task_raises_reaches_the_caller() -> None:
    with workers(1) as pool:
        with pytest.raises(CommandError, match="bad value 3"):
            list(pool.run(fail_on_three, range(5)))
        assert dict(pool.run(fail_on_three, [4])) == {4: 4}


def test_a_dead_workers_task_is_redone_and_no_other(tmp_path: Path) -> None:
    tasks = [(str(tmp_path), number) for number in range(12)]
    with workers(2) as pool:
        assert sorted(answer for _, answer in pool.run(die_once, tasks)) == list(range(12))
    assert (tmp_path / "died").exists(), "a worker died"


def test_a_task_nobody_survives_is_named() -> None:
    with workers(2) as pool:
        with pytest.raises(WorkerError, match=r"3 workers died over the task 2$"):
            list(pool.run(die, range(5)))
        assert dict(pool.run(double, [1])) == {1: 2}


def test_leaving_ends_busy_workers_at_once() -> None:
    start = time.monotonic()
    with workers(2) as pool:
        pids = [pid for _, pid in pool.run(nap, [0.2, 0.21])]
        answers = pool.run(nap, [0.1, 600.0, 600.1])
        next(answers)
        answers.close()
        assert dict(pool.run(double, [3])) == {3: 6}, "what an earlier run left behind makes way"
    assert gone(pids) and time.monotonic() - start < 250


PARENT = """
from bench.workers import workers
from test_cluster import nap
if __name__ == "__main__":
    with workers(2) as pool:
        print(*sorted({pid for _, pid in pool.run(nap, [0.3] * 4)}), flush=True)
        list(pool.run(nap, [600.0, 600.1]))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_workers_die_with_their_parent(how: signal.Signals, tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHONPATH": f"{ROOT}:{TESTS}:{TESTS / 'bench'}"}) as parent:
        assert parent.stdout
        pids = [int(word) for word in parent.stdout.readline().split()]
        assert len(pids) == 2 and all(map(alive, pids))
        time.sleep(0.3)
        parent.send_signal(how)
        parent.wait(60)
        assert gone(pids)


def test_no_processes_and_no_scheduler_get_one_line() -> None:
    with pytest.raises(CommandError, match="0 worker processes"), workers(0):
        pass


def nap_once(task: tuple[str, int]) -> int:
    """Notes each time it begins, sleeps, and answers with the number."""
    folder, number = task
    with (Path(folder) / f"{number}.begun").open("a") as log:
        log.write(f"{os.getpid()}\n")
    time.sleep(0.1)
    return number


def lacks_workers(address: str) -> bool:
    try:
        with workers(1, address):
            return False
    except CommandError as error:
        return str(error) == f"--cluster '{address}': no workers there, start some: dask worker {address}"


def test_a_cluster_loses_a_worker_and_no_task(cluster: Dask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [(str(tmp_path), number) for number in range(40)]
    answers = Counter[int]()
    with workers(1, cluster.address) as pool:
        assert within(60, lambda: pool.size == 2)
        for done, (task, answer) in enumerate(pool.run(nap_once, tasks)):
            assert task[1] == answer
            answers[answer] += 1
            if done == 10:
                cluster.workers[0].kill()
        assert answers == Counter(range(40)), "each once, none lost, none twice"
        dead = f"{cluster.workers[0].pid}\n"
        shared = [(tmp_path / f"{number}.begun").read_text() for number in range(40)]
        assert sum(dead in text for text in shared) >= 5, "the dead one had worked"
        assert any(text.count("\n") > 1 for text in shared), "and left a task that was redone"
        with pytest.raises(CommandError, match="bad value 3"):
            list(pool.run(fail_on_three, range(5)))
        cluster.workers[1].kill()
        monkeypatch.setattr("bench.workers.CONNECT_SECONDS", 1.0)
        assert within(60, lambda: lacks_workers(cluster.address))
        answers_wanted = pool.run(double, [1])
        cluster.add_worker()
        assert dict(answers_wanted) == {1: 2}, "a worker that comes late is taken"
        cluster.scheduler.kill()
        with pytest.raises(WorkerError, match="lost the scheduler at tcp://127"):
            list(pool.run(nap, [0.0, 0.1]))


@pytest.mark.parametrize("address", ["foo", "tcp://host", "host:", ":8786", "tcp:/host:8786", "http://host:8786"])
def test_what_is_not_an_address_is_refused_at_once(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "chess", "2", "--cluster", address]) == 2
    said = capsys.readouterr().err
    assert said == f"kingmaker perft: --cluster {address!r}: not an address such as tcp://HOST:8786\n"


def test_a_client_that_cannot_connect_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.workers.CONNECT_SECONDS", 1.0)
    began = time.monotonic()
    with pytest.raises(CommandError, match="no scheduler there"), workers(1, "foo"):  # distributed itself refuses it
        pass
    gc.collect()
    assert time.monotonic() - began < 15


def test_a_cluster_that_is_none_and_one_of_another_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.workers.CONNECT_SECONDS", 1.0)
    with pytest.raises(CommandError, match="'nonsense://x': no scheduler there: "), workers(1, "nonsense://x"):
        pass
    with pytest.raises(CommandError, match=r"'tcp://127.0.0.1:9': no scheduler there: "), workers(1, "tcp://127.0.0.1:9"):
        pass
    assert as_here(sources(), double, 2) == 4
    with pytest.raises(WorkerError, match="another version of this program"):
        as_here("of another day", double, 2)


@pytest.mark.long
@pytest.mark.parametrize("megabytes", [16, None])
def test_perft_on_a_cluster_survives_a_lost_worker(cluster: Dask, megabytes: int | None,
                                                   capsys: pytest.CaptureFixture[str]) -> None:
    """4 plies of Position 2 of chessprogramming.org, Perft Results; the worker dies when a fifth of them is counted."""
    assert main(["perft", "chess", "4", "--cluster", cluster.address, "--breakdown", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["nodes"] == 197281 and said["breakdown"]["captures"] == 1576 and said["breakdown"]["mates"] == 8
    assert said["cluster"] == cluster.address
    rules = variants.find("chess")
    pos = parse_fen(rules, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -")
    perft(rules, pos, 3)
    with ExitStack() as stack:
        counter = PerftCounter(rules, Namespace(threads=None, hash=megabytes, cluster=cluster.address), stack)
        assert counter.pool is not None and within(60, lambda: counter.pool is not None and counter.pool.size == 2)
        seen = []

        def report(done: int, total: int) -> None:
            seen.append((done, total))
            if done == total // 5:
                cluster.workers[0].kill()

        counts = counter.on_cluster(pos, 4, report)
        assert sum(counts.values()) == 4085603 and counts == dict(divide(rules, pos, 4))
        assert cluster.workers[0].poll() is not None and seen[-1][0] == seen[-1][1] == len(seen)
