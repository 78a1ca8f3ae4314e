"""`kingmaker table`, and what others do with its tables: the referee of matches, the options of the engine."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.match.records import End, GameRecord
from bench.match.referee import Adjudication, GameTask, Referee
from bench.match.specs import EngineSpec
from bench.tables.comparing import contradicts
from bench.tables.playing import LATER, Duel
from engine.game import Game
from engine.protocol.options import find
from engine.protocol.session import Session
from search.limits import Info, Limits
from search.tables.probing import DRAW, Value

MATE_IN_ONE = "7k/8/6K1/8/8/8/8/R7 w - - 0 1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the chess tables of king and rook against king."""
    place = tmp_path_factory.mktemp("tables")
    assert main(["table", "chess", "KRvK", "--folder", str(place), "--threads", "2"]) == 0
    return place


def said(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """The exit status of a command and what it prints."""
    capsys.readouterr()
    try:
        status = main([str(word) for word in words])
    except SystemExit as end:
        status = int(str(end.code))
    out, err = capsys.readouterr()
    return status, out, err


def test_facts_are_printed_for_both_sides(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = said(capsys, "table", "chess", "KvKR", "--folder", folder, "--check")
    rows = [line.split("\t") for line in out.splitlines()]
    assert status == 0 and err == ""  # nothing was made
    assert rows[1][:6] == ["KRvK", "KR", "100.00", "0.00", "0.00", "31"]
    assert rows[2][:3] == ["KRvK", "K", "0.00"] and float(rows[2][4]) > 85
    assert "0 wrong" in rows[3][0]


def test_a_position_is_probed_without_quotes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = said(capsys, "table", "chess", "--folder", folder, "--probe", *MATE_IN_ONE.split())
    assert status == 0 and out.startswith("win in 1 plies (1 move): a1a8\nmove\tvalue\na1a8\twin in 1 plies (1 move)\n")


def test_what_no_table_has_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = said(capsys, "table", "chess", "--folder", folder, "--probe", "8/8/8/2k5/8/8/8/KQ6 w - - 0 1")
    assert status == 1 and out.startswith("unknown: no table of KQvK in ")
    status, out, _ = said(capsys, "table", "chess", "--folder", folder, "--probe", "8/8/8/2k5/8/8/8/4K2R w K - 0 1")
    assert status == 1 and out == "unknown: castling is still possible\n"


def test_the_hardest_win_and_a_sample(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = said(capsys, "table", "chess", "KRvK", "--folder", folder, "--hardest", "--sample", 4)
    assert status == 0 and "KRvK, KR to move: win in 31 plies (16 moves)" in out
    line = out[out.index("16 moves"):].splitlines()[2]
    assert len(line.split()) == 31
    assert len(out[out.index("position\t"):].splitlines()) == 5


def test_a_page_lists_what_tables_say(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, _ = said(capsys, "table", "chess", "KRvK", "--folder", folder, "--page", tmp_path / "new" / "chess.md")
    rows = (tmp_path / "new" / "chess.md").read_text().splitlines()
    assert status == 0 and rows[0] == "# Endings of chess"
    assert rows[-2].startswith("| KRvK | KR | 100.00 | 0.00 | 0.00 | 31 | `8/") and rows[-1].startswith("| KRvK | K | 0.00 | ")
    assert len({row.count("|") for row in rows[5:]}) == 1
    status, _, err = said(capsys, "table", "chess", "KRvK", "--folder", folder, "--page", tmp_path)
    assert status == 2 and f"cannot write '{tmp_path}': " in err


def test_won_positions_are_played_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = said(capsys, "table", "chess", "KRvK", "--folder", folder, "--play", 5)
    assert status == 0 and "chess KRvK: 5 won positions played: " in out
    assert "later" not in out and "not won" not in out


def test_a_win_that_is_missed_is_named(folder: Path, capsys: pytest.CaptureFixture[str],
                                       monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Duel, "play", lambda self, game, plies: LATER)
    status, out, _ = said(capsys, "table", "chess", "KRvK", "--folder", folder, "--play", 2)
    assert status == 1 and out.count("is a win in") == 2 and "2 won positions played: 2 won later" in out


@pytest.mark.parametrize(("mate", "value", "wrong"), [
    (None, Value(1, 1), False), (3, Value(1, 5), False), (4, Value(1, 5), False), (2, Value(1, 5), True), (2, DRAW, True),
    (2, Value(-1, 4), True), (-2, Value(-1, 4), False), (-1, Value(-1, 4), True), (-3, DRAW, True), (-3, Value(1, 1), True)])
def test_nobody_mates_sooner_than_the_table_says(mate: int | None, value: Value, wrong: bool) -> None:
    assert contradicts(mate, value) is wrong


@pytest.fixture
def peer(tmp_path: Path) -> Path:
    """An engine that announces a mate in one in every position, with a move that is legal in MATE_IN_ONE."""
    path = tmp_path / "peer.py"
    path.write_text("""import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "uci":
        print("id name Boaster\\nuciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "go":
        print("info depth 1 nodes 1 score mate 1 pv a1a8\\nbestmove a1a8", flush=True)
    elif word == "quit":
        break
""")
    return path


def test_an_engine_that_contradicts_a_table_is_named(folder: Path, peer: Path, capsys: pytest.CaptureFixture[str],
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    games = [("KRvK", Game("chess", MATE_IN_ONE), Value(1, 1)), ("KRvK", Game("chess", MATE_IN_ONE), Value(1, 3))]
    monkeypatch.setattr("bench.tables.comparing.drawn", lambda *args: iter(games))
    status, out, _ = said(capsys, "table", "chess", "KRvK", "--folder", folder, "--against", f"cmd={sys.executable} {peer}",
                          "name=boaster", "nodes=10")
    assert status == 1 and f"{MATE_IN_ONE} is a win in 3 plies (2 moves), and boaster announces mate 1" in out
    assert "2 positions of 1 tables compared with boaster, nodes 10: it announced 2 mates, 1 of the table's length" in out


def test_an_engine_needs_a_limit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = said(capsys, "table", "chess", "KRvK", "--folder", folder, "--against", "cmd=boaster")
    assert status == 2 and "--against: boaster has no limit: add depth= or nodes=" in err


def test_all_small_tables_and_their_solutions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = said(capsys, "table", "chess", "--all", "--men", 2, "--folder", folder, "--solve", 5)
    assert status == 0 and "5 positions of 1 tables compared with the solver, 0 of them wins" in out


@pytest.mark.parametrize(("words", "told"), [
    (("chess",), "no MATERIAL is named; --all makes all of --men pieces"),
    (("chess", "KXvK"), "'KXvK' is not a material of chess: write it like KQvK, with the pieces PNBRQK"),
    (("shatar", "KJvK"), "'KJvK' is decided in shatar before a move is made: there is nothing to compute"),
    (("chess", "KvK", "--threads", "0"), "--threads 0 is not from 1 to 256"),
    (("chess", "--all", "--men", "9"), "--men 9 is not from 2 to 6"),
    (("chess", "KvK", "--sample", "0"), "--sample 0 is less than 1"),
    (("chess", "KvK", "--play", "0"), "--play 0 is less than 1"),
    (("chess", "KRvK", "--against", "nodes=5"), "--against: cmd= is missing"),
    (("chess", "KQRBvKN", "--memory", "100"), "MiB, and may take 100"),
    (("chess", "--probe", "8/8 w"), "board has 2 ranks instead of 8: '8/8'"),
])
def test_wrong_usage_is_told_in_a_line(words: tuple[str, ...], told: str, tmp_path: Path,
                                       capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = said(capsys, "table", *words, "--folder", tmp_path)
    assert status == 2 and out == "" and told in err and len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_table_is_named_and_not_used(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "chess" / "KRvK.kmt"
    path.parent.mkdir()
    path.write_bytes((folder / "chess" / "KRvK.kmt").read_bytes()[:-3])
    status, out, err = said(capsys, "table", "chess", "--folder", tmp_path, "--probe", MATE_IN_ONE)
    assert status == 1 and out.startswith("unknown") and str(path) in err and "bytes long instead of" in err
    status, out, err = said(capsys, "table", "chess", "KRvK", "--folder", tmp_path)
    assert status == 2 and str(path) in err


def judged(fen: str, folder: Path) -> GameRecord:
    """The record of a game that begins at a position, before a move is made."""
    spec = EngineSpec("x", ("x",), depth=1)
    task = GameTask(1, 1, 1, spec, spec, "chess", fen, rules=Adjudication(tables=str(folder)))
    referee = Referee(task, (None, None))  # type: ignore[arg-type]
    referee.over()
    return referee.record


def test_the_referee_ends_games_by_exact_values(folder: Path) -> None:
    cases = {MATE_IN_ONE: "1-0", "7K/8/6k1/8/8/8/8/r7 w - - 0 1": "0-1", "8/8/8/8/8/8/1R6/K1k5 w - - 0 1": "1-0",
             "8/8/8/8/8/2k5/3R4/K7 b - - 0 1": "1/2-1/2"}
    for fen, result in cases.items():
        record = judged(fen, folder)
        assert (record.result, record.reason) == (result, End.TABLE), fen
    assert judged(MATE_IN_ONE.replace(" 0 1", " 99 60"), folder).result == "1-0"
    far = "8/8/8/3k4/8/8/8/KR6 w - - {} 60"
    assert judged(far.format(60), folder).reason is End.TABLE
    assert judged(far.format(90), folder).reason is End.VOID  # the 50-move rule comes first
    assert judged("8/8/8/3k4/8/8/8/KRR5 w - - 0 1", folder).reason is End.VOID


def test_the_engine_says_that_a_win_comes_too_late(folder: Path) -> None:
    said, infos = list[str](), list[Info]()
    session = Session(said.append)
    session.set_option(find("TablePath"), str(folder))
    session.set_position("8/8/8/3k4/8/8/8/KR6 w - - 90 60", [])
    ticket = session.ticket()
    session.think(ticket, Limits(depth=2), infos.append)
    session.done(ticket)
    late = [line for line in said if "for which the 50-move rule leaves no time" in line]
    assert len(late) == 1 and late[0].startswith("by the tables, a win in ") and {info.score for info in infos} == {0}


def test_the_engine_names_a_folder_that_is_not_there(folder: Path) -> None:
    session, option = Session(lambda line: None), find("TablePath")
    session.set_option(option, str(folder))
    with pytest.raises(Exception, match=r"TablePath: '/no/where' is not a folder"):
        session.set_option(option, "/no/where")
    assert session.values["TablePath"] == str(folder)
    tables = session.thinker.tables
    assert tables is not None
    session.thinker.get_ready()
    assert tables.tree(session.rules).most == 3
    session.set_option(option, "")
    assert session.thinker.tables is None
