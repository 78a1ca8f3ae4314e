"""Rotating titles: the Boards of Ataturk Chess and Warm Spit Chess, with the inventor's examples by name."""

from __future__ import annotations

import io
import itertools
import random
from collections.abc import Callable, Hashable, Iterator

import chess
import chess.pgn
import chess.svg
import chess.variant
import pytest

import variants
from support.board_games import perft, play
from variants.boards import TITLE_COLOR, NamingMove, svg
from variants.boards.ataturk import AtaturkBoard
from variants.boards.mechanisms.rotating_title import RotatingTitle
from variants.boards.warmspit import WarmSpitBoard

variants.register_boards()

BOARDS: list[type[RotatingTitle]] = [AtaturkBoard, WarmSpitBoard]
BISHOP_AND_KNIGHT = "8/8/4N3/8/4B3/8/4b3/8 w - - 0 1 e6/e2"
KING_AND_BISHOP = "6q1/8/6KB/8/8/8/8/8 w - - 0 1 g6/g8"
ROYAL_QUEEN = "K@d1 f7f6 e2e4 g7g5"
both = pytest.mark.parametrize("kind", BOARDS)


def legal(board: RotatingTitle) -> set[str]:
    return {move.uci() for move in board.legal_moves}


def namings(board: RotatingTitle) -> set[str]:
    return {text for text in legal(board) if "@" in text}


def mates_in(board: RotatingTitle, moves: int, seen: dict[Hashable, bool] | None = None) -> bool:
    """Whether the side to move forces mate in at most `moves` moves; exhaustive."""
    seen = {} if seen is None else seen
    key = (moves, board._transposition_key())
    if key not in seen:
        seen[key] = moves > 0 and any(_loses_after(board, move, moves, seen) for move in list(board.legal_moves))
    return seen[key]


def _loses_after(board: RotatingTitle, move: chess.Move, moves: int, seen: dict[Hashable, bool]) -> bool:
    board.push(move)
    try:
        if board.is_checkmate():
            return True
        replies = list(board.legal_moves)
        return moves > 1 and bool(replies) and all(_still_lost(board, reply, moves - 1, seen) for reply in replies)
    finally:
        board.pop()


def _still_lost(board: RotatingTitle, reply: chess.Move, moves: int, seen: dict[Hashable, bool]) -> bool:
    board.push(reply)
    try:
        return mates_in(board, moves, seen)
    finally:
        board.pop()


def random_game(kind: type[RotatingTitle], seed: int, plies: int) -> Iterator[tuple[RotatingTitle, list[chess.Move]]]:
    """Positions of a random game in which every third move or so is an overthrow, each with its legal moves."""
    rng = random.Random(seed)
    board = kind()
    for _ in range(plies):
        moves = list(board.generate_legal_moves())
        yield board, moves
        if not moves:
            return
        coups = [move for move in moves if isinstance(move, NamingMove)]
        captures = [move for move in moves if board.is_capture(move)]
        pools = [pool for pool in (coups, captures, moves) if pool]
        board.push(rng.choice(rng.choice(pools)))


def random_endgame(kind: type[RotatingTitle], rng: random.Random) -> RotatingTitle:
    """A valid position of a few pieces a side, any of them royal: royal pieces meet, guard lines and are cut off."""
    while True:
        board = kind.empty()
        squares = rng.sample(chess.SQUARES, rng.randrange(4, 10))
        for color, own in zip(chess.COLORS, (squares[::2], squares[1::2]), strict=True):
            king = [chess.KING] if kind is WarmSpitBoard or rng.random() < 0.5 else []
            men = king + rng.choices([chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT], k=len(own) - len(king))
            for square, man in zip(own, men, strict=True):
                board.set_piece_at(square, chess.Piece(man, color))
        holders = [rng.choice(list(chess.scan_forward(board.title_candidates(color)))) for color in chess.COLORS]
        fen = f"{board.board_fen()} {rng.choice('wb')} - - 0 1 {'/'.join(map(chess.square_name, holders))}"
        board.set_fen(fen)
        if board.is_valid():
            return board


# The inventor's page


