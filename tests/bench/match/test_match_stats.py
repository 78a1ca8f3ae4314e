"""What a match reports: its statistics against published cases and closed forms; its pairings."""

from __future__ import annotations

import json
import math
import random
from collections import Counter

import pytest

from bench.__main__ import main
from bench.match.ratings import rate
from bench.match.schedule import Schedule, swiss_pairs
from bench.match.stats import MODELS, MOST, Sprt, Tally, elo_of, plus_minus
from engine.errors import CommandError

# Statistics. The published cases: Disservin/fastchess, app/tests/sprt_test.cpp and elo_test.cpp at 74deac23.


@pytest.mark.parametrize(("wins", "losses", "draws", "bounds", "model", "llr"), [
    (36433, 36027, 68692, (0, 2), "normalized", 0.92),
    (10871, 10650, 20431, (-1.75, 0.25), "normalized", 2.30),
    (4250, 0, 0, (0, 10), "normalized", 120.56),
    (21404, 21184, 40708, (0.5, 2.5), "logistic", -1.57),
    (57433, 57030, 106593, (0, 2), "logistic", -2.59),
    (68965, 68526, 128429, (0, 2), "bayesian", -1.26),
    (21629, 21484, 41111, (0.5, 2.5), "bayesian", -1.13),
])
def test_published_ratios_of_games(
    wins: int, losses: int, draws: int, bounds: tuple[float, float], model: str, llr: float
) -> None:
    assert Sprt(*bounds, model=model).llr(Tally.of_games(wins, draws, losses)) == pytest.approx(llr, abs=0.012)


@pytest.mark.parametrize(("pairs", "bounds", "model", "llr"), [
    ((365, 16618, 36229, 16974, 390), (0, 2), "normalized", 2.25),
    ((127, 4883, 10712, 5150, 104), (-1.75, 0.25), "normalized", 3.01),
    ((0, 0, 0, 0, 5550), (0, 5), "normalized", 111.82),
    ((223, 9863, 21279, 10037, 246), (0.5, 2.5), "logistic", -3.07),
    ((871, 26175, 55983, 26678, 821), (0, 2), "logistic", -4.98),
])
def test_published_ratios_of_pairs(pairs: tuple[int, ...], bounds: tuple[float, float], model: str, llr: float) -> None:
    assert Sprt(*bounds, model=model).llr(Tally.of_pairs(pairs)) == pytest.approx(llr, abs=0.025)


@pytest.mark.parametrize(("tally", "nelo", "nelo_error", "elo", "elo_error", "los"), [
    (Tally.of_games(76, 123, 89), -20.76, 40.13, None, None, 0.1553),
    (Tally.of_games(136, 111, 96), 49.77, 36.77, 40.70, 30.43, 0.9960),
    (Tally.of_pairs((34, 54, 63, 64, 75)), 57.94, 28.28, 55.58, 27.65, 1.0),
    (Tally.of_pairs((332, 433, 498, 333, 334)), -9.17, 10.96, -8.64, 10.33, 0.0505),
])
def test_published_elo(tally: Tally, nelo: float, nelo_error: float, elo: float | None, elo_error: float, los: float) -> None:
    assert tally.normalized_elo() == pytest.approx((nelo, nelo_error), rel=0.01)
    assert tally.los() == pytest.approx(los, abs=1e-4)
    if elo is not None:
        assert tally.elo() == pytest.approx((elo, elo_error), rel=0.01)


def test_a_test_stops_at_its_bounds() -> None:
    test = Sprt(0, 5)
    assert (test.lower, test.upper) == pytest.approx((-2.944, 2.944), abs=1e-3)
    assert test.llr(Tally.of_pairs((0, 0, 0, 0, 0))) == 0
    counts = (0, 10, 20, 10, 0), (0, 0, 500, 600, 90), (90, 600, 500, 0, 0)
    assert [test.verdict(Tally.of_pairs(pairs)) for pairs in counts] == ["continue", "H1", "H0"]


