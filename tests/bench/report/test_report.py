"""`kingmaker report`: the page of made-up results, its numbers and boards, and how other files are refused."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import chess
import pytest

from bench.__main__ import main
from bench.match.openings import Opening
from bench.match.records import End, GameRecord, Ply
from bench.match.schedule import Schedule
from bench.match.setup import Setup
from bench.match.specs import EngineSpec
from bench.match.stats import Sprt
from bench.match.store import Store
from bench.report.command import MINUS, crosstable, facts, opening_rows, read_results, standings_rows
from bench.report.moments import board_at, expected, moments, numbered, spoken, swing_of
from bench.report.plots import POINTS, Point, thinned

FOOL = "f2f3 e7e5 g2g4 d8h4"
SCHOLAR = "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7"


def game(number: int, white: str, black: str, result: str, moves: str = FOOL, *, reason: End = End.CHECKMATE,
         scores: Sequence[int | None] = (), variant: str = "chess", fen: str = chess.STARTING_FEN, book: int = 0,
         fault: int | None = None, detail: str = "") -> GameRecord:
    """A record; scores are each mover's own, in order."""
    plies = [Ply(text, text, place < book, score=scores[place] if place < len(scores) else None)
             for place, text in enumerate(moves.split())]
    return GameRecord(number, 1, (number + 1) // 2, white, black, variant, fen, result, reason, detail, fault, 1 + number % 2,
                      f"book {1 + number % 2}", started=1e9 + number, finished=1e9 + number + 0.5, plies=plies)


def results(path: Path, games: Sequence[GameRecord], names: Sequence[str] = ("A", "B"), rounds: int = 2,
            sprt: Sprt | None = None, variant: str = "chess", event: str = "") -> Path:
    """A file of results as a match writes it."""
    engines = tuple(EngineSpec(name, ("engine", "x"), nodes=1000) for name in names)
    setup = Setup(variant, engines, Schedule(len(names), rounds=rounds), (Opening(chess.STARTING_FEN),), sprt=sprt, event=event)
    store = Store.create(path)
    store.begin([(engine.name, " ".join(engine.command), engine.protocol, engine.settings()) for engine in engines],
                setup.settings())
    for record in games:
        store.add(record)
    store.close()
    return path


