"""Quiet moves that force the pace: checks, threats to explode the king, offers where captures are forced, steps to the goal.

They are not pruned by number, history or value, only by exchange. A game may reduce them less (lmr_forcing) and let them lose
more (forcing_slope). Whether a move gives check or threatens is looked up in a row of bitboards, filled when a node first asks.

pos: uint64[words]; us: uint64, colour of the side to move; row: uint64[FORCING]; move: uint64.
"""

from __future__ import annotations

from engine.compile.jit import inline, jit
from engine.core.attackers import attackers, piece_targets, royals, snipers
from engine.core.attacks import BETWEEN
from engine.core.bits import ONE, ZERO, U, lowest
from engine.core.moves import K_DOUBLE, K_DROP, kind_of, origin_of, target_of, type_of
from engine.core.position import W_WHITE
from engine.rules import BLACK, MAX_TYPES, TYPES, WHITE
from search.eval.bitboards import pawn_attacks
from search.exchange import exploding_captures

# A row. By type index: squares from which a piece of that type gives check or threatens. Then own pieces that hide a slider
# from a royal piece of the opponent, and the lines on which they do.
HIDING, LINES = MAX_TYPES, MAX_TYPES + 1
FORCING = MAX_TYPES + 2


@jit
def find_check_squares(rules, pos, us, row):
    """Fill a row with what gives check."""
    for word in rules.type_words:
        row[word - TYPES] = ZERO
    row[HIDING] = row[LINES] = ZERO
    them = us ^ ONE
    own, occupied = pos[W_WHITE + us], pos[WHITE] | pos[BLACK]
    left = royals(rules, pos) & pos[W_WHITE + them]
    while left:
        king = lowest(left)
        left &= left - ONE
        add_squares(rules, ONE << king, them, occupied, row)
        lined = snipers(rules, pos, king, own, us)
        while lined:
            line = BETWEEN[king, lowest(lined)]
            lined &= lined - ONE
            blockers = line & occupied
            if blockers & own and blockers & (blockers - ONE) == ZERO:
                row[HIDING] |= blockers
                row[LINES] |= line


@jit
def add_explosion_threats(rules, pos, us, row):
    """Add to a row the squares from which a piece attacks what stands next to the other king, if its own king is far enough."""
    add_squares(rules, exploding_captures(rules, pos, us), us ^ ONE, pos[WHITE] | pos[BLACK], row)


@jit(forceinline=True)
def add_squares(rules, targets, them, occupied, row):
    """Add to a row the squares from which a piece that is not royal attacks one of `targets`; them: colour of the targets."""
    if rules.pawn:
        row[0] |= pawn_attacks(rules, targets, them)
    while targets:
        target = lowest(targets)
        targets &= targets - ONE
        for piece in rules.pieces:
            if not piece.royal:
                row[piece.index] |= piece_targets(rules, piece.index, them, target, occupied)


@inline
def checks_or_threatens(move, row):
    """Whether a move puts its piece on a square of the row, or leaves a line. Castling, promotions and drives: False."""
    kind, target = kind_of(move), target_of(move)
    there = row[type_of(move)] >> target
    if kind <= K_DOUBLE:
        return (there | ((row[HIDING] >> origin_of(move)) & ~(row[LINES] >> target))) & ONE != ZERO
    return kind == K_DROP and there & ONE != ZERO


@jit
def steps_to_goal(rules, us, move):
    """Whether a move brings the king nearer to the square where it wins."""
    if rules.goal_by_step:
        if type_of(move) == U(rules.king.index) and kind_of(move) == ZERO:
            return (rules.steps_to_goal[us, origin_of(move)] >> target_of(move)) & ONE != ZERO
    return False


@jit
def offers_piece(rules, pos, us, move):
    """Whether a quiet move puts its piece where the opponent can capture it."""
    them, target = us ^ ONE, target_of(move)
    occupied = ((pos[WHITE] | pos[BLACK]) & ~(ONE << origin_of(move))) | (ONE << target)
    return attackers(rules, pos, target, occupied, pos[W_WHITE + them], them) != ZERO
