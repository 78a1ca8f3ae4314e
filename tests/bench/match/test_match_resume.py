"""A killed match goes on where it was: no game lost, none played twice, no process left behind."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chess.pgn
import pytest

from support.places import BAD, ROOT

PATIENCE = 60.0
STARTED: list[subprocess.Popen[str]] = []  # the runners of a test, which may fail before it has ended them


def command(folder: Path, *more: str, modes: tuple[str, str] = ("good", "good"), games: int = 12, moves: int = 6) -> list[str]:
    engines = []
    for name, mode in zip("ab", modes, strict=True):
        engines += ["-engine", f"cmd={sys.executable}", f"args={BAD} {mode} {folder}", f"name={name}"]
    return [sys.executable, "-m", "bench", "match", *engines, "-each", "tc=60", "-games", str(games), "-maxmoves", str(moves),
            "-results", str(folder / "r.sqlite"), "-pgnout", str(folder / "r.pgn"), *more]


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    """A runner in its own process group that obeys Ctrl-C, as a shell would start it; a background job would ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        STARTED.append(subprocess.Popen(words, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, process_group=0))
    finally:
        signal.signal(signal.SIGINT, before)
    return STARTED[-1]


def finished(folder: Path) -> list[int]:
    """The numbers of the games in the results."""
    if not (folder / "r.sqlite").exists():
        return []
    connection = sqlite3.connect(folder / "r.sqlite", timeout=10)
    try:
        return [row[0] for row in connection.execute("SELECT number FROM games ORDER BY number")]
    except sqlite3.OperationalError:  # no table yet
        return []
    finally:
        connection.close()


