"""Retrograde analysis against known facts of chess and against the Boards of every game."""

from __future__ import annotations

import chess
import numpy as np
import pytest

import variants
from bench.tuning.retrograde.kernels import ILLEGAL
from bench.tuning.retrograde.tables import Tables
from engine.rules import Rules
from engine.text import parse_fen, to_fen

# Moves of the longest wins in chess, known since the first tables were made.
LONGEST = {"KQvK": 10, "KRvK": 16, "KPvK": 28, "KBvK": 0, "KNvK": 0, "KBBvK": 19, "KBNvK": 33, "KNNvK": 1, "KQvKR": 35,
           "KRNvK": 16}
# Compared with each game's Board: sliders and leapers, promotions, and endings in which rules meet.
MATERIALS = {
    **dict.fromkeys(("chess", "atomic", "nocheckatomic", "madness-fide", "madness", "madness-legan"),
                    ("KQvK", "KRvK", "KNvK", "KPvK")),
    "ascending": ("KQvK", "KPvK", "KRRvK"), "ataturk": ("KQvR", "QPvB", "KNvK", "BBvQ"),
    "shatar": ("KJvKB",), "warmspit": ("KQvKN",),
}
SAMPLE = 60


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_longest_wins_of_chess() -> None:
    tables = Tables(variants.find("chess"), LONGEST)
    assert {name: (tables.longest[name] + 1) // 2 for name in LONGEST} == LONGEST


def over(board: chess.Board) -> int | None:
    """What a finished game is worth to the side to move, by its Board; None while it goes on."""
    outcome = board.outcome()
    if outcome is None or outcome.termination == chess.Termination.INSUFFICIENT_MATERIAL:
        return None
    return 0 if outcome.winner is None else 1 if outcome.winner == board.turn else -1


def expected(rules: Rules, tables: Tables, board: chess.Board) -> int:
    """The value of a position by the values of the positions after its moves."""
    decided = over(board)
    if decided is not None:
        return decided
    values = []
    for move in list(board.legal_moves):
        board.push(move)
        decided = over(board)
        values.append(tables.value(parse_fen(rules, board.fen())) if decided is None else decided)
        board.pop()
    lost = [value for value in values if value < 0]
    if lost:
        return -max(lost)
    return 0 if 0 in values else -(max(values) + 2)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("variant", list(MATERIALS))
def test_values_follow_from_the_moves_of_the_board(variant: str) -> None:
    """A position is worth what the best of its moves leads to, one step at a time, and the moves are the Board's."""
    rules, chance = variants.find(variant), np.random.default_rng(1)
    tables = Tables(rules, MATERIALS[variant])
    for name in tables.names:
        values = tables.values(name)
        seen = set[int]()
        for sign in (-1, 0, 1):
            fitting = np.flatnonzero((np.sign(values) == sign) & (values != ILLEGAL))
            for index in chance.choice(fitting, min(SAMPLE, len(fitting)), replace=False):
                pos = tables.position(name, int(index))
                assert pos is not None
                fen = to_fen(rules, pos)
                assert tables.value(pos) == values[index], fen
                assert expected(rules, tables, rules.board(fen)) == values[index], fen
                seen.add(sign)
        assert seen, name
