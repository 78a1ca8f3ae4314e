"""Breakdown of a perft: how many of the last moves are captures, checks, mates and so on."""

from __future__ import annotations

import numpy as np

from engine.compile.jit import entry, jit
from engine.core.attackers import attackers, in_check
from engine.core.bits import ALL, ONE, ZERO, lowest, popcount
from engine.core.ending import over_without_moves
from engine.core.legality import generate, over_at_once, play
from engine.core.mechanisms.castling import castling_squares
from engine.core.movegen import ALL_MOVES, COUNT
from engine.core.moves import K_CASTLE, K_DRIVE, K_EN_PASSANT, K_NAMING, K_PROMOTION, kind_of, origin_of, target_of
from engine.core.position import W_WHITE
from engine.core.reasons import BARE_KING, CHECKMATE, NOT_OVER, STALEMATE, WEAK_MATE
from engine.rules import BLACK, TURN, WHITE

KINDS = (
    "nodes", "captures", "en passant", "castles", "promotions", "coups", "insane moves", "explosions", "successions", "checks",
    "discovered", "double", "mates", "niols", "robados", "kings", "stalemates")
(NODES, CAPTURES, EN_PASSANTS, CASTLES, PROMOTIONS, COUPS, INSANE_MOVES, EXPLOSIONS, SUCCESSIONS, CHECKS, DISCOVERED, DOUBLE,
 MATES, NIOLS, ROBADOS, KINGS, STALEMATES) = range(len(KINDS))


@entry
def breakdown_kernel(rules, stack, lists, ply, depth, counts):
    """Add to counts, uint64[len(KINDS)], what the last of `depth` >= 1 moves from stack[ply] are."""
    pos, moves, child = stack[ply], lists[ply], stack[ply + 1]
    n = generate(rules, pos, ALL_MOVES, moves)
    i = ZERO
    while i < n:
        move = np.uint64(moves[i])
        play(rules, pos, child, move)
        if depth == 1:
            classify(rules, pos, child, move, counts, lists[ply + 1])
        else:
            breakdown_kernel(rules, stack, lists, ply + 1, depth - 1, counts)
        i += ONE


@jit
def classify(rules, pos, child, move, counts, scratch):
    """Add one move, from `pos` to `child`, to the counts of all that it is; scratch: uint32[rules.max_moves], for counting."""
    counts[NODES] += ONE
    moved = count_move(rules, pos, child, move, counts)
    checked = in_check(rules, child, child[TURN])
    if checked:
        count_check(rules, child, moved, counts)
    reason = over_at_once(rules, child)
    if reason == NOT_OVER:
        if generate(rules, child, COUNT, scratch) == ZERO:
            reason = over_without_moves(rules, child, checked)
    count_ending(rules, reason, counts)


@jit
def count_move(rules, pos, child, move, counts):
    """Count what the move itself is; returns the squares of the pieces that it moved, as a bitboard."""
    us = pos[TURN]
    kind = kind_of(move)
    moved = ONE << target_of(move)
    captured = pos[W_WHITE + (us ^ ONE)] & moved
    if rules.castling:
        if kind == K_CASTLE:
            counts[CASTLES] += ONE
            king_to, rook_to = castling_squares(rules, us, origin_of(move), target_of(move))
            moved = (ONE << king_to) | (ONE << rook_to)
    if kind == K_EN_PASSANT:
        counts[EN_PASSANTS] += ONE
    if captured or kind == K_EN_PASSANT:
        counts[CAPTURES] += ONE
        if rules.captures_explode:
            counts[EXPLOSIONS] += ONE
    if kind == K_PROMOTION:
        counts[PROMOTIONS] += ONE
    if kind == K_NAMING:
        counts[COUPS] += ONE
    if kind == K_DRIVE:
        counts[INSANE_MOVES] += ONE
        moved = ALL
    if rules.succession:
        if captured & pos[rules.king.word] and over_at_once(rules, child) == NOT_OVER:
            counts[SUCCESSIONS] += ONE
    return moved


@jit
def count_check(rules, child, moved, counts):
    """Count a check by what gives it: a piece on the squares `moved`, another one, or two."""
    counts[CHECKS] += ONE
    if rules.one_king:
        them = child[TURN]
        us = them ^ ONE
        king = lowest(child[rules.king.word] & child[W_WHITE + them])
        checkers = attackers(rules, child, king, child[WHITE] | child[BLACK], child[W_WHITE + us], us)
        if popcount(checkers) > ONE:
            counts[DOUBLE] += ONE
        elif checkers & moved == ZERO:
            counts[DISCOVERED] += ONE


@jit
def count_ending(rules, reason, counts):
    """Count how the move ended the game, if it did."""
    if reason == STALEMATE:
        counts[STALEMATES] += ONE
    elif reason == BARE_KING:
        counts[ROBADOS] += ONE
    elif reason == CHECKMATE:
        counts[MATES] += ONE
    elif reason == WEAK_MATE:
        counts[MATES] += ONE
        counts[NIOLS] += ONE
    elif reason != NOT_OVER:
        counts[KINGS] += ONE