class Page(HTMLParser):
    """What a browser would see of a page: texts, ids, and all it refers to."""

    def __init__(self, text: str):
        super().__init__()
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.tags: list[str] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("src", "href", "xlink:href"):
                self.targets.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_page_of_two_players(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A scores a win, a loss, a draw and a win: 2.5 of 4, pairs of 1 and 1.5 points."""
    games = [game(1, "A", "B", "1-0", SCHOLAR), game(2, "B", "A", "1-0", SCHOLAR),
             game(3, "A", "B", "1/2-1/2", reason=End.REPETITION), game(4, "B", "A", "0-1")]
    path = results(tmp_path / "r.sqlite", games, sprt=Sprt(0, 20))
    assert main(["report", str(path), "-o", str(tmp_path / "to" / "report")]) == 0
    said = capsys.readouterr()
    assert said.out == f"{tmp_path / 'to' / 'report' / 'index.html'}: 4 games\n" and not said.err
    text = (tmp_path / "to" / "report" / "index.html").read_text(encoding="utf-8")
    page = Page(text)
    assert all(target.startswith("#") for target in page.targets)
    assert "http" not in re.sub(r'xmlns(:xlink)?="[^"]*"', "", text)  # nothing is fetched from anywhere
    assert not page.open
    plots = [name for name in page.ids if name.startswith("plot")]
    assert len(plots) == len(set(plots)) and {name.split("-")[0] for name in plots} == {"plot1", "plot2", "plot3", "plot4"}
    assert page.tags.count("svg") == 4 + 4  # plots and boards
    words = " ".join(" ".join(page.texts).split())
    assert "chess: A against B" in words and "4 of 4 games" in words and "not finished" not in words
    assert "62.5%" in words and f"2.5 / 4 +2 =1 {MINUS}1" in words
    assert "book 1" not in words and "Openings" not in words  # all began from the array
    assert "A against B" in words and "repetition 1 25.0% 0 1 0" in words


def test_only_openings_that_differ_are_told() -> None:
    other = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    games = [game(1, "A", "B", "1-0"), game(2, "B", "A", "1-0"), game(3, "A", "B", "1/2-1/2", "e7e5", fen=other)]
    setup = Setup("chess", tuple(EngineSpec(name, ("x",)) for name in "AB"), Schedule(2), (Opening(other),))
    assert opening_rows(setup, games[:2]) == []
    first, second = opening_rows(setup, games)
    assert (first["games"], first["white"], first["draws"], first["black"], first["first"]) == (2, 2, 0, 0, "1 / 2")
    assert (second["games"], second["draws"], second["fen"], second["first"]) == (1, 1, other, "0.5 / 1")


def test_numbers_by_hand(tmp_path: Path) -> None:
    """Three players; C lost a game by a crash, one game is void."""
    games = [game(1, "A", "B", "1-0"), game(2, "B", "A", "1/2-1/2"), game(3, "A", "C", "1-0", reason=End.CRASH, fault=1),
             game(4, "C", "A", "*", reason=End.VOID), game(5, "B", "C", "0-1")]
    setup, read, _ = read_results(results(tmp_path / "r.sqlite", games, "ABC"))
    from bench.match.standings import Standings
    from bench.report.command import rated

    standings = Standings(setup)
    for record in read:
        standings.add(record)
    ratings = rated(standings)
    rows = {row["name"]: row for row in standings_rows(standings, read, ratings)}
    keys = ("points", "games", "wins", "draws", "losses", "faults")
    assert [rows["A"][key] for key in keys] == ["2.5", "3", "2", "1", "0", "0"]
    assert [rows["C"][key] for key in keys] == ["1", "2", "1", "0", "1", "1"]
    table = {name: dict(zip((rating.name for rating in ratings), cells, strict=True))
             for name, cells in crosstable(list("ABC"), read, ratings)}
    assert table["A"]["B"] == ("1.5 / 2", f"+1 =1 {MINUS}0") and table["B"]["A"] == ("0.5 / 2", f"+0 =1 {MINUS}1")
    assert table["C"]["B"] == ("1 / 1", f"+1 =0 {MINUS}0") and table["A"]["A"] == ("", "")
    assert dict(facts(standings))["draws"] == "25.0%"


def test_a_decided_test_is_the_end_of_a_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A win and a draw in each of 30 pairs decide for +100 against 0; the other 1,940 planned games are not missed."""
    games = [game(number, "BA"[number % 2], "AB"[number % 2], "1/2-1/2" if number % 2 else "0-1") for number in range(1, 61)]
    path = results(tmp_path / "r.sqlite", games, rounds=1000, sprt=Sprt(0, 100, model="logistic"))
    assert main(["report", str(path), "-o", str(tmp_path), "--boards", "0"]) == 0
    assert capsys.readouterr().out.endswith(": 60 games\n")
    words = " ".join(Page((tmp_path / "index.html").read_text(encoding="utf-8")).texts)
    assert "60 of 2000 games" in words and "not finished" not in words and ": H1" in words


def test_a_tournament_with_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = [game(1, "A", "B", "1-0"), game(2, "B", "A", "1/2-1/2"),
             game(3, "A", "C", "1-0", "e2e4", reason=End.ILLEGAL, fault=1, detail="e7e4 is no legal move")]
    path = results(tmp_path / "r.sqlite", games, "ABC", event="Cup & <saucer>")
    assert main(["report", str(path), "-o", str(tmp_path / "r"), "--boards", "1"]) == 0
    assert capsys.readouterr().out.endswith(": 3 games; 9 of 12 are not finished\n")
    text = (tmp_path / "r" / "index.html").read_text(encoding="utf-8")
    assert "Cup &amp; &lt;saucer&gt;" in text and "<saucer>" not in text
    words = " ".join(" ".join(Page(text).texts).split())
    assert "The match is not finished." in words and "e7e4 is no legal move" in words and "1 game lost by a fault" in words
    assert Page(text).tags.count("svg") == 4 + 1 and "Ratings" in words


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "$x^{$", "a&b \"q'", "Engine ∞"])
def test_odd_names(name: str, tmp_path: Path) -> None:
    path = results(tmp_path / "r.sqlite", [game(1, name, "B", "1-0"), game(2, "B", name, "1-0")], (name, "B"))
    assert main(["report", str(path), "-o", str(tmp_path)]) == 0
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert name in "".join(Page(text).texts)


