"""Boards of shatar, the madness games and ascending: what all must do, and the sheet's sentences on the last two by name."""

from __future__ import annotations

import io
import random
from collections import Counter
from typing import TypeVar

import chess
import chess.pgn
import chess.svg
import chess.variant
import pytest

import variants
from variants.boards import NamingMove, StatefulBoard, parse_uci_move, register, svg
from variants.boards.ascending import AscendingBoard
from variants.boards.madness import MadnessBoard, MadnessFideBoard, MadnessLeganBoard
from variants.boards.mechanisms.corner_pawns import CornerPawns
from variants.boards.shatar import ShatarBoard

BOARDS: list[type[StatefulBoard]] = [ShatarBoard, MadnessBoard, MadnessLeganBoard, MadnessFideBoard, AscendingBoard]
COUNTS = {
    "shatar": [1, 1, 20, 400, 8426],
    "madness": [9, 81, 896, 10043, 131575],
    "madness-legan": [8, 64, 724, 8202, 113610],
    "madness-fide": [20, 406, 9196, 210747, 5387283],
    "ascending": [20, 400, 8902, 197742, 4897256],
}
QUICK_DEPTH = {"shatar": 5, "madness": 4, "madness-legan": 4, "madness-fide": 3, "ascending": 4}

AnyBoard = TypeVar("AnyBoard", bound=StatefulBoard)

each_board = pytest.mark.parametrize("board_type", BOARDS, ids=lambda board_type: board_type.uci_variant)


def perft(board: chess.Board, depth: int) -> int:
    if depth == 1:
        return board.legal_moves.count()
    count = 0
    for move in list(board.legal_moves):
        board.push(move)
        count += perft(board, depth - 1)
        board.pop()
    return count


def moves(board: StatefulBoard) -> set[str]:
    return {board.uci(move) for move in board.legal_moves}


def play(board: AnyBoard, line: str) -> AnyBoard:
    for text in line.split():
        board.push_uci(text)
    return board


def random_game(board: AnyBoard, seed: int, plies: int = 120) -> AnyBoard:
    """A game that prefers captures and checks one time in three, so that rare things happen."""
    chance = random.Random(seed)
    while board.end_reason() is None and len(board.move_stack) < plies:
        legal = list(board.legal_moves)
        lively = [move for move in legal if board.is_capture(move) or move.promotion] if chance.random() < 0.3 else []
        board.push(chance.choice(lively or legal))
    return board


# Every board.


@each_board
def test_start_position(board_type: type[StatefulBoard]) -> None:
    board = board_type()
    assert board.fen() == board_type.starting_fen
    assert board.status() == chess.STATUS_VALID and board.is_valid()
    assert board.end_reason() is None and board.result() == "*" and not board.is_game_over()
    assert board == board_type(board_type.starting_fen) == board.copy() == board.root()
    assert not board.is_check() and not board.is_checkmate() and not board.is_stalemate()
    board.clear()
    assert not board.occupied and board.fen().startswith("8/8/8/8/8/8/8/8 w - - 0 1")
    board.reset()
    assert board.fen() == board_type.starting_fen


@each_board
def test_counts_of_the_sheet(board_type: type[StatefulBoard]) -> None:
    name = str(board_type.uci_variant)
    assert [perft(board_type(), depth) for depth in range(1, QUICK_DEPTH[name] + 1)] == COUNTS[name][: QUICK_DEPTH[name]]


@pytest.mark.long
@each_board
def test_deep_counts_of_the_sheet(board_type: type[StatefulBoard]) -> None:
    depth = 4 if board_type is MadnessFideBoard else 5
    assert perft(board_type(), depth) == COUNTS[str(board_type.uci_variant)][depth - 1]


@each_board
def test_found_by_name(board_type: type[StatefulBoard]) -> None:
    name = str(board_type.uci_variant)
    variants.register_boards()
    assert chess.variant.find_variant(name) is board_type
    assert chess.variant.find_variant(board_type.aliases[0].upper()) is board_type
    known = len(chess.variant.VARIANTS)
    regex = chess.pgn.MOVETEXT_REGEX
    register(board_type)
    assert len(chess.variant.VARIANTS) == known and chess.pgn.MOVETEXT_REGEX is regex


