"""Numbers of pairs of pieces in known endings: seen alike by both sides, on both wings."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import variants
from engine.game import Game
from search.eval import known
from search.eval.ending_pairs import squares_kernel
from search.eval.features import ENDINGS, fitted_weights
from search.eval.files import TunedError
from search.eval.known import ENDING_PIECES, PAIR_STEP, ending_numbers, key_of, spellings
from search.eval.values import value_of


def upside_down(fen: str) -> str:
    """The position with colours exchanged."""
    board, turn, rest = fen.split(" ", 2)
    return f"{'/'.join(reversed(board.swapcase().split('/')))} {'b' if turn == 'w' else 'w'} {rest}"


def mirrored(fen: str) -> str:
    """The position with left and right exchanged."""
    board, rest = fen.split(" ", 1)
    return f"{'/'.join(rank[::-1] for rank in board.split('/'))} {rest}"


@pytest.mark.parametrize(("variant", "fen"), [
    ("chess", "8/8/8/4k3/6r1/2K5/8/1Q6 w - - 0 1"), ("chess", "8/3p4/8/4k3/8/2K5/8/1R6 b - - 0 1"),
    ("chess", "8/8/2k5/8/3P4/2K5/8/8 w - - 0 1"), ("atomic", "8/8/8/4k3/5p2/2K5/8/1Q6 b - - 0 1"),
    ("nocheckatomic", "8/8/8/1k6/1K6/5p2/8/1Q6 w - - 0 1")])
def test_mirror_images_are_worth_the_same(variant: str, fen: str) -> None:
    rules = variants.find(variant)
    images = fen, upside_down(fen), mirrored(fen), mirrored(upside_down(fen))
    seen = {value_of(rules, Game(rules, image).pos) for image in images}
    assert len(seen) == 1 and 0 not in seen


def test_squares_are_seen_by_the_first_side() -> None:
    rules = variants.find("chess")
    found, states = np.zeros((2, ENDING_PIECES + 1), np.uint64), np.full(2, -1)
    games = Game(rules, "8/8/8/4k3/6r1/2K5/8/1Q6 w - - 0 1"), Game(rules, "1q6/8/2k5/6R1/4K3/8/8/8 b - - 0 1")
    squares_kernel(rules, np.array([game.pos for game in games]), np.array([0, 1], np.uint64), found, states)
    # types in order knight to king: queen g1 and king f3, rook b4 and king d5, mirrored because that king stood on e5
    assert found.tolist() == [[6, 21, 25, 35, 0, 0]] * 2 and states.tolist() == [0, 0]


@pytest.mark.parametrize(("fen", "state"), [
    ("5r2/4N3/8/8/4K3/8/8/8 w - - 0 1 e7/f8", 0), ("5r2/4N3/8/8/4K3/8/8/8 b - - 0 1 e7/f8", 1),
    ("5r2/4N3/8/8/4K3/8/8/8 w - - 0 1 e4/f8", 2), ("5R2/4n3/8/8/4k3/8/8/8 w - - 0 1 f8/e4", 3)])
def test_a_state_is_who_moves_and_who_holds_the_title(fen: str, state: int) -> None:
    rules = variants.find("ataturk")
    found, states = np.zeros((1, ENDING_PIECES + 1), np.uint64), np.full(1, -1)
    game = Game(rules, fen)
    squares_kernel(rules, game.pos.reshape(1, -1), np.array(["5R2" in fen], np.uint64), found, states)
    assert states[0] == state


def test_a_number_counts_for_its_squares_and_side_to_move() -> None:
    rules = variants.find("chess")
    row = {"shares": [100, 0, 0], "least": -1000, "greatest": 1000, "constant": 500}
    pairs = np.zeros((3, 2, 64, 64), np.int8)
    pairs[0, 0, 20, 0] = 7  # king e3, rook a1; the first side to move
    pairs[2, 1, 35, 20] = -9  # the other king d5, king e3; the second side to move
    weights = np.concatenate([fitted_weights(rules)[:ENDINGS], ending_numbers(rules, {
        "KvK": row | {"constant": 1}, "KRvK": row | {"pairs": pairs}, "KQvK": row | {"pairs": pairs + 1}})])
    good, bad = 500 + 7 * PAIR_STEP, 500 - 9 * PAIR_STEP
    for fen, value in (("8/8/8/3k4/8/4K3/8/R7 w - - 0 1", good), ("8/8/8/3k4/8/4K3/8/R7 b - - 0 1", -bad),
                       ("8/8/8/4k3/8/3K4/8/7R w - - 0 1", good), ("8/8/8/3k4/8/4K3/8/1R6 w - - 0 1", 500),
                       ("r7/8/4k3/8/3K4/8/8/8 b - - 0 1", good)):
        assert value_of(rules, Game(rules, fen).pos, weights=weights) == value, fen


def test_names_of_mirror_images_are_one_ending() -> None:
    rules = variants.find("chess")
    for name, image in (("KP1PvK", "KP2PvK"), ("KB1B2P2vKP1", "KB1B2P1vKP2"), ("KB1NvK", "KB2NvK")):
        assert sorted(spellings(rules, name)) == sorted(spellings(rules, image))
        first, second = (key_of(rules, each) for each in (name, image))
        assert {first, second} == {key_of(rules, each) for each in spellings(rules, name)}
    names = ["".join(sides) for sides in itertools.product(("KPP", "KP1P", "KP2P", "KP1P2"), ("vK",))]
    assert len({key_of(rules, name) for name in names}) == len(names)


@pytest.mark.parametrize(("name", "shape", "said"), [
    ("KRvK", (6, 2, 64, 64), "KRvK has (6, 2, 64, 64)"), ("KRvQ", (3, 2, 64, 64), "KRvQ"), (None, None, "zip")])
def test_a_damaged_file_is_named(name: str | None, shape: tuple[int, ...], said: str, tmp_path: Path,
                                 monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "KNOWN", tmp_path)
    path = tmp_path / "chess.npz"
    (tmp_path / "chess.json").write_text(json.dumps({"endings": {"KRvK": {}}}))
    if name is None:
        path.write_bytes(b"PK\3\4 cut short")
    else:
        np.savez_compressed(path, allow_pickle=False, **{name: np.zeros(shape, np.int8)})
    with pytest.raises(TunedError) as raised:
        known.read_endings(variants.find("chess"))
    assert f"{str(path)!r} holds no pairs of chess" in str(raised.value) and said in str(raised.value)
