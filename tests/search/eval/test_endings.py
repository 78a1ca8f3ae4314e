"""Elementary endings: how the evaluation scores them, and whether won ones are won.

endings/GAME.tsv holds positions with exact values (make_endings.py). In each White is the side named first.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

import numpy as np
import pytest

import variants
from engine.compile.folder import stamp
from engine.game import Game
from search.eval.values import value_of
from search.limits import Limits
from search.searcher import Searcher
from support.games import twins_long
from support.make_endings import DRAWISH, DRAWN, MOSTLY, WON, Ending, read
from support.places import ENDINGS, ROOT

GAMES = ("chess", "atomic", "nocheckatomic", "shatar", "ataturk", "warmspit", "madness", "madness-legan", "madness-fide",
         "ascending")
FEWEST = 20  # endings a game
NOTHING = 30  # centipawns: a drawn position is worth no more, a won one is worth more
DRAWISH_SHARE = 0.4  # of what its material says, a drawish ending is worth at most
WORTH = {"K": 0, "P": 100, "N": 300, "B": 300, "R": 500, "J": 650, "Q": 900}  # centipawns, the common count
PROGRESS = -0.1  # rank correlation of value and plies to the end within a won ending: at most this
LONG_WAY = 10  # plies to the end on average: nearer mates are for the search to see
NODES, HASH_MB = 20_000, 16
RESULTS = ROOT / "build" / "endings"


@functools.cache
def endings(game: str) -> list[Ending]:
    """The endings of a game."""
    return read(ENDINGS / f"{game}.tsv")


@functools.cache
def values(game: str) -> dict[str, np.ndarray]:
    """What the evaluation says of each ending's positions, seen from White, int64[n]."""
    rules = variants.find(game)
    found = {}
    for ending in endings(game):
        listed = []
        for fen, _ in ending.rows:
            pos = Game(rules, fen).pos
            value = value_of(rules, pos)
            listed.append(value if fen.split()[1] == "w" else -value)
        found[ending.name] = np.array(listed)
    return found


def of_kind(game: str, *kinds: str) -> list[Ending]:
    """The endings of those classes."""
    return [ending for ending in endings(game) if ending.kind in kinds]


def material(name: str) -> int:
    """The material of an ending: White's minus Black's."""
    white, black = name.split()[0].split("v")
    return sum(map(WORTH.__getitem__, white)) - sum(map(WORTH.__getitem__, black))


def ranks(numbers: np.ndarray) -> np.ndarray:
    """Ranks, equal numbers sharing their mean."""
    _, inverse, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    found: np.ndarray = (last - (counts - 1) / 2)[inverse]
    return found


@pytest.mark.parametrize("game", twins_long(GAMES))
def test_there_are_enough_endings(game: str) -> None:
    assert len({ending.name for ending in endings(game)}) >= FEWEST
    assert of_kind(game, WON)
    for ending in of_kind(game, WON):
        assert len(ending.rows) == 50, ending.name
        assert all(0 < (value if fen.split()[1] == "w" else -value) <= 100 for fen, value in ending.rows), ending.name


@pytest.mark.parametrize("game", twins_long(GAMES))
def test_won_positions_are_worth_something(game: str) -> None:
    low = {ending.name: int(values(game)[ending.name].min()) for ending in of_kind(game, WON)}
    low |= {ending.name: int(values(game)[ending.name].mean()) for ending in of_kind(game, MOSTLY)}
    assert {name: value for name, value in low.items() if value <= NOTHING} == {}


@pytest.mark.parametrize("game", twins_long(GAMES))
def test_drawn_positions_are_worth_nothing(game: str) -> None:
    high = {ending.name: int(abs(values(game)[ending.name]).max()) for ending in of_kind(game, DRAWN)}
    assert {name: value for name, value in high.items() if value > NOTHING} == {}


@pytest.mark.parametrize("game", twins_long(GAMES))
def test_drawish_endings_are_worth_less_than_their_men(game: str) -> None:
    wrong = {}
    for ending in of_kind(game, DRAWISH):
        mean, bound = abs(values(game)[ending.name].mean()), max(NOTHING, DRAWISH_SHARE * abs(material(ending.name)))
        if mean > bound:
            wrong[ending.name] = round(float(mean)), round(bound)
    assert wrong == {}


