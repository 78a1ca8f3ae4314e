"""Searches cut short, crowded positions, more threads than cores: a move in time, with a score that was found."""

from __future__ import annotations

import resource
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import variants
from engine.game import Game
from search import tt
from search.analysis import best_move
from search.clock import Budget
from search.limits import MATE_IN_MAX, Current, Info, Limits
from search.searcher import Searcher
from search.threads import Worker
from support.games import TWINS, twins_long
from support.places import ROOT

ROYAL_QUEENS = "4k3/8/8/8/8/8/8/Q2QK3 w - - 0 1"
QUEENS_EVERYWHERE = "1QqQqQq1/r6Q/Q6q/q6Q/B2q4/q6Q/k6K/1qQ1QqRb w - - 0 1"
ARMIES_OF_QUEENS = "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1"
CROWDED = [pytest.param(*case, marks=[pytest.mark.long] if case[0] in TWINS else []) for case in (
    ("chess", QUEENS_EVERYWHERE), ("chess", ARMIES_OF_QUEENS),
    ("chess", "nnnnknnn/rrrrrrrr/8/8/8/8/RRRRRRRR/NNNNKNNN w - - 0 1"),
    ("atomic", ARMIES_OF_QUEENS), ("atomic", "2Q3qq/2QkK2Q/qQ3qQ1/q1q3Qq/3Q4/2Q3qq/1Qq5/5Q2 w - - 0 1"),
    ("nocheckatomic", ARMIES_OF_QUEENS),
    ("ataturk", ARMIES_OF_QUEENS), ("warmspit", "q2qk2q/pppppppp/1q4q1/8/8/Q6Q/PPPPPPPP/Q2QK2Q w - - 0 1"),
    ("madness-fide", ARMIES_OF_QUEENS),
    ("madness-fide", "r1b1kb1r/3q4/2p1nnp1/pP2pp1p/3pPPPP/BPPP4/4N3/RN1QKB1R w - - 3 18"),
    ("madness", "kqq5/qqqq4/qqqq4/1qqq4/4QQQ1/4QQQQ/4QQQQ/5QQK w - - 0 1"),
    ("shatar", ARMIES_OF_QUEENS), ("ascending", ARMIES_OF_QUEENS),
    ("ascending", "2Q3qq/2QkK2Q/qQ3qQ1/q1q3Qq/3Q4/2Q3qq/1Qq5/5Q2 w - - 0 1"),
    ("ascending", "3q3k/Q2Q4/1Q4Q1/4Q3/2Q4Q/1Q4Q1/3Q2Q1/QQ3Q2 w - - 0 1"),
)]
FIRST_PLY = 50_000  # nodes


def search(game: Game, limits: Limits, threads: int = 1) -> tuple[list[Info], Searcher]:
    said: list[Info] = []
    searcher = Searcher(1, threads)
    best = searcher.search(game, limits, on_info=said.append)
    assert best.move is not None and game.text(best.move) in game.legal_moves()
    assert said and said[-1].pv[0] == best.move
    return said, searcher


@pytest.mark.parametrize("nodes", [1, 2, 20, 60, 200, 350, 700, 3000])
@pytest.mark.parametrize("fen", [ROYAL_QUEENS, "q2qk3/8/8/8/8/8/8/4K3 b - - 0 1"])
def test_a_search_cut_short_shows_a_score_it_found(fen: str, nodes: int) -> None:
    """Two queens ahead is never 0: an iteration cut short used to say so."""
    said, _ = search(Game("chess", fen), Limits(nodes=nodes))
    assert all(info.score > 700 for info in said), [info.score for info in said]


@pytest.mark.parametrize("variant", twins_long(variants.names()))
def test_one_node_answers_with_a_line(variant: str) -> None:
    """A search always finishes its first ply: the same move and score as a search of depth one."""
    game = Game(variant)
    said, _ = search(game, Limits(nodes=1))
    ply, _ = search(game, Limits(depth=1))
    assert (said[-1].score, said[-1].pv, said[-1].depth) == (ply[-1].score, ply[-1].pv, 1)


def test_one_node_takes_the_hanging_queen() -> None:
    game = Game("chess", "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1")
    assert best_move(game, nodes=1) == "e4d5"


@pytest.mark.parametrize("limits", [Limits(mate=0), Limits(depth=0), Limits(nodes=0)])
def test_limits_that_ask_for_nothing_end(limits: Limits) -> None:
    said, _ = search(Game(), limits)
    assert said[-1].depth == 1


@pytest.mark.parametrize(("variant", "fen"), CROWDED)
def test_the_first_ply_is_short_in_any_position(variant: str, fen: str) -> None:
    game = Game(variant, fen)
    said, searcher = search(game, Limits(depth=1))
    assert searcher.nodes() <= FIRST_PLY
    assert abs(said[-1].score) > MATE_IN_MAX or len(said[-1].pv) >= 1


