"""The positions that engines are judged by: drawn from games of the engine against itself, and kept in a file."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np

from bench.nets.selfplay import SelfPlay
from bench.nets.store import Settings
from bench.openings.epd import read_positions
from engine.errors import CommandError
from engine.game import Game
from engine.rules import BLACK, WHITE, Rules
from engine.text import to_fen

NAME = "positions.epd"  # its first line is a comment: the game, the number of positions and the seed, as JSON
COUNT = 400  # positions, if nothing else is asked for
SEED = 1
NODES = 200  # a move of the games
OF_A_GAME = 2  # positions
OPEN = 500  # centipawns by the games' own searches: beyond, most moves win or lose
SHARE = 0.3  # of the pieces of the start position: with fewer, endings would decide
MOST_GAMES = 50  # for each position that is wanted


def kept_positions(folder: Path, rules: Rules, count: int | None, seed: int | None) -> list[str]:
    """The FENs of a folder's file; a folder without one is given that many. None: as the file has it, or the default.

    Raises CommandError naming game, number or seed if the file has another one.
    """
    path = folder / NAME
    if path.exists():
        known = _settings_of(path)
        for name, value in (("variant", rules.name), ("positions", count), ("seed", seed)):
            if value is not None and known.get(name) != value:
                raise CommandError(f"{str(path)!r} has {name} {known.get(name)}, not {value}: give another folder with -o")
    else:
        count, seed = COUNT if count is None else count, SEED if seed is None else seed
        settings = {"variant": rules.name, "positions": count, "seed": seed}
        fens = drawn_positions(rules, count, seed)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".part")
            partial.write_text("".join(f"{line}\n" for line in (f"# {json.dumps(settings)}", *fens)), encoding="utf-8")
            partial.replace(path)
        except OSError as error:
            raise CommandError(f"cannot keep positions in {str(folder)!r}: {error.strerror or error}") from None
    return [fen for _, _, fen in read_positions(path, rules)]


def _settings_of(path: Path) -> dict[str, Any]:
    """What the first line of a file says about its positions. Raises CommandError."""
    try:
        with path.open(encoding="utf-8") as file:
            known = json.loads(file.readline().removeprefix("#"))
    except OSError as error:
        raise CommandError(f"cannot read positions from {str(path)!r}: {error.strerror or error}") from None
    except ValueError:
        known = None
    if not isinstance(known, dict):
        raise CommandError(f"{str(path)!r} does not say which game its positions are of: give another folder with -o")
    return known


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
