"""Legal moves, counted or listed, out of small builders.

If one leaping king is royal, pins and check masks decide legality before a move is made (`legal`). Other royal rules generate
every move and try it (`legality.py`). Modes: COUNT adds up, ALL_MOVES lists, NOISY lists captures and promotions, QUIET the
rest. `mode` is always a literal, so each is machine code of its own.

pos: uint64[words]; moves: uint32[rules.max_moves], not touched by COUNT; n: uint64, the number of moves so far, to which a
builder returns what it has grown; squares, bitboards and colours: uint64.
"""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attackers import (
    attack_map,
    attackers,
    in_check,
    king_could_stand,
    leaping_attackers,
    move_targets,
    piece_targets,
    sliding,
    snipers,
)
from engine.core.attacks import BETWEEN, THROUGH, bishop_attacks, rook_attacks
from engine.core.bits import ONE, SQUARE_BITS, ZERO, U, lowest, popcount, rotate, row_on_stack
from engine.core.fills import AT_ONCE, moves_at_once
from engine.core.moves import K_DOUBLE, K_EN_PASSANT, K_PROMOTION, S_PROMOTES, S_TO, S_TYPE, encode
from engine.core.position import W_WHITE, behind, make
from engine.rules import BLACK, EP, TURN, TYPES, WHITE

COUNT, ALL_MOVES, NOISY, QUIET = range(4)


@jit(forceinline=True)
def target_mask(rules, mode, own, enemy):
    """Target squares of a mode, whatever piece moves."""
    if mode == NOISY:
        return enemy
    if mode == QUIET:
        return rules.geometry.board & ~(own | enemy)
    return rules.geometry.board & ~own


@jit(forceinline=True)
def emit(rules, mode, moves, n, origin, targets, index):
    """Add the moves of one piece; returns `n` and what it grows to. index: of its type, uint64."""
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
    """Add pawn moves onto `targets`, each from the square rotated by `delta` back, promotions if they fall in `zone`."""
    if mode == COUNT:
        return n + popcount(targets) + rules.pawn.extra_promotions * popcount(targets & zone)
    while targets:
        target = lowest(targets)
        origin = (target - delta) & SQUARE_BITS
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
    """Add the moves of `pawns`: steps onto `quiet`, over `empty`, captures onto `capture`. En passant is not among them."""
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
    """Legal moves if one leaping king is royal; returns how many, uint64.

    rules.royal_safety False: the king may be left to be taken. moves uint32[rules.max_moves], untouched by COUNT.
    """
    us = pos[TURN]
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + (us ^ ONE)]
    kings = pos[rules.king.word]
    if rules.captures_explode or not rules.royal_safety:
        if kings & own == ZERO or kings & enemy == ZERO:
            return ZERO
    king = lowest(kings & own)
    return legal_of(rules, pos, mode, moves, king, allowed_targets(rules, pos, king), own)


@jit(forceinline=True)
def legal_of(rules, pos, mode, moves, king, allowed, pieces):
    """What legal() does, with `allowed` from allowed_targets(); but free pieces move only if they are among `pieces`.

    King, pawns and pinned pieces move in any case.
    """
    us = pos[TURN]
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + (us ^ ONE)]
    quiet, capture, sure, checkers, pinned, pinners = allowed
    mask = quiet | sure
    if mode == NOISY:
        mask = sure
    if mode == QUIET:
        mask = quiet
    n = ZERO
    if rules.pawn:
        n = pawn_moves(rules, mode, moves, n, us, pos[TYPES] & own & ~pinned, ~(own | enemy), quiet, sure)
        if mode != QUIET and rules.pawn.doubles:
            if pos[EP]:
                n = en_passant(rules, pos, mode, moves, n, king)
    n = free_moves(rules, pos, mode, moves, n, us, pieces & ~pinned, mask, own | enemy)
    if rules.royal_safety:
        if pinned:
            n = pinned_moves(rules, pos, mode, moves, n, king, pinned, pinners, mask, quiet, sure)
        n = tried_captures(rules, pos, mode, moves, n, king, capture, sure)
    return king_moves(rules, pos, mode, moves, n, king, checkers)


