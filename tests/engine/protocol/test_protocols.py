"""Transcripts of both protocols: lines in, lines out, bad lines included."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
import variants
from bench.gui.xboard import switches
from engine.errors import OptionError
from engine.protocol import options
from engine.protocol.loop import MAX_LINE, read_lines
from engine.protocol.uci import Uci
from engine.protocol.xboard.commands import XBoard
from engine.protocol.xboard.faces import BUILT_IN, Shown, face, faces, lines, names
from engine.rules import ORTHODOX
from support.places import ROOT
from support.talk import ENGINE, Inside, Process, infos
from variants.further import GAMES

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
EXPLODED = "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 1"  # atomic: h4f2 wins at once
REPEAT = "g1f3 g8f6 f3g1 f6g8"


@pytest.fixture
def uci() -> Iterator[Inside]:
    """An engine that was told to speak UCI."""
    talk = Inside(Uci)
    talk.send("uci")
    talk.until("uciok")
    talk.send("isready")
    talk.until("readyok")
    yield talk
    talk.close()


@pytest.fixture
def xboard() -> Iterator[Inside]:
    """An engine that was told to speak the XBoard protocol, thinking hidden."""
    talk = Inside(XBoard)
    talk.send("xboard", "protover 2")
    talk.until("feature done=1")
    talk.send("new", "nopost", "sd 4", "st 60")
    yield talk
    talk.close()


def board(talk: Inside) -> dict[str, str]:
    """What `d` says, by field."""
    talk.send("d")
    return dict(line.split(": ", 1) for line in talk.until("Legal moves: .*") if ": " in line)


def after_ping(talk: Inside) -> list[str]:
    """What an XBoard engine says to the commands so far."""
    talk.send("ping 99")
    return talk.until("pong 99")[:-1]


# UCI


def test_introduction(uci: Inside) -> None:
    lines = uci.heard
    assert lines[0] == f"id name Kingmaker {engine.__version__}"
    combo = " ".join(f"var {name}" for name in variants.playable())
    assert f"option name UCI_Variant type combo default chess {combo}" in lines
    assert "var chess var" in combo and "var atomic" in combo and "var nocheckatomic" in combo
    assert "option name Hash type spin default 16 min 1 max 65536" in lines
    assert "option name UCI_Chess960 type check default false" in lines
    assert "option name Clear Hash type button" in lines


def test_position_and_board(uci: Inside) -> None:
    assert board(uci)["Fen"] == START
    uci.send("position startpos moves e2e4 e7e5")
    shown = board(uci)
    assert shown["Fen"] == "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    assert shown["Legal moves"] == "29" and re.fullmatch("[0-9A-F]{16}", shown["Key"])
    uci.send("position startpos moves e2e4 c7c5")  # another continuation of what it knows
    assert "2p5" in board(uci)["Fen"]
    uci.send("position startpos moves e2e4")  # a move taken back
    assert board(uci)["Fen"].split()[1] == "b"
    uci.send("position fen 4k3/8/8/8/8/8/8/4K2R w K")
    assert board(uci)["Fen"] == "4k3/8/8/8/8/8/8/4K2R w K - 0 1"


@pytest.mark.parametrize("line, named", [
    ("position startpos moves e2e4 e9e5", "e9e5"),
    ("position startpos moves e2e4 e7e5 e4e5", "e4e5"),
    ("position fen rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "ppppppppp"),
    ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "king"),
    ("position fen", "FEN"),
    ("position", "startpos"),
    ("position startpos e2e4", "e2e4"),
    ("position somewhere", "position: expected 'startpos' or 'fen', got 'somewhere'"),
])
def test_bad_position_is_refused_whole(uci: Inside, line: str, named: str) -> None:
    uci.send("position startpos moves d2d4 d7d5")
    before = board(uci)
    uci.send(line)
    (error,) = uci.until(".*")
    assert error.startswith("info string ") and named in error
    assert board(uci) == before


@pytest.mark.parametrize("line, named", [
    ("og depth 3", "'og', did you mean 'go'?"),
    ("xyzzy", "'xyzzy'"),
    ("setoption name Hsh value 3", "'Hsh', did you mean 'Hash'?"),
    ("setoption name Hash value lots", "'lots' is not an integer from 1 to 65536"),
    ("setoption name Hash value 0", "'0'"),
    ("setoption name Threads value 257", "'257' is not an integer from 1 to 256"),
    ("setoption name Hash", "Hash"),
    ("setoption Hash 3", "'Hash 3'"),
    ("setoption name UCI_Variant value atmic", "'atmic'"),
    ("setoption name UCI_Chess960 value maybe", "'maybe'"),
    ("\x00\x01\x02\x7f\u00e9", "unknown command"),
])
def test_bad_line_gets_one_line(uci: Inside, line: str, named: str) -> None:
    uci.send("position startpos moves d2d4")
    before = board(uci)
    uci.send(line, "isready")
    said = uci.until("readyok")
    assert len([text for text in said if text != "readyok"]) <= 1
    said += uci.quiet(0.05)
    (error,) = [text for text in said if text != "readyok"]
    assert error.startswith("info string ") and named in error and len(error) < 300
    assert board(uci) == before


def test_options_are_kept(uci: Inside) -> None:
    uci.send("setoption name hash value 32", "setoption name MOVE  overhead value 50", "setoption name Clear Hash",
             "setoption name Threads value 2", "setoption name Hash value nothing", "position startpos", "go depth 3")
    uci.until("bestmove .*")
    values = uci.engine.session.values
    assert (values["Hash"], values["Move Overhead"], values["Threads"]) == (32, 50, 2)


def test_search_reports_and_answers(uci: Inside) -> None:
    uci.send("position startpos", "go depth 5")
    said = uci.until("bestmove .*")
    lines = list(infos(said))
    assert lines
    for line in lines:
        assert re.fullmatch(r"info depth \d+ seldepth \d+ multipv 1 score (cp|mate) -?\d+( lowerbound| upperbound)? nodes \d+ "
                            r"nps \d+ hashfull \d+ time \d+( pv( [a-h][1-8][a-h][1-8][qrbn]?)+)?", line)
    assert re.fullmatch(r"bestmove ([a-h][1-8]){2}( ponder ([a-h][1-8]){2})?", said[-1])


def test_multipv(uci: Inside) -> None:
    uci.send("setoption name MultiPV value 3", "position startpos", "go depth 3")
    said = list(infos(uci.until("bestmove .*")))
    last = {line.split(" pv ")[1].split()[0] for line in said if line.startswith("info depth 3 ")}
    assert len(last) == 3


def test_searchmoves(uci: Inside) -> None:
    uci.send("position startpos", "go searchmoves a2a3 depth 4")
    assert uci.until("bestmove .*")[-1].split()[1] == "a2a3"
    uci.send("go searchmoves 0000 depth 4")
    assert uci.until("bestmove .*")[-1] == "bestmove (none)"


def test_mate_scores(uci: Inside) -> None:
    uci.send("position fen 7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "go depth 4")
    assert any(" score mate 1 " in line for line in infos(uci.until("bestmove .*")))


def test_no_move(uci: Inside) -> None:
    uci.send("position fen R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "go movetime 100")  # mated
    assert uci.until("bestmove .*")[-1] == "bestmove (none)"


def test_drawn_position_still_gets_a_move(uci: Inside) -> None:
    uci.send(f"position startpos moves {REPEAT} {REPEAT} {REPEAT}", "go depth 3")
    assert uci.until("bestmove .*")[-1].split()[1] != "(none)"


def test_stop(uci: Inside) -> None:
    uci.send("position startpos", "go infinite")
    uci.until("info depth 4 .*")
    uci.send("isready")
    uci.until("readyok")  # at once, in the middle of the search
    uci.send("stop")
    uci.until("bestmove .*", 5)
    uci.send("go infinite", "stop")  # stop may overtake the search
    uci.until("bestmove .*", 5)
    uci.send("stop")  # and come without one
    assert uci.quiet(0.05) == []


def test_nothing_is_answered_before_ponderhit(uci: Inside) -> None:
    uci.send("position startpos moves e2e4", "go ponder depth 2")
    assert not any(line.startswith("bestmove") for line in uci.quiet(0.3))
    uci.send("ponderhit")
    uci.until("bestmove .*", 10)
    uci.send("go ponder wtime 1000 btime 1000")
    uci.send("stop")
    uci.until("bestmove .*", 10)


@pytest.mark.parametrize("limits", [
    "wtime 300 btime 300", "wtime 300", "btime -5", "wtime 100.5 winc 10 btime 100 binc 10 movestogo 3", "nodes 2000",
    "movetime 30", "mate 1 movetime 50", "depth 40 movetime 30"])
def test_limits(uci: Inside, limits: str) -> None:
    uci.send("position startpos", f"go {limits}")
    uci.until("bestmove [a-h].*", 20)


def test_perft(uci: Inside) -> None:
    uci.send("position startpos", "go perft 3")
    said = uci.until("Nodes searched: .*")
    assert said[-1] == "Nodes searched: 8902" and said[-2] == ""
    counts = dict(line.split(": ") for line in said[:-2])
    assert len(counts) == 20 and counts["e2e4"] == "600"


def test_perft_can_be_stopped(uci: Inside) -> None:
    uci.send("position startpos", "go perft 9", "stop")
    uci.until("info string perft stopped.*", 120)


def test_variant(uci: Inside) -> None:
    uci.send("setoption name UCI_Variant value atomic", f"position fen {EXPLODED}", "go depth 3")
    said = uci.until("bestmove .*")
    assert said[-1].split()[1] == "h4f2" and any(" mate 1 " in line for line in infos(said))
    uci.send(f"position fen {EXPLODED} moves h4f2")
    shown = board(uci)
    assert shown["Variant"] == "atomic" and shown["Legal moves"] == "0"
    uci.send("setoption name UCI_Variant value chess")  # starts that game
    assert board(uci)["Fen"] == START


def test_chess960_castling(uci: Inside) -> None:
    uci.send("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1g1")
    assert "R" in board(uci)["Fen"] and "5RK1" in board(uci)["Fen"]
    uci.send("setoption name UCI_Chess960 value true", "position fen 4k3/8/8/8/8/8/8/4K2R w H - 0 1", "go perft 1")
    assert "e1h1: 1" in uci.until("Nodes searched: 15")


# XBoard


def test_features() -> None:
    talk = Inside(XBoard)
    talk.send("xboard")
    assert talk.until("feature.*") == ["feature done=0"]
    talk.send("protover 2")
    said = "\n".join(talk.until("feature done=1"))
    for feature in ("ping=1", "setboard=1", "usermove=1", "playother=1", "reuse=1", "memory=1", "smp=1"):
        assert feature in said
    assert 'variants="normal,fischerandom,' in said and 'option="Move Overhead -spin 20 0 5000"' in said
    talk.close()


def test_variant_names_survive_xboard() -> None:
    """XBoard finds the names it knows inside ours."""
    known = ("normal", "nocastle", "losers", "suicide", "giveaway", "atomic", "fairy", "lion", "super", "great", "grand")
    for name, shown in faces().items():
        if name == "nocheckatomic":  # for the other clients: XBoard takes it for its own atomic
            continue
        assert name in known or name == "fischerandom" or (shown.setup and not any(word in name for word in known)), name


def test_further_games_are_offered_by_names_that_survive_xboard() -> None:
    offered = names()
    assert len(set(offered)) == len(offered) and {*faces()} <= {*offered}
    for name in GAMES:
        assert name in offered, name
        # XBoard plays its own game of a name that it finds in ours: those must be the same games.
        assert not BUILT_IN.search(name) or name in ("3check", "crazyhouse", "cylinder"), name


def test_games_of_a_file_are_offered_when_the_file_is_read(xboard: Inside, tmp_path: Path) -> None:
    file = tmp_path / "own.ini"
    file.write_text("[super-atomic-race:kingofthehill]\nflagRegionWhite = *8\nflagRegionBlack = *1\n"
                    "[hands:chess]\npieceDrops = true\ncapturesToHand = true\n")
    try:
        xboard.send(f"option VariantPath={file}")
        (feature,) = (line for line in after_ping(xboard) if line.startswith("feature variants="))
        offered = feature.split('"')[1].split(",")
        assert "s-uper-a-tomic-race" in offered and offered[0] == "normal" and "armies-cc-nn" in offered
        # The user's own come before the many that XBoard's menu may have no room for.
        assert offered.index("hands") < offered.index("kingofthehill")
        for name, setup in (("s-uper-a-tomic-race", "8x8+0_fairy"), ("super-atomic-race", "8x8+0_fairy"),
                            ("hands", "8x8+5_crazyhouse")):
            shown = face(name)
            assert shown is not None and shown.variant in ("super-atomic-race", "hands")
            assert lines(shown, variants.find(shown.variant).start_fen)[0].split()[2] == setup
        assert face("of nobody") is None
    finally:
        variants._defined.cache_clear()


def test_further_games_are_set_up_by_their_mechanisms() -> None:
    """The king that the opponent moves stands where XBoard leaves it alone; where turns are passed, a pass is a move."""
    for name, parent, king in (("madness-6x6", "6x6+0_lion", 50), ("madness-mao", "8x8+0_lion", 50),
                               ("ascending-cc-nn", "8x8+0_lion", 21), ("armies-cc-nn", "8x8+0_fairy", 21)):
        shown = face(name)
        assert shown is not None
        _, pieces, size, *_ = lines(shown, variants.find(name).start_fen)[0].split()
        assert size == parent and pieces.index("K") - 1 == king, name
    assert face("cylinder") == Shown("cylinder")  # XBoard's own, but it cannot test the moves
    assert "-xlegal" in switches("cylinder")
    assert face("tripunch") == Shown("tripunch", pieces=ORTHODOX)  # nothing that XBoard's notation lacks
    assert "piece U& FDH" in lines(face("armies-rr-ff") or Shown(""), "")


def test_plays_and_answers(xboard: Inside) -> None:
    xboard.send("usermove e2e4")
    move = xboard.until("move .*")[-1].split()[1]
    assert re.fullmatch("[a-h][78][a-h][56]", move)
    xboard.send("e4e5" if move not in ("e7e5", "d7d5", "f7f5") else "d2d3", "ping 1")  # without the word usermove
    assert [line.split()[0] for line in xboard.until("pong 1")] == ["move", "pong"]


def test_illegal_moves(xboard: Inside) -> None:
    xboard.send("usermove e2e5", "usermove e7e5", "usermove xyz", "usermove e2e4e")
    said = after_ping(xboard)
    assert sorted(line for line in said if "Illegal" in line) == [
        "Illegal move: e2e4e", "Illegal move: e2e5", "Illegal move: e7e5"]
    assert [line for line in said if "Illegal" not in line] == ["Error ('xyz' is not a move): usermove xyz"]


def test_unknown_commands_and_bad_values(xboard: Inside) -> None:
    bad = ["xyzzy 1", "st soon", "sd 0", "level 40", "level a b c", "variant foo", "option Hsh=3", "option Move Overhead=x",
           "memory much", "time x", "undo", "remove", "\x00\x01"]
    xboard.send(*bad)
    said = after_ping(xboard) + xboard.quiet(0.05)
    assert len(said) == len(bad) and all(re.match(r"Error \([^()]+\): ", line) for line in said), said
    assert any("Error (unknown command): xyzzy 1" in line for line in said)


def test_accepted_in_silence(xboard: Inside) -> None:
    xboard.send("computer", "random", "hard", "easy", "post", "nopost", "name Deep Thought", "rating 2000 2100", "ics -",
                "accepted ping", "rejected sigint", "level 40 1:30 0.25", "level 0 0 0.1", "level 0 2:00 12", "st 0",
                "st 86400", "time 100", "otim 100.5", "memory 32", "cores 1", "option Move Overhead=20", "option Clear Hash",
                "option Variant=chess", ".", "draw", "result * {nothing}")
    assert after_ping(xboard) == []


def test_setboard(xboard: Inside) -> None:
    xboard.send("force", "setboard 8/8/8 w - - 0 1", f"setboard {START[:20]}", "setboard")
    said = after_ping(xboard)
    assert len(said) == 3 and all(line.startswith("tellusererror Illegal position") for line in said)
    xboard.send("setboard 7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "go")
    assert xboard.until("1-0 .*")[-1] == "1-0 {White mates}"


def test_move_now_and_interruptions(xboard: Inside) -> None:
    xboard.send("new", "st 86400", "usermove e2e4", "?")
    xboard.until("move .*", 10)
    xboard.send("usermove a2a3", "force")  # nobody wants the move any more
    assert after_ping(xboard) == []
    xboard.send("undo", "new", "go", "new", "usermove d2d4", "?")
    xboard.until("move .*", 10)
    assert after_ping(xboard) == [] and len(xboard.engine.session.game.moves) == 2


def test_pong_waits_for_the_move(xboard: Inside) -> None:
    xboard.send("go", "ping 5")
    assert [line.split()[0] for line in xboard.until("pong 5")] == ["move", "pong"]


def test_undo_and_remove(xboard: Inside) -> None:
    xboard.send("force", "usermove e2e4", "usermove e7e5", "usermove g1f3", "undo", "remove", "ping 1")
    xboard.until("pong 1")
    assert xboard.engine.session.game.fen() == START


def test_explosion_is_claimed(xboard: Inside) -> None:
    xboard.send("variant atomic", "force", f"setboard {EXPLODED}", "go")
    assert xboard.until("0-1 .*")[-2:] == ["move h4f2", "0-1 {Black explodes the king}"]


def test_engine_defined_variant(xboard: Inside) -> None:
    xboard.send("variant nocheck-blast", "ping 1")
    said = xboard.until("pong 1")
    assert said[0].startswith("setup (PNBRQ...........K") and said[0].endswith(f"8x8+0_atomic {START}")
    xboard.send("force", "setboard 4k3/8/8/8/8/8/8/3QK2r w - - 0 1", "usermove d1d2")  # in check, and stays there
    assert after_ping(xboard) == []


def test_fischerandom_castling(xboard: Inside) -> None:
    xboard.send("variant fischerandom", "force", "setboard 1k6/8/8/8/8/8/8/1K4R1 w G - 0 1", "usermove O-O")
    assert after_ping(xboard) == []
    assert xboard.engine.session.game.fen().startswith("1k6/8/8/8/8/8/8/5RK1 b")


def test_fairy_is_what_the_option_says(xboard: Inside) -> None:
    xboard.send("option Variant=nocheckatomic", "new", "variant fairy", "ping 1")
    assert xboard.until("pong 1") == ["pong 1"]
    assert xboard.engine.session.game.rules.name == "nocheckatomic"


def test_repetition_is_offered(xboard: Inside) -> None:
    xboard.send("force", *f"{REPEAT} {REPEAT}".split()[:-1], "playother", "usermove f6g8", "ping 2")
    said = xboard.until("pong 2")
    assert said[0] == "offer draw" and said[1].startswith("move ")
    xboard.send("undo", "draw", "ping 3")
    assert xboard.until("pong 3") == ["offer draw", "pong 3"]


def test_thinking_output(xboard: Inside) -> None:
    xboard.send("post", "force", "setboard 7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "go")
    said = xboard.until("1-0.*")
    lines = [line for line in said if line[:1].isdigit() and "{" not in line]
    assert lines and all(re.fullmatch(r"\d+ -?\d+( \d+){4} 0\t([a-h][1-8]){2}( ([a-h][1-8]){2})*", line) for line in lines)
    assert lines[-1].split()[1] == "100001"


# Both


def test_lines_of_any_bytes() -> None:
    data = b"uci\r\n\xff\xfe\x00\n" + b"x" * (MAX_LINE + 10) + b"\nquit"
    first, second, third, fourth = read_lines(BytesIO(data))
    assert first == "uci\r" and isinstance(second, str) and third == MAX_LINE + 10 and fourth == "quit"


@pytest.mark.parametrize("word, meant", [
    ("og", "go"), ("prft", "perft"), ("warmpsit", "warmspit"), ("nonsense", ""), ("foo", ""), ("", "")])
def test_only_a_similar_word_is_suggested(word: str, meant: str) -> None:
    known = ["go", "perft", "openings", "proto", "warmspit"]
    assert options.suggestion(word, known) == (f", did you mean '{meant}'?" if meant else "")


def test_option_table() -> None:
    assert options.find("move overhead").name == "Move Overhead" and options.find("Variant").name == "UCI_Variant"
    with pytest.raises(OptionError, match="did you mean 'Threads'"):
        options.find("Thread")
    for option in options.OPTIONS:
        assert option.kind == "button" or option.parse(str(option.default)) == option.default


WORDS = ["uci", "isready", "position", "startpos", "fen", "moves", "e2e4", "e7e8q", "go", "depth", "1", "-1",
         "perft", "stop", "ponderhit", "setoption", "name", "value", "Hash", "UCI_Variant", "atomic", "d", "xyz",
         START, "usermove", "force", "new", "setboard", "undo", "remove", "?", "level", "st", "0.01", "ping",
         "variant", "option", "result", "draw", "\x00", "\u2654"]
NONSENSE = st.lists(st.one_of(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join), st.text(max_size=30)),
                    max_size=8)


@settings(max_examples=25, deadline=None)
@given(NONSENSE)
def test_uci_survives_nonsense(lines: list[str]) -> None:
    talk = Inside(Uci)
    # the answers to isready and d are what the test itself waits for
    lines = [line for line in lines if line.replace("\0", " ").split()[:1] not in (["quit"], ["isready"], ["d"])]
    talk.send(*lines, "stop", "position startpos", "stop", "isready")
    talk.until("readyok")
    talk.send("setoption name UCI_Variant value chess", "position startpos moves e2e4", "d", "stop")
    assert talk.until("Fen: .*", 60)[-1] == "Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    assert not any("internal error" in line for line in talk.heard)
    talk.close()


@settings(max_examples=25, deadline=None)
@given(NONSENSE)
def test_xboard_survives_nonsense(lines: list[str]) -> None:
    talk = Inside(XBoard)
    talk.send(*(line for line in lines if not line.strip().startswith("quit")), "option Variant=chess", "new", "force",
              "usermove e2e4", "ping 77")
    talk.until("pong 77")
    assert talk.engine.session.game.fen() == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    assert not any("internal error" in line for line in talk.heard)
    talk.close()


# The process

WATCH = """
import sys, runpy
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "numpy", "chess", "llvmlite"):
            print("LOADED", name, flush=True)
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
sys.argv = ["kingmaker", *sys.argv[1:]]
runpy.run_module("engine", run_name="__main__")
"""


@pytest.mark.parametrize("first, answer", [("uci", "uciok"), ("xboard", "feature done=0")])
def test_answers_before_anything_heavy_is_loaded(first: str, answer: str) -> None:
    done = subprocess.run([sys.executable, "-c", WATCH], input=f"{first}\nisready\nprotover 2\n".encode(), cwd=ROOT,
                          capture_output=True, timeout=60, check=False)
    lines = done.stdout.decode().splitlines()
    assert answer in lines
    assert not any(line.startswith("LOADED") for line in lines[:lines.index(answer)])
    assert done.stderr == b""


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_help_is_light(argument: str) -> None:
    done = subprocess.run([sys.executable, "-c", WATCH, argument], cwd=ROOT, capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode == 0 and "LOADED" not in done.stdout and "kingmaker" in done.stdout


def test_wrong_usage() -> None:
    done = subprocess.run([*ENGINE, "prft"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "did you mean 'perft'?" in done.stderr and done.stdout == ""


def test_waits_for_the_protocol() -> None:
    with Process() as talk:
        assert talk.quiet(0.3) == []  # not a line before the first command
        talk.send("", "hello", "uci")
        assert "say uci or xboard" in talk.until("uciok")[0]
        talk.send("quit")
        assert talk.end() == (0, "")


def test_junk_never_ends_the_process() -> None:
    with Process() as talk:
        talk.send("uci", "position startpos moves e2e4")
        talk.raw(b"\xff\xfe\x00\x80 junk \x1b[0m\r\n" + b"\0" * 1000 + b"\n")
        talk.raw(b"position startpos moves " + b"e2e4 " * 2_000_000 + b"\n")
        talk.send("d")
        said = talk.until("Fen: .*")
        assert said[-1].endswith("/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
        assert len([line for line in said if "characters" in line]) == 1
        talk.hang_up()
        assert talk.end() == (0, "")


@pytest.mark.parametrize(("work", "how"), [
    ("go infinite", "quit"), ("go infinite", "hang up"), ("go perft 12", "quit"), ("isready", "quit"), ("isready", "hang up")])
def test_quits_from_anything(work: str, how: str) -> None:
    with Process() as talk:
        talk.send("uci", "isready")
        talk.until("readyok")
        talk.send("position startpos", work)
        if work == "go infinite":
            talk.until("info depth 2.*")
        if how == "quit":
            talk.send("quit")
        else:
            talk.hang_up()
        assert talk.end() == (0, "")


def test_quits_from_a_cold_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KINGMAKER_CACHE", str(tmp_path / "cache"))
    with Process() as talk:
        talk.send("uci", "isready")
        talk.until("info string compiling chess.*")
        talk.send("quit")
        assert talk.end(10) == (0, "")


def test_ends_quietly_when_nobody_reads() -> None:
    process = subprocess.Popen(ENGINE, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    process.stdin.write(b"uci\n")
    process.stdin.flush()
    process.stdout.readline()
    process.stdout.close()
    with contextlib.suppress(BrokenPipeError):  # the rest of what it says to the first `uci` may have ended it already
        process.stdin.write(b"isready\nuci\n")
        process.stdin.flush()
    assert process.wait(60) == 0 and process.stderr.read() == b""
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()


def test_interrupt_is_ignored() -> None:
    with Process() as talk:
        talk.send("uci")
        talk.until("uciok")
        talk.process.send_signal(signal.SIGINT)
        talk.send("isready")
        talk.until("readyok")
        talk.send("quit")
        assert talk.end() == (0, "")
