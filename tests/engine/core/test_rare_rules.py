"""Corners of the rules that random games hardly ever reach, played by hand; tests/mutants/list.toml has the faults."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import variants
from engine.core.legality import count_kernel
from engine.game import Game, Outcome, Reason
from engine.rules import FIDE_PIECES, Piece, Rules
from search.analysis import analyse
from variants.boards.declared import declared_board


def made(base: str, **changes: Any) -> Rules:
    """A game with other rules than those of `base`."""
    return replace(variants.find(base), name="made", board="", **changes)


def agrees(rules: Rules, fen: str) -> set[str]:
    """The legal moves, which the Board of the declaration has, too, and which the counting code counts."""
    position, board = Game(rules, fen), declared_board(rules)(fen)
    moves = position.legal_moves()
    assert sorted(moves) == sorted(move.uci() for move in board.legal_moves) and position.fen() == board.fen()
    assert count(position) == len(moves)
    return set(moves)


def count(position: Game) -> int:
    """The number of legal moves, by the counting code."""
    return int(count_kernel(position.rules, position.pos, np.empty(position.rules.traits.max_moves, np.uint32)))


def game(name: str, fen: str, *line: str) -> Game:
    """A game after a line of moves."""
    made = Game(name, fen)
    for text in line:
        made.push(text)
    return made


@pytest.mark.parametrize(("fen", "kept"), [
    ("8/8/8/8/k2pP2Q/8/8/3K4 b - e3 0 1 d1/a4", False),  # both pawns would leave the rank of Black's king
    ("8/8/8/8/k2pP2N/8/8/3K4 b - e3 0 1 d1/a4", True),
    ("k7/8/8/8/3pP3/8/5K2/8 b - e3 0 1 f2/a8", True),  # a capture that gives check
])
def test_en_passant_of_titled_men(fen: str, kept: bool) -> None:
    position = game("ataturk", fen)
    assert ("d4e3" in position.legal_moves(), position.fen() == fen) == (kept, kept)


def test_an_untitled_king_is_captured_with_its_rights() -> None:
    taken = game("ataturk", "r3k2r/8/8/8/8/8/8/4RK2 w kq - 0 1 f1/a8", "e1e8")
    assert taken.fen() == "r3R2r/8/8/8/8/8/8/5K2 b - - 0 1 f1/a8"


def test_a_capture_that_bares_the_king_is_a_reply() -> None:
    """The smothered king's only reply is to capture the knight on c2. It leaves White a bare king, and mated."""
    drawn = game("shatar", "1r4b1/8/8/8/3n4/N7/3ppp2/K2nkb2 w - - 0 1 -", "a3c2")
    assert drawn.in_check() and drawn.legal_moves() == ["d4c2"]
    drawn.push("d4c2")
    assert drawn.outcome() == Outcome(None, Reason.ROBADO)


def test_a_knight_and_another_may_mate_together() -> None:
    assert game("shatar", "6rk/7p/8/4N3/8/8/1B6/K7 w - - 0 1 -", "e5f7").outcome() == Outcome(0, Reason.CHECKMATE)
    assert "e5f7" not in game("shatar", "6rk/6pp/8/4N3/8/8/1B6/K7 w - - 0 1 -").legal_moves()  # the pawn on g7 stops the bishop


def test_only_a_double_step_leaves_a_passed_square() -> None:
    """In shatar the berse's pawn alone has one."""
    for name, fen, kept in (
        ("shatar", "7k/8/8/8/3pP3/8/8/K7 b - e3 0 1 -", False), ("shatar", "7k/8/8/8/3Pp3/8/8/K7 b - d3 0 1 -", True),
        ("chess", "7k/8/8/8/3pP3/8/8/K7 b - e3 0 1", True), ("chess", "7k/8/8/8/8/3pP3/8/K7 b - e2 0 1", False),
    ):
        position = game(name, fen)
        assert (position.fen() == fen, any(text[2:] == fen.split()[3] for text in position.legal_moves())) == (kept, kept)


def test_a_choice_of_heirs_is_no_loss() -> None:
    """The king on c8 falls, and one of the queens takes White's."""
    for line in analyse(game("ascending", "qqk5/8/8/8/8/8/2R5/K7 w - - 0 1"), depth=2, multipv=50):
        assert line.mate is None or line.mate < 0, line


@pytest.mark.parametrize(("fen", "move", "after"), [
    ("4k2r/4Q3/8/8/8/8/8/4K3 w k - 0 1", "e7e8", "4Q2r/8/8/8/8/8/8/4K3 b - - 0 1"),
    ("4k3/8/8/8/8/8/4q3/R3K2R b KQ - 0 1", "e2e1", "4k3/8/8/8/8/8/8/R3q2R w - - 0 2")])
