"""Checks that won endings are won in play, and finds plainer rows for those that are not.

A row fitted to distances predicts best how far the win is, not how to make progress. If a search of a dozen plies gets stuck,
the same row with larger differences may help, or a plain slope towards the corner and the other king.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from bench.clients.inprocess import SearchPlayer, turns
from bench.endings.kernels import UNUSUAL
from bench.endings.pairs import as_bytes
from bench.endings.tables import Tables
from engine.game import Game
from engine.rules import TURN, Rules
from engine.text import to_fen
from search.eval.features import ENDINGS, fitted_weights
from search.eval.known import GROUPS, ending_numbers, name_of, spellings
from search.limits import Limits
from search.searcher import Searcher

NODES = 20_000  # per move
WON = 95.0  # per cent of won positions from which an ending counts as won
FACTORS = (1.5, 2, 3, 4)
LOWEST = 100  # least value of a won position, centipawns
SLOPES = (  # centipawns per step: corner, apart, hunters, second_out, free
    (60, 40, 12, 0, 10), (40, 20, 0, 0, 0), (60, 20, 4, 0, 0), (20, 20, 4, 10, 0), (60, 60, 0, 0, 0), (0, 20, 8, 30, 0),
    (10, 10, 2, 5, 0), (0, 40, 20, 0, 0))
MOST_PLIES = 100  # longest win that is tried, because of the fifty-move rule


def starts(tables: Tables, name: str, count: int, seed: int = 1) -> dict[str, list[Game]]:
    """Games from random positions that are won for the first side, by ending."""
    rules, chance = tables.rules, np.random.default_rng([seed, *name.encode()])
    numbers = chance.integers(0, tables.files[name].entries, 200 * count)
    rows, values, _, _, flags = tables.sample(name, numbers)
    plies = np.abs(values)
    won = (plies > 1) & (plies <= MOST_PLIES) & ((values > 0) == (rows[:, TURN] == 0)) & (flags & UNUSUAL == 0)
    found: dict[str, list[Game]] = {}
    for pos in rows[won]:
        games = found.setdefault(spellings(rules, name_of(rules, pos, 0))[0], [])
        if len(games) < count:
            games.append(Game(rules, to_fen(rules, pos)))
    return found


def converted(rules: Rules, endings: dict[str, dict[str, Any]], games: list[Game]) -> int:
    """How many of some games the engine wins for White against itself, with these endings."""
    weights = np.concatenate([fitted_weights(rules)[:ENDINGS], ending_numbers(rules, endings)])
    searcher, won = Searcher(4, weights=weights, bundled=False), 0
    player = SearchPlayer(searcher, Limits(nodes=NODES))
    for begun in games:
        game = begun.copy()
        searcher.clear()
        for _ in turns(game, (player, player)):
            pass
        outcome = game.outcome()
        won += outcome is not None and outcome.winner == 0
    return won


def steep_rows(ending: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """An ending's row with larger differences, by several factors."""
    middle = ending["constant"]
    for factor in FACTORS:
        least, greatest = (middle + round(factor * (ending[edge] - middle)) for edge in ("least", "greatest"))
        row = {"shares": ending["shares"], "longest": ending["longest"], "factor": factor,
               "least": max(least, LOWEST), "greatest": greatest, "constant": middle}
        for group, numbers in ((group, ending[group]) for group in GROUPS if group in ending):
            row[group] = ({feature: round(factor * number) for feature, number in numbers.items()}
                          if isinstance(numbers, dict) else [round(factor * number) for number in numbers])
        if "pairs" in ending:
            row["pairs"] = as_bytes(factor * ending["pairs"])
        yield row


def plain_rows(ending: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """An ending's row with plain slopes towards the corner and the other king, in several ways."""
    for corner, apart, hunters, out, free in SLOPES:
        row = {key: ending[key] for key in ("shares", "longest", "least")}
        slopes = {"corner": [corner * (14 - n) for n in range(15)], "apart": [apart * (7 - n) for n in range(8)],
                  "hunters": [hunters * (15 - n) for n in range(16)], "second_out": [out * n for n in range(7)],
                  "free": [free * (8 - n) for n in range(9)]}
        middle = sum(slope[len(slope) // 2] for slope in slopes.values())
        yield {**row, "slopes": [corner, apart, hunters, out, free], "constant": ending["constant"] - middle,
               "greatest": ending["greatest"] + 1000, **{name: slope for name, slope in slopes.items() if any(slope)}}


def proved(rules: Rules, endings: dict[str, dict[str, Any]], name: str, games: list[Game]) -> tuple[dict[str, Any], int]:
    """(the first row of an ending with which every game is won, else the best one; how many games it wins)."""
    best, most = endings[name], converted(rules, endings, games)
    for row in (*steep_rows(endings[name]), *plain_rows(endings[name])):
        if most == len(games):
            break
        won = converted(rules, {**endings, name: row}, games)
        if won > most:
            best, most = row, won
    return best, most