@each_board
@pytest.mark.parametrize("seed", range(4))
def test_texts_and_undo_in_random_games(board_type: type[StatefulBoard], seed: int) -> None:
    board = board_type()
    fens = [board.fen()]
    chance = random.Random(seed)
    while board.end_reason() is None and len(board.move_stack) < 80:
        legal = list(board.legal_moves)
        assert len(set(legal)) == len(legal) == len({board.san(move) for move in legal})
        for move in legal:
            assert board.is_legal(move) and board.is_pseudo_legal(move)
            assert board.parse_uci(board.uci(move)) == move == board.parse_uci(board.uci(move).lower())
            assert board.parse_san(board.san(move)) == move
            assert board.parse_san(board.lan(move)) == move
        assert board.fen() == fens[-1]
        again = board_type(fens[-1])
        assert again.fen() == fens[-1] and again == board and set(again.legal_moves) == set(legal)
        mirrored = board.mirror()
        assert mirrored.mirror().fen() == fens[-1] and mirrored.is_check() == board.is_check()
        if board_type is not ShatarBoard or len(fens) > 2:  # its obligatory opening is none with the colours changed
            assert mirrored.legal_moves.count() == len(legal)
        board.push(chance.choice(legal))
        fens.append(board.fen())
    assert board.root().fen() == fens[0]
    clone = board.copy()
    for fen in reversed(fens[:-1]):
        board.pop()
        assert board.fen() == fen
    assert clone.fen() == fens[-1] and len(clone.move_stack) == len(fens) - 1
    assert clone.copy(stack=3).move_stack == clone.move_stack[-3:]
    clone.pop()
    assert clone.fen() == fens[-2]


@each_board
@pytest.mark.parametrize("seed", range(3))
def test_masks_select_legal_moves(board_type: type[StatefulBoard], seed: int) -> None:
    board = random_game(board_type(), seed, plies=40)
    legal = set(board.legal_moves)
    squares = {move.from_square for move in legal} | {move.to_square for move in legal}
    for square in squares:
        mask = chess.BB_SQUARES[square]
        assert set(board.generate_legal_moves(mask)) == {move for move in legal if move.from_square == square}
        # Castling is generated for the square of the rook, as everywhere in python-chess.
        to = {move for move in board.generate_legal_moves(to_mask=mask) if not board.is_castling(move)}
        assert to == {move for move in legal if move.to_square == square and not board.is_castling(move)}
    assert legal <= set(board.pseudo_legal_moves)


@each_board
@pytest.mark.parametrize("seed", range(4))
def test_games_written_and_read_back(board_type: type[StatefulBoard], seed: int) -> None:
    board = random_game(board_type(), seed)
    game = chess.pgn.Game.from_board(board)
    node: chess.pgn.GameNode = game
    while node.variations:
        alternatives = [move for move in node.board().legal_moves if move != node.variations[0].move][:2]
        for move in alternatives:
            node.add_variation(move, comment="another way")
        node = node.variations[0]
        node.comment = f"ply {node.ply()}, K@a1 is no move here"
    read = chess.pgn.read_game(io.StringIO(str(game)))
    assert read is not None and not read.errors
    assert read.headers["Variant"] == board_type.aliases[0] and read.headers["Result"] == board.result()
    assert str(read) == str(game)
    assert list(read.mainline_moves()) == board.move_stack
    assert type(read.board()) is board_type and read.end().board().fen() == board.fen()


@each_board
def test_drawings(board_type: type[StatefulBoard]) -> None:
    board = random_game(board_type(), 5, plies=30)
    assert chess.svg.board(board).startswith("<svg")
    assert svg(board, size=200).startswith("<svg") and board._repr_svg_().startswith("<svg")


@each_board
def test_repetition_and_fifty_moves_need_no_claim(board_type: type[StatefulBoard]) -> None:
    board = board_type()
    if board_type in (MadnessBoard, MadnessLeganBoard):
        board = board_type("k7/8/8/8/8/8/6r1/4R2K w - - 0 1")
        cycle = ["e1d1", "g2f2", "d1e1", "f2g2"]
    else:
        play(board, "d2d4 d7d5")
        cycle = ["g1f3", "g8f6", "f3g1", "f6g8"]
    plies = 0
    while board.end_reason() is None:
        board.push_uci(cycle[plies % 4])
        plies += 1
    assert plies == 8 and board.end_reason() == "repetition"
    assert board.outcome() == chess.Outcome(chess.Termination.THREEFOLD_REPETITION, None) and board.result() == "1/2-1/2"
    board.pop()
    assert board.end_reason() is None

    board = board_type("7k/5p2/8/8/8/8/2P5/KR6 w - - 99 70")
    board.push_uci("b1b2")
    assert board.end_reason() == "50 moves" and any(board.legal_moves)
    assert board.outcome() == chess.Outcome(chess.Termination.FIFTY_MOVES, None)
    board.pop()
    board.push(next(move for move in board.legal_moves if board.is_zeroing(move)))
    assert board.end_reason() is None