def test_a_captured_king_castles_no_more(fen: str, move: str, after: str) -> None:
    rules = made("chess", royal_safety=False)
    taken, board = Game(rules, fen), rules.board(fen)
    taken.push(move)
    board.push_uci(move)
    assert taken.fen() == board.fen() == after


def test_a_check_over_the_edge_of_a_cylinder_cannot_be_blocked() -> None:
    """The wazir on h1 stands next to the king on a1 and guards h2; no move of the one on d2 helps."""
    pieces = (Piece("N", "N"), Piece("W", "W"), Piece("K", "K", royal=True))
    rules = made("chess", pieces=pieces, pawn=None, castling=False, wraps=True)
    assert agrees(rules, "7k/8/8/8/8/8/3W4/K6w w - - 0 1") == {"a1a2", "a1b2", "a1b1", "a1h1"}


@pytest.mark.parametrize(("fen", "move", "allowed"), [
    ("5brn/4Ppkp/5ppp/8/8/8/8/K7 w - - 0 1", "e7e8n", False),  # smothered by a new knight
    ("5brn/4Ppkp/5ppp/8/8/8/8/K7 w - - 0 1", "e7e8q", True),
    ("5brn/4Ppk1/5ppp/8/8/8/8/K7 w - - 0 1", "e7e8n", True),  # h7 is free
    ("3r1brn/4Ppkp/5ppp/8/8/8/8/K7 w - - 0 1", "e7d8n", True),  # no check
    ("4rbrn/3P1pkp/5ppp/8/8/8/8/K7 w - - 0 1", "d7e8n", False),
    ("k7/8/8/8/8/PPP5/PKp5/NRB5 b - - 0 1", "c2b1n", True),  # no check
    ("k7/8/8/8/8/PPP5/PKPp4/NRB5 b - - 0 1", "d2d1n", False),
    ("k7/P7/K7/1N6/8/8/8/8 w - - 0 1", "b5c7", False),  # a bare king, which does not draw here
    ("k7/P6r/K7/1N6/8/8/8/8 w - - 0 1", "b5c7", True),  # the rook captures the knight
])
def test_no_mate_by_a_knight(fen: str, move: str, allowed: bool) -> None:
    position = Game(made("chess", mate_forbidden="N"), fen)
    assert (move in position.legal_moves()) is allowed
    assert count(position) == len(position.legal_moves())


@pytest.mark.parametrize(("fen", "move", "allowed"), [
    ("4k3/2p5/8/1N6/8/8/8/4K3 w - - 0 1", "b5c7", True),  # the knight that would check explodes
    ("4k3/8/8/1N6/8/8/8/4K3 w - - 0 1", "b5c7", False),
    ("4k3/3p4/8/8/8/8/8/3RK3 w - - 0 1", "d1d7", True),  # the king explodes
    ("8/8/8/4p3/3k4/8/8/K3R3 w - - 0 1", "e1e5", True),  # the king, too
    ("3k4/8/8/8/8/3n4/4P3/3RK3 w - - 0 1", "e2d3", False),  # the blast opens the file for the rook
    ("8/8/8/3k4/2K5/8/8/3R4 w - - 0 1", "c4b4", False),  # kings that touched gave no check
    ("8/8/8/3k4/2K5/8/8/3R4 w - - 0 1", "c4c5", True),
    ("8/8/8/3k4/2K5/8/8/1N6 w - - 0 1", "b1c3", True),
])
def test_no_check_where_captures_explode(fen: str, move: str, allowed: bool) -> None:
    assert (move in agrees(made("atomic", checks_forbidden=True), fen)) is allowed


def test_a_capture_en_passant_that_would_check_is_not_possible() -> None:
    rules = made("chess", checks_forbidden=True)
    for start, written in (("8/2kp4/8/4P3/8/8/8/4K3 b - - 0 1", "8/2k5/8/3pP3/8/8/8/4K3 w - - 0 2"),
                           ("8/k2p4/8/4P3/8/8/8/4K3 b - - 0 1", "8/k7/8/3pP3/8/8/8/4K3 w - d6 0 2")):
        stepped = Game(rules, start)
        stepped.push("d7d5")
        assert stepped.fen() == written
        assert ("e5d6" in agrees(rules, written)) is (" d6 " in written)


def test_castling_and_a_leap_of_the_king_are_told_apart() -> None:
    rules = made("chess", pieces=(*FIDE_PIECES[:-1], Piece("K", "KD", royal=True)))
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    assert {"e1g1", "e1h1"} < agrees(rules, fen)
    assert len(Game(rules, fen).legal_moves()) == len(agrees(rules, fen))
    for move, after in (("e1g1", "6KR"), ("e1h1", "5RK1")):
        moved, board = Game(rules, fen), declared_board(rules)(fen)
        moved.push(move)
        board.push_uci(move)
        assert moved.fen() == board.fen() == f"4k3/8/8/8/8/8/8/{after} b - - 1 1"
