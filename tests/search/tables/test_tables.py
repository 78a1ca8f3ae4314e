"""Tables of endings: known facts of chess, one step of every game by its Board, files that are damaged, play at the root."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

import variants
from engine.compile.jit import entry
from engine.core.bits import ONE, ZERO, lowest, row_on_stack
from engine.errors import CommandError
from engine.game import Game
from engine.rules import BLACK, CLOCK, MARKS, ROYAL, TURN, WHITE, Rules
from engine.text import parse_fen, to_fen
from search.analysis import probe
from search.limits import Info, Limits
from search.searcher import Searcher
from search.tables.atlas import Charts, entries, refuse_untabled, symmetries
from search.tables.files import BLOCK, TableError, TableFile, path_of, write_table
from search.tables.generator import Maker, Work, needs
from search.tables.materials import materials_of, named, parse_material, plan
from search.tables.numbers import DIRECT, MOST_PLACES, PIECES, SIZE, number_with, pack, slot_of, unpack
from search.tables.probing import BUNDLED, DRAW, LOST, Tables, Value
from search.tables.tree import UNKNOWN_SCORE, score_kernel

CHESS = variants.find("chess")
# Plies of the longest wins in chess, known since the first tables were made.
LONGEST = {"KvK": 0, "KBvK": 0, "KNvK": 0, "KQvK": 19, "KRvK": 31, "KPvK": 55}
LONG_WAYS = {"KQvKR": 69, "KBBvK": 37, "KBNvK": 65, "KNNvK": 1, "KRPvKR": None, "KPvKP": None}
# Sliders and leapers, promotions, endings in which rules meet.
MATERIALS = {
    **dict.fromkeys(("chess", "atomic", "nocheckatomic", "madness-fide", "madness", "madness-legan"), ("KQvK", "KRvK", "KPvK")),
    "ascending": ("KQvK", "KPvK", "KRRvK"), "ataturk": ("KQvR", "QPvB", "KNvK", "BBvQ", "KRvQ"),
    "shatar": ("KJvKB",), "warmspit": ("KQvKN",),
}
TURNS = (chess.flip_horizontal, chess.flip_vertical, chess.flip_diagonal)
SAMPLE = 60  # of each table and result


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the chess tables of three pieces."""
    place = tmp_path_factory.mktemp("tables")
    maker = Maker(CHESS, place, threads=2)
    maker.make("KPvK")
    return place


def test_materials_are_named_in_one_way() -> None:
    assert named("RK", "QK") == "KQvKR" and named("K", "KBN") == "KBNvK"
    assert parse_material(CHESS, "KRvKQ", 6) == "KQvKR"
    assert len(materials_of(CHESS, 3)) == 5 and len(materials_of(CHESS, 4)) == 30
    for name in ("KQK", "KZvK", "vK", "KKvK", "QvK", "KQQQQQQvK"):
        with pytest.raises(CommandError, match=name):
            parse_material(CHESS, name, 6)


def test_smaller_tables_come_first() -> None:
    order = plan(CHESS, ["KRPvKR"])
    assert order[-1] == "KRPvKR" and order.index("KRvK") < order.index("KQRvKR") and len(set(order)) == len(order)
    assert "KRvR" not in plan(variants.find("ataturk"), ["KRvQ"]) and "RvQ" not in plan(CHESS, ["KRvKQ"])


