"""Chances of winning, drawing and losing behind a score: an ordered logistic model of each game.

A game's numbers are in its file, by `kingmaker wdl` from games of `kingmaker selfplay`; a new evaluation asks for new ones.
"""

from __future__ import annotations

import math

import variants


def chances(game: str, score: int, mate: int | None = None) -> tuple[int, int, int]:
    """Per mille of (wins, draws, losses) for the side to move; they add up to 1000.

    game: the variant's name; score: centipawns; mate: moves to mate, negative when being mated, which leaves no doubt.

    >>> chances("chess", 0, mate=-2)
    (0, 0, 1000)
    """
    if mate is not None:
        return (1000, 0, 0) if mate > 0 else (0, 0, 1000)
    from engine.rules.facts import DEFAULT_WIN_MODEL  # not above: see faces.py

    model = variants.find(game).win_model if game in variants.names() else DEFAULT_WIN_MODEL
    win, loss = (round(1000 / (1 + math.exp(min(50.0, (model.centre - x) / model.scale)))) for x in (score, -score))
    return win, max(0, 1000 - win - loss), loss - max(0, win + loss - 1000)
