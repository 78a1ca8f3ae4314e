"""What earlier nodes taught: killers, countermoves, histories of moves, and the error of the static evaluation.

    int32 refutations[...], forgotten after each search
    KILLERS + 2 * ply                        two killer moves of a ply
    COUNTERMOVES + colour * MAX_TYPES * 64 + move       the quiet answer of a colour that refuted a move

    int16 histories[...]: no wider, because they share the processor's second-level cache with the net
    HISTORY + colour * FROM_AND_TO + from * 64 + to          worth of quiet moves
    CAPTURE_HISTORY + move * 16 + type captured              worth of captures and promotions
    CORRECTION + (kind * 2 + side to move) * CORRECTION_ROW + hash      error of the static evaluation
    PAIRS + row + colour * moves + move                      worth of quiet moves after an earlier move, whose row it is

`move` is piece_and_to() here, and `moves` their number in the game. An earlier move is one of those 1, 2, 4 and 6 plies before;
the state holds where its row begins (pair_row). Moves, slots, rows and scores are int64; a history lies between minus and plus
the greatest of its kind.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import inline, jit
from engine.core.bits import ONE, ZERO, U, fetch_ahead, rotate
from engine.core.moves import K_EN_PASSANT, K_PROMOTION, kind_of, origin_of, target_of, type_of
from engine.core.position import W_WHITE
from engine.rules import BLACK, MAX_TYPES, TURN, TYPES, WHITE, Rules
from engine.rules.geometry import WORD
from search.limits import MAX_PLY
from search.params import CORRECTION_DIVISOR, CORRECTION_MOST, CORRECTION_SLOPE, HISTORY_BASE, HISTORY_SLOPE, HISTORY_SQUARE

ENTRY_SHIFT = 31  # an entry of a move list is score << 31 | move
MOVE_MASK = (1 << ENTRY_SHIFT) - 1

FROM_AND_TO = WORD * WORD
KILLERS = 0
COUNTERMOVES = KILLERS + 2 * (MAX_PLY + 2)
_REFUTATIONS = COUNTERMOVES + 2 * MAX_TYPES * WORD
HISTORY = 0
CAPTURE_HISTORY = HISTORY + 2 * FROM_AND_TO
CORRECTION = CAPTURE_HISTORY + MAX_TYPES * WORD * MAX_TYPES
_CORRECTION_BITS = 14
CORRECTION_ROW = 1 << _CORRECTION_BITS
_PAWNS, _WHITE_PIECES, _BLACK_PIECES = range(3)  # what a correction goes by
PAIRS = CORRECTION + 3 * 2 * CORRECTION_ROW

_QUIET_MOST, _CAPTURE_MOST, _PAIR_MOST = 13_365, 10_692, 29_952  # greatest histories
_EVAL_SLOPE, _EVAL_BONUS = 8, 1000  # learn_from_evals: bonus per centipawn and ply, and the greatest
_DEEPEST, _DEEP_BONUS = 14, 73  # at greater depths few nodes are searched, and histories would learn from these few alone


def new_refutations() -> np.ndarray:
    """Those of one thread before it has any, int32."""
    return np.zeros(_REFUTATIONS, np.int32)


def new_histories(rules: Rules) -> np.ndarray:
    """Empty histories of one thread, int16."""
    moves = len(rules.letters) * WORD
    return np.zeros(PAIRS + (2 * moves) ** 2, np.int16)


@inline
def piece_and_to(move):
    """Type * 64 + target square of a move, int64."""
    bits = U(move)
    return np.int64(type_of(bits) * U(WORD) + target_of(bits))


@inline
def countermove_slot(us, prev_move):
    """Slot of a colour's answer to the previous move."""
    return COUNTERMOVES + np.int64(us) * (MAX_TYPES * WORD) + piece_and_to(prev_move)


@inline
def from_and_to(move):
    """Origin * 64 + target square of a move, int64."""
    bits = U(move)
    return np.int64(origin_of(bits) * U(WORD) + target_of(bits))


