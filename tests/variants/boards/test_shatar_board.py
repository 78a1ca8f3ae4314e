"""The Board of shatar: the rules sheet sentence by sentence, and Fairy-Stockfish's legal moves in random games."""

from __future__ import annotations

import random

import chess
import pyffish
import pytest

from support.board_games import moves, play
from support.examples import SERIES
from variants.boards import parse_uci_move
from variants.boards.shatar import ShatarBoard


def test_berse_letters() -> None:
    board = ShatarBoard(ShatarBoard.starting_fen.replace("J", "Q").replace("j", "q"))
    assert board.fen() == ShatarBoard.starting_fen and "J" in str(board) and "q" not in str(board)
    board = ShatarBoard("7k/P6p/8/8/8/8/8/K7 w - - 0 1")
    assert board.parse_uci("a7a8q") == board.parse_uci("a7a8j") == board.parse_san("a8") == board.parse_san("a8=Q")
    assert board.uci(board.parse_uci("a7a8q")) == "a7a8j" and board.san(board.parse_uci("a7a8j")) == "a8=J+"


def test_berse_moves_as_a_rook_or_one_square_diagonally() -> None:
    board = ShatarBoard("7k/7p/8/8/3J4/8/8/K7 w - - 0 1 -")
    expected = {chess.square_name(square) for square in chess.SquareSet((chess.BB_FILE_D | chess.BB_RANK_4) & ~chess.BB_D4)}
    assert {text[2:] for text in moves(board) if text.startswith("d4")} == expected | {"c3", "c5", "e3", "e5"}
    board = ShatarBoard("7k/7p/8/8/3j4/8/8/K6R w - - 0 1 -")
    assert not board.is_check() and board.san(board.parse_uci("a1b1")) == "Kb1"
    assert ShatarBoard("7k/7p/8/8/8/8/1j6/K6R w - - 0 1 -").is_check()


def test_no_castling_and_no_double_step_but_the_berse_pawns() -> None:
    board = play(ShatarBoard(), "d2d4 d7d5")
    assert "e2e4" not in moves(board) and "e2e3" in moves(board)
    assert ShatarBoard("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").fen() == "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1 -"
    assert "e1g1" not in moves(ShatarBoard("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"))
    passed = play(ShatarBoard("7k/8/8/8/4p3/8/3P4/K7 w - - 0 1"), "d2d4")
    assert passed.fen() == "7k/8/8/8/3Pp3/8/8/K7 b - d3 0 1 -" and "e4d3" in moves(passed)


def test_obligatory_opening() -> None:
    board = ShatarBoard()
    assert moves(board) == {"d2d4"}
    board.push_uci("d2d4")
    assert moves(board) == {"d7d5"}
    board.push_uci("d7d5")
    assert board.legal_moves.count() == 20
    assert ShatarBoard("rnbjkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBJKBNR w - - 0 2").legal_moves.count() == 20


def test_pawns_promote_to_a_berse_only() -> None:
    board = ShatarBoard("1r5k/P6p/8/8/8/8/8/K7 w - - 0 1")
    assert {text for text in moves(board) if text.startswith("a7")} == {"a7a8j", "a7b8j"}


@pytest.mark.parametrize(("fen", "move", "mark"), SERIES)
def test_marks(fen: str, move: str, mark: str) -> None:
    board = ShatarBoard(fen)
    before = board.fen()
    board.push_uci(move)
    assert board.seventh_field() == mark == board.fen().split()[6]
    board.pop()
    assert board.fen() == before


def test_marks_count_for_repetition_and_mirror() -> None:
    fen = "7k/7p/8/8/8/8/8/K1B5 w - - 0 1"
    assert ShatarBoard(fen + " w") != ShatarBoard(fen) == ShatarBoard(fen + " -")
    assert ShatarBoard(fen + " w").mirror().seventh_field() == "b"


def test_knight_may_not_mate() -> None:
    board = ShatarBoard("7k/p4p2/7K/4N3/8/8/8/6R1 w - - 0 1")
    assert "e5f7" not in moves(board) and not board.is_legal(chess.Move.from_uci("e5f7"))
    assert "e5g6" in moves(board)


def test_a_reply_that_would_itself_be_a_knight_mate_is_none() -> None:
    board = ShatarBoard("kr1NKB2/pp1PPP2/8/1n1N4/8/8/8/8 w - - 0 1 -")
    assert "d5c7" not in moves(board)


def test_knight_capture_that_bares_the_king_is_legal_and_draws() -> None:
    board = play(ShatarBoard("7k/5p2/7K/4N3/8/8/8/6R1 w - - 0 1"), "e5f7")
    assert board.end_reason() == "robado" and board.result() == "1/2-1/2" and not moves(board)
    assert board.outcome() == chess.Outcome(chess.Termination.VARIANT_DRAW, None)
    assert board.is_variant_draw() and not board.is_checkmate() and not board.is_stalemate()


def test_mate_by_a_tuk_alone_is_niol() -> None:
    board = play(ShatarBoard("7k/5K1p/8/8/8/8/8/2B5 w - - 0 1 -"), "c1b2")
    assert board.end_reason() == "niol" and board.result() == "1/2-1/2" and board.is_check()
    assert board.outcome() == chess.Outcome(chess.Termination.VARIANT_DRAW, None)
    assert board.is_variant_draw() and not board.is_checkmate()


def test_mate_by_a_tuk_after_a_shak_wins() -> None:
    board = play(ShatarBoard("7k/5K1p/8/8/8/8/8/2B5 w - - 0 1 w"), "c1b2")
    assert board.end_reason() == "checkmate" and board.result() == "1-0" and board.is_checkmate()
    assert board.outcome() == chess.Outcome(chess.Termination.CHECKMATE, chess.WHITE)
    board.pop()
    assert board.san(chess.Move.from_uci("c1b2")) == "Bb2#"


def test_mate_by_a_shak_wins() -> None:
    board = play(ShatarBoard("7k/6pp/8/8/8/8/8/KR6 w - - 0 1"), "b1b8")
    assert board.end_reason() == "checkmate" and board.result() == "1-0"


def test_stalemate_draws() -> None:
    assert ShatarBoard("7k/5K1p/7P/8/8/8/8/8 b - - 0 1").end_reason() == "stalemate"


def test_agrees_with_fairy_stockfish() -> None:
    """It knows a knight's mate as legal and losing; every move it has beyond ours must be such a mate."""
    for seed in range(4):
        chance = random.Random(seed)
        board = play(ShatarBoard(), "d2d4 d7d5")
        while board.end_reason() is None and len(board.move_stack) < 160:
            ours = moves(board)
            theirs = set(pyffish.legal_moves("shatar", " ".join(board.fen().split()[:6]), []))
            assert ours <= theirs
            for text in theirs - ours:
                board.push(parse_uci_move(text.replace("j", "q")))
                assert board.is_check() and not board.checkers_mask() & ~board.knights and not moves(board)
                board.pop()
            board.push(chance.choice(list(board.legal_moves)))
    board = ShatarBoard("7k/p4p2/7K/4N3/8/8/8/6R1 w - - 0 1")
    assert set(pyffish.legal_moves("shatar", "7k/p4p2/7K/4N3/8/8/8/6R1 w - - 0 1", [])) - moves(board) == {"e5f7"}