def engines_of(folder: Path) -> list[int]:
    """Processes of this test that live: every engine has the test's folder in its command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if BAD in words and str(folder) in words and state != "Z":
                found.append(int(entry.name))
    return found


def wait_for(what: str, found: object) -> None:
    end = time.monotonic() + PATIENCE
    while not found():  # type: ignore[operator]
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(0.02)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    while STARTED:
        runner = STARTED.pop()
        runner.kill()
        runner.wait()
    left = engines_of(tmp_path)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left, "engines were left behind"


def games_of(path: Path) -> list[chess.pgn.Game]:
    found = []
    with path.open() as file:
        while (game := chess.pgn.read_game(file)) is not None:
            assert not game.errors
            found.append(game)
    return found


def test_killed_again_and_again(folder: Path) -> None:
    """Killed twice by SIGKILL: what was in the PGN before the match stays, and half a game at its end is removed."""
    before = '[Event "old"]\n\n1. e4 *\n\n'
    (folder / "r.pgn").write_text(before)
    words = command(folder, "-concurrency", "2", games=20)
    kept: set[int] = set()
    for stop_at in (3, 9):
        runner = start(folder, *words)
        wait_for(f"{stop_at} games", lambda stop_at=stop_at: len(finished(folder)) >= stop_at)
        os.kill(runner.pid, signal.SIGKILL)
        runner.wait()
        wait_for("the engines' end", lambda: not engines_of(folder))
        numbers = finished(folder)
        assert kept <= set(numbers)
        kept = set(numbers)
        whole = (folder / "r.pgn").read_bytes()
        (folder / "r.pgn").write_bytes(whole[:whole.rindex(b"[Event ") + 100])
        words = command(folder, "-concurrency", "2", "--resume", games=20)
    assert len(kept) < 20
    texts = {number: dump(folder, number) for number in kept}
    done = subprocess.run(words, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert finished(folder) == list(range(1, 21))
    assert done.stdout.count("Game ") == 20 - len(kept)  # none was played twice
    assert {number: dump(folder, number) for number in kept} == texts
    assert (folder / "r.pgn").read_text().startswith(before)
    games = games_of(folder / "r.pgn")[1:]
    assert sorted(int(game.headers["GameNumber"]) for game in games) == list(range(1, 21))
    for game in games:
        rows = dump(folder, int(game.headers["GameNumber"]))
        assert [move.uci() for move in game.mainline_moves()] == [row[2] for row in rows[1:]]


def dump(folder: Path, number: int) -> list[tuple[object, ...]]:
    """All that the results say of a game."""
    connection = sqlite3.connect(folder / "r.sqlite")
    rows = connection.execute("SELECT * FROM games WHERE number = ?", (number,)).fetchall()
    rows += connection.execute("SELECT * FROM moves WHERE game = ? ORDER BY ply", (number,)).fetchall()
    connection.close()
    return rows


@contextmanager
def hangups(handler: signal.Handlers) -> Iterator[None]:
    """Processes started meanwhile treat SIGHUP like this, even if the tests run under nohup."""
    before = signal.signal(signal.SIGHUP, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(("number", "all_of_them"), [
    (signal.SIGINT, True), (signal.SIGTERM, True), (signal.SIGHUP, True),  # Ctrl-C, a service stopped, a terminal closed
    pytest.param(signal.SIGTERM, False, marks=pytest.mark.long), pytest.param(signal.SIGHUP, False, marks=pytest.mark.long)])
def test_a_signal_leaves_a_match_that_goes_on(folder: Path, number: signal.Signals, all_of_them: bool) -> None:
    """To the runner alone, and to all processes of its group at once."""
    with hangups(signal.SIG_DFL):
        runner = start(folder, *command(folder, "-concurrency", "2", games=2000))
    wait_for("a game", lambda: finished(folder))
    (os.killpg if all_of_them else os.kill)(runner.pid, number)
    said, _ = runner.communicate(timeout=PATIENCE)
    assert runner.returncode == 128 + number and "Traceback" not in said and "resource_tracker" not in said, said
    assert said.rstrip().endswith(f"to resume: kingmaker match -results {folder / 'r.sqlite'} --resume"), said[-600:]
    assert not engines_of(folder)
    assert len(games_of(folder / "r.pgn")) == len(finished(folder)) < 2000


@pytest.mark.long
def test_a_signal_that_is_ignored_stays_so(folder: Path) -> None:
    """As under nohup."""
    with hangups(signal.SIG_IGN):
        runner = start(folder, *command(folder, games=4))
    wait_for("a game", lambda: finished(folder))
    os.killpg(runner.pid, signal.SIGHUP)
    said, _ = runner.communicate(timeout=PATIENCE)
    assert runner.returncode == 0 and finished(folder) == [1, 2, 3, 4], said


@pytest.mark.long
@pytest.mark.parametrize("mode", ["sticky", "hang"])
def test_engines_that_do_not_listen_end_too(folder: Path, mode: str) -> None:
    """Deaf to `quit`, to the end of their input and to SIGTERM, and the runner killed: the kernel ends them."""
    runner = start(folder, *command(folder, modes=("good", mode), games=40))
    wait_for("two engines", lambda: len(engines_of(folder)) == 2)
    if mode == "sticky":
        wait_for("a game", lambda: finished(folder))
    os.kill(runner.pid, signal.SIGKILL)
    runner.wait()
    wait_for("the engines' end", lambda: not engines_of(folder))


@pytest.mark.long
def test_an_early_end_leaves_nothing(folder: Path) -> None:
    """A test that is decided while a game is on: the loser here is lost on the spot."""
    words = command(folder, "-concurrency", "2", "-sprt", "elo0=0", "elo1=50", modes=("good", "illegal"), games=200, moves=200)
    done = subprocess.run(words, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    assert done.returncode == 0 and done.stdout.rstrip().endswith("SPRT: elo1 accepted"), done.stdout + done.stderr
    assert len(finished(folder)) < 100


@pytest.mark.long
def test_two_runners_on_one_match(folder: Path) -> None:
    runner = start(folder, *command(folder, games=2000))  # not over before the second one has started
    wait_for("a game", lambda: finished(folder))
    second = subprocess.run(command(folder, "--resume"), cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
                            capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert second.returncode == 2
    assert second.stderr.strip() == f"kingmaker match: another process is playing the match in {folder / 'r.sqlite'}"
    os.kill(runner.pid, signal.SIGKILL)
    runner.wait()
    wait_for("the engines' end", lambda: not engines_of(folder))
    words = command(folder, "--resume", games=3000, moves=9)
    third = subprocess.run(words, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
                           capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert third.returncode == 2
    assert third.stderr == (f"kingmaker match: -resume: the match in {folder / 'r.sqlite'} has other settings than "
                            "-maxmoves 9 (it has 6)\n")


@pytest.mark.long
def test_a_worker_that_dies_costs_no_game(folder: Path) -> None:
    """The process in which a game was judged is killed: the game is played again, and counts once."""
    runner = start(folder, *command(folder, "-concurrency", "2", games=20))
    wait_for("a game", lambda: finished(folder))
    workers = [pid for pid in children(runner.pid) if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    said, _ = runner.communicate(timeout=PATIENCE)
    assert runner.returncode == 0 and finished(folder) == list(range(1, 21)), said
    assert said.count("Game ") == 20 and len(games_of(folder / "r.pgn")) == 20


def children(parent: int) -> list[int]:
    """Processes that another one started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == parent:
                found.append(int(entry.name))
    return found