@inline
def is_noisy(pos, move):
    """Whether a move is a capture or a promotion, bool."""
    bits = U(move)
    kind = kind_of(bits)
    hit = (pos[W_WHITE + (pos[TURN] ^ ONE)] >> target_of(bits)) & ONE
    return hit != 0 or kind in (K_PROMOTION, K_EN_PASSANT)


# Where a history is kept


@inline
def quiet_slot(us, move):
    """Slot of a quiet move of a colour."""
    return HISTORY + np.int64(us) * FROM_AND_TO + from_and_to(move)


@inline
def coloured_move(rules, us, move):
    """piece_and_to() with the colour, uint64: the place of a move in a row of pairs."""
    return np.int64(us) * (rules.types * WORD) + piece_and_to(move)


@inline
def pair_row(rules, us, move):
    """Where the row of a move begins that is made now."""
    return PAIRS + coloured_move(rules, us, move) * (2 * rules.types * WORD)


@jit
def capture_slot(rules, pos, move):
    """Slot of a capture or promotion."""
    target = target_of(U(move))
    captured = 0
    for word in rules.type_words:
        if (pos[word] >> target) & ONE:
            captured = word - TYPES
    return CAPTURE_HISTORY + piece_and_to(move) * MAX_TYPES + captured


@inline
def pair(histories, row, place):
    """Worth of a pair of moves, 0 for none. row: of the earlier one, 0 for none; place: coloured_move() of the later one."""
    if row == 0:
        return np.int64(0)
    return np.int64(histories[row + place])


@jit
def quiet_order(rules, histories, us, move, rows):
    """What quiet moves are ordered by. rows: of the moves 1, 2, 4 and 6 plies before, a tuple."""
    place = coloured_move(rules, us, move)
    return (np.int64(histories[quiet_slot(us, move)]) + 2 * pair(histories, rows[0], place)
            + pair(histories, rows[1], place) + pair(histories, rows[2], place) + pair(histories, rows[3], place))


@jit
def quiet_history(rules, histories, us, move, rows):
    """What a quiet move is reduced by."""
    place = coloured_move(rules, us, move)
    return (np.int64(histories[quiet_slot(us, move)]) + pair(histories, rows[0], place) + pair(histories, rows[1], place)
            + pair(histories, rows[2], place))


# How they learn


@inline
def bonus_of(p, depth):
    """What a node of that depth teaches."""
    if depth > _DEEPEST:
        return np.int64(_DEEP_BONUS)
    return p[HISTORY_SQUARE] * depth * depth + p[HISTORY_SLOPE] * depth - p[HISTORY_BASE]


@inline
def adjust(histories, slot, bonus, most):
    """Move one history towards the bonus; the nearer to the greatest, the less ("history gravity")."""
    old = np.int64(histories[slot])
    histories[slot] = old + bonus - old * abs(bonus) // most


@jit
def adjust_pairs(rules, histories, us, move, rows, bonus):
    """Move a quiet move's pairs with the earlier moves towards the bonus."""
    place = coloured_move(rules, us, move)
    for row in rows:
        if row != 0:
            adjust(histories, row + place, bonus, _PAIR_MOST)


@jit
def adjust_quiet(rules, histories, us, move, rows, bonus):
    """Move all histories of a quiet move towards the bonus."""
    adjust(histories, quiet_slot(us, move), bonus, _QUIET_MOST)
    adjust_pairs(rules, histories, us, move, rows, bonus)


@inline
def learn_from_evals(histories, us, move, gained):
    """Punish or reward the opponent's quiet move for the change of the static evaluation.

    us: to move after it; gained: what we gained by it, centipawns times the depth.
    """
    bonus = max(np.int64(-_EVAL_BONUS), min(-gained * _EVAL_SLOPE, np.int64(_EVAL_BONUS)))
    adjust(histories, quiet_slot(us ^ ONE, move), bonus, _QUIET_MOST)


