"""Matches between engines that do not fail: books, the command line, files, and games of every kind."""

from __future__ import annotations

import json
import os
import random
import shlex
import sqlite3
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import chess
import chess.engine
import chess.pgn
import pytest

import variants
from bench.__main__ import main
from bench.check import verify
from bench.clients.uci import UciClient
from bench.clients.xboard import edit_commands
from bench.match import command as match
from bench.match.openings import Book, read_epd, read_pgn
from bench.match.pgn import game_text
from bench.match.records import End, GameRecord
from bench.match.referee import Adjudication, DrawRule, GameTask, Referee, ResignRule
from bench.match.schedule import Schedule
from bench.match.seats import RefusedError, UciSeat
from bench.match.setup import Setup, read_setup
from bench.match.specs import Clock, EngineSpec, TimeControl
from bench.match.stats import Sprt
from bench.match.store import Store
from bench.match.tables import Table
from bench.match.wire import IllegalMoveError, WireGame
from engine.errors import CommandError, EngineError
from engine.game import Game, Reason
from support.games import LICHESS_LONG
from support.places import BAD, ROOT
from support.talk import ENGINE, PATIENCE

START = chess.STARTING_FEN

# Openings.


def test_epd_of_four_to_seven_fields(tmp_path: Path) -> None:
    book = tmp_path / "b.epd"
    book.write_text('# a comment\n\nrnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - hmvc 3; fmvn 7; id "king\'s pawn";\n'
                    "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 1 2\n"
                    "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 bm Nf3; ce 30;\n")
    first, second, third = read_epd(book, variants.find("chess"), False)
    assert first.fen == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 3 7" and first.name == "king's pawn"
    assert second.fen.endswith("b KQkq - 1 2") and third.fen.endswith("w KQkq - 0 1") and third.place == 3
    book.write_text('6q1/8/6KB/8/8/8/8/8 w - - 0 1 g6/g8 ce 5; id "x";\n6q1/8/6KB/8/8/8/8/8 w - -\n')
    fens = [opening.fen for opening in read_epd(book, variants.find("ataturk"), False)]
    assert fens == ["6q1/8/6KB/8/8/8/8/8 w - - 0 1 g6/g8"] * 2
    book.write_text("4k3/8/8/8/8/8/8/4K2Q w - - 0 1 +1+2\n4k3/8/8/8/8/8/8/4K2Q w - - 2+1 0 1\n4k3/8/8/8/8/8/8/4K2Q w - -\n")
    fens = [opening.fen for opening in read_epd(book, variants.find("3check"), False)]
    assert [fen.split()[6] for fen in fens] == ["+1+2", "+1+2", "+0+0"]


