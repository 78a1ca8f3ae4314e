"""Which moves are legal, whether a side is in check, and the position after a move: for every kind of royal piece.

If one leaping king is royal, movegen.legal lists legal moves only. Otherwise pseudo-legal moves are generated, and dropped if
a royal piece would be attacked after them. Arguments as in movegen.py; child: uint64[words], another row than pos.
"""

from __future__ import annotations

import numpy as np

import engine.core.mechanisms  # noqa: F401 - makes them known before anything is compiled
from engine.compile.jit import entry, jit
from engine.core.attackers import attack_map, attackers, in_check, move_targets, royals
from engine.core.bits import ONE, ZERO, U, list_on_stack, lowest
from engine.core.counting import counted
from engine.core.fills import AT_ONCE
from engine.core.keys import Z_EP, full_key, key_of_squares
from engine.core.movegen import (
    ALL_MOVES,
    COUNT,
    NOISY,
    QUIET,
    emit,
    en_passant,
    keep_unchecked,
    legal,
    pawn_moves,
    pseudo_en_passant,
    target_mask,
)
from engine.core.moves import K_EN_PASSANT, encode, kind_of, origin_of, target_of
from engine.core.position import W_WHITE, Position, behind, make
from engine.core.reasons import NOT_OVER
from engine.rules import EP, KEY, MARKS, TURN, TYPES, Rules


@jit(forceinline=True)
def generate(rules, pos, mode, moves):
    """Legal moves; returns how many, uint64. moves uint32[rules.max_moves]; mode a literal of movegen."""
    for mechanism in rules.mechanisms:
        if mechanism.takes_over is not None:
            if mechanism.takes_over(rules, pos):
                return mechanism.generate(rules, pos, mode, moves)
    n = ZERO
    if mode == COUNT and AT_ONCE and rules.counted_at_once:
        n = counted(rules, pos)
    elif rules.pins_decide:
        n = legal(rules, pos, mode, moves)
    else:
        n = filtered(rules, pos, mode, moves)
    for mechanism in rules.mechanisms:
        if mechanism.add_moves is not None:
            n = mechanism.add_moves(rules, pos, mode, moves, n)
    return n


@jit
def filtered(rules, pos, mode, moves):
    """Legal moves if several pieces are royal, or a sliding one: each pseudo-legal move is looked at."""
    us = pos[TURN]
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + (us ^ ONE)]
    occupied = own | enemy
    if not rules.royal_safety:
        if rules.royals:
            if royals(rules, pos) & own == ZERO or royals(rules, pos) & enemy == ZERO:
                return ZERO
    mask = target_mask(rules, mode, own, enemy)
    n = ZERO
    if rules.pawn:
        listing = ALL_MOVES if mode == COUNT else mode
        n = pawn_moves(rules, listing, moves, n, us, pos[TYPES] & own, ~occupied, ~occupied, enemy)
        if mode != QUIET and rules.pawn.doubles:
            if pos[EP]:
                n = pseudo_en_passant(rules, pos, moves, n)
    for piece in rules.pieces:
        movers = pos[piece.word] & own
        while movers:
            square = lowest(movers)
            movers &= movers - ONE
            n = emit(rules, ALL_MOVES, moves, n, square, move_targets(rules, piece.index, us, square, occupied) & mask,
                     U(piece.index))
    if rules.royal_safety:
        n = keep_safe(rules, pos, moves, n)
    if rules.castling:
        if mode != NOISY:
            n = castlings(rules, pos, moves, n)
    return n


@jit
def castlings(rules, pos, moves, n):
    """Add castling, for a king whose safety is looked at move by move."""
    us = pos[TURN]
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + (us ^ ONE)]
    king = pos[rules.king.word] & own
    if king:
        if not in_check(rules, pos, us):
            for mechanism in rules.mechanisms:
                if mechanism.castling_rooks is not None:
                    ready = mechanism.castling_rooks(rules, pos, lowest(king))
                    if ready:
                        danger = attack_map(rules, pos, enemy, us ^ ONE, (own | enemy) ^ king)
                        end = mechanism.add_castlings(rules, pos, ALL_MOVES, moves, n, lowest(king), ready, danger)
                        n = keep_unchecked(rules, pos, moves, n, end, us)
    return n


@jit
def keep_safe(rules, pos, moves, n):
    """Keep those of `n` moves after which the mover's royal pieces are safe; returns how many."""
    kept = ZERO
    i = ZERO
    while i < n:
        if royals_safe_after(rules, pos, U(moves[i])):
            moves[kept] = moves[i]
            kept += ONE
        i += ONE
    return kept


@jit
def royals_safe_after(rules, pos, move):
    """Whether none of the mover's royal pieces is attacked after a pseudo-legal move other than castling."""
    us = pos[TURN]
    them = us ^ ONE
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
    origin_bit, target_bit = ONE << origin_of(move), ONE << target_of(move)
    captured = enemy & target_bit
    if rules.pawn and rules.pawn.doubles:
        if kind_of(move) == K_EN_PASSANT:
            captured = behind(rules, target_bit, us)
    occupied = ((own | enemy) & ~(origin_bit | captured)) | target_bit
    royal = royals(rules, pos) & own
    if royal & origin_bit:
        royal ^= origin_bit | target_bit
    while royal:
        if attackers(rules, pos, lowest(royal), occupied, enemy & ~captured, them):
            return False
        royal &= royal - ONE
    return True


