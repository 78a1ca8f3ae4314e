"""The factor of an advantage if little is left to win with, in 64ths: fitted to games, as weights are (SCALES)."""

from __future__ import annotations

import numpy as np

from engine.compile.jit import entry, jit
from engine.core.attackers import royals
from engine.core.bits import ONE
from engine.core.position import W_WHITE
from engine.rules import BLACK, TURN, TYPES, WHITE
from search.eval.bitboards import count
from search.eval.endings import bishops_scale
from search.eval.features import LEADS, SCALES, STAGE

WHOLE = 64  # of a scale
_KNIGHT_LEAD, _ROOK_LEAD, _GREAT_LEAD = LEADS


@jit(forceinline=True)
def winning_scale(rules, pos, weights, score, lead):
    """The factor of an advantage, in 64ths, int64. score and lead in pieces: of the side to move."""
    better = pos[TURN]
    if score <= 0:
        better ^= ONE
        lead = -lead
    scale = weights[SCALES + scale_cell(rules, pos, better, lead)]
    if rules.bishops:
        scale = min(scale, bishops_scale(rules, pos, better))
    return scale


@jit
def scale_cell(rules, pos, better, lead):
    """The number of the scale for the better side, a colour, int64. lead: its lead in pieces as a share of the middlegame."""
    own, other = pos[W_WHITE + better], pos[W_WHITE + (better ^ ONE)]
    pawns = min(count(pos[TYPES] & own), 3)
    pieces = min(count(other & ~royals(rules, pos)), 2)
    level = np.int64(lead >= _KNIGHT_LEAD) + np.int64(lead >= _ROOK_LEAD) + np.int64(lead >= _GREAT_LEAD)
    return pawns * 12 + level * 3 + pieces


@jit
def white_lead(rules, pos, weights):
    """White's lead in pieces as a share of the middlegame, int64."""
    lead = 0
    for piece in rules.pieces:
        if not piece.royal:
            pieces = pos[piece.word]
            lead += (count(pieces & pos[WHITE]) - count(pieces & pos[BLACK])) * weights[STAGE + piece.index]
    return lead


@entry
def scales_kernel(rules, rows, weights, scales):
    """The scales of many positions: uint8[2, n], first if the side to move is better, then if it is not.

    rows: uint64[n, words].
    """
    for i in range(len(rows)):
        pos = rows[i]
        lead = white_lead(rules, pos, weights)
        if pos[TURN]:
            lead = -lead
        scales[0, i] = winning_scale(rules, pos, weights, 1, lead)
        scales[1, i] = winning_scale(rules, pos, weights, -1, lead)
