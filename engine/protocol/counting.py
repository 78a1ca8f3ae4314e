"""Counts that can be stopped: perft, divided by root moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.core.legality import position_after
from engine.core.perft import perft
from engine.game import Game
from engine.rules import Rules
from engine.text import Position, legal_moves

PIECE = 4  # plies that are counted in one go: up to a few million leaves


def divide(game: Game, depth: int, stopped: Callable[[], bool]) -> Iterator[tuple[str, int]]:
    """Each legal move and the number of leaves below it, until `stopped`; depth: plies, at least 1."""
    for move in game.legal_numbers():
        count = _count(game.rules, position_after(game.rules, game.pos, move), depth - 1, stopped)
        if stopped():
            return
        yield game.text(move), count


def _count(rules: Rules, pos: Position, depth: int, stopped: Callable[[], bool]) -> int:
    """Leaves below a position, in pieces between which a stop is obeyed; if stopped, any number."""
    if depth <= PIECE:
        return perft(rules, pos, depth)
    total = 0
    for move in map(int, legal_moves(rules, pos)):
        if stopped():
            break
        total += _count(rules, position_after(rules, pos, move), depth - 1, stopped)
    return total
