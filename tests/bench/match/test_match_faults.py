"""Whatever an engine does wrong ends its game, for a reason given in one line."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from bench.match.lines import first_illegal
from bench.match.probe import trouble
from bench.match.records import End, GameRecord
from bench.match.referee import Adjudication, GameTask
from bench.match.specs import EngineSpec, TimeControl
from bench.match.tables import Table
from engine.game import Game
from support.places import BAD

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def spec(name: str, *arguments: str, protocol: str = "uci", **settings: Any) -> EngineSpec:
    """The good one has all the time it wants, also on a machine that is busy with something else."""
    good = name == "good"
    defaults: dict[str, Any] = {"tc": TimeControl(60.0) if good else TimeControl(1.2, 0.2), "startup": 20.0,
                                "patience": 60.0 if good else 1.0}
    return EngineSpec(name, (sys.executable, BAD, *arguments), protocol, **{**defaults, **settings})


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up engines that do not stop sooner than in a user's match."""
    monkeypatch.setattr("bench.match.players.STOPPED", 2.0)


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    """One for all tests: the good engine keeps its chair, the bad ones come and go."""
    found = Table()
    yield found
    found.send_home()
    assert not any(player.alive for player in found.players.values())


def game(table: Table, white: EngineSpec, black: EngineSpec, moves: int = 12) -> GameRecord:
    """A game of at most `moves` moves."""
    return table.play(GameTask(1, 1, 1, white, black, "chess", START, rules=Adjudication(max_moves=moves)))


FAULTS = [
    # what the engine does, protocol, the reason, what is said of it
    ("exit-at-start", "uci", End.START, r"ended with exit status 5 while starting"),
    ("exit-at-start", "xboard", End.START, r"ended with exit status 5 while starting"),
    ("exit", "uci", End.CRASH, r"ended with exit status 3 on its turn"),
    ("segfault", "xboard", End.CRASH, r"ended with signal SIGSEGV on its turn"),
    ("illegal", "uci", End.ILLEGAL, r"'e1e5' in rnb"),
    ("illegal", "xboard", End.ILLEGAL, r"'e1e5' in rnb"),
    ("none", "uci", End.ILLEGAL, r"no move although it has \d+"),
    ("nonsense", "uci", End.ILLEGAL, r"in rnb"),
    ("late", "uci", End.TIME, r"(1\.9|[23]\.)\d+ s used, 1\.\d+ s left"),
    ("late", "xboard", End.TIME, r"(1\.9|[23]\.)\d+ s used, 1\.\d+ s left"),
    ("stop", "uci", End.TIME, r"s used, 1\.\d+ s left"),
    ("stop", "xboard", End.TIME, r"s used, 1\.\d+ s left"),
    ("flood", "uci", End.CRASH, r"ended with signal SIGKILL"),
    ("wins", "xboard", End.FALSE_CLAIM, r"claims '0-1 \{I win\}', but the game goes on"),
    ("draws", "xboard", End.FALSE_CLAIM, r"claims '1/2-1/2 \{Draw by repetition\}', but the game goes on"),
    ("claims-first", "xboard", End.FALSE_CLAIM, r"claims '1/2-1/2 \{Stalemate\}' instead of one of \d+ legal moves"),
    ("objects", "xboard", End.FALSE_CLAIM, r"says of a legal move: 'Illegal move"),
    ("error", "xboard", End.ERROR, r"Error \(too lazy\): go"),
    ("mute", "xboard", End.STALL, r"moved, but no pong within 2 s"),
    ("leaves", "xboard", End.CRASH, r"ended with exit status 0"),
    ("resigns", "xboard", End.RESIGNATION, r"Black resigns"),
    ("gives-up", "xboard", End.RESIGNATION, r"Black (resigns|says 1-0 \{resigns\})"),
]


