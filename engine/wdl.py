"""Chances of winning, drawing and losing behind a score: an ordered logistic model of each game. Imports nothing heavy."""

from __future__ import annotations

import math
from typing import NamedTuple


class Model(NamedTuple):
    """A score x wins with 1 / (1 + exp((centre - x) / scale)) and loses as -x wins; both in centipawns."""

    centre: float
    scale: float
    games: int  # of self-play that it was fitted to


# One row a game, by `kingmaker wdl`: self-play of 0.1.0, 2,000 nodes a move, random openings, every second ply a sample.
MODELS: dict[str, Model] = {}
GUESS = Model(150.0, 100.0, 0)  # for a game nobody has measured


def chances(game: str, score: int, mate: int | None = None) -> tuple[int, int, int]:
    """Per mille of (wins, draws, losses) for the side to move; they add up to 1000.

    game: the variant's name; score: centipawns; mate: moves to mate, negative when being mated, which leaves no doubt.

    >>> chances("chess", 0, mate=-2)
    (0, 0, 1000)
    """
    if mate is not None:
        return (1000, 0, 0) if mate > 0 else (0, 0, 1000)
    model = MODELS.get(game, GUESS)
    win, loss = (round(1000 / (1 + math.exp(min(50.0, (model.centre - x) / model.scale)))) for x in (score, -score))
    return win, max(0, 1000 - win - loss), loss - max(0, win + loss - 1000)
