"""Chances of winning, drawing and losing behind a score: an ordered logistic model of each game. Imports nothing heavy."""

from __future__ import annotations

import math
from typing import NamedTuple


class Model(NamedTuple):
    """A score x wins with 1 / (1 + exp((centre - x) / scale)) and loses as -x wins; both in centipawns."""

    centre: float
    scale: float
    games: int  # of self-play that it was fitted to


# One row a game, by `kingmaker wdl --games 100 --nodes 1000`: self-play of November 2026 after eight random plies, every second
# ply a sample. Behind each row the standard error of its two numbers. A new evaluation asks for a new table.
MODELS = {
    "chess": Model(221, 213, 100),  # ± 59, 44; 5980 positions, drawn 29%
    "ascending": Model(103, 207, 100),  # ± 36, 36; 5950 positions, drawn 14%
    "ataturk": Model(154, 211, 100),  # ± 37, 22; 5397 positions, drawn 24%
    "atomic": Model(109, 253, 100),  # ± 33, 54; 1758 positions, drawn 15%
    "madness": Model(469, 497, 100),  # ± 112, 61; 3980 positions, drawn 32%
    "madness-fide": Model(271, 322, 100),  # ± 92, 47; 2520 positions, drawn 23%
    "madness-legan": Model(800, 479, 100),  # ± 128, 53; 4660 positions, drawn 52%
    "nocheckatomic": Model(140, 235, 100),  # ± 44, 41; 2041 positions, drawn 18%
    "shatar": Model(387, 295, 100),  # ± 59, 32; 6772 positions, drawn 44%
    "warmspit": Model(22, 165, 100),  # ± 9, 30; 3779 positions, drawn 4%
}
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
