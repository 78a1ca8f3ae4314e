"""Evaluation: the same for both colours, the sum of its features, and its numbers on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import variants
from engine.game import Game
from search.eval import features
from search.eval.evaluate import trace_kernel
from search.eval.features import FEATURES, SCALES, weights_of
from search.eval.files import TunedError
from search.eval.values import value_of
from support.games import twins_long
from support.positions import other_side, random_positions

GAMES = twins_long(variants.names())


@pytest.mark.parametrize("variant", GAMES)
def test_both_colours_are_worth_the_same(variant: str) -> None:
    rules = variants.find(variant)
    games = random_positions(rules, 40, 1)
    assert len(games) > 20
    for game in games:
        there = value_of(rules, game.pos)
        assert there == value_of(rules, other_side(rules, game.pos)), game.fen()


@pytest.mark.parametrize("variant", GAMES)
def test_value_is_the_sum_of_its_features(variant: str) -> None:
    """Added up here in Python, by the two halves apart."""
    rules = variants.find(variant)
    weights = weights_of(rules)
    middle = np.array([features.middlegame(int(w)) for w in weights[:FEATURES]])
    end = np.array([features.endgame(int(w)) for w in weights[:FEATURES]])
    scaled = 0
    for game in random_positions(rules, 40, 2):
        found = np.zeros((2, FEATURES + 2), np.int64)
        value = int(trace_kernel(rules, game.pos, weights, found))
        assert value == value_of(rules, game.pos)
        difference = (found[0] - found[1])[:FEATURES] * (-1 if game.turn else 1)
        stage, scale = int(found[0, FEATURES]), int(found[0, FEATURES + 1])
        score = (int(difference @ middle) * stage + int(difference @ end) * (4096 - stage)) >> 12
        assert value == (score * scale // 64 if score >= 0 else -(-score * scale // 64)), game.fen()
        assert scale in weights[SCALES:]
        scaled += scale != 64
    assert scaled < 40


@pytest.mark.parametrize(("variant", "fen", "group", "index", "white", "black"), twins_long([
    ("chess", "4k3/8/8/3P4/8/8/8/4K3 w - - 0 1", "passed", 3, 1, 0),
    ("chess", "4k3/4p3/8/3P4/8/8/8/4K3 w - - 0 1", "passed", 3, 0, 0),
    ("chess", "4k3/8/8/3P4/3P4/8/8/4K3 w - - 0 1", "doubled", 0, 1, 0),
    ("chess", "4k3/p6p/8/8/8/8/P5PP/4K3 w - - 0 1", "isolated", 0, 1, 2),
    ("chess", "4k3/8/8/2n5/3P4/8/8/4K3 w - - 0 1", "threat_by_pawn", "N", 1, 0),
    ("chess", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "rights", 2, 1, 0),
    ("chess", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "open_file", 1, 2, 0),
    ("chess", "6k1/5ppp/8/8/8/6P1/5P1P/6K1 w - - 0 1", "king_cover", 1 * 8 + 2, 1, 0),  # file g, third rank
    ("chess", "6k1/5pp1/8/8/7p/8/5PPP/6K1 w - - 0 1", "storm", 0 * 8 + 3, 1, 0),  # file h, fourth rank
    ("chess", "6k1/5pp1/8/8/8/7p/5PPP/6K1 w - - 0 1", "storm_blocked", 2, 1, 0),
    ("chess", "6k1/8/8/8/8/8/8/5R1K w - - 0 1", "flank", 5, 1, 0),  # f4 to f8
    ("chess", "6k1/8/8/8/8/8/8/5R1K w - - 0 1", "flank_defended", 5, 1, 0),  # f8, f7, g7, h7, h8
    ("chess", "6k1/8/8/8/8/Q7/8/5R1K w - - 0 1", "flank_twice", 1, 1, 0),  # f8
    ("chess", "6k1/8/8/8/8/8/8/5R1K w - - 0 1", "attackers", 1, 1, 0),
    ("chess", "4k3/8/8/2n5/8/3P4/8/4K3 w - - 0 1", "threat_by_push", "N", 1, 0),
    ("chess", "4k3/8/8/3N4/4P3/8/8/4K3 w - - 0 1", "outpost", 1 * 2 + 1, 1, 0),  # knight, guarded
    ("chess", "7k/8/8/8/8/8/8/R3K3 w - - 0 1", "lone_king_centre", 6, 1, 0),
    ("chess", "7k/8/8/8/8/8/8/R3K3 w - - 0 1", "lone_king_distance", 7, 1, 0),
    ("chess", "7k/7p/8/8/8/8/8/R3K3 w - - 0 1", "lone_king_distance", 7, 0, 0),
    ("shatar", "4k3/8/8/8/8/8/4J3/4K3 b - - 0 1 w", "series", 0, 1, 0),
    ("atomic", "4k3/3pq3/8/8/8/8/8/R3K3 w - - 0 1", "explosion_neighbours", 1, 0, 1),
    ("atomic", "4k3/3pq3/8/8/8/8/8/3RK3 w - - 0 1", "explosion_targets", 1, 1, 0),
    ("ataturk", "4k3/8/8/8/8/8/8/3QK3 w - - 0 1 d1e1/e8", "title", "Q", 1, 0),
    ("ataturk", "4k3/8/8/8/8/8/8/3QK3 w - - 0 1 d1e1/e8", "title", "K", 0, 1),
    ("warmspit", "r3k3/8/8/8/8/8/8/3QK3 w - - 0 1 d1/a8", "title", "R", 0, 1),
    ("ascending", "4k3/8/8/8/8/8/8/R2QKQ2 w - - 0 1", "heirs", 2, 1, 0),
    ("ascending", "4k3/8/8/8/8/8/8/R2QKQ2 w - - 0 1", "heir", "Q", 1, 0),
    ("madness", "4k3/8/4r3/8/8/8/8/4K3 w - - 0 1", "drive_prey", "R", 1, 0),  # the king may be driven onto his own rook
    ("madness", "4k3/4p3/4r3/8/8/8/8/4K3 w - - 0 1", "drive_prey", "R", 0, 0),
    ("madness-fide", "4k3/8/4n3/8/8/8/8/4K3 w - - 0 1", "drive_prey", "N", 1, 0),
    ("madness-fide", "4k3/4p3/4n3/8/8/8/8/4K3 w - - 0 1", "drive_prey", "N", 0, 0),
]))
def test_features_are_found(variant: str, fen: str, group: str, index: int | str, white: int, black: int) -> None:
    game, found = Game(variant, fen), np.zeros((2, FEATURES + 2), np.int64)
    trace_kernel(game.rules, game.pos, weights_of(game.rules), found)
    number = game.rules.letters.index(index) if isinstance(index, str) else index
    assert found[:, features.START[group] + number].tolist() == [white, black]


def test_tuned_numbers_are_read_as_they_were_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bench.tuning.tune import Fit, write

    rules, chance = variants.find("shatar"), np.random.default_rng(1)
    wanted = np.zeros((FEATURES, 2))
    for group in features.GROUPS:
        first = features.START[group.name]
        count = group.size * (len(rules.letters) if group.by_type else 1)
        wanted[first:first + count] = chance.integers(-200, 200, (count, 2))
    values = dict(zip("PNBRJ", (101, 302, 303, 504, 705), strict=True))
    scales = chance.integers(2, 64, features.CELLS)
    monkeypatch.setattr(features, "TUNED", tmp_path)
    assert features.read_tuned(rules) is None
    write(tmp_path / "shatar.json", rules, [], 500, 0, Fit(wanted, values, scales, 200.0, (0.5, 0.4)))
    read = features.read_tuned(rules)
    assert read is not None
    assert (read[0] == wanted).all() and read[1] == values and (read[2] == scales).all()
    (tmp_path / "shatar.json").write_text('{"features": {}}')
    with pytest.raises(TunedError, match=r"shatar\.json"):
        features.read_tuned(rules)
