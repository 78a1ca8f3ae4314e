"""Fits the row of an ending to its table: least squares over quiet positions.

A won position is worth 300 centipawns plus the lead in material, minus four per ply to the win; a drawn one nothing. Where the
row remains too far off, numbers for pairs of pieces are added to it (pairs.py).
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from bench.endings.pairs import paired
from bench.endings.tables import Tables
from engine.rules import TURN, Rules
from search.eval.endings import features_kernel
from search.eval.features import EXCHANGE, LEADS, SCALES, STAGE, fitted_weights
from search.eval.known import COARSE, FIRST_FEATURE, GROUPS, ROW, SLOTS, STARTS, letters_of, name_of, spellings

WON = 300  # centipawns of a win, before plies are subtracted
A_PLY = 4
MOST_PLIES = 100
SAMPLE = 60_000  # positions of an ending that are fitted
LOOKED_AT = 1_500_000  # positions of a table that are looked at
SAME = 0.9  # share of positions with one outcome above which the others are exceptions
RIDGE = 5.0
CHUNK = 4000
PAIRS_FROM = 10.0  # centipawns: with a greater error, numbers for pairs of pieces are tried
FEWEST = 20_000  # positions that these need
GOOD_ENOUGH = 8.0  # centipawns, two plies: with a smaller error no finer features are needed
WORTH_IT = 0.85  # finer features must reduce the error to this share
SEED = 20261121


def values_of(rules: Rules, name: str) -> tuple[int, int]:
    """Exchange values of both sides' pieces without royal ones, centipawns."""
    weights, royal = fitted_weights(rules), {piece.letter for piece in rules.pieces if piece.royal}
    first, second = (sum(int(weights[EXCHANGE + rules.letters.index(letter)]) for letter in side if letter not in royal)
                     for side in name.split("v"))
    return first, second


def worth(value: np.ndarray, moving: np.ndarray, lead: int) -> np.ndarray:
    """Centipawns for the first side. value: from tables; moving: whether the first side is to move; lead: of material."""
    plies = np.minimum(np.abs(value), MOST_PLIES)
    good = np.where(moving, value > 0, value < 0)
    won = np.where(good, max(lead, WON), max(-lead, WON)) + WON - A_PLY * plies
    return np.where(value == 0, 0, np.where(good, won, -won))


def fitted(tables: Tables, name: str) -> dict[str, dict[str, Any]]:
    """The rows of the endings that a material consists of, by name."""
    rules, chance = tables.rules, np.random.default_rng(SEED)
    numbers = np.arange(tables.files[name].entries)
    if len(numbers) > LOOKED_AT:
        numbers = np.unique(chance.integers(0, len(numbers), LOOKED_AT))
    rows, values, firsts, keys, flags = tables.sample(name, numbers)
    quiet = flags == 0
    lead = np.subtract(*values_of(rules, name))
    wins = worth(values.astype(np.int64), rows[:, TURN] == firsts, int(lead))
    groups: dict[str, list[np.ndarray]] = {}
    for key in np.unique(keys[quiet]):
        here = np.flatnonzero(quiet & (keys == key))
        spelled = name_of(rules, rows[here[0]], int(firsts[here[0]]))
        groups.setdefault(spellings(rules, spelled)[0], []).append(here)
    fits = {}
    for spelled, parts in sorted(groups.items()):
        here = np.concatenate(parts)
        fits[spelled] = fit(rules, rows[here], firsts[here], wins[here], chance)
        fits[spelled]["longest"] = int(np.abs(values[here]).max())
    return fits


