"""Syzygy files at the root: what is made of a prober's answers, files that are refused by name, and play by real files.

Real files are not part of the project. The tests that need them look in the folder that KINGMAKER_SYZYGY names, with files of
chess (`KQvK.rtbw`, `KQvK.rtbz` ...), and are skipped without it.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import chess
import chess.syzygy
import numpy as np
import pytest

import variants
from engine.game import Game
from engine.text import parse_fen, to_fen
from search.limits import Info, Limits
from search.searcher import Searcher
from search.tables.files import TableError
from search.tables.generator import Maker
from search.tables.probing import Tables
from search.tables.syzygy import WIN_SCORE, Grade, Syzygy, folders_in, games
from support.talk import Inside

CHESS = variants.find("chess")
QUEEN = "8/8/8/3k4/8/8/8/KQ6 w - - {} 1"
MAGIC = {str(suffix): bytes(magic or b"") for board in games().values() for suffix, magic in (
    (board.tbw_suffix, board.tbw_magic), (board.tbz_suffix, board.tbz_magic))}


class Known:
    """A prober that knows what the moves from one position lead to: WDL and DTZ for the side that is then to move."""

    def __init__(self, fen: str, wdl: int, moves: dict[str, tuple[int, int | None]], others: tuple[int, int | None]):
        self.wdl, self.known, self.others = wdl, dict[str, tuple[int, int | None]](), others
        self.root = chess.Board(fen).epd()
        for move, values in moves.items():
            board = chess.Board(fen)
            board.push_uci(move)
            self.known[board.epd()] = values

    def probe_wdl(self, board: chess.Board) -> int:
        return self.wdl if board.epd() == self.root else self.known.get(board.epd(), self.others)[0]

    def probe_dtz(self, board: chess.Board) -> int:
        plies = self.known.get(board.epd(), self.others)[1]
        if plies is None:
            raise chess.syzygy.MissingTableError("no DTZ")
        return plies


def asked(fen: str, wdl: int, moves: dict[str, tuple[int, int | None]], others: tuple[int, int | None],
          told: list[str] | None = None) -> tuple[Game, Syzygy]:
    """A game, and files that know its position."""
    syzygy = Syzygy([], (told if told is not None else []).append)
    syzygy.use(CHESS, Known(fen, wdl, moves, others), 3)
    return Game(CHESS, fen), syzygy


def chosen(fen: str, wdl: int, moves: dict[str, tuple[int, int | None]],
           others: tuple[int, int | None]) -> tuple[set[str], Grade]:
    """The moves that are left to the search, and their grade."""
    game, syzygy = asked(fen, wdl, moves, others)
    root = syzygy.root(game, game.legal_numbers())
    assert root is not None and len(root.moves) == len(game.legal_numbers())
    return {game.text(move) for move in root.best}, root.grade


def test_the_search_chooses_among_wins_that_progress_soonest() -> None:
    fen = QUEEN.format(0)
    best, grade = chosen(fen, 2, {"b1b4": (-2, -12), "b1b6": (-2, -12), "a1b2": (-2, -14), "b1d3": (0, 0)}, (-2, -16))
    assert best == {"b1b4", "b1b6"} and grade == Grade(2, 13)
    assert str(grade) == "win, next capture or pawn move in 13 plies"


def test_without_distances_every_move_that_wins_is_left() -> None:
    fen = QUEEN.format(0)
    best, grade = chosen(fen, 2, {"b1b4": (-2, -12), "b1d3": (0, 0), "b1e4": (0, 0)}, (-2, None))
    assert best == {Game(CHESS, fen).text(move) for move in Game(CHESS, fen).legal_numbers()} - {"b1d3", "b1e4"}
    assert grade == Grade(2, 0)


def test_a_win_counts_only_if_the_clock_leaves_time() -> None:
    for clock, wdl in ((70, 2), (86, 2), (87, 1), (95, 1)):  # the clock is one more after the move
        best, grade = chosen(QUEEN.format(clock), 2, {"b1b4": (-2, -12)}, (-2, -20))
        assert best == {"b1b4"} and grade == Grade(wdl, 13), clock
    assert chosen(QUEEN.format(0), 1, {"b1b4": (-1, -110)}, (-1, -120))[1] == Grade(1, 111)


def test_the_loser_takes_the_longest_way_and_a_draw_if_there_is_one() -> None:
    fen = "8/8/8/8/3k4/8/8/K1q5 w - - 0 1"
    assert chosen(fen, -2, {"a1a2": (2, 9)}, (2, 9)) == ({"a1a2"}, Grade(-2, 10))
    fen = "8/8/8/8/3q4/8/1K6/7k w - - {} 1"
    moves: dict[str, tuple[int, int | None]] = {"b2a2": (2, 9), "b2b3": (2, 15), "b2c2": (2, 15)}
    assert chosen(fen.format(0), -2, moves, (2, 3)) == ({"b2b3", "b2c2"}, Grade(-2, 16))
    assert chosen(fen.format(88), -2, moves, (2, 3)) == ({"b2b3", "b2c2"}, Grade(-1, 16))
    assert chosen(fen.format(0), 0, {**moves, "b2a3": (0, 0)}, (2, 3)) == ({"b2a3"}, Grade(0, 0))


def test_a_mate_is_told_by_the_rules_and_not_by_a_prober() -> None:
    fen = "7k/5K2/8/6Q1/8/8/8/8 w - - 99 80"
    best, grade = chosen(fen, 2, {}, (-2, -30))
    mates = set()
    for move in (board := chess.Board(fen)).legal_moves:
        board.push(move)
        mates |= {move.uci()} if board.is_checkmate() else set()
        board.pop()
    assert best == mates and len(mates) > 3 and grade == Grade(2, 1)


def test_the_search_reports_what_the_files_say_until_it_sees_the_mate() -> None:
    game, syzygy = asked(QUEEN.format(0), 2, {"b1b4": (-2, -12)}, (-2, -16))
    infos: list[Info] = []
    best = Searcher(1, syzygy=syzygy).search(game, Limits(depth=3), multipv=3, on_info=infos.append)
    assert best.move == game.parse("b1b4") and {info.score for info in infos} == {WIN_SCORE}
    assert all(info.tbhits >= len(game.legal_numbers()) and info.multipv == 1 and not info.bound for info in infos)
    game, syzygy = asked("7k/5K2/8/6Q1/8/8/8/8 w - - 0 1", 2, {}, (-2, -30))
    Searcher(1, syzygy=syzygy).search(game, Limits(depth=3), on_info=infos.append)
    assert infos[-1].mate == 1
    game, syzygy = asked(QUEEN.format(0), 0, {"b1b4": (0, 0)}, (2, 4))
    assert Searcher(1, syzygy=syzygy).search(game, Limits(depth=3), on_info=infos.append).move == game.parse("b1b4")
    assert infos[-1].score == 0 and infos[-1].tbhits > 0


def test_only_allowed_moves_are_chosen_from() -> None:
    game, syzygy = asked(QUEEN.format(0), 2, {"b1b4": (-2, -12)}, (-2, -16))
    move = game.parse("a1a2")
    assert Searcher(1, syzygy=syzygy).search(game, Limits(depth=2, searchmoves=(move,))).move == move


def test_own_tables_come_first(tmp_path: Path) -> None:
    Maker(CHESS, tmp_path).make("KQvK")
    game, syzygy = asked(QUEEN.format(0), 0, {"b1b4": (0, 0)}, (2, 4))
    infos: list[Info] = []
    Searcher(1, tables=Tables(tmp_path), syzygy=syzygy).search(game, Limits(depth=3), on_info=infos.append)
    assert (infos[-1].mate or 0) > 0


def test_files_that_contradict_each_other_are_told_once_and_not_used() -> None:
    told: list[str] = []
    game, syzygy = asked(QUEEN.format(0), 2, {}, (0, 0), told)
    for _ in range(2):
        assert syzygy.root(game, game.legal_numbers()) is None
    assert told == ["the Syzygy table of KQvK contradicts those of its moves"]


def test_a_damaged_file_is_told_and_the_search_goes_on() -> None:
    class Damaged(Known):
        def probe_dtz(self, board: chess.Board) -> int:
            raise TableError("'KQvK.rtbz' is damaged")

    told: list[str] = []
    syzygy, game = Syzygy([], told.append), Game(CHESS, QUEEN.format(0))
    syzygy.use(CHESS, Damaged(QUEEN.format(0), 2, {}, (-2, -10)), 3)
    assert Searcher(1, syzygy=syzygy).search(game, Limits(depth=3)).move in game.legal_numbers()
    assert told == ["'KQvK.rtbz' is damaged"]


def test_positions_that_no_file_has_are_not_asked_for() -> None:
    _, syzygy = asked(QUEEN.format(0), 2, {}, (-2, -10))
    for fen in ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "3qk3/8/8/8/8/8/8/3QK3 w - - 0 1"):
        game = Game(CHESS, fen)
        assert syzygy.root(game, game.legal_numbers()) is None, fen
    game = Game("ataturk", "8/8/8/3k4/8/8/8/KQ6 w - - 0 1")
    assert syzygy.root(game, game.legal_numbers()) is None and syzygy.most_pieces(game.rules) == 0


# Files

FILES = {
    "KQvK.rtbw": (MAGIC[".atbw"] + bytes(140), "is a table of atomic, not of chess"),
    "KRvK.rtbw": (MAGIC[".rtbz"] + bytes(140), "is a .rtbz table, not a .rtbw one"),
    "KBvK.rtbw": (b"what" + bytes(140), "is not a table"),
    "KNvK.rtbw": (b"", "is not a table"),
    "KPvK.rtbz": (MAGIC[".rtbz"] + bytes(139), "is cut short or altered: no table has 143 bytes"),
    "KQvKP.rtbw": (MAGIC[".rtbw"] + bytes(140), "is damaged: it lists other pieces than KQvKP"),
    "QKvK.rtbw": (MAGIC[".rtbw"] + bytes(140), "has no name of a table"),
    "king.rtbz": (MAGIC[".rtbz"] + bytes(140), "has no name of a table"),
}


@pytest.mark.parametrize("name", list(FILES))
def test_a_file_that_is_no_table_of_the_game_is_refused_by_name(tmp_path: Path, name: str) -> None:
    data, said = FILES[name]
    (tmp_path / name).write_bytes(data)
    told: list[str] = []
    syzygy = Syzygy([tmp_path], told.append)
    assert syzygy.most_pieces(CHESS) == 0
    assert len(told) == 1 and told[0] == f"{str(tmp_path / name)!r} {said}"
    assert syzygy.most_pieces(CHESS) == 0 and len(told) == 1


def test_a_file_with_nonsense_inside_is_refused_by_name_when_asked(tmp_path: Path) -> None:
    chance, told = random.Random(7), list[str]()
    for name in ("KQvK.rtbw", "KQvK.rtbz"):
        (tmp_path / name).write_bytes(begun(name) + chance.randbytes(135 + 64 * 5))
    syzygy, game = Syzygy([tmp_path], told.append), Game(CHESS, QUEEN.format(0))
    assert syzygy.most_pieces(CHESS) == 3 and told == []
    assert Searcher(1, syzygy=syzygy).search(game, Limits(depth=3)).move in game.legal_numbers()
    assert told == [f"{str(tmp_path / 'KQvK.rtbw')!r} is damaged"]


def begun(name: str) -> bytes:
    """The first nine bytes of a file of three pieces without pawns."""
    material, _, suffix = name.partition(".")
    (first, second), (third,) = (map(chess.PIECE_SYMBOLS.index, side.lower()) for side in material.split("v"))
    return MAGIC[f".{suffix}"] + bytes([0, 0]) + bytes(each * 17 for each in (first, second, third + 8))


def test_folders_are_a_path_list() -> None:
    assert folders_in(os.pathsep.join(("a", "", "b c"))) == [Path("a"), Path("b c")]


def test_a_game_has_the_files_of_its_rules_alone(tmp_path: Path) -> None:
    for name, suffix in (("KQvK", ".rtbw"), ("KRvK", ".atbw"), ("KBvK", ".gtbw"), ("KNvK", ".stbw")):
        (tmp_path / (name + suffix)).write_bytes(begun(name + (suffix if suffix in MAGIC else ".gtbw")) + bytes(135))
    variants.register_boards()  # then python-chess knows Boards of games that have no such files
    syzygy = Syzygy([tmp_path], pytest.fail)
    names = ("chess", "atomic", "nocheckatomic", "antichess", "cylinder")
    found = {name: syzygy.most_pieces(variants.find(name)) for name in names}
    assert found == {"chess": 3, "atomic": 3, "nocheckatomic": 0, "antichess": 3, "cylinder": 0}
    for name, material in (("chess", "KQvK"), ("atomic", "KRvK"), ("antichess", "KBvK")):
        files = syzygy._game(variants.find(name))[0]
        assert isinstance(files, chess.syzygy.Tablebase) and set(files.wdl) == {material, "v".join(material.split("v")[::-1])}


# Protocol


def test_the_option_names_what_is_wrong(uci: Inside, tmp_path: Path) -> None:
    def answers(*lines: str) -> list[str]:
        uci.send(*lines, "isready")
        return uci.until("readyok")[:-1]

    uci.send("uci")
    assert "option name SyzygyPath type string default <empty>" in uci.until("uciok")
    (said,) = answers("setoption name SyzygyPath value /no/such/place")
    assert said.startswith("info string SyzygyPath: '/no/such/place' is not a folder")
    (tmp_path / "KQvK.rtbw").write_bytes(b"nonsense")
    (said,) = answers(f"setoption name SyzygyPath value {tmp_path}")
    assert said == f"info string {str(tmp_path / 'KQvK.rtbw')!r} is not a table; it is not used"
    uci.send(f"position fen {QUEEN.format(0)}", "go depth 2")
    assert uci.until("bestmove .*")[-1] != "bestmove (none)"
    assert answers("setoption name SyzygyPath value <empty>") == []


def test_xboard_names_the_folder(xboard: Inside, tmp_path: Path) -> None:
    xboard.send("xboard", "protover 2")
    assert 'feature egt="syzygy"' in xboard.until(".*done=1")
    xboard.send(f"egtpath syzygy {tmp_path}", "egtpath nalimov /some/where", "egtpath syzygy /no/where", "ping 1")
    said = xboard.until("pong 1")
    assert said[:-1] == ["Error ('nalimov' tables are not read, only syzygy): egtpath nalimov /some/where"]
    assert xboard.engine.session.values["SyzygyPath"] == str(tmp_path)


# Real files


@pytest.fixture
def real() -> Path:
    """A folder with Syzygy files of chess."""
    folder = os.environ.get("KINGMAKER_SYZYGY", "")
    if not folder:
        pytest.skip("KINGMAKER_SYZYGY names no folder with Syzygy files")
    return Path(folder)


def test_own_tables_agree_with_the_fields(real: Path, tmp_path: Path) -> None:
    maker, syzygy = Maker(CHESS, tmp_path, threads=2), Syzygy([real], pytest.fail)
    prober = syzygy._game(CHESS)[0]
    assert prober is not None
    for name in ("KQvK", "KRvK", "KPvK", "KBvK", "KNvK"):
        maker.make(name)
        positions = Tables(tmp_path).random_positions(CHESS, name, np.random.default_rng(1))
        for _, (pos, value) in zip(range(500), positions, strict=False):
            board = chess.Board(to_fen(CHESS, pos))
            assert prober.probe_wdl(board) == 2 * value.result, board.fen()


def test_won_positions_are_won_at_the_least_depth(real: Path) -> None:
    syzygy, chance = Syzygy([real], pytest.fail), random.Random(3)
    searcher = Searcher(1, syzygy=syzygy)
    for pieces in ("QK", "RK", "BNK", "PK"):
        won = 0
        while won < 3:
            board = chess.Board(None)
            squares = chance.sample(range(8, 56), len(pieces) + 1)
            for letter, square in zip(pieces + "k", squares, strict=True):
                board.set_piece_at(square, chess.Piece.from_symbol(letter))
            if not board.is_valid():
                continue
            game = Game(CHESS, board.fen())
            root = syzygy.root(game, game.legal_numbers())
            if root is None or root.score != WIN_SCORE:
                continue
            while (outcome := game.outcome()) is None:
                move = searcher.search(game, Limits(depth=1)).move
                assert move is not None
                game.push(move)
            assert outcome.winner == 0, (board.fen(), game.move_stack)
            won += 1


def test_real_files_that_were_altered_are_refused_or_do_no_harm(real: Path, tmp_path: Path) -> None:
    chance = random.Random(5)
    for name in ("KQvK.rtbw", "KQvK.rtbz", "KPvK.rtbw", "KPvK.rtbz", "KRvK.rtbw", "KRvK.rtbz"):
        data = bytearray((real / name).read_bytes())
        data = data[:len(data) // 2 // 64 * 64 + 16]
        for _ in range(20):
            data[chance.randrange(4, len(data))] ^= 1 << chance.randrange(8)
        (tmp_path / name).write_bytes(data)
    told: list[str] = []
    searcher = Searcher(1, syzygy=Syzygy([tmp_path], told.append))
    for fen in (QUEEN.format(0), "8/8/8/3k4/8/3P4/8/K7 w - - 0 1", "8/8/8/3k4/8/8/8/KR6 b - - 0 1"):
        game = Game(CHESS, fen)
        assert searcher.search(game, Limits(depth=3)).move in game.legal_numbers()
    assert {"KQvK", "KPvK", "KRvK"} == {part for line in told for part in ("KQvK", "KPvK", "KRvK") if part in line}, told


def test_a_known_distance_is_met(real: Path) -> None:
    """The example of python-chess's documentation: 53 plies after a move of Black's."""
    game = Game(CHESS, "8/2K5/4B3/3N4/8/8/4k3/8 b - - 0 1")
    root = Syzygy([real], pytest.fail).root(game, game.legal_numbers())
    assert root is not None and root.grade == Grade(-2, 53)
    assert parse_fen(CHESS, game.fen())[0] == game.pos[0]