def test_royal_queen_on_h5_gives_no_check_across_an_attacked_square() -> None:
    board = play(AtaturkBoard(), ROYAL_QUEEN)
    assert "d1h5" in legal(board)
    assert not board.gives_check(chess.Move.from_uci("d1h5"))


def test_king_may_not_enter_f7_attacked_by_the_royal_queen() -> None:
    board = play(AtaturkBoard(), ROYAL_QUEEN + " a2a3 h7h6 d1h5")
    assert not board.is_check()
    assert "e8f7" not in legal(board)


def test_bishop_on_f7_defended_by_the_royal_queen_mates() -> None:
    board = play(AtaturkBoard(), ROYAL_QUEEN + " a2a3 h7h6 d1h5 a7a6 f1c4 b7b6")
    assert board.san(chess.Move.from_uci("c4f7")) == "Bf7#"
    assert play(board, "c4f7").is_checkmate()
    assert board.result() == "1-0"
    assert board.end_reason() == "checkmate"


def test_dismissing_the_royal_queen_mates() -> None:
    board = play(AtaturkBoard(), ROYAL_QUEEN + " a2a3 h7h6 d1h5 a7a6")
    assert board.san(NamingMove.naming(chess.A1)) == "Ra1++#"
    play(board, "K@a1")
    outcome = board.outcome()
    assert board.is_checkmate() and outcome is not None
    assert (outcome.termination, outcome.winner) == (chess.Termination.CHECKMATE, chess.WHITE)
    assert board.checkers() == chess.SquareSet([chess.H5])


def test_royal_bishop_may_not_take_an_undefended_bishop_that_checks_from_afar() -> None:
    board = AtaturkBoard("4k3/8/8/8/4b3/8/8/KB6 w - - 0 1 b1/e8")
    assert board.is_check()
    assert "b1e4" not in legal(board)  # it would cross c2 and d3, which the checking bishop attacks
    assert "b1e4" in legal(AtaturkBoard("4k3/8/8/8/4b3/8/8/KB6 w - - 0 1 a1/e8"))


def test_royal_queen_on_g8_does_not_check_across_g7() -> None:
    board = AtaturkBoard(KING_AND_BISHOP)
    assert not board.is_check()
    play(board, "K@h6")
    assert legal(board) == {"g8h8"}
    play(board, "g8h8 g6g7")
    assert board.is_checkmate()
    assert board.result() == "1-0"


@pytest.mark.parametrize("line", ["e6d4 e2f1 e4f5 f1g2 f5c8 g2h1 c8b7", "e6d4 e2f1 e4f5 f1g2 f5c8 g2f1 c8h3", "e6d4 e2d1 e4f3"])
def test_royal_bishop_is_mated(line: str) -> None:
    assert play(AtaturkBoard(BISHOP_AND_KNIGHT), line).is_checkmate()


def test_royal_bishop_is_mated_with_black_to_move() -> None:
    board = AtaturkBoard(BISHOP_AND_KNIGHT.replace(" w ", " b "))
    play(board, "e2d1 e6g5 d1e2 e4c2 e2f1 c2d1 f1g2 d1e2 g2h1 e2f3")
    assert board.is_checkmate()


@pytest.mark.long
def test_royal_bishop_is_mated_in_four_and_no_sooner() -> None:
    board = AtaturkBoard(BISHOP_AND_KNIGHT)
    assert not mates_in(board, 3)
    assert mates_in(board, 4)


@pytest.mark.long
def test_bishop_to_f5_mates_a_move_sooner_than_the_page() -> None:
    board = play(AtaturkBoard(BISHOP_AND_KNIGHT.replace(" w ", " b ")), "e2d1")
    assert not mates_in(board, 3)
    assert _loses_after(board, chess.Move.from_uci("e4f5"), 4, {})


# The title goes round


@both
def test_start(kind: type[RotatingTitle]) -> None:
    board = kind()
    assert board.fen() == kind.starting_fen
    assert board.is_valid()
    assert board == kind(kind.starting_fen) == kind(kind.starting_fen.rsplit(" ", 1)[0])
    assert len(namings(board)) == (7 if kind is AtaturkBoard else 6)


