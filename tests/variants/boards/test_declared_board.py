"""Boards made from declarations keep the conventions of python-chess, and say so where they cannot."""

from __future__ import annotations

import copy
import io
import pickle
import random

import chess
import chess.pgn
import chess.variant
import pytest

import variants
from engine.rules import Rules
from variants.boards.declared import DeclaredBoard, declared_board

GAMES = ("tripunch", "armies-rr-ff", "ataturk-ff-cc", "madness-6x6")
SLOW = ("tripunch", "armies-rr-ff", "ataturk-ff-cc")
each_game = pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.long if name in SLOW else ()) for name in GAMES])


def played(name: str, plies: int = 8, seed: int = 1) -> DeclaredBoard:
    """A Board after a random game."""
    board, dice = variants.find(name).board(), random.Random(seed)
    assert isinstance(board, DeclaredBoard)
    while board.outcome() is None and board.ply() < plies:
        board.push(dice.choice(list(board.legal_moves)))
    return board


@each_game
def test_copies_pickles_and_texts(name: str) -> None:
    """A copy, a pickle, an EPD and a FEN have the same position; SAN and LAN the same move."""
    board = played(name)
    assert board.status() == chess.STATUS_VALID and board.is_valid() and not board.can_claim_draw()
    again = pickle.loads(pickle.dumps(board))
    assert type(again) is type(board) and again == board and again.move_stack == board.move_stack
    assert pickle.loads(pickle.dumps(board.peek())) == board.peek()
    assert board.copy().move_stack == board.move_stack == copy.deepcopy(board).move_stack
    few = board.copy(stack=2)
    assert few.move_stack == board.move_stack[-2:] and few.root().fen() != board.root().fen()
    few.pop()
    few.pop()
    with pytest.raises(IndexError):
        few.pop()
    read = type(board)(None)
    assert read.set_epd(board.epd(hmvc=board.halfmove_clock, fmvn=board.fullmove_number)) == {
        "hmvc": board.halfmove_clock, "fmvn": board.fullmove_number}
    assert read == board == type(board)(board.fen()) == type(board)(board.shredder_fen())
    for move in board.legal_moves:
        assert board.parse_san(board.san(move)) == move == board.parse_san(board.lan(move))
        assert board.is_legal(board.find_move(move.from_square, move.to_square))
    game = chess.pgn.Game.from_board(board)
    assert list(game.mainline_moves()) == board.move_stack and game.headers["Variant"] == name


@each_game
def test_a_null_move_passes(name: str) -> None:
    board = played(name)
    before, color = board.fen(), board.turn
    board.push(board.parse_uci("0000"))
    assert board.turn != color and board.place.pieces == type(board)(before).place.pieces
    assert board.pop() == chess.Move.null() and board.fen() == before
    assert board.parse_san("--") == chess.Move.null() and board.san(chess.Move.null()) == "--"
    board.push_san("--")
    assert board.ply() == type(board)(before).ply() + 1


def test_what_moves_do() -> None:
    """Also those that are not of this Board's own making."""
    board = variants.find("cylinder").board("r3k2r/8/8/3Pp3/8/8/p7/R3K2R w KQkq e6 0 9")
    zeroing = {move.uci() for move in board.legal_moves if board.is_zeroing(move)}
    assert {"d5e6", "d5d6", "a1a2"} <= zeroing and "e1e2" not in zeroing
    for text in ("d5e6", "e1g1", "e1c1", "e1e2"):
        own, plain = board.parse_uci(text), chess.Move.from_uci(text)
        for asked in (board.is_zeroing, board.is_capture, board.is_en_passant, board.is_castling, board.is_irreversible,
                      board.is_kingside_castling, board.is_queenside_castling):
            assert asked(own) == asked(plain), (text, asked.__name__)
    assert board.is_en_passant(chess.Move.from_uci("d5e6")) and board.is_capture(chess.Move.from_uci("d5e6"))
    assert board.is_castling(chess.Move.from_uci("e1g1")) and board.is_kingside_castling(chess.Move.from_uci("e1g1"))
    assert board.is_queenside_castling(chess.Move.from_uci("e1c1")) and board.is_irreversible(chess.Move.from_uci("e1e2"))
    assert board.ep_square == chess.E6 and board.has_legal_en_passant()
    assert board.castling_rights == chess.BB_CORNERS and board.has_kingside_castling_rights(chess.BLACK)
    assert board.epd() == "r3k2r/8/8/3Pp3/8/8/p7/R3K2R w KQkq e6"
    assert board.shredder_fen().split()[2] == "HAha" and board.castling_xfen() == "KQkq"
    assert board.mirror().fen() == "r3k2r/P7/8/8/3pP3/8/8/R3K2R b KQkq e3 0 9" and board.mirror().mirror() == board
    assert board.king(chess.WHITE) == chess.E1 and set(board.pieces(chess.PAWN, chess.BLACK)) == {chess.A2, chess.E5}
    assert set(board.attackers(chess.WHITE, chess.E6)) == {chess.D5} and chess.H1 in board.attacks(chess.A2)  # around the board