def fit(rules: Rules, rows: np.ndarray, firsts: np.ndarray, wins: np.ndarray, chance: np.random.Generator) -> dict[str, Any]:
    """One ending: shares of wins, draws and losses of the first side, and the row of numbers, with "pairs" if they help."""
    shares = [float(part.mean()) for part in (wins > 0, wins == 0, wins < 0)]
    for share, part in zip(shares, (wins > 0, wins == 0, wins < 0), strict=True):
        if share >= SAME:  # the others hang a piece or are stalemate, which search sees
            rows, firsts, wins = rows[part], firsts[part], wins[part]
    slots = np.zeros((len(rows), SLOTS), np.uint64)
    features_kernel(rules, rows, firsts, fitted_weights(rules), slots)
    some = chance.permutation(len(rows))[:SAMPLE]
    least, greatest = (round(float(edge)) for edge in np.quantile(wins, [0.005, 0.995]))
    middle = float(wins.mean())
    weights, error = solve(slots[some, :COARSE], wins[some], middle, least, greatest)
    finer, less = solve(slots[some], wins[some], middle, least, greatest) if error > GOOD_ENOUGH else (weights, error)
    if less < WORTH_IT * error:
        weights, error = finer, less
    weights = np.round(weights)
    found: dict[str, Any] = {"shares": [round(100 * share, 1) for share in shares], "error": round(error, 1),
                             "spread": round(float(wins.std()), 1), "least": least, "greatest": greatest,
                             "constant": round(middle)}
    for (group, (size, _)), start in zip(GROUPS.items(), STARTS, strict=True):
        part = weights[start:start + size].astype(int)
        if not part.any():
            continue
        numbers = np.flatnonzero(part)
        sparse = {str(number): int(part[number]) for number in numbers}
        found[group] = sparse if len(numbers) * 2 < size else np.trim_zeros(part, "b").tolist()
    if error > PAIRS_FROM and len(wins) > FEWEST:
        guess = weights[slots.astype(np.int64)].sum(axis=1) + round(middle)
        pairs, less = paired(rules, rows, firsts, wins, guess, (least, greatest), chance)
        if less < WORTH_IT * error:
            found |= {"pairs": pairs, "error": round(less, 1), "unpaired": round(error, 1)}
    return found


def solve(slots: np.ndarray, wins: np.ndarray, middle: float, least: int, greatest: int) -> tuple[np.ndarray, float]:
    """(a number for each feature, root mean square error in centipawns) by least squares."""
    columns, numbers = np.unique(slots[slots > 0], return_inverse=True)
    width = len(columns)
    dense = np.full(slots.shape, width)
    dense[slots > 0] = numbers
    square, right = RIDGE * np.eye(width + 1), np.zeros(width + 1)
    for first in range(0, len(slots), CHUNK):
        part = slice(first, first + CHUNK)
        matrix = np.zeros((len(dense[part]), width + 1), np.float32)
        np.add.at(matrix, (np.arange(len(matrix))[:, None], dense[part]), 1)
        square += matrix.T @ matrix
        right += matrix.T @ (wins[part] - middle)
    solution = np.linalg.solve(square[:width, :width], right[:width])
    guess = np.append(solution, 0.0)[dense].sum(axis=1) + middle
    weights = np.zeros(ROW - FIRST_FEATURE)
    weights[columns.astype(np.int64)] = solution
    return weights, float(np.sqrt(((wins - np.clip(guess, least, greatest)) ** 2).mean()))


def lone_scales(rules: Rules, known: dict[str, dict[str, Any]]) -> dict[int, int]:
    """Scales in 64ths, by cell of SCALES, against a lone royal piece, and of a large advantage against a single piece.

    They are the best shares of wins in such endings: more pieces are worth no less, so four pieces stand for more.
    """
    weights, best, against_one = fitted_weights(rules), np.full((4, 4), -1), -1
    for name, ending in known.items():
        first, second = (letters_of(side) for side in name.split("v"))
        stages = [sum(int(weights[STAGE + rules.letters.index(letter)]) for letter in side if letter != "P")
                  for side in (first, second)]
        level = sum(stages[0] - stages[1] >= edge for edge in LEADS)
        share = round(64 * ending["shares"][0] / 100)
        if len(second) == 1 and len(first) > 1:
            best[first.count("P"), level] = max(best[first.count("P"), level], share)
        elif len(first) == len(second) == 2 and "P" not in first + second and level:
            against_one = max(against_one, share)
    found = {cell: against_one for cell in (10, 22, 34, 46) if against_one > weights[SCALES + cell]}
    for pawns, level in itertools.product(range(4), range(4)):
        least = int(best[:pawns + 1, :level + 1].max())
        if least >= 0 and level:
            found[pawns * 12 + level * 3] = max(2, least)
    return found