# Moments

def test_the_largest_swing() -> None:
    """White says +0.50 at 1 and -9.00 at 3: expected 0.571 and 0.006; Black's own scores change less."""
    record = game(7, "A", "B", "0-1", scores=(50, -40, -900, 0))
    swing = swing_of(record)
    assert swing is not None and swing.ply == 0
    assert abs(swing.size - (1 / (1 + 10 ** (900 / 400)) - 1 / (1 + 10 ** (-50 / 400)))) < 1e-12
    moment = moments([record], 3)[0]
    assert (moment.before, moment.after, moment.game) == ("+0.50", "-9.00", 7)
    assert moment.title == "1. f2f3" and moment.line == "1. f2f3 e7e5 2. g2g4 d8h4"
    board = chess.Board()
    board.push_uci("f2f3")
    assert board_at(record, 1).fen() == board.fen()
    assert moment.board.count('class="arrow"') == 2  # a line and its head: the answer


def test_scores_are_whites() -> None:
    mate = Ply("e2e4", mate=-2)
    assert expected(mate, True) == 0.0 and expected(mate, False) == 1.0
    assert spoken(mate, True) == "-#2" and spoken(mate, False) == "+#2"
    assert spoken(Ply("e2e4", score=123), False) == "-1.23" and expected(Ply("e2e4"), True) is None
    assert expected(Ply("e2e4", score=400), True) == 10 / 11


def test_numbers_of_moves_where_black_begins() -> None:
    fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 7"
    record = game(1, "A", "B", "1-0", "e7e5 g1f3 b8c6", fen=fen, scores=(10, 20, 300))
    assert [numbered(record, ply) for ply in range(3)] == ["7... e7e5", "8. g1f3", "8... b8c6"]
    assert moments([record], 1)[0].after == "-3.00"


def test_swings_come_first_then_ends() -> None:
    quiet = game(1, "A", "B", "1/2-1/2", reason=End.REPETITION)
    silent = game(2, "A", "B", "1-0", SCHOLAR)
    small, large = game(3, "A", "B", "0-1", scores=(0, 0, -100, 0)), game(4, "A", "B", "0-1", scores=(0, 0, -300, 0))
    unplayed = game(5, "A", "B", "0-1", "", reason=End.START, fault=0)
    found = moments([quiet, silent, small, large, unplayed], 10)
    assert [moment.game for moment in found] == [4, 3, 2, 1]
    assert found[2].before == "" and found[2].title == "4. h5f7" and "checkmate" in found[2].reason
    assert [moment.game for moment in moments([quiet, silent, small, large], 1)] == [4]


