"""The Boards of the madness games: the rules sheet sentence by sentence."""

from __future__ import annotations

import chess
import pytest

from support.board_games import moves, play
from variants.boards.madness import MadnessBoard, MadnessFideBoard, MadnessLeganBoard
from variants.boards.mechanisms.corner_pawns import CornerPawns


def mad_moves(fen: str) -> set[str]:
    board = MadnessFideBoard(fen)
    return {board.uci(move) for move in board.legal_moves if board.is_drive(move)}


def test_madness_opponent_moves_the_king_two_squares() -> None:
    assert mad_moves("8/8/8/3k4/8/8/8/K7 w - - 0 1") == {"d5b3", "d5b5", "d5b7", "d5d3", "d5d7", "d5f3", "d5f5", "d5f7"}


def test_madness_owner_moves_it_as_usual_without_castling() -> None:
    board = MadnessFideBoard("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    assert {text for text in moves(board) if text.startswith("e1")} == {"e1d1", "e1d2", "e1e2", "e1f1", "e1f2"}
    assert board.fen().split()[2] == "-"


def test_madness_the_square_between_must_be_empty() -> None:
    """A king on a1 cannot be moved to c3 if there is a piece on b2."""
    assert "a1c3" in mad_moves("7k/8/8/8/8/8/8/K7 b - - 0 1")
    assert "a1c3" not in mad_moves("7k/8/8/8/8/8/1P6/K7 b - - 0 1")
    assert "a1c3" not in mad_moves("7k/8/8/8/8/8/1n6/K7 b - - 0 1")


def test_madness_moved_by_the_opponent_a_king_captures_its_own_men_only() -> None:
    assert "a1c3" in mad_moves("7k/8/8/8/8/2P5/8/K7 b - - 0 1")
    assert "a1c3" not in mad_moves("7k/8/8/8/8/2n5/8/K7 b - - 0 1")
    board = play(MadnessFideBoard("7k/8/8/8/8/2P5/8/K7 b - - 7 30"), "a1c3")
    assert board.fen() == "7k/8/8/8/8/2K5/8/8 w - - 0 31"
    assert board.pop() == chess.Move.from_uci("a1c3") and board.fen() == "7k/8/8/8/8/2P5/8/K7 b - - 7 30"


def test_madness_kings_square_e1_is_no_castling() -> None:
    board = MadnessFideBoard("6k1/8/8/8/8/8/8/4K2R b K - 3 9")
    move = board.parse_uci("e1g1")
    assert board.san(move) == "Ke1-g1" and not board.is_castling(move) and not board.is_capture(move)
    board.push(move)
    assert board.fen() == "6k1/8/8/8/8/8/8/6KR w - - 4 10"


def test_madness_own_king_must_not_be_in_check_afterwards() -> None:
    board = MadnessFideBoard("8/8/8/8/r2k3K/8/8/8 w - - 0 1")  # the black king shields White's from the rook
    assert not board.is_check()
    assert {text for text in moves(board) if text.startswith("d4")} == {"d4b4", "d4f4"}


def test_madness_a_king_may_land_in_check_but_not_in_checkmate() -> None:
    fen = "8/8/8/3k4/8/8/8/K4R2 w - - 0 1"
    assert "d5f5" in mad_moves(fen)
    assert play(MadnessFideBoard(fen), "d5f5").is_check()
    fen = "8/8/2k5/8/1R6/8/8/KR6 w - - 0 1"
    assert "c6a6" in mad_moves(fen)
    # On a8 the king would be in check by the rook on a4 and have b8 and b7 covered by the other.
    fen = "2k5/8/8/8/R7/8/8/1R5K w - - 0 1"
    board = MadnessFideBoard(fen)
    assert board.is_pseudo_legal(chess.Move.from_uci("c8a8")) and "c8a8" not in moves(board)


def test_madness_kings_never_touch() -> None:
    assert "d5d3" not in mad_moves("8/8/8/3k4/8/8/3K4/8 w - - 0 1") | mad_moves("8/8/8/3k4/8/8/4K3/8 w - - 0 1")
    board = MadnessFideBoard("8/8/8/3k4/8/3K4/8/8 w - - 0 1")
    assert not moves(board) & {"d3d4", "d3c4", "d3e4"}


def test_madness_moving_the_other_king_is_a_way_out_of_check() -> None:
    board = MadnessFideBoard("8/8/8/8/8/K3r1k1/8/8 w - - 0 1")
    assert board.is_check() and "g3e3" in moves(board)  # onto its own checking piece
    board = MadnessFideBoard("r7/8/8/8/2k5/8/8/K7 w - - 0 1")
    assert board.is_check() and "c4a4" in moves(board)  # into the line


def test_madness_mate_counts_moves_of_the_other_king_as_replies() -> None:
    board = MadnessFideBoard("7k/5ppp/8/8/8/8/8/KR6 w - - 0 1")
    board.push_uci("b1b8")
    assert board.end_reason() == "checkmate" and board.result() == "1-0"
    board = play(MadnessFideBoard("7k/5ppp/3K4/8/8/8/8/1R6 w - - 0 1"), "b1b8")
    assert board.is_check() and moves(board) == {"d6b8", "d6d8", "d6f8"} and board.end_reason() is None


@pytest.mark.parametrize(("fen", "reply"), [
    ("4k1K1/3q4/1rB2Q2/4R3/8/8/8/8 b - - 0 1", "g8e6"),
    ("K1k5/3p1N2/pP6/2RP1n2/8/8/8/8 b - - 0 1", "a8c6"),
    ("8/8/2r5/r7/1k1K4/p7/P7/BR1B4 b - - 0 1", "d4b2"),
])
def test_madness_the_only_replies_being_mates_the_game_is_won(fen: str, reply: str) -> None:
    """The one move that meets the check puts the other king into checkmate: so it counts as a reply and cannot be played."""
    board = MadnessFideBoard(fen)
    assert board.is_check() and [move.uci() for move in board.generate_replies()] == [reply]
    assert not moves(board) and board.is_checkmate() and board.result() == "1-0"


def test_madness_diamond_pawns() -> None:
    board = MadnessBoard("k7/8/8/8/4P3/8/8/7K w - - 0 1")
    assert {text for text in moves(board) if text.startswith("e4")} == {"e4d5"}
    board = MadnessBoard("k7/8/8/3nnn2/3nPn2/8/8/7K w - - 0 1")
    assert {text for text in moves(board) if text.startswith("e4")} == {"e4e5", "e4d4"}
    board = MadnessBoard("k7/8/8/8/4p3/8/8/7K b - - 0 1")
    assert {text for text in moves(board) if text.startswith("e4")} == {"e4f3"}
    board = MadnessBoard("k7/8/8/3NNN2/3NpN2/3NNN2/8/7K b - - 0 1")
    assert {text for text in moves(board) if text.startswith("e4")} == {"e4e3", "e4f4"}
    assert MadnessBoard("8/8/8/4k3/4P3/8/8/7K b - - 0 1").is_check()
    assert not MadnessBoard("8/8/8/3k4/4P3/8/8/7K b - - 0 1").is_check()


@pytest.mark.parametrize(("board_type", "fen", "move", "promotes"), [
    (MadnessBoard, "7k/8/8/8/8/8/1P6/7K w - - 0 1", "b2a3", True),
    (MadnessBoard, "3k4/7P/8/8/8/8/8/7K w - - 0 1", "h7g8", True),
    (MadnessBoard, "k7/8/8/8/8/6p1/8/1K6 b - - 0 1", "g3h2", True),
    (MadnessBoard, "k7/8/8/8/8/8/p7/2K5 b - - 0 1", "a2b1", True),
    (MadnessLeganBoard, "7k/8/8/8/8/8/1P6/7K w - - 0 1", "b2a3", False),
    (MadnessLeganBoard, "8/5P2/7k/8/8/8/8/7K w - - 0 1", "f7e8", False),
])
def test_madness_corner_pawns_at_the_edge(board_type: type[CornerPawns], fen: str, move: str, promotes: bool) -> None:
    board = board_type(fen)
    wanted = {move + letter for letter in "qrbn"} if promotes else {move}
    assert {text for text in moves(board) if text.startswith(move[:2])} == wanted


def test_legan_pawns_on_the_edge_stand_still() -> None:
    board = MadnessLeganBoard("5P2/8/7k/8/P7/8/8/7K w - - 0 1")
    assert not [text for text in moves(board) if text[:2] in ("a4", "f8")]
    assert MadnessLeganBoard("7k/8/8/p7/P7/8/8/7K w - - 0 1").is_legal(chess.Move.from_uci("a4a5q"))


def test_madness_legan_array_without_the_centre_pawns() -> None:
    board = MadnessLeganBoard("knbrp3/bqpp4/npp5/rp5P/p5PR/5PPN/4PPQB/3PRBNK w - - 0 1")
    assert board.is_valid() and any(board.legal_moves)


def test_madness_fide_has_double_step_and_en_passant() -> None:
    board = play(MadnessFideBoard(), "e2e4 a7a6 e4e5 d7d5")
    assert board.fen().split()[3] == "d6" and "e5d6" in moves(board)


def test_madness_san_tells_the_two_kings_apart() -> None:
    board = MadnessFideBoard("4k3/8/8/8/8/8/8/4K3 w - - 0 1")
    texts = {board.san(move): move for move in board.legal_moves}
    assert texts["Ke8-e6"] == chess.Move.from_uci("e8e6") and texts["Ke2"] == chess.Move.from_uci("e1e2")
    assert board.parse_san("Ke1-e2") == texts["Ke2"] and "Ke6" not in texts
    with pytest.raises(chess.IllegalMoveError):
        board.parse_san("Ke8-e7")
