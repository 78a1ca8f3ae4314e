"""Which moves are legal, whether a side is in check, how a game ends: for every kind of royal piece.

Where one leaping king is royal, movegen.legal knows at once. Elsewhere every move is generated and its royal pieces are
looked at as they would stand after it.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import entry, jit
from engine.core.bits import N63, ONE, ZERO, U, list_on_stack, lowest, rotate
from engine.core.mechanisms.driven import drives
from engine.core.mechanisms.mates import allowed_mates, bare_king, forced_move, might_check, update_series
from engine.core.mechanisms.titles import titled, titled_check, titled_en_passant
from engine.core.movegen import (
    ALL_MOVES,
    COUNT,
    NOISY,
    QUIET,
    attackers,
    emit,
    en_passant,
    king_could_stand,
    legal,
    pawn_moves,
    piece_targets,
    pseudo_en_passant,
    royals,
)
from engine.core.position import (
    K_EN_PASSANT,
    S_HAS_HEIR,
    S_HEIR,
    S_KIND,
    S_TO,
    W_TYPES,
    W_WHITE,
    Z_EP,
    Position,
    crown,
    full_key,
    heirs,
    key_of_squares,
    make,
    type_at,
)
from engine.rules import EP, KEY, TURN, TYPES, Rules


@jit(forceinline=True)
def generate(rules, pos, mode, moves):
    """Legal moves; returns how many, uint64. moves uint32[rules.max_moves]; mode a literal of movegen."""
    if rules.bare_king_draws:
        if bare_king(rules, pos):
            return ZERO
    if rules.opening:
        forced = forced_move(rules, pos)
        if forced:
            if mode == NOISY:
                return ZERO
            if mode != COUNT:
                moves[0] = forced
            return ONE
    if rules.titles:
        return titled(rules, pos, mode, moves)
    if not rules.one_king:
        return filtered(rules, pos, mode, moves)
    if rules.succession:
        if pos[rules.king.word] & pos[W_WHITE + pos[TURN]] == ZERO:
            return under_heirs(rules, pos, mode, moves)
    if rules.mate_forbidden:
        if might_check(rules, pos):
            if mode == COUNT:
                listed = list_on_stack(rules.max_moves)
                return allowed_mates(rules, pos, listed, legal(rules, pos, ALL_MOVES, listed))
            return allowed_mates(rules, pos, moves, legal(rules, pos, mode, moves))
    n = legal(rules, pos, mode, moves)
    if rules.driven_king:
        n = drives(rules, pos, mode, moves, n, True)
    return n


@jit
def under_heirs(rules, pos, mode, moves):
    """Legal moves of a side whose king is gone: those under each man that may succeed it, the choice written into them.

    The position is changed for each heir in turn and restored.
    """
    us = pos[TURN]
    line = heirs(rules, pos, pos[W_WHITE + us])
    n = ZERO
    while line:
        heir = lowest(line)
        bit = ONE << heir
        line ^= bit
        word = W_TYPES + type_at(rules, pos, heir)
        pos[word] ^= bit
        pos[rules.king.word] ^= bit
        if mode == COUNT:
            n += legal(rules, pos, COUNT, moves)
        else:
            end = n + legal(rules, pos, mode, moves[n:])
            while n < end:
                moves[n] |= (heir << S_HEIR) | (ONE << S_HAS_HEIR)
                n += ONE
        pos[rules.king.word] ^= bit
        pos[word] ^= bit
    return n


@jit
def filtered(rules, pos, mode, moves):
    """Legal moves where several pieces are royal, or a sliding one: each pseudo-legal move is looked at."""
    us = pos[TURN]
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + (us ^ ONE)]
    occupied = own | enemy
    if not rules.royal_safety:
        if royals(rules, pos) & own == ZERO or royals(rules, pos) & enemy == ZERO:
            return ZERO
    mask = ~own
    if mode == NOISY:
        mask = enemy
    if mode == QUIET:
        mask = ~occupied
    n = ZERO
    if rules.pawn:
        listing = ALL_MOVES if mode == COUNT else mode
        n = pawn_moves(rules, listing, moves, n, us, pos[TYPES] & own, ~occupied, ~occupied, enemy)
        if mode != QUIET and rules.pawn.doubles:
            if pos[EP]:
                n = pseudo_en_passant(rules, pos, moves, n)
    for piece in rules.pieces:
        men = pos[piece.word] & own
        while men:
            square = lowest(men)
            men &= men - ONE
            n = emit(rules, ALL_MOVES, moves, n, square, piece_targets(rules, piece.index, us, square, occupied) & mask,
                     U(piece.index))
    if not rules.royal_safety:
        return n
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
    o, t = ONE << (move & N63), ONE << ((move >> S_TO) & N63)
    captured = enemy & t
    if rules.pawn and rules.pawn.doubles:
        if move >> S_KIND == K_EN_PASSANT:
            captured = rotate(t, rules.pawn.steps[0].shift[1] if us == ZERO else rules.pawn.steps[0].shift[0])
    occupied = ((own | enemy) & ~(o | captured)) | t
    men = royals(rules, pos) & own
    if men & o:
        men ^= o | t
    while men:
        if attackers(rules, pos, lowest(men), occupied, enemy & ~captured, them):
            return False
        men &= men - ONE
    return True


@jit
def in_check(rules, pos, colour):
    """Whether a royal piece of `colour`, uint64 0 or 1, is attacked, as far as the rules know check."""
    if rules.titles:
        return titled_check(rules, pos, colour)
    if rules.royal_safety:
        other = colour ^ ONE
        own, enemy = pos[W_WHITE + colour], pos[W_WHITE + other]
        men = royals(rules, pos) & own
        if rules.one_king:
            if men == ZERO:
                return False
            return not king_could_stand(rules, pos, lowest(men), own | enemy, enemy, other)
        while men:
            if attackers(rules, pos, lowest(men), own | enemy, enemy, other):
                return True
            men &= men - ONE
    return False


@jit
def play(rules, pos, child, move):
    """Write the position after a legal `move` into `child`, its key and every word complete."""
    make(rules, pos, child, move, True)
    if rules.mate_series:
        update_series(rules, pos, child)
    settle_en_passant(rules, child)


@jit
def settle_en_passant(rules, pos):
    """Forget a passed square nobody may capture on: repetition must not tell such positions apart."""
    if rules.pawn and rules.pawn.doubles:
        if pos[EP]:
            if not en_passant_possible(rules, pos):
                pos[KEY] ^= key_of_squares(Z_EP, pos[EP])
                pos[EP] = ZERO


@jit
def en_passant_possible(rules, pos):
    """Whether a legal en passant capture exists."""
    us = pos[TURN]
    capturers = rules.pawn.attacks[us ^ ONE, lowest(pos[EP])] & pos[TYPES] & pos[W_WHITE + us]
    if capturers == ZERO:
        return False
    if rules.titles:
        return titled_en_passant(rules, pos, capturers)
    if rules.succession:
        return True
    if rules.one_king:
        men = royals(rules, pos) & pos[W_WHITE + us]
        if men == ZERO:
            return False
        nowhere = list_on_stack(0)
        return en_passant(rules, pos, COUNT, nowhere, ZERO, lowest(men)) > ZERO
    if rules.royal_safety:
        while capturers:
            move = lowest(capturers) | (lowest(pos[EP]) << S_TO) | (K_EN_PASSANT << S_KIND)
            if royals_safe_after(rules, pos, move):
                return True
            capturers &= capturers - ONE
        return False
    return True


@entry
def legal_moves_kernel(rules, pos, moves):
    """Fill moves uint32[rules.max_moves] with the legal moves of pos; returns how many."""
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


@entry
def crown_kernel(rules, pos):
    """crown_if_certain() for Python."""
    crown_if_certain(rules, pos)


@jit
def crown_if_certain(rules, pos):
    """Make a king of the only man that can succeed the king of the side to move; with a choice, leave it open."""
    line = heirs(rules, pos, pos[W_WHITE + pos[TURN]])
    if rules.succession:
        if line and line & (line - ONE) == ZERO:
            crown(rules, pos, line)
