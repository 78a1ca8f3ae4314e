"""Rotating titles and wary royal men: a man is royal because it holds a title, and a title can be passed on.

A royal man neither enters nor crosses a square the other side attacks, by plain geometry on the position before the move,
and gives check only along lines none of whose crossed squares the side in check attacks.
Most moves cannot change any of this and are counted in bulk; the men whose moves might are tried one move at a time.
"""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attacks import BETWEEN
from engine.core.bits import ONE, ZERO, U, list_on_stack, lowest, popcount, row_on_stack
from engine.core.movegen import (
    ALL_MOVES,
    COUNT,
    NOISY,
    QUIET,
    attack_map,
    attackers,
    emit,
    free_moves,
    pawn_moves,
    piece_targets,
    pseudo_en_passant,
    royals,
    snipers,
)
from engine.core.position import K_CASTLE, K_EN_PASSANT, K_NAMING, S_KIND, S_TO, W_WHITE, castling_squares, encode, make
from engine.rules import CASTLING, EP, MARKS, ROYAL, TURN, TYPES


@jit
def wary_check(rules, pos, square, occupied, enemy, own, us):
    """Whether a royal man of `us` on `square` is in check from the royal men among `enemy`."""
    them = us ^ ONE
    givers = attackers(rules, pos, square, occupied, enemy & royals(rules, pos), them)
    while givers:
        giver = lowest(givers)
        givers &= givers - ONE
        crossed = BETWEEN[giver, square]
        guarded = False
        if crossed and not leaps_to(rules, pos, giver, square, them):
            while crossed:
                if attackers(rules, pos, lowest(crossed), occupied, own, us):
                    guarded = True
                    crossed = ZERO
                crossed &= crossed - ONE
        if not guarded:
            return True
    return False


@jit
def leaps_to(rules, pos, origin, target, colour):
    """Whether the man on `origin` reaches `target` by a leap."""
    for piece in rules.pieces:
        if piece.leaps is not None:
            if (pos[piece.word] >> origin) & (piece.leaps[colour, origin] >> target) & ONE:
                return True
    return False


@jit
def titled_check(rules, pos, us):
    """Whether a royal man of `us` is in check."""
    them = us ^ ONE
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
    royal = royals(rules, pos)
    ordinary = enemy & ~royal
    men = royal & own
    while men:
        square = lowest(men)
        men &= men - ONE
        if attackers(rules, pos, square, own | enemy, ordinary, them):
            return True
        if wary_check(rules, pos, square, own | enemy, enemy, own, us):
            return True
    return False


@jit
def titled(rules, pos, mode, moves):
    """Legal moves where titles rotate; returns how many, uint64. moves uint32[rules.max_moves], untouched by COUNT."""
    us = pos[TURN]
    them = us ^ ONE
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
    occupied = own | enemy
    royal = royals(rules, pos)
    mine, theirs = royal & own, royal & enemy
    by_ordinary = attack_map(rules, pos, enemy & ~royal, them, occupied)
    threat = by_ordinary | attack_map(rules, pos, theirs, them, occupied)

    # Men whose moves must be tried: pinned ones, and all where a royal man looks at ours along an open line. A royal man
    # that nothing attacks may go where nothing attacks: no line opens behind it.
    trial = ZERO
    checked = mine & by_ordinary != ZERO
    if not checked:
        todo = mine
        while todo:
            square = lowest(todo)
            todo &= todo - ONE
            lined = snipers(rules, pos, square, enemy, them)
            while lined:
                sniper = lowest(lined)
                lined &= lined - ONE
                blockers = BETWEEN[square, sniper] & occupied
                if blockers & (blockers - ONE) == ZERO:
                    trial |= blockers & own
                    if blockers == ZERO:
                        trial = own
            if mine & threat:
                if wary_check(rules, pos, square, occupied, enemy, own, us):
                    checked = True
    if checked:
        trial = own
    n = ZERO
    free = own & ~trial
    if free:
        mask = ~own
        if mode == NOISY:
            mask = enemy
        if mode == QUIET:
            mask = ~occupied
        if rules.pawn:
            n = pawn_moves(rules, mode, moves, n, us, pos[TYPES] & free, ~occupied, ~occupied, enemy)
        n = free_moves(rules, pos, mode, moves, n, us, free & ~royal, mask, occupied)
        for piece in rules.pieces:
            men = pos[piece.word] & free & royal
            while men:
                square = lowest(men)
                men &= men - ONE
                targets = piece_targets(rules, piece.index, us, square, occupied | threat) & ~threat & mask
                n = emit(rules, mode, moves, n, square, targets, U(piece.index))
    if trial or pos[EP]:
        n = tried_moves(rules, pos, mode, moves, n, trial, threat)
    if mode != NOISY and not checked:
        n = namings(rules, pos, mode, moves, n, by_ordinary, threat & ~by_ordinary)
        if rules.castling:
            if pos[CASTLING] & own:
                n = titled_castlings(rules, pos, mode, moves, n, threat)
    return n


