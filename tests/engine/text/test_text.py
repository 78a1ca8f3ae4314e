"""FEN and move text: what is read, what is written, and that bad text is refused in one line that names it."""

from __future__ import annotations

import random
from dataclasses import replace

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import variants
from engine.core.legality import position_after
from engine.errors import EngineError, FenError, MoveError
from engine.rules import START, Rules
from engine.text import board_text, legal_moves, move_text, parse_fen, parse_move, to_fen

CHESS, ATOMIC, NOCHECK = (variants.find(name) for name in ("chess", "atomic", "nocheckatomic"))
CRAZYHOUSE, HORDE = variants.find("crazyhouse"), variants.find("horde")


@pytest.mark.parametrize("fen", [
    START,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "4k3/8/8/8/Pp6/8/8/4K3 b - a3 0 1",
    "4k3/8/8/1pP5/8/8/8/4K3 w - b6 0 33",
    "4k3/8/8/8/8/8/8/4K3 b - - 99 1234",
    "1r2k1rr/8/8/8/8/8/8/RR2K1R1 w GBgb - 0 1".replace("GB", "KB").replace("gb", "gq"),
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9",
])
def test_round_trip(fen: str) -> None:
    assert to_fen(CHESS, parse_fen(CHESS, fen)) == fen


@pytest.mark.parametrize(("fen", "written"), [
    ("4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("4k3/8/8/8/8/8/8/4K3 b", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
    ("4k3/8/8/8/8/8/8/4K2R w K", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
    ("4k3/8/8/8/8/8/8/4K2R w K -", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
    ("4k3/8/8/8/8/8/8/4K2R w K - 5", "4k3/8/8/8/8/8/8/4K2R w K - 5 1"),
    ("  4k3/8/8/8/8/8/8/4K2R   w\tK -  5 6 ", "4k3/8/8/8/8/8/8/4K2R w K - 5 6"),
    ("4k3/8/8/8/8/8/8/4K2R w K - 5 0", "4k3/8/8/8/8/8/8/4K2R w K - 5 1"),
    ("4k3/11111111/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("4k3/8/8/8/8/8/8/Q~3K3 w - - 0 1", "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1"),
    # castling rights are dropped without king and rook in place, and do not depend on their order
    ("4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    ("r3k2r/8/8/8/8/8/4K3/R6R w KQkq - 0 1", "r3k2r/8/8/8/8/8/4K3/R6R w kq - 0 1"),
    ("r3k2r/8/8/8/8/8/8/R3K2R w qkQK - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
    ("r3k2r/8/8/8/8/8/8/R3K2R w KKKK - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w K - 0 1"),
    ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
    ("r3k2r/8/8/8/8/8/8/R3K2R w BG - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1"),
    # X-FEN: K and Q are the outermost rooks, an inner one has its file's letter
    ("4k3/8/8/8/8/8/8/RR2K1RR w KQ - 0 1", "4k3/8/8/8/8/8/8/RR2K1RR w KQ - 0 1"),
    ("4k3/8/8/8/8/8/8/RR2K1RR w GB - 0 1", "4k3/8/8/8/8/8/8/RR2K1RR w GB - 0 1"),
    ("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", "4k3/8/8/8/8/8/8/1R2K1R1 w KQ - 0 1"),
    # en passant is kept only where a capture is legal
    (START.replace("w KQkq -", "b KQkq e3"), START.replace("w", "b")),
    ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"),
    ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"),
    ("4k3/8/8/8/3pP3/8/8/4K3 w - e3 0 1", "4k3/8/8/8/3pP3/8/8/4K3 w - - 0 1"),
    ("4k3/8/8/8/3pP3/4N3/8/4K3 b - e3 0 1", "4k3/8/8/8/3pP3/4N3/8/4K3 b - - 0 1"),
    ("4k3/8/8/8/3pP3/8/4N3/4K3 b - e3 0 1", "4k3/8/8/8/3pP3/8/4N3/4K3 b - - 0 1"),
    ("4k3/8/8/8/3pN3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/3pN3/8/8/4K3 b - - 0 1"),
    ("8/8/8/8/k2pP2Q/8/8/3K4 b - e3 0 1", "8/8/8/8/k2pP2Q/8/8/3K4 b - - 0 1"),
])
def test_read_generously_written_exactly(fen: str, written: str) -> None:
    pos = parse_fen(CHESS, fen)
    assert to_fen(CHESS, pos) == written
    assert (parse_fen(CHESS, written) == pos).all()


def test_shredder_letters() -> None:
    pos = parse_fen(CHESS, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert to_fen(CHESS, pos, shredder=True) == "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1"
    for number in range(960):
        board = chess.Board.from_chess960_pos(number)
        pos = parse_fen(CHESS, board.fen())
        assert to_fen(CHESS, pos, shredder=True) == board.shredder_fen()
        assert (parse_fen(CHESS, board.shredder_fen()) == pos).all()
        assert to_fen(CHESS, pos) == board.fen()


@pytest.mark.parametrize(("rules", "fen", "complaint"), [
    (CHESS, "", "empty"),
    (CHESS, "   \t ", "empty"),
    (CHESS, "8/8 w - - 0 1", "the board has 2 ranks instead of 8: '8/8'"),
    (CHESS, "abc w - - 0 1", "the board has 1 rank instead of 8: 'abc'"),
    (CHESS, "8/8/8/8/8/8/8/8/8 w - - 0 1", "9 ranks"),
    (CHESS, "4k3/8/8/8/ppppppppp/8/8/4K3 w - - 0 1", "rank 4 has 9 files: 'ppppppppp'"),
    (CHESS, "4k3/8/8/8/7/8/8/4K3 w - - 0 1", "rank 4 has 7 files: '7'"),
    (CHESS, "4k3//8/8/8/8/8/4K3 w - - 0 1", "rank 7 has 0 files: ''"),
    (CHESS, "4k3/8/8/8/88888888/8/8/4K3 w - - 0 1", "rank 4 has 64 files"),
    (CHESS, "4k3/8/8/3x4/8/8/8/4K3 w - - 0 1", "unknown piece 'x'"),
    (CHESS, "4k3/9/8/8/8/8/8/4K3 w - - 0 1", "unknown piece '9'"),
    (CHESS, "4k3/8/8/3é4/8/8/8/4K3 w - - 0 1", "unknown piece 'é'"),
    (CHESS, "4\u212a3/8/8/8/8/8/8/4K3 w - - 0 1", "unknown piece"),
    (CHESS, "4k3/\u0668/8/8/8/8/8/4K3 w - - 0 1", "unknown piece"),
    (CHESS, "4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side to move 'x'"),
    (CHESS, "4k3/8/8/8/8/8/8/4K3 W - - 0 1", "side to move 'W'"),
    (CHESS, "4k3/8/8/8/8/8/8/4K3 w KX - 0 1", "castling rights 'KX'"),
    (CHESS, "4k3/8/8/8/8/8/8/4K3 w KQkqKQ - 0 1", "castling rights 'KQkqKQ'"),
    (CHESS, "4k3/8/8/8/8/8/8/4K3 w K- - 0 1", "castling rights 'K-'"),
    (CHESS, "4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "en passant square 'e9'"),
    (CHESS, "4k3/8/8/8/8/8/8/4K3 w - e 0 1", "en passant square 'e'"),
    (CHESS, "4k3/8/8/8/8/8/8/4K3 w - e33 0 1", "en passant square 'e33'"),
    (CHESS, "4k3/8/8/8/8/8/8/4K3 w - - x 1", "half-move clock 'x'"),
    (CHESS, "4k3/8/8/8/8/8/8/4K3 w - - -1 1", "half-move clock '-1'"),
    (CHESS, "4k3/8/8/8/8/8/8/4K3 w - - 99999999999999999999 1", "half-move clock '9999"),
    (CHESS, "4k3/8/8/8/8/8/8/4K3 w - - \u0661 1", "half-move clock"),
    (CHESS, "4k3/8/8/8/8/8/8/4K3 w - - 0 1.5", "move number '1.5'"),
    (CHESS, "4k3/8/8/8/8/8/8/4K3 w - - 0 99999999", "move number '99999999'"),
    (CHESS, "4k3/8/8/8/8/8/8/4K3 w - - 0 1 e1/e8", "field 7 'e1/e8'"),
    (CHESS, "4k3/8/8/8/8/8/8/8 w - - 0 1", "White has no king"),
    (CHESS, "8/8/8/8/8/8/8/4K3 w - - 0 1", "Black has no king"),
    (CHESS, "4k3/8/8/8/8/8/8/3KK3 w - - 0 1", "White has 2 kings"),
    (CHESS, "P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "White has a pawn on a8"),
    (CHESS, "4k3/8/8/8/8/8/8/p3K3 w - - 0 1", "Black has a pawn on a1"),
    (CHESS, "4k3/8/8/8/8/8/8/4R1K1 w - - 0 1", "Black is in check and not to move"),
    (CHESS, "4r1k1/8/8/8/8/8/8/4K3 b - - 0 1", "White is in check and not to move"),
    (CHESS, "8/8/8/3kK3/8/8/8/8 w - - 0 1", "Black is in check and not to move"),
    (CHESS, "4k~3/8/8/8/8/8/8/4K3 w - - 0 1", "rank 8 has '~' behind no piece that comes from promotion: '4k~3'"),
    (CRAZYHOUSE, "4k3/8/8/8/8/1~7/8/4K3[] w - - 0 1", "rank 3 has '~' behind no piece"),
    (CRAZYHOUSE, "4k3/8/8/8/8/~8/8/4K3[] w - - 0 1", "rank 3 has '~' behind no piece"),
    (CRAZYHOUSE, "4k3/8/8/8/8/8/P~7/4K3[] w - - 0 1", "rank 2 has '~' behind no piece"),
    (CRAZYHOUSE, "4k3/8/8/8/8/8/8/4K~3[] w - - 0 1", "rank 1 has '~' behind no piece"),
    (CRAZYHOUSE, "4k3/8/8/8/8/8/8/Q~~3K3[] w - - 0 1", "rank 1 has '~' behind no piece"),
    (ATOMIC, "8/8/8/8/8/8/8/8 w - - 0 1", "no king on the board"),
    (ATOMIC, "4k3/8/8/8/8/8/8/4R1K1 w - - 0 1", "Black is in check and not to move"),
    (ATOMIC, "4k3/8/8/8/8/8/8/2KK4 w - - 0 1", "White has 2 kings"),
])
def test_fen_errors(rules: Rules, fen: str, complaint: str) -> None:
    with pytest.raises(FenError) as caught:
        parse_fen(rules, fen)
    message = str(caught.value)
    assert complaint in message and "\n" not in message and len(message) < 600


@pytest.mark.parametrize(("rules", "fen"), [
    (ATOMIC, "8/8/8/3kK3/8/8/8/8 w - - 0 1"),  # touching kings give no check
    (ATOMIC, "8/8/8/3kKr2/8/8/8/8 b - - 0 1"),
    (ATOMIC, "8/8/8/8/8/8/8/4K3 b - - 0 1"),  # a game that is over
    (ATOMIC, "8/8/8/8/8/8/8/r3K3 w - - 0 1"),
    (ATOMIC, "8/8/8/8/8/8/8/r3K3 b - - 0 1"),
    (NOCHECK, "4k3/8/8/8/8/8/8/4R1K1 w - - 0 1"),
    (NOCHECK, "4k3/8/8/8/8/8/8/8 b - - 0 1"),
    (CRAZYHOUSE, "4k3/8/8/8/8/8/8/Q~3K3[] b - - 0 1"),
])
def test_positions_a_game_knows(rules: Rules, fen: str) -> None:
    assert to_fen(rules, parse_fen(rules, fen)) == fen


@pytest.mark.parametrize(("fen", "move", "after"), [
    ("4k3/8/8/8/8/8/8/4K3[P] w - - 0 1", "P@a1", "4k3/8/8/8/8/8/8/P3K3[] b - - 1 1"),
    ("4k3/8/8/8/8/8/8/4K3[P] w - - 0 1", "P@h8", "4k2P/8/8/8/8/8/8/4K3[] b - - 1 1"),
    ("4k3/8/8/8/8/8/8/4K3[p] b - - 0 1", "P@a1", "4k3/8/8/8/8/8/8/p3K3[] w - - 1 2"),
    ("4k3/8/8/8/8/8/8/4K3[] w - - 10000 100000", "e1e2", "4k3/8/8/8/8/8/4K3/8[] b - - 10000 100000"),
    ("4k3/8/8/8/8/8/8/4K3[] b - - 10000 100000", "e8e7", "8/4k3/8/8/8/8/8/4K3[] w - - 10000 100000"),
])
def test_what_is_written_can_be_read(fen: str, move: str, after: str) -> None:
    """Pawns may be dropped on all ranks, and clocks run on."""
    rules = replace(CRAZYHOUSE, name="anywhere", board="", pawn_drops="")
    pos = parse_fen(rules, fen)
    pos = position_after(rules, pos, parse_move(rules, pos, move))
    assert to_fen(rules, pos) == after
    assert to_fen(rules, parse_fen(rules, after)) == after


def test_a_pawn_stands_where_it_may_be_dropped() -> None:
    first, last = (replace(CRAZYHOUSE, name="made", board="", pawn_drops=ranks) for ranks in ("last", "first"))
    parse_fen(first, "4k3/8/8/8/8/8/8/P3K3[] w - - 0 1")
    parse_fen(last, "P3k3/8/8/8/8/8/8/4K3[] w - - 0 1")
    for rules, fen in ((CRAZYHOUSE, "4k3/8/8/8/8/8/8/P3K3[]"), (first, "P3k3/8/8/8/8/8/8/4K3[]"),
                       (last, "4k3/8/8/8/8/8/8/P3K3[]")):
        with pytest.raises(FenError, match="has a pawn on a"):
            parse_fen(rules, fen)


def test_a_double_step_from_the_first_rank_passes_no_square() -> None:
    for fen, written in (("4k3/8/8/8/8/3pP3/8/8 b - e2 0 1", "4k3/8/8/8/8/3pP3/8/8 b - - 0 1"),
                         ("4k3/8/8/8/3pP3/8/8/8 b - e3 0 1", "4k3/8/8/8/3pP3/8/8/8 b - e3 0 1")):
        assert to_fen(HORDE, parse_fen(HORDE, fen)) == written == HORDE.board(fen).fen()


@pytest.mark.parametrize("size", [401, 10_000, 1_000_000])
@pytest.mark.parametrize("part", ["8", "/", "k", " ", "4k3/8/8/8/8/8/8/4K3 w ", "\0", "é"])
def test_huge_fen(size: int, part: str) -> None:
    with pytest.raises(FenError) as caught:
        parse_fen(CHESS, "x" + part * size)
    assert len(str(caught.value)) < 600


FIELDS = st.tuples(
    st.one_of(st.lists(st.text("pnbrqkPNBRQK12345678", max_size=9), min_size=7, max_size=9).map("/".join),
              st.sampled_from([START.split()[0], "r3k2r/8/8/2pP4/3Pp3/8/8/R3K2R", "4k3/8/8/8/8/8/8/4K3",
                               "8/8/8/3kK3/8/8/8/8"])),
    st.one_of(st.sampled_from("wb"), st.text(max_size=2)),
    st.one_of(st.text("KQkqAHBGahbg-", max_size=4), st.text(max_size=3)),
    st.one_of(st.sampled_from(["-", "d3", "e3", "c6", "d6"]), st.text("abcdefgh0123456789", max_size=3)),
    st.one_of(st.integers(-5, 20_000).map(str), st.text(max_size=3)),
    st.one_of(st.integers(-5, 200_000).map(str), st.text(max_size=3))).map(" ".join)


@pytest.mark.parametrize("rules", [CHESS, ATOMIC, NOCHECK], ids=lambda rules: rules.name)
@given(fen=st.one_of(FIELDS, st.text(max_size=60), st.text("pnbrqkPNBRQK12345678/ wb-KQkq", max_size=90)))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused(rules: Rules, fen: str) -> None:
    try:
        pos = parse_fen(rules, fen)
    except FenError as error:
        assert str(error) and "\n" not in str(error)
        return
    again = parse_fen(rules, to_fen(rules, pos))
    assert (again == pos).all() and to_fen(rules, again) == to_fen(rules, pos)
    assert (parse_fen(rules, to_fen(rules, pos, shredder=True)) == pos).all()
    for move in legal_moves(rules, pos):
        for chess960 in (False, True):
            assert parse_move(rules, pos, move_text(rules, pos, move, chess960)) == move


@given(text=st.one_of(st.text(max_size=12), st.text("abcdefgh12345678qrbnk", max_size=6)))
@settings(max_examples=300, deadline=None)
def test_any_move_text_is_read_or_refused(text: str) -> None:
    pos = parse_fen(CHESS, START)
    try:
        move = parse_move(CHESS, pos, text)
    except MoveError as error:
        assert "\n" not in str(error)
        return
    assert move_text(CHESS, pos, move) == text.strip().lower()


@pytest.mark.parametrize(("fen", "text", "plain", "chess960"), [
    (START, "e2e4", "e2e4", "e2e4"),
    (START, " g1f3\n", "g1f3", "g1f3"),
    (START, "E2E4", "e2e4", "e2e4"),
    ("4k3/P7/8/8/8/8/8/4K3 w - -", "a7a8n", "a7a8n", "a7a8n"),
    ("4k3/P7/8/8/8/8/8/4K3 w - -", "a7a8Q", "a7a8q", "a7a8q"),
    ("4k3/8/8/8/8/8/p7/4K3 b - -", "a2a1r", "a2a1r", "a2a1r"),
    ("4k3/8/8/8/Pp6/8/8/4K3 b - a3", "b4a3", "b4a3", "b4a3"),
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "e1g1", "e1g1", "e1h1"),
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "e1h1", "e1g1", "e1h1"),
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "e1a1", "e1c1", "e1a1"),
    ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq -", "e8c8", "e8c8", "e8a8"),
    ("4k3/8/8/8/8/8/8/R2K3R w KQ -", "d1h1", "d1h1", "d1h1"),  # from no orthodox square: king takes rook
    ("4k3/8/8/8/8/8/8/R2K3R w KQ -", "d1g1", "d1h1", "d1h1"),
    ("4k3/8/8/8/8/8/8/RK5R w KQ -", "b1c1", "b1c1", "b1c1"),  # a king's step, though castling ends there too
    ("4k3/8/8/8/8/8/8/RK5R w KQ -", "b1a1", "b1a1", "b1a1"),
])
def test_move_text(fen: str, text: str, plain: str, chess960: str) -> None:
    pos = parse_fen(CHESS, fen)
    move = parse_move(CHESS, pos, text)
    assert (move_text(CHESS, pos, move), move_text(CHESS, pos, move, chess960=True)) == (plain, chess960)


@pytest.mark.parametrize(("fen", "text"), [
    (START, "e2e5"), (START, ""), (START, "0000"), (START, "e2"), (START, "e2e4q"), (START, "e7e5"), (START, "O-O"),
    (START, "x" * 10_000), (START, "e2e4 e7e5"), (START, "\0\0\0\0"), (START, "e2\ne4"), ("4k3/P7/8/8/8/8/8/4K3 w - -", "a7a8"),
    ("4k3/P7/8/8/8/8/8/4K3 w - -", "a7a8k"), ("4k3/P7/8/8/8/8/8/4K3 w - -", "a7a8p"),
    ("r3k2r/8/8/8/8/8/8/R3K2R w kq -", "e1g1"), ("4kr2/8/8/8/8/8/8/R3K2R w KQ -", "e1g1"),
])
def test_move_errors(fen: str, text: str) -> None:
    pos = parse_fen(CHESS, fen)
    before = pos.copy()
    with pytest.raises(MoveError) as caught:
        parse_move(CHESS, pos, text)
    message = str(caught.value)
    assert repr(text[:30])[1:-1] in message and "\n" not in message and len(message) < 200
    assert isinstance(caught.value, EngineError) and (pos == before).all()


def test_moves_of_random_positions_read_back(dice: random.Random) -> None:
    for _ in range(20):
        board = chess.Board.from_chess960_pos(dice.randrange(960))
        for _ in range(dice.randrange(60)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(dice.choice(moves))
        pos = parse_fen(CHESS, board.shredder_fen())
        for move in board.legal_moves:
            assert move_text(CHESS, pos, parse_move(CHESS, pos, move.uci()), chess960=True) == move.uci()


def test_board_text() -> None:
    lines = board_text(CHESS, parse_fen(CHESS, START)).splitlines()
    assert len(lines) == 18 and len({len(line) for line in lines[:17:2]}) == 1
    assert [lines[row].replace(" ", "").replace("|", "") for row in (1, 15)] == ["rnbqkbnr8", "RNBQKBNR1"]