def test_a_test_is_wrong_as_seldom_as_it_says(dice: random.Random) -> None:
    """Matches between equals: a test of 0 against 60 with 5 % risks takes the alternative in about that share."""
    wrong = 0
    for _ in range(100):
        counts, verdict = [0] * 5, "continue"
        while verdict == "continue":
            for score in dice.choices(range(5), (1, 4, 6, 4, 1), k=8):
                counts[score] += 1
            verdict = Sprt(0, 60).verdict(Tally.of_pairs(counts))
        wrong += verdict == "H1"
    assert wrong <= 15  # 5 expected; more than 15 has a chance of 1 in 20,000


@pytest.mark.parametrize(("values", "what"), [
    ({"elo0": 5, "elo1": 5}, "elo0=5 is not below elo1=5"),
    ({"elo0": 0, "elo1": 5, "alpha": 0}, "alpha=0 is not between 0 and 1"),
    ({"elo0": 0, "elo1": 5, "alpha": 0.6, "beta": 0.5}, "add up to 1 or more"),
    ({"elo0": 0, "elo1": 5, "model": "guess"}, "model='guess' is not one of normalized, logistic, bayesian"),
])
def test_what_is_no_test(values: dict[str, float], what: str) -> None:
    with pytest.raises(CommandError, match=what):
        Sprt(**values)  # type: ignore[arg-type]


def test_ratings_of_two_are_their_elo_difference() -> None:
    """Against the closed form: two players, each White as often, so the advantage of White drops out."""
    games = [("a", "b", 1.0)] * 40 + [("a", "b", 0.5)] * 60 + [("a", "b", 0.0)] * 20
    games += [("b", "a", 1.0)] * 20 + [("b", "a", 0.5)] * 60 + [("b", "a", 0.0)] * 40
    (first, second), white, _ = rate(["b", "a"], games)
    elo, error = Tally.of_games(80, 120, 40).elo()
    assert (first.name, second.name, first.points, first.games) == ("a", "b", 140, 240)
    assert first.elo - second.elo == pytest.approx(elo, rel=0.01) and white == pytest.approx(0, abs=1e-3)
    assert first.error * 2 == pytest.approx(error, rel=0.03)


def test_ratings_find_what_made_the_results(dice: random.Random) -> None:
    true = {"a": 150.0, "b": 50.0, "c": -40.0, "d": -160.0}
    games = []
    for white in true:
        for black in true:
            if white != black:
                chance = 1 / (1 + 10 ** (-(true[white] - true[black] + 30) / 400))
                games += [(white, black, float(dice.random() < chance)) for _ in range(400)]
    ratings, advantage, error = rate(list(true), games)
    assert [rating.name for rating in ratings] == ["a", "b", "c", "d"]
    assert all(abs(rating.elo - true[rating.name]) < 1.6 * rating.error for rating in ratings)
    assert abs(advantage - 30) < 1.6 * error < 30
    always, _, _ = rate(["x", "y"], [("x", "y", 1.0)] * 20)
    assert math.isfinite(always[0].elo) and always[0].elo > 200


def test_elo_of_a_score() -> None:
    """A score of 0.75 is 191 points (FIDE's own table says 193 by the normal curve), 10 of 11 is 400."""
    assert round(elo_of(0.75), 1) == 190.8 and elo_of(0.5) == 0 and math.isclose(elo_of(10 / 11), 400)


def test_elo_at_the_edges() -> None:
    assert elo_of(0) == -math.inf and elo_of(1) == math.inf
    assert Tally.of_games(3, 0, 0).text().startswith("score 100.00%, Elo +∞ ± ∞, nElo undefined")
    assert Tally.of_games(0, 0, 3).text().startswith("score 0.00%, Elo -∞ ± ∞")
    assert math.copysign(1, Tally.of_games(1, 2, 1).elo()[0]) == 1 and plus_minus(-0.04, 0.04) == "+0.0 ± 0.0"
    assert Tally.of_games(3, 0, 0).summary()["elo"] is None and Tally.of_pairs((0, 0, 4, 0, 0)).los() == 0.5


