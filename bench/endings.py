"""`kingmaker endings`: what elementary endings are worth, found by retrograde analysis and kept for the evaluation.

Each ending's positions are worth 300 centipawns and the lead in pieces where they are won, less four for each ply to the win,
and nothing where they are drawn. The features of search/endings.py are fitted to that, over positions in which nothing can be
captured and nobody is in check.
"""

from __future__ import annotations

import itertools
import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import variants
from engine.errors import CommandError
from engine.rules import Rules

WON = 300  # centipawns that a win is worth at least as, before plies are taken off
A_PLY = 4
MOST_PLIES = 100
SAMPLE = 60_000  # positions of an ending that the fit sees
LOOKED_AT = 1_500_000  # of a table
SAME = 0.9  # share of positions with one outcome from which the others are exceptions
RIDGE = 5.0
CHUNK = 4000
GOOD_ENOUGH = 8.0  # centipawns, two plies: a fit that errs less needs no finer features
WORTH_IT = 0.85  # they must take the error down to this part
SEED = 20261121


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("variant", metavar="VARIANT", help="the game")
    parser.add_argument("material", nargs="*", metavar="MATERIAL", help="such as KQvKR; default: those of three men and four")
    parser.add_argument("--tables", metavar="FOLDER", help="keep the tables there; default: they are made anew")
    parser.add_argument("-o", "--output", metavar="FILE", help="default: where the engine looks for it")


def run(args: Namespace) -> int:
    from bench.retrograde.tables import Tables, named
    from search.known import known_path

    rules = variants.find(variants.resolve(args.variant))
    wanted = args.material or materials(rules)
    for material in wanted:
        check(rules, material)
    path = Path(args.output) if args.output else known_path(rules)
    folder = Path(args.tables) if args.tables else None
    known: dict[str, dict[str, Any]] = {}
    for material in wanted:
        name = named(*material.split("v"))
        known.update(fitted(Tables(rules, [name], folder, progress=sys.stderr.isatty()), name))
    write(path, rules, known, lone_scales(rules, known))
    print(f"{rules.name}: {len(known)} endings written to {path}")
    return 0


def check(rules: Rules, material: str) -> None:
    """Raises CommandError where a material is none of the game."""
    sides = material.split("v")
    if len(sides) != 2 or not all(side and set(side) <= set(rules.letters) for side in sides):
        raise CommandError(f"{material!r} is no material of {rules.name}, whose pieces are {rules.letters}")
    if len(material) - 1 > 4:
        raise CommandError(f"{material!r} has more than four men")


def materials(rules: Rules) -> list[str]:
    """The endings of a game with three men, and with four."""
    others = [letter for letter in rules.letters if letter not in "KP"]
    pairs = list(itertools.combinations_with_replacement(others, 2))
    even = [f"K{a}vK{b}" for a, b in pairs]
    against_pawn = [f"K{a}vKP" for a in others]
    if rules.bare_king_draws:
        return ["KvK", *even, *against_pawn]
    if any(piece.royal for piece in rules.pieces) and rules.title_order:
        return even
    lone = [f"K{a}vK" for a in (*others, "P")] + [f"K{a}{b}vK" for a, b in pairs]
    with_pawn = [f"K{a}PvK" for a in (*others, "P")]
    if not rules.title_order:
        return ["KvK", *lone, *even, *against_pawn, *with_pawn]
    royal = [*others, "K"]  # any piece may be
    found = [f"{a}v{b}" for a, b in itertools.combinations_with_replacement(royal, 2)]
    found += [f"{a}{b}v{c}" for a, b in itertools.combinations_with_replacement(royal, 2) for c in royal]
    found += [f"{a}Pv{b}" for a in royal for b in royal]
    return found + [name for name in even + lone if len(name) == 5]


def values_of(rules: Rules, name: str) -> tuple[int, int]:
    """What the men of both sides are worth in exchanges, centipawns, royal ones apart."""
    from search.features import EXCHANGE, fitted_weights

    weights, royal = fitted_weights(rules), {piece.letter for piece in rules.pieces if piece.royal}
    first, second = (sum(int(weights[EXCHANGE + rules.letters.index(letter)]) for letter in side if letter not in royal)
                     for side in name.split("v"))
    return first, second


def worth(value: np.ndarray, moving: np.ndarray, lead: int) -> np.ndarray:
    """Centipawns for the first side. value: of tables; moving: whether the first side is to move; lead: of its men."""
    plies = np.minimum(np.abs(value), MOST_PLIES)
    good = np.where(moving, value > 0, value < 0)
    won = np.where(good, max(lead, WON), max(-lead, WON)) + WON - A_PLY * plies
    return np.where(value == 0, 0, np.where(good, won, -won))


