"""Game as a Python object: what users of chess.Board expect of it."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from dataclasses import replace

import chess
import numpy as np
import pytest

import variants
from engine.errors import FenError, MoveError
from engine.game import Game
from engine.text import legal_moves
from search.analysis import analyse, best_move

QUICK = ("chess", "atomic", "madness", "ataturk", "ascending", "shatar")
GAMES = [pytest.param(name, marks=() if name in QUICK else pytest.mark.long) for name in variants.names()]
COPIES: list[Callable[[Game], Game]] = [
    copy.copy, copy.deepcopy, Game.copy, lambda game: pickle.loads(pickle.dumps(game)),
    lambda game: copy.copy(copy.deepcopy(game))]


def walk(name: str, dice: random.Random, plies: int = 24) -> Game:
    """A random game, under way."""
    game = Game(name)
    while len(game.moves) < plies:
        if game.outcome() is not None:
            return walk(name, dice, plies)
        game.push(dice.choice(sorted(game.legal_moves())))
    return game


def state(game: Game) -> tuple[object, ...]:
    """All there is of it."""
    return game.fen(), game.move_stack, [pos.tobytes() for pos in game.positions], game.rules.name, game.chess960


# Moves


def test_nothing_can_be_taken_back_from_a_new_game() -> None:
    game = Game("ataturk")
    before = state(game)
    for ask in (game.pop, game.peek):
        with pytest.raises(IndexError, match=r"no move has been made in Game\('ataturk', 'rnbqkbnr/"):
            ask()
        assert state(game) == before
    game.push("K@d1")
    assert game.text(game.pop()) == "K@d1" and state(game) == before


@pytest.mark.parametrize("bad", [0, 1, -1, 4095, 1 << 20, 1 << 40, np.uint32(77), True])
def test_numbers_are_checked(bad: int) -> None:
    game = Game()
    before = state(game)
    with pytest.raises(MoveError, match=f"illegal move {int(bad)} in rnbqkbnr/"):
        game.push(bad)
    assert state(game) == before and not game.is_legal(bad)


@pytest.mark.parametrize("bad", [None, 1.5, ["e2e4"], b"e2e4"])
def test_what_is_no_move_at_all_is_a_type_error(bad: object) -> None:
    game = Game()
    with pytest.raises(TypeError):
        game.push(bad)  # type: ignore[arg-type]
    assert not game.moves and game == Game()


@pytest.mark.parametrize("name", GAMES)
def test_every_legal_move_can_be_pushed_by_its_number(name: str, dice: random.Random) -> None:
    game = walk(name, dice)
    for number in legal_moves(game.rules, game.pos):
        text = game.text(int(number))
        assert game.is_legal(text) and game.is_legal(int(number)) and game.is_legal(number)
        game.push(number)
        assert game.move_stack[-1] == text and game.peek() == int(number)
        assert game.pop() == int(number)


def test_several_moves_are_made_all_or_none() -> None:
    game = Game()
    game.extend(["e2e4", "e7e5"])
    before = state(game)
    with pytest.raises(MoveError, match=r"illegal move 'g1g3', number 3 of the moves"):
        game.extend(["f1c4", "f8c5", "g1g3", "a2a3"])
    assert state(game) == before
    with pytest.raises(TypeError):
        game.extend(["f1c4", None])  # type: ignore[list-item]
    assert state(game) == before
    game.extend(iter(["g1f3"]))
    assert game.move_stack == ["e2e4", "e7e5", "g1f3"]
    again = Game()
    again.extend(game.move_stack)
    assert state(again) == state(game)
    by_number = Game()
    by_number.extend(game.moves)
    assert state(by_number) == state(game)


# Pieces and parts of moves


@pytest.mark.parametrize("name", GAMES)
def test_pieces_and_keys_are_those_of_the_board(name: str, dice: random.Random) -> None:
    game = walk(name, dice)
    board = game.board()
    for side, colour in enumerate((chess.WHITE, chess.BLACK)):
        assert game.pieces(side) == board.occupied_co[colour]
        kings = list(board.pieces(chess.KING, colour))
        assert game.king(side) == (kings[-1] if kings else None)
    assert game.pieces() == board.occupied and set(game.royal_squares()) <= set(chess.SquareSet(board.occupied))
    assert [game.text(move) for move in game.legal_numbers()] == game.legal_moves()
    for move in game.legal_numbers():
        after = game.copy()
        after.push(move)
        assert game.key_after(move) == after.key


@pytest.mark.parametrize(("variant", "fen", "text", "parts"), [
    ("chess", None, "e2e4", ("double step", 12, 28, "", None)),
    ("chess", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", ("en passant", 36, 43, "", None)),
    ("chess", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", ("castling", 4, 7, "", None)),
    ("chess", "8/P3k3/8/8/8/8/8/4K3 w - - 0 1", "a7a8r", ("promotion", 48, 56, "R", None)),
    ("ataturk", None, "K@d1", ("naming", 3, 3, "", None)),
    ("madness", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "e8e6", ("drive", 60, 44, "", None)),
])
def test_parts_of_a_move(variant: str, fen: str | None, text: str, parts: tuple[object, ...]) -> None:
    game = Game(variant, fen)
    assert tuple(game.parts(game.parse(text))) == parts


def test_an_heir_is_a_part_of_a_move() -> None:
    game = Game("ascending", "r3k2r/8/8/8/8/8/8/R6R w - - 0 1")
    heirs = {game.parts(move).heir for move in game.legal_numbers()}
    assert game.king(0) is None and heirs == {0, 7}


def test_who_holds_a_title() -> None:
    game = Game("ataturk")
    assert sorted(game.title_holders()) == [4, 60] and Game().title_holders() == []
    game.push("K@d1")
    assert sorted(game.title_holders()) == [3, 60]


# Copies


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("make", COPIES)
def test_copies_are_equal_and_independent(name: str, make: Callable[[Game], Game], dice: random.Random) -> None:
    game = walk(name, dice)
    before = state(game)
    other = make(game)
    assert state(other) == before and other == game and other.rules is game.rules and type(other) is Game
    other.pop()
    other.push(sorted(other.legal_moves())[0])
    other.extend([])
    assert state(game) == before
    game.pop()
    assert len(other.moves) == 24


def test_a_copy_of_the_last_moves() -> None:
    game = Game()
    game.extend(["g1f3", "g8f6", "f3g1", "f6g8", "g1f3"])
    for stack, moves in ((True, 5), (False, 0), (0, 0), (2, 2), (99, 5), (-3, 0)):
        other = game.copy(stack=stack)
        assert other == game and other.move_stack == game.move_stack[5 - moves:] and len(other.positions) == moves + 1
    assert game.root() == Game() and game.root().moves == [] and len(game.moves) == 5
    assert game.repetitions() == 2 and game.is_repetition(2) and not game.is_repetition()
    assert game.copy(stack=False).repetitions() == 1


def test_a_subclass_stays_one() -> None:
    class Annotated(Game):
        note = ""

    game = Annotated("atomic")
    game.note = "a remark"
    for other in (game.copy(), copy.deepcopy(game), game.root()):
        assert type(other) is Annotated and other.note == "a remark"
    assert repr(game).startswith("Annotated('atomic', ")


def test_chess960_survives() -> None:
    game = Game("chess", "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1", chess960=True)
    for make in COPIES:
        other = make(game)
        assert other.chess960 and other == game
    assert eval(repr(game), {"Game": Game}).chess960 and game.board().chess960


# Equality, text


def test_equality_is_of_positions() -> None:
    game, other = Game(), Game()
    assert game == other
    game.extend(["g1f3", "g8f6", "b1c3"])
    other.extend(["b1c3", "g8f6", "g1f3"])
    assert game == other and game == Game("chess", game.fen())
    other.pop()
    assert game != other and Game("atomic") != Game("chess") and Game() != Game().fen()
    assert Game("chess", "4k3/8/8/8/8/8/8/4K3 w - - 0 1") != Game("chess", "4k3/8/8/8/8/8/8/4K3 w - - 1 1")
    with pytest.raises(TypeError):
        hash(game)


@pytest.mark.parametrize("name", GAMES)
def test_repr_makes_the_position_again(name: str, dice: random.Random) -> None:
    game = walk(name, dice)
    again = eval(repr(game), {"Game": Game})
    assert again == game and repr(again) == repr(game)
    assert str(game).count("\n") >= 7 and "<svg" in game._repr_svg_()


# What chess.Board has as well


@pytest.mark.parametrize("name", GAMES)
def test_beside_a_board(name: str, dice: random.Random) -> None:
    game = walk(name, dice, 12)
    board = game.rules.board(Game(name).fen())
    replayed = Game(name)
    for text in game.move_stack:
        san = board.san(board.parse_uci(text))
        assert replayed.san(text) == san
        replayed.push_san(san)
        board.push_uci(text)
        assert (replayed.ply(), replayed.fullmove_number, replayed.halfmove_clock) == (
            board.ply(), board.fullmove_number, board.halfmove_clock)
        assert replayed.is_check() == replayed.in_check() == board.is_check()
        assert replayed.is_game_over() == board.is_game_over(claim_draw=name not in ("chess", "atomic"))
    assert state(replayed) == state(game) and game.board() == board and game.board().move_stack == board.move_stack
    with pytest.raises(MoveError, match="Zz9"):
        game.push_san("Zz9")
    with pytest.raises(MoveError):
        game.san("e9e9")
    assert state(replayed) == state(game)


def test_ends() -> None:
    mated = Game("chess", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1")
    assert mated.is_checkmate() and mated.is_game_over() and not mated.is_stalemate() and mated.result() == "1-0"
    stalemate = Game("chess", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert stalemate.is_stalemate() and not stalemate.is_checkmate()
    niol = Game("shatar", "7k/5K1p/8/8/8/8/8/2B5 w - - 0 1")
    niol.push("c1b2")
    assert niol.is_game_over() and niol.is_check() and not niol.is_checkmate() and not niol.is_stalemate()
    assert all(best_move(game, nodes=1) is None and analyse(game, nodes=1) == [] for game in (mated, stalemate, niol))


def test_begun_anew() -> None:
    game = Game("shatar", "6nk/8/6K1/8/8/8/8/6R1 w - - 0 1")
    game.push("g1h1")
    before = state(game)
    with pytest.raises(FenError):
        game.set_fen("8/8/8 w")
    assert state(game) == before
    game.set_fen("7k/5K1p/8/8/8/8/8/2B5 w - - 0 1 w")
    assert game.fen() == "7k/5K1p/8/8/8/8/8/2B5 w - - 0 1 w" and game.moves == []
    game.reset()
    assert game == Game("shatar") and game.legal_moves() == ["d2d4"]


# Searches


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("limits", [{"nodes": 1}, {"nodes": 0}, {"depth": 0}, {"movetime": 0.0}, {"depth": 1, "nodes": 1}])
def test_however_little_is_asked_for_a_move_is_played(name: str, limits: dict[str, int]) -> None:
    game = Game(name)
    assert best_move(game, **limits) in game.legal_moves()  # type: ignore[arg-type, operator]


def test_the_board_of_a_game_is_python_chess(dice: random.Random) -> None:
    game = walk("chess", dice)
    board = game.board()
    assert type(board) is chess.Board and board.fen() == game.fen()
    assert [board.uci(move) for move in board.move_stack] == game.move_stack


@pytest.mark.parametrize(("fen", "move", "after"), [
    ("1k6/8/8/8/8/8/8/5K1R w K - 0 1", "f1h1", "1k6/8/8/8/8/8/8/5RK1 b - - 1 1"),
    ("4k3/8/8/8/8/8/8/R3KR2 w KQ - 0 1", "e1f1", "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"),
    ("r3k2r/8/8/8/8/8/8/1R3K2 b kq - 0 1", "e8g8", "r4rk1/8/8/8/8/8/8/1R3K2 w - - 1 2"),
    ("5k1r/8/8/8/8/8/8/R3K2R w KQk - 0 1", "e1g1", "5k1r/8/8/8/8/8/8/R4RK1 b k - 1 1"),  # orthodox beside one that is not
])
def test_castling_from_other_squares_on_the_board_of_a_game(fen: str, move: str, after: str) -> None:
    game = Game("chess", fen)
    assert move in game.legal_moves() and game.san(move).rstrip("+") == "O-O"
    assert game.text(game.parse_san("O-O")) == move
    game.push(move)
    assert game.board().fen() == game.fen() == after


def test_the_board_of_a_declared_game_castles_from_other_squares() -> None:
    rules = replace(variants.find("chess"), name="made", board="", bare_king_draws=True)
    game = Game(rules, "1k5r/8/8/8/8/8/8/5K1R w K - 0 1")
    assert game.san("f1h1") == "O-O" and game.text(game.parse_san("O-O")) == "f1h1"
    game.push("f1h1")
    assert game.board().fen() == game.fen() == "1k5r/8/8/8/8/8/8/5RK1 b - - 1 1"
