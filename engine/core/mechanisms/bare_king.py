"""A side left with nothing but its king: the game is drawn at once."""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.bits import ZERO
from engine.core.movegen import no_moves
from engine.core.reasons import BARE_KING, NOT_OVER
from engine.rules import BLACK, WHITE
from engine.rules.mechanism import Mechanism


@jit(forceinline=True)
def bare_king(rules, pos):
    """Whether a side has nothing but its king. A side that has lost its king besides is not bare, it has lost."""
    if rules.kings_vanish:
        if pos[WHITE] == ZERO or pos[BLACK] == ZERO:
            return False
    kings = pos[rules.king.word]
    return pos[WHITE] & ~kings == ZERO or pos[BLACK] & ~kings == ZERO


@jit
def drawn_by_bare_king(rules, pos):
    """BARE_KING if a side has nothing else."""
    return BARE_KING if bare_king(rules, pos) else NOT_OVER


MECHANISM = Mechanism(
    name="bare king", trait="bare_king_draws", takes_over=bare_king, generate=no_moves,
    over_at_once=drawn_by_bare_king)
