"""Every request gets an answer: about a finished game, with limits of zero, from a pipe that has ended."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from collections.abc import Iterator

import chess.engine
import pytest

from engine.game import Game
from engine.protocol.loop import Protocol
from engine.protocol.uci import Uci
from engine.protocol.xboard.commands import XBoard
from support.places import ROOT
from support.talk import ENGINE, Inside, Process, infos


def game_of(talk: Inside) -> Game:
    """The game it plays."""
    return talk.engine.session.game


# A game that is over


@pytest.mark.parametrize(("variant", "fen", "moves", "score"), [
    ("chess", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "", "mate 0"),
    ("chess", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "", "cp 0"),
    ("atomic", "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 1", "h4f2", "mate 0"),
    ("atomic", "8/8/8/8/8/8/8/K7 w - - 0 1", "", "mate 1"),
    ("nocheckatomic", "3rk3/8/8/8/8/8/8/3RK3 w - - 0 1", "d1d8", "mate 0"),
    ("ascending", "3k4/3pQp2/8/8/8/8/8/K7 w - - 0 1", "e7d8", "mate 0"),
    ("shatar", "7k/5K1p/8/8/8/8/8/2B5 w - - 0 1", "c1b2", "cp 0"),  # niol
    ("shatar", "6nk/8/6K1/8/8/8/8/6R1 w - - 0 1", "g1h1 g8h6 h1h6", "cp 0"),  # robado
    pytest.param("madness-fide", "7k/5ppp/8/8/8/8/8/KR6 w - - 0 1", "b1b8", "mate 0", marks=pytest.mark.long),
    ("ataturk", "6q1/8/6KB/8/8/8/8/8 w - - 0 1 g6/g8", "K@h6 g8h8 g6g7", "mate 0"),
])
def test_the_score_of_a_game_that_is_over(uci: Inside, variant: str, fen: str, moves: str, score: str) -> None:
    uci.send(f"setoption name UCI_Variant value {variant}", f"position fen {fen} moves {moves}", "go movetime 100")
    said = uci.until("bestmove .*", 20)
    assert game_of(uci).legal_moves() == [] and said[-2:] == [f"info depth 0 score {score}", "bestmove (none)"]
    chances = {"mate 0": "0 0 1000", "mate 1": "1000 0 0", "cp 0": "0 1000 0"}[score]
    uci.send("setoption name UCI_ShowWDL value true", "go searchmoves e2e4 depth 3")
    assert uci.until("bestmove .*", 20)[-2:] == [f"info depth 0 score {score} wdl {chances}", "bestmove (none)"]
    uci.send("go infinite")
    assert uci.until("info depth 0 .*", 20) and uci.quiet(0.05) == []
    uci.send("stop")
    assert uci.until("bestmove .*", 20) == ["bestmove (none)"]


def test_python_chess_reads_the_score_of_a_game_that_is_over() -> None:
    with chess.engine.SimpleEngine.popen_uci([*ENGINE, "uci"], cwd=str(ROOT), timeout=180) as engine:
        for fen, score in (("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", chess.engine.Mate(0)),
                           ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", chess.engine.Cp(0))):
            found = engine.play(chess.Board(fen), chess.engine.Limit(depth=3), info=chess.engine.INFO_ALL)
            assert found.move is None and found.info["score"].relative == score


# Limits


@pytest.mark.parametrize("limits", ["depth 0", "nodes 0", "mate 0", "movetime 0", "wtime 0 btime 0", "mate 0 wtime 60000",
                                    "depth 0 nodes 0 mate 0 movestogo 0"])
def test_limits_that_ask_for_nothing(uci: Inside, limits: str) -> None:
    uci.send("position startpos", f"go {limits}")
    said = uci.until("bestmove .*", 5)
    assert said[-1].split()[1] in game_of(uci).legal_moves()
    assert not any(line.startswith("info string") for line in said)


@pytest.mark.parametrize(("line", "named", "move"), [
    ("dpeth 3", "'dpeth' after go, did you mean 'depth'?", ""),
    ("depth abc", "'abc'", ""),
    ("depth", "depth has no value", ""),
    ("depth movetime 20", "depth has no value", ""),
    ("depth -3", "'-3'", ""),
    ("depth " + "9" * 5000, "'999", ""),
    ("nodes 1e5", "'1e5'", ""),
    ("wtime soon", "'soon'", ""),
    ("wtime soon btime 100", "'soon'", ""),
    ("perft x", "'x'", ""),
    ("perft 31", "'31'", ""),
    ("searchmoves", "searchmoves has no moves", ""),
    ("searchmoves depth 2", "searchmoves has no moves", ""),
    ("searchmoves e2e5 depth 1", "'e2e5' among searchmoves", "(none)"),
    ("searchmoves e2e5 nonsense h2h3 depth 1", "'e2e5' among searchmoves", "h2h3"),
    ("searchmoves e2e5 h2h3", "'e2e5' among searchmoves", "h2h3"),
])
def test_a_go_that_makes_no_sense_is_named_and_answered(uci: Inside, line: str, named: str, move: str) -> None:
    uci.send("position startpos", f"go {line}")
    said = uci.until("bestmove .*", 5) + uci.quiet(0.02)
    (error,) = [text for text in said if text.startswith("info string")]
    assert named in error and len(error) < 300
    best = said[-1].split()[1]
    assert best == move if move else best in game_of(uci).legal_moves()
    assert game_of(uci).moves == []


def test_what_makes_sense_of_a_go_is_obeyed(uci: Inside) -> None:
    uci.send("position startpos", "go dpeth 9 depth 3")
    depths = [line.split()[2] for line in infos(uci.until("bestmove .*", 20))]
    assert depths[-1] == "3"
    for line in ("go infinite dpeth 3", "go ponder depth abc"):
        uci.send(line)
        assert not any("bestmove" in text for text in uci.quiet(0.1))
        uci.send("stop")
        uci.until("bestmove .*", 5)


def test_a_count_of_nothing_is_one(uci: Inside) -> None:
    for fen in ("startpos", "fen R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"):
        uci.send(f"position {fen}", "go perft 0")
        assert uci.until("Nodes searched: .*", 5) == ["", "Nodes searched: 1"]
    uci.send("go perft 2")
    assert uci.until("Nodes searched: .*", 5) == ["", "Nodes searched: 0"]


# Pipes


def run_out(kind: type[Protocol], *lines: str) -> list[str]:
    """What it says to lines that are all there is, as it comes to its end."""
    talk = Inside(kind)
    thread = threading.Thread(target=talk.engine.loop, args=(iter(lines),), daemon=True)
    thread.start()
    thread.join(120)
    assert not thread.is_alive()
    return talk.quiet(0)


@pytest.mark.parametrize("last", [[], ["quit"]])
def test_a_script_is_answered(last: list[str]) -> None:
    said = run_out(Uci, "position startpos moves e2e4", "go perft 3", "d", "eval", "bench 2", "go depth 7", "go movetime 150",
                   "isready", *last)
    assert "Nodes searched: 13160" in said and any(line.startswith("Fen: ") for line in said)
    assert any(line.startswith("evaluation ") for line in said) and any(line.startswith("Nodes/second") for line in said)
    assert any(line.startswith("info depth 7 ") for line in said) and "readyok" in said
    assert sum(line.startswith("bestmove ") for line in said) == 2
    assert max(int(line.split(" time ")[1].split()[0]) for line in infos(said)) >= 100


@pytest.mark.parametrize("go", ["go infinite", "go", "go ponder wtime 60000 btime 60000", "go mate 9", "go infinite depth 3"])
def test_what_has_no_end_ends_with_the_input(go: str) -> None:
    began = time.monotonic()
    said = run_out(Uci, go, go, "go perft 1")
    assert time.monotonic() - began < 5
    assert sum(line.startswith("bestmove ") for line in said) == 2 and "Nodes searched: 20" in said


def test_an_xboard_script_is_answered() -> None:
    said = run_out(XBoard, "xboard", "new", "st 0.1", "usermove e2e4", "ping 7", "hard", "usermove a1a8")
    assert any(line.startswith("move ") for line in said) and "pong 7" in said and "Illegal move: a1a8" in said
    said = run_out(XBoard, "new", "post", "analyze")
    assert any(re.fullmatch(r"\d+ -?\d+ \d+ \d+ .*\t.*", line) for line in said)


def test_who_says_quit_later_means_now() -> None:
    """In one breath with a search it ends a script; to a search under way it means what the standard says."""
    def lines() -> Iterator[str]:
        yield "go movetime 60000"
        time.sleep(0.4)
        yield "quit"

    talk, began = Inside(Uci), time.monotonic()
    talk.engine.loop(lines())
    assert time.monotonic() - began < 5
    assert talk.until("bestmove .*", 1)


@pytest.mark.parametrize(("words", "lines", "answer"), [
    ([], "go perft 4", "Nodes searched: 197281"), ([], "uci\ngo depth 3\nquit\n", "bestmove .*"),
    (["uci"], "d\nbench 1\n", "Nodes/second .*"), (["xboard"], "new\nst 0.1\ngo\n", "move .*")])
def test_a_pipe_gives_answers(words: list[str], lines: str, answer: str) -> None:
    done = subprocess.run([*ENGINE, *words], input=lines, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    said = done.stdout.splitlines()
    assert any(re.fullmatch(answer, line) for line in said), said
    assert done.returncode == 0 and done.stderr == ""


def test_what_came_before_quit_is_answered_although_the_input_is_open() -> None:
    with Process() as talk:
        talk.send("go perft 4", "quit")
        talk.until("Nodes searched: 197281")
        assert talk.end() == (0, "")