@entry
def wrong_numbers(rules, atlas, table, first, last, pos, child):  # type: ignore[no-untyped-def]
    """(how often number_with() and pack() differ if one piece of a position with these numbers is moved, how often it was)."""
    places, wrong, seen = row_on_stack(MOST_PLACES), 0, 0
    for index in range(first, last):
        if not unpack(rules, atlas, table, index, pos, places):
            continue
        base = index // atlas.layout[table, SIZE] * atlas.layout[table, SIZE]
        for slot in range(atlas.layout[table, PIECES]):
            free = atlas.allowed[table, slot] & ~(pos[WHITE] | pos[BLACK])
            while free:
                goal = free & (ZERO - free)
                free ^= goal
                stood = ONE << places[slot]
                for word in rules.board_words:
                    child[word] = (pos[word] ^ stood ^ goal) if pos[word] & stood else pos[word]
                child[TURN] = pos[TURN]
                child[ROYAL] = (pos[ROYAL] ^ stood ^ goal) if rules.titles and pos[ROYAL] & stood else pos[ROYAL]
                child[MARKS] = (pos[MARKS] ^ stood ^ goal) if rules.titles and pos[MARKS] & stood else pos[MARKS]
                seen += 1
                wrong += pack(rules, atlas, table, 0, child) != base + number_with(atlas, table, places, slot, lowest(goal))
                wrong += slot_of(atlas, table, places, lowest(stood)) != slot
    return wrong, seen


@pytest.mark.parametrize(("variant", "material", "direct"), [
    ("chess", "KRvKN", True), ("chess", "KQQvK", True), ("chess", "KPPvKN", True), ("chess", "KQQQvK", False),
    ("shatar", "KJvKN", True), ("warmspit", "KQvKR", True), ("madness", "KRvKP", True), ("ataturk", "BNvB", True),
    ("ataturk", "BBvQ", False), ("ascending", "RRvK", True)])
def test_numbers_of_moved_pieces(variant: str, material: str, direct: bool) -> None:
    """A table that is DIRECT gives a position with one piece elsewhere the same number in both ways."""
    rules = variants.find(variant)
    charts = Charts(rules, [material])
    assert charts.atlas.layout[0, DIRECT] == direct
    if direct:
        n, total = entries(rules, material), 0
        for first in np.random.default_rng(7).integers(0, n - 20, 40):
            rows = np.zeros((2, rules.traits.words), np.uint64)
            wrong, seen = wrong_numbers(rules, charts.atlas, 0, first, first + 20, *rows)
            assert wrong == 0, (int(first), seen)
            total += seen
        assert total > 0


def test_python_asks_tables_in_text(folder: Path) -> None:
    answer = probe(Game("chess", "7k/8/6K1/8/8/8/8/R7 w - - 0 1"), folder)
    assert answer is not None
    assert (answer.result, answer.plies, answer.line, answer.too_long) == (1, 1, ("a1a8",), False)
    assert answer.moves[0] == ("a1a8", 1, 1) and len(answer.moves) == 14 + 6
    assert probe(Game("chess", "7k/8/6K1/8/8/8/8/RR6 w - - 0 1"), folder) is None
    drawn = probe(Game("chess", "8/8/8/8/8/2k5/3R4/K7 b - - 0 1"), Tables(folder))
    assert drawn is not None and (drawn.result, drawn.plies, drawn.line) == (0, 0, ())


def test_longest_wins_of_chess(folder: Path) -> None:
    assert {name: max(TableFile(path_of(folder, CHESS, name), CHESS).facts.longest) for name in LONGEST} == LONGEST


def test_every_value_follows_from_the_moves(folder: Path) -> None:
    maker = Maker(CHESS, folder)
    for name in LONGEST:
        seen, wrong, first = maker.check(name)
        assert seen > 900 and (wrong, first) == (0, -1), name


