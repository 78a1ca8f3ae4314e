"""Legal moves, counted or listed, out of small builders.

Where one leaping king is royal, pins and check masks decide legality before a move is made (`legal`). Other royal rules
generate every move and try it (`legality.py`). Modes: COUNT adds up, ALL lists, NOISY lists captures and promotions,
QUIET the rest. `mode` is always a literal, so each is machine code of its own.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import jit
from engine.core.attacks import BETWEEN, BISHOP_EMPTY, ROOK_EMPTY, THROUGH, bishop_attacks, rook_attacks
from engine.core.bits import N63, ONE, ZERO, U, lowest, popcount, rotate
from engine.core.position import (
    BLAST,
    FIRST_RANK,
    K_CASTLE,
    K_DOUBLE,
    K_EN_PASSANT,
    K_PROMOTION,
    S_KIND,
    S_PROMOTES,
    S_TO,
    S_TYPE,
    W_WHITE,
    castling_squares,
    encode,
)
from engine.rules import BLACK, CASTLING, EP, ROYAL, TURN, TYPES, WHITE

COUNT, ALL_MOVES, NOISY, QUIET = range(4)
N7 = U(7)


@jit(forceinline=True)
def sliding(rules, pos, men):
    """(those of `men` that slide as rooks, those that slide as bishops), as far as the board goes."""
    rooks, bishops = ZERO, ZERO
    for word in rules.rook_sliders:
        rooks |= pos[word]
    for word in rules.bishop_sliders:
        bishops |= pos[word]
    return rooks & men, bishops & men


@jit(forceinline=True)
def attackers(rules, pos, square, occupied, men, colour):
    """Which of `men`, all of `colour`, attack `square` while `occupied` squares block; kings included."""
    found = ZERO
    other = colour ^ ONE
    if rules.pawn:
        found |= rules.pawn.attacks[other, square] & pos[TYPES]
    for piece in rules.pieces:
        if piece.leaps is not None:
            found |= piece.leaps[other, square] & pos[piece.word]
    rooks, bishops = sliding(rules, pos, men)
    if rules.rook_sliders:
        found |= rook_attacks(square, occupied) & rooks
    if rules.bishop_sliders:
        found |= bishop_attacks(square, occupied) & bishops
    for piece in rules.limited_sliders:
        if piece.rook and piece.rook_limit is not None:
            found |= rook_attacks(square, occupied) & piece.rook_limit[other, square] & pos[piece.word]
        if piece.bishop and piece.bishop_limit is not None:
            found |= bishop_attacks(square, occupied) & piece.bishop_limit[other, square] & pos[piece.word]
    return found & men


@jit(forceinline=True)
def leaping_attackers(rules, pos, square, men, colour):
    """Which of `men`, all of `colour`, attack `square` by a leap; kings excluded where one leaping king is royal."""
    found = ZERO
    other = colour ^ ONE
    if rules.pawn:
        found |= rules.pawn.attacks[other, square] & pos[TYPES]
    for piece in rules.pieces:
        if piece.leaps is not None and not piece.royal:
            found |= piece.leaps[other, square] & pos[piece.word]
    return found & men


@jit(forceinline=True)
def snipers(rules, pos, square, men, colour):
    """Which of `men`, all of `colour`, would attack `square` by a slide if nothing stood between."""
    found = ZERO
    other = colour ^ ONE
    rooks, bishops = sliding(rules, pos, men)
    found |= (ROOK_EMPTY[square] & rooks) | (BISHOP_EMPTY[square] & bishops)
    for piece in rules.limited_sliders:
        if piece.rook and piece.rook_limit is not None:
            found |= piece.rook_limit[other, square] & pos[piece.word]
        if piece.bishop and piece.bishop_limit is not None:
            found |= piece.bishop_limit[other, square] & pos[piece.word]
    return found & men


@jit(forceinline=True)
def royals(rules, pos):
    """The royal men of both sides."""
    found = ZERO
    for piece in rules.royals:
        found |= pos[piece.word]
    if rules.titles:
        found |= pos[ROYAL]
    return found


@jit(forceinline=True)
def emit(rules, mode, moves, n, origin, targets, index):
    """Add the moves of one man: `n` and what it grows to."""
    if mode == COUNT:
        return n + popcount(targets)
    base = origin | (index << S_TYPE)
    while targets:
        moves[n] = base | (lowest(targets) << S_TO)
        targets &= targets - ONE
        n += ONE
    return n


@jit(forceinline=True)
def emit_pawn_set(rules, mode, moves, n, targets, delta, zone, kind):
    """Add pawn moves onto `targets`, each from the square rotated by `delta` back, promotions where they fall in `zone`."""
    if mode == COUNT:
        return n + popcount(targets) + rules.pawn.extra_promotions * popcount(targets & zone)
    while targets:
        target = lowest(targets)
        origin = (target - delta) & N63
        bit = ONE << target
        targets ^= bit
        if bit & zone:
            for promotion in rules.pawn.promotions:
                moves[n] = encode(origin, target, ZERO, K_PROMOTION) | (U(promotion) << S_PROMOTES)
                n += ONE
        else:
            moves[n] = encode(origin, target, ZERO, kind)
            n += ONE
    return n


@jit(forceinline=True)
def pawn_moves(rules, mode, moves, n, us, pawns, empty, quiet, capture):
    """Add the moves of `pawns`: steps onto `quiet`, over `empty`, captures onto `capture`. En passant stands elsewhere."""
    white = us == ZERO
    zone = rules.pawn.zone[0] if white else rules.pawn.zone[1]
    for step in rules.pawn.steps:
        shift = step.shift[0] if white else step.shift[1]
        first = rotate(pawns & (step.source[0] if white else step.source[1]), shift) & empty
        landing = first & quiet
        if mode == NOISY:
            landing &= zone
        if mode == QUIET:
            landing &= ~zone
        n = emit_pawn_set(rules, mode, moves, n, landing, shift, zone, ZERO)
        if rules.pawn.doubles and mode != NOISY:
            starters = rotate(pawns & (rules.pawn.double[0] if white else rules.pawn.double[1]), shift) & first
            second = rotate(starters & (step.source[0] if white else step.source[1]), shift) & empty & quiet
            if mode == COUNT:
                n += popcount(second)
            else:
                n = emit_pawn_set(rules, mode, moves, n, second, shift + shift, ZERO, K_DOUBLE)
    if mode != QUIET:
        for step in rules.pawn.captures:
            shift = step.shift[0] if white else step.shift[1]
            landing = rotate(pawns & (step.source[0] if white else step.source[1]), shift) & capture
            n = emit_pawn_set(rules, mode, moves, n, landing, shift, zone, ZERO)
    return n


@jit(forceinline=True)
def legal(rules, pos, mode, moves):
    """Legal moves where one leaping king is royal; returns how many, uint64.

    rules.royal_safety False: the king may be left to be taken. moves uint32[rules.max_moves], untouched by COUNT.
    """
    us = pos[TURN]
    them = us ^ ONE
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
    occupied = own | enemy
    kings = pos[rules.king.word]
    n = ZERO
    if rules.captures_explode or not rules.royal_safety:
        if kings & own == ZERO or kings & enemy == ZERO:
            return n
    king = lowest(kings & own)
    king_bit = ONE << king
    quiet, capture = ~occupied, enemy
    pinned, checkers = ZERO, ZERO
    trial = False  # captures must be tried one by one: the blast may open a line to the king
    if rules.captures_explode:
        capture &= ~BLAST[king]
    if rules.royal_safety:
        if rules.touching_kings_check or BLAST[king] & kings == ZERO:
            leapers = leaping_attackers(rules, pos, king, enemy, them)
            checkers = leapers
            if rules.limited_sliders or rules.captures_explode or rules.far_leaps:
                pinners = snipers(rules, pos, king, enemy, them)
                if rules.captures_explode:
                    trial = pinners | checkers != ZERO
                lined = pinners
            else:
                # sliders that see the king, then those that would if the own man in front of them were gone
                straight, slanted = rook_attacks(king, occupied), bishop_attacks(king, occupied)
                rooks, bishops = sliding(rules, pos, enemy)
                checkers |= (straight & rooks) | (slanted & bishops)
                lined = rook_attacks(king, occupied & ~(straight & own)) & rooks & ~straight
                lined |= bishop_attacks(king, occupied & ~(slanted & own)) & bishops & ~slanted
            while lined:
                sniper = lowest(lined)
                lined &= lined - ONE
                blockers = BETWEEN[king, sniper] & occupied
                if blockers == ZERO:
                    checkers |= ONE << sniper
                elif blockers & (blockers - ONE) == ZERO:
                    pinned |= blockers
            pinned &= own
            if checkers:
                evade = checkers | BETWEEN[king, lowest(checkers)]
                if rules.far_leaps:
                    if leapers:
                        evade = checkers
                if checkers & (checkers - ONE):
                    evade = ZERO
                quiet &= evade
                if not rules.captures_explode:
                    capture &= evade
    bulk = ZERO if trial else capture
    mask = quiet | bulk
    if mode == NOISY:
        mask = bulk
    if mode == QUIET:
        mask = quiet

    free = own & ~pinned
    if rules.pawn:
        n = pawn_moves(rules, mode, moves, n, us, pos[TYPES] & free, ~occupied, quiet, bulk)
        if mode != QUIET and rules.pawn.doubles:
            if pos[EP]:
                n = en_passant(rules, pos, mode, moves, n, king)
    n = free_moves(rules, pos, mode, moves, n, us, free, mask, occupied)
    if rules.royal_safety:
        while pinned:
            square = lowest(pinned)
            pinned &= pinned - ONE
            line = THROUGH[king, square]
            if rules.far_leaps:
                line = pin_line(rules, king, square, pinners, occupied)
            for piece in rules.pieces:
                if not piece.royal and (piece.slides or piece.line_leaps):
                    if (pos[piece.word] >> square) & ONE:
                        targets = piece_targets(rules, piece.index, us, square, occupied) & mask & line
                        n = emit(rules, mode, moves, n, square, targets, U(piece.index))
            if rules.pawn:
                pawn = (ONE << square) & pos[TYPES]
                if pawn:
                    n = pawn_moves(rules, mode, moves, n, us, pawn, ~occupied, quiet & line, bulk & line)
    if rules.captures_explode and rules.royal_safety and mode != QUIET:
        if trial:
            n = tried_captures(rules, pos, mode, moves, n, king, capture)

    targets = rules.king.leaps[us, king] & ~own
    if rules.captures_explode:
        targets &= ~enemy
    if mode == NOISY:
        targets &= enemy
    if mode == QUIET:
        targets &= ~enemy
    ready = ZERO  # rooks the king may castle with as far as the way is free
    if rules.castling and mode != NOISY:
        rooks = pos[CASTLING] & own
        if checkers:
            rooks = ZERO
        while rooks:
            rook = lowest(rooks)
            if CASTLING_WAY[us, king & N7, rook & N7] & occupied == ZERO:
                ready |= ONE << rook
            rooks &= rooks - ONE
    danger = ZERO  # where the king would stand in check, it being lifted from the board
    if rules.royal_safety:
        if ready | (targets & (targets - ONE)):
            danger = attack_map(rules, pos, enemy, them, occupied ^ king_bit)
            if not rules.touching_kings_check:
                danger &= ~BLAST[lowest(kings & enemy)]
            targets &= ~danger
        elif targets:
            if not king_could_stand(rules, pos, lowest(targets), occupied ^ king_bit, enemy, them):
                targets = ZERO
    n = emit(rules, mode, moves, n, king, targets, U(rules.king.index))
    if rules.castling and mode != NOISY:
        if ready:
            n = castlings(rules, pos, mode, moves, n, king, ready, danger)
    return n


@jit
def pin_line(rules, king, square, pinners, occupied):
    """Squares that keep a man pinned on `square` between its king and the slider behind it, that slider's included."""
    while pinners:
        sniper = lowest(pinners)
        pinners &= pinners - ONE
        if BETWEEN[king, sniper] & occupied == ONE << square:
            return BETWEEN[king, sniper] | ONE << sniper
    return ZERO


