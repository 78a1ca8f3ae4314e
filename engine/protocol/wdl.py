"""Chances of winning, drawing and losing behind a score: an ordered logistic model of each game. Imports nothing heavy."""

from __future__ import annotations

import math
from typing import NamedTuple


class Model(NamedTuple):
    """A score x wins with 1 / (1 + exp((centre - x) / scale)) and loses as -x wins; both in centipawns."""

    centre: float
    scale: float
    games: int  # of self-play that it was fitted to


# One row a game, by `kingmaker wdl` from games of `kingmaker selfplay`: chess and ataturk from those of 3,000 nodes
# a move that their evaluation was fitted to (docs/strength.md), the others from few, of 1,000 nodes and the evaluation before.
# Behind a row the standard errors of its two numbers. A new evaluation asks for a new table.
MODELS = {
    "chess": Model(116, 123, 7050),  # ± 4, 3; 652170 positions, drawn 26%
    "ascending": Model(44, 101, 100),  # ± 18, 12; 6536 positions, drawn 9%
    "ataturk": Model(99, 144, 5150),  # ± 3, 4; 445260 positions, drawn 21%
    "atomic": Model(67, 268, 500),  # ± 35, 120; 9882 positions, drawn 9%
    "madness": Model(223, 183, 100),  # ± 44, 27; 4535 positions, drawn 32%
    "madness-fide": Model(356, 254, 100),  # ± 117, 34; 1997 positions, drawn 25%
    "madness-legan": Model(649, 394, 100),  # ± 144, 85; 4553 positions, drawn 46%
    "nocheckatomic": Model(80, 214, 100),  # ± 40, 43; 2139 positions, drawn 13%
    "shatar": Model(238, 139, 100),  # ± 37, 16; 6336 positions, drawn 44%
    "warmspit": Model(39, 217, 100),  # ± 17, 34; 4579 positions, drawn 6%
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
