"""No move may give check.

A piece gives check from the squares from which it would attack the enemy king, or by leaving a line between the king and a
slider. Moves of what stands on such a line, castling, promotions and captures en passant are tried; all others are known at
once. If moves are only counted, those of free pieces are not even listed. Where captures explode every move is tried.
"""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attackers import attackers, move_targets, piece_targets, snipers
from engine.core.attacks import BETWEEN
from engine.core.bits import ONE, ZERO, U, list_on_stack, lowest, popcount, row_on_stack
from engine.core.movegen import ALL_MOVES, COUNT, allowed_targets, always, en_passant, keep_unchecked, legal, legal_of
from engine.core.moves import NORMAL, kind_of, origin_of, target_of, type_of
from engine.core.position import W_WHITE, make
from engine.rules import BLACK, MAX_TYPES, TURN, WHITE
from engine.rules.mechanism import Mechanism


@jit
def without_checks(rules, pos, mode, moves):
    """Legal moves that give no check; returns how many."""
    if rules.captures_explode:
        return by_making(rules, pos, mode, moves)
    return by_squares(rules, pos, mode, moves)


@jit
def by_making(rules, pos, mode, moves):
    """without_checks() by making each move: a blast may remove king or checker, and kings that touch end all checks."""
    them = pos[TURN] ^ ONE
    if mode == COUNT:
        listed = list_on_stack(rules.max_moves)
        return keep_unchecked(rules, pos, listed, ZERO, legal(rules, pos, ALL_MOVES, listed), them)
    return keep_unchecked(rules, pos, moves, ZERO, legal(rules, pos, mode, moves), them)


@jit
def quiet_capture_in_passing(rules, pos, _capturers):
    """Whether a capture en passant is legal and gives no check."""
    us = pos[TURN]
    kings = pos[rules.king.word] & pos[W_WHITE + us]
    if kings == ZERO:
        return False
    listed = list_on_stack(rules.max_moves)
    n = en_passant(rules, pos, ALL_MOVES, listed, ZERO, lowest(kings))
    return keep_unchecked(rules, pos, listed, ZERO, n, us ^ ONE) > ZERO


@jit
def by_squares(rules, pos, mode, moves):
    """without_checks() by the squares from which a piece gives check, so that most moves need not be made."""
    us = pos[TURN]
    them = us ^ ONE
    foe = lowest(pos[rules.king.word] & pos[W_WHITE + them])
    listed = list_on_stack(rules.max_moves)
    child = row_on_stack(rules.words)
    direct = row_on_stack(MAX_TYPES)
    hiding = check_squares(rules, pos, foe, direct)
    listing = ALL_MOVES if mode == COUNT else mode
    n = ZERO
    if mode == COUNT:
        own = pos[W_WHITE + us]
        king = lowest(pos[rules.king.word] & own)
        allowed = allowed_targets(rules, pos, king)
        quiet, _capture, sure, _checkers, pinned, _pinners = allowed
        n = free_moves_counted(rules, pos, own & ~(hiding | pinned), quiet | sure, direct)
        k = legal_of(rules, pos, listing, listed, king, allowed, hiding)
    else:
        k = legal(rules, pos, listing, listed)
    for mechanism in rules.mechanisms:
        if mechanism.add_moves is not None:
            k = mechanism.add_moves(rules, pos, listing, listed, k)
    i = ZERO
    while i < k:
        move = U(listed[i])
        if kind_of(move) != U(NORMAL) or (hiding >> origin_of(move)) & ONE:
            make(rules, pos, child, move, False)
            gives_none = attackers(rules, child, foe, child[WHITE] | child[BLACK], child[W_WHITE + us], us) == ZERO
        else:
            gives_none = (direct[type_of(move)] >> target_of(move)) & ONE == ZERO
        if gives_none:
            if mode != COUNT:
                moves[n] = listed[i]
            n += ONE
        i += ONE
    return n


@jit(forceinline=True)
def free_moves_counted(rules, pos, free, mask, direct):
    """How many moves onto `mask` give no check, of pieces `free` that are not pinned and hide no slider.

    direct: of check_squares().
    """
    us = pos[TURN]
    occupied = pos[WHITE] | pos[BLACK]
    n = ZERO
    for piece in rules.pieces:
        if not piece.royal:
            goals = mask & ~direct[piece.index]
            movers = pos[piece.word] & free
            while movers:
                n += popcount(move_targets(rules, piece.index, us, lowest(movers), occupied) & goals)
                movers &= movers - ONE
    return n


@jit(forceinline=True)
def check_squares(rules, pos, foe, direct):
    """Fill direct, uint64[MAX_TYPES]: squares from which a type checks the king on `foe`.

    Returns the pieces that hide a slider of their own side from it.
    """
    us = pos[TURN]
    them = us ^ ONE
    own, occupied = pos[W_WHITE + us], pos[WHITE] | pos[BLACK]
    direct[0] = ZERO
    if rules.pawn:
        direct[0] = rules.pawn.attacks[them, foe]
    for piece in rules.pieces:
        direct[piece.index] = piece_targets(rules, piece.index, them, foe, occupied)
    hiding = ZERO
    lined = snipers(rules, pos, foe, own, us)
    while lined:
        blockers = BETWEEN[foe, lowest(lined)] & occupied
        lined &= lined - ONE
        if blockers & (blockers - ONE) == ZERO:
            hiding |= blockers & own
    return hiding


MECHANISM = Mechanism(
    name="forbidden checks", trait="checks_forbidden", takes_over=always, generate=without_checks,
    en_passant_possible=quiet_capture_in_passing)