@jit(forceinline=True)
def free_moves(rules, pos, mode, moves, n, us, free, mask, occupied):
    """Add the moves of the pieces `free` onto `mask`, royal types apart."""
    for piece in rules.pieces:
        if not piece.royal and (piece.leaps is not None or mode != COUNT or not piece.additive):
            men = pos[piece.word] & free
            while men:
                square = lowest(men)
                men &= men - ONE
                if mode == COUNT and piece.additive:
                    n += popcount(piece.leaps[us, square] & mask)
                else:
                    n = emit(rules, mode, moves, n, square, piece_targets(rules, piece.index, us, square, occupied) & mask,
                             U(piece.index))
    if mode == COUNT:
        men = ZERO
        for word in rules.counted_rooks:
            men |= pos[word]
        men &= free
        while men:
            n += popcount(rook_attacks(lowest(men), occupied) & mask)
            men &= men - ONE
        men = ZERO
        for word in rules.counted_bishops:
            men |= pos[word]
        men &= free
        while men:
            n += popcount(bishop_attacks(lowest(men), occupied) & mask)
            men &= men - ONE
    return n


@jit(forceinline=True)
def piece_targets(rules, index, colour, square, occupied):
    """Where the piece type of that index may go from `square`, own men not yet excluded."""
    found = ZERO
    for piece in rules.pieces:
        if piece.index == index:
            if piece.leaps is not None:
                found |= piece.leaps[colour, square]
            if piece.rook:
                if piece.rook_limit is None:
                    found |= rook_attacks(square, occupied)
                else:
                    found |= rook_attacks(square, occupied) & piece.rook_limit[colour, square]
            if piece.bishop:
                if piece.bishop_limit is None:
                    found |= bishop_attacks(square, occupied)
                else:
                    found |= bishop_attacks(square, occupied) & piece.bishop_limit[colour, square]
    return found


