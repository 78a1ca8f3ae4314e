"""Positions: making a move leaves its source alone, keys distinguish what repetition distinguishes, castling squares."""

from __future__ import annotations

import random

import chess.variant
import numpy as np
import pytest

import variants
from engine.compile.jit import entry
from engine.core.keys import Z_CASTLING, Z_EP, Z_PIECES, Z_TURN
from engine.core.legality import full_key_kernel, over_at_once
from engine.core.reasons import LAST_LOSS, NOT_OVER
from engine.game import Game, Outcome, Reason
from engine.rules import CASTLING, CLOCK, EP, KEY, PLY, TURN
from engine.text import parse_fen, to_fen
from search.draws import drawn_material, repeated
from search.state import ROOT, new_thread
from support.harness import check_words, moves_by_text, play

NAMES = ("chess", "atomic", "nocheckatomic")


def key(name: str, fen: str) -> int:
    return int(parse_fen(variants.find(name), fen)[KEY])


@pytest.mark.parametrize("name", NAMES)
def test_pushing_and_popping_restores_every_word(name: str, dice: random.Random) -> None:
    game = Game(name)
    rows = [game.pos.copy()]
    while len(rows) < 80 and game.legal_moves():
        game.push(dice.choice(game.legal_moves()))
        check_words(game.rules, game.pos)
        rows.append(game.pos.copy())
    while len(rows) > 1:
        rows.pop()
        game.pop()
        assert (game.pos == rows[-1]).all()


@pytest.mark.parametrize("name", NAMES)
def test_position_by_moves_is_the_position_by_fen(name: str, dice: random.Random) -> None:
    rules = variants.find(name)
    for _ in range(10):
        pos = parse_fen(rules, rules.start_fen)
        for _ in range(60):
            moves = moves_by_text(rules, pos)
            if not moves:
                break
            pos = play(rules, pos, dice.choice(list(moves.values())))
            assert (parse_fen(rules, to_fen(rules, pos)) == pos).all(), to_fen(rules, pos)


def test_keys_tell_positions_apart() -> None:
    castles = [f"r3k2r/8/8/8/8/8/8/R3K2R {rest} - 0 1" for rest in ("w KQkq", "b KQkq", "w KQk", "w KQq", "w Kkq", "w -")]
    men = [f"r3k2r/8/8/8/8/8/8/{row} w Qkq - 0 1" for row in ("R3K1R1", "R3K2B", "R3K2b")]
    fens = [*castles, *men, "4k3/8/8/8/Pp6/8/8/4K3 b - - 0 1", "4k3/8/8/8/Pp6/8/8/4K3 b - a3 0 1"]
    assert len({key("chess", fen) for fen in fens}) == len(fens)


def test_keys_leave_out_what_does_not_matter() -> None:
    """Clocks, and an en passant square that nobody may capture on: no pawn there, or a pinned one."""
    bare = key("chess", "4k3/8/8/8/P7/8/8/4K3 b - - 0 1")
    assert key("chess", "4k3/8/8/8/P7/8/8/4K3 b - a3 0 1") == key("chess", "4k3/8/8/8/P7/8/8/4K3 b - - 42 77") == bare
    pinned = "8/8/8/8/k2Pp2Q/8/8/3K4 b - {} 0 1"
    assert key("chess", pinned.format("d3")) == key("chess", pinned.format("-"))
    assert key("chess", pinned.replace("Q", "N").format("d3")) != key("chess", pinned.replace("Q", "N").format("-"))


def test_two_ways_to_one_position() -> None:
    ways = ("g1f3 g8f6 b1c3 b8c6", "b1c3 b8c6 g1f3 g8f6", "b1c3 g8f6 g1f3 b8c6")
    keys = set()
    for way in ways:
        game = Game("chess")
        for move in way.split():
            game.push(move)
        keys.add(int(game.pos[KEY]))
    assert len(keys) == 1
    game = Game("chess")
    for move in ["g1f3", "g8f6", "f3g1", "f6g8"]:
        game.push(move)
    assert game.pos[KEY] == game.positions[0][KEY] and game.repetitions() == 2


