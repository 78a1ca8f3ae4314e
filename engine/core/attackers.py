"""Who attacks what: pieces that attack a square, and squares that pieces attack.

pos: uint64[words]; squares, bitboards and colours (0 White, 1 Black): uint64; index: the type of a piece, a literal.
"""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attacks import BISHOP_EMPTY, ROOK_EMPTY, bishop_attacks, rook_attacks
from engine.core.bits import ONE, ZERO, U, lowest, rotate
from engine.core.position import W_WHITE
from engine.rules import MAX_TYPES, ROYAL, TYPES
from engine.rules.geometry import WORD


@jit(forceinline=True)
def sliding(rules, pos, among):
    """(those of `among` that slide as rooks, those that slide as bishops), as far as the board goes."""
    rooks, bishops = ZERO, ZERO
    for word in rules.rook_sliders:
        rooks |= pos[word]
    for word in rules.bishop_sliders:
        bishops |= pos[word]
    return rooks & among, bishops & among


@jit(forceinline=True)
def piece_targets(rules, index, colour, square, occupied):
    """What the piece type of that index attacks from `square`, own pieces not excluded."""
    found = ZERO
    for piece in rules.movers:
        if piece.key == index:
            if piece.rays is not None:
                found |= ray_targets(rules, index, colour, square, occupied)
            if piece.leaps is not None:
                found |= piece.leaps[colour, square]
            if piece.rook:
                if piece.rook_limit is None:
                    found |= rook_attacks(square, occupied) & rules.geometry.board
                else:
                    found |= rook_attacks(square, occupied) & piece.rook_limit[colour, square]
            if piece.bishop:
                if piece.bishop_limit is None:
                    found |= bishop_attacks(square, occupied) & rules.geometry.board
                else:
                    found |= bishop_attacks(square, occupied) & piece.bishop_limit[colour, square]
    return found


@jit
def ray_targets(rules, index, colour, square, occupied):
    """What the piece type of that index attacks along its rays."""
    found = ZERO
    for piece in rules.movers:
        if piece.key == index:
            for ray in range(piece.ray_count):
                hop, skip = piece.hops[ray], piece.skips[ray]
                hopped = hop == 0
                number = 0
                while True:
                    target = U(piece.rays[colour, square, ray, number])
                    if target >= U(WORD):
                        break
                    if hopped and number >= skip:
                        found |= ONE << target
                        if hop == 2:
                            break
                    if (occupied >> target) & ONE:
                        if hopped:
                            break
                        hopped = True
                    number += 1
    return found


@jit(forceinline=True)
def move_targets(rules, index, colour, square, occupied):
    """Where the piece type of that index may go from `square`, own pieces not yet excluded."""
    for piece in rules.pieces:
        if piece.index == index:
            if piece.divided:
                quiet = piece_targets(rules, piece.index + MAX_TYPES, colour, square, occupied) & ~occupied
                return quiet | (piece_targets(rules, piece.index, colour, square, occupied) & occupied)
    return piece_targets(rules, index, colour, square, occupied)


@jit
def winding_attackers(rules, pos, square, occupied, among, colour):
    """Which pieces of `among`, all of `colour`, attack `square` along rays."""
    found = ZERO
    for piece in rules.winders:
        some = pos[piece.word] & among
        while some:
            if (ray_targets(rules, piece.index, colour, lowest(some), occupied) >> square) & ONE:
                found |= some & (ZERO - some)
            some &= some - ONE
    return found


@jit(forceinline=True)
def attackers(rules, pos, square, occupied, among, colour):
    """Which pieces of `among`, all of `colour`, attack `square` while `occupied` squares block; kings included."""
    found = ZERO
    other = colour ^ ONE
    if rules.pawn:
        found |= rules.pawn.attacks[other, square] & pos[TYPES]
    for piece in rules.pieces:
        if piece.leaps is not None:
            found |= piece.leaps[other, square] & pos[piece.word]
    rooks, bishops = sliding(rules, pos, among)
    if rules.rook_sliders:
        found |= rook_attacks(square, occupied) & rooks
    if rules.bishop_sliders:
        found |= bishop_attacks(square, occupied) & bishops
    for piece in rules.limited_sliders:
        if piece.rook and piece.rook_limit is not None:
            found |= rook_attacks(square, occupied) & piece.rook_limit[other, square] & pos[piece.word]
        if piece.bishop and piece.bishop_limit is not None:
            found |= bishop_attacks(square, occupied) & piece.bishop_limit[other, square] & pos[piece.word]
    if rules.winders:
        found |= winding_attackers(rules, pos, square, occupied, among, colour)
    return found & among