@jit(forceinline=True)
def attack_map(rules, pos, men, colour, occupied):
    """Every square that one of `men`, all of `colour`, attacks; squares of its own men included."""
    found = ZERO
    if rules.pawn:
        white = colour == ZERO
        pawns = pos[TYPES] & men
        for step in rules.pawn.captures:
            source = step.source[0] if white else step.source[1]
            found |= rotate(pawns & source, step.shift[0] if white else step.shift[1])
    for piece in rules.pieces:
        if piece.leaps is not None or not piece.additive:
            some = pos[piece.word] & men
            while some:
                square = lowest(some)
                some &= some - ONE
                if piece.additive:
                    found |= piece.leaps[colour, square]
                else:
                    found |= piece_targets(rules, piece.index, colour, square, occupied)
    some = ZERO
    for word in rules.counted_rooks:
        some |= pos[word]
    some &= men
    while some:
        found |= rook_attacks(lowest(some), occupied)
        some &= some - ONE
    some = ZERO
    for word in rules.counted_bishops:
        some |= pos[word]
    some &= men
    while some:
        found |= bishop_attacks(lowest(some), occupied)
        some &= some - ONE
    return found


@jit
def en_passant(rules, pos, mode, moves, n, king):
    """Add the legal en passant captures: each is tried, for two men leave one line at once."""
    us = pos[TURN]
    them = us ^ ONE
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
    target = lowest(pos[EP])
    victim = rotate(pos[EP], rules.pawn.steps[0].shift[1] if us == ZERO else rules.pawn.steps[0].shift[0])
    capturers = rules.pawn.attacks[them, target] & pos[TYPES] & own
    while capturers:
        origin = lowest(capturers)
        bit = capturers & (ZERO - capturers)
        capturers ^= bit
        if rules.captures_explode:
            allowed = blast_allowed(rules, pos, king, bit | victim, target)
        elif rules.royal_safety:
            occupied = (own | enemy) ^ bit ^ victim ^ pos[EP]
            allowed = attackers(rules, pos, king, occupied, enemy ^ victim, them) == ZERO
        else:
            allowed = True
        if allowed:
            if mode != COUNT:
                moves[n] = encode(origin, target, ZERO, K_EN_PASSANT)
            n += ONE
    return n


