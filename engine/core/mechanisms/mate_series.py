"""Series of checks: a mate only wins if a piece of a certain type has given one of the checks of the series it ends.

Bit 0 of MARKS stands for White's unbroken series that holds such a check, bit 1 for Black's.
"""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attackers import attackers
from engine.core.bits import ONE, ZERO, lowest
from engine.core.keys import Z_MARKS, key_of_squares
from engine.core.position import W_WHITE
from engine.core.reasons import CHECKMATE, WEAK_MATE
from engine.rules import BLACK, KEY, MARKS, TURN, WHITE
from engine.rules.mechanism import Mechanism


@jit
def update_series(rules, pos, child):
    """Keep the marks of unbroken series of checks up to date after a move from `pos` to `child`, key included."""
    us = pos[TURN]
    mark = ONE << us
    foe = pos[rules.king.word] & child[W_WHITE + (us ^ ONE)]
    checkers = ZERO
    if foe:
        checkers = attackers(rules, child, lowest(foe), child[WHITE] | child[BLACK], child[W_WHITE + us], us)
    marks = pos[MARKS]
    if checkers == ZERO:
        marks &= ~mark
    else:
        counting = ZERO
        for word in rules.mate_series:
            counting |= child[word]
        if checkers & counting:
            marks |= mark
    child[MARKS] = marks
    child[KEY] ^= key_of_squares(Z_MARKS, pos[MARKS] ^ marks)


@jit
def judge_mate(rules, pos):
    """WEAK_MATE without such a check in the series, else CHECKMATE."""
    if (pos[MARKS] >> (pos[TURN] ^ ONE)) & ONE == ZERO:
        return WEAK_MATE
    return CHECKMATE


MECHANISM = Mechanism(
    name="mate series", trait="mate_series", after_turn=update_series, judge_mate=judge_mate)