@jit
def play(rules, pos, child, move):
    """Write the position after a legal `move` into `child`, its key and every word complete."""
    make(rules, pos, child, move, True)
    end_turn(rules, pos, child)


@jit(forceinline=True)
def end_turn(rules, pos, child):
    """What takes a look at the new position `child`: marks, and whether anybody may capture en passant."""
    for mechanism in rules.mechanisms:
        if mechanism.after_turn is not None:
            mechanism.after_turn(rules, pos, child)
    settle_en_passant(rules, child)


@jit(forceinline=True)
def advance(rules, pos, child, move):
    """make() for counting: without key and clocks, with the marks that decide which moves there are."""
    make(rules, pos, child, move, False)
    if rules.counts_checks:
        child[MARKS] = pos[MARKS]
        for mechanism in rules.mechanisms:
            if mechanism.after_turn is not None:
                mechanism.after_turn(rules, pos, child)


@jit
def settle_en_passant(rules, pos):
    """Clear an en passant square on which no legal capture exists: repetition must see such positions as equal."""
    if rules.pawn and rules.pawn.doubles:
        if pos[EP]:
            if not en_passant_possible(rules, pos):
                pos[KEY] ^= key_of_squares(Z_EP, pos[EP])
                pos[EP] = ZERO


@jit
def en_passant_possible(rules, pos):
    """Whether a legal en passant capture exists."""
    us = pos[TURN]
    own = pos[W_WHITE + us]
    capturers = rules.pawn.attacks[us ^ ONE, lowest(pos[EP])] & pos[TYPES] & own
    if capturers == ZERO:
        return False
    if rules.ends_early:
        if over_at_once(rules, pos) != NOT_OVER:
            return False
    for mechanism in rules.mechanisms:
        if mechanism.en_passant_possible is not None:
            return mechanism.en_passant_possible(rules, pos, capturers)
    if rules.pins_decide:
        royal = royals(rules, pos) & own
        if royal == ZERO:
            return False
        nowhere = list_on_stack(0)
        return en_passant(rules, pos, COUNT, nowhere, ZERO, lowest(royal)) > ZERO
    return not rules.royal_safety or any_capturer_safe(rules, pos, capturers)


@jit
def any_capturer_safe(rules, pos, capturers):
    """Whether one of these pawns may capture en passant and leave the royal pieces safe."""
    while capturers:
        if royals_safe_after(rules, pos, encode(lowest(capturers), lowest(pos[EP]), ZERO, K_EN_PASSANT)):
            return True
        capturers &= capturers - ONE
    return False


@jit
def over_at_once(rules, pos):
    """The reason that ends the game whatever moves there are, int64: a king that is gone, a bare king; else NOT_OVER."""
    reason = NOT_OVER
    for mechanism in rules.mechanisms:
        if mechanism.over_at_once is not None:
            if reason == NOT_OVER:
                reason = mechanism.over_at_once(rules, pos)
    return reason


@entry
def legal_moves_kernel(rules, pos, moves):
    """Fill moves uint32[rules.max_moves] with the legal moves of pos; returns how many, none if the game is over at once."""
    if over_at_once(rules, pos) != NOT_OVER:
        return ZERO
    return generate(rules, pos, ALL_MOVES, moves)


def position_after(rules: Rules, pos: Position, move: int) -> Position:
    """The position after a legal move, a fresh array."""
    child = np.zeros_like(pos)
    play_kernel(rules, pos, child, np.uint64(move))
    return child


def legal_moves(rules: Rules, pos: Position) -> np.ndarray:
    """The legal moves, uint32[n]."""
    moves = np.empty(rules.traits.max_moves, np.uint32)
    return moves[:int(legal_moves_kernel(rules, pos, moves))]


@entry
def count_kernel(rules, pos, moves):
    """How many legal moves there are, by the counting code."""
    return generate(rules, pos, COUNT, moves)


@entry
def split_kernel(rules, pos, moves):
    """Fill moves with the noisy moves, then the quiet ones; returns both numbers."""
    noisy = generate(rules, pos, NOISY, moves)
    return noisy, generate(rules, pos, QUIET, moves[noisy:])


@entry
def play_kernel(rules, pos, child, move):
    """play() for Python."""
    play(rules, pos, child, move)


@entry
def settle_kernel(rules, pos):
    """Settle a position read from text: en passant field and key."""
    pos[KEY] = full_key(rules, pos)
    settle_en_passant(rules, pos)


@entry
def full_key_kernel(rules, pos):
    """full_key() for Python."""
    return full_key(rules, pos)


@entry
def in_check_kernel(rules, pos, colour):
    """in_check() for Python."""
    return in_check(rules, pos, colour)