@entry
def _repeated(rules, stack, row):  # type: ignore[no-untyped-def]
    return repeated(rules, stack, row)


@pytest.mark.parametrize(("variant", "before", "clock", "drawn"), [
    ("chess", (4,), 20, True),  # back to the root, once
    ("chess", (5,), 20, False),  # to what stood before the root: an odd number of plies ago the other side was to move
    ("chess", (6,), 20, False),  # before the root, once
    ("chess", (6, 10), 20, True),  # twice
    ("chess", (6, 10), 9, False),  # a capture or a pawn's move between
    ("chess", (6, 10), 10, True),
    ("chess", (), 20, False),
    ("crazyhouse", (4,), 0, True),  # nothing captured is gone
    ("crazyhouse", (6,), 0, False),
    ("crazyhouse", (6, 10), 0, True),
])
def test_back_to_the_root_once_or_before_it_twice(variant: str, before: tuple[int, ...], clock: int, drawn: bool) -> None:
    """The position four plies after the root stood there so many plies before."""
    rules = variants.find(variant)
    stack = new_thread(rules)[0]
    row = ROOT + 4
    stack[:row + 1, KEY] = np.arange(1, row + 2)
    stack[row, CLOCK] = clock
    for plies in before:
        stack[row - plies, KEY] = stack[row, KEY]
    assert bool(_repeated(rules, stack, np.int64(row))) == drawn


def test_what_is_captured_and_dropped_again_repeats_a_position() -> None:
    """Two queens and two rooks are exchanged and dropped for ever: every second ply is a capture."""
    fen = "1q2kb1r/rPpp2p1/4ppn1/1p6/5P1p/P2PP2P/1P1B1pP1/nN1K3R[RBNqb] w k - 0 25"
    cycle = ["R@c8", "Q@d8", "c8b8", "d8b8", "Q@c8", "R@d8", "c8b8", "d8b8", "Q@c8", "Q@d8", "c8b8", "d8b8"]
    game, board = Game("crazyhouse", fen), chess.variant.CrazyhouseBoard(fen)
    for ply, move in enumerate(cycle * 2):
        assert game.outcome() is None and not board.is_repetition(3), ply
        game.push(move)
        board.push_uci(move)
    assert game.repetitions() == 3 and board.is_repetition(3)
    outcome = game.outcome()
    assert outcome is not None and outcome.reason is Reason.REPETITION