@jit
def blast_allowed(rules, pos, king, men, centre):
    """Whether a capture that removes `men` and explodes on the square `centre` leaves one's own king standing and safe."""
    us = pos[TURN]
    them = us ^ ONE
    gone = (BLAST[centre] & ~pos[TYPES]) | men
    if (gone >> king) & ONE:
        return False
    if rules.royal_safety:
        kings = pos[rules.king.word]
        enemy = pos[W_WHITE + them]
        if gone & kings & enemy:
            return True
        if not rules.touching_kings_check:
            if BLAST[king] & kings & enemy:
                return True
        occupied = (pos[WHITE] | pos[BLACK]) & ~gone
        return attackers(rules, pos, king, occupied, enemy & ~gone, them) == ZERO
    return True


@jit
def tried_captures(rules, pos, mode, moves, n, king, capture):
    """Add the captures onto `capture` that the blast allows, of all men but the king."""
    us = pos[TURN]
    own = pos[W_WHITE + us]
    occupied = pos[WHITE] | pos[BLACK]
    for piece in rules.pieces:
        if not piece.royal:
            men = pos[piece.word] & own
            while men:
                square = lowest(men)
                bit = men & (ZERO - men)
                men ^= bit
                targets = piece_targets(rules, piece.index, us, square, occupied) & capture
                todo = targets
                while todo:
                    target = lowest(todo)
                    hit = todo & (ZERO - todo)
                    todo ^= hit
                    if not blast_allowed(rules, pos, king, bit | hit, target):
                        targets ^= hit
                n = emit(rules, mode, moves, n, square, targets, U(piece.index))
    if rules.pawn:
        zone = rules.pawn.zone[0] if us == ZERO else rules.pawn.zone[1]
        for step in rules.pawn.captures:
            shift, source = step.shift[0], step.source[0]
            if us:
                shift, source = step.shift[1], step.source[1]
            todo = rotate(pos[TYPES] & own & source, shift) & capture
            targets = todo
            while todo:
                target = lowest(todo)
                hit = todo & (ZERO - todo)
                todo ^= hit
                if not blast_allowed(rules, pos, king, (ONE << ((target - shift) & N63)) | hit, target):
                    targets ^= hit
            n = emit_pawn_set(rules, mode, moves, n, targets, shift, zone, ZERO)
    return n


