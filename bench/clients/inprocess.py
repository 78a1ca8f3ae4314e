"""The engine in this process: players, the loop that lets two of them play, and random openings."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from engine.game import Game
from engine.rules import Rules
from engine.text import legal_moves
from search import tt
from search.deepening import NARROW_FROM, Window
from search.eval.features import weights_of
from search.eval.net.files import Weights
from search.limits import MATE_IN_MAX, Info, Limits
from search.params import ASPIRATION
from search.searcher import Searcher
from search.threads import Shared, Worker

HARD = 8  # times the nodes that are asked for: then the search ends within an iteration
MOST_DEPTH = 40  # plies that a SingleThread searches at most

_own = threading.local()  # a worker of a cluster may run several tasks at a time


class Thought(NamedTuple):
    """A move and its score in centipawns, from the side to move."""

    move: int
    score: int = 0


Player = Callable[[Game], Thought]  # given a game that is not over: a move


def turns(game: Game, players: tuple[Player, Player], most_plies: int | None = None) -> Iterator[Thought]:
    """Let White's and Black's players move in turn, until the rules end the game or it has most_plies moves.

    Yields each thought before its move is made; a caller that leaves the loop early leaves the game there.
    """
    while game.outcome() is None and (most_plies is None or len(game.moves) < most_plies):
        thought = players[game.turn](game)
        yield thought
        game.push(thought.move)


class Lot(NamedTuple):
    """Moves to draw one from, and whether it counts as a ply of the opening."""

    moves: Sequence[str | int]
    counts: bool = True


def any_move(game: Game) -> Lot:
    """All legal moves."""
    return Lot(sorted(game.legal_moves()))


def draw_opening(game: Game, chance: random.Random, plies: int, lot: Callable[[Game], Lot] = any_move) -> bool:
    """Play random moves until that many count; returns whether the game is not over."""
    while plies > 0 and game.outcome() is None:
        moves, counts = lot(game)
        game.push(chance.choice(moves))
        plies -= counts
    return game.outcome() is None


def take_back(game: Game, plies: int = 0) -> None:
    """Take moves back until that many are left."""
    while len(game.moves) > plies:
        game.pop()


class SearchPlayer:
    """A searcher within limits; it remembers a game's earlier searches."""

    def __init__(self, searcher: Searcher, limits: Limits):
        self.searcher, self.limits = searcher, limits

    def __call__(self, game: Game) -> Thought:
        """The score is the last exact one, 0 if there is none."""
        said: list[Info] = []
        best = self.searcher.search(game, self.limits, on_info=said.append)
        assert best.move is not None
        exact = [info.score for info in said if not info.bound]
        return Thought(best.move, exact[-1] if exact else 0)


class SingleThread:
    """A search without threads and reports: at a thousand nodes a move these cost more than the search."""

    def __init__(self, rules: Rules, nodes: int, p: np.ndarray, hash_mb: int, net: Weights | None = None):
        """nodes: after them no new depth is begun; p: int32[len(PARAMS)], the numbers of the search; net: None for none."""
        self.shared = Shared(p, weights_of(rules), tt.new_table(hash_mb), int(rules.material_draws), net)
        self.thread, self.nodes, self.age = Worker(rules), nodes, 0
        self.line: list[int] = []  # the principal variation of the last search

    def clear(self) -> None:
        """Forget everything."""
        self.shared.table[:] = 0
        self.thread.histories[:] = 0
        self.age = 0

    def __call__(self, game: Game) -> Thought:
        """The move and score of the last depth that was finished."""
        roots = [int(move) for move in legal_moves(game.rules, game.pos)]
        self.age = (self.age + 1) % tt.AGES
        self.thread.begin(game, self.age, False, HARD * self.nodes, False)
        self.line, score = roots[:1], 0
        for depth in range(1, MOST_DEPTH):
            window = Window(score if depth >= NARROW_FROM else None, int(self.shared.p[ASPIRATION]))
            while True:
                value = self.thread.iterate(self.shared, roots, depth, window.alpha, window.beta, False)
                if self.thread.stopped or window.holds(value):
                    break
                window.widen(value)
            if self.thread.stopped:
                break
            self.line, score = self.thread.line(), value
            roots.remove(self.line[0])
            roots.insert(0, self.line[0])
            if abs(score) > MATE_IN_MAX or self.thread.nodes >= self.nodes:
                break
        return Thought(self.line[0], score)


def own_searcher(hash_mb: int) -> Searcher:
    """The searcher of the calling thread with a table of that size, made once."""
    kept: dict[int, Searcher] = _own.__dict__.setdefault("searchers", {})
    if hash_mb not in kept:
        kept[hash_mb] = Searcher(hash_mb=hash_mb)
    return kept[hash_mb]


def best_lines(game: Game, searcher: Searcher, limits: Limits, multipv: int) -> list[Info]:
    """The best lines of a search from an empty table, best first: the same wherever it runs."""
    found: dict[int, Info] = {}

    def keep(info: Info) -> None:
        if not info.bound and info.pv:
            found[info.multipv] = info

    searcher.clear()
    searcher.search(game, limits, multipv=multipv, on_info=keep)
    return [info for _, info in sorted(found.items())]
