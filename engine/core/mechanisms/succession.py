"""Succession: a captured king is followed by a piece of the first type in line that its side still has.

A single candidate becomes king by the capture itself. Among several the owner chooses with its next move, which carries the
heir's square; until then the side has no king. A side without king and heirs has lost.
"""

from __future__ import annotations

from engine.compile.jit import entry, jit
from engine.core.attackers import royals
from engine.core.bits import ONE, SQUARE_BITS, ZERO, lowest
from engine.core.movegen import COUNT, legal
from engine.core.moves import S_HAS_HEIR, S_HEIR, origin_of, target_of
from engine.core.position import W_TYPES, W_WHITE, type_at
from engine.core.reasons import NO_HEIR, NOT_OVER
from engine.rules import TURN
from engine.rules.mechanism import Mechanism


@jit
def heirs(rules, pos, own):
    """The pieces among `own` of the first class in the line of succession that has any."""
    found = ZERO
    for words in rules.succession_classes:
        if found == ZERO:
            for word in words:
                found |= pos[word] & own
    return found


@jit
def crown(rules, pos, heir):
    """Make a king of the piece on the bit `heir`."""
    for word in rules.succession:
        pos[word] &= ~heir
    pos[rules.king.word] |= heir


@jit(forceinline=True)
def succeed(rules, pos, child, move, captured):
    """Crown the heir that the mover chose, and the only one of a king just captured; returns the squares concerned."""
    crowned = ZERO
    if (move >> S_HAS_HEIR) & ONE:
        heir = ONE << ((move >> S_HEIR) & SQUARE_BITS)
        crowned = heir
        if heir == ONE << origin_of(move):  # the heir itself moves, in the move as a king, in `pos` as what it was
            heir = ONE << target_of(move)
            crowned |= heir
        crown(rules, child, heir)
    if captured & pos[rules.king.word]:
        line = heirs(rules, child, child[W_WHITE + (pos[TURN] ^ ONE)])
        if line:
            if line & (line - ONE) == ZERO:
                crown(rules, child, line)
                crowned |= line
    return crowned


@jit(forceinline=True)
def throne_is_empty(rules, pos):
    """Whether the side to move has to choose an heir."""
    return pos[rules.king.word] & pos[W_WHITE + pos[TURN]] == ZERO


@jit
def under_heirs(rules, pos, mode, moves):
    """Legal moves of a side whose king is gone: those under each piece that may succeed it, the choice written into them.

    The position is changed for each heir in turn and restored.
    """
    us = pos[TURN]
    line = heirs(rules, pos, pos[W_WHITE + us])
    n = ZERO
    while line:
        heir = lowest(line)
        bit = ONE << heir
        line ^= bit
        word = W_TYPES + type_at(rules, pos, heir)
        pos[word] ^= bit
        pos[rules.king.word] ^= bit
        if mode == COUNT:
            n += legal(rules, pos, COUNT, moves)
        else:
            end = n + legal(rules, pos, mode, moves[n:])
            while n < end:
                moves[n] |= (heir << S_HEIR) | (ONE << S_HAS_HEIR)
                n += ONE
        pos[rules.king.word] ^= bit
        pos[word] ^= bit
    return n


@jit
def any_capturer(rules, pos, capturers):
    """En passant is possible whenever a pawn stands there: the own king may be left to be taken."""
    return True


@jit
def extinct(rules, pos):
    """NO_HEIR if the side to move has neither king nor heir."""
    own = pos[W_WHITE + pos[TURN]]
    if royals(rules, pos) & own == ZERO and heirs(rules, pos, own) == ZERO:
        return NO_HEIR
    return NOT_OVER


@jit
def crown_if_certain(rules, pos):
    """Make a king of the only piece that can succeed the king of the side to move; with a choice, leave it open."""
    line = heirs(rules, pos, pos[W_WHITE + pos[TURN]])
    if rules.succession:
        if line and line & (line - ONE) == ZERO:
            crown(rules, pos, line)


@entry
def crown_kernel(rules, pos):
    """crown_if_certain() for Python."""
    crown_if_certain(rules, pos)


MECHANISM = Mechanism(
    name="succession", trait="succession", after_move=succeed, takes_over=throne_is_empty,
    generate=under_heirs, en_passant_possible=any_capturer, over_at_once=extinct)