def test_a_king_that_comes_home_has_lost_its_rights() -> None:
    game = Game("chess", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    for move in ["e1e2", "e8e7", "e2e1", "e7e8"]:
        game.push(move)
    assert game.fen() == "r3k2r/8/8/8/8/8/8/R3K2R w - - 4 3"
    assert game.pos[KEY] != game.positions[0][KEY]


@entry
def _dead(rules, pos):  # type: ignore[no-untyped-def]
    return drawn_material(rules, pos)


@pytest.mark.parametrize(("men", "dead"), [
    ("7k/8/8/8/8/8/8/K7", True), ("7k/8/8/8/8/8/8/KN6", True), ("7k/8/8/8/8/8/8/KB6", True), ("6bk/8/8/8/8/8/8/K7", True),
    ("6nk/8/8/8/8/8/8/K7", True), ("7k/8/8/8/8/8/P7/K7", False), ("7k/8/8/8/8/8/8/KR6", False), ("6nk/8/8/8/8/8/8/KN6", False),
    ("6bk/8/8/8/8/8/8/KN6", False), ("7k/8/8/8/8/8/8/KNN5", False), ("6bk/8/8/8/8/8/8/KB6", False)])
def test_dead_position(men: str, dead: bool) -> None:
    """FIDE's, in chess only: bare kings and at most one knight or bishop. The search knows it as well."""
    game = Game("chess", f"{men} w - - 0 1")
    assert game.outcome() == (Outcome(None, Reason.MATERIAL) if dead else None)
    assert bool(_dead(game.rules, game.pos)) == dead
    assert Game("nocheckatomic", f"{men} w - - 0 1").outcome() is None


@entry
def _gone(rules, pos):  # type: ignore[no-untyped-def]
    return over_at_once(rules, pos)


@pytest.mark.parametrize(("name", "fen", "gone"), [
    ("atomic", "8/8/8/8/8/8/8/r3K3 b - - 0 1", True),
    ("atomic", "4k3/8/8/8/8/8/r7/4K3 b - - 0 1", False),
    ("nocheckatomic", "8/8/8/8/8/8/8/r3K3 b - - 0 1", True),
    ("nocheckatomic", "4k3/8/8/8/8/8/8/r3K3 b - - 0 1", False),
    ("ascending", "4Q3/3ppp2/8/8/8/8/8/K7 b - - 0 1", True),  # pawns never ascend
    ("ascending", "qqR5/8/8/8/8/8/8/K7 b - - 0 1", False),  # a choice of two
    ("ascending", "4k3/3ppp2/8/8/8/8/8/K7 b - - 0 1", False),
])
def test_a_side_without_king_has_lost_unless_it_has_heirs(name: str, fen: str, gone: bool) -> None:
    """The kernel that the search and the game ask says so."""
    game = Game(name, fen)
    reason = _gone(game.rules, game.pos)
    assert NOT_OVER < reason <= LAST_LOSS if gone else reason == NOT_OVER
    assert (game.outcome() is not None) == gone


def test_clock_and_ply() -> None:
    game = Game("chess", "4k3/7p/8/8/8/8/P7/4K2R b K - 7 20")
    clocks = []
    for move in ("e8d8", "e1g1", "h7h5", "f1f7", "h5h4", "f7a7", "d8e8", "a7h7", "e8d8", "h7h4"):
        game.push(move)
        clocks.append((int(game.pos[CLOCK]), int(game.pos[PLY])))
    assert clocks == [(8, 40), (9, 41), (0, 42), (1, 43), (0, 44), (1, 45), (2, 46), (3, 47), (4, 48), (0, 49)]
    assert game.fen().endswith(" b - - 0 25")


@pytest.mark.parametrize(("fen", "move", "after"), [
    ("4k3/8/8/8/8/8/8/RK5R w HA - 0 1", "b1h1", "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"),
    ("4k3/8/8/8/8/8/8/RK5R w HA - 0 1", "b1a1", "4k3/8/8/8/8/8/8/2KR3R b - - 1 1"),
    ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"),
    ("4k3/8/8/8/8/8/8/2RK4 w C - 0 1", "d1c1", "4k3/8/8/8/8/8/8/2KR4 b - - 1 1"),
    ("4k3/8/8/8/8/8/8/R5KR w HA - 0 1", "g1h1", "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"),
    ("r1k4r/8/8/8/8/8/8/4K3 b ha - 0 1", "c8a8", "2kr3r/8/8/8/8/8/8/4K3 w - - 1 2"),
    ("1r4kr/8/8/8/8/8/8/4K3 b hb - 0 1", "g8b8", "2kr3r/8/8/8/8/8/8/4K3 w - - 1 2"),
])
def test_castling_squares(fen: str, move: str, after: str) -> None:
    rules = variants.find("chess")
    pos = parse_fen(rules, fen)
    child = play(rules, pos, moves_by_text(rules, pos)[move])
    assert to_fen(rules, child) == after
    check_words(rules, child)


@pytest.mark.parametrize("name", NAMES)
def test_key_from_scratch_reads_every_part(name: str) -> None:
    rules = variants.find(name)
    pos = parse_fen(rules, "4k3/8/8/8/Pp6/8/8/4K2R b K a3 0 1")
    before = int(pos[KEY])
    for word in (TURN, EP, CASTLING):
        changed = pos.copy()
        changed[word] = 0
        assert int(full_key_kernel(rules, changed)) != before, word
    for word in (CLOCK, PLY):
        changed = pos.copy()
        changed[word] += np.uint64(5)
        assert int(full_key_kernel(rules, changed)) == before, word


def test_zobrist_numbers_differ() -> None:
    numbers = [*Z_PIECES.ravel().tolist(), *Z_EP.tolist(), *Z_CASTLING.tolist(), int(Z_TURN)]
    assert len(set(numbers)) == len(numbers) and 0 not in numbers
