"""The XBoard protocol beyond moves: analysis, pondering, hints, draws, edit mode, clocks. Lines in, lines out."""

from __future__ import annotations

import re
import threading
import time

import pytest

from engine.errors import CommandError
from engine.protocol.session import Session
from engine.protocol.xboard import play as xboard_play
from engine.protocol.xboard.clock import Clock
from engine.protocol.xboard.commands import XBoard
from search.limits import Limits
from support.talk import Inside

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
SPARSE = "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 b - - 0 1"
MATE_IN_ONE = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1"
THOUGHT = r"\d+ -?\d+ \d+ \d+ \d+ \d+ 0\t\S.*"


def engine_of(talk: Inside) -> XBoard:
    """The engine behind it."""
    assert isinstance(talk.engine, XBoard)
    return talk.engine


def after_ping(talk: Inside) -> list[str]:
    """What it says to the commands so far."""
    talk.send("ping 99")
    return talk.until("pong 99")[:-1]


def analysis_begins(talk: Inside) -> list[str]:
    """The first lines of an analysis."""
    return talk.until(THOUGHT, 20)


# Analysis


def test_analysis_and_all_that_may_come_inside(xboard: Inside) -> None:
    xboard.send("post", "analyze")
    first = analysis_begins(xboard)[-1]
    assert re.fullmatch(THOUGHT, first)
    xboard.until("[5-9] .*", 20)
    xboard.send(".")
    stat = xboard.until("stat01: .*", 10)[-1].split()
    assert len(stat) == 7 and all(word.isdigit() for word in stat[1:6])
    assert int(stat[5]) == 20 and 0 <= int(stat[4]) <= 20 and stat[6] in engine_of(xboard).session.game.legal_moves()
    assert "pong 99" in [*after_ping(xboard), "pong 99"]  # answered while it goes on

    def next_move(*lines: str) -> str:
        """The first move of the first line of thinking after some commands."""
        xboard.send(*lines)
        after_ping(xboard)  # all that comes now is about the new position
        return analysis_begins(xboard)[-1].split("\t")[1].split()[0]

    assert next_move("usermove e2e4")[1] in "78"  # Black's turn
    assert next_move("undo")[1] in "12"
    assert next_move("usermove e2e4", "usermove e7e5", "remove")[1] in "12"
    assert next_move(f"setboard {MATE_IN_ONE}") in ("g6g7", "g6e8")
    assert next_move("new")[1] in "12" and engine_of(xboard).session.game.fen() == START
    xboard.send("usermove e2e5")
    assert xboard.until("Illegal move: e2e5")
    xboard.send("exit")
    after_ping(xboard)
    assert xboard.quiet(0.2) == [] and engine_of(xboard).side is None  # silence, force mode
    xboard.send("usermove e2e4", "sd 4", "go")
    assert xboard.until("move .*")


@pytest.mark.parametrize("abandon", [False, True])
def test_a_last_line_for_those_who_wait(abandon: bool) -> None:
    """A stopped search reports once more; one that was left says nothing, or its line is taken for the next position's."""
    session, late = Session(lambda line: None), list[bool]()
    ticket = session.ticket()
    thread = threading.Thread(target=session.think,
                              args=(ticket, Limits(infinite=True), lambda info: late.append(ticket.stopped)))
    thread.start()
    while len(late) < 12:  # from here on an iteration takes its time
        assert thread.is_alive()
        time.sleep(0.001)
    session.stop(abandon)
    thread.join(10)
    session.done(ticket)
    assert any(late) is not abandon


