"""Static values for Python: what the search would see, what the net alone says, and what it thinks each piece is worth."""

from __future__ import annotations

import numpy as np

from engine.core.bits import squares
from engine.rules import BLACK, CASTLING, KEY, MARKS, ROYAL, TURN, TYPES, WHITE, Rules
from search.eval.evaluate import net_kernel, value_kernel
from search.eval.features import weights_of
from search.eval.net.files import Weights, no_net


def value_of(rules: Rules, pos: np.ndarray, net: Weights | None = None, weights: np.ndarray | None = None) -> int:
    """The static value that the search uses, centipawns from the side to move.

    pos: uint64[words]; net: None for a search without one; weights: int64[...], by default those of the game.
    """
    used = no_net(rules) if net is None else net.net(rules, 1)
    return int(value_kernel(rules, pos.reshape(1, -1).copy(), 0, weights_of(rules) if weights is None else weights, used))


def net_value_of(rules: Rules, pos: np.ndarray, net: Weights) -> int:
    """What the net says, centipawns from the side to move, also of an ending that the search knows better."""
    return int(net_kernel(rules, pos.reshape(1, -1).copy(), 0, weights_of(rules), net.net(rules, 1)))


def worth_of_pieces(rules: Rules, pos: np.ndarray, net: Weights) -> dict[int, int]:
    """By square: centipawns that the piece there adds to its own side's value, by the net. Royal pieces are left out."""
    royal = int(pos[ROYAL]) if rules.traits.titles else 0
    for mover in rules.traits.royals:
        royal |= int(pos[mover.word])
    whole = net_value_of(rules, pos, net)
    found = {}
    for square in squares(int(pos[WHITE] | pos[BLACK]) & ~royal):
        without, bit = pos.copy(), np.uint64(1 << square)
        for word in (WHITE, BLACK, CASTLING, *range(TYPES, len(pos)), *((ROYAL, MARKS) if rules.traits.titles else ())):
            without[word] &= ~bit
        without[KEY] ^= bit
        lost = whole - net_value_of(rules, without, net)
        colour = int(pos[BLACK] >> np.uint64(square)) & 1
        found[square] = lost if colour == int(pos[TURN]) else -lost
    return found
