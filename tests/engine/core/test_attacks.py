"""Slider attacks, by table and by arithmetic, against walking square by square; lines between squares."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.compile.jit import inline
from engine.compile.processor import processor, sliders
from engine.core.attacks import BETWEEN, BISHOP_EMPTY, ROOK_EMPTY, THROUGH, bishop_attacks, pext_table, rook_attacks
from engine.core.bits import lowest, popcount, squares, turned
from support.places import ROOT
from support.slow import CHESS, FIDE, Board, F, Variant, W, slides


@inline
def _rook(square, occupied):  # type: ignore[no-untyped-def]
    return rook_attacks(square, occupied)


@inline
def _bishop(square, occupied):  # type: ignore[no-untyped-def]
    return bishop_attacks(square, occupied)


def walked(letter: str, square: int, occupied: int) -> int:
    """The attacks of a rook or bishop by walking."""
    board = Board(Variant(FIDE), {**dict.fromkeys(squares(occupied), "p"), square: letter})
    return sum(1 << target for target in board.reached(square))


def samples(dice: random.Random, count: int) -> list[tuple[int, int]]:
    """(square, occupied) pairs: empty, full, sparse and dense boards, the square itself taken or not."""
    found = []
    for _ in range(count):
        occupied = dice.getrandbits(64)
        for _ in range(dice.randrange(4)):
            occupied &= dice.getrandbits(64)
        found.append((dice.randrange(64), occupied))
    return found + [(square, occupied) for square in range(64) for occupied in (0, (1 << 64) - 1, 1 << square, 1, 1 << 63)]


def test_sliders_match_walking(dice: random.Random) -> None:
    for square, occupied in samples(dice, 4000):
        s, o = np.uint64(square), np.uint64(occupied)
        assert int(_rook(s, o)) == walked("R", square, occupied), (square, hex(occupied))
        assert int(_bishop(s, o)) == walked("B", square, occupied), (square, hex(occupied))


def test_every_occupation_of_a_line() -> None:
    """Each rank and file through each square with each of its occupations, nothing else on the board."""
    for square in range(64):
        rank, file = square & ~7, square & 7
        for pattern in range(256):
            occupied = pattern << rank
            assert int(_rook(np.uint64(square), np.uint64(occupied))) == walked("R", square, occupied)
            if square % 9 == 0:
                occupied = sum(1 << (8 * i + file) for i in range(8) if pattern >> i & 1)
                assert int(_rook(np.uint64(square), np.uint64(occupied))) == walked("R", square, occupied)


def test_look_up_tables_match_walking(dice: random.Random) -> None:
    """Made on every machine here, whichever way it looks up."""
    for lines, letter in (((0, 1), "R"), ((2, 3), "B")):
        entry, attacks = pext_table(lines)
        assert len(attacks) == sum(1 << int(mask).bit_count() for mask in entry[:, 0])
        for square, occupied in samples(dice, 500):
            inner = [bit for bit in range(64) if int(entry[square, 0]) >> bit & 1]
            index = sum(1 << number for number, bit in enumerate(inner) if occupied >> bit & 1)
            assert int(attacks[int(entry[square, 1]) + index]) == walked(letter, square, occupied)


def test_empty_board_between_and_through() -> None:
    for a in range(64):
        assert int(ROOK_EMPTY[a]) == walked("R", a, 0) and int(BISHOP_EMPTY[a]) == walked("B", a, 0)
        seen = set()
        for x, y, _ in slides(W + F):
            between, b = 0, CHESS.shifted(a, x, y)
            line = sum(1 << s for sign in (1, -1) for i in range(8)
                       if (s := CHESS.shifted(a, sign * i * x, sign * i * y)) is not None and (i or sign == 1))
            while b is not None:
                assert int(BETWEEN[a, b]) == between and int(THROUGH[a, b]) == line, (a, b)
                between |= 1 << b
                seen.add(b)
                b = CHESS.shifted(b, x, y)
        assert all(not BETWEEN[a, b] and not THROUGH[a, b] for b in set(range(64)) - seen)


def test_bits(dice: random.Random) -> None:
    count, low = inline(lambda x: popcount(x)), inline(lambda x: lowest(x))
    for _ in range(200):
        number = dice.getrandbits(64) & dice.getrandbits(64) | 1 << dice.randrange(64)
        assert int(count(np.uint64(number))) == number.bit_count()
        assert int(low(np.uint64(number))) == (number & -number).bit_length() - 1 == next(squares(number))
        assert turned(turned(number)) == number and turned(1) == 1 << 63


def test_choice_of_sliders(monkeypatch: pytest.MonkeyPatch) -> None:
    has = processor()[1].split(",")
    able = "pext" if "+bmi2" in has else "lines"
    monkeypatch.setenv("KINGMAKER_SLIDERS", "lines")
    assert sliders() == "lines"
    monkeypatch.setenv("KINGMAKER_SLIDERS", "pext")
    assert sliders() == able, "never an instruction the processor lacks: it aborts the process"
    monkeypatch.setenv("KINGMAKER_SLIDERS", "fills")
    assert sliders() == ("fills" if "+avx512vpopcntdq" in has else able)
    for name, features, expected in (
            ("znver1", "+bmi2,+avx2", "lines"), ("znver2", "+bmi2", "lines"), ("znver3", "+bmi2", "pext"),
            ("znver4", "+bmi2,+avx512f,+avx512vpopcntdq", "fills"), ("skylake-avx512", "+bmi2,+avx512f", "pext"),
            ("haswell", "+avx2,+bmi2", "pext"), ("core2", "-bmi2,+sse3", "lines"), ("", "", "lines")):
        monkeypatch.setattr("engine.compile.processor.processor", lambda name=name, features=features: (name, features))
        monkeypatch.delenv("KINGMAKER_SLIDERS")
        assert sliders() == expected, (name, features)
        monkeypatch.setenv("KINGMAKER_SLIDERS", "pext")


PERFT = """
import sys
import chess
import variants
from engine.compile.processor import sliders
from engine.core.perft import perft
from engine.rules import Piece, Rules
from engine.text import parse_fen
pieces = tuple(Piece(letter, letter, royal=letter == "K") for letter in "RBQK")
small = Rules("small", "made up", chess.Board, pieces=pieces, pawn=None, castling=False)
fen, depth = sys.argv[2], int(sys.argv[3])
rules = variants.find("chess") if sys.argv[1] == "chess" else small
print(sliders(), perft(rules, parse_fen(rules, fen), depth), sep=" ")
"""


@pytest.mark.parametrize(("game", "fen", "depth", "expected"), [
    ("small", "1r2k3/4q3/2b5/8/8/5B2/1Q6/4K2R w - - 0 1", 3, 10314),  # of chess, too: so python-chess counts
    pytest.param("chess", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", 4, 4085603,
                 marks=pytest.mark.long),
], ids=["small", "chess"])
@pytest.mark.parametrize("way", ["lines", "pext", "fills"])
def test_perft_and_walking_the_other_ways(tmp_path: Path, way: str, game: str, fen: str, depth: int,
                                                 expected: int) -> None:
    """In a process of its own: the ways this machine would not choose. The processor may know one way only."""
    if way == sliders():
        return  # every other test goes this way
    environment = {**os.environ, "KINGMAKER_SLIDERS": way, "KINGMAKER_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    said = subprocess.run([sys.executable, "-c", PERFT, game, fen, str(depth)], env=environment, cwd=ROOT,
                          capture_output=True, text=True, check=True)
    chosen, count = said.stdout.split()
    assert int(count) == expected
    if chosen != sliders():
        tests = [f"{__file__}::{test}" for test in ("test_sliders_match_walking", "test_every_occupation_of_a_line")]
        subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
                       env=environment, cwd=ROOT, check=True)