@each_board
def test_no_dead_positions(board_type: type[StatefulBoard]) -> None:
    board = board_type("7k/8/8/8/8/8/8/K7 w - - 0 1")
    assert not board.is_insufficient_material()
    assert board.end_reason() == ("robado" if board_type is ShatarBoard else None)


@each_board
@pytest.mark.parametrize(("fen", "reason"), [
    ("k6k/8/8/8/8/8/8/K7 w - - 0 1", "piece placement: Black has more than one king"),
    ("7k/8/8/8/8/8/K7/1K6 b - - 0 1", "piece placement: White has more than one king"),
    ("8/8/8/8/8/8/8/K6R w - - 0 1", "piece placement: Black has no king"),
    ("P6k/8/8/8/8/8/8/K7 w - - 0 1", "piece placement: White can have no pawn on a8"),
    ("7k/8/8/8/8/8/8/K6p w - - 0 1", "piece placement: Black can have no pawn on h1"),
    ("7k/8/8/8/8/8/8/K7 x - - 0 1", "turn part"),
    ("7k/8/8/8/8/8/8/K7 w ? - 0 1", "castling part"),
    ("7k/8/8/8/8/8/8/K7 w - z9 0 1", "en passant part"),
    ("7k/8/8/8/8/8/8/K7 w - - x 1", "half-move clock"),
    ("7k/8/8/8/8/8/8/K7 w - - 0 1 wbw", "marks of the check series|more parts"),
    ("7k/8/8/8/8/8/8/K7 w - - 0 1 - -", "more parts"),
    ("7k/8/8/8/8/8/K7 w - - 0 1", "8 rows"),
])
def test_bad_fens_say_why_and_change_nothing(board_type: type[StatefulBoard], fen: str, reason: str) -> None:
    board = board_type()
    board.push(next(iter(board.legal_moves)))
    before = board.fen()
    with pytest.raises(ValueError, match=reason):
        board.set_fen(fen)
    assert board.fen() == before and len(board.move_stack) == 1
    board.pop()
    assert board == board_type()


# Moves that name a king.


def test_naming_moves() -> None:
    named, folded = NamingMove.naming(chess.D1), NamingMove(chess.E7, chess.E5, named=chess.A8)
    assert named.uci() == "K@d1" and folded.uci() == "K@a8,e7e5"
    assert named.from_square == named.to_square == chess.D1
    assert bool(NamingMove.naming(chess.A1)) and NamingMove.naming(chess.A1) != chess.Move.null()
    assert named != chess.Move(chess.D1, chess.D1) and folded != chess.Move(chess.E7, chess.E5)
    assert folded != NamingMove(chess.E7, chess.E5, named=chess.B8)
    assert len({named, NamingMove.naming(chess.D1), folded, folded.plain()}) == 3
    assert repr(folded) == "NamingMove.from_uci('K@a8,e7e5')" and str(named) == "K@d1"
    for text in ("K@d1", "K@a8,e7e5", "K@a8,e7e8q", "e2e4", "e7e8q", "0000"):
        assert parse_uci_move(text).uci() == text == parse_uci_move(text.upper()).uci()
    assert parse_uci_move("d1d1") == parse_uci_move("k@d1") == named
    for text in ("K@", "K@i1", "K@a8,", "K@a8,0000", "K@a8,e7", "K@a8 e7e5", "e2", "", "x1x1"):
        with pytest.raises(chess.InvalidMoveError):
            parse_uci_move(text)


@each_board
def test_no_overthrows_here(board_type: type[StatefulBoard]) -> None:
    board = board_type()
    for text in ("d1d1", "K@d1", "K@d1,d2d4", "N@e4"):
        with pytest.raises(chess.IllegalMoveError):
            board.parse_uci(text)


# Madness of Kings.


def test_games_name_their_boards() -> None:
    for board_type in BOARDS:
        assert variants.find(str(board_type.uci_variant)).board is board_type


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
    """A king on a1 with a man on b2 cannot be moved to c3."""
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
    assert board.is_check() and "g3e3" in moves(board)  # onto its own checking man
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


# Ascending the Throne.


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