@jit(forceinline=True)
def allowed_targets(rules, pos, king):
    """Where pieces other than the king on the square `king` may go, as far as its safety goes.

    Returns bitboards (quiet, capture, sure, checkers, pinned, pinners): squares for quiet moves; for captures; those of them
    whose captures need no trial; and checks_and_pins().
    """
    us = pos[TURN]
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + (us ^ ONE)]
    kings = pos[rules.king.word]
    quiet, capture = rules.geometry.board & ~(own | enemy), enemy
    if rules.captures_explode:
        capture &= ~rules.geometry.king_attacks[king]  # no capture may explode the own king
    checkers, pinned, pinners = ZERO, ZERO, ZERO
    sure = capture
    if rules.royal_safety:
        if rules.touching_kings_check or rules.geometry.king_attacks[king] & kings == ZERO:
            leapers, checkers, pinned, pinners = checks_and_pins(rules, pos, king)
            if rules.captures_explode:
                # A blast may open a line to the king, or blow up who gives check: such captures are tried one by one.
                if pinners | checkers:
                    sure = ZERO
            if checkers:
                evasions = evading_squares(rules, king, checkers, leapers)
                quiet &= evasions
                if not rules.captures_explode:
                    sure &= evasions
    return quiet, capture, sure, checkers, pinned, pinners


@jit(forceinline=True)
def tried_captures(rules, pos, mode, moves, n, king, capture, sure):
    """Add the captures onto `capture` that a mechanism tries one by one, if `sure` leaves any out."""
    if mode != QUIET:
        for mechanism in rules.mechanisms:
            if mechanism.add_captures is not None:
                if sure != capture:
                    n = mechanism.add_captures(rules, pos, mode, moves, n, king, capture)
    return n


@jit(forceinline=True)
def checks_and_pins(rules, pos, king):
    """(leaping checkers, all checkers, own pieces that alone shield the king, sliders in line with it), bitboards."""
    us = pos[TURN]
    them = us ^ ONE
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
    occupied = own | enemy
    leapers = leaping_attackers(rules, pos, king, enemy, them)
    checkers, pinned, pinners = leapers, ZERO, ZERO
    if rules.limited_sliders or rules.captures_explode or rules.far_leaps:
        pinners = snipers(rules, pos, king, enemy, them)
        lined = pinners
    else:
        # sliders that see the king, then those that would if the own piece in front of them were gone
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
    return leapers, checkers, pinned & own, pinners


@jit(forceinline=True)
def evading_squares(rules, king, checkers, leapers):
    """Where a piece other than the king ends a check: on the one checker or between it and the king; nowhere against two."""
    evasions = checkers | BETWEEN[king, lowest(checkers)]
    if rules.far_leaps:
        if leapers:
            evasions = checkers
    if checkers & (checkers - ONE):
        evasions = ZERO
    return evasions


@jit(forceinline=True)
def free_moves(rules, pos, mode, moves, n, us, free, mask, occupied):
    """Add the moves of the pieces `free` onto `mask`, royal types apart."""
    if mode == COUNT and AT_ONCE and rules.moves_at_once:
        return n + moves_at_once(rules, pos, us, free, mask, occupied)
    for piece in rules.pieces:
        if not piece.royal and (piece.leaps is not None or mode != COUNT or not piece.additive):
            movers = pos[piece.word] & free
            while movers:
                square = lowest(movers)
                movers &= movers - ONE
                if mode == COUNT and piece.additive:
                    n += popcount(piece.leaps[us, square] & mask)
                else:
                    n = emit(rules, mode, moves, n, square, move_targets(rules, piece.index, us, square, occupied) & mask,
                             U(piece.index))
    if mode == COUNT:
        movers = ZERO
        for word in rules.counted_rooks:
            movers |= pos[word]
        movers &= free
        while movers:
            n += popcount(rook_attacks(lowest(movers), occupied) & mask)
            movers &= movers - ONE
        movers = ZERO
        for word in rules.counted_bishops:
            movers |= pos[word]
        movers &= free
        while movers:
            n += popcount(bishop_attacks(lowest(movers), occupied) & mask)
            movers &= movers - ONE
    return n


@jit
def pinned_moves(rules, pos, mode, moves, n, king, pinned, pinners, mask, quiet, capture):
    """Add the moves of pinned pieces: along the line between the king and the slider behind them."""
    us = pos[TURN]
    occupied = pos[WHITE] | pos[BLACK]
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
                n = pawn_moves(rules, mode, moves, n, us, pawn, ~occupied, quiet & line, capture & line)
    return n


@jit
def pin_line(rules, king, square, pinners, occupied):
    """Squares that keep a piece pinned on `square` between its king and the slider behind it, that slider's included."""
    while pinners:
        sniper = lowest(pinners)
        pinners &= pinners - ONE
        if BETWEEN[king, sniper] & occupied == ONE << square:
            return BETWEEN[king, sniper] | ONE << sniper
    return ZERO


