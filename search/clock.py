"""Time management: from clocks to a soft and a hard limit, in milliseconds since our clock started."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from search.limits import Limits
from search.params import (
    DROP_SLOPE,
    HARD_LIMIT,
    MOVES_LATE,
    MOVES_LEFT,
    PARAMS,
    SHARE_SLOPE,
    SOFT_LIMIT,
    STABLE_STEP,
    UNSTABLE,
)

LEAST = 1.0  # milliseconds that a search takes whatever the clock says
MOST_STABLE = 8  # iterations with the same best move after which more of them change nothing
RISEN, FALLEN = -0.2, 1.0  # pawns by which the score fell, at least and at most: what is beyond changes nothing
USUAL_SHARE = 0.6  # of the nodes, spent on the best move: neither a reason to think longer nor to stop
LEAST_FACTOR = 0.2  # the least factor of the soft limit
PLIES_PER_MOVE_LESS = 5  # the clock must last for a move less after so many plies
MOST_MOVES = 50  # until a time control that are planned for
FORESEEN = 8  # moves on which the overhead is kept back
SPENT_INCREMENT = 0.8  # share of the increment that is planned for a move
MOST_OF_CLOCK = 0.6  # share of the clock that one move may take
LAST_MOVE = 0.9  # share of the clock for the last move before a time control


@dataclass(frozen=True)
class Budget:
    """How long to think in milliseconds: no new iteration after `soft`, no node after `hard`; None without a limit of time."""

    soft: float | None = None
    hard: float | None = None


def soft_factor(stable: int, drop: int, share: float, p: np.ndarray) -> float:
    """The factor of the soft limit after an iteration.

    stable: iterations in a row with the same best move; drop: centipawns that the score fell (Task.drop); share: the part of
    the iteration's nodes that were spent on the best move, 0 to 1; p: int32[len(PARAMS)].
    """
    stability = (int(p[UNSTABLE]) - int(p[STABLE_STEP]) * min(stable, MOST_STABLE)) / 100
    falling = 1 + int(p[DROP_SLOPE]) / 100 * max(RISEN, min(drop / 100, FALLEN))
    effort = 1 + int(p[SHARE_SLOPE]) / 100 * (USUAL_SHARE - share)
    return max(LEAST_FACTOR, stability * falling * effort)


def budget(limits: Limits, turn: int, overhead: float = 10.0, p: np.ndarray | None = None, ply: int = 0) -> Budget:
    """The time for a move.

    turn: 0 White, 1 Black; overhead: milliseconds between our answer and its arrival, kept back on each move;
    p: int32[len(PARAMS)], None for the defaults; ply: plies since the start of the game.
    A clock without moves_to_go must last for `moves_left` moves at first, and for fewer later in the game. The limits stay
    below the clock less the overhead, however large the increment is: the flag falls before the increment comes.

    >>> budget(Limits(movetime=1000), 0, overhead=50)
    Budget(soft=950.0, hard=950.0)
    """
    p = PARAMS.array() if p is None else p
    fixed = None if limits.movetime is None else max(LEAST, float(limits.movetime) - overhead)
    left = limits.clock[turn] if turn < len(limits.clock) else None
    if left is None or limits.infinite:
        return Budget() if fixed is None or limits.infinite else Budget(fixed, fixed)
    increment = max(0.0, float(limits.increment[turn] or 0))
    usable = max(0.0, float(left) - overhead)
    moves = max(int(p[MOVES_LATE]), int(p[MOVES_LEFT]) - ply // PLIES_PER_MOVE_LESS)
    if limits.moves_to_go is not None and limits.moves_to_go > 0:
        moves = min(limits.moves_to_go, MOST_MOVES)
    # The overhead is lost on each of the coming moves; all increments but the last are sure to come.
    share = max(usable - overhead * min(moves - 1, FORESEEN), usable / 4) / moves
    share += SPENT_INCREMENT * max(0.0, increment - overhead)
    most = usable if moves == 1 else usable * MOST_OF_CLOCK
    hard = max(LEAST, min(share * int(p[HARD_LIMIT]) / 100, most))
    if moves == 1:  # the last move before the time control: time saved is worth nothing
        soft = hard = max(LEAST, usable * LAST_MOVE)
    else:
        soft = max(LEAST, min(share * int(p[SOFT_LIMIT]) / 100, hard))
    if fixed is not None:
        soft, hard = min(soft, fixed), min(hard, fixed)
    return Budget(soft, hard)
