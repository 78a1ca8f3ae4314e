"""`kingmaker openings`: what is in a book, that it can be made again, and that its lines are read back unchanged."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import chess.variant
import pytest

import variants
from bench.__main__ import main
from bench.openings.book import OpeningTask, balance, find_opening, shipped, wander
from bench.openings.epd import epd_fen, read_positions
from engine.game import Game
from engine.rules import Rules
from variants.boards import StatefulBoard

FEW = ("--count", "3", "--nodes", "2000", "--processes", "1")


def fens_of(path: Path, rules: Rules) -> list[str]:
    return [fen for _, _, fen in read_positions(path, rules)]


def standing(fen: str) -> str:
    """What makes two positions the same: all fields but the clocks."""
    fields = fen.split()
    return " ".join(fields[:4] + fields[6:])


@pytest.mark.parametrize("name", variants.names())
def test_shipped_books(name: str) -> None:
    """200 different positions; every fifth on the Board: no check, the game not over, a choice of moves."""
    rules = variants.find(name)
    fens = fens_of(shipped(name), rules)
    assert len(fens) == 200 and len(set(map(standing, fens))) == 200
    for fen in fens[::5]:
        board = rules.board(fen)
        assert board.fen() == fen
        assert not board.is_check() and board.outcome() is None
        assert len(list(board.legal_moves)) > 1
        assert isinstance(board, StatefulBoard) or board.is_valid()


@pytest.mark.parametrize("name", ["atomic", "shatar"])
def test_books_for_other_programs(name: str) -> None:
    """Four fields and opcodes are EPD to python-chess; the seventh field is where our FENs have it."""
    lines = shipped(name).read_text(encoding="utf-8").splitlines()
    fens = fens_of(shipped(name), variants.find(name))
    assert f"kingmaker openings {name} --count 200" in lines[0] and "--seed" in lines[0]
    for number, (line, fen) in enumerate(zip(lines, fens, strict=True), 1):
        if name == "atomic":
            board = chess.variant.AtomicBoard(None)
            opcodes = board.set_epd(line)
            assert board.fen() == fen
            assert isinstance(opcodes["ce"], int) and abs(opcodes["ce"]) <= 60
            assert opcodes["id"] == f"{name} {number}"
        else:
            assert line.startswith(f"{fen} ce ")


def test_every_ply_is_drawn_and_the_book_can_be_made_again(tmp_path: Path) -> None:
    name, texts = "ataturk", []
    for processes in ("1", "2"):
        path = tmp_path / f"{processes}.epd"
        assert main(["openings", name, *FEW[:-1], processes, "--plies", "5", "-o", str(path)]) == 0
        texts.append(path.read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    fens = fens_of(path, variants.find(name))
    assert len(fens) == 3
    assert all(fen.split()[1] == "b" and fen.split()[5] == "3" for fen in fens)  # five plies from the array
    other = OpeningTask(name, plies=5, window=60, nodes=2000, follow=2, seed=2, number=0)
    assert find_opening(other).fen not in fens


def test_standard_output_is_the_book(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["openings", "atomic", *FEW]) == 0
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 3
    for line in said.out.splitlines():
        assert Game("atomic", epd_fen(line)).outcome() is None
    assert said.err.startswith("atomic: 3 positions of ") and said.err.count("\n") == 1


TASK = OpeningTask("chess", plies=4, window=60, nodes=3000, follow=2, seed=1, number=0)


@pytest.mark.parametrize(("fen", "why"), [
    ("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2", "mate in one"),
    ("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "a queen is missing"),
    ("rnbqk1nr/pppp1ppp/8/4p3/1b1P4/8/PPP1PPPP/RNBQKBNR w KQkq - 1 3", "in check"),
    ("rnb1kbnr/pppp1ppp/8/4p3/7q/4PP2/PPPP3P/RNBQKBNR w KQkq - 0 3", "in check with one way out"),
    ("r1bqkbnr/1ppp1ppp/p1n5/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 1 4", ""),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "drawn already"),
    ("r1bqkbnr/pppp1ppp/8/4n3/4P3/8/PPPP1PPP/RNBQKB1R w KQkq - 0 4", "a knight is gone"),
    ("rnbqkb1r/pppppppp/8/8/4n3/3P4/PPP2PPP/RNBQKBNR w KQkq - 0 3", "only taking the knight is any good"),
])
def test_what_is_balanced(fen: str, why: str) -> None:
    """Positions judged by hand, and by searches deep enough to judge the same."""
    game = Game("chess", fen)
    score = balance(game, replace(TASK, nodes=500_000))
    assert (score is None) == bool(why), why
    assert game.fen() == fen
    if score is not None:
        assert abs(score) <= TASK.window


def test_the_next_moves_are_looked_at_too(dice: random.Random) -> None:
    """Looking on along the best line only takes candidates away, and with searches this short it takes some."""
    rules, kept = variants.find("chess"), Counter[bool]()
    quick = replace(TASK, nodes=1000, follow=0)
    for _ in range(60):
        game = wander(rules, dice, 8)
        if game is not None and balance(game, quick) is not None:
            kept[balance(game, replace(quick, follow=6)) is not None] += 1
    assert kept[True] and kept[False]
    strict = [wander(rules, dice, 8) for _ in range(60)]
    assert all(balance(game, quick) is not None
               for game in strict if game is not None and balance(game, replace(quick, follow=6)) is not None)


def test_found_from_the_number_alone() -> None:
    found = find_opening(TASK)
    assert find_opening(TASK) == found and found.tries >= 1
    game = Game("chess", found.fen)
    assert balance(game, TASK) == found.score


def test_books_in_several_forms(tmp_path: Path) -> None:
    path = tmp_path / "book.epd"
    path.write_text("# a remark\n\n"
                    '4k3/8/8/8/3Q4/8/8/4K3 w - - hmvc 5; fmvn 7; id "one; two";\n'
                    "4k3/8/8/8/3Q4/8/8/4K3 b - -\n"
                    "4k3/8/8/8/3Q4/8/8/4K3 w - - 2 9 e1d4/e8\n"
                    "4k3/8/8/8/3Q4/8/8/4K3 w - - 2 9 d4/e8; ce 3;\n"
                    '4k3/8/8/8/3Q4/8/8/4K3 w - - 3 9 ce 3; id "x/y";\n', encoding="utf-8")
    assert fens_of(path, variants.find("ataturk")) == [
        "4k3/8/8/8/3Q4/8/8/4K3 w - - 5 7 e1/e8", "4k3/8/8/8/3Q4/8/8/4K3 b - - 0 1 e1/e8",
        "4k3/8/8/8/3Q4/8/8/4K3 w - - 2 9 e1d4/e8", "4k3/8/8/8/3Q4/8/8/4K3 w - - 2 9 d4/e8",
        "4k3/8/8/8/3Q4/8/8/4K3 w - - 3 9 e1/e8"]


@pytest.mark.parametrize(("words", "said"), [
    (("openings", "draughts"), "unknown variant 'draughts'"),
    (("openings", "chess", "--count", "0"), "--count 0 is not from 1 to 1000000"),
    (("openings", "chess", "--window", "0"), "--window 0 is not from 1"),
    (("openings", "chess", "--nodes", "1"), "--nodes 1 is not from 1000"),
    (("openings", "chess", "--plies", "-1"), "--plies -1 is not from 0"),
    (("openings", "chess", "--processes", "0"), "--processes 0 is not from 1"),
    (("openings", "chess", "-o", "/nowhere/at/all.epd"), "no folder '/nowhere/at'"),
    (("openings", "shatar", "--plies", "0", "--count", "2", "--nodes", "1000", "--processes", "1"),
     "only 1 different positions, --count is 2"),
])
def test_nonsense_gets_one_line(words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert said in captured.err and captured.err.count("\n") == 1 and not captured.out


def test_bad_books(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from engine.errors import CommandError

    rules, path = variants.find("chess"), tmp_path / "book.epd"
    with pytest.raises(CommandError, match=r"cannot read positions from .*book.epd.*No such file"):
        fens_of(path, rules)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CommandError, match="cannot read positions"):
        fens_of(path, rules)
    path.write_text("# nothing\n")
    with pytest.raises(CommandError, match="no positions"):
        fens_of(path, rules)
    path.write_text("4k3/8/8/8/8/8/8/4K3 w - -\n8/8 w - -\n")
    with pytest.raises(CommandError, match=r"book.epd, line 2: the board has 2 ranks instead of 8"):
        fens_of(path, rules)
