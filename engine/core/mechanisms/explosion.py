"""Captures explode: the capturer, the captured piece and every piece but pawns next to the square they meet on are gone.

Who loses its king that way has lost; so no capture may take one's own king along. If kings that touch are safe from check,
attackers.king_could_stand and movegen.legal know it, for it is a question of every check.
"""

from __future__ import annotations

from engine.compile.jit import jit
from engine.core.attackers import attackers, piece_targets, royals
from engine.core.bits import ONE, SQUARE_BITS, ZERO, U, lowest, rotate
from engine.core.movegen import emit, emit_pawn_set
from engine.core.moves import target_of
from engine.core.position import W_WHITE
from engine.core.reasons import ENEMY_EXPLODED, EXPLOSION, NOT_OVER
from engine.rules import BLACK, TURN, TYPES, WHITE
from engine.rules.mechanism import Mechanism


@jit(forceinline=True)
def explode(rules, pos, child, move, captured):
    """Remove what the capture blows up; returns the squares of those pieces and the capturer's."""
    if captured == ZERO:
        return ZERO
    target = target_of(move)
    blast = (rules.geometry.king_attacks[target] & ~child[TYPES]) | ONE << target
    gone = blast & (child[WHITE] | child[BLACK])
    for word in rules.board_words:
        child[word] &= ~blast
    return gone


@jit
def blast_allowed(rules, pos, king, removed, target):
    """Whether a capture that lifts `removed` and explodes on the square `target` leaves one's own king standing and safe."""
    us = pos[TURN]
    them = us ^ ONE
    gone = (rules.geometry.king_attacks[target] & ~pos[TYPES]) | removed
    if (gone >> king) & ONE:
        return False
    if rules.royal_safety:
        kings = pos[rules.king.word]
        enemy = pos[W_WHITE + them]
        if gone & kings & enemy:
            return True
        if not rules.touching_kings_check:
            if rules.geometry.king_attacks[king] & kings & enemy:
                return True
        occupied = (pos[WHITE] | pos[BLACK]) & ~gone
        return attackers(rules, pos, king, occupied, enemy & ~gone, them) == ZERO
    return True


@jit
def add_tried_captures(rules, pos, mode, moves, n, king, targets):
    """Add the captures onto `targets` that the blast allows, of all pieces but the king."""
    us = pos[TURN]
    own = pos[W_WHITE + us]
    occupied = pos[WHITE] | pos[BLACK]
    for piece in rules.pieces:
        if not piece.royal:
            movers = pos[piece.word] & own
            while movers:
                square = lowest(movers)
                bit = movers & (ZERO - movers)
                movers ^= bit
                allowed = piece_targets(rules, piece.index, us, square, occupied) & targets
                todo = allowed
                while todo:
                    target = lowest(todo)
                    hit = todo & (ZERO - todo)
                    todo ^= hit
                    if not blast_allowed(rules, pos, king, bit | hit, target):
                        allowed ^= hit
                n = emit(rules, mode, moves, n, square, allowed, U(piece.index))
    if rules.pawn:
        zone = rules.pawn.zone[0] if us == ZERO else rules.pawn.zone[1]
        for step in rules.pawn.captures:
            shift, source = step.shift[0], step.source[0]
            if us:
                shift, source = step.shift[1], step.source[1]
            allowed = rotate(pos[TYPES] & own & source, shift) & targets
            todo = allowed
            while todo:
                target = lowest(todo)
                hit = todo & (ZERO - todo)
                todo ^= hit
                if not blast_allowed(rules, pos, king, (ONE << ((target - shift) & SQUARE_BITS)) | hit, target):
                    allowed ^= hit
            n = emit_pawn_set(rules, mode, moves, n, allowed, shift, zone, ZERO)
    return n


@jit
def exploded(rules, pos):
    """EXPLOSION if the king of the side to move is gone."""
    if royals(rules, pos) & pos[W_WHITE + pos[TURN]] == ZERO:
        return EXPLOSION
    return NOT_OVER


@jit
def enemy_exploded(rules, pos):
    """ENEMY_EXPLODED if the other side's king is gone."""
    if royals(rules, pos) & pos[W_WHITE + (pos[TURN] ^ ONE)] == ZERO:
        return ENEMY_EXPLODED
    return NOT_OVER


MECHANISM = Mechanism(
    name="explosion", trait="captures_explode", after_move=explode, capture_allowed=blast_allowed,
    add_captures=add_tried_captures, over_at_once=exploded, already_won=enemy_exploded)