@jit(forceinline=True)
def leaping_attackers(rules, pos, square, among, colour):
    """Which pieces of `among`, all of `colour`, attack `square` by a leap; royal types excluded."""
    found = ZERO
    other = colour ^ ONE
    if rules.pawn:
        found |= rules.pawn.attacks[other, square] & pos[TYPES]
    for piece in rules.pieces:
        if piece.leaps is not None and not piece.royal:
            found |= piece.leaps[other, square] & pos[piece.word]
    return found & among


@jit(forceinline=True)
def snipers(rules, pos, square, among, colour):
    """Which pieces of `among`, all of `colour`, would attack `square` by a slide if nothing stood between."""
    found = ZERO
    other = colour ^ ONE
    rooks, bishops = sliding(rules, pos, among)
    found |= (ROOK_EMPTY[square] & rooks) | (BISHOP_EMPTY[square] & bishops)
    for piece in rules.limited_sliders:
        if piece.rook and piece.rook_limit is not None:
            found |= piece.rook_limit[other, square] & pos[piece.word]
        if piece.bishop and piece.bishop_limit is not None:
            found |= piece.bishop_limit[other, square] & pos[piece.word]
    return found & among


@jit(forceinline=True)
def royals(rules, pos):
    """The royal pieces of both sides."""
    found = ZERO
    for piece in rules.royals:
        found |= pos[piece.word]
    if rules.titles:
        found |= pos[ROYAL]
    return found


@jit(forceinline=True)
def attack_map(rules, pos, among, colour, occupied):
    """Every square that a piece of `among`, all of `colour`, attacks; squares of its own side included."""
    found = ZERO
    if rules.pawn:
        white = colour == ZERO
        pawns = pos[TYPES] & among
        for step in rules.pawn.captures:
            source = step.source[0] if white else step.source[1]
            found |= rotate(pawns & source, step.shift[0] if white else step.shift[1])
    for piece in rules.pieces:
        if piece.leaps is not None or not piece.additive:
            some = pos[piece.word] & among
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
    some &= among
    while some:
        found |= rook_attacks(lowest(some), occupied)
        some &= some - ONE
    some = ZERO
    for word in rules.counted_bishops:
        some |= pos[word]
    some &= among
    while some:
        found |= bishop_attacks(lowest(some), occupied)
        some &= some - ONE
    return found & rules.geometry.board


@jit(forceinline=True)
def king_could_stand(rules, pos, square, occupied, enemy, them):
    """Whether a king on `square` would not be in check from `enemy`, the pieces of the side `them`."""
    if not rules.touching_kings_check:
        if rules.geometry.king_attacks[square] & pos[rules.king.word] & enemy:
            return True
    return attackers(rules, pos, square, occupied, enemy, them) == ZERO


@jit
def in_check(rules, pos, colour):
    """Whether a royal piece of `colour`, uint64 0 or 1, is attacked, as far as the rules know check."""
    for mechanism in rules.mechanisms:
        if mechanism.in_check is not None:
            return mechanism.in_check(rules, pos, colour)
    if rules.royal_safety:
        other = colour ^ ONE
        own, enemy = pos[W_WHITE + colour], pos[W_WHITE + other]
        royal = royals(rules, pos) & own
        if rules.one_king:
            if royal == ZERO:
                return False
            return not king_could_stand(rules, pos, lowest(royal), own | enemy, enemy, other)
        while royal:
            if attackers(rules, pos, lowest(royal), own | enemy, enemy, other):
                return True
            royal &= royal - ONE
    return False
