"""`kingmaker levels`: rates the levels of engine/protocol/strength.py in orthodox chess.

They play each other and a rated engine, the anchor, with its own UCI_LimitStrength. Prints the rows of SCALE.
"""

from __future__ import annotations

import itertools
import random
import sys
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass

import numpy as np

from bench.clients.inprocess import Thought, draw_opening, turns
from bench.clients.process import EngineGoneError, NoAnswerError, blamed
from bench.clients.programs import words_of
from bench.clients.uci import UciClient
from bench.extras import need
from engine.errors import CommandError
from engine.game import Game
from engine.protocol import strength
from search.limits import Info, Limits
from search.searcher import Searcher

LEVELS = (0, 4, 8, 12, 16, 20)
MARKS = (1350, 1700, 2100, 2500)  # ratings that the anchor plays at
GREETING = 10.0  # seconds until the anchor says `uciok`
PLIES = 300
OPENING = 6  # random plies; each opening is played with both colours


@dataclass
class Level:
    """One of our levels."""

    level: float

    def __post_init__(self) -> None:
        self.given, self.searcher, self.chance = strength.of_level(self.level), Searcher(16, 1), random.Random(self.level)

    def __call__(self, game: Game) -> Thought:
        """Choose among the lines of a search as the level does."""
        lines: dict[int, Info] = {}
        best = self.searcher.search(game, Limits(nodes=self.given.nodes), multipv=strength.LINES,
                                    on_info=lambda info: lines.update({} if info.bound else {info.multipv: info}))
        line = strength.choose(lines, self.given, self.chance)
        move = best.move if line is None or not line.pv else line.pv[0]
        assert move is not None
        return Thought(move)


@dataclass
class Anchor:
    """The other engine at one of its ratings."""

    engine: UciClient
    rating: int
    seconds: float

    def __call__(self, game: Game) -> Thought:
        """Ask for its move in the position. Raises CommandError."""
        with blamed(self.engine):
            self.engine.set_option("UCI_LimitStrength", True)
            self.engine.set_option("UCI_Elo", self.rating)
            self.engine.set_position(game.fen())
            self.engine.ready()
            best = self.engine.go(f"movetime {max(1, round(self.seconds * 1000))}")[-1]
        return Thought(game.parse(best.text.split()[1]))


def score(first: Level | Anchor, second: Level | Anchor, opening: int, turned: bool) -> float:
    """The points of `first` in one game, which begins with a random opening."""
    chance, game = random.Random(opening), Game("chess")
    draw_opening(game, chance, OPENING)
    players = (second, first) if turned else (first, second)
    for _ in turns(game, players, PLIES):
        pass
    outcome = game.outcome()
    if outcome is None or outcome.winner is None:
        return 0.5
    return float((outcome.winner == 1) == turned)


def ratings(names: list[str], known: dict[str, float], games: list[tuple[str, str, int, float]]) -> dict[str, float]:
    """The likeliest Elo of all players, given some. games: (first, second, number of games, points of the first)."""
    from scipy.optimize import minimize

    unknown = [name for name in names if name not in known]

    def loss(found: np.ndarray) -> float:
        elo = known | dict(zip(unknown, map(float, found), strict=True))
        total = 0.0
        for first, second, number, points in games:
            expected = 1 / (1 + 10 ** ((elo[second] - elo[first]) / 400))
            total -= points * np.log(expected) + (number - points) * np.log(1 - expected)
        return float(total)

    found = minimize(loss, np.full(len(unknown), 1500.0), method="BFGS")
    errors = np.sqrt(np.diag(found.hess_inv))
    print("standard errors: " + ", ".join(f"{name} {error:.0f}" for name, error in zip(unknown, errors, strict=True)))
    return known | dict(zip(unknown, map(float, found.x), strict=True))


def add_arguments(parser: ArgumentParser) -> None:
    """Add the anchor, number of games and time."""
    parser.add_argument("--anchor", default="stockfish", help="a UCI engine with UCI_Elo; default: %(default)s")
    parser.add_argument("--games", type=int, default=16, help="games of each pairing, an even number; default: %(default)s")
    parser.add_argument("--seconds", type=float, default=0.05, help="the anchor's time a move; default: %(default)s")


def run(args: Namespace) -> int:
    """Exit status: 0."""
    need("scipy")
    if args.games < 4 or args.games % 2:
        raise CommandError(f"--games {args.games}: expected an even number, at least 4")
    if not 0 < args.seconds < 3600:
        raise CommandError(f"--seconds {args.seconds} is not between 0 and 3600")
    with UciClient(words_of(args.anchor)) as engine:
        try:
            engine.greet(GREETING)
        except (EngineGoneError, NoAnswerError) as error:
            raise CommandError(f"--anchor {args.anchor!r} does not start as a UCI engine: {error}") from None
        if "uci_elo" not in engine.options:
            raise CommandError(f"--anchor {args.anchor!r} has no UCI_Elo")
        return measure(engine, args)


def measure(engine: UciClient, args: Namespace) -> int:
    """Play, rate and print."""
    ours = {f"level {level}": Level(level) for level in LEVELS}
    option = engine.options["uci_elo"]
    if option.wrong or option.kind != "spin":
        raise CommandError(f"--anchor {args.anchor!r}: {option.wrong or 'UCI_Elo is not a spin option'}")
    marks = [rating for rating in MARKS if int(option.min or 0) <= rating <= int(option.max or 0)]
    anchors = {f"anchor {rating}": Anchor(engine, rating, args.seconds) for rating in marks}
    players: dict[str, Level | Anchor] = {**ours, **anchors}
    pairs = list(itertools.pairwise(ours)) + [(level, anchor) for level in ours for anchor in anchors]
    played = []
    for first, second in pairs:
        points = [score(players[first], players[second], number // 2, bool(number % 2)) for number in range(4)]
        lopsided = second in anchors and sum(points) in (0, 4)
        if not lopsided:  # a one-sided pairing says little
            points += [score(players[first], players[second], n // 2, bool(n % 2)) for n in range(4, args.games)]
        played.append((first, second, len(points), sum(points)))
        print(f"{first} - {second}: {sum(points):g} of {len(points)}", file=sys.stderr, flush=True)
    known = {name: float(name.split()[1]) for name in anchors}
    found = ratings(list(players), known, played)
    print("SCALE = (" + ", ".join(f"({level}.0, {found[f'level {level}']:.0f}.0)" for level in LEVELS) + ")")
    return 0

