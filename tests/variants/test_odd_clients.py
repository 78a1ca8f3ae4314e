"""python-chess plays games beyond its own against the engine, writes their PGN and draws their boards."""

from __future__ import annotations

import io
from collections.abc import Iterator

import chess
import chess.engine
import chess.pgn
import chess.svg
import chess.variant
import pytest

import variants
from engine.game import Game
from support.games import twins_long
from support.places import ROOT
from support.talk import ENGINE, PATIENCE
from variants.boards import TITLE_COLOR, NamingMove, StatefulBoard, svg

GAMES = ("shatar", "ataturk", "warmspit", "madness", "madness-legan", "madness-fide", "ascending")
PLIES = 120

variants.register_boards()


@pytest.fixture(scope="module")
def engine() -> Iterator[chess.engine.SimpleEngine]:
    """One engine for all the games: chess.engine changes the variant."""
    with chess.engine.SimpleEngine.popen_uci(ENGINE, cwd=str(ROOT), timeout=PATIENCE) as running:
        running.configure({"Hash": 8})
        yield running


def board_of(name: str, fen: str | None = None) -> StatefulBoard:
    """The Board that python-chess finds under a game's name."""
    kind = chess.variant.find_variant(name)
    board = kind() if fen is None else kind(fen)
    assert isinstance(board, StatefulBoard)
    return board


def read_back(board: chess.Board) -> chess.pgn.Game:
    """The game written as PGN and read again, move for move."""
    written = chess.pgn.Game.from_board(board)
    read = chess.pgn.read_game(io.StringIO(str(written)))
    assert read is not None and not read.errors, str(written)
    assert type(read.board()) is type(board) and read.headers["Variant"] == board.aliases[0]
    assert list(read.mainline_moves()) == board.move_stack
    assert read.end().board().fen() == board.fen() and str(read) == str(written)
    return read


@pytest.mark.parametrize("name", twins_long(GAMES))
def test_a_whole_game_over_uci(engine: chess.engine.SimpleEngine, name: str) -> None:
    """Every answer is legal on the Board, which judges the end; the engine's own Game agrees all along."""
    board, game = board_of(name), Game(name)
    while board.outcome() is None and board.ply() < PLIES:
        result = engine.play(board, chess.engine.Limit(nodes=60 + 40 * (board.ply() % 3)), game=name)
        assert result.move is not None and board.is_legal(result.move), board.fen()
        game.push(board.uci(result.move))
        board.push(result.move)
        assert game.fen() == board.fen() and game.result() == board.result(), board.fen()
    assert board.outcome() is not None or board.ply() == PLIES
    outcome = game.outcome()
    assert (outcome.reason.value if outcome else None) == board.end_reason()
    assert read_back(board).headers["Result"] == board.result()


@pytest.mark.parametrize(("name", "fen", "only", "after"), [
    ("ataturk", "6q1/8/6KB/8/8/8/8/8 w - - 0 1 g6/g8", "K@h6", "6q1/8/6KB/8/8/8/8/8 b - - 1 1 h6g6/g8"),
    pytest.param("warmspit", "4k3/7r/8/8/8/8/7N/N3K2R w K - 0 1 h1/h7", "K@a1",
                 "4k3/7r/8/8/8/8/7N/N3K2R b K - 1 1 a1h1/h7", marks=pytest.mark.long),
    ("ascending", "r6r/4p3/8/8/8/8/8/K3R3 b - - 0 1", "K@h8,e7e5", "r6k/8/8/4p3/8/8/8/K3R3 w - - 0 2"),
    ("ascending", "r6r/4p3/8/8/8/8/8/K3R3 b - - 0 1", "K@a8,a8a7", "7r/k3p3/8/8/8/8/8/K3R3 w - - 1 2"),
    ("shatar", "1r5k/P6p/8/8/8/8/8/K6R w - - 0 1 -", "a7a8q", "Jr5k/7p/8/8/8/8/8/K6R b - - 0 1 -"),
    ("shatar", "1r5k/P6p/8/8/8/8/8/K6R w - - 0 1 -", "a7b8q", "1J5k/7p/8/8/8/8/8/K6R b - - 0 1 w"),
    ("madness", "8/8/8/3k4/8/8/8/K4R2 w - - 0 1", "d5f5", "8/8/8/5k2/8/8/8/K4R2 b - - 1 1"),
    pytest.param("madness-fide", "6k1/8/8/8/8/8/8/4K2R b - - 3 9", "e1g1",
                 "6k1/8/8/8/8/8/8/6KR w - - 4 10", marks=pytest.mark.long),
])
def test_odd_moves_there_and_back(engine: chess.engine.SimpleEngine, name: str, fen: str, only: str, after: str) -> None:
    """As `searchmoves` to the engine, as its answer, and among the moves of the game the next time."""
    board = board_of(name, fen)
    move = board.parse_uci(only)
    result = engine.play(board, chess.engine.Limit(depth=2), root_moves=[move], info=chess.engine.INFO_ALL, game=only)
    assert result.move == move and result.info["pv"][0] == move
    board.push(move)
    assert board.fen() == after
    reply = engine.play(board, chess.engine.Limit(depth=2), game=only).move
    assert reply is not None and board.is_legal(reply)
    read_back(board)


