"""EPD and PGN headers of games with a seventh FEN field and without: every position is read back."""

from __future__ import annotations

import copy
import io
import pickle
import random

import chess
import chess.pgn
import pytest

import variants
from bench.openings.book import shipped
from bench.openings.epd import epd_fen
from engine.game import Game
from variants.boards import NamingMove, StatefulBoard

variants.register_boards()

BOARDS = [board for board in (variants.find(name).board for name in variants.names()) if issubclass(board, StatefulBoard)]
WITH_SEVENTH = [board for board in BOARDS if board.has_seventh_field]

each_board = pytest.mark.parametrize("kind", BOARDS, ids=lambda kind: kind.uci_variant)
each_seventh = pytest.mark.parametrize("kind", WITH_SEVENTH, ids=lambda kind: kind.uci_variant)


def positions(kind: type[StatefulBoard], dice: random.Random, games: int = 2) -> list[StatefulBoard]:
    """Positions of random games, preferably with a seventh field that is not the default."""
    found = []
    for _ in range(games):
        board = kind()
        while board.end_reason() is None and board.ply() < 30:
            legal = list(board.legal_moves)
            checks = kind.uci_variant == "shatar"
            rare = [move for move in legal if (board.gives_check(move) if checks else isinstance(move, NamingMove))]
            board.push(dice.choice(rare if rare and dice.random() < 0.5 else legal))
            if board.ply() % 10 == 9:
                found.append(board.copy(stack=False))
    return found


@each_board
def test_epd_there_and_back(kind: type[StatefulBoard], dice: random.Random) -> None:
    changed = 0
    for board in positions(kind, dice, 5 if kind.uci_variant == "shatar" else 2):
        moves = list(board.legal_moves)
        some = dice.sample(moves, min(2, len(moves)))
        text = board.epd(hmvc=board.halfmove_clock, fmvn=board.fullmove_number, id="a b; c", ce=-12, bm=some)
        again, operations = kind.from_epd(text)
        assert type(again) is kind and again.fen() == board.fen() and again == board and again.epd() == board.epd()
        assert operations["id"] == "a b; c" and operations["ce"] == -12
        given = operations["bm"]
        assert isinstance(given, list) and set(given) == set(some)
        assert epd_fen(text) == board.fen() and Game(str(kind.uci_variant), epd_fen(text)).fen() == board.fen()
        plain, operations = kind.from_epd(board.epd())
        assert operations == {} and plain.fen().split()[:4] == board.fen().split()[:4]
        assert (plain.state, plain.halfmove_clock, plain.fullmove_number) == (board.state, 0, 1)
        six = kind(" ".join(board.fen().split()[:6]))
        changed += six.state != board.state
        for line in (board.fen(), f"{board.fen()} ce 5; id \"x\";"):  # a FEN, and one with operations: books have these
            assert kind.from_epd(line)[0].fen() == board.fen()
        known = chess.Board.epd(board)
        assert board.epd().removeprefix(known).strip() == (board.seventh_field() if kind.has_seventh_field else "")
        assert kind.from_epd(known)[0].fen() == kind(known + " 0 1").fen()
    assert (changed > 0) is kind.has_seventh_field


@each_seventh
def test_epd_that_is_wrong_changes_nothing(kind: type[StatefulBoard]) -> None:
    board = kind()
    board.push(next(iter(board.legal_moves)))
    before = board.fen()
    array, rights = kind.starting_fen.split()[0], kind.starting_fen.split()[2]
    for text in ("0 1 e4/e8", "bm e2e5;", "hmvc x;", "e9/e8", "/e8 ce 3;", "1st x;"):
        with pytest.raises(ValueError):
            board.set_epd(f"{array} w {rights} - {text}")
        assert board.fen() == before and len(board.move_stack) == 1, text
    for text in ("8/8 w - -", ""):
        with pytest.raises(ValueError):
            board.set_epd(text)
        assert board.fen() == before


@each_board
def test_our_own_books_are_epd(kind: type[StatefulBoard]) -> None:
    lines = shipped(str(kind.uci_variant)).read_text().splitlines()[:20]
    assert len(lines) == 20
    for line in lines:
        board, operations = kind.from_epd(line)
        assert board.fen() == epd_fen(line) and isinstance(operations["ce"], int) and str(operations["id"])


@each_board
def test_pgn_headers_hold_the_position(kind: type[StatefulBoard], dice: random.Random) -> None:
    for board in positions(kind, dice, games=1):
        written = chess.pgn.Game()
        written.setup(board)
        assert written.headers["FEN"] == board.fen() and written.headers["Variant"] == kind.aliases[0]
        read = chess.pgn.read_game(io.StringIO(str(written)))
        assert read is not None and not read.errors and type(read.board()) is kind
        assert read.board().fen() == board.fen() and read.headers.board().fen() == board.fen()
        begun = chess.pgn.Game.from_board(board)
        assert begun.board().fen() == board.fen()


@each_board
def test_copies_keep_the_position(kind: type[StatefulBoard], dice: random.Random) -> None:
    for board in positions(kind, dice, games=1):
        for other in (copy.copy(board), copy.deepcopy(board), pickle.loads(pickle.dumps(board)), board.copy(),
                      eval(repr(board), {kind.__name__: kind})):
            assert type(other) is kind and other == board and other.fen() == board.fen()


def test_the_issue() -> None:
    """What was seen: the titles were gone."""
    board = variants.find("ataturk").board()
    board.push_uci("K@d1")
    assert board.epd() == "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - d1e1/e8"