@pytest.mark.parametrize(("variant", "fen"), CROWDED)
def test_a_crowded_position_gets_a_move_in_a_moment(variant: str, fen: str) -> None:
    said, _ = search(Game(variant, fen), Limits(movetime=5))
    assert said[-1].time < 1000


def test_queens_everywhere_is_mate_in_one() -> None:
    """Found at the first ply; it once took more than six seconds."""
    said, _ = search(Game("chess", QUEENS_EVERYWHERE), Limits(depth=1))
    assert said[-1].mate == 1


@pytest.mark.parametrize(("limits", "deep"), [(Limits(clock=(60_000, 60_000)), False), (Limits(movetime=200), True)])
def test_a_mate_ends_the_search_only_on_a_clock(limits: Limits, deep: bool) -> None:
    """A fixed time is for the quickest mate."""
    said, _ = search(Game("chess", "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"), limits)
    assert said[-1].mate == 1 and (said[-1].depth > 10) == deep


def test_a_thread_stopped_before_its_first_ply_looks_at_static_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a hard limit there is still a line; its score is the static value after a move."""
    game = Game("chess", "r3k3/pppp4/8/3q4/4P3/8/PPPP4/R3K3 w - - 0 1")
    iterate = Worker.iterate

    def stopped(worker: Worker, *arguments: object, **more: object) -> int:
        if "first_ply" not in more:  # an ordinary iteration
            worker.halted = True
            worker.settle()
        return iterate(worker, *arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Worker, "iterate", stopped)
    said, _ = search(game, Limits(movetime=1000))
    assert [game.text(info.pv[0]) for info in said] == ["e4d5"] and 0 < said[0].score < MATE_IN_MAX


@pytest.mark.parametrize("threads", [8, 64, 256])
def test_more_threads_than_cores_answer_in_time(threads: int) -> None:
    game = Game()
    searcher = Searcher(16, threads)
    for _ in range(2):
        began = time.monotonic()
        best = searcher.search(game, Limits(movetime=300))
        assert time.monotonic() - began < 1.5  # 64 threads once took 6.4 s for a second, 256 never answered
        assert best.move is not None


def test_threads_help_only_after_the_first_ply() -> None:
    searcher = Searcher(1, 4)
    searcher.search(Game(), Limits(movetime=200))
    assert searcher.threads_used() == 4
    names = {thread.name for thread in threading.enumerate()}
    searcher.search(Game(), Limits(depth=1))  # joins those of the search before
    assert len({thread.name for thread in threading.enumerate()}) <= len(names) + 1


def test_what_other_threads_may_ask() -> None:
    """The current root move and the budget: nothing before a search, and no root move after it."""
    searcher, seen = Searcher(1), list[Current | None]()
    assert searcher.current() is None and searcher.budget() == Budget() and searcher.threads_used() == 0
    game, limits = Game(), Limits(infinite=True)
    thread = threading.Thread(target=searcher.search, args=(game, limits))
    thread.start()
    until = time.monotonic() + 10
    while not any(seen) and time.monotonic() < until:
        seen.append(searcher.current())
    searcher.stop()
    thread.join()
    (current,) = filter(None, seen)
    assert current.move in game.legal_numbers() and current.depth >= 1 and 1 <= current.number <= 20
    assert searcher.current() is None and searcher.threads_used() == 1
    searcher.search(game, Limits(movetime=20), overhead=5)
    assert searcher.budget() == Budget(15, 15)


def test_stacks_of_other_threads_keep_their_size() -> None:
    """Also if several searches start threads at the same time; in a process where nobody else does."""
    code = ("import sys, threading\n"
            "from search.threads import start_thread\n"
            "sys.setswitchinterval(1e-6)\n"
            "def start(): [start_thread(int) for _ in range(200)]\n"
            "threads = [threading.Thread(target=start) for _ in range(8)]\n"
            "for thread in threads: thread.start()\n"
            "for thread in threads: thread.join()\n"
            "print(threading.stack_size())\n")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"


def test_nodes_are_those_of_the_last_search() -> None:
    searcher = Searcher(1, 4)
    searcher.search(Game(), Limits(movetime=100))
    many = searcher.nodes()
    searcher.threads = 1
    searcher.search(Game(), Limits(depth=1))
    assert searcher.nodes() < 1000 < many


def faults() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


@pytest.mark.parametrize("threads", [1, 2])
def test_the_table_is_there_before_the_search(threads: int) -> None:
    """No page of it is touched for the first time while the clock runs, nor after it was wiped."""
    searcher = Searcher(64, threads)
    before = faults()
    searcher.table[::8] += np.uint64(1)
    assert faults() - before < 200  # 64 MiB have 32 huge pages or 16384 small ones
    searcher.clear()
    assert not searcher.table.any()
    before = faults()
    searcher.table[::8] += np.uint64(1)
    assert faults() - before < 200


def test_a_wiped_table_is_empty_whatever_the_threads() -> None:
    for threads in (1, 2, 3):
        table = tt.new_table(16, threads)
        table[:] = 7
        tt.wipe(table, threads)
        assert not table.any()