def fitted(tables: Any, name: str) -> dict[str, dict[str, Any]]:
    """The rows of the endings that a material falls into, by name."""
    from bench.retrograde.kernels import ILLEGAL, SIZE, sample_kernel
    from engine.rules import TURN
    from search.known import name_of, spellings

    rules, chance = tables.rules, np.random.default_rng(SEED)
    values, captures = tables.values(name), tables.captures(name)
    indexes = np.arange(len(values))
    if len(values) > LOOKED_AT:
        indexes = np.unique(chance.integers(0, len(values), LOOKED_AT))
    indexes = indexes[(values[indexes] != ILLEGAL) & ~captures[indexes]]
    rows = np.zeros((len(indexes), rules.traits.words), np.uint64)
    first, second = name.split("v")
    firsts = np.full(len(indexes), 2 if first == second else 0, np.uint64)
    keys, use = np.zeros(len(indexes), np.uint64), np.zeros(len(indexes), np.bool_)
    sample_kernel(rules, tables.atlas, tables.number[name], indexes, rows, firsts, keys, use)
    assert tables.atlas.layout[tables.number[name], SIZE] > 0
    lead = np.subtract(*values_of(rules, name))
    wins = worth(values[indexes].astype(np.int64), rows[:, TURN] == firsts, int(lead))
    groups: dict[str, list[np.ndarray]] = {}
    for key in np.unique(keys[use]):
        here = np.flatnonzero(use & (keys == key))
        spelled = name_of(rules, rows[here[0]], int(firsts[here[0]]))
        groups.setdefault(spellings(rules, spelled)[0], []).append(here)
    found = {}
    for spelled, parts in sorted(groups.items()):
        here = np.concatenate(parts)
        if len(here) > SAMPLE:
            here = np.sort(chance.choice(here, SAMPLE, replace=False))
        found[spelled] = fit(rules, rows[here], firsts[here], wins[here])
        found[spelled]["longest"] = int(np.abs(values[indexes[here]]).max())
    return found


def fit(rules: Rules, rows: np.ndarray, firsts: np.ndarray, wins: np.ndarray) -> dict[str, Any]:
    """One ending: shares of won, drawn and lost for the first side, and the row of numbers."""
    from search.endings import features_kernel
    from search.features import fitted_weights
    from search.known import COARSE, GROUPS, SLOTS, STARTS

    shares = [float(part.mean()) for part in (wins > 0, wins == 0, wins < 0)]
    for share, part in zip(shares, (wins > 0, wins == 0, wins < 0), strict=True):
        if share >= SAME:  # the rest hangs a piece or is stalemate: search sees it
            rows, firsts, wins = rows[part], firsts[part], wins[part]
    slots = np.zeros((len(rows), SLOTS), np.uint64)
    features_kernel(rules, rows, firsts, fitted_weights(rules), slots)
    least, greatest = (round(float(edge)) for edge in np.quantile(wins, [0.005, 0.995]))
    middle = float(wins.mean())
    weights, error = solve(slots[:, :COARSE], wins, middle, least, greatest)
    finer, less = solve(slots, wins, middle, least, greatest) if error > GOOD_ENOUGH else (weights, error)
    if less < WORTH_IT * error:
        weights, error = finer, less
    found: dict[str, Any] = {"shares": [round(100 * share, 1) for share in shares], "error": round(error, 1),
                             "spread": round(float(wins.std()), 1), "least": least, "greatest": greatest,
                             "constant": round(middle)}
    for (group, (size, _)), start in zip(GROUPS.items(), STARTS, strict=True):
        part = np.round(weights[start:start + size]).astype(int)
        if not part.any():
            continue
        numbers = np.flatnonzero(part)
        sparse = {str(number): int(part[number]) for number in numbers}
        found[group] = sparse if len(numbers) * 2 < size else np.trim_zeros(part, "b").tolist()
    return found


def solve(slots: np.ndarray, wins: np.ndarray, middle: float, least: int, greatest: int) -> tuple[np.ndarray, float]:
    """(a number for each feature, root mean square error in centipawns) by least squares."""
    from search.known import FIRST_FEATURE, ROW

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
    """By cell of SCALES what an advantage against a lone royal piece is worth, in 64ths: the best share of wins in its endings.

    More men are worth no less, so the endings of four stand for those of more.
    """
    from search.features import LEADS, STAGE, fitted_weights
    from search.known import letters_of

    weights, best = fitted_weights(rules), np.full((4, 4), -1)
    for name, ending in known.items():
        first, second = (letters_of(side) for side in name.split("v"))
        if len(second) != 1 or len(first) < 2:
            continue
        lead = sum(int(weights[STAGE + rules.letters.index(letter)]) for letter in first if letter != "P")
        level = sum(lead >= edge for edge in LEADS)
        best[first.count("P"), level] = max(best[first.count("P"), level], round(64 * ending["shares"][0] / 100))
    found = {}
    for pawns, level in itertools.product(range(4), range(4)):
        least = int(best[:pawns + 1, :level + 1].max())
        if least >= 0 and level:
            found[pawns * 12 + level * 3] = max(2, least)
    return found


def write(path: Path, rules: Rules, known: dict[str, dict[str, Any]], lone: dict[int, int]) -> None:
    """Keep the endings where the engine reads them, one a line."""
    lines = list[str](_lines(known))
    text = "{\n" + f' "command": "kingmaker endings {rules.name}",\n "lone": {json.dumps(lone)},\n' + (
        ' "endings": {\n' + ",\n".join(lines) + "}}\n")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"cannot write {str(path)!r}: {error.strerror or error}") from None


def _lines(known: dict[str, dict[str, Any]]) -> Iterator[str]:
    for name, ending in known.items():
        yield f"  {json.dumps(name)}: {json.dumps(ending, separators=(',', ':'))}"