@pytest.mark.parametrize(("mode", "protocol", "reason", "detail"), FAULTS, ids=lambda value: str(value)[:14])
def test_a_fault_loses(table: Table, mode: str, protocol: str, reason: End, detail: str) -> None:
    record = game(table, spec("good", "good"), spec("bad", mode, protocol=protocol))
    assert (record.reason, record.result) == (reason, "1-0"), record
    assert re.search(detail, record.detail) and "\n" not in record.detail, record.detail
    assert record.fault == (None if reason is End.RESIGNATION else 1)
    if reason.fault and reason is not End.START:
        assert len(record.plies) >= 3 and "> go" in record.logs[1], record.logs[1]


def test_no_such_program(table: Table) -> None:
    missing = EngineSpec("missing", ("/no/such/engine",), tc=TimeControl(1.0))
    record = game(table, missing, spec("good", "good"))
    assert (record.result, record.reason, record.fault) == ("0-1", End.START, 0)
    assert record.detail == "White: cannot run '/no/such/engine': No such file or directory"
    record = game(table, missing, missing)
    assert (record.result, record.reason, record.fault) == ("*", End.VOID, None)


@pytest.mark.parametrize(("mode", "protocol", "word"), [
    ("hang-at-start", "uci", "uciok"), ("hang-at-start", "xboard", "features"), ("garbage", "uci", "uciok"),
    ("unready", "uci", "readyok or pong")])
def test_silence_at_the_start_is_waited_for_twice(table: Table, mode: str, protocol: str, word: str) -> None:
    bad = spec("bad", mode, protocol=protocol, startup=1.5)
    for _ in range(4):
        record = game(table, bad, spec("good", "good"))
        assert (record.result, record.reason, record.detail) == ("0-1", End.START, f"White: no {word} within 1.5 s")
    assert record.finished - record.started < 0.5  # it is not started again and again


