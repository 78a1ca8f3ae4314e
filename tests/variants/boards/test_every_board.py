"""What every Board must do: FEN, SAN, PGN, copies, repetition and the 50-move rule."""

from __future__ import annotations

import io
import random

import chess
import chess.pgn
import chess.svg
import chess.variant
import pytest

import variants
from support.board_games import perft, play, random_game
from variants.boards import NamingMove, StatefulBoard, parse_uci_move, register, svg
from variants.boards.ascending import AscendingBoard
from variants.boards.madness import MadnessBoard, MadnessFideBoard, MadnessLeganBoard
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

each_board = pytest.mark.parametrize("board_type", BOARDS, ids=lambda board_type: board_type.uci_variant)


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
        if board_type is not ShatarBoard or len(fens) > 2:  # its obligatory opening does not exist with colours reversed
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
    register(board_type)
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


def test_games_name_their_boards() -> None:
    for board_type in BOARDS:
        assert variants.find(str(board_type.uci_variant)).board is board_type
