"""The Board of ascending: the rules sheet sentence by sentence."""

from __future__ import annotations

from collections import Counter

import chess
import pytest

from support.board_games import moves, play, random_game
from variants.boards import NamingMove
from variants.boards.ascending import AscendingBoard


def test_ascending_has_no_check() -> None:
    board = AscendingBoard("4r2k/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    assert not board.is_check() and not board.is_checkmate()
    assert {"e1g1", "e1c1", "e1e2", "a1b1"} <= moves(board)
    through = AscendingBoard("3r1r1k/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    assert {"e1g1", "e1c1"} <= moves(through)


def test_ascending_one_heir_follows_with_the_capture() -> None:
    board = play(AscendingBoard("3qk2r/8/8/8/8/8/8/K3R3 w - - 0 1"), "e1e8")
    assert board.fen() == "3kR2r/8/8/8/8/8/8/K7 b - - 0 1"
    assert "d8e8" in moves(board) and "d8d1" not in moves(board)
    board.pop()
    assert board.fen() == "3qk2r/8/8/8/8/8/8/K3R3 w - - 0 1"


@pytest.mark.parametrize(("men", "heirs"), [
    ("qq2k2r", "a8 b8"), ("rrb1k3", "a8 b8"), ("1bb1k1n1", "b8 c8"), ("1n2k1n1", "b8 g8"),
])
def test_ascending_order_of_ranks_and_choice(men: str, heirs: str) -> None:
    board = play(AscendingBoard(f"{men}/8/8/8/8/8/4R3/K7 w - - 0 1"), "e2e8")
    assert board.throne_is_empty() and board.end_reason() is None and board.is_valid()
    assert {move.named for move in board.legal_moves if isinstance(move, NamingMove)} == {
        chess.parse_square(name) for name in heirs.split()}
    assert board.fen().startswith(men.replace("k", "R")) and AscendingBoard(board.fen()) == board


def test_ascending_the_choice_is_folded_into_the_move() -> None:
    board = play(AscendingBoard("r3k2r/4p3/8/8/8/8/8/K3R3 w kq - 0 1"), "e1e7 a8b8 e7e8")
    assert board.fen() == "1r2R2r/8/8/8/8/8/8/K7 b - - 0 2"
    assert {"K@b8,b8b7", "K@b8,h8h1", "K@h8,b8b1", "K@h8,h8h7"} <= moves(board)
    assert not {"K@b8,b8b1", "K@h8,h8h1", "b8b1", "h8h1"} & moves(board)
    board.push_uci("K@h8,b8e8")
    assert board.fen() == "4r2k/8/8/8/8/8/8/K7 w - - 0 3"
    assert board.pop().uci() == "K@h8,b8e8" and board.throne_is_empty()
    board.push_uci("K@b8,b8a7")
    assert board.fen() == "4R2r/k7/8/8/8/8/8/K7 w - - 1 3"


def test_ascending_a_bare_move_names_the_lowest_heir() -> None:
    board = AscendingBoard("r6r/4p3/8/8/8/8/8/K3R3 b - - 0 1")
    named = NamingMove(chess.E7, chess.E5, named=chess.A8)
    assert board.parse_uci("e7e5") == board.parse_san("e5") == board.parse_san("e7e5") == named
    assert board.san(named) == "K@a8,e5" and board.parse_san("K@a8,e5") == named
    with pytest.raises(chess.IllegalMoveError):
        board.parse_uci("a8a1")  # it is king now, and no rook
    board.push(chess.Move.from_uci("e7e5"))
    assert board.peek() == named and board.fen() == "k6r/8/8/4p3/8/8/8/K3R3 w - e6 0 2".replace("e6", "-")
    low = AscendingBoard("7k/8/8/8/8/8/4P3/R6R w - - 0 1")
    assert low.parse_uci("e2e4") == NamingMove(chess.E2, chess.E4, named=chess.A1)


def test_ascending_fen_without_the_movers_king() -> None:
    board = AscendingBoard("3q3r/8/8/8/8/8/8/K3R3 b kq - 0 1")
    assert board.fen() == "3k3r/8/8/8/8/8/8/K3R3 b - - 0 1"
    board = AscendingBoard("4q2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1")
    assert board.fen() == "4k2r/8/8/8/8/8/8/R3K2R b KQ - 0 1"
    with pytest.raises(ValueError, match="White has no king"):
        AscendingBoard("3qk2r/8/8/8/8/8/8/4R3 b - - 0 1")


def test_ascending_castling_ends_with_the_kings_capture() -> None:
    board = AscendingBoard("r2qk2r/8/8/8/8/8/8/K3R3 w kq - 0 1")
    board.push_uci("e1e8")
    assert board.fen() == "r2kR2r/8/8/8/8/8/8/K7 b - - 0 1"


def test_ascending_lost_without_an_heir() -> None:
    board = play(AscendingBoard("4k3/3ppp2/8/8/8/8/8/K3Q3 w - - 0 1"), "e1e7 e8d8 e7d8")
    assert board.end_reason() == "no heir" and board.result() == "1-0" and not moves(board)
    assert board.outcome() == chess.Outcome(chess.Termination.VARIANT_LOSS, chess.WHITE)
    assert board.is_variant_loss() and not board.is_stalemate() and not board.is_checkmate()
    assert AscendingBoard(board.fen()).end_reason() == "no heir" and board.is_valid()
    board.pop()
    assert board.san(chess.Move.from_uci("e7d8")) == "Qxd8#"


def test_ascending_kings_capture_kings() -> None:
    board = play(AscendingBoard("8/8/8/3kn3/3K4/8/8/8 w - - 0 1"), "d4d5")
    assert board.fen() == "8/8/8/3Kk3/8/8/8/8 b - - 0 1"
    board.push_uci("e5d5")
    assert board.result() == "0-1" and board.end_reason() == "no heir"


def test_ascending_stalemate_draws() -> None:
    board = AscendingBoard("KBN1n3/PPPpP3/1P1P4/8/8/8/8/7k w - - 0 1")
    assert not moves(board) and board.is_stalemate()
    assert board.outcome() == chess.Outcome(chess.Termination.STALEMATE, None) and board.end_reason() == "stalemate"


def test_ascending_games_reach_the_rare_states() -> None:
    seen: Counter[str] = Counter()
    for seed in range(40):
        board = random_game(AscendingBoard(), seed, plies=200)
        seen[board.end_reason() or "cut"] += 1
        seen["choice"] += any(isinstance(move, NamingMove) for move in board.move_stack)
    assert seen["choice"] and seen["no heir"]
