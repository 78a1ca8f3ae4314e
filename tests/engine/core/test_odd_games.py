"""The games beyond chess on the compiled rules: examples of the inventors' pages and sentences of the rules sheet, by name.

The same positions are put to the readable Boards in tests/variants/boards.
"""

from __future__ import annotations

import random

import pyffish
import pytest

from engine.errors import FenError, MoveError
from engine.game import Game, Outcome, Reason
from engine.rules import KEY
from search.analysis import analyse
from support.examples import SERIES
from support.games import twins_long

BISHOP_AND_KNIGHT = "8/8/4N3/8/4B3/8/4b3/8 w - - 0 1 e6/e2"
KING_AND_BISHOP = "6q1/8/6KB/8/8/8/8/8 w - - 0 1 g6/g8"
RAID = "K@d1 f7f6 e2e4 g7g5 a2a3 h7h6 d1h5"
WHITE_MATES = Outcome(0, Reason.CHECKMATE)


def game(name: str, fen: str | None = None, line: str = "") -> Game:
    """A game after a line of moves."""
    made = Game(name, fen)
    for text in line.split():
        made.push(text)
    return made


def moves(name: str, fen: str | None = None, line: str = "") -> set[str]:
    return set(game(name, fen, line).legal_moves())


def namings(fen: str, name: str = "ataturk") -> set[str]:
    return {text for text in moves(name, fen) if "@" in text}


def drives(fen: str, king: str, name: str = "madness-fide") -> set[str]:
    """Where the king on a square may be driven."""
    return {text[2:] for text in moves(name, fen) if text.startswith(king)}


# Ataturk Chess: the inventor's page


def test_royal_queen_on_h5_gives_no_check_across_an_attacked_square() -> None:
    start = game("ataturk", None, "K@d1 f7f6 e2e4 g7g5")
    assert "d1h5" in start.legal_moves()
    start.push("d1h5")
    assert not start.in_check()


def test_king_may_not_enter_f7_attacked_by_the_royal_queen() -> None:
    raided = game("ataturk", None, RAID)
    assert not raided.in_check() and "e8f7" not in raided.legal_moves()


def test_bishop_on_f7_defended_by_the_royal_queen_mates() -> None:
    mated = game("ataturk", None, RAID + " a7a6 f1c4 b7b6 c4f7")
    assert mated.outcome() == WHITE_MATES and mated.result() == "1-0" and not mated.legal_moves()


@pytest.mark.parametrize("square", ["a1", "b1", "g1", "h1"])
def test_dismissing_the_royal_queen_mates(square: str) -> None:
    assert game("ataturk", None, f"{RAID} a7a6 K@{square}").outcome() == WHITE_MATES


def test_royal_queen_on_g8_does_not_check_across_g7() -> None:
    position = game("ataturk", KING_AND_BISHOP)
    assert not position.in_check()
    position.push("K@h6")
    assert position.legal_moves() == ["g8h8"]
    position.push("g8h8")
    position.push("g6g7")
    assert position.outcome() == WHITE_MATES


@pytest.mark.parametrize("line", ["e6d4 e2f1 e4f5 f1g2 f5c8 g2h1 c8b7", "e6d4 e2f1 e4f5 f1g2 f5c8 g2f1 c8h3", "e6d4 e2d1 e4f3"])
def test_royal_bishop_is_mated(line: str) -> None:
    assert game("ataturk", BISHOP_AND_KNIGHT, line).outcome() == WHITE_MATES


def test_royal_bishop_is_mated_with_black_to_move() -> None:
    black = BISHOP_AND_KNIGHT.replace(" w ", " b ")
    assert game("ataturk", black, "e2d1 e6g5 d1e2 e4c2 e2f1 c2d1 f1g2 d1e2 g2h1 e2f3").outcome() == WHITE_MATES


# Ataturk Chess: the sheet


def test_title_goes_round_before_it_comes_back() -> None:
    fen = "4k3/p7/8/8/8/8/P7/1N1QK1NR w - - 0 1 d1e1/e8"
    assert namings(fen) == {"K@b1", "K@g1", "K@h1"}
    assert {text for text in moves("ataturk", fen, "K@b1 a7a6 K@g1 a6a5") if "@" in text} == {"K@h1"}
    whole = game("ataturk", fen, "K@b1 a7a6 K@g1 a6a5 K@h1 a5a4")
    assert whole.fen().split()[6] == "h1b1d1e1g1/e8"
    assert {text for text in whole.legal_moves() if "@" in text} == {"K@b1", "K@d1", "K@e1", "K@g1"}
    # only h1 has not held it: it is attacked, so it cannot be named, and a1 not before it
    assert namings("4k2r/8/8/8/8/8/8/N3K2R w - - 0 1 e1a1/e8") == set()