def test_setting_up() -> None:
    """What is assigned counts, and the moves so far are forgotten where python-chess forgets them."""
    past = played("tripunch")
    past.clear_stack()
    assert past.root() == past and not past.move_stack
    with pytest.raises(IndexError):
        past.pop()
    board = variants.find("tripunch").board()
    board.push_uci("e2e4")
    board.set_piece_at(chess.E4, chess.Piece.from_symbol("N"))
    assert board.fen() == "rnbqkbnr/pppppppp/8/8/4N3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1" and not board.move_stack
    assert board.remove_piece_at(chess.H1) == chess.Piece.from_symbol("R") and board.castling_xfen() == "Qkq"
    board.turn, board.fullmove_number, board.halfmove_clock, board.castling_rights = chess.WHITE, 9, 3, chess.BB_A8
    assert board.fen() == "rnbqkbnr/pppppppp/8/8/4N3/8/PPPP1PPP/RNBQKBN1 w q - 3 9"
    board.set_castling_fen("Q")
    board.set_board_fen("4k3/8/8/8/8/8/8/R3K3")
    assert board.fen() == "4k3/8/8/8/8/8/8/R3K3 w Q - 3 9"
    board.set_piece_map({chess.E8: chess.Piece.from_symbol("k"), chess.E1: chess.Piece.from_symbol("K")})
    assert board.board_fen() == "4k3/8/8/8/8/8/8/4K3"
    board.remove_piece_at(chess.E1)
    assert board.status() == chess.STATUS_NO_WHITE_KING and not board.is_valid()
    assert type(board)("4k3/8/8/8/8/8/8/4RK2 w - - 0 1").status() == chess.STATUS_OPPOSITE_CHECK
    assert type(board)(None).status() == chess.STATUS_EMPTY


def test_what_is_refused() -> None:
    small, titled = variants.find("madness-6x6").board(), variants.find("ataturk-ff-cc").board()
    with pytest.raises(ValueError, match="h8 is not on the board of madness-6x6"):
        small.set_piece_at(chess.H8, chess.Piece.from_symbol("R"))
    with pytest.raises(ValueError, match="'q' is no piece of armies-cc-cc"):
        variants.find("armies-cc-cc").board().set_piece_at(chess.E4, chess.Piece.from_symbol("q"))
    with pytest.raises(ValueError, match="e1 has the royal piece of White, which must stay"):
        titled.remove_piece_at(chess.E1)
    for call in (lambda: small.pin(chess.WHITE, chess.A1), lambda: small.is_pinned(chess.WHITE, chess.A1),
                 lambda: small.transform(chess.flip_vertical), lambda: small.set_chess960_pos(1)):
        with pytest.raises(NotImplementedError, match="the Board of madness-6x6 has no"):
            call()
    with pytest.raises(pickle.PicklingError, match="'nowhere'"):
        pickle.dumps(declared_board(Rules(name="nowhere", source="here"))())


@pytest.mark.parametrize("name", [
    *(pytest.param(name, marks=pytest.mark.long) for name in ("tripunch", "armies-rr-ff", "armies-nn-cc", "ataturk-ff-cc")),
    "ascending-nn-rr", "madness-6x6", "cylinder", "crazyhouse"])
def test_games_written_and_read_back(name: str) -> None:
    """chess.pgn reads the letters of all pieces, drops, promotions and namings of a registered game."""
    variants.register_board(name)
    board, dice = variants.find(name).board(), random.Random(3)
    while board.outcome() is None and board.ply() < 60:
        legal = list(board.legal_moves)
        odd = [move for move in legal if len(board.uci(move)) > 4]  # promotions, drops and namings
        board.push(dice.choice(odd if odd and dice.random() < 0.3 else legal))
    written = chess.pgn.Game.from_board(board)
    written.end().comment = "Kxe5 is no move here"
    read = chess.pgn.read_game(io.StringIO(str(written)))
    assert read is not None and not read.errors, str(written)
    assert type(read.board()) is type(board) and list(read.mainline_moves()) == board.move_stack
    assert read.end().board().fen() == board.fen() and str(read) == str(written)


def test_promotions_and_namings_of_further_pieces() -> None:
    """Read as their games write them."""
    variants.register_board("ascending-nn-rr")
    board = variants.find("ascending-nn-rr").board("8/k5P1/8/8/8/8/8/K7 w - - 0 1")
    moves = list(board.legal_moves)
    assert any(board.san(move).startswith("g8=") for move in moves)
    for move in moves:
        assert chess.pgn.MOVETEXT_REGEX.match(board.san(move))[0] == board.san(move).rstrip("+#")  # type: ignore[index]


def test_every_playable_game_can_be_registered() -> None:
    variants.register_boards()
    for name in variants.playable():
        assert chess.variant.find_variant(variants.find(name).board.aliases[0]) is variants.find(name).board