def test_the_choice_of_an_heir_comes_with_the_answer(engine: chess.engine.SimpleEngine) -> None:
    board = board_of("ascending", "rr2R3/4p3/8/8/8/8/8/K7 b - - 0 1")
    lines = engine.analyse(board, chess.engine.Limit(depth=3), multipv=3)
    assert len(lines) == 3 and all(isinstance(line["pv"][0], NamingMove) for line in lines)
    best = engine.play(board, chess.engine.Limit(depth=3)).move
    assert isinstance(best, NamingMove) and best.plain()


@pytest.mark.parametrize(("name", "fen", "mate", "answer"), [
    ("ataturk", "8/8/4N3/8/4B3/8/4b3/8 w - - 0 1 e6/e2", 4, None),
    ("ataturk", "6q1/8/6KB/8/8/8/8/8 w - - 0 1 g6/g8", 2, "K@h6"),
    ("shatar", "7k/5K1p/8/8/8/8/8/2B5 w - - 0 1 w", 1, "c1b2"),
    ("ascending", "3k4/3pQp2/8/8/8/8/8/K7 w - - 0 1", 1, "e7d8"),
])
def test_mates_as_chess_engine_reads_them(
    engine: chess.engine.SimpleEngine, name: str, fen: str, mate: int, answer: str | None
) -> None:
    board = board_of(name, fen)
    info = engine.analyse(board, chess.engine.Limit(depth=9), info=chess.engine.INFO_ALL, game=fen)
    assert info["score"].relative == chess.engine.Mate(mate)
    if answer is not None:
        assert info["pv"][0] == board.parse_uci(answer)
    for move in info["pv"]:
        assert board.is_legal(move)
        board.push(move)


@pytest.mark.parametrize("name", GAMES)
def test_found_and_drawn(name: str) -> None:
    board = board_of(name)
    assert type(board) is variants.find(name).board and type(board).uci_variant == name
    assert chess.svg.board(board).startswith("<svg") and svg(board).startswith("<svg")


def test_royal_pieces_that_are_no_kings_are_marked() -> None:
    board = board_of("ataturk")
    assert TITLE_COLOR not in svg(board)
    board.push_uci("K@d1")
    assert TITLE_COLOR in svg(board) and TITLE_COLOR in board._repr_svg_()
    assert svg(board_of("warmspit")).count(TITLE_COLOR) >= 2


def test_pgn_keeps_comments_and_variations() -> None:
    text = '[Variant "Ataturk"]\n\n1. Qd1++(Ke1--) { she rules } 1... f6 2. e4 ( 2. e3 Qd8++(Ke8--) { both } ) 2... g5 *\n'
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None and not game.errors
    assert [move.uci() for move in game.mainline_moves()] == ["K@d1", "f7f6", "e2e4", "g7g5"]
    again = chess.pgn.read_game(io.StringIO(str(game)))
    assert again is not None and str(again) == str(game)
    assert again.next() is not None and again[0].comment == "she rules" and again[0][0][1][0].comment == "both"
    assert [move.uci() for move in again[0][0][1].mainline_moves()] == ["K@d8"]
