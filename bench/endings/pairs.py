"""Fits the numbers of pairs of pieces (search/eval/ending_pairs.py) to what an ending's row leaves.

Pair after pair, each number becomes the mean of what is left in its positions, until nothing changes much.
"""

from __future__ import annotations

import itertools

import numpy as np

from engine.rules import BLACK, WHITE, Rules
from engine.rules.geometry import WORD
from search.eval.ending_pairs import TABLE, squares_kernel
from search.eval.known import ENDING_PIECES, PAIR_STEP, states_of

ROUNDS = 20
SHRINK = 4.0  # positions that say nothing, beside those of a pair of squares
HELD_OUT = 0.1  # share of positions by which the error is judged


def paired(rules: Rules, rows: np.ndarray, firsts: np.ndarray, wins: np.ndarray, guess: np.ndarray, edges: tuple[int, int],
           chance: np.random.Generator) -> tuple[np.ndarray, float]:
    """(int8[pairs, states, WORD, WORD] in steps of PAIR_STEP, root mean square error of positions held out, centipawns).

    rows: uint64[n, words]; firsts: uint64[n]; wins: centipawns for the first side; guess: what the row says of them; edges: its
    least and greatest value.
    """
    squares, states = np.zeros((len(rows), ENDING_PIECES + 1), np.uint64), np.zeros(len(rows), np.int64)
    squares_kernel(rules, rows, firsts, squares, states)
    places = squares.astype(np.int64)
    pieces = (int(rows[0, WHITE]) | int(rows[0, BLACK])).bit_count()
    numbers = [(states * WORD + places[:, i]) * WORD + places[:, j] for i in range(1, pieces) for j in range(i)]
    left, learn = (wins - guess).astype(float), chance.random(len(rows)) >= HELD_OUT
    tables = np.zeros((len(numbers), states_of(rules) * TABLE))
    counts = [np.bincount(number[learn], minlength=tables.shape[1]) + SHRINK for number in numbers]
    for _, (n, number) in itertools.product(range(ROUNDS), enumerate(numbers)):
        mean = np.bincount(number[learn], left[learn] + tables[n, number[learn]], tables.shape[1]) / counts[n]
        left -= (mean - tables[n])[number]
        tables[n] = mean
    found = as_bytes(tables / PAIR_STEP)
    value = guess + PAIR_STEP * sum(table[number].astype(np.int64) for table, number in zip(found, numbers, strict=True))
    error = np.sqrt(((wins - np.clip(value, *edges))[~learn] ** 2).mean())
    return found.reshape(len(numbers), states_of(rules), WORD, WORD), float(error)


def as_bytes(numbers: np.ndarray) -> np.ndarray:
    """The nearest int8."""
    limits = np.iinfo(np.int8)
    return np.clip(np.round(numbers), limits.min, limits.max).astype(np.int8)
