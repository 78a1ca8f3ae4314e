"""The tables perft/<name>.perft, counted by other programs. KINGMAKER_PERFT_NODES sets the largest count to try."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, replace

import chess
import pytest

import variants
from bench.perft.cases import PerftCase, read_perft
from engine.core.perft import divide, perft
from engine.rules import Rules
from engine.text import parse_fen
from support.harness import first_difference
from support.places import PERFT_TABLES
from support.slow import ATOMIC, CHESS, NOCHECKATOMIC, Variant

MAX_NODES = int(os.environ.get("KINGMAKER_PERFT_NODES", "20_000_000"))
TWINS: dict[str, Variant] = {"chess": CHESS, "chess960": CHESS, "atomic": ATOMIC, "nocheckatomic": NOCHECKATOMIC}


@dataclass(frozen=True)
class Case(PerftCase):
    """One count of a table."""

    table: str

    @property
    def rules(self) -> Rules:
        return variants.find(self.table)

    def __str__(self) -> str:
        return f"{self.table}-{self.name}-{self.depth}"


def marked(case: Case) -> object:
    """The case; only for the long run if its count is above the limit."""
    marks = [pytest.mark.long, pytest.mark.timeout(3600)] if case.nodes > MAX_NODES else []
    return pytest.param(case, marks=marks, id=str(case))


CASES = [Case(**vars(case), table=path.stem) for path in sorted(PERFT_TABLES.glob("*.perft")) for case in read_perft(path)]


@pytest.mark.parametrize("case", [marked(case) for case in CASES])
def test_perft(case: Case) -> None:
    pos = parse_fen(case.rules, case.fen)
    assert perft(case.rules, pos, case.depth) == case.nodes, first_difference(
        case.rules, pos, TWINS.get(case.table), min(case.depth, 4))


@pytest.mark.parametrize("table", TWINS)
def test_divide_adds_up(table: str) -> None:
    case = max((case for case in CASES if case.table == table and case.nodes < MAX_NODES // 20), key=lambda case: case.nodes)
    parts = list(divide(case.rules, parse_fen(case.rules, case.fen), case.depth))
    assert sum(leaves for _, leaves in parts) == case.nodes
    assert len({move for move, _ in parts}) == len(parts)


def test_tables_are_whole() -> None:
    depths = {case.name: case.depth for case in CASES if case.table == "chess" and case.nodes <= 200_000_000}
    for name in ("start", "kiwipete", "endgame", "promotion-storm", "talkchess", "edwards"):
        assert depths[name] >= 5
    assert len({case.fen for case in CASES if case.table == "chess960"}) >= 10
    positions = Counter(case.table for case in CASES if case.depth == 1)
    assert set(variants.names()) <= set(positions)
    assert min(positions.values()) >= 9


def test_depth_nought_and_nonsense() -> None:
    rules = variants.find("chess")
    pos = parse_fen(rules, rules.start_fen)
    assert perft(rules, pos, 0) == 1
    assert list(divide(rules, pos, 0)) == []
    with pytest.raises(ValueError, match="-1"):
        perft(rules, pos, -1)


def test_first_difference_names_the_move() -> None:
    """A twin that knows no castling stands for a bug: the message leads to the move."""
    rules = variants.find("chess")
    pos = parse_fen(rules, "4k3/8/8/8/8/8/8/4K2R b K - 0 1")
    message = first_difference(rules, pos, Variant(CHESS.pieces, castling=False), 2)
    assert "too many ['e1h1']" in message and "missing []" in message


def test_first_difference_reads_the_board_of_a_game() -> None:
    rules = variants.find("madness-fide")
    pos = parse_fen(rules, "8/8/8/3k4/8/8/8/K4R2 w - - 0 1")
    assert first_difference(rules, pos, None, 2) == "no difference found"
    without_driving = replace(rules, board=chess.Board)
    assert "'d5f5'" in first_difference(without_driving, pos, None, 2)