@jit
def reward_quiet(rules, histories, refutations, us, move, prev_move, ply, rows, bonus):
    """A quiet move was best: it becomes a killer and a countermove, and its histories grow."""
    killers = KILLERS + 2 * ply
    if refutations[killers] != move:
        refutations[killers + 1] = refutations[killers]
        refutations[killers] = move
    if prev_move != 0:
        refutations[countermove_slot(us, prev_move)] = move
    adjust_quiet(rules, histories, us, move, rows, bonus)


@jit
def update_histories(rules, p, histories, refutations, node, moves, tried, move, noisy, clear):
    """A move was best: reward it and punish those of moves[:tried] that were searched, quiet ones only if it is quiet.

    clear: it failed high by a good pawn.
    """
    pos = node.pos
    bonus = bonus_of(p, node.depth + 1)
    quiet_bonus = bonus if clear else min(bonus, bonus_of(p, node.depth))
    if noisy:
        adjust(histories, capture_slot(rules, pos, move), bonus, _CAPTURE_MOST)
    else:
        reward_quiet(rules, histories, refutations, node.us, move, node.prev_move, node.ply, node.rows, quiet_bonus)
    for i in range(tried):
        other = moves[i] & MOVE_MASK
        if other not in (0, move):
            if is_noisy(pos, other):
                adjust(histories, capture_slot(rules, pos, other), -bonus, _CAPTURE_MOST)
            elif not noisy:
                adjust_quiet(rules, histories, node.us, other, node.rows, -quiet_bonus)


# Correction history: how far the static evaluation was off with these pawns, or these other pieces of a side

_MIX = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F,
                 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3, 0x589965CC75374CC3, 0x1D8E4E27C47D124F, 0xEB44ACCAB455D165,
                 0x2D358DCCAA6C78A5, 0x8BB84B93962EACC9, 0x4B33A62ED433D4A3, 0x4D5A2DA51DE1AA47, 0xC2B2AE3D27D4EB4F,
                 0x165667B19E3779F9], np.uint64)
_S_ROW, _S_MIX = U(WORD - _CORRECTION_BITS), U(29)
_CORRECTION_MAX = 1024


@jit
def correction_slot(rules, pos, kind):
    """Slot of the pawns or of a side's other pieces; kind: a literal."""
    mixed = ZERO
    if kind == _PAWNS:
        mixed = (pos[TYPES] & pos[WHITE]) * _MIX[0] ^ rotate((pos[TYPES] & pos[BLACK]) * _MIX[1], U(17))
    else:
        own = pos[WHITE] if kind == _WHITE_PIECES else pos[BLACK]
        for piece in rules.pieces:
            mixed ^= rotate((pos[piece.word] & own) * _MIX[piece.index], U(piece.index * 3))
    mixed ^= mixed >> _S_MIX
    mixed *= _MIX[2]
    return CORRECTION + (kind * 2 + np.int64(pos[TURN])) * CORRECTION_ROW + np.int64(mixed >> _S_ROW)


@jit(forceinline=True)
def correction_slots(rules, pos, histories):
    """The slots of a position's three errors; they are on their way from memory then."""
    slots = (correction_slot(rules, pos, _PAWNS), correction_slot(rules, pos, _WHITE_PIECES),
             correction_slot(rules, pos, _BLACK_PIECES))
    for slot in slots:
        fetch_ahead(histories, slot)
    return slots


@inline
def corrected_eval(p, histories, slots, static_eval):
    """A static evaluation with the average error in similar positions added."""
    error = np.int64(histories[slots[0]]) + histories[slots[1]] + histories[slots[2]]
    return static_eval + error // p[CORRECTION_DIVISOR]


@inline
def adjust_correction(histories, slot, bonus):
    """Move one error towards the bonus."""
    old = np.int64(histories[slot])
    histories[slot] = old + bonus - (old * abs(bonus)) // _CORRECTION_MAX


@inline
def update_correction(p, histories, slots, error, depth):
    """The static evaluation was off by `error`, as a search of that depth found."""
    most = p[CORRECTION_MOST]
    bonus = max(-most, min(error * depth // p[CORRECTION_SLOPE], most))
    for slot in slots:
        adjust_correction(histories, slot, bonus)
