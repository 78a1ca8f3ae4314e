"""Moves that win at once, seen before any is searched, against the legal moves of the game."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import variants
from engine.compile.jit import entry
from engine.game import Game, Reason
from engine.rules import TURN
from engine.squares import square_name
from search.decisive import can_decide, is_threatened

GAMES = 60


@entry
def decide_kernel(rules, pos, moves):  # type: ignore[no-untyped-def]
    """can_decide() of the side to move."""
    return can_decide(rules, pos, pos[TURN], moves)


@entry
def threat_kernel(rules, pos, passed, moves):  # type: ignore[no-untyped-def]
    """is_threatened() of the side to move."""
    return is_threatened(rules, pos, pos[TURN], passed, moves)


def threatened(game: Game) -> bool:
    """What the kernel says of a position."""
    rules = game.rules
    return bool(threat_kernel(rules, game.pos, np.zeros_like(game.pos), np.zeros(rules.traits.max_moves, np.int64)))


def decided(game: Game) -> bool:
    """What the kernel says of the side to move."""
    return bool(decide_kernel(game.rules, game.pos, np.zeros(game.rules.traits.max_moves, np.int64)))


def wins(game: Game, reason: Reason) -> bool:
    """Whether a legal move wins for that reason."""
    for move in game.legal_moves():
        game.push(move)
        end = game.outcome()
        game.pop()
        if end is not None and end.reason is reason and end.winner == game.turn:
            return True
    return False


def positions(variant: str, seed: int) -> list[Game]:
    """Every position of games at random, in which kings like to walk and checks are often given."""
    chance, found = random.Random(seed), list[Game]()
    for _ in range(GAMES):
        game = Game(variant)
        while game.verdict() is None and len(game.moves) < 80:
            moves = sorted(game.legal_moves())
            king = game.king(game.turn)
            steps = [move for move in moves if king is not None and move.startswith(square_name(king))]
            checks = [move for move in moves if variant == "3check" and gives_check(game, move)]
            liked = checks or steps
            game.push(chance.choice(liked if liked and chance.random() < 0.5 else moves))
            if game.verdict() is None:
                found.append(Game(variant, game.fen()))
    return found


def gives_check(game: Game, move: str) -> bool:
    game.push(move)
    given = game.in_check()
    game.pop()
    return given


@pytest.mark.parametrize(("variant", "reason"), [
    ("kingofthehill", Reason.GOAL), pytest.param("racingkings", Reason.GOAL, marks=pytest.mark.long),
    pytest.param("3check", Reason.CHECK_LIMIT, marks=pytest.mark.long)])
def test_what_decides_is_a_move_that_wins(variant: str, reason: Reason) -> None:
    rules = variants.find(variant)
    moves, decided, missed = np.zeros(rules.traits.max_moves, np.int64), 0, 0
    for game in positions(variant, 1):
        known, there = bool(decide_kernel(rules, game.pos, moves)), wins(game, reason)
        assert there or not known, game.fen()
        decided += known
        missed += there and not known
        assert not missed or variant != "kingofthehill", game.fen()
    assert decided > 20 and missed < decided / 2


@pytest.mark.long
def test_a_step_onto_the_goal_must_be_legal() -> None:
    """In racingkings a step may uncover a check, which is forbidden: on a7 a rook stands behind the king."""
    for fen, is_so in (("8/1k5K/8/8/8/8/8/8 b - - 0 1", True), ("8/rk5K/8/8/8/8/8/8 b - - 0 1", False),
                       ("7R/1k6/8/8/8/7K/8/8 b - - 0 1", False), ("8/3K4/8/8/8/7k/8/8 w - - 0 1", True)):
        assert decided(Game("racingkings", fen)) is is_so, fen


@pytest.mark.long
def test_a_step_onto_the_goal_waits_for_captures_that_are_forced(tmp_path: Path, own_registry: None) -> None:
    (tmp_path / "g.ini").write_text("[forced-hill:kingofthehill]\nmustCapture = true\ncastling = false\n")
    variants.define(str(tmp_path / "g.ini"))
    assert decided(Game("forced-hill", "8/7p/8/8/8/4K3/P7/7k w - - 0 1"))
    assert not decided(Game("forced-hill", "8/7p/8/8/8/1n2K3/P7/7k w - - 0 1"))  # a2b3 is the only legal move


@pytest.mark.long
def test_the_last_check_of_a_lame_horse_is_a_check(tmp_path: Path, own_registry: None) -> None:
    """From g4 the horse goes to f6 and h6. To give check from there it needs f7, or h7, to be empty."""
    (tmp_path / "g.ini").write_text("[horse-check:3check]\nknight = -\nhorse = n\n")
    variants.define(str(tmp_path / "g.ini"))
    for pawns, is_so in (("5p1p", False), ("5p2", True), ("7p", True)):
        assert decided(Game("horse-check", f"q5k1/{pawns}/8/8/6N1/6P1/7P/6K1 w - - 1+3 0 1")) is is_so, pawns


def test_the_other_king_threatens_to_arrive() -> None:
    for fen, is_so in (("8/8/8/8/8/2k5/8/7K w - - 0 1", True), ("8/8/8/8/8/1k6/8/7K w - - 0 1", False),
                       ("8/8/8/8/8/2k5/4P3/3R3K w - - 0 1", False), ("7r/8/8/8/8/2K5/8/7k b - - 0 1", True)):
        assert threatened(Game("kingofthehill", fen)) is is_so, fen


@pytest.mark.long
def test_a_threat_of_the_last_check_is_a_check_after_a_pass() -> None:
    seen, missed = 0, 0
    for game in positions("3check", 2):
        if game.in_check():
            continue
        parts = game.fen().split()
        parts[1], parts[3] = "b" if parts[1] == "w" else "w", "-"
        known, there = threatened(game), wins(Game("3check", " ".join(parts)), Reason.CHECK_LIMIT)
        assert there or not known, game.fen()
        seen += known
        missed += there and not known
    assert seen > 20 and missed < seen / 2