@jit
def tried_moves(rules, pos, mode, moves, n, trial, threat):
    """Add the legal moves of the men `trial` and en passant: each is made and looked at."""
    us = pos[TURN]
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + (us ^ ONE)]
    occupied = own | enemy
    mask = ~own
    if mode == NOISY:
        mask = enemy
    if mode == QUIET:
        mask = ~occupied
    mine = royals(rules, pos) & own
    pawns = pos[TYPES] & trial
    listed = list_on_stack(rules.max_moves)
    child = row_on_stack(rules.words)
    k = ZERO
    if rules.pawn:
        if mode == COUNT:
            k = pawn_moves(rules, ALL_MOVES, listed, k, us, pawns, ~occupied, ~occupied, enemy)
        else:
            k = pawn_moves(rules, mode, listed, k, us, pawns, ~occupied, ~occupied, enemy)
        if mode != QUIET and rules.pawn.doubles:
            if pos[EP]:
                k = pseudo_en_passant(rules, pos, listed, k)
    for piece in rules.pieces:
        men = pos[piece.word] & trial
        while men:
            square = lowest(men)
            men &= men - ONE
            targets = titled_targets(rules, piece.index, us, square, occupied, mine, threat) & mask
            k = emit(rules, ALL_MOVES, listed, k, square, targets, U(piece.index))
    i = ZERO
    while i < k:
        make(rules, pos, child, U(listed[i]), False)
        if not titled_check(rules, child, us):
            if mode != COUNT:
                moves[n] = listed[i]
            n += ONE
        i += ONE
    return n


@jit(forceinline=True)
def titled_targets(rules, index, us, square, occupied, mine, threat):
    """Where a man goes: a royal one stops before the first attacked square of each line."""
    if (mine >> square) & ONE:
        return piece_targets(rules, index, us, square, occupied | threat) & ~threat
    return piece_targets(rules, index, us, square, occupied)


@jit
def namings(rules, pos, mode, moves, n, by_ordinary, by_royal):
    """Add the overthrows, given that no royal man is in check."""
    us = pos[TURN]
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + (us ^ ONE)]
    electable = own & ~pos[TYPES]
    for piece in rules.royals:
        electable &= ~pos[piece.word]
    fresh = electable & ~pos[MARKS]
    if fresh:
        electable = fresh
    electable &= ~(pos[ROYAL] | by_ordinary)
    doubtful = electable & by_royal
    while doubtful:
        square = lowest(doubtful)
        doubtful &= doubtful - ONE
        if wary_check(rules, pos, square, own | enemy, enemy, own, us):
            electable ^= ONE << square
    if mode == COUNT:
        return n + popcount(electable)
    for piece in rules.pieces:
        men = electable & pos[piece.word]
        while men:
            square = lowest(men)
            men &= men - ONE
            moves[n] = encode(square, square, U(piece.index), K_NAMING)
            n += ONE
    return n


@jit
def titled_castlings(rules, pos, mode, moves, n, threat):
    """Add castling, given that no royal man is in check: the king must be royal, its way and its goal not attacked."""
    us = pos[TURN]
    own = pos[W_WHITE + us]
    occupied = own | pos[W_WHITE + (us ^ ONE)]
    royal = royals(rules, pos) & own
    if royal & pos[rules.king.word] == ZERO:
        return n
    king = lowest(royal & pos[rules.king.word])
    child = row_on_stack(rules.words)
    rooks = pos[CASTLING] & own
    while rooks:
        rook = lowest(rooks)
        rook_bit = ONE << rook
        rooks ^= rook_bit
        king_to, rook_to = castling_squares(us, king, rook)
        king_way = BETWEEN[king, king_to] | (ONE << king_to)
        rook_way = BETWEEN[rook, rook_to] | (ONE << rook_to)
        wary = king_way
        if royal & rook_bit:
            wary |= rook_way
        if (king_way | rook_way) & (occupied ^ (ONE << king) ^ rook_bit) == ZERO and wary & threat == ZERO:
            move = encode(king, rook, U(rules.king.index), K_CASTLE)
            make(rules, pos, child, move, False)
            if not titled_check(rules, child, us):
                if mode != COUNT:
                    moves[n] = move
                n += ONE
    return n


@jit
def titled_en_passant(rules, pos, capturers):
    """Whether one of the pawns `capturers` may capture on the passed square."""
    child = row_on_stack(rules.words)
    while capturers:
        move = lowest(capturers) | (lowest(pos[EP]) << S_TO) | (K_EN_PASSANT << S_KIND)
        capturers &= capturers - ONE
        make(rules, pos, child, move, False)
        if not titled_check(rules, child, pos[TURN]):
            return True
    return False
