"""Rotating titles and wary royal pieces: a piece is royal because it holds a title, and a title can be passed on.

A royal piece neither enters nor crosses a square the other side attacks, by plain geometry on the position before the move,
and gives check only along lines none of whose crossed squares the side in check attacks.
Most moves cannot change any of this and are counted in bulk; the pieces whose moves might are tried one move at a time.

ROYAL holds the title holders of both sides, MARKS all that ever held a title. Both are carried along with their pieces.
"""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attackers import attack_map, attackers, move_targets, piece_targets, royals, snipers
from engine.core.attacks import BETWEEN
from engine.core.bits import ONE, ZERO, U, list_on_stack, lowest, popcount, row_on_stack
from engine.core.mechanisms.castling import castling_squares
from engine.core.movegen import (
    ALL_MOVES,
    COUNT,
    NOISY,
    QUIET,
    always,
    emit,
    free_moves,
    pawn_moves,
    pseudo_en_passant,
    target_mask,
)
from engine.core.moves import K_CASTLE, K_EN_PASSANT, K_NAMING, encode, origin_of, target_of
from engine.core.position import W_WHITE, make
from engine.rules import CASTLING, EP, MARKS, ROYAL, TURN, TYPES
from engine.rules.mechanism import Mechanism


@jit
def wary_check(rules, pos, square, occupied, enemy, own, us):
    """Whether a royal piece of `us` on `square` is in check from the royal pieces among `enemy`."""
    them = us ^ ONE
    givers = attackers(rules, pos, square, occupied, enemy & royals(rules, pos), them)
    if rules.winding:
        if givers:
            return open_way(rules, pos, square, occupied | attack_map(rules, pos, own, us, occupied), givers, them)
        return False
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
def open_way(rules, pos, square, closed, givers, them):
    """Whether one of the pieces `givers` attacks `square` by a way that crosses no square of `closed`."""
    while givers:
        giver = lowest(givers)
        givers &= givers - ONE
        for piece in rules.pieces:
            if (pos[piece.word] >> giver) & ONE:
                if (piece_targets(rules, piece.index, them, giver, closed) >> square) & ONE:
                    return True
    return False


@jit
def leaps_to(rules, pos, origin, target, colour):
    """Whether the piece on `origin` reaches `target` by a leap."""
    for piece in rules.pieces:
        if piece.leaps is not None:
            if (pos[piece.word] >> origin) & (piece.leaps[colour, origin] >> target) & ONE:
                return True
    return False


@jit
def titled_check(rules, pos, us):
    """Whether a royal piece of `us` is in check."""
    them = us ^ ONE
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
    royal = royals(rules, pos)
    ordinary = enemy & ~royal
    movers = royal & own
    while movers:
        square = lowest(movers)
        movers &= movers - ONE
        if attackers(rules, pos, square, own | enemy, ordinary, them):
            return True
        if wary_check(rules, pos, square, own | enemy, enemy, own, us):
            return True
    return False


@jit
def titled(rules, pos, mode, moves):
    """Legal moves if titles rotate; returns how many, uint64. moves uint32[rules.max_moves], untouched by COUNT."""
    us = pos[TURN]
    them = us ^ ONE
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
    royal = royals(rules, pos)
    by_ordinary = attack_map(rules, pos, enemy & ~royal, them, own | enemy)
    threat = by_ordinary | attack_map(rules, pos, enemy & royal, them, own | enemy)
    trial, checked = pieces_to_try(rules, pos, royal & own, by_ordinary, threat)
    n = ZERO
    if own & ~trial:
        n = untried_moves(rules, pos, mode, moves, n, own & ~trial, royal, threat)
    if trial or pos[EP]:
        n = tried_moves(rules, pos, mode, moves, n, trial, threat)
    if mode != NOISY and not checked:
        n = namings(rules, pos, mode, moves, n, by_ordinary, threat & ~by_ordinary)
        if rules.castling:
            if pos[CASTLING] & own:
                n = titled_castlings(rules, pos, mode, moves, n, threat)
    return n