def test_captured_and_promoted_pieces_and_marks() -> None:
    assert {t for t in moves("ataturk", "4k3/8/8/8/8/2n5/8/1N2K2R b - - 0 1 e1h1/e8", "c3b1") if "@" in t} == {"K@h1"}
    promoted = game("ataturk", "7k/P7/8/8/8/8/8/1N2K3 w - - 0 1 e1b1/h8", "a7a8q h8h7")
    assert {text for text in promoted.legal_moves() if "@" in text} == {"K@a8"}
    marks = game("ataturk", "4k3/8/8/8/8/2n5/8/1N2K2R w - - 0 1 e1b1h1/e8", "h1h5")
    assert marks.fen().endswith(" e1b1h5/e8")
    marks.push("c3b1")
    assert marks.fen().endswith(" e1h5/e8")


def test_no_overthrow_while_in_check_or_into_check() -> None:
    assert namings("4k3/8/8/8/8/8/4r3/3QK2R w - - 0 1") == set()
    assert namings("4k2r/8/8/8/8/8/8/3QK2R w - - 0 1") == {"K@d1"}
    assert namings("3q4/8/8/8/8/8/8/K2N4 w - - 0 1 a1/d8") == set()  # nobody guards a square between d8 and d1
    assert namings("3q4/8/8/8/8/8/8/KN1N4 w - - 0 1 a1/d8") == {"K@b1", "K@d1"}  # the knight on b1 guards d2


def test_royal_pieces_neither_cross_nor_enter_attacked_squares() -> None:
    assert "b1e4" not in moves("ataturk", "4k3/8/8/8/4b3/8/8/KB6 w - - 0 1 b1/e8")
    assert "b1e4" in moves("ataturk", "4k3/8/8/8/4b3/8/8/KB6 w - - 0 1 a1/e8")
    assert game("ataturk", "4k3/8/8/8/4b3/8/8/KB6 w - - 0 1 b1/e8").in_check()
    guards = {"c3a2", "c3a4", "c3b1", "c3b5"}  # in the way, or attacking a3
    assert {text for text in moves("ataturk", "r7/8/8/8/8/2N5/7P/N7 w - - 0 1 a1/a8") if text.startswith("c3")} == guards


def test_royal_sliders_that_face_each_other_give_no_check_until_they_touch() -> None:
    apart = "r7/8/8/8/8/8/8/R7 w - - 0 1 a1/a8"
    assert not game("ataturk", apart).in_check() and moves("ataturk", apart) == {f"a1{file}1" for file in "bcdefgh"}
    assert game("ataturk", "8/8/8/8/8/8/r7/N7 w - - 0 1 a1/a2").in_check()
    with pytest.raises(FenError, match="Black is in check and not to move"):
        game("ataturk", "8/8/8/8/8/8/r7/R7 w - - 0 1 a1/a2")


@pytest.mark.parametrize(("name", "fen", "field"), [
    ("ataturk", "4k3/8/8/8/8/8/8/QQ2K3 w - -", "e1/e8"),
    ("ataturk", "1n2r2r/8/8/8/8/8/Q7/RB5Q w - -", "h1/e8"),
    ("ataturk", "1n2b2n/8/8/8/8/8/8/N6B w - -", "h1/e8"),
    ("ataturk", "1n5n/8/8/8/8/8/8/N6N w - -", "a1/b8"),
    ("ataturk", "4k3/8/8/8/8/8/8/RNBQK3 w - - 0 1 c1e1b1a1/e8", "c1a1b1e1/e8"),
    ("warmspit", "r2nk3/8/8/8/8/8/8/1B2K2R w - -", "h1/a8"),
    ("warmspit", "qq2k3/8/8/8/8/8/P6R/RN2K3 w - -", "a1/a8"),
    ("shatar", "7k/7p/8/8/8/8/7P/K7 w - -", "-"),
    ("shatar", "7k/7p/8/8/8/8/7P/K7 w - - 0 1 wb", "wb"),
])
def test_seventh_field_its_defaults_and_order(name: str, fen: str, field: str) -> None:
    assert game(name, fen).fen().split()[6] == field


# Castling


