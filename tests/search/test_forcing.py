"""Forcing moves, against the positions after them."""

from __future__ import annotations

import random

import chess
import numpy as np
import pytest

import variants
from engine.compile.jit import entry
from engine.core.bits import U
from engine.core.legality import generate, legal_moves, position_after
from engine.core.movegen import QUIET
from engine.core.moves import CASTLE, DRIVE, KIND, NAMING, PROMOTION, TO, TYPE
from engine.game import Game
from engine.rules import TURN, TYPES, Rules
from engine.text import move_text
from search.exchange import can_explode
from search.forcing import FORCING, add_explosion_threats, checks_or_threatens, find_check_squares, offers_piece, steps_to_goal

PLIES = 60


@entry
def quiet_kernel(rules, pos, moves):  # type: ignore[no-untyped-def]
    """Fill moves with the quiet moves, return how many."""
    return generate(rules, pos, QUIET, moves)


@entry
def checks_kernel(rules, pos, row, move):  # type: ignore[no-untyped-def]
    """Whether a quiet move gives check."""
    find_check_squares(rules, pos, pos[TURN], row)
    return checks_or_threatens(U(move), row)


@entry
def threat_kernel(rules, pos, row, move):  # type: ignore[no-untyped-def]
    """Whether a quiet move threatens to explode the king."""
    for word in rules.type_words:
        row[word - TYPES] = U(0)
    add_explosion_threats(rules, pos, pos[TURN], row)
    return checks_or_threatens(U(move), row)


@entry
def explodes_kernel(rules, pos, colour):  # type: ignore[no-untyped-def]
    """can_explode()."""
    return can_explode(rules, pos, colour)


@entry
def offers_kernel(rules, pos, move):  # type: ignore[no-untyped-def]
    """offers_piece() of the side to move."""
    return offers_piece(rules, pos, pos[TURN], U(move))


@entry
def steps_kernel(rules, pos, move):  # type: ignore[no-untyped-def]
    """steps_to_goal() of the side to move."""
    return steps_to_goal(rules, pos[TURN], U(move))


def quiet_moves(rules: Rules, pos: np.ndarray) -> list[tuple[int, int]]:
    """Quiet moves with their kinds, promotions left out."""
    moves = np.zeros(rules.traits.max_moves, np.int64)
    count = int(quiet_kernel(rules, pos, moves))
    kinds = [(int(move), int(move) >> KIND & 15) for move in moves[:count]]
    return [(move, kind) for move, kind in kinds if kind != PROMOTION]


def positions(variant: str, count: int, seed: int) -> list[Game]:
    """Positions of games at random that are not over."""
    chance, found = random.Random(seed), list[Game]()
    while len(found) < count:
        game = Game(variant)
        for _ in range(chance.randrange(4, PLIES)):
            if game.verdict() is not None:
                break
            game.push(chance.choice(sorted(game.legal_moves())))
        if game.verdict() is None:
            found.append(game)
    return found


@pytest.mark.parametrize("variant", [
    "chess", "crazyhouse", *(pytest.param(name, marks=pytest.mark.long) for name in (
        "madness", "shatar", "warmspit", "ataturk", "horde", "3check"))])
def test_checks_are_those_of_the_position_after(variant: str) -> None:
    rules, row = variants.find(variant), np.zeros(FORCING, np.uint64)
    seen = missed = 0
    for game in positions(variant, 150, 1):
        for move, kind in quiet_moves(rules, game.pos):
            known = bool(checks_kernel(rules, game.pos, row, move))
            game.push(move)
            there = game.in_check()
            game.pop()
            # with several royal pieces, an attack on one of them is no check
            assert there or not known or rules.traits.titles, (game.fen(), move)
            seen += there
            missed += there and not known and kind not in (CASTLE, DRIVE, NAMING)
    assert seen > 20
    assert missed <= seen // (25 if rules.traits.titles else 1000), (missed, seen)


def test_a_line_that_an_enemy_piece_blocks_hides_no_check() -> None:
    """g6 lies between the queen and the king, but only the rook on e1 is behind the bishop."""
    game, row = Game("chess", "4k3/5p2/8/7Q/4B3/8/8/K3R3 w - - 0 1"), np.zeros(FORCING, np.uint64)
    for text in ("e4g6", "e4d5", "e4c2"):
        assert checks_kernel(game.rules, game.pos, row, game.parse(text)), text


def test_offers_may_be_captured() -> None:
    rules, offered = variants.find("antichess"), 0
    for game in positions("antichess", 200, 2):
        for move, _ in quiet_moves(rules, game.pos):
            known = bool(offers_kernel(rules, game.pos, move))
            game.push(move)
            captured = any(reply >> TO & 63 == move >> TO & 63 for reply in legal_moves(rules, game.pos).tolist())
            game.pop()
            assert known is captured, (game.fen(), move)
            offered += captured
    assert offered > 100


@pytest.mark.parametrize("variant", ["nocheckatomic", pytest.param("atomic", marks=pytest.mark.long)])
def test_a_threat_explodes_the_king_if_it_is_not_answered(variant: str) -> None:
    rules, row, threats = variants.find(variant), np.zeros(FORCING, np.uint64), 0
    for game in positions(variant, 150, 3):
        us = game.pos[TURN]
        if explodes_kernel(rules, game.pos, us):
            continue
        for move, kind in quiet_moves(rules, game.pos):
            known = bool(threat_kernel(rules, game.pos, row, move))
            there = bool(explodes_kernel(rules, position_after(rules, game.pos, move), us))
            if kind != CASTLE and not steps_with_king(rules, move):
                assert there or not known, (game.fen(), move)
                threats += known
    assert threats > 20


def steps_with_king(rules: Rules, move: int) -> bool:
    """Whether the king moves: then its own distance from the explosion changes."""
    assert rules.traits.king is not None
    return move >> TYPE & 15 == rules.traits.king.index


@pytest.mark.parametrize(("variant", "goal"), [
    ("racingkings", chess.SquareSet(chess.BB_RANK_8)), ("kingofthehill", chess.SquareSet(chess.BB_CENTER))])
def test_steps_to_the_goal_shorten_the_kings_way(variant: str, goal: chess.SquareSet) -> None:
    table = variants.find(variant).traits.steps_to_goal
    way = [min(chess.square_distance(square, end) for end in goal) for square in chess.SQUARES]
    for origin in chess.SQUARES:
        nearer = {target for target in chess.SquareSet(chess.BB_KING_ATTACKS[origin]) if way[target] < way[origin]}
        for side in range(2):
            assert set(chess.SquareSet(int(table[side, origin]))) == nearer, (origin, side)


def test_the_kings_steps_are_seen() -> None:
    rules = variants.find("racingkings")
    game = Game("racingkings", "8/8/8/8/k7/8/7K/8 w - - 0 1")
    seen = {move_text(rules, game.pos, move) for move, _ in quiet_moves(rules, game.pos) if steps_kernel(rules, game.pos, move)}
    assert seen == {"h2g3", "h2h3"}