def test_analysis_without_some_moves(xboard: Inside) -> None:
    xboard.send("setboard 7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "exclude all", "include f6e6", "post", "analyze")
    assert analysis_begins(xboard)[-1].split("\t")[1].split()[0] == "f6e6"
    xboard.send("exclude g6g5", "exclude f6e6", "include g6g1")
    xboard.until(r".*\tg6g1\b.*", 20)
    xboard.send("include all")
    xboard.until(r".*\tg6(g7|e8)\b.*", 20)
    xboard.send("exclude all")
    after_ping(xboard)
    assert xboard.quiet(0.1) == []
    xboard.send("exclude e9e9", "exit")
    assert after_ping(xboard)[0].startswith("Error (illegal move 'e9e9'")


def test_a_score_that_was_set_is_used(xboard: Inside) -> None:
    """After a2a4 Black is said to be losing: back at the start that move is the best. And one that loses is not."""
    xboard.send("usermove a2a4", "setscore -900 30", "undo", "post", "analyze")
    assert re.fullmatch(r"\d+ 900 .*\ta2a4", analysis_begins(xboard)[-1])
    xboard.send("usermove a2a4", "setscore 900 30", "undo")
    after_ping(xboard)
    assert re.fullmatch(r"\d+ -?\d\d? .*\t(?!a2a4).*", analysis_begins(xboard)[-1])
    xboard.send("exclude all", "include a2a4")
    xboard.until(r"30 -900 .*\ta2a4", 20)
    xboard.send("exit", "setscore", "setscore x 3", "setscore 1 200")
    said = [line for line in after_ping(xboard) if "Error" in line]
    assert len(said) == 3 and all("setscore expects SCORE DEPTH" in line for line in said)


@pytest.mark.parametrize(("variant", "moves"), [
    ("madness", ["@@@@", "a1c1", "@@@@"]), ("ascending", ["e2e4", "d7d5"]), ("ataturk", ["d1d1"])])
def test_analysis_of_odd_games(xboard: Inside, variant: str, moves: list[str]) -> None:
    xboard.send("accepted highlight", f"variant {variant}", "post", "analyze")
    analysis_begins(xboard)
    if variant == "madness":
        xboard.send("setboard 8/8/8/3k4/8/8/7P/K7 b - - 0 1")
    xboard.send(*(f"usermove {move}" for move in moves))
    engine = engine_of(xboard)
    assert not any("Illegal" in line for line in after_ping(xboard))
    analysis_begins(xboard)
    xboard.send("nopost", "lift a1", *["undo"] * len(moves))
    assert any(line.startswith("highlight") for line in after_ping(xboard))
    xboard.send("post")
    analysis_begins(xboard)
    assert not engine.session.game.moves and not engine.wire.stage.name
    xboard.send("exit")
    after_ping(xboard)


# Pondering


def test_pondering(xboard: Inside) -> None:
    xboard.send("hard", "usermove e2e4", "go")
    said = xboard.until("Hint: .*", 20)
    assert said[-2].startswith("move ")
    engine = engine_of(xboard)
    assert engine.background is not None and engine.background.predicted is not None
    ticket = engine.background.ticket
    hint = said[-1].split()[1]
    assert after_ping(xboard) == []  # at once
    xboard.send("hint", "time 500", "otim 600", "draw", "bk")
    assert after_ping(xboard)[:1] == [f"Hint: {hint}"]
    assert engine.background is not None and engine.clock.left == [5.0, 6.0] and not ticket.stopped
    xboard.send(f"usermove {hint}")
    xboard.until("move .*", 20)  # sd 4 was searched long ago
    assert ticket.hit and len(engine.session.game.moves) == 4
    xboard.until("Hint: .*", 20)
    xboard.send("easy")
    after_ping(xboard)
    assert engine.background is None and xboard.quiet(0.05) == []


def test_another_move_than_expected(xboard: Inside) -> None:
    xboard.send("hard", "usermove e2e4", "go")
    hint = xboard.until("Hint: .*", 20)[-1].split()[1]
    engine = engine_of(xboard)
    other = next(move for move in engine.session.game.legal_moves() if move != hint)
    xboard.send(f"usermove {other}")
    xboard.until("move .*", 20)
    assert len(engine.session.game.moves) == 4
    xboard.until("Hint: .*", 20)
    xboard.send("usermove a1a8")  # illegal: and the engine does not mind
    xboard.until("Illegal move: a1a8")
    xboard.send("undo", "undo", "force")
    after_ping(xboard)
    assert len(engine.session.game.moves) == 2 and engine.background is None


def test_move_now_while_pondering_is_no_move(xboard: Inside) -> None:
    xboard.send("hard", "go")
    hint = xboard.until("Hint: .*", 20)[-1].split()[1]
    xboard.send("?")
    assert not any(line.startswith("move") for line in xboard.quiet(0.2))
    xboard.send("sd 90", "st 3600")  # from the next move on
    after_ping(xboard)
    engine_of(xboard).ponders = False
    xboard.send(f"usermove {hint}", "?")
    xboard.until("move .*", 10)


def test_pondering_ends_with_the_game(xboard: Inside) -> None:
    xboard.send("hard", "go")
    xboard.until("Hint: .*", 20)
    xboard.send("result * {enough}", "new")
    after_ping(xboard)
    assert engine_of(xboard).background is None


# What else may be asked


def test_a_hint_comes_in_its_turn(xboard: Inside) -> None:
    """After our move, before the pong that was asked for later, and not in the next game."""
    xboard.send("new", "nopost", "easy", "st 0.2", "usermove e2e4", "hint")
    said = after_ping(xboard)
    assert [line.split()[0] for line in said] == ["move", "Hint:"]
    xboard.send("new", "usermove e2e4", "hint", "new", "variant atomic")
    assert after_ping(xboard) == []


def test_nothing_to_hint_or_to_report(xboard: Inside) -> None:
    """A mated side, all moves excluded: no hint of the position before, and `.` does not wait for a search."""
    xboard.send("post", "analyze")
    analysis_begins(xboard)
    for lines in (["setboard 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"], ["new", "exclude all"]):
        xboard.send(*lines)
        after_ping(xboard)
        time.sleep(0.05)  # lines of the search before have come
        began = time.monotonic()
        xboard.send("hint", ".")
        assert after_ping(xboard) == ["stat01: 0 0 0 0 0"]
        assert time.monotonic() - began < 0.3


# Commands that come to nothing


@pytest.mark.parametrize(("lines", "refusal"), [
    (["variant nosuch"], "Error (unsupported variant 'nosuch'.*"),
    (["remove"], "Error (fewer than two moves to take back): remove"),
])
def test_a_command_that_is_refused_costs_no_move(xboard: Inside, lines: list[str], refusal: str) -> None:
    xboard.send("new", "nopost", "easy", "st 0.3", "usermove e2e4", *lines)
    said = after_ping(xboard)
    assert re.fullmatch(refusal.replace("(", r"\(").replace(")", r"\)"), said[0]) and said[1].startswith("move ")
    assert len(said) == 2 and len(engine_of(xboard).session.game.moves) == 2


def test_exit_without_an_analysis_changes_nothing(xboard: Inside) -> None:
    xboard.send("new", "nopost", "easy", "st 0.1", "exit", "usermove e2e4")
    xboard.until("move .*", 20)


@pytest.mark.parametrize("lines", [["setboard 8/8/8/8/8/8/8/8 w - - 0 1"], ["edit", "#", "Ze1", "."]])
def test_no_move_from_an_illegal_position(xboard: Inside, lines: list[str]) -> None:
    """XBoard shows the position that we refused: until the next one every move is refused, too."""
    xboard.send("nopost", "force", "usermove e2e4", *lines, "usermove e7e5", "go")
    said = after_ping(xboard)
    assert said[0].startswith("tellusererror Illegal position: ") and said[1] == "Illegal move: e7e5"
    assert said[2].startswith("Error (the position that was set up is illegal)") and len(said) == 3
    xboard.send("analyze")
    assert after_ping(xboard) == []
    xboard.send("exit", "new", "force", "usermove e2e4", "st 0.1", "go")
    assert [line.split()[0] for line in after_ping(xboard)] == ["move"]


@pytest.mark.parametrize("first", ["go", "usermove e2e4"])
def test_go_while_we_think_is_no_second_move(xboard: Inside, first: str) -> None:
    xboard.send("new", "nopost", "easy", "st 0.2", first, "go")
    assert len(after_ping(xboard)) == 1
    xboard.send("force", "go")
    assert len(after_ping(xboard)) == 1


def test_hits_of_tables_are_reported(xboard: Inside) -> None:
    xboard.send("post", "variant nocheckatomic", "force", "setboard 8/4k3/8/8/4p3/8/8/K6Q w - - 0 1", "sd 7", "go")
    said = xboard.until("move .*")  # it may have to be compiled
    assert any(re.match(r"7 .* [1-9]\d*\t", line) for line in said)


def test_hint_and_book(xboard: Inside) -> None:
    xboard.send("hint")
    hint = xboard.until("Hint: .*", 20)[-1].split()[1]
    assert hint in engine_of(xboard).session.game.legal_moves()
    xboard.send("bk")
    said = after_ping(xboard)
    assert said[0].startswith(" ") and said[-1] == ""


def test_draws_by_score(xboard: Inside) -> None:
    """A queen up it declines, a queen down it accepts; without a score it declines."""
    xboard.send("draw")
    assert after_ping(xboard) == []
    for fen, accepts in (("4k3/8/8/8/8/8/PPP5/3QK3 w - - 0 60", False), ("3qk3/ppp5/8/8/8/8/8/4K3 w - - 0 60", True)):
        xboard.send(f"setboard {fen}", "go", "force", "draw")
        xboard.send(f"setboard {fen}", "go")
        xboard.until("move .*", 20)
        xboard.send("draw")
        assert ("offer draw" in after_ping(xboard)) is accepts


def test_draws_are_offered_when_nothing_happens(xboard: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten scores near zero in a row, late in a game without captures; not again with the next move."""
    monkeypatch.setattr(xboard_play, "DULL_SCORE", 100)
    engine = engine_of(xboard)
    xboard.send("computer", "setboard 4k1n1/8/8/8/8/8/8/1N2K3 w - - 30 60")
    after_ping(xboard)
    for dull, offers in ((8, False), (9, True), (1, False)):
        engine.dull = dull
        xboard.send("go")
        assert ("offer draw" in xboard.until("move .*", 20)) is offers
        xboard.send("force")
        after_ping(xboard)


def test_edit_mode(xboard: Inside) -> None:
    engine = engine_of(xboard)
    xboard.send("edit", "#", "Ke1", "Rh1", "Pa2", "c", "Ke8", "Ra8", "pa7", "xa2", ".")
    assert after_ping(xboard) == []
    assert engine.session.game.fen() == "r3k3/p7/8/8/8/8/8/4K2R w Kq - 0 1"
    xboard.send("edit", "xa7", ".", "black")
    assert after_ping(xboard) == []
    assert engine.session.game.fen() == "r3k3/8/8/8/8/8/8/4K2R b Kq - 0 1"
    xboard.send("white", "usermove h1h7")
    after_ping(xboard)
    before = engine.session.game.fen()
    for bad, named in (("Zz9", "edit mode takes"), ("Za3", "unknown piece 'Z'"), ("xyz", "edit mode takes")):
        xboard.send("edit", "#", bad, ".")
        (said,) = after_ping(xboard)
        assert said.startswith("tellusererror Illegal position: edit mode") and named in said
    xboard.send("edit", "#", ".")
    (said,) = after_ping(xboard)
    assert said.startswith("tellusererror Illegal position: ")
    assert engine.session.game.fen() == before
    xboard.send("edit", "#", "quit")
    assert not engine.handle("quit")


@pytest.mark.parametrize("line", ["edit foo", "edit #", "edit Pa4 .", "edit\t."])
def test_edit_with_words_behind_it_is_no_edit_mode(xboard: Inside, line: str) -> None:
    xboard.send(line)
    (said,) = after_ping(xboard)
    assert re.match(r"Error \(edit takes no words, '.+'\): edit", said)
    xboard.send("usermove e2e4", "go")
    assert xboard.until("move .*", 20)


def test_edit_mode_is_alive(xboard: Inside) -> None:
    xboard.send("edit", "#", "ping 4", "Ke1", "", "c", "Ke8")
    assert xboard.until("pong 4", 5) == ["pong 4"]
    assert after_ping(xboard) == []
    xboard.send(".")
    assert after_ping(xboard) == [] and engine_of(xboard).session.game.fen() == "4k3/8/8/8/8/8/8/4K3 w - - 0 1"


@pytest.mark.parametrize("next_line", ["new", "usermove e2e4", "e2e4", "setboard 4k3/8/8/8/8/8/8/4K2R w K - 0 1", "edit", "go"])
def test_edit_mode_ends_where_its_end_was_lost(xboard: Inside, next_line: str) -> None:
    """What was put together is dropped, in one line; the command is obeyed."""
    xboard.send("edit", "#", "Ke1", "nonsense", next_line)
    (error,) = [line for line in after_ping(xboard) if line.startswith("Error")]
    assert error == f"Error (edit mode ends without its final ., position unchanged): {next_line}"
    fen = engine_of(xboard).session.game.fen()
    if next_line == "edit":
        assert fen == START
        xboard.send("xa2", ".")
        assert after_ping(xboard) == [] and "/1PPPPPPP/" in engine_of(xboard).session.game.fen()
    elif next_line == "go":
        assert len(engine_of(xboard).session.game.moves) == 1
    else:
        after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
        assert fen == {"new": START, "setboard": next_line[9:]}.get(next_line.split()[0], after_e4)


def test_edit_mode_has_a_limit(xboard: Inside) -> None:
    xboard.send("edit", *["c"] * 5000, ".")
    assert after_ping(xboard) == ["Error (edit mode takes 1000 lines at most): edit"]


# Moves in force mode


@pytest.mark.parametrize("before", [[], ["usermove d2d4"], ["usermove d2d4", "usermove d7d5", "undo"]])
def test_an_illegal_move_in_force_mode_is_refused_and_the_game_goes_on(xboard: Inside, before: list[str]) -> None:
    xboard.send(*before)
    after_ping(xboard)
    fen = engine_of(xboard).session.game.fen()
    xboard.send("usermove e2e5", "usermove a1a1")
    assert after_ping(xboard) == ["Illegal move: e2e5", "Illegal move: a1a1"]
    assert engine_of(xboard).session.game.fen() == fen
    xboard.send("go")
    assert xboard.until("move .*", 20)
    xboard.send("new", "force", "usermove e2e4", "usermove e2e5")
    assert after_ping(xboard) == ["Illegal move: e2e5"] and len(engine_of(xboard).session.game.moves) == 1


def test_who_was_not_asked_for_the_word_means_the_move(xboard: Inside) -> None:
    talk = Inside(XBoard)
    talk.send("new", "force", "e2e5")
    assert after_ping(talk) == ["Illegal move: e2e5"]
    talk.close()
    xboard.send("rejected usermove", "e2e5", "e2e4")
    assert after_ping(xboard) == ["Illegal move: e2e5"] and len(engine_of(xboard).session.game.moves) == 1


def test_a_dummy_move_is_tolerated(xboard: Inside) -> None:
    """Cute Chess passes the turn so before `setboard`, with a bare move: of one that is no move here it must not hear."""
    for variant in ("shatar", "ataturk", "normal"):
        xboard.send("new", f"variant {variant}", "sd 4", "force", "b2b3", f"setboard {SPARSE}", "go")
        said = xboard.until("move .*")
        assert not any("Illegal" in line or "Error" in line for line in said), said


def test_dummy_moves_that_no_position_follows_were_moves(xboard: Inside) -> None:
    """They are answered as soon as the game goes on, and delay nothing."""
    xboard.send("a2a3", "a2a3", "b2b3", "e7e5")
    assert after_ping(xboard) == []
    xboard.send("go")
    assert [line.partition(" ")[0] for line in xboard.until("move .*", 20)] == ["Illegal", "Illegal", "Illegal", "move"]
    assert len(engine_of(xboard).session.game.moves) == 2
    for settles in ("usermove e2e4", "playother", "analyze"):
        xboard.send("new", "nopost", "force", "e2e5", settles)
        assert "Illegal move: e2e5" in after_ping(xboard)
        xboard.send("exit", "force")
    xboard.send("new", "force", "e2e5", "undo", "usermove e2e4", "e7e5", "undo")
    assert after_ping(xboard) == [] and len(engine_of(xboard).session.game.moves) == 1
    xboard.send("setboard 4k3/8/8/8/8/8/8/4K2R w K - 0 1", "force", "e2e4")
    assert after_ping(xboard)[-1:] == ["Illegal move: e2e4"]


@pytest.mark.parametrize(("variant", "board"), [("normal", "3qk3/8/8/8/8/8/8/4K3"), ("shatar", "3jk3/8/8/8/8/8/8/R3K3")])
def test_the_idiom_that_gives_black_the_move(xboard: Inside, variant: str, board: str) -> None:
    """Even if it has no move."""
    men = ["Ke1", "c", "Ke8", "Qd8"] if variant == "normal" else ["Ke1", "Ra1", "c", "Ke8", "Qd8"]
    xboard.send("new", f"variant {variant}", "force", "a2a3")
    after_ping(xboard)
    xboard.send("edit", "#", *men, ".")
    assert after_ping(xboard) == []
    assert engine_of(xboard).session.game.fen().startswith(f"{board} b - - 0 1")


def test_random_varies_the_opening(xboard: Inside) -> None:
    engine = engine_of(xboard)
    xboard.send("random", "sd 3")

    def opening(*lines: str) -> tuple[str, ...]:
        """Four plies of a new game; the best move alone may stand far above the others."""
        xboard.send("new", "random", *lines, "sd 3")
        moves = []
        for _ in range(4):
            xboard.send("go")
            moves.append(xboard.until("move .*", 20)[-1])
        xboard.send("force")
        return tuple(moves)

    assert len({opening() for _ in range(12)}) > 1
    assert len({opening("computer") for _ in range(6)}) == 1 and engine.computer


def test_thinking_while_nothing_is_shown_comes_back(xboard: Inside) -> None:
    xboard.send("post", "go")
    said = xboard.until("move .*", 20)
    assert [line for line in said if re.fullmatch(THOUGHT, line)]


def test_atomic_is_played_with_check(xboard: Inside) -> None:
    """XBoard lets a king stay in check there and knows no mate: the engine refuses the one and claims the other."""
    xboard.send("variant atomic", "setboard 4k3/8/8/8/8/8/3PPP2/r3K3 w - - 0 1")
    xboard.send("usermove d2d4", "usermove e1d1")  # neither answers the rook
    assert after_ping(xboard) == ["Illegal move: d2d4", "Illegal move: e1d1"]
    xboard.send("setboard 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "sd 3", "go")
    assert xboard.until("1-0 .*")[-2:] == ["move a1a8", "1-0 {White mates}"]
    xboard.send("setboard 6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "force", "usermove a1a8", "go")
    assert xboard.until("1-0 .*")[-1] == "1-0 {White mates}"  # also when it is the mated side


def test_results_are_claimed_where_the_rules_end_the_game(xboard: Inside) -> None:
    for variant, fen, moves, claim in (
        ("shatar", "7k/5K1p/8/8/8/8/8/2B5 w - - 0 1", ["c1b2"], "1/2-1/2 {Niol: mate without a shak}"),
        ("shatar", "6nk/8/6K1/8/8/8/8/6R1 w - - 0 1", ["g1h1", "g8h6", "h1h6"], "1/2-1/2 {Robado: a bare king}"),
        ("ascending", "3k4/3pQp2/8/8/8/8/8/K7 w - - 0 1", ["e7d8"], "1-0 {White takes the last king}"),
        ("nocheckatomic", "3rk3/8/8/8/8/8/8/3RK3 w - - 0 1", ["d1d8"], "1-0 {White explodes the king}"),
        ("chess", "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", ["g5g6"], "1/2-1/2 {Stalemate}"),
    ):
        xboard.send(f"option Variant={variant}", "new", "nopost", "variant fairy", "force", f"setboard {fen}")
        xboard.send(*(f"usermove {move}" for move in moves), "go")
        assert after_ping(xboard)[-1:] == [claim], (variant, fen)


# Clocks


def test_limits_hold_together() -> None:
    clock = Clock()
    clock.set_level("40 1:30 0.25")
    limits = clock.limits(0, 39, 10)
    assert (limits.clock[0], limits.increment[0], limits.moves_to_go) == (90_000, 250, 1)
    clock.left = [12.5, 30.0]
    clock.set_depth("7")
    limits = clock.limits(1, 0, 10)
    assert limits.clock == (30_000, 12_500) and limits.movetime is None and limits.depth == 7 and limits.moves_to_go == 40
    limits = clock.limits(0, 0, 10, spent=2.0, ponder=True)  # after our move: less what it took, and the increment
    assert limits.ponder and limits.clock == (10_750, 30_000)
    clock.new_game()
    assert clock.left == [None, None] and clock.depth is None


@pytest.mark.parametrize(("seconds", "clock", "milliseconds"), [
    ("5", 5.0, 5000), ("5", 4.0, 4000), ("2.5", None, 2500), ("0", None, 100), ("0", 0.5, 500)])
def test_the_clock_is_that_of_the_move_after_st(seconds: str, clock: float | None, milliseconds: float) -> None:
    """XBoard and Cute Chess send the time for the next move as our clock; Cute Chess says `st 0` for less than a second."""
    said = Clock()
    said.set_level("40 5 3")
    said.set_move_time(seconds)
    said.left = [clock, clock]
    for spent in (0.0, 1.5):
        limits = said.limits(0, 10, 10, spent)
        assert limits.movetime == milliseconds and limits.clock == (None, None) and limits.moves_to_go is None


def test_level_and_st_replace_each_other(xboard: Inside) -> None:
    clock = engine_of(xboard).clock
    xboard.send("new", "nopost", "easy", "st 0.1", "level 40 5 0", "time 30000", "otim 30000")
    after_ping(xboard)
    limits = clock.limits(0, 0, 10)
    assert limits.movetime is None and limits.clock == (300_000, 300_000) and limits.moves_to_go == 40
    xboard.send("level 0 0:01 0", "time 50", "st 0.3", "time 30")
    after_ping(xboard)
    limits = clock.limits(0, 0, 10)
    assert limits.movetime == 300 and limits.clock == (None, None)
    began = time.monotonic()
    xboard.send("usermove e2e4")
    xboard.until("move .*", 20)
    assert time.monotonic() - began > 0.25


def test_time_in_nodes(xboard: Inside) -> None:
    clock = Clock()
    clock.set_rate("1000")
    clock.set_move_time("3")
    assert clock.limits(0, 0, 10).nodes == 3000  # whatever the overhead: nodes are counted here
    clock.set_rate("0")
    assert clock.limits(0, 0, 10).nodes is None
    xboard.send("nps 1", "st 300", "sd 90", "post", "go")  # as python-chess asks for 300 nodes
    began = time.monotonic()
    said = xboard.until("move .*", 20)
    assert time.monotonic() - began < 5
    thought = [line.split() for line in said if re.fullmatch(THOUGHT, line)]
    assert thought and all(int(words[2]) == int(words[3]) * 100 for words in thought)  # centiseconds: nodes at 1 a second


@pytest.mark.parametrize("bad", ["level 40", "level a b c", "level 0 5 -1", "level 0 1e99 0"])
def test_levels_that_are_none(bad: str) -> None:
    clock = Clock()
    clock.set_level("0 5 1")
    with pytest.raises(CommandError):
        clock.set_level(bad.partition(" ")[2])
    assert clock.level == (0, 300.0, 1.0)
