"""From a clock to a soft and a hard limit, in milliseconds since the clock started."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from search.limits import Limits
from search.params import DROP_SLOPE, HARD_LIMIT, MOVES_LEFT, PARAMS, SHARE_SLOPE, SOFT_LIMIT, STABLE_STEP, UNSTABLE

LEAST = 1.0  # a search takes some time, whatever the clock says


@dataclass(frozen=True)
class Budget:
    """How long to think: no new iteration after `soft`, no node after `hard`; None where time sets no limit."""

    soft: float | None = None
    hard: float | None = None


def patience(stable: int, drop: int, share: float, p: np.ndarray) -> float:
    """What the soft limit is multiplied with.

    stable: iterations for which the best move stayed the same; drop: centipawns the score fell since the iteration before;
    share: of the nodes that went to the best move, 0 to 1.
    """
    calm = (int(p[UNSTABLE]) - int(p[STABLE_STEP]) * min(stable, 8)) / 100
    worry = 1 + int(p[DROP_SLOPE]) / 100 * max(-0.2, min(drop / 100, 1.0))
    doubt = 1 + int(p[SHARE_SLOPE]) / 100 * (0.6 - share)
    return max(0.2, calm * worry * doubt)


def budget(limits: Limits, turn: int, overhead: float = 10.0, p: np.ndarray | None = None) -> Budget:
    """The time a move may take.

    turn: 0 White, 1 Black; overhead: milliseconds between our answer and its arrival, kept back every move;
    p: int32[len(PARAMS)]. A clock without moves_to_go must last for `moves_left` moves. What is spent stays below what the
    clock shows less the overhead, however great the increment: the flag falls before the increment comes.

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
    moves = int(p[MOVES_LEFT])
    if limits.moves_to_go is not None and limits.moves_to_go > 0:
        moves = min(limits.moves_to_go, 50)
    # The overhead is lost on each of the moves to come; the increments but for the last are sure to arrive.
    share = max(usable - overhead * min(moves - 1, 8), usable / 4) / moves + max(0.0, increment - overhead) * 0.8
    most = usable if moves == 1 else usable * 0.6
    hard = max(LEAST, min(share * int(p[HARD_LIMIT]) / 100, most))
    if moves == 1:  # the last before the next time control: time saved is worth nothing
        soft = hard = max(LEAST, usable * 0.9)
    else:
        soft = max(LEAST, min(share * int(p[SOFT_LIMIT]) / 100, hard))
    if fixed is not None:
        soft, hard = min(soft, fixed), min(hard, fixed)
    return Budget(soft, hard)
