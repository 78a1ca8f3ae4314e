"""The node signature of a game: nodes of a search of fixed depth. It changes only if play changes."""

from __future__ import annotations

import random

from engine.game import Game
from engine.rules import Rules
from search.limits import Limits
from search.searcher import Searcher

POSITIONS = 8
DEPTH = 8
HASH = 16  # MiB


def positions(rules: Rules) -> list[Game]:
    """The start position, and positions from random games, each six plies longer; the same on every machine."""
    chance = random.Random(20261120)
    found = [Game(rules)]
    while len(found) < POSITIONS:
        game = Game(rules)
        for _ in range(6 * len(found)):
            moves = sorted(game.legal_moves())
            if not moves or game.outcome() is not None:
                break
            game.push(moves[int(chance.random() * len(moves))])
        else:
            if game.outcome() is None:
                found.append(game)
    return found


def count(game: Game, depth: int, searcher: Searcher) -> int:
    """Nodes of a search by a new searcher; depth: plies."""
    searcher.search(game, Limits(depth=depth))
    return searcher.nodes()


def signature(rules: Rules, depth: int = DEPTH) -> int:
    """The nodes of all positions: one thread, an empty table for each."""
    return sum(count(game, depth, Searcher(HASH, 1)) for game in positions(rules))
