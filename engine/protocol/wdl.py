"""Chances of win, draw and loss for a score: an ordered logistic model for each game.

`kingmaker wdl` fits its numbers, which are in the game's file, to games of `kingmaker selfplay`: again after each change of the
evaluation.
"""

from __future__ import annotations

import math

import variants


def chances(game: str, score: int, mate: int | None = None) -> tuple[int, int, int]:
    """Per mille of wins, draws and losses for the side to move, which add up to 1000.

    game: the variant's name; score: centipawns; mate: moves to mate, negative when being mated, which is certain.

    >>> chances("chess", 0, mate=-2)
    (0, 0, 1000)
    """
    if mate is not None:
        return (1000, 0, 0) if mate > 0 else (0, 0, 1000)
    from engine.rules.facts import DEFAULT_WIN_MODEL  # not at the top: engine.rules imports numpy, and a GUI waits for uciok

    model = variants.find(game).win_model if game in variants.names() else DEFAULT_WIN_MODEL
    win, loss = (round(1000 / (1 + math.exp(min(50.0, (model.centre - x) / model.scale)))) for x in (score, -score))
    return win, max(0, 1000 - win - loss), loss - max(0, win + loss - 1000)
