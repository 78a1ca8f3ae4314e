"""Betza notation: what it says, worked by hand, and what cannot be read."""

from __future__ import annotations

import pytest

from engine.errors import RulesError
from engine.rules import Piece, Rules
from engine.rules.betza import parse
from engine.squares import square_name
from variants.boards.declared.walking import attacks, quiet

RULES = {notation: Rules(name="t", source="", pieces=(Piece("X", notation), Piece("R", "R"), Piece("K", "K", royal=True)),
                         start_fen="k7/8/8/8/8/8/8/K7 w - - 0 1", castling=False, pawn=None)
         for notation in ("t[FR]", "t[WB]", "nN", "NN", "gQ", "mRcpR", "nD", "fsRbK", "fhNsbWbF", "R2", "mNcB", "FvN")}


def names(squares: set[int]) -> set[str]:
    return {square_name(square) for square in squares}


@pytest.mark.parametrize(("notation", "start", "blocked", "expected"), [
    ("nN", "d4", "d5", "b3 b5 f3 f5 c2 e2"),  # a mao whose leg to the north is blocked
    ("NN", "a1", "", "b3 c5 d7 c2 e3 g4"),
    ("nD", "d4", "d5 c4", "d2 f4"),
    ("gQ", "d4", "d6 f4", "d7 g4"),
    ("mRcpR", "d4", "d6 d8", "d7 d8"),  # what a cannon attacks: behind one piece, up to the next
    ("fsRbK", "d4", "", "d5 d6 d7 d8 a4 b4 c4 e4 f4 g4 h4 d3 c3 e3"),  # the charging rook
    ("fhNsbWbF", "d4", "", "b5 f5 c6 e6 c4 e4 d3 c3 e3"),  # the charging knight
    ("FvN", "d4", "", "c3 c5 e3 e5 c6 e6 c2 e2"),  # the fibnif
    ("R2", "a1", "", "a2 a3 b1 c1"),
    ("t[WB]", "a1", "", "a2 b3 c4 d5 e6 f7 g8 b1 c2 d3 e4 f5 g6 h7")])
def test_attacks(notation: str, start: str, blocked: str, expected: str) -> None:
    square, walls = names_to_squares(start)[0], names_to_squares(blocked)
    assert names(attacks(RULES[notation], "X", 0, square, walls)) == set(expected.split())


def test_a_gryphon_stops_on_its_first_square_and_bends_outward() -> None:
    expected = {"b2", *(f"b{rank}" for rank in range(3, 9)), *(f"{file}2" for file in "cdefgh")}
    assert names(attacks(RULES["t[FR]"], "X", 0, 0, ())) == expected
    assert names(attacks(RULES["t[FR]"], "X", 0, 0, (9,))) == {"b2"}


def test_moves_and_captures_are_told_apart() -> None:
    assert names(quiet(RULES["mNcB"], "X", 0, 0, ())) == {"b3", "c2"}
    assert names(attacks(RULES["mNcB"], "X", 0, 0, (18,))) == {"b2", "c3"}


def test_black_is_turned_round() -> None:
    white, black = (names(attacks(RULES["fhNsbWbF"], "X", side, 27, ())) for side in (0, 1))
    assert "d3" in white and "d5" in black and "d5" not in white


@pytest.mark.parametrize(("notation", "part"), [
    ("xQ", "'x'"), ("", "''"), ("N?", "'?'"), ("Y", "'Y'"), ("t[RR]", "t[RR]"), ("nNN", "no range"), ("pN", "lines only"),
    ("npW", "contradicts"), ("RR", "'RR'"), ("t[FR", "'t[FR'"), ("iW", "'i'"), ("hN", "'hN' goes in no direction"),
    ("KhlN", "'hlN' goes in no direction"), ("R" + "9" * 5000, "the range '99999999999999999999'"),
    ("t[FR12345]", "the range '12345'")])
def test_what_cannot_be_read_is_named(notation: str, part: str) -> None:
    with pytest.raises(RulesError, match="Betza notation") as caught:
        parse(notation)
    assert part in str(caught.value) and len(str(caught.value)) < 200


def test_a_range_beyond_the_board_is_its_whole_length() -> None:
    assert parse("R9999") == parse("R") == parse("R0") and parse("t[FR9999]") == parse("t[FR]")


def names_to_squares(text: str) -> list[int]:
    return ["abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1) for name in text.split()]
