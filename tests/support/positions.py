"""Positions for tests of the evaluation: out of random games, and seen from the other side."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from engine.core.bits import turned
from engine.game import Game
from engine.rules import BLACK, CLOCK, KEY, MARKS, PLY, TURN, WHITE, Rules
from engine.rules.words import MARKS_OF_A_SIDE


def flipped(word: int) -> int:
    """A bitboard upside down."""
    return int.from_bytes(int(word).to_bytes(8, "little"), "big")


def other_side(rules: Rules, pos: np.ndarray) -> np.ndarray:
    """The same position with the colours exchanged. Its key is of no matter here."""
    turn: Callable[[int], int] = turned if rules.traits.pawn is not None and rules.traits.pawn.lopsided else flipped
    if rules.name == "racingkings":  # both sides run up the board
        turn = int
    found = pos.copy()
    for word in range(len(pos)):
        if word not in (KEY, TURN, MARKS, CLOCK, PLY, *rules.traits.hand_words):
            found[word] = turn(int(pos[word]))
    found[WHITE], found[BLACK] = turn(int(pos[BLACK])), turn(int(pos[WHITE]))
    found[TURN] ^= np.uint64(1)
    marks = int(pos[MARKS])
    found[MARKS] = (marks >> 1 & 1) | (marks & 1) << 1 if rules.mate_series else turn(marks)
    if rules.checks_to_win:
        found[MARKS] = (marks >> MARKS_OF_A_SIDE) | (marks & (1 << MARKS_OF_A_SIDE) - 1) << MARKS_OF_A_SIDE
    if rules.drops:
        white, black = rules.traits.hand_words
        found[white], found[black] = pos[black], pos[white]
    return found


def random_positions(rules: Rules, games: int, seed: int) -> list[Game]:
    """Games cut off somewhere."""
    chance, found = random.Random(seed), list[Game]()
    for _ in range(games):
        game = Game(rules)
        for _ in range(chance.randint(4, 120)):
            if game.verdict() is not None:
                game.pop()
                break
            game.push(chance.choice(sorted(game.legal_moves())))
        if game.verdict() is None:
            found.append(game)
    return found