def test_only_a_titled_king_castles_and_keeps_the_right() -> None:
    castlings = {"e1g1", "e1c1"}
    deposed = game("ataturk", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1 e1a1h1/e8")
    assert castlings <= set(deposed.legal_moves())
    for text in ("K@a1", "e8e7"):
        deposed.push(text)
    assert not castlings & set(deposed.legal_moves()) and deposed.fen().split()[2] == "KQ"
    for text in ("K@e1", "e7f7", "e1g1"):
        deposed.push(text)
    assert deposed.fen() == "8/5k2/8/8/8/8/8/R4RK1 b - - 5 3 g1a1f1/f7"


@pytest.mark.parametrize(("name", "fen", "castlings"), [
    ("ataturk", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", {"e1g1", "e1c1"}),
    ("ataturk", "4k3/8/8/8/8/5n2/8/R3K2R w KQ - 0 1", set()),  # in check
    ("ataturk", "4k3/8/8/8/8/7n/8/R3K2R w KQ - 0 1", {"e1c1"}),  # h3 attacks g1
    ("ataturk", "1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", {"e1g1", "e1c1"}),  # only the rook crosses b1
    ("ataturk", "3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1", {"e1g1"}),
    ("ataturk", "4k3/8/8/8/8/3q4/8/R3K2R w KQ - 0 1 e1/d3", set()),  # a royal queen's attack counts
    ("ataturk", "8/4q3/8/8/8/8/8/R3K2R w KQ - 0 1 e1/e7", {"e1g1", "e1c1"}),  # but across e2 she gives no check
    ("warmspit", "1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1 h1/b8", {"e1g1", "e1c1"}),
    ("warmspit", "1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1 a1/b8", {"e1g1"}),  # the royal rook would cross b1
    ("warmspit", "3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1 h1/d8", {"e1g1"}),
    ("warmspit", "r3k3/8/8/8/8/8/8/R3K2R w KQ - 0 1 a1/a8", {"e1g1", "e1c1"}),  # a8 may not cross a2 ... a7: no check
    ("warmspit", "r3k1n1/8/8/8/8/8/8/R3K2R w KQ - 0 1 a1/g8", set()),  # the vice-king is in check
    ("shatar", "r3k2r/p7/8/8/8/8/P7/R3K2R w KQkq - 0 1", set()),
    ("madness-fide", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", set()),
    ("ascending", "3r1r1k/8/8/8/8/8/8/R3K2R w KQ - 0 1", {"e1g1", "e1c1"}),  # through attack
    ("ascending", "4r2k/8/8/8/8/8/8/R3K2R w KQ - 0 1", {"e1g1", "e1c1"}),  # across squares on which the king could be captured
])
def test_castling(name: str, fen: str, castlings: set[str]) -> None:
    assert moves(name, fen) & {"e1g1", "e1c1"} == castlings


def test_castling_of_a_king_off_its_square_and_of_a_titled_rook() -> None:
    fen = "4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1 f1a1/e8"
    assert {"f1h1", "f1a1"} <= moves("ataturk", fen)
    assert game("ataturk", fen, "f1a1").fen() == "4k3/8/8/8/8/8/8/2KR3R b - - 1 1 c1d1/e8"
    rook = game("warmspit", "4k2r/7p/8/8/8/8/8/R3K2R w KQ - 0 1 a1h1/h8", "e1c1")
    assert rook.fen().endswith("2KR3R b - - 1 1 d1h1/h8")


# Warm Spit Chess


def test_either_royal_in_check_is_check() -> None:
    assert game("warmspit", "r3k3/8/8/b7/8/8/3Q4/4K3 w - - 0 1 d2/a8").in_check()
    assert game("warmspit", "r3k3/8/8/8/7b/8/3Q4/4K3 w - - 0 1 d2/a8").in_check()
    assert not game("warmspit", "r3k3/8/8/8/8/7b/3Q4/4K3 w - - 0 1 d2/a8").in_check()


def test_a_vice_king_is_mated() -> None:
    mated = game("warmspit", "n6k/8/3P4/P7/8/8/4B3/R3K3 w - - 0 1 a1/a8", "e2f3")
    assert mated.outcome() == WHITE_MATES and mated.in_check()


def test_the_king_is_never_named_vice_king() -> None:
    assert namings("4k2r/8/8/8/8/8/8/N3K2R w - - 0 1 h1a1/h8", "warmspit") == {"K@a1"}


# Shatar


def test_the_opening_is_obligatory() -> None:
    start = game("shatar")
    for text in ("d2d4", "d7d5"):
        assert start.legal_moves() == [text]
        start.push(text)
    assert len(start.legal_moves()) == 20
    assert len(moves("shatar", "rnbjkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBJKBNR w - - 0 2")) == 20


def test_berse_letters_and_promotion() -> None:
    start = game("shatar").fen()
    assert game("shatar", start.replace("J", "Q").replace("j", "q")).fen() == start and "J" in start
    fen = "1r5k/P6p/8/8/8/8/8/K7 w - - 0 1"
    assert {text for text in moves("shatar", fen) if text.startswith("a7")} == {"a7a8j", "a7b8j"}
    promoted = {game("shatar", fen, text).fen() for text in ("a7b8q", "a7b8j", "A7B8Q")}
    assert promoted == {"1J5k/7p/8/8/8/8/8/K7 b - - 0 1 w"}
    for wrong in ("a7b8", "a7b8r"):
        with pytest.raises(MoveError, match=wrong):
            game("shatar", fen, wrong)


def test_berse_moves_as_a_rook_or_one_square_diagonally() -> None:
    lines = {f"d{rank}" for rank in "1235678"} | {f"{file}4" for file in "abcefgh"}
    fen = "7k/7p/8/8/3J4/8/8/K7 w - - 0 1 -"
    assert {text[2:] for text in moves("shatar", fen) if text.startswith("d4")} == lines | {"c3", "c5", "e3", "e5"}
    assert not game("shatar", "7k/7p/8/8/3j4/8/8/K6R w - - 0 1 -").in_check()
    assert game("shatar", "7k/7p/8/8/8/8/1j6/K6R w - - 0 1 -").in_check()


@pytest.mark.parametrize(("fen", "move", "mark"), SERIES)
def test_marks_of_the_series(fen: str, move: str, mark: str) -> None:
    assert game("shatar", fen, move).fen().split()[6] == mark


def test_knight_may_not_mate() -> None:
    assert "e5f7" not in moves("shatar", "7k/p4p2/7K/4N3/8/8/8/6R1 w - - 0 1")
    assert "g5f7" not in moves("shatar", "6rk/6pp/8/6N1/8/8/5PPP/6KR w - - 0 1 -")  # smothered
    # the one capture of the checking knight would mate in turn, so it is no reply
    assert "d5c7" not in moves("shatar", "kr1NKB2/pp1PPP2/8/1n1N4/8/8/8/8 w - - 0 1 -")


@pytest.mark.parametrize(("fen", "line", "end"), [
    ("7k/5p2/7K/4N3/8/8/8/6R1 w - - 0 1", "e5f7", Outcome(None, Reason.ROBADO)),  # a knight's capture that also mates
    ("7k/6p1/8/8/8/8/6R1/K7 w - - 0 1 -", "g2g7", Outcome(None, Reason.ROBADO)),
    ("7k/6p1/8/8/8/8/6R1/K7 b - - 0 1 -", "g7g6 g2g6", Outcome(None, Reason.ROBADO)),
    ("7k/5K1p/8/8/8/8/8/2B5 w - - 0 1 -", "c1b2", Outcome(None, Reason.NIOL)),  # a tuk alone
    ("7k/5K1p/8/8/8/8/8/2B5 w - - 0 1 b", "c1b2", Outcome(None, Reason.NIOL)),  # the other side's mark helps nothing
    ("7k/5K1p/8/8/8/8/8/2B5 w - - 0 1 w", "c1b2", WHITE_MATES),  # a tuk after a shak
    ("7k/6pp/8/8/8/8/8/KR6 w - - 0 1", "b1b8", WHITE_MATES),  # a shak
    ("kr6/7p/8/8/8/8/PP6/1R4K1 b - - 0 1 w", "b8b2 b1b2", None),
    ("7k/5K1p/7P/8/8/8/8/8 b - - 0 1", "", Outcome(None, Reason.STALEMATE)),
])
def test_ends_of_shatar(fen: str, line: str, end: Outcome | None) -> None:
    ended = game("shatar", fen, line)
    assert ended.outcome() == end
    assert bool(ended.legal_moves()) == (end is None)


def pyffish_games(count: int) -> int:
    """Random games beside Fairy-Stockfish, which knows a knight's mate as legal and losing; returns how often it did."""
    extra = 0
    for seed in range(count):
        chance = random.Random(seed)
        ours = game("shatar", None, "d2d4 d7d5")
        while ours.outcome() is None and len(ours.moves) < 160:
            listed = set(ours.legal_moves())
            theirs = set(pyffish.legal_moves("shatar", " ".join(ours.fen().split()[:6]), []))
            assert listed <= theirs, ours.fen()
            for text in theirs - listed:
                extra += 1
                after = pyffish.get_fen("shatar", " ".join(ours.fen().split()[:6]), [text]) + " -"
                mated = game("shatar", after)
                assert mated.in_check() and not mated.legal_moves(), (ours.fen(), text)
            ours.push(chance.choice(sorted(listed)))
    return extra


def test_agrees_with_fairy_stockfish() -> None:
    pyffish_games(20)
    fen = "7k/p4p2/7K/4N3/8/8/8/6R1 w - - 0 1"
    assert set(pyffish.legal_moves("shatar", fen, [])) - moves("shatar", fen) == {"e5f7"}


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_agrees_with_fairy_stockfish_in_many_games() -> None:
    print(f"\nknight mates seen: {pyffish_games(1000)}")


# Madness of Kings: the sheet's rules by number


def test_madness_1_the_opponent_moves_the_king_two_squares() -> None:
    assert drives("8/8/8/3k4/8/8/8/K7 w - - 0 1", "d5") == {"b3", "b5", "b7", "d3", "d7", "f3", "f5", "f7"}
    own = {text for text in moves("madness-fide", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1") if text.startswith("e1")}
    assert own == {"e1d1", "e1d2", "e1e2", "e1f1", "e1f2"}
    for man in "Pn":
        assert "c3" not in drives(f"7k/8/8/8/8/8/1{man}6/K7 b - - 0 1", "a1")  # the first square is taken
    assert game("madness-fide", "6k1/8/8/8/8/8/8/4K2R b K - 3 9", "e1g1").fen() == "6k1/8/8/8/8/8/8/6KR w - - 4 10"


def test_madness_2_driven_it_captures_its_own_men_only() -> None:
    assert "c3" in drives("7k/8/8/8/8/2P5/8/K7 b - - 0 1", "a1")
    assert "c3" not in drives("7k/8/8/8/8/2n5/8/K7 b - - 0 1", "a1")
    driven = game("madness-fide", "7k/8/8/8/8/2P5/8/K7 b - - 7 30", "a1c3")
    assert driven.fen() == "7k/8/8/8/8/2K5/8/8 w - - 0 31"


def test_madness_3_the_movers_king_must_not_be_in_check() -> None:
    assert drives("8/8/8/8/r2k3K/8/8/8 w - - 0 1", "d4") == {"b4", "f4"}  # the other king shields White's from the rook


def test_madness_4_driven_into_check_but_not_into_mate() -> None:
    assert game("madness-fide", "8/8/8/3k4/8/8/8/K4R2 w - - 0 1", "d5f5").in_check()
    assert "a6" in drives("8/8/2k5/8/1R6/8/8/KR6 w - - 0 1", "c6")
    assert "a8" not in drives("2k5/8/8/8/R7/8/8/1R5K w - - 0 1", "c8")
    # on h5 the one reply is to drive the other king in between
    assert moves("madness-fide", "8/6K1/8/1Q6/1Q6/5k2/8/8 w - - 0 1", "f3h5") == {"g7e5"}


@pytest.mark.parametrize("fen", [
    "8/8/4QBpq/4B3/8/3K3k/6b1/8 b - - 0 1", "8/6q1/2bK4/2B1p3/5p2/2QB4/b5pp/6kr b - - 0 1",
    "5K1k/3qp3/6Bn/4B1R1/8/8/8/8 b - - 0 1", "4k1K1/3q4/1rB2Q2/4R3/8/8/8/8 b - - 0 1",
    "K1k5/3p1N2/pP6/2RP1n2/8/8/8/8 b - - 0 1", "8/8/2r5/r7/1k1K4/p7/P7/BR1B4 b - - 0 1",
])
def test_madness_4_where_every_reply_would_mate_the_game_is_won(fen: str) -> None:
    over = game("madness-fide", fen)
    assert over.in_check() and not over.legal_moves() and over.outcome() == WHITE_MATES


def test_madness_5_kings_never_touch() -> None:
    assert "d3" not in drives("8/8/8/3k4/8/8/3K4/8 w - - 0 1", "d5") | drives("8/8/8/3k4/8/8/4K3/8 w - - 0 1", "d5")
    assert not moves("madness-fide", "8/8/8/3k4/8/3K4/8/8 w - - 0 1") & {"d3d4", "d3c4", "d3e4"}


def test_madness_6_driving_is_a_way_out_of_check() -> None:
    assert "e3" in drives("8/8/8/8/8/K3r1k1/8/8 w - - 0 1", "g3")  # onto its own checking piece
    assert "a4" in drives("r7/8/8/8/2k5/8/8/K7 w - - 0 1", "c4")  # into the line
    assert game("madness-fide", "7k/5ppp/8/8/8/8/8/KR6 w - - 0 1", "b1b8").outcome() == WHITE_MATES
    assert moves("madness-fide", "7k/5ppp/3K4/8/8/8/8/1R6 w - - 0 1", "b1b8") == {"d6b8", "d6d8", "d6f8"}


@pytest.mark.parametrize(("name", "fen", "square", "targets"), [
    ("madness", "k7/8/8/8/4P3/8/8/7K w - - 0 1", "e4", "d5"),
    ("madness", "k7/8/8/3nnn2/3nPn2/8/8/7K w - - 0 1", "e4", "d4 e5"),
    ("madness", "k7/8/8/8/4p3/8/8/7K b - - 0 1", "e4", "f3"),
    ("madness", "k7/8/8/3NNN2/3NpN2/3NNN2/8/7K b - - 0 1", "e4", "e3 f4"),
    ("madness", "7k/8/8/8/8/8/1P6/7K w - - 0 1", "b2", "a3q a3r a3b a3n"),
    ("madness", "3k4/7P/8/8/8/8/8/7K w - - 0 1", "h7", "g8q g8r g8b g8n"),
    ("madness", "k7/8/8/8/8/6p1/8/1K6 b - - 0 1", "g3", "h2q h2r h2b h2n"),
    ("madness-legan", "7k/8/8/8/8/8/1P6/7K w - - 0 1", "b2", "a3"),
    ("madness-legan", "8/5P2/7k/8/8/8/8/7K w - - 0 1", "f7", "e8"),
    ("madness-legan", "7k/8/8/p7/P7/8/8/7K w - - 0 1", "a4", "a5q a5r a5b a5n"),
    ("madness-legan", "5P2/8/7k/8/8/8/8/7K w - - 0 1", "f8", ""),
    ("madness-fide", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5", "e6 d6"),
    ("madness-fide", "4k3/8/8/8/8/8/4P3/1K6 w - - 0 1", "e2", "e3 e4"),
])
def test_madness_7_pawns_and_zones(name: str, fen: str, square: str, targets: str) -> None:
    assert {text[2:] for text in moves(name, fen) if text.startswith(square)} == set(targets.split())


def test_madness_7_arrays() -> None:
    assert game("madness").fen() == "krbp4/rqnp4/nbpp4/pppp4/4PPPP/4PPBN/4PNQR/4PBRK w - - 0 1"
    assert game("madness-legan").fen() == "knbrp3/bqpp4/npp5/rp1p3P/p3P1PR/5PPN/4PPQB/3PRBNK w - - 0 1"
    assert moves("madness-legan", "knbrp3/bqpp4/npp5/rp5P/p5PR/5PPN/4PPQB/3PRBNK w - - 0 1")
    assert game("madness", "8/8/8/4k3/4P3/8/8/7K b - - 0 1").in_check()
    assert not game("madness", "8/8/8/3k4/4P3/8/8/7K b - - 0 1").in_check()


# Ascending the Throne


def test_ascending_there_is_no_check() -> None:
    position = game("ascending", "4r2k/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    assert not position.in_check() and {"e1e2", "a1b1"} <= set(position.legal_moves())


def test_ascending_one_heir_follows_with_the_capture() -> None:
    crowned = game("ascending", "3qk2r/8/8/8/8/8/8/K3R3 w - - 0 1", "e1e8")
    assert crowned.fen() == "3kR2r/8/8/8/8/8/8/K7 b - - 0 1"
    assert "d8e8" in crowned.legal_moves() and "d8d1" not in crowned.legal_moves()


@pytest.mark.parametrize(("men", "heirs"), [
    ("qq2k2r", "a8 b8"), ("rrb1k3", "a8 b8"), ("1bb1k1n1", "b8 c8"), ("1n2k1n1", "b8 g8"),
])
def test_ascending_order_of_ranks_and_choice(men: str, heirs: str) -> None:
    choice = game("ascending", f"{men}/8/8/8/8/8/4R3/K7 w - - 0 1", "e2e8")
    assert choice.outcome() is None and choice.fen().startswith(men.replace("k", "R"))
    assert {text[:5] for text in choice.legal_moves()} == {f"K@{name}," for name in heirs.split()}
    assert set(game("ascending", choice.fen()).legal_moves()) == set(choice.legal_moves())


def test_ascending_the_choice_is_folded_into_the_move() -> None:
    fen, line = "r3k2r/4p3/8/8/8/8/8/K3R3 w kq - 0 1", "e1e7 a8b8 e7e8"
    listed = moves("ascending", fen, line)
    assert {"K@b8,b8b7", "K@b8,h8h1", "K@h8,b8b1", "K@h8,h8h7"} <= listed
    assert not {"K@b8,b8b1", "K@h8,h8h1", "b8b1", "h8h1"} & listed
    assert game("ascending", fen, line + " K@h8,b8e8").fen() == "4r2k/8/8/8/8/8/8/K7 w - - 0 3"
    assert game("ascending", fen, line + " K@b8,b8a7").fen() == "4R2r/k7/8/8/8/8/8/K7 w - - 1 3"


def test_ascending_forms_of_the_choice() -> None:
    fen = "r6r/4p3/8/8/8/8/8/K3R3 b - - 0 1"
    for text in ("e7e5", "K@a8,e7e5", "k@a8,e7e5"):
        assert game("ascending", fen, text).fen() == "k6r/8/8/4p3/8/8/8/K3R3 w - - 0 2"
    assert game("ascending", fen, "a8a7").fen() == game("ascending", fen, "K@a8,a8a7").fen() == \
        "7r/k3p3/8/8/8/8/8/K3R3 w - - 1 2"
    assert game("ascending", "7k/8/8/8/8/8/4P3/R6R w - - 0 1", "e2e4").fen().startswith("7k/8/8/8/4P3/8/8/K6R b")
    for wrong in ("K@e7,e7e5", "K@a8", "K@b8,e7e5", "K@a8,a8a1"):
        with pytest.raises(MoveError, match=wrong):
            game("ascending", fen, wrong)


def test_ascending_fen_without_the_movers_king() -> None:
    assert game("ascending", "3q3r/8/8/8/8/8/8/K3R3 b kq - 0 1").fen() == "3k3r/8/8/8/8/8/8/K3R3 b - - 0 1"
    assert game("ascending", "4q2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1").fen() == "4k2r/8/8/8/8/8/8/R3K2R b KQ - 0 1"


def test_ascending_rights_end_with_the_king() -> None:
    assert game("ascending", "r2qk2r/8/8/8/8/8/8/K3R3 w kq - 0 1", "e1e8").fen() == "r2kR2r/8/8/8/8/8/8/K7 b - - 0 1"


def test_ascending_lost_without_an_heir() -> None:
    lost = game("ascending", "4k3/3ppp2/8/8/8/8/8/K3Q3 w - - 0 1", "e1e7 e8d8 e7d8")
    assert lost.outcome() == Outcome(0, Reason.NO_HEIR) == game("ascending", lost.fen()).outcome() and not lost.legal_moves()
    kings = game("ascending", "8/8/8/3kn3/3K4/8/8/8 w - - 0 1", "d4d5")
    assert kings.fen() == "8/8/8/3Kk3/8/8/8/8 b - - 0 1"
    kings.push("e5d5")
    assert kings.outcome() == Outcome(1, Reason.NO_HEIR)
    stalemate = game("ascending", "KBN1n3/PPPpP3/1P1P4/8/8/8/8/7k w - - 0 1")
    assert stalemate.outcome() == Outcome(None, Reason.STALEMATE)


# State: texts, undoing, keys, repetition


def test_forms_of_naming() -> None:
    assert len({game("ataturk", None, text).fen() for text in ("K@d1", "d1d1", "k@d1", "K@D1")}) == 1
    for name, wrong in map(str.split, ("ataturk K@e1", "ataturk K@d2", "warmspit K@d1", "madness K@d1", "shatar d1d1")):
        with pytest.raises(MoveError, match=wrong):
            game(name, None, wrong)


@pytest.mark.parametrize("name", twins_long(
    ["shatar", "ataturk", "warmspit", "madness", "madness-legan", "madness-fide", "ascending"]))
def test_pop_restores_the_position(name: str, dice: random.Random) -> None:
    played = Game(name)
    words = [played.pos.copy()]
    while played.legal_moves() and len(played.moves) < 60:
        played.push(dice.choice(played.legal_moves()))
        words.append(played.pos.copy())
    analyse(played, depth=2)
    for before in reversed(words[:-1]):
        played.pop()
        assert (played.pos == before).all()


@pytest.mark.parametrize(("name", "fen", "fields"), [
    ("ataturk", "4k3/8/8/8/8/8/8/RN2K3 w - - 0 1 ", ["e1/e8", "a1/e8", "a1e1/e8", "b1a1e1/e8", "e1a1/e8"]),
    ("warmspit", "r3k2n/8/8/8/8/8/8/RN2K3 w - - 0 1 ", ["b1/h8", "b1a1/h8", "b1/h8a8", "a1b1/h8"]),
    ("shatar", "7k/7p/8/8/8/8/7P/K7 w - - 0 1 ", ["-", "w", "b", "wb"]),
])
def test_positions_that_differ_in_the_seventh_field_only(name: str, fen: str, fields: list[str]) -> None:
    keys = [int(game(name, fen + field).pos[KEY]) for field in fields]
    assert len(set(keys)) == len(fields)
    for field, key in zip(fields, keys, strict=True):
        assert game(name, game(name, fen + field).fen()).pos[KEY] == key


def test_repetition_counts_the_seventh_field() -> None:
    fen = "4k3/8/8/8/8/8/8/N3K3 w - - 0 1 e1a1/e8"
    there = "K@a1 e8d8 K@e1 d8e8 K@a1 e8d8 K@e1"
    assert game("ataturk", fen, there).outcome() is None
    assert game("ataturk", fen, there + " d8e8").outcome() == Outcome(None, Reason.REPETITION)
    others = "K@a1 e8d8 K@h1 d8e8 K@a1 e8d8 K@e1 d8e8"
    assert game("ataturk", "4k3/8/8/8/8/8/8/N3K2N w - - 0 1 e1a1h1/e8", others).outcome() is None
    marked = "7k/7p/8/8/8/8/7P/KR6 w - - 0 1 "
    shuffle = "b1c1 h8g8 c1b1 g8h8"
    assert game("shatar", marked + "-", f"{shuffle} {shuffle}").outcome() == Outcome(None, Reason.REPETITION)
    assert game("shatar", marked + "w", f"{shuffle} {shuffle}").outcome() is None  # the mark was there but the first time


def test_fifty_moves_naming_included() -> None:
    fifty = game("ataturk", "4k3/8/8/8/8/8/8/N3K3 w - - 99 80 e1a1/e8", "K@a1")
    assert fifty.outcome() == Outcome(None, Reason.FIFTY_MOVES)
    assert game("madness-fide", "7k/8/8/8/8/8/8/KR6 w - - 99 80", "h8f8").outcome() == Outcome(None, Reason.FIFTY_MOVES)


# Search


@pytest.mark.parametrize(("name", "fen", "line", "depth", "mate", "first"), twins_long([
    ("ataturk", BISHOP_AND_KNIGHT, "", 10, 4, ""),
    ("ataturk", BISHOP_AND_KNIGHT.replace(" w ", " b "), "e2d1", 10, 4, "e4f5"),
    ("ataturk", KING_AND_BISHOP, "", 7, 2, "K@h6"),
    ("ataturk", KING_AND_BISHOP, "K@h6 g8h8", 2, 1, "g6g7"),
    ("ataturk", None, RAID + " a7a6", 2, 1, "K@"),
    ("ataturk", None, RAID + " a7a6 f1c4 b7b6", 2, 1, ""),
    ("warmspit", "n6k/8/3P4/P7/8/8/4B3/R3K3 w - - 0 1 a1/a8", "", 2, 1, "e2f3"),
    ("shatar", "7k/5K1p/8/8/8/8/8/R1B5 w - - 0 1 -", "", 2, 1, "a1a8"),  # c1b2 would be niol
    ("shatar", "7k/5K1p/8/8/8/8/8/2B5 w - - 0 1 w", "", 2, 1, "c1b2"),
    ("madness-fide", "4k1K1/3q4/1rB2Q2/7R/8/8/8/8 w - - 0 1", "", 2, 1, ("f6f8", "h5e5")),  # h5e5: the one reply would mate
    ("madness-fide", "8/8/2rk4/r7/3K4/p7/P7/BR1B4 w - - 0 1", "", 2, 1, "d6b4"),  # driven there: likewise
    ("madness-fide", "8/2R5/1R6/k4K2/4R3/5N2/8/8 w - - 0 1", "", 5, 2, "a5c3"),
    ("madness-fide", "2k5/8/3K1Q2/4R3/3n4/7n/8/8 w - - 0 1", "", 5, 2, "c8e8"),
    ("madness-fide", "8/4N3/8/4k3/8/Q7/K2B4/2Q5 w - - 0 1", "", 5, 2, ("c1c6", "e5c3", "e5c5")),
    ("ascending", "3k4/3pQp2/8/8/8/8/8/K7 w - - 0 1", "", 2, 1, "e7d8"),
]))
def test_mates_found(name: str, fen: str | None, line: str, depth: int, mate: int, first: str | tuple[str, ...]) -> None:
    """first: how the best move begins; a tuple where the Boards find several moves that mate as soon."""
    position = game(name, fen, line)
    best = analyse(position, depth=depth)[0]
    assert best.mate == mate and best.moves[0].startswith(first)
    winner = position.turn
    for text in best.moves:
        position.push(text)
    end = position.outcome()
    assert len(best.moves) == 2 * mate - 1 and end is not None and end.winner == winner


@pytest.mark.parametrize("marks", ["-", "b"])
def test_a_niol_is_no_win(marks: str) -> None:
    drawn = analyse(game("shatar", f"7k/5K1p/8/8/8/8/8/2B5 w - - 0 1 {marks}"), depth=4)[0]
    assert drawn.mate is None and drawn.score == 0, "whatever the bishop does, it cannot win"
    best = analyse(game("shatar", f"7k/5K1p/8/8/8/8/P7/2B5 w - - 0 1 {marks}"), depth=4)[0]
    assert best.mate is None and best.moves[0] != "c1b2", "with a pawn there is something to win"


# Bad input


@pytest.mark.parametrize(("name", "fen", "words"), [
    ("ataturk", "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 d4e1/e8", "field 7 'd4e1/e8': 'd4' is empty"),
    ("ataturk", "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 e1a2/e8", "field 7 'e1a2/e8': 'a2' is a pawn"),
    ("ataturk", "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 e1a1e1/e8", "field 7 'e1a1e1/e8': 'e1' is named twice"),
    ("ataturk", "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 e8/e1", "field 7 'e8/e1': 'e8' is not White's"),
    ("ataturk", "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 e1/e8a1", "field 7 'e1/e8a1': 'a1' is not Black's"),
    ("ataturk", "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 e1/e9", "field 7 'e1/e9': 'e9' is not a square"),
    ("ataturk", "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 e1a/e8", "field 7 'e1a/e8': 'a' is not a square"),
    ("ataturk", "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 e1", "field 7 'e1' is not white/black"),
    ("ataturk", "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 e1/e8/", "field 7 'e1/e8/' is not white/black"),
    ("ataturk", "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 e1/", "field 7 'e1/' names no title holder of Black"),
    ("ataturk", "4k3/8/8/8/8/8/P7/R3K3 w - - 0 1 /e8", "field 7 '/e8' names no title holder of White"),
    ("ataturk", "4k3/8/8/8/8/8/P7/8 w - - 0 1", "White has no piece to hold its title"),
    ("ataturk", "4k3/8/8/8/8/8/8/K3K3 w - - 0 1", "White has 2 kings"),
    ("warmspit", "4k2r/8/8/8/8/8/8/4K2R w - - 0 1 e1/h8", "field 7 'e1/h8': 'e1' is royal without a title"),
    ("warmspit", "4k2r/8/8/8/8/8/8/4K3 w - - 0 1", "White has no piece to hold its title"),
    ("warmspit", "4r2r/8/8/8/8/8/8/4K2B w - - 0 1", "Black has no king"),
    ("shatar", "7k/7p/8/8/8/8/7P/K7 w - - 0 1 bw", "field 7 'bw' is none of -, w, b, wb"),
    ("shatar", "7k/7p/8/8/8/8/7P/K7 w - - 0 1 e1/e8", "field 7 'e1/e8' is none of -, w, b, wb"),
    ("shatar", "k6k/7p/8/8/8/8/7P/K7 w - - 0 1", "Black has 2 kings"),
    ("shatar", "7j/7p/8/8/8/8/7P/K7 w - - 0 1", "Black has no king"),
    ("madness", "7k/8/8/8/8/8/8/8 w - - 0 1", "White has no king"),
    ("madness-legan", "7k/8/8/8/8/8/8/K6K w - - 0 1", "White has 2 kings"),
    ("madness-fide", "7k/8/8/8/8/8/8/K7 w - - 0 1 -", "field 7 '-': madness-fide has no seventh field"),
    ("ascending", "7k/8/8/8/8/8/8/K7 w - - 0 1 a1/h8", "field 7 'a1/h8': ascending has no seventh field"),
    ("ascending", "3qk2r/8/8/8/8/8/8/4R3 b - - 0 1", "White has no king and is not to move"),
    *((name, "7k/7p/8/8/8/8/7P/K7 w - - 0 1 - -", "FEN has 8 fields, seven at most: '-'")
      for name in ("shatar", "ataturk", "warmspit", "madness-fide", "ascending")),
])
def test_a_bad_fen_says_which_field_and_why(name: str, fen: str, words: str) -> None:
    with pytest.raises(FenError) as caught:
        Game(name, fen)
    assert str(caught.value).startswith(words)