@pytest.mark.parametrize(("variant", "fen", "moves"), [
    ("ataturk", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 e1/e8", "K@d1 f7f6 e2e4"),
    ("ascending", "r3k2r/8/8/8/8/8/8/K3R3 w - - 0 1", "e1e8 K@h8,h8h7 e8e7"),
    ("madness-fide", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", "e2e4 e7e5 e8e6"),
    ("shatar", "rnbjkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBJKBNR w - - 0 1 -", "d2d4 d7d5 g1f3"),
    ("shatar", "4k3/r6P/8/8/8/8/8/4K3 b - - 0 1 -", "a7a6 h7h8j e8f7"),
    ("chess", "4k3/8/8/8/8/8/7r/R3K3 b Q - 0 1", "h2h3 e1c1 e8e7"),
])
def test_boards_of_odd_games(variant: str, fen: str, moves: str, tmp_path: Path) -> None:
    record = game(1, "A", "B", "1-0", moves, variant=variant, fen=fen, scores=(0, 0, 500))
    path = results(tmp_path / "r.sqlite", [record], variant=variant)
    assert main(["report", str(path), "-o", str(tmp_path)]) == 0
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert Page(text).tags.count("svg") == 2 + 1  # one game makes no pair: no score over time; a board


def test_long_matches_are_thinned() -> None:
    history = [Point(number, 0.5, 0.4, 0.6, (), ()) for number in range(1, 2 * POINTS + 8)]
    kept = thinned(history)
    assert POINTS / 2 < len(kept) <= POINTS and kept[-1] == history[-1]
    assert thinned(history[:5]) == history[:5]


# What is no match

def no_table(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE other (x)")
    connection.commit()
    connection.close()


@pytest.mark.parametrize(("name", "said"), [
    ("missing", "no results at"), ("folder", "no results at"), ("empty", "is not a file of match results"),
    ("text", "is not a file of match results"), ("other", "is not a file of match results"), ("cut", "r.sqlite"),
    ("unplayed", "no game in .* is finished"),
])
def test_files_that_hold_no_results(name: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "r.sqlite"
    if name == "folder":
        path.mkdir()
    elif name == "empty":
        path.touch()
    elif name == "text":
        path.write_text("1-0 0-1 1/2-1/2\n" * 100)
    elif name == "other":
        no_table(path)
    elif name == "unplayed":
        results(path, [])
    elif name == "cut":
        results(path, [game(number, "A", "B", "1-0") for number in range(1, 60)])
        data = path.read_bytes()
        path.write_bytes(data[:len(data) // 2] + b"\xa5" * 2000)
    assert main(["report", str(path), "-o", str(tmp_path / "report")]) == 2
    captured = capsys.readouterr()
    assert re.search(said, captured.err) and captured.err.count("\n") == 1 and not captured.out
    assert not (tmp_path / "report").exists()


def test_bad_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = results(tmp_path / "r.sqlite", [game(1, "A", "B", "1-0")])
    for words, said in ((["--boards", "-1"], "--boards -1 is not from 0 to 100"),
                        (["-o", str(path)], "cannot write")):
        assert main(["report", str(path), *words]) == 2
        captured = capsys.readouterr()
        assert said in captured.err and captured.err.count("\n") == 1


def test_what_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("bench.extras.find_spec", lambda name: None if name == "matplotlib" else object())
    for words in (["report", str(tmp_path / "r")], ["study", "chess", "-o", str(tmp_path / "s")]):
        assert main(words) == 2
        said = capsys.readouterr().err
        assert said == f"kingmaker {words[0]}: matplotlib is not installed: pip install '.[arbiter]' in the source tree\n"
    assert not list(tmp_path.iterdir())


def test_the_page_says_what_scores_were_worth(tmp_path: Path) -> None:
    """Only of players with enough of them: here A's good scores go with wins, and B gives none."""
    games = [game(n, "A", "B", "1-0" if n % 2 else "0-1", scores=[150 if n % 2 else -150, None] * 2) for n in range(1, 41)]
    path = results(tmp_path / "results.sqlite", games, rounds=20)
    assert main(["report", str(path), "-o", str(tmp_path / "page")]) == 0
    page = (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
    table = page[page.index("What scores were worth"):page.index("Decisive moments")]
    assert re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td>", table) == [("A", "80", "50.0%")]
    few = results(tmp_path / "few.sqlite", games[:4])
    assert main(["report", str(few), "-o", str(tmp_path / "few")]) == 0
    assert "What scores were worth" not in (tmp_path / "few" / "index.html").read_text(encoding="utf-8")
