"""The clients of other engines read what these say, and the players in this process play by the loop."""

from __future__ import annotations

import random
import sys
import time
from types import SimpleNamespace

import pytest

from bench.clients.inprocess import Lot, Thought, draw_opening, take_back, turns
from bench.clients.process import EngineGoneError, EngineProcess, NoAnswerError, blamed
from bench.clients.uci import Thinking, UciClient, read_thinking
from bench.clients.xboard import XBoardClient
from bench.clients.xboard import read_thinking as read_post
from bench.match.seats import RefusedError, chosen_options
from bench.match.specs import EngineSpec
from bench.match.xboard_seat import read_option
from engine.errors import CommandError
from engine.game import Game

ECHO = [sys.executable, "-c", "import sys\nfor line in sys.stdin: print('heard', line, end='', flush=True)"]


@pytest.mark.parametrize(("line", "found"), [
    ("info depth 12 seldepth 20 multipv 1 score cp -34 nodes 5000 nps 1 time 2", Thinking(12, 5000, -34, None)),
    ("info score mate -3 upperbound depth 5", Thinking(5, None, None, -3)),
    ("info seldepth 20 score cp +7", Thinking(None, None, 7, None)),
    ("info depth x score cp y", Thinking()), ("info string depth 3 score cp 1", Thinking()), ("", Thinking())])
def test_info_lines_are_read_as_far_as_they_can_be(line: str, found: Thinking) -> None:
    assert read_thinking(line) == found


@pytest.mark.parametrize(("line", "found"), [
    (" 7  -12 34 5000 e2e4 e7e5", Thinking(7, 5000, -12, None)), ("3 100002 0 9", Thinking(3, 9, None, 2)),
    ("3 -100002 0 9", Thinking(3, 9, None, -2)), ("7+ 12 0 9 e2e4", Thinking()), ("hello", Thinking())])
def test_lines_of_thinking_over_xboard(line: str, found: Thinking) -> None:
    assert read_post(line) == found


def test_options_over_xboard() -> None:
    spin, combo, check, button = map(read_option, (
        "Depth of it -spin 3 1 9", "Style -combo *Solid /// Wild", "Book -check 1", "Clear Hash -button"))
    assert (spin.name, spin.default, spin.min, spin.max) == ("Depth of it", 3, 1, 9)
    assert (combo.default, combo.var) == ("Solid", ["Solid", "Wild"]) and check.default is True
    spec = EngineSpec("x", ("x",), options=(("depth OF it", "9"), ("style", "Wild"), ("BOOK", "off"), ("Clear Hash", "")))
    known = {option.name.lower(): option for option in (spin, combo, check, button)}
    assert chosen_options(spec, known) == {"Depth of it": 9, "Style": "Wild", "Book": False, "Clear Hash": None}
    for name, value, said in (("Depth of it", "10", "at most 9"), ("Style", "Dull", "Solid, Wild"),
                              ("Book", "maybe", "neither"), ("Stile", "Wild", "did you mean 'Style'")):
        with pytest.raises(RefusedError, match=said):
            chosen_options(EngineSpec("x", ("x",), options=((name, value),)), known)
    for text in ("Depth -spin 3", "Depth", "Book -check maybe"):
        with pytest.raises(RefusedError, match="cannot read option"):
            read_option(text)


def test_a_process_keeps_a_log_and_a_listener_sifts_lines() -> None:
    with EngineProcess(ECHO) as engine:
        engine.listener = lambda when, line: "drop" not in line
        sent = engine.send("drop this", "keep this")
        (line,) = engine.timed("heard keep this", 20)
        assert line.when >= sent and engine.listen(0.05) == [] and engine.alive
        assert [entry.sign + entry.text for entry in engine.log] == [
            ">drop this", ">keep this", "<heard drop this", "<heard keep this"]
        assert engine.log_text().count("\n") == 4 and engine.reader_seconds > 0
        engine.send("keep that")
        with pytest.raises(NoAnswerError, match="no miracle within 1 s; it said 'heard keep that'"):
            engine.until("never", 1, "miracle")
    assert not engine.alive


def test_no_answer_is_earlier_than_its_question(monkeypatch: pytest.MonkeyPatch) -> None:
    with EngineProcess(ECHO) as engine:
        assert engine.process.stdin is not None
        flush = engine.process.stdin.flush

        def flush_and_dawdle() -> None:
            flush()
            while engine.alive and engine.reader_seconds == 0:  # the answer is here before the call returns
                time.sleep(0.001)

        monkeypatch.setattr(engine.process, "stdin", SimpleNamespace(
            write=engine.process.stdin.write, flush=flush_and_dawdle, close=engine.process.stdin.close))
        sent = engine.send("quick")
        (line,) = engine.timed("heard quick", 20)
        assert line.when >= sent


def test_whoever_fails_is_blamed_by_command() -> None:
    said = "-c pass: it ended with status 0"
    with UciClient([sys.executable, "-c", "pass"]) as engine, pytest.raises(CommandError, match=said), blamed(engine):
        engine.greet(20)
    with XBoardClient(ECHO) as echo:
        assert not echo.greet(0.2, 0.2) and echo.features.first is None
        assert echo.moves(["e2e4"]) == ["e2e4"]
        echo.hang_up()
        with pytest.raises(EngineGoneError):
            echo.listen(20)


def test_turns_end_by_the_rules_or_by_length() -> None:
    def first(game: Game) -> Thought:
        return Thought(game.parse(min(game.legal_moves())), len(game.moves))

    game = Game("chess")
    assert [thought.score for thought in turns(game, (first, first), 5)] == [0, 1, 2, 3, 4] and len(game.moves) == 5
    fools = iter(["f2f3", "e7e5", "g2g4", "d8h4"])
    mate = Game("chess")
    assert len(list(turns(mate, (lambda g: Thought(g.parse(next(fools))),) * 2))) == 4 and mate.is_checkmate()
    for _ in turns(other := Game("chess"), (first, first)):
        break
    assert not other.moves, "the caller left before the move was made"


def test_an_opening_counts_the_moves_that_count() -> None:
    game, chance = Game("chess"), random.Random(3)
    assert draw_opening(game, chance, 4) and len(game.moves) == 4
    take_back(game, 1)
    assert len(game.moves) == 1
    assert draw_opening(game, chance, 2, lambda g: Lot(g.legal_moves(), counts=g.turn == 0)) and len(game.moves) == 5
    mated = Game("chess", "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    assert not draw_opening(mated, chance, 2) and not mated.moves