def test_features_without_an_end_are_taken_as_they_are(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.match.players.FEATURES", 6.0)
    monkeypatch.setattr("bench.match.xboard_seat.FEATURES", 6.0)
    record = game(table, spec("good", "good"), spec("two", "endless", protocol="xboard"), moves=2)
    assert record.reason is End.MOVE_LIMIT, record


def test_silence_without_a_clock_is_a_stall(table: Table) -> None:
    no_clock: dict[str, Any] = {"tc": None, "depth": 1}
    for mode, end in (("hang", r"nor within 2 s"), ("stop", r"no move for 1 s")):
        record = game(table, spec("good", "good", **no_clock), spec("bad", mode, **no_clock))
        assert (record.result, record.reason) == ("1-0", End.STALL) and re.search(end, record.detail), record.detail


def test_a_margin_is_time_too(table: Table) -> None:
    late = spec("late", "late", "2", "1.2", tc=TimeControl(0.8), margin=20.0)
    record = game(table, spec("good", "good"), late, moves=4)
    assert record.reason is not End.TIME
    record = game(table, spec("good", "good"), spec("late", "late", "2", "1.2", tc=TimeControl(0.8), margin=0.1))
    assert record.reason is End.TIME and record.detail.endswith("a margin of 100 ms")


def test_bytes_that_are_no_text_do_no_harm(table: Table) -> None:
    record = game(table, spec("good", "good"), spec("binary", "binary", tc=TimeControl(20.0)))
    assert not record.reason.fault and len(record.plies) > 20


def test_a_line_the_rules_forbid_is_told_and_costs_nothing(table: Table) -> None:
    record = game(table, spec("good", "good"), spec("bad", "dreams", "3", tc=TimeControl(20.0)), moves=5)
    assert record.reason is End.MOVE_LIMIT and record.fault is None
    moves = [ply.move for ply in record.plies]
    assert record.illegal_lines == {ply: f"'e1e5' after {moves[ply - 1]}" for ply in (6, 8, 10)}
    assert [record.mover(ply) for ply in (5, 6)] == ["good", "bad"]


@pytest.mark.parametrize(("variant", "fen", "line", "wrong"), [
    ("chess", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1 e8c8 f1f8 d8f8", ""),
    ("chess", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1 e8c8 h1h8", "'h1h8' after e1g1 e8c8"),
    ("chess", "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", "'a7a8'"),
    ("chess", "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n e8e7 a8c7", ""),
    ("chess", "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "e1e2 pv", "'pv' after e1e2"),
    ("madness", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e8e6", ""),
])
def test_lines(variant: str, fen: str, line: str, wrong: str) -> None:
    found = Game(variant, fen)
    assert first_illegal(found.rules, found.pos, line) == wrong


def test_two_offers_are_a_draw(table: Table) -> None:
    record = game(table, spec("one", "offers", protocol="xboard"), spec("two", "offers", protocol="xboard"))
    assert (record.result, record.reason) == ("1/2-1/2", End.AGREED)
    record = game(table, spec("one", "good"), spec("two", "offers", protocol="xboard"))
    assert record.reason is not End.AGREED  # a UCI engine cannot agree


def test_claims_of_an_engine_that_is_not_trusted_with_them(table: Table) -> None:
    record = game(table, spec("good", "good"), spec("two", "draws", protocol="xboard", trusts=True))
    assert not record.reason.fault and len(record.plies) > 20


CANNOT: list[tuple[str, tuple[str, ...], dict[str, Any], str]] = [
    # protocol, mode or command, settings, what is said
    ("uci", ("/no/such/engine",), {}, "cannot run '/no/such/engine': No such file or directory"),
    ("xboard", ("/no/such/engine",), {}, "cannot run '/no/such/engine': No such file or directory"),
    ("uci", (BAD,), {}, f"cannot run '{BAD}': Permission denied"),
    ("uci", ("good",), {"directory": "/no/such"}, "cannot enter the folder dir=/no/such: No such file or directory"),
    ("xboard", ("good",), {"directory": BAD}, f"cannot enter the folder dir={BAD}: Not a directory"),
    ("uci", ("good",), {"options": (("Hsh", "9"),)}, "option.Hsh=9: the engine has no such option, did you mean 'Hash'?"),
    ("uci", ("good",), {"options": (("Style", "9"),)}, "option.Style=9: the engine has no such option"),
    ("uci", ("good",), {"options": (("hash", "10"),)}, "expected value for option 'Hash' to be at most 9, got: 10"),
    ("uci", ("good",), {"options": (("Hash", "much"),)}, "expected integer for spin option 'Hash', got: 'much'"),
    ("xboard", ("good",), {"options": (("Style", "Solid"),)}, "option.Style=Solid: the engine has no such option"),
    ("xboard", ("good",), {"options": (("Hash", "9"),)}, "option.Hash=9: the engine has no such option"),
    ("uci", ("exit-at-start",), {}, "ended with exit status 5 while starting"),
    ("uci", ("hang-at-start",), {"startup": 1.0}, "no uciok within 1 s"),
]


@pytest.mark.parametrize(("protocol", "words", "settings", "said"), CANNOT, ids=lambda value: str(value)[:40])
def test_why_an_engine_cannot_play(protocol: str, words: tuple[str, ...], settings: dict[str, Any], said: str) -> None:
    command = words if "/" in words[0] else (sys.executable, BAD, *words)
    engine = EngineSpec("bad", command, protocol, **{"tc": TimeControl(9), **settings})
    assert trouble(GameTask(1, 1, 1, engine, engine, "chess", START)) == said


def test_an_engine_that_can_play_has_no_trouble() -> None:
    for name, protocol in (("Hash", "uci"), ("HASH", "uci"), ("", "xboard")):
        engine = EngineSpec("good", (sys.executable, BAD, "good"), protocol, options=((name, "9"),) if name else ())
        assert trouble(GameTask(1, 1, 1, engine, engine, "chess", START)) == ""
