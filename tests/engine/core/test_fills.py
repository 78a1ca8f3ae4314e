"""Eight bitboards in a register against Python's integers; fills and leaps of all pieces against walking square by square."""

from __future__ import annotations

import random

import chess
import numpy as np
import pytest

import variants
from engine.compile.jit import inline
from engine.core.bits import squares
from engine.core.fills import filled, leap_goals, leaps_counted, ways_over
from engine.core.lanes import any_set, lane, lanes_of, merged, opposite, popcounts, rotated, spread, total
from engine.rules import START, TYPES, Pawn, Piece, Rules
from engine.rules.geometry import DIRECTIONS

FULL = (1 << 64) - 1
KNIGHT = tuple((x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y))
CAMEL = tuple((x, y) for x in (-3, -1, 1, 3) for y in (-3, -1, 1, 3) if abs(x) != abs(y))


@inline
def _words(some):  # type: ignore[no-untyped-def]
    return (lane(some, 0), lane(some, 1), lane(some, 2), lane(some, 3),
            lane(some, 4), lane(some, 5), lane(some, 6), lane(some, 7))


@inline
def _lane_by_lane(row, by):  # type: ignore[no-untyped-def]
    some = lanes_of(row)
    return _words(rotated(some, lanes_of(by))), _words(popcounts(some)), _words(opposite(some)), _words(some + lanes_of(by))


@inline
def _together(row, word):  # type: ignore[no-untyped-def]
    some = lanes_of(row) & spread(word)
    return merged(some), total(some), any_set(some), merged(some | spread(word))


@inline
def _filled(rules, row, empty):  # type: ignore[no-untyped-def]
    return _words(filled(rules, lanes_of(row), ways_over(rules, empty)))


@inline
def _leaps(rules, pos, us, among, free, axes, goals):  # type: ignore[no-untyped-def]
    return merged(leap_goals(rules, pos, us, among)), total(leaps_counted(rules, pos, us, free, lanes_of(axes), spread(goals)))


def rows(dice: random.Random, count: int) -> list[np.ndarray]:
    """uint64[8] each: empty, full, dense and sparse words."""
    some = [[dice.getrandbits(64) & dice.choice((FULL, dice.getrandbits(64), 1 << dice.randrange(64))) for _ in DIRECTIONS]
            for _ in range(count)]
    return [np.array(words, np.uint64) for words in ([0] * 8, [FULL] * 8, *some)]


def stepped(square: int, x: int, y: int) -> int | None:
    """The square that far east and north, None outside the board."""
    file, rank = square % 8 + x, square // 8 + y
    return rank * 8 + file if 0 <= file < 8 and 0 <= rank < 8 else None


def test_lanes(dice: random.Random) -> None:
    for row in rows(dice, 200):
        by = np.array([dice.randrange(64) for _ in DIRECTIONS], np.uint64)
        words, shifts = [int(word) for word in row], [int(shift) for shift in by]
        turned, counts, opposites, sums = _lane_by_lane(row, by)
        assert turned == tuple((w << s | w >> (64 - s)) & FULL for w, s in zip(words, shifts, strict=True))
        assert counts == tuple(word.bit_count() for word in words)
        assert opposites == tuple(words[DIRECTIONS.index((-x, -y))] for x, y in DIRECTIONS)
        assert sums == tuple((w + s) & FULL for w, s in zip(words, shifts, strict=True))
        mask = dice.getrandbits(64)
        kept = [word & mask for word in words]
        either = int(np.bitwise_or.reduce(np.array(kept, np.uint64)))
        assert _together(row, np.uint64(mask)) == (either, sum(kept) & FULL, either != 0, mask)


def test_fills_match_walking(dice: random.Random) -> None:
    rules = variants.find("chess")
    for row in rows(dice, 300):
        empty = dice.getrandbits(64) | dice.getrandbits(64)
        found = _filled(rules, row, np.uint64(empty))
        for number, (x, y) in enumerate(DIRECTIONS):
            attacked = 0
            for square in squares(int(row[number])):
                at = stepped(square, x, y)
                while at is not None:
                    attacked |= 1 << at
                    at = stepped(at, x, y) if empty >> at & 1 else None
            assert found[number] == attacked, (hex(int(row[number])), hex(empty), x, y)


LEAPERS = {"N": KNIGHT, "A": ((1, 1), (-1, 1), (0, -1), (1, 2), (-1, 2)), "B": (*CAMEL, (1, 1)), "K": ()}  # K is royal


def _leaping() -> Rules:
    """Leaps along lines and across them, types that share some of them, some forward only, more than eight in all."""
    pieces = (Piece("N", "N"), Piece("A", "fFbWfN"), Piece("B", "CfrF"), Piece("K", "K", royal=True))
    return Rules(name="leaping", source="made up", board=chess.Board, start_fen=START, pieces=pieces,
                 pawn=Pawn(promotes_to="N"), castling=False)


@pytest.mark.parametrize("us", [0, 1])
def test_leaps_match_stepping(dice: random.Random, us: int) -> None:
    """Those in `axes` leap along their line only, the others everywhere."""
    rules = _leaping()
    assert rules.traits.moves_at_once and not rules.traits.far_leaps
    for _ in range(300):
        pos = np.zeros(rules.traits.words, np.uint64)
        for square in dice.sample(range(64), 20):
            pos[TYPES + dice.randrange(5)] |= np.uint64(1 << square)
        among, free, goals = (dice.getrandbits(64) for _ in range(3))
        axis = dice.randrange(4)
        axes = np.zeros(8, np.uint64)
        axes[[axis, axis + 4]] = dice.getrandbits(64) & ~free
        attacked, count = 0, 0
        for number, letter in enumerate("NABK", 1):
            for square in squares(int(pos[TYPES + number])):
                for x, y in LEAPERS[letter]:
                    at = stepped(square, -x if us else x, -y if us else y)
                    if at is None:
                        continue
                    line = (x, y) in DIRECTIONS and DIRECTIONS.index((x, y)) % 4 == axis
                    attacked |= (among >> square & 1) << at
                    count += goals >> at & 1 and (free >> square & 1 or (line and int(axes[axis]) >> square & 1))
        u = np.uint64
        assert _leaps(rules, pos, u(us), u(among), u(free), axes, u(goals)) == (attacked, count)
