"""The terms of pieces: squares, mobility, pairs, open files, outposts; and threats to the enemy's pieces."""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attackers import piece_targets, royals
from engine.core.bits import ONE, ZERO, U, lowest
from engine.rules import TYPES
from engine.rules.geometry import WORD
from search.eval.bitboards import count, files_of, pawn_attacks, pawn_paths, pawn_stops, view_of
from search.eval.features import (
    HANGING,
    MOBILITY,
    OPEN_FILE,
    OUTPOST,
    PAIR,
    REACH,
    SQUARES,
    STAGE,
    THREAT_BY_LESSER,
    THREAT_BY_PAWN,
    THREAT_BY_PUSH,
    UNITS,
)
from search.eval.side import BY_ALL, BY_PAWN, KING_ATTACKERS, KING_PRESSURE, PATHS, SPAN, TWICE, term


@jit(forceinline=True)
def fill_pawn_maps(rules, pos, side):
    """What a side's pawns attack now and later; of both sides before any term is counted."""
    pawns = pos[TYPES] & side.own
    side.attacks[BY_PAWN] = pawn_attacks(rules, pawns, side.colour)
    side.attacks[PATHS] = pawn_paths(rules, pawns, side.colour)
    side.attacks[SPAN] = pawn_attacks(rules, side.attacks[PATHS], side.colour)


@jit(forceinline=True)
def king_zone(rules, pos, side):
    """The enemy's royal pieces and the squares around them."""
    zone = ZERO
    left = royals(rules, pos) & side.enemy
    while left:
        zone |= rules.geometry.king_attacks[lowest(left)] | (left & (ZERO - left))
        left &= left - ONE
    return zone


@jit(forceinline=True)
def piece_terms(rules, pos, side):
    """(packed score, share of the middlegame) of a side's pieces, both int64. Fills the rest of side.attacks."""
    score, stage = 0, 0
    pressure, attackers = 0, 0
    pawns = side.own & pos[TYPES]
    flip, shift = view_of(rules, side.colour)
    by_all, twice = side.attacks[BY_PAWN], ZERO
    allowed = ~(side.enemy_attacks[BY_PAWN] | pawns)
    zone = king_zone(rules, pos, side)
    files = ZERO
    if rules.pawn and not rules.pawn.lopsided:
        files = files_of(pawns)
    for piece in rules.pieces:
        left = pos[piece.word] & side.own
        by_type = ZERO
        if left & (left - ONE):
            score += term(side, PAIR + piece.index, 1)
        while left:
            square = lowest(left)
            left &= left - ONE
            score += term(side, SQUARES + piece.index * WORD + ((square ^ flip) - shift), 1)
            reach = piece_targets(rules, piece.index, side.colour, square, side.own | side.enemy)
            by_type |= reach
            twice |= by_all & reach
            by_all |= reach
            if not piece.royal:
                stage += side.weights[STAGE + piece.index]
                mobility = count(reach & allowed)
                if piece.reach >= REACH:
                    mobility = min(mobility, REACH - 1)
                score += term(side, MOBILITY + piece.index * REACH + mobility, 1)
                if reach & zone:
                    pressure += count(reach & zone) * side.weights[UNITS + piece.index]
                    attackers += 1
                if piece.rook and piece.rook_limit is None and not piece.bishop:
                    if rules.pawn and not rules.pawn.lopsided:
                        if (files >> square) & ONE == ZERO:
                            fully_open = (files_of(pos[TYPES] & side.enemy) >> square) & ONE == ZERO
                            score += term(side, OPEN_FILE + fully_open, 1)
        side.attacks[piece.index] = by_type
    side.attacks[BY_ALL], side.attacks[TWICE] = by_all, twice
    side.attacks[KING_PRESSURE], side.attacks[KING_ATTACKERS] = U(pressure), U(attackers)
    return score, stage


@jit(forceinline=True)
def threat_terms(rules, pos, side):
    """What a side attacks of the enemy's pieces, by type of the victim, and its pieces that no pawn can drive away."""
    score = 0
    pawn_threats = side.attacks[BY_PAWN] & side.enemy
    hanging = side.enemy & side.attacks[BY_ALL] & ~side.enemy_attacks[BY_ALL]
    push_threats, outposts = ZERO, ZERO
    if rules.pawn:
        push_threats = pushed_attacks(rules, pos, side) & side.enemy & ~pawn_threats
        if not rules.pawn.lopsided:
            outposts = rules.geometry.enemy_half[side.colour] & ~side.enemy_attacks[SPAN]
    by_lesser = ZERO
    for piece in rules.pieces:
        if not piece.royal:
            pieces = pos[piece.word]
            if pieces & pawn_threats:
                score += term(side, THREAT_BY_PAWN + piece.index, count(pieces & pawn_threats))
            if pieces & by_lesser & side.enemy:
                score += term(side, THREAT_BY_LESSER + piece.index, count(pieces & by_lesser & side.enemy))
            if pieces & hanging:
                score += term(side, HANGING + piece.index, count(pieces & hanging))
            if pieces & push_threats:
                score += term(side, THREAT_BY_PUSH + piece.index, count(pieces & push_threats))
            posted = pieces & side.own & outposts
            if posted:
                held = count(posted & side.attacks[BY_PAWN])
                score += term(side, OUTPOST + piece.index * 2, count(posted) - held)
                score += term(side, OUTPOST + piece.index * 2 + 1, held)
            by_lesser |= side.attacks[piece.index]
    if pos[TYPES] & hanging:
        score += term(side, HANGING, count(pos[TYPES] & hanging))
    return score


@jit(forceinline=True)
def pushed_attacks(rules, pos, side):
    """What a side's pawns would attack after a step to a square that is safe for them."""
    steps = pawn_stops(rules, pos[TYPES] & side.own, side.colour) & ~(side.own | side.enemy | side.enemy_attacks[BY_PAWN])
    return pawn_attacks(rules, steps & (side.attacks[BY_ALL] | ~side.enemy_attacks[BY_ALL]), side.colour)
