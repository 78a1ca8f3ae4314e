"""How many legal moves a position has, all pieces counted at once (fills.py), if one leaping king is royal.

The same moves as movegen.legal lists, for games with rules.counted_at_once. Whether a piece is pinned comes from two fills that
meet: that of the king and that of the sliders that look towards it.
"""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attackers import attackers
from engine.core.bits import ONE, ZERO, list_on_stack, lowest, popcount, rotate
from engine.core.fills import attacked_at_once, filled, leaps_counted, sliders_by_lane, ways_over
from engine.core.lanes import any_set, lane, merged, opposite, popcounts, spread, total
from engine.core.movegen import COUNT, en_passant, evading_squares
from engine.core.position import W_WHITE
from engine.rules import EP, TURN, TYPES


@jit(forceinline=True)
def counted(rules, pos):
    """How many legal moves there are, uint64."""
    us = pos[TURN]
    them = us ^ ONE
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
    king_bit = pos[rules.king.word] & own
    king = lowest(king_bit)
    ways = ways_over(rules, ~(own | enemy))
    sliders = sliders_by_lane(rules, pos)
    theirs = filled(rules, sliders & spread(enemy), ways)
    danger = attacked_at_once(rules, pos, them, enemy, theirs)
    # A piece of ours that the king and, from the other side, a slider look at is pinned: it keeps to that line.
    pins = filled(rules, spread(king_bit), ways) & opposite(theirs) & spread(own)
    axes, free = spread(ZERO), own
    if any_set(pins):  # a branch: usually there are none, and then the fill of our sliders need not wait for the others
        axes = pins | opposite(pins)
        free = own & ~merged(pins)
    quiet, capture, ready = ~(own | enemy) & rules.geometry.board, enemy, ZERO
    if danger & king_bit:
        checkers = attackers(rules, pos, king, own | enemy, enemy, them)
        evasions = evading_squares(rules, king, checkers, ZERO)
        quiet &= evasions
        capture &= evasions
        lifted = ways_over(rules, ~(own | enemy) | king_bit)  # a king does not hide the squares behind itself
        danger |= merged(filled(rules, sliders & spread(enemy), lifted))
    else:
        for mechanism in rules.mechanisms:
            if mechanism.castling_rooks is not None:
                ready = mechanism.castling_rooks(rules, pos, king)
    goals = spread(quiet | capture)
    slides = popcounts(filled(rules, sliders & (spread(free) | axes), ways) & goals)
    n = total(slides + leaps_counted(rules, pos, us, free, axes, goals))
    n += popcount(rules.king.leaps[us, king] & ~(own | danger))
    if rules.pawn:
        n += pawn_moves_counted(rules, pos, us, free, axes, quiet, capture)
        if rules.pawn.doubles:
            if pos[EP]:
                n = en_passant(rules, pos, COUNT, list_on_stack(0), n, king)
    for mechanism in rules.mechanisms:
        if mechanism.count_castlings is not None:
            n += mechanism.count_castlings(rules, pos, king, ready, danger)
    return n


@jit(forceinline=True)
def pawn_moves_counted(rules, pos, us, free, axes, quiet, capture):
    """How many moves the pawns `free` have onto `quiet` and `capture`, en passant apart.

    axes: pinned pieces, each in the lanes of its line.
    """
    empty = ~(pos[W_WHITE + us] | pos[W_WHITE + (us ^ ONE)])
    zone = rules.pawn.zone[0] if us == ZERO else rules.pawn.zone[1]
    n = ZERO
    for step in rules.pawn.steps:
        source, shift = (step.source[0], step.shift[0]) if us == ZERO else (step.source[1], step.shift[1])
        pawns = free
        if step.axis is not None:
            pawns |= lane(axes, step.axis)
        pawns &= pos[TYPES]
        first = rotate(pawns & source, shift) & empty
        n += popcount(first & quiet) + rules.pawn.extra_promotions * popcount(first & quiet & zone)
        if rules.pawn.doubles:
            starters = rotate(pawns & (rules.pawn.double[0] if us == ZERO else rules.pawn.double[1]), shift) & first
            n += popcount(rotate(starters & source, shift) & quiet)
    for step in rules.pawn.captures:
        source, shift = (step.source[0], step.shift[0]) if us == ZERO else (step.source[1], step.shift[1])
        pawns = free
        if step.axis is not None:
            pawns |= lane(axes, step.axis)
        landing = rotate(pos[TYPES] & pawns & source, shift) & capture
        n += popcount(landing) + rules.pawn.extra_promotions * popcount(landing & zone)
    return n