@jit(forceinline=True)
def pieces_to_try(rules, pos, mine, by_ordinary, threat):
    """(pieces whose moves must be tried, whether a royal piece among `mine` is in check).

    To be tried are pinned pieces, and all if a royal piece is in check or looks at one of ours along an open line. A royal
    piece that nothing attacks may go where nothing attacks: no line opens behind it.
    """
    us = pos[TURN]
    them = us ^ ONE
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
    occupied = own | enemy
    if rules.winding:
        return own, titled_check(rules, pos, us)
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
    return own if checked else trial, checked


@jit(forceinline=True)
def untried_moves(rules, pos, mode, moves, n, free, royal, threat):
    """Add the moves of the pieces `free`, which are all legal: royal ones neither enter nor cross `threat`."""
    us = pos[TURN]
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + (us ^ ONE)]
    occupied = own | enemy
    mask = target_mask(rules, mode, own, enemy)
    if rules.pawn:
        n = pawn_moves(rules, mode, moves, n, us, pos[TYPES] & free, ~occupied, ~occupied, enemy)
    n = free_moves(rules, pos, mode, moves, n, us, free & ~royal, mask, occupied)
    for piece in rules.pieces:
        movers = pos[piece.word] & free & royal
        while movers:
            square = lowest(movers)
            movers &= movers - ONE
            targets = move_targets(rules, piece.index, us, square, occupied | threat) & ~threat & mask
            n = emit(rules, mode, moves, n, square, targets, U(piece.index))
    return n


@jit
def tried_moves(rules, pos, mode, moves, n, trial, threat):
    """Add the legal moves of the pieces `trial` and en passant: each is made and looked at."""
    us = pos[TURN]
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + (us ^ ONE)]
    occupied = own | enemy
    mask = target_mask(rules, mode, own, enemy)
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
        movers = pos[piece.word] & trial
        while movers:
            square = lowest(movers)
            movers &= movers - ONE
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
    """Where a piece goes: a royal one stops before the first attacked square of each line."""
    if (mine >> square) & ONE:
        return move_targets(rules, index, us, square, occupied | threat) & ~threat
    return move_targets(rules, index, us, square, occupied)


@jit
def namings(rules, pos, mode, moves, n, by_ordinary, by_royal):
    """Add the overthrows, given that no royal piece is in check."""
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
        movers = electable & pos[piece.word]
        while movers:
            square = lowest(movers)
            movers &= movers - ONE
            moves[n] = encode(square, square, U(piece.index), K_NAMING)
            n += ONE
    return n


@jit
def titled_castlings(rules, pos, mode, moves, n, threat):
    """Add castling, given that no royal piece is in check: the king must be royal, its way and its goal not attacked."""
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
        king_to, rook_to = castling_squares(rules, us, king, rook)
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
        move = encode(lowest(capturers), lowest(pos[EP]), ZERO, K_EN_PASSANT)
        capturers &= capturers - ONE
        make(rules, pos, child, move, False)
        if not titled_check(rules, child, pos[TURN]):
            return True
    return False


@jit
def name_royal(rules, pos, child, move):
    """Give the title of the side to move to the piece on the square of the move; no piece changes."""
    named = ONE << target_of(move)
    for word in rules.board_words:
        child[word] = pos[word]
    child[CASTLING] = pos[CASTLING]
    child[ROYAL] = (pos[ROYAL] & ~pos[W_WHITE + pos[TURN]]) | named
    child[MARKS] = pos[MARKS] | named
    return ZERO


@jit(forceinline=True)
def carry_titles(rules, pos, child, move, captured):
    """Take titles and marks along with the piece that moves; those of a captured piece are gone."""
    origin_bit, target_bit = ONE << origin_of(move), ONE << target_of(move)
    royal, marks = pos[ROYAL], pos[MARKS]
    keep = ~(origin_bit | target_bit | captured)
    child[ROYAL] = (royal & keep) | (target_bit if royal & origin_bit else ZERO)
    child[MARKS] = (marks & keep) | (target_bit if marks & origin_bit else ZERO)
    return ZERO


MECHANISM = Mechanism(
    name="titles", trait="title_order", kind=K_NAMING, make=name_royal, after_move=carry_titles,
    takes_over=always, generate=titled, in_check=titled_check, en_passant_possible=titled_en_passant)
