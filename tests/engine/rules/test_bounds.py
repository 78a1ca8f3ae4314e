"""Move lists have room for any position that a FEN can describe (engine/rules/bounds.py); no kernel writes past an array."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

import variants
from engine.core.legality import count_kernel, legal_moves_kernel, split_kernel
from engine.errors import FenError, RulesError
from engine.game import Game
from engine.rules import FIDE_PIECES, Pawn, Piece, Rules, bounds
from engine.rules.betza import parse
from engine.rules.geometry import board_of
from search.eval.features import REACH
from search.eval.values import value_of
from support.places import ROOT, TESTS
from support.talk import Process

GAMES = variants.names()
GUARD = 0xFFFF_FFFF  # no move looks like that

MANY = {  # White to move: many queens, heirs to choose from, pawns about to promote
    "ascending": ("3q3k/8/1Q4Q1/4Q3/8/1Q4Q1/8/R2B1B1R w - - 0 1", "3q3k/Q2Q4/1Q4Q1/4Q3/2Q4Q/1Q4Q1/3Q2Q1/QQ3Q2 w - - 0 1",
                  "q6k/QQ2Q2Q/2Q2Q2/Q4Q1Q/1Q1Q4/Q4Q2/2Q2Q1Q/Q2Q2Q1 w - - 0 1"),
    "chess": ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", "r1n1b1qk/PPPPPPPP/8/8/8/8/8/QQQQK2Q w - - 0 1"),
    "shatar": ("k6r/J2J4/1J4J1/4J3/2J4J/J4J2/3J4/2NN1K1J w - - 0 1 -",),
    "ataturk": ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", "k7/8/1Q4Q1/4Q3/8/1Q3Q2/8/1Q2K2Q w - - 0 1"),
}


def crowded(letters: str, chance: random.Random) -> str:
    """The board field of a FEN: up to sixty pieces anywhere, most of them of a few types."""
    types = chance.choices(letters.replace("K", "").replace("P", ""), k=3)
    own = chance.random()
    board = [""] * 64
    for square in chance.sample(range(64), chance.randrange(8, 60)):
        letter = chance.choice(types)
        board[square] = letter if chance.random() < own else letter.lower()
    places = chance.sample(range(64), 2)
    board[places[0]], board[places[1]] = "K", "k"
    rows = []
    for rank in range(8):
        row = "".join(letter or "." for letter in board[rank * 8:rank * 8 + 8])
        for run in range(8, 0, -1):
            row = row.replace("." * run, str(run))
        rows.append(row)
    return "/".join(rows)


@pytest.mark.parametrize("variant", GAMES)
def test_no_position_has_more_moves_than_its_list(variant: str, dice: random.Random) -> None:
    rules = variants.find(variant)
    most = rules.traits.max_moves
    fens = [f"{crowded(rules.letters, dice)} w - - 0 1" for _ in range(300)] + list(MANY.get(variant, ()))
    seen = 0
    for fen in fens:
        try:
            game = Game(rules, fen)
        except FenError:
            continue
        room = np.full(most + 64, GUARD, np.uint32)
        count = int(legal_moves_kernel(rules, game.pos, room))
        assert count <= most and (room[most:] == GUARD).all(), fen
        assert int(count_kernel(rules, game.pos, np.empty(most, np.uint32))) == count, fen
        assert sum(map(int, split_kernel(rules, game.pos, room))) == count, fen
        assert (room[most:] == GUARD).all(), fen
        seen = max(seen, count)
    assert seen > 40


def test_reach_is_what_pieces_have_on_an_empty_board() -> None:
    board = board_of(8, 8)
    assert [bounds.reach(parse(betza), board) for betza in ("K", "N", "B", "R", "Q", "QN", "R2")] == [8, 8, 13, 14, 27, 35, 8]


def test_room_is_never_less_than_known_positions_need() -> None:
    """218 moves are the record of chess; each heir that may be chosen has all its side's moves."""
    assert variants.find("chess").traits.max_moves >= 218
    game = Game("ascending", MANY["ascending"][1])
    heirs = {move.split(",")[0] for move in game.legal_moves()}
    assert len(heirs) > 10 and len(game.legal_moves()) > 512


def test_a_game_with_too_many_moves_is_refused() -> None:
    many = (*FIDE_PIECES[:-1], *(Piece(letter, "QNAD") for letter in "ACDEFGHIJ"), FIDE_PIECES[-1])
    chess = variants.find("chess")
    with pytest.raises(RulesError, match=r"a position could have \d+ moves, room is for 40000"):
        replace(chess, name="made", pieces=many, royal_safety=False, succession="QACDEFGHIJ",
                pawn=Pawn(promotion_zone="".join(f"{file}{rank}" for file in "abcdefgh" for rank in "345678")))


