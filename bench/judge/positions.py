"""The positions that engines are judged by: drawn from games of the engine against itself, and kept in a file."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from bench.nets.selfplay import SelfPlay
from bench.nets.store import Settings
from bench.openings.epd import read_positions
from engine.errors import CommandError
from engine.game import Game
from engine.rules import BLACK, WHITE, Rules
from engine.text import to_fen

NAME = "positions.epd"
NODES = 200  # a move of the games
OF_A_GAME = 2  # positions
OPEN = 500  # centipawns by the games' own searches: beyond, most moves win or lose
SHARE = 0.3  # of the pieces of the start position: with fewer, endings would decide
MOST_GAMES = 50  # for each position that is wanted


def kept_positions(folder: Path, rules: Rules, count: int, seed: int) -> list[str]:
    """The FENs of a folder's file; a folder without one is given that many. Raises CommandError."""
    path = folder / NAME
    if not path.exists():
        try:
            folder.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".part")
            partial.write_text("".join(f"{fen}\n" for fen in drawn_positions(rules, count, seed)), encoding="utf-8")
            partial.replace(path)
        except OSError as error:
            raise CommandError(f"cannot keep positions in {str(folder)!r}: {error.strerror or error}") from None
    return [fen for _, _, fen in read_positions(path, rules)]


def drawn_positions(rules: Rules, count: int, seed: int) -> list[str]:
    """FENs of quiet positions of self-play, undecided, with enough pieces; chosen by chance. Raises CommandError."""
    players, chance = SelfPlay(rules, Settings(rules.name, NODES, seed)), random.Random(f"{rules.name} {seed}")
    least = SHARE * pieces_on(Game(rules).pos)
    found: list[str] = []
    for number in range(MOST_GAMES * count):
        data = players.play(number)
        fit = [row for row, score in zip(data.rows, data.scores, strict=True) if abs(score) <= OPEN and pieces_on(row) >= least]
        found += [to_fen(rules, row) for row in chance.sample(fit, min(OF_A_GAME, len(fit)))]
        if len(found) >= count:
            return found[:count]
    raise CommandError(f"{MOST_GAMES * count} games of {rules.name} have only {len(found)} undecided positions")


def pieces_on(pos: np.ndarray) -> int:
    """How many pieces stand on the board. pos: uint64[words]."""
    return int(pos[WHITE] | pos[BLACK]).bit_count()
