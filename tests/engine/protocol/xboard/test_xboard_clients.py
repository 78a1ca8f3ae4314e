"""python-chess as an XBoard client: all games, with pondering and analysis."""

from __future__ import annotations

from collections.abc import Iterator

import chess
import chess.engine
import pytest

import variants
from engine.game import Game
from support.games import twins_long
from support.places import ROOT
from support.talk import ENGINE, PATIENCE

PLIES = 60


@pytest.fixture(scope="module")
def engine() -> Iterator[chess.engine.SimpleEngine]:
    """One engine for all the games."""
    with chess.engine.SimpleEngine.popen_xboard(ENGINE, cwd=str(ROOT), timeout=PATIENCE) as running:
        running.configure({"memory": 8})
        yield running


def is_over(board: chess.Board) -> bool:
    """Whether a game is over or a draw may be claimed now; python-chess also counts draws that a legal move would bring."""
    return board.is_game_over() or board.is_repetition() or board.is_fifty_moves()


@pytest.mark.parametrize("name", twins_long(variants.names()))
def test_a_game_with_pondering(engine: chess.engine.SimpleEngine, name: str) -> None:
    """Every answer is legal on the Board, and so is every hint; the engine's own Game agrees all along."""
    board, game = variants.find(name).board(), Game(name)
    while not is_over(board) and board.ply() < PLIES:
        result = engine.play(board, chess.engine.Limit(depth=2 + board.ply() % 2), game=name, ponder=board.ply() % 3 == 0,
                             info=chess.engine.INFO_ALL)
        assert result.move is not None and board.is_legal(result.move), board.fen()
        if result.info.get("pv"):
            assert result.info["pv"][0] == result.move
        game.push(board.uci(result.move))
        board.push(result.move)
        if result.ponder is not None:
            assert board.is_legal(result.ponder)
        assert game.fen() == board.fen(en_passant="legal")
    assert board.ply() >= PLIES or game.outcome() is not None


@pytest.mark.parametrize("name", twins_long(variants.names()))
def test_analysis(engine: chess.engine.SimpleEngine, name: str) -> None:
    board = variants.find(name).board()
    info = engine.analyse(board, chess.engine.Limit(depth=4), game=name)
    assert info["depth"] >= 4 and info["nodes"] > 0 and "score" in info and board.is_legal(info["pv"][0])
    only = list(board.legal_moves)[-1]
    assert engine.analyse(board, chess.engine.Limit(depth=3), root_moves=[only], game=name)["pv"][0] == only


@pytest.mark.parametrize(("name", "fen", "only"), [
    ("ataturk", "6q1/8/6KB/8/8/8/8/8 w - - 0 1 g6/g8", "K@h6"),
    ("ascending", "r6r/4p3/8/8/8/8/8/K3R3 b - - 0 1", "K@h8,e7e5"),
    ("shatar", "1r5k/P6p/8/8/8/8/8/K6R w - - 0 1 -", "a7b8j"),
    ("madness", "8/8/8/3k4/8/8/8/K4R2 w - - 0 1", "d5f5"),
])
def test_odd_moves_there_and_back(engine: chess.engine.SimpleEngine, name: str, fen: str, only: str) -> None:
    board = variants.find(name).board(fen)
    move = board.parse_uci(only)
    info = engine.analyse(board, chess.engine.Limit(depth=3), root_moves=[move], game=only)
    assert info["pv"][0] == move
    board.push(move)
    reply = engine.play(board, chess.engine.Limit(depth=2), game=only).move
    assert reply is not None and board.is_legal(reply)


def test_nodes_and_mates(engine: chess.engine.SimpleEngine) -> None:
    result = engine.play(chess.Board(), chess.engine.Limit(nodes=500), info=chess.engine.INFO_ALL, game="nodes")
    assert 1 <= result.info["nodes"] <= 1000
    board = variants.find("ataturk").board("6q1/8/6KB/8/8/8/8/8 w - - 0 1 g6/g8")
    info = engine.analyse(board, chess.engine.Limit(depth=8), game="mate")
    assert info["score"].relative == chess.engine.Mate(2)