@pytest.mark.parametrize(("text", "what"), [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq -\n", "line 1: the board has 7 ranks instead of 8"),
    ("\nhello\n", "line 2: "),
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\n", "line 1: the game is over there, 1/2-1/2 by stalemate"), ("", "no positions in")])
def test_bad_books(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "b.epd"
    path.write_text(text)
    with pytest.raises(CommandError, match=what):
        Book(str(path)).openings(variants.find("chess"), False, 1, 5)


def test_pgn_books(tmp_path: Path) -> None:
    path = tmp_path / "b.pgn"
    path.write_text('[Opening "Ruy Lopez"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n\n[Event "?"]\n\n1. d4 *\n')
    ruy, queen = read_pgn(path, variants.find("chess"), False, 4)
    assert (ruy.moves, ruy.name, queen.moves) == (("e2e4", "e7e5", "g1f3", "b8c6"), "Ruy Lopez", ("d2d4",))
    with pytest.raises(CommandError, match="game 1 is a game of chess, not of atomic"):
        read_pgn(path, variants.find("atomic"), False)
    path.write_text('[Variant "Ataturk"]\n\n1. Qd1++ f6 *\n')
    assert read_pgn(path, variants.find("ataturk"), False)[0].moves == ("K@d1", "f7f6")


def test_the_order_of_a_book(tmp_path: Path) -> None:
    path = tmp_path / "b.epd"
    path.write_text("".join(f"{START.rsplit(' ', 1)[0]} {number}\n" for number in range(1, 8)))
    rules = variants.find("chess")

    def places(wanted: int, **how: object) -> list[int | None]:
        book = Book(str(path), **how)  # type: ignore[arg-type]
        return [opening.place for opening in book.openings(rules, False, 5, wanted)]

    assert places(9) == [1, 2, 3, 4, 5, 6, 7, 1, 2] and places(3, start=6) == [6, 7, 1]
    assert places(7, order="random") == places(7, order="random") != [1, 2, 3, 4, 5, 6, 7]
    assert sorted(places(7, order="random"), key=str) == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("name", [*variants.names(), *LICHESS_LONG])
def test_the_shipped_books_are_for_matches(name: str) -> None:
    openings = Book("book").openings(variants.find(name), False, 1, 50)
    assert len({opening.fen for opening in openings}) == 50


def test_every_end_by_the_rules_can_be_recorded() -> None:
    assert {reason.value for reason in Reason} <= {end.value for end in End}


# What engines are sent.


def test_a_game_is_told_so_that_engines_of_others_understand() -> None:
    game = Game("shatar")
    for move in ("d2d4", "d7d5", "g1f3"):
        game.push(move)
    told = WireGame(game)
    # After the obligatory moves, in six fields.
    assert told.root_fen == "rnbjkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBJKBNR w - - 0 2"
    assert [move.text for move in told.moves] == ["g1f3"] and told.turn == 1
    marked = "1J5k/7p/8/8/8/8/8/K6R b - - 0 1 w"
    assert WireGame(Game("shatar", marked)).root_fen == marked  # no six fields say this
    assert WireGame(Game("ataturk")).root_fen == "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert WireGame(Game("3check")).root_fen.endswith("w KQkq - 0 1 +0+0")  # no field would be a limit that is reached
    with pytest.raises(IllegalMoveError, match=r"'h8h1' in 1J5k"):
        WireGame(Game("shatar", marked)).parse("h8h1")
    castle = WireGame(Game("chess", "4k3/8/8/8/8/8/8/4K2R w H - 0 1", chess960=True))
    assert castle.xboard_text(castle.parse("e1h1")) == "O-O" and castle.parse_xboard("O-O").text == "e1h1"


def test_positions_for_engines_without_setboard() -> None:
    assert edit_commands("4k3/8/8/8/8/8/6P1/4K2R b - - 0 1") == ["a2a3", "edit", "#", "Pg2", "Ke1", "Rh1", "c", "Ke8", "."]
    assert edit_commands("4k3/8/8/8/8/8/8/4K3 w - - 0 1")[0] == "edit"


@pytest.mark.parametrize(("text", "seconds", "increment", "moves"), [
    ("10+0.1", 10, 0.1, 0), ("1:30+1", 90, 1, 0), ("40/60", 60, 0, 40), ("0.5", 0.5, 0, 0), ("40/1:00+0.5", 60, 0.5, 40)])
def test_time_controls(text: str, seconds: float, increment: float, moves: int) -> None:
    control = TimeControl.parse(text)
    assert control == TimeControl(seconds, increment, moves)
    assert control is not None and TimeControl.parse(str(control)) == control
    assert TimeControl.parse("inf") is None


def test_clocks() -> None:
    clock = Clock(TimeControl(10, 1, 2))
    clock.punch(3)
    assert (clock.left, clock.to_go) == (8, 1)
    clock.punch(4)
    assert (clock.left, clock.to_go) == (15, 2)  # the next two moves
    sudden = Clock(TimeControl(1))
    sudden.punch(1.5)
    assert sudden.left == 0  # what a margin allowed is not owed


# The command line.


def setup_of(*words: str) -> Setup:
    parser = ArgumentParser()
    match.add_arguments(parser)
    return read_setup(parser.parse_args(words))


TWO = ("-engine", f"cmd={sys.executable}", "name=a", "-engine", f"cmd={sys.executable}", "name=b")


def test_words_of_fastchess_and_cute_chess() -> None:
    setup = setup_of(
        *TWO[:3], "option.Hash=32", "tc=8+0.08", *TWO[3:], "proto=xboard", "-each", "tc=10+0.1", "timemargin=50",
        "-rounds", "50", "-repeat", "-variant", "atomic",
        "-sprt", "elo0=0", "elo1=2", "alpha=0.05", "beta=0.1", "model=logistic",
        "-resign", "movecount=4", "score=500", "twosided=true", "-draw", "movenumber=30", "movecount=6", "score=5",
        "-maxmoves", "300", "-pgnout", "file=x.pgn", "notation=san", "-seed", "7", "-recover")
    first, second = setup.engines
    assert first.options == (("Hash", "32"),) and first.tc == TimeControl(8, 0.08) and first.margin == 0.05
    assert second.protocol == "xboard" and second.tc == TimeControl(10, 0.1) and second.options == ()
    assert setup.schedule == Schedule(2, rounds=50, games=2) and setup.sprt == Sprt(0, 2, 0.05, 0.1, "logistic")
    assert setup.rules == Adjudication(ResignRule(4, 500, True), DrawRule(30, 6, 5), 300)
    assert (setup.variant, setup.seed, Path(setup.pgn or "").name) == ("atomic", 7, "x.pgn")
    assert setup_of(*TWO, "-each", "nodes=5", "-variant", "chess960").chess960
    twice = setup_of(*TWO, "-each", "nodes=5")
    engines = tuple(EngineSpec.from_settings(engine.name, shlex.join(engine.command), engine.protocol,
                                             json.loads(json.dumps(engine.settings()))) for engine in setup.engines)
    again = Setup.from_settings(json.loads(json.dumps(setup.settings())).get, engines)
    assert again == setup and twice != setup


@pytest.mark.parametrize(("words", "what"), [
    ((), "a match needs two engines or more, and there are none"),
    (TWO[:3], "and there is one"),
    (TWO, "a has no limit: add tc=, st=, depth= or nodes="),
    ((*TWO, "-each", "depht=3"), "-each: unknown key 'depht', did you mean 'depth'?"),
    ((*TWO, "-each", "depth"), "-each: 'depth' is not KEY=VALUE"),
    ((*TWO, "-each", "depth=0"), "-each: depth=0 is not a whole number from 1 to 1000"),
    ((*TWO[:3], "depth=0", *TWO[3:], "-each", "depth=1"), "-engine: depth=0 is not a whole number"),
    ((*TWO, "-each", "nodes=many"), "nodes=many is not a whole number"),
    ((*TWO, "-each", "tc=fast"), r"tc='fast' is not \[MOVES/\]\[MINUTES:\]SECONDS\[\+INCREMENT\]"),
    ((*TWO, "-each", "tc=-1"), "tc='-1' is out of range"),
    ((*TWO, "-each", "tc=0"), "leaves no time at all"),
    ((*TWO, "-each", "depth=1", "proto=usi"), "proto=usi is neither uci nor xboard"),
    ((*TWO[:4], "cmd=sh", "name=a", "-each", "depth=1"), "two engines are called 'a'"),
    ((*TWO, "-each", "depth=1", "-variant", "checkers"), "unknown variant 'checkers'"),
    ((*TWO, "-each", "depth=1", "-rounds", "0"), "-rounds 0 is less than 1"),
    ((*TWO, "-each", "depth=1", "-openings", "file=/no/book.epd"), "no book of openings at '/no/book.epd'"),
    ((*TWO, "-each", "depth=1", "-openings", "order=random"), "-openings: file= is missing"),
    ((*TWO, "-each", "depth=1", "-openings", "file=x", "format=abk"), "format=abk is neither epd nor pgn"),
    ((*TWO, "-each", "depth=1", "-sprt", "elo0=3", "elo1=x"), "-sprt: elo1=x is not a number"),
    ((*TWO, "-engine", "cmd=sh", "-each", "depth=1", "-sprt", "elo0=0"), "-sprt compares two engines, and there are 3"),
    ((*TWO, "-each", "depth=1", "-resign", "twosided=maybe"), "twosided=maybe is neither on nor off"),
    ((*TWO, "-each", "depth=1", "-pgnout", "one.pgn", "two.pgn"), "-pgnout one.pgn two.pgn: there can be only one file"),
    ((*TWO, "-each", "depth=1", "-openings", "file=book", "plies=2"), "-openings: plies=2 is for PGN"),
    ((*TWO, "-each", "depth=1", "-repeat", "3"), "-repeat 3: an opening is played twice"),
])
def test_bad_command_lines_name_what_is_wrong(words: tuple[str, ...], what: str) -> None:
    with pytest.raises(EngineError, match=what) as caught:
        setup_of(*words)
    assert "\n" not in str(caught.value)


def test_files_that_are_in_the_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = tmp_path / "r.sqlite"
    assert main(["match", "-results", str(results), "--resume"]) == 2
    assert f"nothing to resume: no results at {results}" in capsys.readouterr().err
    results.write_text("hello")
    assert main(["match", "-results", str(results), "--resume"]) == 2
    assert f"{results} is not a file of match results" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [results]  # no lock either
    assert main(["match", *TWO, "-each", "depth=1", "-results", str(results)]) == 2
    assert f"{results} exists already: give --resume to continue" in capsys.readouterr().err
    assert main(["verify", str(tmp_path / "none.pgn")]) == 2 and "cannot read" in capsys.readouterr().err


def test_the_engines_own_name_of_the_game() -> None:
    """variant= counts over UCI too; without it the game has our name."""
    offered = chess.engine.Option("UCI_Variant", "combo", "chess", None, None, ["chess", "blast"])
    for name, said in (("blast", "setoption name UCI_Variant value blast"), (None, "does not play atomic"),
                       ("boom", "does not play boom: its variants are chess, blast")):
        sent: list[str] = []
        client = SimpleNamespace(send=sent.append, ready=lambda _: None,
                                 set_option=lambda key, value, sent=sent: sent.append(f"setoption name {key} value {value}"))
        seat = UciSeat(cast(UciClient, client), EngineSpec("x", ("x",), depth=1, variant=name))
        seat._options, seat._values = {"uci_variant": offered}, {"uci_variant": "chess"}
        if name == "blast":
            seat.prepare(WireGame(Game("atomic")), 0.0)
            assert sent == [said, "ucinewgame"]
        else:
            with pytest.raises(RefusedError, match=said):
                seat.prepare(WireGame(Game("atomic")), 0.0)


# Games.


def adjudicated(rules: Adjudication, scores: list[tuple[int | None, int | None]], moves: int = 12) -> GameRecord:
    """A game between two silent players that report these scores, White and Black in turn."""
    from bench.match.players import Reply

    spec = EngineSpec("x", ("x",), depth=1)
    referee = Referee(GameTask(1, 1, 1, spec, spec, "chess", START, rules=rules), (None, None))  # type: ignore[arg-type]
    shuffle = ["g1f3", "g8f6", "b1c3", "b8c6", "a2a3", "a7a6", "h2h3", "h7h6", "e2e3", "e7e6", "d2d3", "d7d6"]
    for ply, (move, score) in enumerate(zip(shuffle, [score for pair in scores for score in pair], strict=False)):
        if referee.over():
            break
        referee.game.push(move)
        referee.note_score(ply % 2, Reply(None, 0.0, score))
    referee.over()
    return referee.record


def test_games_that_are_given_up_or_called_off() -> None:
    resign = Adjudication(resign=ResignRule(2, 500))
    assert adjudicated(resign, [(-600, 100), (-600, 100)]).reason is End.RESIGN_RULE
    assert adjudicated(resign, [(-600, 100), (-600, 100)]).result == "0-1"
    assert adjudicated(resign, [(100, -600), (100, -400), (100, -600)]).reason is End.VOID  # not in a row
    assert adjudicated(resign, [(None, -600), (None, None), (0, -600)]).reason is End.VOID  # None is not a score
    both = Adjudication(resign=ResignRule(2, 500, both=True))
    assert adjudicated(both, [(-600, 100), (-600, 100)]).reason is End.VOID
    assert adjudicated(both, [(-600, 600), (-600, 700)]).result == "0-1"
    draw = Adjudication(draw=DrawRule(3, 2, 10))
    assert adjudicated(draw, [(90, 90), (5, -5), (0, 0), (1, 1)]).reason is End.DRAW_RULE
    assert adjudicated(draw, [(0, 0), (0, 0)]).reason is End.VOID  # too early
    assert adjudicated(draw, [(0, 0), (0, 0), (0, 50), (0, 0)]).reason is End.VOID
    assert adjudicated(Adjudication(max_moves=4), [(0, 0)] * 6).reason is End.MOVE_LIMIT


def replay(folder: Path, moves: list[str], name: str) -> EngineSpec:
    script = folder / "moves.txt"
    script.write_text(" ".join(moves))
    return EngineSpec(name, (sys.executable, BAD, "replay", str(script)), tc=TimeControl(60, 1))


def test_the_referee_costs_two_milliseconds_a_move_at_most(tmp_path: Path, dice: random.Random) -> None:
    """CPU time of the process that judges, engines that do not think, 200 plies, the best of three games."""
    moves: list[str] = []
    while len(moves) < 200:
        game, moves = Game("chess"), []
        while game.outcome() is None and len(moves) < 200:
            moves.append(dice.choice(game.legal_moves()))
            game.push(moves[-1])
    white, black = replay(tmp_path, moves, "a"), replay(tmp_path, moves, "b")
    table = Table()
    costs = []
    for number in range(3):
        record = table.play(GameTask(number, 1, 1, white, black, "chess", START, rules=Adjudication(max_moves=100)))
        assert record.reason is End.MOVE_LIMIT and [ply.move for ply in record.plies] == moves
        costs.append(1000 * record.overhead / len(moves))
    table.send_home()
    print("milliseconds of CPU per move:", *(f"{cost:.2f}" for cost in costs))
    assert min(costs) <= 2


def test_scripted_ends(tmp_path: Path) -> None:
    """The rules' ends, each by the engines' own moves: fool's mate, repetition, stalemate in ten (Sam Loyd)."""
    loyd = ("e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 a5c7 a6h6 h2h4 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6")
    for text, result, reason in (("f2f3 e7e5 g2g4 d8h4", "0-1", End.CHECKMATE), (loyd, "1/2-1/2", End.STALEMATE),
                                 ("g1f3 g8f6 f3g1 f6g8 " * 2, "1/2-1/2", End.REPETITION)):
        table, moves = Table(), text.split()
        record = table.play(GameTask(1, 1, 1, replay(tmp_path, moves, "a"), replay(tmp_path, moves, "b"), "chess", START))
        table.send_home()
        assert (record.result, record.reason, len(record.plies)) == (result, reason, len(moves)), record
        assert list(verify.look(record)) == [] and verify.look_with_pyffish(record) == []


def test_who_leaves_after_mating_has_mated(tmp_path: Path) -> None:
    """As old XBoard engines do: the process ends with its last move."""
    table, script = Table(), replay(tmp_path, ["f2f3", "e7e5", "g2g4", "d8h4"], "a")
    leaver = EngineSpec("b", (sys.executable, BAD, "leaves", "2", str(tmp_path / "moves.txt")), "xboard", tc=TimeControl(60, 1))
    record = table.play(GameTask(1, 1, 1, script, leaver, "chess", START))
    table.send_home()
    assert (record.result, record.reason) == ("0-1", End.CHECKMATE), record


def test_verify_finds_what_is_wrong(tmp_path: Path) -> None:
    table, moves = Table(), ["f2f3", "e7e5", "g2g4", "d8h4"]
    record = table.play(GameTask(1, 1, 1, replay(tmp_path, moves, "a"), replay(tmp_path, moves, "b"), "chess", START))
    table.send_home()
    record.result = "1-0"
    assert list(verify.look(record)) == ["is 0-1 by checkmate, not 1-0 by checkmate"]
    assert verify.look_with_pyffish(record) == ["pyffish: 0-1, not 1-0 by checkmate"]
    record.result, record.plies[2].move = "0-1", "g2g5"
    assert "ply 3: illegal" in next(iter(verify.look(record)))
    assert verify.look_with_pyffish(record) == ["pyffish: ply 3, g2g5 is not legal"]
    record.plies[2].move = "g2g3"
    assert any("not g4" in trouble for trouble in verify.look(record))
    del record.plies[2:]
    assert "checkmate at the end of a game that is not over" in list(verify.look(record))


GAMES = [("ataturk", None), ("ascending", "rr2R3/4p3/8/8/8/8/8/K7 b - - 0 1"), ("shatar", None), ("madness", None)]


@pytest.mark.parametrize("proto", ["uci", pytest.param("xboard", marks=pytest.mark.long)])
def test_our_own_games(proto: str, tmp_path: Path) -> None:
    """Kingmaker against itself at games of every kind of move text, one pair of processes: results, store, PGN, second look."""
    tc = None if proto == "xboard" else TimeControl(20, 1)
    spec = EngineSpec("k", tuple(ENGINE), proto, str(ROOT), tc=tc, depth=2, startup=PATIENCE)
    other = EngineSpec("l", tuple(ENGINE), "uci", str(ROOT), tc=TimeControl(20, 1), depth=2, startup=PATIENCE)
    store, table, texts = Store.create(tmp_path / "r.sqlite"), Table(), []
    store.begin([("k", "k", proto, {}), ("l", "l", "uci", {})], {"variant": "all"})
    records = []
    for number, (name, fen) in enumerate(GAMES, 1):
        start = fen or variants.find(name).start_fen
        record = table.play(GameTask(number, 1, number, spec, other, name, start, rules=Adjudication(max_moves=60)))
        assert not record.reason.fault and record.result != "*", record
        assert list(verify.look(record)) == [] and not record.illegal_lines, record
        store.add(record)
        texts.append(game_text(record, "test", ("20+1", "20+1")))
        records.append(record)
    table.send_home()
    (tmp_path / "r.pgn").write_text("".join(texts))
    for file in ("r.pgn", "r.sqlite"):
        for (found, troubles), record in zip(verify.games(tmp_path / file), records, strict=True):
            assert not troubles
            assert [ply.move for ply in found.plies] == [ply.move for ply in record.plies]
            assert (found.result, found.reason, found.final_fen) == (record.result, record.reason, record.final_fen)
    assert all(ply.seconds is not None for record in records for ply in record.plies if not ply.book)
    store.close()


def run_match(folder: Path, *more: str) -> str:
    """What the command prints when three engines play."""
    engines = [word for name in "abc" for word in ("-engine", f"cmd={sys.executable}", f"args={BAD} good", f"name={name}")]
    words = [*engines, "-each", "tc=30", "-maxmoves", "5", "-concurrency", "2", "-results", str(folder / "r.sqlite"), *more]
    done = subprocess.run([sys.executable, "-m", "bench", "match", *words], cwd=ROOT, capture_output=True, text=True,
                          timeout=120, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def test_a_round_robin_on_a_pipe(tmp_path: Path) -> None:
    plain = run_match(tmp_path)
    assert "\x1b" not in plain and plain.count("Game ") == 6 and "1. a: 2 of 4, Elo +0.0 ± " in plain
    assert "left 0:00:" in plain and "\nends: move limit 6\nCPU per move: " in plain


@pytest.mark.long
def test_a_swiss_tournament_in_json(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in run_match(tmp_path, "-tournament", "swiss", "-rounds", "2", "--json").splitlines()]
    assert len(lines) == 5 and lines[-1]["result"]["games"] == 4
    assert {line["reason"] for line in lines[:-1]} == {"move limit"}
    rows = sqlite3.connect(tmp_path / "r.sqlite").execute("SELECT round, white, black FROM games ORDER BY number").fetchall()
    # All games are drawn: in round 2 the one who sat out meets the first of the others.
    assert rows == [(1, 1, 2), (1, 2, 1), (2, 3, 1), (2, 1, 3)]
