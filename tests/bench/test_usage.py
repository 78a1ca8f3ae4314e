"""What users mistype and what their shells pass on: unquoted FENs, closed streams, programs off the PATH, odd numbers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.check import latency
from bench.clients import programs
from bench.clients.programs import words_of
from bench.match.levels import run as run_levels
from bench.perft import speed
from bench.quoting import hint, joined
from engine.errors import CommandError
from engine.places import memory_limit
from support.places import ROOT
from support.talk import ENGINE

FEN = "k7/8/1K6/8/8/8/8/7R w - - 0 1"
SHORT = "k7/8/1K6/8/8/8/7R w - - 0 1"  # seven ranks


@pytest.mark.parametrize(("words", "found"), [
    (f"solve {FEN}", ["solve", FEN]),
    (f"solve --mate 2 {FEN} --variant chess", ["solve", "--mate", "2", FEN, "--variant", "chess"]),
    (f"perft chess --fen {FEN} 3", ["perft", "chess", "--fen", FEN, "3"]),
    (f"perft chess --fen={FEN}", ["perft", "chess", f"--fen={FEN}"]),
    ("perft chess 2 --fen 4k3/8/8/8/8/8/8/4K3", ["perft", "chess", "2", "--fen", "4k3/8/8/8/8/8/8/4K3"]),
    ("perft chess --fen 4k3/8/8/8/8/8/8/4K3 b 3", ["perft", "chess", "--fen", "4k3/8/8/8/8/8/8/4K3 b", "3"]),
    ("perft chess --fen r3k2r/8/8/8/8/8/8/4K3 b kq - 3", ["perft", "chess", "--fen", "r3k2r/8/8/8/8/8/8/4K3 b kq -", "3"]),
    ("x 4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 2 -", ["x", "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 2 -"]),
    ("x 4k3/8/8/8/8/8/8/4K3 w - - 0 1 e1/e8 y", ["x", "4k3/8/8/8/8/8/8/4K3 w - - 0 1 e1/e8", "y"]),
    ("doctor -- engine 4k3/8/8/8/8/8/8/4K3 w", ["doctor", "--", "engine", "4k3/8/8/8/8/8/8/4K3", "w"]),
    ("perft chess 3 --check tables/chess.perft w", ["perft", "chess", "3", "--check", "tables/chess.perft", "w"]),
])
def test_a_fen_without_quotes_is_put_together(words: str, found: list[str]) -> None:
    assert joined(words.split()) == found
    assert joined(found) == found


def test_commands_take_a_fen_without_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--json", *FEN.split(), "--mate", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["fen"] == FEN
    assert main(["perft", "chess", "1", "--json", "--fen", *FEN.split()]) == 0
    assert json.loads(capsys.readouterr().out)["fen"] == FEN


@pytest.mark.parametrize("words", [["solve", *SHORT.split()], ["solve", *FEN.split()[:5]],
                                   ["perft", "chess", "3", "--fen", *SHORT.split()]])
def test_what_is_left_of_a_fen_is_said_to_want_quotes(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    said = capsys.readouterr().err
    assert ended.value.code == 2 and "in quotes" in said and said.startswith(f"usage: kingmaker {words[0]} ")


def test_other_leftovers_get_the_usage_of_their_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["sprt", "--wdl", "1", "2", "3", "surplus"])
    said = capsys.readouterr().err
    assert said.startswith("usage: kingmaker sprt ") and "surplus" in said and "quotes" not in said
    assert not hint(["--opponent", "/usr/games/fairymax"])


@pytest.mark.parametrize("command", [["uci"], ["xboard"], [], ["perft", "chess", "1"], ["--version"], ["--help"],
                                     ["sprt", "--help"], ["nonsense"],
                                     ["doctor", "--only", "silence", "--timeout", "0.1", "--", "true"]],
                         ids=lambda words: " ".join(words[:2]))
def test_closed_streams(command: list[str]) -> None:
    """As a service or `<&-` hands them over: the same status as ever, and no traceback on what is open."""
    expected = {"nonsense": 2, "doctor": 1}.get("".join(command[:1]), 0)
    for closing in ("<&-", ">&- </dev/null", "2>&- </dev/null", "<&- >&- 2>&-"):
        done = subprocess.run(["sh", "-c", f'exec "$@" {closing}', "sh", *ENGINE, *command], cwd=ROOT, capture_output=True,
                              text=True, check=False, timeout=120)
        assert done.returncode == expected, (closing, done)
        assert "Traceback" not in done.stdout + done.stderr, closing


@pytest.mark.parametrize("words", [["solve", FEN], ["perft", "chess", "3"], ["suite", "chess"]], ids=lambda words: words[0])
@pytest.mark.parametrize("size", [0, memory_limit() + 1, 10 ** 30])
def test_a_table_that_does_not_fit(words: list[str], size: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--hash", str(size)]) == 2
    said = capsys.readouterr()
    assert f"--hash {size} " in said.err and said.err.count("\n") == 1 and not said.out


def test_memory_that_the_system_refuses(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Not every refusal can be seen coming: limits of the process are another matter than the size of the machine."""
    def refuse(megabytes: int) -> None:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr("search.solve.new_table", refuse)
    assert main(["solve", FEN, "--hash", "7"]) == 2
    assert capsys.readouterr().err == "kingmaker solve: --hash 7 does not fit into memory\n"