def test_the_check_sees_a_wrong_value(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    path = path_of(tmp_path / "copy", CHESS, "KRvK")
    file = TableFile(path, CHESS)
    codes, number = file.codes(), file.facts.longest_at[0]
    codes[number] -= 2
    write_table(path, CHESS, "KRvK", codes, file.facts)
    _, wrong, first = Maker(CHESS, tmp_path / "copy").check("KRvK")
    assert wrong >= 2 and first <= number  # itself, and the positions before it


def test_interrupted_work_goes_on(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    path = path_of(tmp_path / "copy", CHESS, "KRvK")
    path.unlink()
    monkeypatch.setattr("search.tables.generator.CHECKPOINT", 0.0)
    run, plies = Work.run, list[int]()

    def interrupted(self: Work, what: str, step: int, ply: int, *more: object) -> np.ndarray:
        plies.append(ply)
        if ply == 20 and len(plies) < 60:
            raise KeyboardInterrupt
        return run(self, what, step, ply, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(Work, "run", interrupted)
    maker = Maker(CHESS, tmp_path / "copy")
    with pytest.raises(KeyboardInterrupt):
        maker.make("KRvK")
    assert not path.exists()
    before = len(plies)
    plies += [0] * 60
    maker.make("KRvK")
    assert min(plies[before + 60:]) >= 0 and plies[before + 60] == 20  # no scan, no ply again
    assert np.array_equal(TableFile(path, CHESS).codes(), TableFile(path_of(folder, CHESS, "KRvK"), CHESS).codes())
    assert [each.name for each in path.parent.glob("KRvK*")] == ["KRvK.kmt"]


@pytest.mark.parametrize("left", [0, 1000, -30], ids=["empty", "begun", "end"])
def test_a_checkpoint_cut_short_begins_again(left: int, folder: Path, tmp_path: Path) -> None:
    charts = Maker(CHESS, folder)._charts("KRvK")
    work = Work(CHESS, charts, "KRvK", np.dtype(np.uint8), 1, tmp_path / "KRvK.part.npz", lambda what, done, total: None)
    work._keep(3, 7)
    assert work._resume() == (3, 7)
    work.part.write_bytes(work.part.read_bytes()[:left])
    assert work._resume() == (-1, 0)


def test_a_checkpoint_is_on_the_disk_before_it_replaces_the_last(
        folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    charts, part, done = Maker(CHESS, folder)._charts("KRvK"), tmp_path / "KRvK.part.npz", list[str]()
    fsync, replace = os.fsync, Path.replace

    def synced(number: int) -> None:
        done.append("fsync")
        fsync(number)

    def replaced(self: Path, target: Path) -> Path:
        done.append("replace")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    Work(CHESS, charts, "KRvK", np.dtype(np.uint8), 1, part, lambda what, done, total: None)._keep(3, 7)
    assert done == ["fsync", "replace"] and part.exists()


def test_what_does_not_fit_is_refused_before_the_work(tmp_path: Path) -> None:
    assert needs(CHESS, "KQvKR").memory > 5
    with pytest.raises(CommandError, match=r"KQvK needs .* may take 0"):
        Maker(CHESS, tmp_path, memory=0).make("KQvK")


def rook(betza: str) -> dict[str, Any]:
    """Chess with another rook."""
    return {"pieces": tuple(replace(piece, betza=betza) if piece.letter == "R" else piece for piece in CHESS.pieces),
            "castling": False}


@pytest.mark.parametrize(("variant", "why"), [
    ("crazyhouse", "has pieces in hand"), ("3check", "counts checks"), ("horde", "is played without kings"),
    ("antichess", "is played without kings"), ("short", "has no 50-move rule"), ("stuck", "is won by who has no move"),
    ("racingkings", "lets Black follow White to the goal"),
    *((name, "has moves that cannot be taken back by geometry") for name in ("tripunch", "divided", "lame", "hopper"))])
def test_games_whose_positions_no_table_holds_are_refused(variant: str, why: str) -> None:
    made_up: dict[str, dict[str, Any]] = {
        "short": {"progress_limit": 20}, "stuck": {"stalemate": "win"}, "divided": rook("mfRcK"), "lame": rook("nN"),
        "hopper": rook("pR")}
    rules = Rules(variant, "made up", **made_up[variant]) if variant in made_up else variants.find(variant)
    with pytest.raises(CommandError, match=f"{variant} {why}: such positions have no tables"):
        refuse_untabled(rules)


def test_tables_of_a_game_that_is_refused_are_left_out(folder: Path, tmp_path: Path) -> None:
    rules = Rules("stuck", "made up", stalemate="win")
    path = path_of(tmp_path, rules, "KvK")
    path.parent.mkdir()
    file = TableFile(path_of(folder, CHESS, "KvK"), CHESS)
    write_table(path, rules, "KvK", file.codes(), file.facts)
    told = list[str]()
    assert Tables(tmp_path, told.append).materials(rules) == []
    assert told == ["stuck is won by who has no move: such positions have no tables"]


# Where squares matter. The rows of MAPS: identity, files mirrored, two turns and flips, then the diagonals; 5 keeps a1 and h8.


@pytest.mark.parametrize(("traits", "maps"), [
    ({}, (0, 1, 2, 3, 4, 5, 6, 7)), ({"goal": "d4e4d5e5"}, (0, 1, 2, 3, 4, 5, 6, 7)), ({"goal": "h8/a1"}, (0, 5)),
    ({"goal": "a8b8c8d8e8f8g8h8"}, (0, 1)), ({"driven_king": True}, (0, 1, 2, 3, 4, 5, 6, 7)), ({"driven_king": "fD"}, (0, 1))])
def test_symmetries_keep_goals_and_drives(traits: dict[str, Any], maps: tuple[int, ...]) -> None:
    assert symmetries(Rules("places", "made up", castling=False, **traits), "KQR") == maps


@pytest.mark.parametrize("traits", [{"goal": "a8b8c8d8e8f8g8h8/a8b8c8d8e8f8g8h8"}, {"driven_king": "fD"}])
def test_games_of_unlike_sides_are_refused(traits: dict[str, Any]) -> None:
    with pytest.raises(CommandError, match="tables need sides that are alike, and those of unlike are not"):
        Charts(Rules("unlike", "made up", castling=False, **traits), ["KRvK"])


@pytest.mark.parametrize(("goal", "values"), [
    ("h8/a1", {"8/6K1/8/8/8/7k/8/R7 w - - 0 1": Value(1, 1), "7r/8/K7/8/8/8/1k6/8 b - - 0 1": Value(1, 1),
               "8/7K/8/8/8/8/7R/1k6 b - - 0 1": Value(1, 1), "7K/8/8/8/8/7k/8/R7 w - - 0 1": Value(1, 0)}),
    pytest.param("d4e4d5e5", {"8/8/2K5/8/8/7k/8/R7 w - - 0 1": Value(1, 1), "8/8/8/3K4/8/7k/8/R7 b - - 0 1": LOST},
                 marks=pytest.mark.long)])
def test_goals_reached(goal: str, values: dict[str, Value], tmp_path: Path) -> None:
    """Steps onto a goal win at once, and the other values follow from them; a king that stands there has won."""
    rules = Rules("goals", "made up", goal=goal)
    maker, tables = Maker(rules, tmp_path), Tables(tmp_path)
    maker.make("KRvK")
    for name in ("KvK", "KRvK"):
        assert maker.check(name)[1:] == (0, -1)
    for fen, value in values.items():
        assert tables.value(rules, parse_fen(rules, fen)) == value, fen
    mirrored = tables.value(rules, parse_fen(rules, "8/1K6/8/8/8/k7/8/7R w - - 0 1"))
    assert mirrored is not None and mirrored.plies > 1
    compare_with_board(rules, tables, ("KvK", "KRvK"))


def test_values_of_single_positions(folder: Path) -> None:
    tables = Tables(folder)
    for fen, value in {
        "8/8/8/8/8/5K2/6Q1/7k b - - 0 1": LOST, "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1": DRAW,
        "7k/5K2/8/6Q1/8/8/8/8 w - - 0 1": Value(1, 1),
        "8/8/8/8/8/4k3/4P3/4K3 w - - 0 1": DRAW, "k7/8/8/8/8/8/8/K7 w - - 0 1": DRAW, "4k3/8/8/8/8/8/8/4K2R w K - 0 1": None,
        "4k3/8/8/8/8/8/8/4KQQ1 w - - 0 1": None,
    }.items():
        assert tables.value(CHESS, Game(CHESS, fen).pos) == value, fen
        turned = chess.Board(fen).mirror().fen()
        if value is not None:
            assert tables.value(CHESS, Game(CHESS, turned).pos) == value, turned


def test_a_value_does_not_depend_on_how_the_board_is_turned(folder: Path) -> None:
    tables, chance = Tables(folder), np.random.default_rng(3)
    for name in ("KQvK", "KPvK"):
        positions = tables.random_positions(CHESS, name, chance)
        for _, (pos, value) in zip(range(100), positions, strict=False):
            board = chess.Board(to_fen(CHESS, pos))
            for turn in TURNS[:1] if "P" in name else TURNS:
                fen = board.transform(turn).fen()
                assert tables.value(CHESS, parse_fen(CHESS, fen)) == value, fen


# Files


@pytest.mark.parametrize(("damage", "said"), [
    (lambda data: data[:-1], "bytes long instead of"),
    (lambda data: data[:5], "is not a table"),
    (lambda data: b"", "is not a table"),
    (lambda data: data[:40] + b"x" + data[41:], "has a damaged header"),
    (lambda data: data + b"x", "bytes long instead of"),
], ids=["cut", "begun", "empty", "header", "longer"])
def test_a_damaged_file_is_refused_by_name(folder: Path, tmp_path: Path, damage: object, said: str) -> None:
    path = path_of(tmp_path, CHESS, "KQvK")
    path.parent.mkdir()
    path.write_bytes(damage(path_of(folder, CHESS, "KQvK").read_bytes()))  # type: ignore[operator]
    with pytest.raises(TableError, match=said) as raised:
        TableFile(path, CHESS)
    assert str(path) in str(raised.value)
    told: list[str] = []
    assert Tables(tmp_path, told.append).materials(CHESS) == [] and len(told) == 1


def test_an_altered_block_is_refused_by_name_and_left_out(folder: Path, tmp_path: Path) -> None:
    path = path_of(tmp_path, CHESS, "KQvK")
    path.parent.mkdir()
    data = bytearray(path_of(folder, CHESS, "KQvK").read_bytes())
    data[-20] ^= 1
    path.write_bytes(data)
    told: list[str] = []
    tables = Tables(tmp_path, told.append)
    sound = Tables(folder).random_positions(CHESS, "KQvK", np.random.default_rng(2))
    found = [tables.value(CHESS, pos) for _, (pos, _) in zip(range(50), sound, strict=False)]
    assert None in found and len(told) == 1 and str(path) in told[0] and "damaged in block" in told[0]
    assert found[-1] is None and tables.materials(CHESS) == []


def test_a_table_of_another_game_version_or_material_is_refused(folder: Path, tmp_path: Path) -> None:
    data = path_of(folder, CHESS, "KQvK").read_bytes()
    atomic = variants.find("atomic")
    path = path_of(tmp_path, atomic, "KQvK")
    path.parent.mkdir()
    path.write_bytes(data)
    with pytest.raises(TableError, match="is a table of chess, not of atomic"):
        TableFile(path, atomic)
    other = path_of(tmp_path, CHESS, "KRvK")
    other.parent.mkdir()
    other.write_bytes(data)
    with pytest.raises(TableError, match="is the table of KQvK"):
        TableFile(other, CHESS)


def test_a_file_of_another_format_is_refused(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = TableFile(path_of(folder, CHESS, "KvK"), CHESS)
    monkeypatch.setattr("search.tables.files.FORMAT", 99)
    path = path_of(tmp_path, CHESS, "KvK")
    write_table(path, CHESS, "KvK", file.codes(), file.facts)
    monkeypatch.undo()
    with pytest.raises(TableError, match="has format 99, and this version reads 1"):
        TableFile(path, CHESS)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_codes_are_read_as_they_were_written(tmp_path: Path, folder: Path, dtype: type) -> None:
    facts = TableFile(path_of(folder, CHESS, "KvK"), CHESS).facts
    codes: np.ndarray = np.random.default_rng(1).integers(0, np.iinfo(dtype).max, 2 * BLOCK + 7).astype(dtype)
    path = path_of(tmp_path, CHESS, "KQvK")
    write_table(path, CHESS, "KQvK", codes, facts)
    file = TableFile(path, CHESS)
    assert np.array_equal(file.codes(), codes) and file.codes().dtype == dtype and file.facts == facts
    assert [file.code(index) for index in (0, BLOCK, 2 * BLOCK + 6)] == [codes[index] for index in (0, BLOCK, 2 * BLOCK + 6)]


# Play


def test_won_positions_are_won_in_the_exact_number_of_plies(folder: Path) -> None:
    tables, chance = Tables(folder), np.random.default_rng(5)
    searcher = Searcher(1, tables=tables)
    for name in ("KQvK", "KRvK", "KPvK"):
        positions, won = tables.random_positions(CHESS, name, chance), 0
        for pos, value in positions:
            if value.result <= 0:
                continue
            game = Game(CHESS, to_fen(CHESS, pos))
            if tables.line(CHESS, game.pos).too_long:
                continue
            while (outcome := game.outcome()) is None:
                move = searcher.search(game, Limits(depth=1)).move
                assert move is not None
                game.push(move)
            assert outcome.winner == int(pos[1]) and len(game.moves) == value.plies, to_fen(CHESS, pos)
            won += 1
            if won == 10:
                break


def under_the_clock(tables: Tables, board: chess.Board) -> int:
    """What a position is worth to the side to move under the 50-move rule, by the Board until a table's win has time."""
    if board.is_checkmate():
        return -1
    if board.is_stalemate() or board.is_insufficient_material() or board.halfmove_clock >= 100:
        return 0
    if board.halfmove_clock == 0:  # every win of three pieces takes less than 100 plies
        value = tables.value(CHESS, parse_fen(CHESS, board.fen()))
        assert value is not None
        return value.result
    worths = []
    for move in list(board.legal_moves):
        board.push(move)
        worths.append(-under_the_clock(tables, board))
        board.pop()
    return max(worths)


@pytest.mark.parametrize(("name", "earliest"), [("KPvK", 97), ("KQvK", 98), ("KRvK", 98)])
def test_the_root_observes_the_clock(name: str, earliest: int, folder: Path) -> None:
    tables, chance, seen = Tables(folder), np.random.default_rng(11), set[tuple[int, int]]()
    searcher = Searcher(1, tables=tables)
    positions = ((pos, value) for pos, value in tables.random_positions(CHESS, name, chance) if value.result)
    for _, (pos, value) in zip(range(80), positions, strict=False):
        fields = to_fen(CHESS, pos).split()
        fields[4:] = str(chance.integers(earliest, 100)), "90"
        game, infos = Game(CHESS, " ".join(fields)), list[Info]()
        if game.outcome() is not None:
            continue
        board = chess.Board(game.fen())
        expected = under_the_clock(tables, board)
        best = searcher.search(game, Limits(depth=6), on_info=infos.append)
        assert best.move is not None
        board.push_uci(game.text(best.move))
        assert under_the_clock(tables, board) == -expected, game.fen()
        assert np.sign(infos[-1].score) == expected, game.fen()
        seen.add((value.result, expected))
    assert {(1, 0), (-1, 0)} < seen


def test_the_last_pawn_move_in_time_is_made(folder: Path) -> None:
    """The clock stands at 99: only h6 keeps the win. The king goes the quicker way as long as there is time."""
    for clock, move in ((99, "h5h6"), (83, "b4c5")):
        game = Game(CHESS, f"8/k7/8/7P/1K6/8/8/8 w - - {clock} 80")
        searcher = Searcher(1, tables=Tables(folder))
        best = searcher.search(game, Limits(depth=1))
        assert best.move is not None and game.text(best.move) == move
        while game.outcome() is None:
            game.push(searcher.search(game, Limits(depth=1)).move or 0)
        assert game.result() == "1-0"


@pytest.mark.parametrize("fen", ["8/8/8/8/3k4/8/8/K6R w - - 90 80", "8/8/8/8/3k4/8/8/K6R b - - 90 80"])
def test_a_win_without_time_is_a_draw(fen: str, folder: Path) -> None:
    game, infos = Game(CHESS, fen), list[Info]()
    searcher = Searcher(1, tables=Tables(folder))
    searcher.search(game, Limits(depth=4), on_info=infos.append)
    assert {info.score for info in infos} == {0} and searcher.known is not None and searcher.known.late


def test_the_root_reports_exact_scores(folder: Path) -> None:
    game, infos = Game(CHESS, "8/8/8/5k2/8/8/1Q6/K7 w - - 0 1"), list[Info]()
    best = Searcher(1, tables=Tables(folder)).search(game, Limits(movetime=1), multipv=2, on_info=infos.append)
    assert infos[0].mate == 10 and infos[0].pv[0] == best.move and infos[1].score <= infos[0].score and infos[0].tbhits > 0


def test_the_search_knows_what_a_capture_leads_to(folder: Path) -> None:
    fen = "8/8/8/8/8/4k3/8/K1nR4 w - - 0 1"
    game, infos, tables = Game(CHESS, fen), list[Info](), Tables(folder)
    assert tables.value(CHESS, game.pos) is None  # four pieces
    Searcher(1, tables=tables).search(game, Limits(depth=1), on_info=infos.append)
    game.push("d1c1")
    after = tables.value(CHESS, game.pos)
    assert after is not None and after.result == -1
    assert infos[-1].score == 32_000 - after.plies - 1 and infos[-1].tbhits > 0
    plain = list[Info]()
    Searcher(1).search(Game(CHESS, fen), Limits(depth=1), on_info=plain.append)
    assert plain[-1].mate is None and plain[-1].tbhits == 0


BUNDLED_TABLES = (("ataturk", "KNvR"), ("nocheckatomic", "KQvKP"))


@pytest.mark.parametrize(("name", "material"), BUNDLED_TABLES)
def test_tables_that_come_with_a_game_are_used(name: str, material: str) -> None:
    rules, chance, seen = variants.find(name), np.random.default_rng(7), 0
    assert [path.stem for path in sorted((BUNDLED / name).iterdir())] == [material]
    for pos, value in Tables(BUNDLED).random_positions(rules, material, chance):
        if value.result <= 0 or value.plies < 15:
            continue
        game, infos, plain = Game(rules, to_fen(rules, pos)), list[Info](), list[Info]()
        Searcher(1).search(game, Limits(depth=2), on_info=infos.append)
        Searcher(1, bundled=False).search(game, Limits(depth=2), on_info=plain.append)
        assert infos[-1].score == 32_000 - value.plies and infos[-1].tbhits > 0
        assert plain[-1].mate is None and plain[-1].tbhits == 0
        seen += 1
        if seen == 5:
            break


def test_a_drawn_root_is_searched_without_the_tables_that_come_with_a_game() -> None:
    """Else all moves look alike, and none tempts the other side to err."""
    rules = variants.find("ataturk")
    drawn = next(pos for pos, value in Tables(BUNDLED).random_positions(rules, "KNvR", np.random.default_rng(7))
                 if value == DRAW)
    infos = list[Info]()
    Searcher(1).search(Game(rules, to_fen(rules, drawn)), Limits(depth=4), on_info=infos.append)
    assert all(info.tbhits == 0 for info in infos)


@pytest.mark.parametrize("missing", [True, False])
def test_a_folder_comes_before_the_tables_that_come_with_a_game(missing: bool, tmp_path: Path) -> None:
    rules = variants.find("ataturk")
    own = path_of(tmp_path, rules, "KNvR")
    if not missing:
        own.parent.mkdir()
        shutil.copy(path_of(BUNDLED, rules, "KNvR"), own)
    file = Tables(tmp_path, bundled=True).file(rules, "KNvR")
    assert file is not None and file.path == (path_of(BUNDLED, rules, "KNvR") if missing else own)
    assert Tables(tmp_path).materials(rules) == ([] if missing else ["KNvR"])


@pytest.mark.long
@pytest.mark.parametrize(("name", "material"), BUNDLED_TABLES)
def test_tables_that_come_with_a_game_are_those_it_makes(name: str, material: str, tmp_path: Path) -> None:
    rules = variants.find(name)
    Maker(rules, tmp_path, threads=2).make(material)
    made, bundled = (TableFile(path_of(place, rules, material), rules) for place in (tmp_path, BUNDLED))
    assert np.array_equal(made.codes(), bundled.codes())


def test_the_search_does_not_count_on_a_win_that_the_clock_forbids(folder: Path) -> None:
    tables, game = Tables(folder), Game(CHESS, "8/8/8/8/3k4/8/8/K6R b - - 0 1")
    value = tables.value(CHESS, game.pos)
    assert value is not None and value.result == -1
    scores = []
    for clock in (100 - value.plies, 101 - value.plies):
        game.pos[CLOCK] = clock
        scores.append(int(score_kernel(CHESS, tables.tree(CHESS), game.pos, np.int64(3))))
    assert scores == [-(32_000 - 3 - value.plies), UNKNOWN_SCORE]




def test_the_board_of_chess_agrees(folder: Path) -> None:
    compare_with_board(CHESS, Tables(folder), ("KQvK", "KPvK"))


def over(board: chess.Board) -> Value | None:
    """What a finished game is worth to the side to move, by its Board; None while it goes on."""
    outcome = board.outcome()
    if outcome is None or outcome.termination == chess.Termination.INSUFFICIENT_MATERIAL:
        return None
    return DRAW if outcome.winner is None else Value(1 if outcome.winner == board.turn else -1, 0)


def compare_with_board(rules: Rules, tables: Tables, names: tuple[str, ...]) -> None:
    """Positions are worth what the best of their moves leads to, one step at a time; the moves are the Board's."""
    for name in names:
        chance, left = np.random.default_rng(1), {-1: SAMPLE, 0: SAMPLE, 1: SAMPLE}
        for _, (pos, value) in zip(range(20 * SAMPLE), tables.random_positions(rules, name, chance), strict=False):
            if not left[value.result]:
                continue
            left[value.result] -= 1
            board = rules.board(to_fen(rules, pos))
            expected = over(board)
            if expected is None:
                worths = []
                for move in list(board.legal_moves):
                    board.push(move)
                    worth = over(board) or tables.value(rules, parse_fen(rules, board.fen()))
                    assert worth is not None, board.fen()
                    worths.append(worth.before())
                    board.pop()
                expected = max(worths, key=lambda each: each.rank)
            assert expected == value, board.fen()
        assert sum(left.values()) < 3 * SAMPLE, name


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("variant", list(MATERIALS))
def test_tables_of_every_game(variant: str, tmp_path: Path) -> None:
    """Every value follows from the moves by the kernels, and samples by the Board."""
    rules = variants.find(variant)
    maker = Maker(rules, tmp_path, threads=2)
    for name in MATERIALS[variant]:
        maker.make(parse_material(rules, name, 6))
    tables = Tables(tmp_path)
    for name in tables.materials(rules):
        assert maker.check(name, sample=100_000)[1:] == (0, -1), name
    compare_with_board(rules, tables, tuple(tables.materials(rules)))


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_long_wins_of_chess(tmp_path: Path) -> None:
    maker = Maker(CHESS, tmp_path, threads=2)
    for name, plies in LONG_WAYS.items():
        if plies is None:
            continue
        maker.make(name)
        assert max(TableFile(path_of(tmp_path, CHESS, name), CHESS).facts.longest) == plies, name
    maker.make("KPvKP")  # double steps, en passant and promotion on both sides
    assert maker.check("KPvKP", sample=300_000)[1:] == (0, -1)
    compare_with_board(CHESS, Tables(tmp_path), ("KPvKP",))