@pytest.mark.parametrize(("kind", "counts"), [(AtaturkBoard, [27, 729, 20703]), (WarmSpitBoard, [26, 676, 18556])])
def test_perft(kind: type[RotatingTitle], counts: list[int]) -> None:
    assert [perft(kind(), depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.long
@pytest.mark.parametrize(("kind", "count"), [(AtaturkBoard, 586481), (WarmSpitBoard, 507383)])
def test_perft_4(kind: type[RotatingTitle], count: int) -> None:
    assert perft(kind(), 4) == count


def test_nobody_twice_before_everybody_once() -> None:
    board = AtaturkBoard("4k3/p7/8/8/8/8/P7/1N1QK1NR w - - 0 1 d1e1/e8")
    assert namings(board) == {"K@b1", "K@g1", "K@h1"}
    play(board, "K@b1 a7a6 K@g1 a6a5")
    assert namings(board) == {"K@h1"}
    play(board, "K@h1 a5a4")
    assert board.fen().split()[-1] == "h1b1d1e1g1/e8"
    assert namings(board) == {"K@b1", "K@d1", "K@e1", "K@g1"}


def test_captured_pieces_do_not_count() -> None:
    board = AtaturkBoard("4k3/8/8/8/8/2n5/8/1N2K2R b - - 0 1 e1h1/e8")
    assert namings(play(board, "c3b1")) == {"K@h1"}


def test_promoted_piece_has_not_held_the_title() -> None:
    board = AtaturkBoard("7k/P7/8/8/8/8/8/1N2K3 w - - 0 1 e1b1/h8")
    assert namings(board) == {"K@b1"}
    play(board, "a7a8q h8h7")
    assert namings(board) == {"K@a8"}
    assert namings(play(board, "K@a8 h7g6")) == {"K@b1", "K@e1"}


def test_marks_travel_and_vanish_with_their_pieces() -> None:
    board = AtaturkBoard("4k3/8/8/8/8/2n5/8/1N2K2R w - - 0 1 e1b1h1/e8")
    assert play(board, "h1h5").fen().endswith(" e1b1h5/e8")
    assert play(board, "c3b1").fen().endswith(" e1h5/e8")


def test_no_overthrow_while_in_check_or_into_check() -> None:
    assert namings(AtaturkBoard("4k3/8/8/8/8/8/4r3/3QK2R w - - 0 1")) == set()
    assert namings(AtaturkBoard("4k2r/8/8/8/8/8/8/3QK2R w - - 0 1")) == {"K@d1"}


def test_naming_can_open_a_line_for_check() -> None:
    # The royal rook may not cross f5, which the king attacks, so it gives no check; dismissed, it does.
    board = AtaturkBoard("8/8/8/3R2k1/8/8/8/K7 w - - 0 1 d5/g5")
    assert board.is_valid()
    assert board.gives_check(NamingMove.naming(chess.A1))
    assert board.san(NamingMove.naming(chess.A1)) == "Ka1+++"


def test_guard_of_the_line_is_bound_to_its_duty() -> None:
    # Only the knight on c3 keeps Black's royal rook from crossing the a-file to the royal knight on a1.
    board = AtaturkBoard("r7/8/8/8/8/2N5/7P/N7 w - - 0 1 a1/a8")
    assert not board.is_check()
    guards = {"c3a2", "c3a4", "c3b1", "c3b5"}  # in the way, or attacking a3
    assert {move for move in legal(board) if move.startswith("c3")} == guards
    assert AtaturkBoard("r7/8/8/8/8/3N4/7P/N7 w - - 0 1 a1/a8").is_check()


def test_royal_sliders_that_face_each_other_give_no_check_until_they_touch() -> None:
    assert not AtaturkBoard("r7/8/8/8/8/8/8/R7 w - - 0 1 a1/a8").is_check()
    assert AtaturkBoard("8/8/8/8/8/8/r7/R7 w - - 0 1 a1/a2").is_check()
    assert legal(AtaturkBoard("r7/8/8/8/8/8/8/R7 w - - 0 1 a1/a8")) == {f"a1{file}1" for file in "bcdefgh"}


def test_default_titles() -> None:
    fields = {
        "4k3/8/8/8/8/8/8/QQ2K3 w - -": "e1/e8",
        "1n2r2r/8/8/8/8/8/Q7/RB5Q w - -": "h1/e8",
        "1n2b2n/8/8/8/8/8/8/N6B w - -": "h1/e8",
        "1n5n/8/8/8/8/8/8/N6N w - -": "a1/b8",
    }
    for fen, field in fields.items():
        assert AtaturkBoard(fen).fen().split()[-1] == field, fen
    board = WarmSpitBoard("r2nk3/8/8/8/8/8/8/1B2K2R w - -")
    assert board.fen().split()[-1] == "h1/a8"


def test_written_order_of_the_seventh_field() -> None:
    fen = "4k3/8/8/8/8/8/8/RNBQK3 w - - 0 1 "
    assert AtaturkBoard(fen + "c1e1b1a1/e8").fen() == fen + "c1a1b1e1/e8"


# Castling


def test_only_a_titled_king_castles_and_keeps_the_right() -> None:
    board = AtaturkBoard("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1 e1a1h1/e8")
    assert {"e1g1", "e1c1"} <= legal(board)
    play(board, "K@a1 e8e7")
    assert not {"e1g1", "e1c1"} & legal(board)
    assert board.fen().split()[2] == "KQ"
    play(board, "K@e1 e7f7")  # all three have held the title: it starts again
    assert {"e1g1", "e1c1"} <= legal(board)
    assert play(board, "e1g1").fen() == "8/5k2/8/8/8/8/8/R4RK1 b - - 5 3 g1a1f1/e8".replace("/e8", "/f7")


@pytest.mark.parametrize(("fen", "castlings"), [
    ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", {"e1g1", "e1c1"}),
    ("4k3/8/8/8/8/5n2/8/R3K2R w KQ - 0 1", set()),  # in check
    ("4k3/8/8/8/8/7n/8/R3K2R w KQ - 0 1", {"e1c1"}),  # h3 attacks g1
    ("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", {"e1g1", "e1c1"}),  # only the rook crosses b1
    ("3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1", {"e1g1"}),
    ("4k3/8/8/8/8/3q4/8/R3K2R w KQ - 0 1 e1/d3", set()),  # a royal queen's attack counts
    ("8/4q3/8/8/8/8/8/R3K2R w KQ - 0 1 e1/e7", {"e1g1", "e1c1"}),  # but across e2 she gives no check
])
def test_castling_squares(fen: str, castlings: set[str]) -> None:
    assert legal(AtaturkBoard(fen)) & {"e1g1", "e1c1"} == castlings


@pytest.mark.parametrize(("fen", "castlings"), [
    ("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1 h1/b8", {"e1g1", "e1c1"}),
    ("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1 a1/b8", {"e1g1"}),  # the royal rook would cross b1
    ("3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1 h1/d8", {"e1g1"}),
    ("r3k3/8/8/8/8/8/8/R3K2R w KQ - 0 1 a1/a8", {"e1g1", "e1c1"}),  # a8 may not cross a2 ... a7: no check
    ("r3k1n1/8/8/8/8/8/8/R3K2R w KQ - 0 1 a1/g8", set()),  # the vice-king is in check
])
def test_castling_with_a_royal_rook(fen: str, castlings: set[str]) -> None:
    assert legal(WarmSpitBoard(fen)) & {"e1g1", "e1c1"} == castlings


def test_castling_of_a_king_off_its_square() -> None:
    board = AtaturkBoard("4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1 f1a1/e8")
    assert {"f1h1", "f1a1"} <= legal(board)
    assert board.copy().parse_san("O-O-O") == chess.Move(chess.F1, chess.A1)
    assert play(board, "f1a1").fen() == "4k3/8/8/8/8/8/8/2KR3R b - - 1 1 c1d1/e8"


def test_title_of_a_castling_rook_travels() -> None:
    board = WarmSpitBoard("4k2r/8/8/8/8/8/8/R3K2R w KQ - 0 1 a1h1/h8")
    assert play(board, "e1c1").fen().endswith("2KR3R b - - 1 1 d1h1/h8")


# Two royals


def test_either_royal_in_check_is_check() -> None:
    board = WarmSpitBoard("r3k3/8/8/b7/8/8/3Q4/4K3 w - - 0 1 d2/a8")
    assert board.is_check()
    assert board.checkers() == chess.SquareSet([chess.A5])
    board = WarmSpitBoard("4k3/8/5n2/8/3Q4/2n5/8/K7 w - - 0 1 d4/c3")
    assert not board.is_check()
    assert "d4f6" in legal(board) and "d4e4" not in legal(board)


def test_mate_of_a_vice_king() -> None:
    # Black's king is free to move, but the knight in the corner is the vice-king: attacked, and nowhere to leap.
    board = play(WarmSpitBoard("n6k/8/3P4/P7/8/8/4B3/R3K3 w - - 0 1 a1/a8"), "e2f3")
    assert board.is_checkmate() and board.checked_square() == chess.A8
    assert board.result() == "1-0" and board.end_reason() == "checkmate"


def test_king_is_never_named_vice_king() -> None:
    board = WarmSpitBoard("4k2r/8/8/8/8/8/8/N3K2R w - - 0 1 h1a1/h8")
    assert "K@e1" not in legal(board)


# Text both ways


@both
def test_moves_and_positions_round_trip(kind: type[RotatingTitle]) -> None:
    coups = 0
    for seed in range(6):
        for board, moves in random_game(kind, seed, 70):
            fen = board.fen()
            again = kind(fen)
            assert again.fen() == fen and again == board and again.is_valid()
            assert set(again.legal_moves) == set(moves)
            sans = [board.san(move) for move in moves]
            assert len(set(sans)) == len(moves), fen
            for move, san in zip(moves, sans, strict=True):
                coups += isinstance(move, NamingMove)
                assert board.parse_san(san) == move
                assert board.parse_uci(board.uci(move)) == move
                assert board.parse_uci(move.uci().lower()) == move  # chess.engine lowers what an engine says
                assert move in board.legal_moves
            assert board.fen() == fen
    assert coups > 300


@both
def test_generation_by_masks_and_by_single_moves_agree(kind: type[RotatingTitle]) -> None:
    rng = random.Random(8)
    games = itertools.chain.from_iterable(random_game(kind, seed, 120) for seed in range(10, 13))
    endgames = ((board, list(board.legal_moves)) for board in (random_endgame(kind, rng) for _ in range(150)))
    for board, moves in itertools.chain(games, endgames):
        assert len(set(moves)) == len(moves)
        by_square = [move for square in chess.SQUARES for move in board.generate_legal_moves(chess.BB_SQUARES[square])]
        by_target = [move for square in chess.SQUARES for move in board.generate_legal_moves(to_mask=chess.BB_SQUARES[square])]
        expected = set(moves)
        # a castling is found under the square of its rook, as in python-chess
        assert set(by_square) == expected == set(by_target)
        for move in board.pseudo_legal_moves:
            assert board.is_legal(move) == (move in expected)
            assert board.is_legal(move) == (not board.is_into_check(move))


@both
def test_push_and_pop_restore_everything(kind: type[RotatingTitle]) -> None:
    for seed in (20, 21):
        fens = []
        last = kind()
        for board, moves in random_game(kind, seed, 80):
            fens.append(board.fen())
            last = board
            for move in moves:
                before = (board._transposition_key(), board.fen())
                board.push(move)
                assert board.pop() == move
                assert (board._transposition_key(), board.fen()) == before
        copied = last.copy()
        assert copied == last and copied.move_stack == last.move_stack
        assert last.root().fen() == fens[0]
        assert last.copy(stack=False).move_stack == []
        while copied.move_stack:
            copied.pop()
            assert copied.fen() == fens[len(copied.move_stack)]
        assert last.move_stack


@both
def test_mirror_swaps_the_titles(kind: type[RotatingTitle]) -> None:
    for board, moves in random_game(kind, 30, 60):
        mirrored = board.mirror()
        assert mirrored.legal_moves.count() == len(moves)
        assert mirrored.is_check() == board.is_check()
        assert mirrored.mirror().fen() == board.fen()


def test_naming_in_words() -> None:
    board = AtaturkBoard()
    move = NamingMove.naming(chess.D1)
    for text in ("Qd1++", "Qd1++(Ke1--)", "K@d1"):
        assert board.parse_san(text) == move
    for text in ("K@d1", "k@d1", "d1d1"):
        assert board.parse_uci(text) == move
    assert board.san(move) == board.san(board.parse_uci("d1d1")) == "Qd1++"
    assert board.uci(move) == "K@d1"
    assert board.variation_san([move, chess.Move.from_uci("f7f6")]) == "1. Qd1++ f6"
    assert board.parse_uci("K@a1") and bool(NamingMove.naming(chess.A1))
    for text in ("K@e1", "K@d8", "K@d2", "K@d4", "e1e1"):
        with pytest.raises(chess.IllegalMoveError):
            board.parse_uci(text)
    for text in ("Ke1++", "Rd1++", "Qd1++(Qd8--)", "Qd8++", "Qd4++"):
        with pytest.raises(chess.IllegalMoveError):
            board.parse_san(text)
    with pytest.raises(chess.InvalidMoveError):
        board.parse_san("Pd2++")


@both
def test_games_survive_pgn(kind: type[RotatingTitle]) -> None:
    for seed in (40, 41, 42):
        board = kind()
        for board, _ in random_game(kind, seed, 60):  # noqa: B007
            pass
        game = chess.pgn.Game.from_board(board)
        game.headers["Variant"] = kind.aliases[0]
        node = game.next()
        while node is not None:
            node.comment = f"after {node.san()}"
            others = [move for move in node.parent.board().legal_moves if move != node.move] if node.parent else []
            if others and node.parent:
                node.parent.add_variation(others[len(others) // 2], comment="instead")
            node = node.next()
        again = chess.pgn.read_game(io.StringIO(str(game)))
        assert again is not None and not again.errors
        assert type(again.board()) is kind
        assert str(again) == str(game)
        assert [move.uci() for move in again.mainline_moves()] == [move.uci() for move in board.move_stack]


def test_pgn_from_a_position_and_with_the_long_form() -> None:
    game = chess.pgn.Game()
    game.setup(AtaturkBoard(KING_AND_BISHOP))
    game.add_line([NamingMove.naming(chess.H6)])
    again = chess.pgn.read_game(io.StringIO(str(game)))
    assert again is not None and not again.errors
    assert again.end().board().fen() == "6q1/8/6KB/8/8/8/8/8 b - - 1 1 h6g6/g8"
    text = '[Variant "Ataturk"]\n\n1. Qd1++(Ke1--) f6 2. e4 ( 2. e3 Qd8++(Ke8--) ) 2... g5 *\n'
    again = chess.pgn.read_game(io.StringIO(text))
    assert again is not None and not again.errors
    assert [move.uci() for move in again.mainline_moves()] == ["K@d1", "f7f6", "e2e4", "g7g5"]
    aside = again[0][0][1]
    assert [move.uci() for move in aside.mainline_moves()] == ["K@d8"]


def test_svg_marks_a_royal_piece_that_is_no_king() -> None:
    board = AtaturkBoard()
    assert TITLE_COLOR not in board._repr_svg_()
    play(board, "K@d1")
    assert board.titled() == chess.BB_D1
    assert TITLE_COLOR in board._repr_svg_() and TITLE_COLOR in svg(board)
    assert WarmSpitBoard().titled() == chess.BB_D1 | chess.BB_D8


def test_svg_shows_check_on_the_royal_piece() -> None:
    board = WarmSpitBoard("r3k3/8/8/b7/8/8/3Q4/4K3 w - - 0 1 d2/a8")
    assert board.checked_square() == chess.D2
    assert svg(board) == chess.svg.board(
        board, check=chess.D2, arrows=[chess.svg.Arrow(square, square, color=TITLE_COLOR) for square in (chess.D2, chess.A8)])


# Ends of the game


def test_repetition_counts_the_seventh_field() -> None:
    board = AtaturkBoard("4k3/8/8/8/8/8/8/N3K3 w - - 0 1 e1a1/e8")
    play(board, "K@a1 e8d8 K@e1 d8e8 K@a1 e8d8 K@e1")
    assert not board.is_game_over()
    play(board, "d8e8")
    assert board.is_game_over() and board.result() == "1/2-1/2"
    assert board.end_reason() == "repetition"
    # the same placement with another title holder is another position
    board = AtaturkBoard("4k3/8/8/8/8/8/8/N3K2N w - - 0 1 e1a1h1/e8")
    play(board, "K@a1 e8d8 K@h1 d8e8 K@a1 e8d8 K@e1 d8e8")
    assert not board.is_game_over()


def test_fifty_moves_and_bare_kings() -> None:
    board = AtaturkBoard("4k3/8/8/8/8/8/8/N3K3 w - - 99 80 e1a1/e8")
    assert not board.is_game_over()
    assert play(board, "K@a1").outcome() is not None  # naming is neither capture nor pawn move
    assert board.end_reason() == "50 moves"
    assert not AtaturkBoard("4k3/8/8/8/8/8/8/4K3 w - - 0 1").is_game_over()  # dead, but only orthodox chess ends it


def test_stalemate() -> None:
    board = AtaturkBoard("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1")
    assert board.is_stalemate() and not board.is_checkmate()
    assert board.result() == "1/2-1/2" and board.end_reason() == "stalemate"


def test_side_not_to_move_in_check_is_a_matter_of_status() -> None:
    board = AtaturkBoard("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1")
    assert board.status() == chess.STATUS_OPPOSITE_CHECK
    assert not board.is_valid()


@pytest.mark.parametrize(("kind", "fen", "words"), [
    (AtaturkBoard, "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 d4e1/e8", ["titles", "d4", "empty"]),
    (AtaturkBoard, "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 e1a2/e8", ["titles", "a2", "pawn"]),
    (AtaturkBoard, "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 e1a1e1/e8", ["titles", "e1", "twice"]),
    (AtaturkBoard, "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 e1/e8a1", ["titles", "a1", "other side"]),
    (AtaturkBoard, "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 e1", ["titles", "'e1'"]),
    (AtaturkBoard, "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 e1/", ["titles", "Black"]),
    (AtaturkBoard, "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 e1/e9", ["titles", "e9"]),
    (AtaturkBoard, "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 e1a/e8", ["titles", "'a'"]),
    (AtaturkBoard, "4k3/8/8/8/8/8/P7/R3K2K w - - 0 1 e1/e8", ["placement", "White", "more than one king"]),
    (AtaturkBoard, "4k3/8/8/8/8/8/P7/8 w - - 0 1", ["placement", "White", "title"]),
    (WarmSpitBoard, "4k2r/8/8/8/8/8/P7/4K3 w - - 0 1", ["placement", "White", "title"]),
    (WarmSpitBoard, "r6r/8/8/8/8/8/P7/4K2R w - - 0 1", ["placement", "Black", "no king"]),
    (WarmSpitBoard, "4k2r/8/8/8/8/8/P7/4K2R w - - 0 1 e1/h8", ["titles", "e1", "king"]),
])
def test_bad_fens_say_which_field_and_why(kind: type[RotatingTitle], fen: str, words: list[str]) -> None:
    with pytest.raises(ValueError, match=":") as caught:
        kind(fen)
    assert all(word in str(caught.value) for word in words), str(caught.value)
    board = kind()
    with pytest.raises(ValueError, match=":"):
        board.set_fen(fen)
    assert board == kind(), "a refused FEN leaves the board as it was"


def test_men_put_by_hand() -> None:
    board = AtaturkBoard("4k3/8/8/8/8/8/8/RN2K3 w - - 0 1 b1e1/e8")
    board.remove_piece_at(chess.E1)
    assert board.fen().endswith(" b1/e8")
    board.set_piece_at(chess.B1, chess.Piece.from_symbol("P"))
    assert board.fen().endswith(" a1/e8")  # vacant, so it goes to the default holder
    board = AtaturkBoard.empty()
    assert board.status() & chess.STATUS_NO_WHITE_KING and not any(board.legal_moves)
    board.set_board_fen("4k3/8/8/8/8/8/8/R7")
    assert board.fen() == "4k3/8/8/8/8/8/8/R7 w - - 0 1 a1/e8"
    assert AtaturkBoard.from_chess960_pos(518).fen() == AtaturkBoard.starting_fen


@both
def test_found_by_name(kind: type[RotatingTitle]) -> None:
    names: Callable[[str], type[chess.Board]] = chess.variant.find_variant
    assert names(str(kind.uci_variant)) is kind
    assert all(names(alias) is kind for alias in kind.aliases)
