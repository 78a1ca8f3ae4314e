"""Positions in which searches of self-play positions end: they are what searches evaluate, so weights are fitted to them.

A search selects the lines that its evaluation prefers, so it ends in many positions that are evaluated wrongly, and few of
these occur in games. Each position of selfplay gives one: the end of the principal variation of a short search. It keeps the
result and the score of the position it came from.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track

import variants
from bench.clients.inprocess import SingleThread
from bench.nets.store import Data, batches, games_in, load_batch, save_batch, settings_of
from bench.workers import workers
from engine.errors import CommandError
from engine.game import Game
from engine.text import to_fen
from search.eval.evaluate import trace_kernel
from search.eval.features import FEATURES, params_of, weights_of

FAITHFUL = 40  # centipawns: a line whose score differs more was cut short by the table, or corrected by history
HASH_MB = 8
DECIDED = 2500  # centipawns: higher scores teach nothing


class EndsTask(NamedTuple):
    """A batch of games whose ends are to be found."""

    variant: str
    nodes: int
    batch: Path
    output: Path


def find(folder: Path, nodes: int, concurrency: int, cluster: str | None = None) -> Data:
    """The ends of all positions of a folder of selfplay, by searches of that many nodes. Raises CommandError.

    They are kept in the folder of the games, by weights, and not searched again.
    """
    settings = settings_of(folder)
    mark = hashlib.sha256(weights_of(variants.find(settings.variant)).tobytes()).hexdigest()[:8]
    kept = folder / f"ends-{nodes}-{mark}"
    try:
        kept.mkdir(exist_ok=True)
    except OSError as error:
        raise CommandError(f"cannot keep positions in {str(kept)!r}: {error.strerror or error}") from None
    tasks = [EndsTask(settings.variant, nodes, batch, kept / batch.name) for batch in batches(folder)]
    with workers(concurrency, cluster) as pool:
        missing = [task for task in tasks if games_in(task.output) < games_in(task.batch)]
        for task, data in track(pool.run(search_batch, missing), f"{settings.variant}, ends", len(missing),
                                console=Console(stderr=True), disable=not sys.stderr.isatty()):
            save_batch(task.output, data, games_in(task.batch))
    return Data(*(np.concatenate(parts) for parts in zip(*(load_batch(task.output) for task in tasks), strict=True)))


def search_batch(task: EndsTask) -> Data:
    """The ends of one batch. The same at every call."""
    rules, data = variants.find(task.variant), load_batch(task.batch)
    player = SingleThread(rules, task.nodes, params_of(rules), HASH_MB)
    kept, rows = list[int](), list[np.ndarray]()
    before = -1
    for number, row in enumerate(data.rows):
        if data.games[number] != before:
            player.clear()
            before = data.games[number]
        row = end_of(player, Game(rules, to_fen(rules, row)))
        if row is not None:
            kept.append(number)
            rows.append(row)
    words = data.rows.shape[1]
    return Data(np.array(rows, np.uint64).reshape(-1, words), data.scores[kept], data.results[kept], data.games[kept])


def end_of(player: SingleThread, game: Game) -> np.ndarray | None:
    """The position at the end of the principal variation, uint64[words]; None if its value is not the search's score.

    The game is left at that position.
    """
    turn = game.turn
    score = player(game).score
    if abs(score) > DECIDED:
        return None
    for move in player.line:
        game.push(move)
    if game.outcome() is not None or game.in_check():
        return None
    value = int(trace_kernel(game.rules, game.pos, player.shared.weights, np.zeros((2, FEATURES + 2), np.int64)))
    if abs((value if game.turn == turn else -value) - score) > FAITHFUL:
        return None
    return game.pos