@pytest.mark.parametrize("lines", [
    ("position fen 7k/8/1Q4Q1/4Q3/8/1Q4Q1/5q2/R2BKB1R b - - 0 1", "go depth 3"),
    ("position fen 3q3k/8/1Q4Q1/4Q3/8/1Q4Q1/8/R2B1B1R w - - 0 1", "go perft 1", "go depth 2"),
])
def test_a_choice_of_heirs_among_queens_does_no_harm(lines: tuple[str, ...]) -> None:
    """549 moves: a list of 512 was overrun, and the process died."""
    with Process("uci") as talk:
        talk.send("uci", "setoption name UCI_Variant value ascending", *lines)
        talk.until("bestmove .*")
        talk.send("isready")
        talk.until("readyok")


def test_the_larger_promotion_zone_counts() -> None:
    """24 squares, each entered from eight directions: three promotions beyond the first for each such move."""
    zone = "h8/" + "".join(f"{file}{rank}" for file in "bcdefg" for rank in "3456")
    pawn = Pawn("W", "F", zone, "QRBN", double_step_zone="")
    rules = replace(variants.find("chess"), name="made", board="", pawn=pawn, castling=False)
    turned = replace(rules, name="turned", pawn=replace(pawn, promotion_zone="/".join(reversed(zone.split("/")))))
    none = replace(rules, name="none", pawn=replace(pawn, promotion_zone=""))
    assert rules.traits.max_moves == turned.traits.max_moves
    assert rules.traits.max_moves - none.traits.max_moves == 24 * 8 * 3


def test_promotions_on_half_the_board_have_room() -> None:
    """Black's pawns stand on all dark squares and promote on the light ones of six ranks: 86 steps, twelve promotions each."""
    light = "".join(f"{file}{rank}" for file in "abcdefgh" for rank in "123456" if (ord(file) + int(rank)) % 2)
    letters = "ACDEFGHI"
    rules = replace(
        variants.find("chess"), name="made", board="", castling=False,
        pieces=(*FIDE_PIECES[:-1], *(Piece(letter, "A") for letter in letters), FIDE_PIECES[-1]),
        pawn=Pawn("W", "F", f"h8/{light}", f"QRBN{letters}", double_step_zone=""))
    fen = "kp1p1p1p/p1p1p1pK/1p1p1p1p/p1p1p1p1/1p1p1p1p/p1p1p1p1/1p1p1p1p/p1p1p1p1 b - - 0 1"
    moves = Game(rules, fen).legal_moves()
    assert len([move for move in moves if len(move) == 5]) == 86 * 12
    assert len(moves) <= rules.traits.max_moves


@pytest.mark.parametrize(("driven", "drives"), [("nDnA", 8), (True, 8), ("F", 4), ("NCZ", 24)])
def test_squares_a_king_is_driven_to_have_room(driven: bool | str, drives: int) -> None:
    """All goals of a king on d4 lie on the board."""
    chess = variants.find("chess")
    plain = replace(chess, name="plain", board="", castling=False)
    made = replace(plain, name="made", driven_king=driven)
    assert made.traits.max_moves - plain.traits.max_moves == drives


CHECKED = """
import numpy as np
import variants
from engine.core.legality import legal_moves_kernel
from engine.text import parse_fen
rules = variants.find("chess")
try:
    legal_moves_kernel(rules, parse_fen(rules, rules.start_fen), np.empty(5, np.uint32))
except IndexError as error:
    print("caught", error)
"""


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_all_kernels_with_bounds_checks(tmp_path: Path) -> None:
    """Random games, perft tables, crowded boards, searches and hostile lines in a build that looks at every index."""
    checked: dict[str, Any] = {
        **os.environ, "NUMBA_BOUNDSCHECK": "1", "KINGMAKER_CACHE": str(tmp_path), "KINGMAKER_PERFT_NODES": "100000"}
    said = subprocess.run([sys.executable, "-c", CHECKED], env=checked, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert said.stdout.startswith("caught"), said.stdout + said.stderr  # such a build does look
    tests = ["engine/rules/test_bounds.py", "engine/core/test_games.py", "engine/core/test_perft.py",
             "engine/core/test_movegen.py", "variants/boards/test_titles.py", "search/test_limits.py",
             "search/eval/test_evaluate.py", "search/test_solve.py", "bench/check/test_fuzz.py"]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--timeout", "1800"]
    run = subprocess.run([*command, *(str(TESTS / name) for name in tests)], env=checked, cwd=ROOT, capture_output=True,
                         text=True, timeout=3600)
    assert run.returncode == 0, run.stdout[-4000:]


def test_a_far_reaching_piece_does_not_overrun_its_features() -> None:
    """A queen that leaps besides reaches 43 squares: the evaluation tells 32 numbers of them apart."""
    start = "k7/8/8/8/3Q4/8/8/7K w - - 0 1"
    rules = Rules("far", "made up", chess.Board, start, pieces=(Piece("Q", "QNAD"), Piece("K", "K", royal=True)), pawn=None,
                  castling=False)
    assert max(mover.reach for mover in rules.traits.pieces) >= REACH
    assert value_of(rules, Game(rules).pos) > 0