def test_the_command_sprt(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sprt", "--pairs", "365", "16618", "36229", "16974", "390", "--elo1", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["llr"] == pytest.approx(2.25, abs=0.005)
    assert main(["sprt", "--wdl", "36433", "68692", "36027", "--elo1", "2"]) == 0
    assert capsys.readouterr().out.startswith("LLR 0.92 (-2.94, 2.94) [0, 2] normalized: continue\n")
    assert main(["sprt", "--wdl", "100", "0", "100", "--elo0", "-0.001", "--elo1", "0.0011"]) == 0
    assert capsys.readouterr().out.startswith("LLR 0.00 ")
    assert main(["sprt", "--wdl", "0", "0", "0"]) == 2 and "one must be positive" in capsys.readouterr().err
    assert main(["sprt"]) == 2
    capsys.readouterr()
    for words, said in (
            (["--wdl", "9", "0", str(10**10)], "count 10000000000 is above 1000000000"),
            (["--pairs", "1", "2", "3", "2", "1", "--model", "bayesian"], "the bayesian model does not take pairs"),
            (["--wdl", "1", "2", "1", "--alpha", "2"], "--alpha 2 is not between 0 and 1"),
            (["--wdl", "1", "2", "1", "--elo1", "800"], "--elo1 800 is not from -200 to 200, as normalized Elo has to be"),
            (["--wdl", "1", "2", "1", "--elo0", "nan"], "--elo0 nan is not from -200 to 200, as normalized Elo has to be")):
        assert main(["sprt", *words]) == 2
        assert capsys.readouterr().err == f"kingmaker sprt: {said}\n"


def test_a_ratio_for_all_counts(dice: random.Random) -> None:
    """Scores that never occurred, once, a million times: within the widest bounds there is always a finite ratio."""
    for _ in range(500):
        model = dice.choice(MODELS)
        counts = [dice.choice((0, 0, 1, dice.randrange(10), dice.randrange(10**6)))
                  for _ in range(3 if model == "bayesian" else dice.choice((3, 5)))]
        low = dice.uniform(-MOST[model], MOST[model] - 1)
        assert math.isfinite(Sprt(dice.choice((-MOST[model], low)), MOST[model], model=model).llr(Tally(tuple(counts)))), counts


# Schedules.


@pytest.mark.parametrize("schedule", [
    Schedule(2, rounds=3, games=4), Schedule(4, rounds=2), Schedule(5, "gauntlet", games=3), Schedule(3, rounds=3, games=1),
    Schedule(3, repeat=False, rounds=2), Schedule(6, "swiss", rounds=3), Schedule(5, "swiss", rounds=4)], ids=str)
def test_everybody_meets_as_planned(schedule: Schedule) -> None:
    games = [game for stage in range(schedule.stages()) for game in schedule.fixtures(stage)]
    assert [game.number for game in games] == list(range(1, schedule.total + 1))
    assert all(0 <= game.opening < schedule.openings for game in games)
    for pair in {game.pair for game in games}:
        first, *others = [(game.opening, game.white, game.black) for game in games if game.pair == pair]
        assert others in ([], [(first[0], first[2], first[1])] if schedule.repeat else [])
    meetings = Counter(frozenset((game.white, game.black)) for game in games)
    if schedule.tournament == "roundrobin":
        assert set(meetings.values()) == {schedule.rounds * schedule.games}
        assert len(meetings) == schedule.players * (schedule.players - 1) // 2
    elif schedule.tournament == "gauntlet":
        assert all(0 in meeting for meeting in meetings) and len(meetings) == schedule.players - 1
    if schedule.rounds * schedule.games % 2 == 0 and schedule.tournament != "swiss":
        assert Counter(game.white for game in games) == Counter(game.black for game in games)


def test_swiss_rounds() -> None:
    assert swiss_pairs(4, [1, 0, 2, 0], frozenset(), frozenset()) == ([(2, 0), (1, 3)], None)
    assert swiss_pairs(4, [1, 0, 2, 0], frozenset({(0, 2)}), frozenset())[0] == [(2, 1), (0, 3)]
    assert swiss_pairs(3, [2, 1, 0], frozenset(), frozenset({2})) == ([(0, 2)], 1)
    assert swiss_pairs(2, [1, 1], frozenset({(0, 1)}), frozenset())[0] == [(0, 1)]  # a rematch if there is no other way
    met: set[tuple[int, int]] = set()
    for _ in range(5):  # six players can meet all others in five rounds
        found, _ = swiss_pairs(6, [0.0] * 6, frozenset(met), frozenset())
        assert not met & {(min(pair), max(pair)) for pair in found}
        met |= {(min(pair), max(pair)) for pair in found}