@jit(forceinline=True)
def king_moves(rules, pos, mode, moves, n, king, checkers):
    """Add the moves of the king on the square `king`, castling included."""
    ready = ZERO  # rooks the king may castle with as far as the way is free
    if mode != NOISY:
        for mechanism in rules.mechanisms:
            if mechanism.castling_rooks is not None:
                if checkers == ZERO:
                    ready = mechanism.castling_rooks(rules, pos, king)
    targets, danger = king_targets(rules, pos, mode, king, ready)
    n = emit(rules, mode, moves, n, king, targets, U(rules.king.index))
    if mode != NOISY:
        for mechanism in rules.mechanisms:
            if mechanism.add_castlings is not None:
                if ready:
                    n = mechanism.add_castlings(rules, pos, mode, moves, n, king, ready, danger)
    return n


@jit(forceinline=True)
def king_targets(rules, pos, mode, king, ready):
    """(squares the king goes to by a step, squares on which it would stand in check), bitboards.

    The second is known only if there are several of the first, or rooks `ready` to castle.
    """
    us = pos[TURN]
    them = us ^ ONE
    own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
    targets = rules.king.leaps[us, king] & ~own
    if rules.captures_explode or mode == QUIET:
        targets &= ~enemy
    if mode == NOISY:
        targets &= enemy
    danger = ZERO
    if rules.royal_safety:
        lifted = (own | enemy) ^ (ONE << king)  # a king does not hide the squares behind itself
        if ready | (targets & (targets - ONE)):
            danger = attack_map(rules, pos, enemy, them, lifted)
            if not rules.touching_kings_check:
                danger &= ~rules.geometry.king_attacks[lowest(pos[rules.king.word] & enemy)]
            targets &= ~danger
        elif targets:
            if not king_could_stand(rules, pos, lowest(targets), lifted, enemy, them):
                targets = ZERO
    return targets, danger


@jit
def en_passant(rules, pos, mode, moves, n, king):
    """Add the legal en passant captures: each is tried, because two pieces may leave the same line at once."""
    us = pos[TURN]
    target = lowest(pos[EP])
    victim = behind(rules, pos[EP], us)
    capturers = rules.pawn.attacks[us ^ ONE, target] & pos[TYPES] & pos[W_WHITE + us]
    while capturers:
        origin = lowest(capturers)
        bit = capturers & (ZERO - capturers)
        capturers ^= bit
        if en_passant_allowed(rules, pos, king, bit, victim):
            if mode != COUNT:
                moves[n] = encode(origin, target, ZERO, K_EN_PASSANT)
            n += ONE
    return n


@jit(forceinline=True)
def en_passant_allowed(rules, pos, king, capturer, victim):
    """Whether the pawn on the bit `capturer` may capture the one on the bit `victim`, as far as the own king goes."""
    for mechanism in rules.mechanisms:
        if mechanism.capture_allowed is not None:
            return mechanism.capture_allowed(rules, pos, king, capturer | victim, lowest(pos[EP]))
    if rules.royal_safety:
        us = pos[TURN]
        them = us ^ ONE
        own, enemy = pos[W_WHITE + us], pos[W_WHITE + them]
        occupied = (own | enemy) ^ capturer ^ victim ^ pos[EP]
        return attackers(rules, pos, king, occupied, enemy ^ victim, them) == ZERO
    return True


@jit
def pseudo_en_passant(rules, pos, moves, n):
    """Add en passant captures without regard to check."""
    us = pos[TURN]
    target = lowest(pos[EP])
    capturers = rules.pawn.attacks[us ^ ONE, target] & pos[TYPES] & pos[W_WHITE + us]
    while capturers:
        moves[n] = encode(lowest(capturers), target, ZERO, K_EN_PASSANT)
        capturers &= capturers - ONE
        n += ONE
    return n


# What mechanisms that list the moves themselves have in common


@jit(forceinline=True)
def always(rules, pos):
    """Takes over every list of moves: for a mechanism that changes them all."""
    return True


@jit(forceinline=True)
def no_moves(rules, pos, mode, moves):
    """No moves: the game is over."""
    return ZERO


@jit
def keep_unchecked(rules, pos, moves, n, end, colour):
    """Keep those of the moves from `n` to `end` after which a side is not in check; returns where they end."""
    child = row_on_stack(rules.words)
    i = n
    while i < end:
        make(rules, pos, child, U(moves[i]), False)
        if not in_check(rules, child, colour):
            moves[n] = moves[i]
            n += ONE
        i += ONE
    return n