@pytest.mark.parametrize(("variant", "fen", "over"), [
    ("chess", "k6R/8/1K6/8/8/8/8/8 b - - 0 1", "checkmate, 1-0"),
    ("chess", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate, 1/2-1/2"),
    ("chess", "k7/8/1K6/8/8/8/8/8 w - - 0 1", "insufficient material, 1/2-1/2"),
    ("chess", "k7/8/1K6/8/8/8/8/7R w - - 100 90", "50 moves, 1/2-1/2"),
    ("atomic", "8/8/8/8/8/8/8/4K3 b - - 0 1", "explosion, 1-0"),
])
def test_a_finished_game_has_no_wins_to_solve(variant: str, fen: str, over: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--variant", variant, fen]) == 1
    assert capsys.readouterr().out == f"game over: {over}\n"
    assert main(["solve", "--variant", variant, fen, "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["over"] == over and said["moves"] is None and said["proved"]


@pytest.mark.parametrize(("words", "named"), [
    (["--tc", "abc"], "--tc 'abc'"), (["--tc", "0"], "--tc '0'"), (["--tc", "0:00"], "--tc '0:00'"),
    (["--tc", "5:75"], "--tc '5:75'"), (["--tc", "-5"], "--tc '-5'"), (["--inc", "nan"], "--inc nan"),
    (["--inc", "-1"], "--inc -1"), (["--games", "0"], "--games 0"),
    (["--switches", "'-size"], "--switches"),
    (["--save", "/no/such/folder/games.pgn"], "/no/such/folder")])
def test_xboard_is_not_started_with_nonsense(words: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    option, value = words
    assert main(["xboard", "madness", f"{option}={value}", "--print"]) == 2
    said = capsys.readouterr()
    assert named in said.err and said.err.count("\n") == 1 and not said.out


def test_xboard_is_not_started_without_an_opponent(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["xboard", "madness", "--opponent", "/no/such/engine"]) == 2
    assert capsys.readouterr().err == "kingmaker xboard: no such program: '/no/such/engine'\n"


@pytest.mark.parametrize("time", ["5", "0:30", "120:05"])
def test_xboard_takes_its_own_times(time: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["xboard", "madness", "--tc", time, "--print"]) == 0
    assert f"-tc {time} " in capsys.readouterr().out


def test_programs_off_the_path_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Debian's engines are in a folder that root's PATH lacks."""
    engine = tmp_path / "games" / "oddfish"
    engine.parent.mkdir()
    engine.write_text("#!/bin/sh\n")
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(programs, "GAMES", str(engine.parent))
    assert words_of("oddfish --fast") == [str(engine), "--fast"] and words_of(["oddfish"]) == [str(engine)]
    for wrong in ("", "evenfish", "./oddfish", "'", "games/oddfish"):
        with pytest.raises(CommandError, match="no such program"):
            words_of(wrong)


def test_levels_and_speed_find_the_same_engines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from argparse import Namespace

    from bench.perft.speed import find_peers

    engine = tmp_path / "stockfish"
    engine.write_text("#!/bin/sh\n")
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(programs, "GAMES", str(tmp_path))
    assert find_peers([])["stockfish"] == "stockfish"
    with pytest.raises(CommandError, match="does not start as a UCI engine"):  # found, but no engine
        run_levels(Namespace(anchor="stockfish", games=4, seconds=0.05))


def test_a_program_that_does_not_greet_is_not_waited_for_as_if_it_compiled(monkeypatch: pytest.MonkeyPatch,
                                                                           capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(latency, "PATIENCE", 0.3)
    assert main(["latency", "--", "cat"]) == 2
    assert "cat: no uciok within 0.3 s; it said 'uci'" in capsys.readouterr().err


def test_speed_does_not_go_on_without_a_peer_that_was_named(monkeypatch: pytest.MonkeyPatch,
                                                            capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(speed, "measure_perft", lambda *_: pytest.fail("the work has begun"))
    assert main(["speed", "--peer", "foo=false", "chess"]) == 2
    assert "speed: --peer foo=false: " in capsys.readouterr().err
