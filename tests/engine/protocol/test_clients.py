"""python-chess plays whole games of the games it knows, over both protocols."""

from __future__ import annotations

import chess
import chess.engine
import chess.variant
import pytest

from support.places import ROOT
from support.talk import ENGINE

BOARDS = {"chess": chess.Board, "atomic": chess.variant.AtomicBoard}
PLIES = 300
PATIENCE = 180  # seconds; a cold compile of a game is part of it


@pytest.mark.parametrize("variant", BOARDS)
@pytest.mark.parametrize("protocol", ["uci", "xboard"])
def test_python_chess_plays_a_game(protocol: str, variant: str) -> None:
    open_engine = chess.engine.SimpleEngine.popen_uci if protocol == "uci" else chess.engine.SimpleEngine.popen_xboard
    board: chess.Board = BOARDS[variant]()
    with open_engine(ENGINE, cwd=str(ROOT), timeout=PATIENCE) as engine:
        assert engine.id["name"].startswith("Kingmaker ")
        engine.configure({"Hash" if protocol == "uci" else "memory": 8})
        while not board.is_game_over(claim_draw=True) and board.ply() < PLIES:
            limit = chess.engine.Limit(depth=2) if board.ply() % 4 else chess.engine.Limit(white_clock=2, black_clock=2)
            result = engine.play(board, limit, info=chess.engine.INFO_ALL, game="first")
            assert result.move is not None and board.is_legal(result.move), board.fen()
            if result.info.get("pv"):
                assert result.info["pv"][0] == result.move
            board.push(result.move)
        assert board.is_game_over(claim_draw=True) or board.ply() >= PLIES
        # A second game in the same process, from a position with a win at once.
        fen = {"chess": "7k/8/5KQ1/8/8/8/8/8 w - - 0 1",
               "atomic": "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 1"}[variant]
        board = BOARDS[variant](fen)
        result = engine.play(board, chess.engine.Limit(depth=4), info=chess.engine.INFO_ALL, game="second")
        assert result.move is not None
        assert result.info["score"].relative == chess.engine.Mate(1)
        board.push(result.move)
        assert board.is_checkmate() or board.is_variant_end()


def test_python_chess_analyses_and_plays_chess960() -> None:
    with chess.engine.SimpleEngine.popen_uci(ENGINE, cwd=str(ROOT), timeout=PATIENCE) as engine:
        board = chess.Board.from_chess960_pos(42)
        while board.ply() < 40 and not board.is_game_over():
            move = engine.play(board, chess.engine.Limit(nodes=500)).move
            assert move is not None and board.is_legal(move)
            board.push(move)
        lines = engine.analyse(chess.Board(), chess.engine.Limit(depth=3), multipv=2)
        assert len(lines) == 2 and all(line["pv"] for line in lines)
        only = [chess.Move.from_uci("a2a3")]
        assert engine.play(chess.Board(), chess.engine.Limit(depth=3), root_moves=only).move == only[0]