def _castling_way() -> np.ndarray:
    """uint64[2, 8, 8]: by side and files of king and rook, the squares that castling needs empty but for those two men."""
    ways = np.zeros((2, 8, 8), np.uint64)
    for side in (0, 1):
        for king in range(8):
            for rook in range(8):
                goals = (6, 5) if rook > king else (2, 3)
                files = {file for start, goal in zip((king, rook), goals, strict=True)
                         for file in range(min(start, goal), max(start, goal) + 1)} - {king, rook}
                ways[side, king, rook] = sum(1 << (56 * side + file) for file in files)
    return ways


CASTLING_WAY = _castling_way()


@jit
def castlings(rules, pos, mode, moves, n, king, rooks, danger):
    """Add castling with `rooks`, to which the way is free, given that the king is not in check.

    danger: the squares where the king, lifted from the board, would be in check. On its goal it is looked at again where a
    slider on its rank might be let in by the rook that leaves.
    """
    us = pos[TURN]
    them = us ^ ONE
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
    while rooks:
        rook = lowest(rooks)
        rook_bit = ONE << rook
        rooks ^= rook_bit
        king_to, rook_to = castling_squares(us, king, rook)
        kt, rt = ONE << king_to, ONE << rook_to
        allowed = True
        if rules.royal_safety:
            allowed = BETWEEN[king, king_to] & danger == ZERO
            if allowed:
                if snipers(rules, pos, king_to, enemy & FIRST_RANK[us], them):
                    occupied = ((own | enemy) & ~(ONE << king | rook_bit)) | kt | rt
                    allowed = king_could_stand(rules, pos, king_to, occupied, enemy, them)
                else:
                    allowed = danger & kt == ZERO
        if allowed:
            if mode != COUNT:
                moves[n] = encode(king, rook, U(rules.king.index), K_CASTLE)
            n += ONE
    return n


@jit(forceinline=True)
def king_could_stand(rules, pos, square, occupied, enemy, them):
    """Whether a king on `square` would not be in check."""
    if not rules.touching_kings_check:
        if BLAST[square] & pos[rules.king.word] & enemy:
            return True
    return attackers(rules, pos, square, occupied, enemy, them) == ZERO


@jit
def pseudo_en_passant(rules, pos, moves, n):
    """Add en passant captures without regard to check."""
    us = pos[TURN]
    target = lowest(pos[EP])
    capturers = rules.pawn.attacks[us ^ ONE, target] & pos[TYPES] & pos[W_WHITE + us]
    while capturers:
        moves[n] = lowest(capturers) | (target << S_TO) | (K_EN_PASSANT << S_KIND)
        capturers &= capturers - ONE
        n += ONE
    return n