@pytest.mark.parametrize("game", twins_long(GAMES))
def test_endings_are_in_order(game: str) -> None:
    """Won endings score above drawish and drawn ones, and another piece is never worth less than none."""
    mean = {name: float(found.mean()) for name, found in values(game).items()}
    won = [ending.name for ending in of_kind(game, WON)]
    poor = [ending.name for ending in of_kind(game, DRAWN, DRAWISH)]
    wrong = [(name, other) for name in won for other in poor if mean[name] <= mean[other]]
    for name in won:
        white, black = name.split()[0].split("v")
        for other in won:
            fewer, same = other.split()[0].split("v")
            if black == same and len(fewer) + 1 == len(white) and all(fewer.count(m) <= white.count(m) for m in fewer):
                if "P" not in white and mean[name] <= mean[other]:
                    wrong.append((name, other))
    assert wrong == []


@pytest.mark.parametrize("game", twins_long(GAMES))
def test_value_grows_as_a_win_comes_near(game: str) -> None:
    """A lone king is driven to where it can be mated."""
    wrong = {}
    for ending in of_kind(game, WON):
        plies = np.array([abs(value) for _, value in ending.rows])
        if ending.name.split()[0].endswith("vK") and plies.mean() >= LONG_WAY:
            found = values(game)[ending.name]
            agreement = float(np.corrcoef(ranks(found), ranks(plies))[0, 1]) if found.std() > 0 else 0.0
            if agreement > PROGRESS:
                wrong[ending.name] = round(agreement, 2)
    assert wrong == {}


# Played out


@functools.cache
def results(game: str) -> Path:
    """Where a game's results are kept, from run to run as long as code and numbers are the same."""
    digest = hashlib.sha256(stamp().encode())
    for path in sorted(path for kind in ("json", "npz") for path in variants.FOLDER.glob(f"*/{game}.{kind}")):
        digest.update(path.read_bytes())
    digest.update((ENDINGS / f"{game}.tsv").read_bytes())
    return RESULTS / digest.hexdigest()[:16]


def played(game: Game, searcher: Searcher) -> str:
    """Play a game to its end, the engine on both sides; result and reason."""
    searcher.clear()
    while (outcome := game.outcome()) is None:
        best = searcher.search(game, Limits(nodes=NODES))
        assert best.move is not None, game.fen()
        game.push(best.move)
    return f"{outcome.result} {outcome.reason.value}"


@pytest.mark.parametrize("fen", ["8/8/8/k3B1K1/8/8/6B1/8 w - - 0 1", "8/8/8/8/6B1/3k4/8/K5B1 w - - 0 1",
                                 "8/8/8/3k4/8/2B2B2/8/7K b - - 0 1", "2k5/2N3B1/8/8/8/8/8/7K w - - 0 1"])
def test_minor_pieces_mate(fen: str) -> None:
    """Those of the positions below that were not won when no check was extended in chess."""
    assert played(Game(variants.find("chess"), fen), Searcher(HASH_MB)) == "1-0 checkmate"


@pytest.mark.parametrize("fen", ["1Q6/8/4k3/8/8/2K5/8/4n3 b - - 0 1", "8/8/8/5K2/8/2p5/2k4Q/8 b - - 0 1"])
def test_a_queen_mates(fen: str) -> None:
    """Those that were not won when the correction history was added to what is known of an ending."""
    assert played(Game(variants.find("chess"), fen), Searcher(HASH_MB)) == "1-0 checkmate"


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("game", "name"), [
    pytest.param(game, ending.name, id=f"{game}-{ending.name.replace(' ', '-')}")
    for game in GAMES if (ENDINGS / f"{game}.tsv").exists() for ending in of_kind(game, WON)])
def test_won_endings_are_won(game: str, name: str) -> None:
    """Every position of a won ending, the engine against itself with NODES nodes a move."""
    kept = results(game) / f"{game} {name}.txt"
    if not kept.exists():
        searcher, rules = Searcher(HASH_MB), variants.find(game)
        ending = next(ending for ending in endings(game) if ending.name == name)
        lines = [f"{played(Game(rules, fen), searcher)}\t{fen}\t{value}" for fen, value in ending.rows]
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text("\n".join(lines) + "\n")
    lost = [line for line in kept.read_text().splitlines() if not line.startswith("1-0")]
    assert not lost, f"{len(lost)} of {len(kept.read_text().splitlines())} not won: {lost}"
