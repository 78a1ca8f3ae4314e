"""The position: uint64 words, and how a move changes them.

    KEY       zobrist key                          CLOCK  plies since a capture or pawn move
    TURN      0 White, 1 Black                     PLY    plies since the start of the game: 2 * (fullmove - 1) + TURN
    EP        the square passed by a double step   WHITE, BLACK   the men of each side
    CASTLING  the rooks that may still castle      TYPES + n      the men of type n, both sides; 0 is the pawn
    ROYAL, MARKS  state of the seventh FEN field, zero where a game has none

Positions are copied on make (a game's words are two cache lines), so a search keeps them in uint64[plies, words].
A move is a uint32: from 6 bits, to 6, type 4, promotion 4, kind 4, heir 6, 1 bit that says whether there is an heir.
Castling goes to the rook's square; naming a king has from = to; a driven king is the opponent's, moved by its own squares;
an heir is the man that becomes king before the move.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import inline, jit
from engine.core.bits import N63, ONE, ZERO, U, lowest, rotate
from engine.rules import BLACK, CASTLING, CLOCK, EP, KEY, MARKS, MAX_TYPES, PLY, ROYAL, TURN, TYPES, WHITE

Position = np.ndarray  # uint64[rules.traits.words]

NORMAL, DOUBLE, EN_PASSANT, CASTLE, PROMOTION, NAMING, DRIVE = range(7)  # kinds of move
TO, TYPE, PROMOTES, KIND, HEIR, HAS_HEIR = 6, 12, 16, 20, 24, 30  # where a move's parts begin

S_TO, S_TYPE, S_PROMOTES, S_KIND = U(TO), U(TYPE), U(PROMOTES), U(KIND)
N15, N56 = U(15), U(56)
S_HEIR, S_HAS_HEIR = U(HEIR), U(HAS_HEIR)
K_DOUBLE, K_EN_PASSANT, K_CASTLE, K_PROMOTION = U(DOUBLE), U(EN_PASSANT), U(CASTLE), U(PROMOTION)
K_NAMING, K_DRIVE = U(NAMING), U(DRIVE)
W_TYPES, W_WHITE = U(TYPES), U(WHITE)
N3, N5, N6 = U(3), U(5), U(6)

_random = np.random.Generator(np.random.PCG64(20260709))
Z_MEN = _random.integers(0, 1 << 64, (2, MAX_TYPES, 64), np.uint64)
Z_EP = _random.integers(0, 1 << 64, 64, np.uint64)
Z_CASTLING = _random.integers(0, 1 << 64, 64, np.uint64)
Z_ROYAL = _random.integers(0, 1 << 64, 64, np.uint64)
Z_MARKS = _random.integers(0, 1 << 64, 64, np.uint64)
Z_TURN = U(_random.integers(0, 1 << 64, dtype=np.uint64))

BLAST = np.array([sum(1 << (y * 8 + x) for x in range(8) for y in range(8)
                      if max(abs(x - (s & 7)), abs(y - (s >> 3))) <= 1 and y * 8 + x != s)
                  for s in range(64)], np.uint64)  # the eight squares around a square
FIRST_RANK = np.array([0xFF, 0xFF << 56], np.uint64)


@inline
def encode(origin, target, type_index, kind):
    """A move without promotion; all uint64."""
    return origin | (target << S_TO) | (type_index << S_TYPE) | (kind << S_KIND)


@inline
def castling_squares(us, king, rook):
    """(square the king goes to, square the rook goes to): g and f where the rook stands on the h-file's side, else c and d."""
    base = us * N56
    if rook > king:
        return base + N6, base + N5
    return base + U(2), base + N3


@inline
def kind_of(move):
    """The kind of a move, uint64."""
    return (move >> S_KIND) & N15


@jit
def type_at(rules, pos, square):
    """Type index of the man on an occupied square."""
    found = ZERO
    for piece in rules.pieces:
        found += ((pos[piece.word] >> square) & ONE) * U(piece.index)
    return found


@jit
def key_of_men(rules, pos, removed):
    """Zobrist key of the men on the squares `removed`."""
    key = ZERO
    for word in rules.type_words:
        men = pos[word] & removed
        while men:
            square = lowest(men)
            men &= men - ONE
            key ^= Z_MEN[(pos[BLACK] >> square) & ONE, word - TYPES, square]
    return key


@inline
def key_of_squares(table, squares):
    """Zobrist key of a bitboard from uint64[64]."""
    key = ZERO
    while squares:
        key ^= table[lowest(squares)]
        squares &= squares - ONE
    return key


@jit
def full_key(rules, pos):
    """Zobrist key from scratch."""
    key = key_of_men(rules, pos, pos[WHITE] | pos[BLACK])
    key ^= key_of_squares(Z_CASTLING, pos[CASTLING]) ^ key_of_squares(Z_EP, pos[EP])
    if rules.stateful:
        key ^= key_of_squares(Z_ROYAL, pos[ROYAL]) ^ key_of_squares(Z_MARKS, pos[MARKS])
    return key ^ Z_TURN if pos[TURN] else key


@jit(forceinline=True)
def make(rules, pos, child, move, keyed):
    """Write the position after a legal `move` into `child`, another row.

    keyed: literal; False leaves KEY, CLOCK and PLY alone, for counting.
    What needs a look at the new position (a passed square nobody can capture on, a series of checks) is legality.play's.
    """
    us = pos[TURN]
    them = us ^ ONE
    origin, target = move & N63, (move >> S_TO) & N63
    man = (move >> S_TYPE) & N15
    kind = kind_of(move)
    o, t = ONE << origin, ONE << target
    if rules.castling:
        if kind == K_CASTLE:
            _castle(rules, pos, child, origin, target, keyed)
            return
    if rules.titles:
        if kind == K_NAMING:
            _name(rules, pos, child, t, keyed)
            return
    if rules.driven_king:
        if kind == K_DRIVE:
            _drive(rules, pos, child, o, t, keyed)
            return
    captured = pos[W_WHITE + them] & t
    keep = ~(o | t)
    for word in rules.board_words:
        child[word] = pos[word] & keep
    placed = man
    ep = ZERO
    if rules.pawn:
        if kind == K_PROMOTION:
            placed = (move >> S_PROMOTES) & N15
        elif kind == K_EN_PASSANT:
            if rules.pawn.doubles:
                victim = rotate(t, rules.pawn.steps[0].shift[1] if us == ZERO else rules.pawn.steps[0].shift[0])
                captured = victim
                child[W_WHITE + them] ^= victim
                child[TYPES] ^= victim
        elif kind == K_DOUBLE:
            if rules.pawn.doubles:
                passed = rotate(o, rules.pawn.steps[0].shift[0] if us == ZERO else rules.pawn.steps[0].shift[1])
                if rules.pawn.attacks[us, lowest(passed)] & pos[W_WHITE + them] & pos[TYPES]:
                    ep = passed
    child[EP] = ep
    child[W_WHITE + us] |= t
    child[W_TYPES + placed] |= t
    gone = captured
    crowned = ZERO  # men that became kings
    if rules.succession:
        if (move >> S_HAS_HEIR) & ONE:
            heir = ONE << ((move >> S_HEIR) & N63)
            if heir == o:
                heir = t
            crown(rules, child, heir)
            crowned = heir
        if captured & pos[rules.king.word]:
            line = heirs(rules, child, child[W_WHITE + them])
            if line:
                if line & (line - ONE) == ZERO:
                    crown(rules, child, line)
                    crowned |= line
    if rules.captures_explode:
        if captured:
            blast = (BLAST[target] & ~child[TYPES]) | t
            gone = captured | (blast & (child[WHITE] | child[BLACK]) & ~t)
            for word in rules.board_words:
                child[word] &= ~blast
    castling = pos[CASTLING]
    if rules.castling:
        if castling:
            if man == U(rules.king.index):
                castling &= ~pos[W_WHITE + us]
            if rules.captures_explode:
                castling &= child[WHITE] | child[BLACK]
                if captured:
                    for colour in (0, 1):
                        if child[WHITE + colour] & child[rules.king.word] == ZERO:
                            castling &= ~child[WHITE + colour]
            if rules.succession or rules.titles:
                if captured & pos[rules.king.word]:
                    castling &= ~pos[W_WHITE + them]
            castling &= keep
    child[CASTLING] = castling
    child[TURN] = them
    if rules.titles:
        royal, marks = pos[ROYAL], pos[MARKS]
        child[ROYAL] = (royal & keep & ~captured) | (t if royal & o else ZERO)
        child[MARKS] = (marks & keep & ~captured) | (t if marks & o else ZERO)
    if keyed:
        key = pos[KEY] ^ Z_TURN ^ Z_MEN[us, man, origin] ^ key_of_squares(Z_EP, pos[EP] | child[EP])
        key ^= key_of_squares(Z_CASTLING, pos[CASTLING] ^ castling)
        if gone:
            key ^= key_of_men(rules, pos, gone)
        if not rules.captures_explode or captured == ZERO:
            key ^= Z_MEN[us, placed, target]
        if rules.succession:
            # an heir leaves under the type it had and arrives as a king; `man` is then the king already
            if crowned:
                key = full_key(rules, child)
        if rules.titles:
            key ^= key_of_squares(Z_ROYAL, pos[ROYAL] ^ child[ROYAL]) ^ key_of_squares(Z_MARKS, pos[MARKS] ^ child[MARKS])
        else:
            child[ROYAL], child[MARKS] = pos[ROYAL], pos[MARKS]
        child[KEY] = key
        child[CLOCK] = ZERO if captured or man == ZERO else pos[CLOCK] + ONE
        child[PLY] = pos[PLY] + ONE


@jit
def heirs(rules, pos, own):
    """The men among `own` of the first type in the line of succession that has any."""
    found = ZERO
    for word in rules.succession:
        if found == ZERO:
            found = pos[word] & own
    return found


@jit
def crown(rules, pos, heir):
    """Make a king of the man on the bit `heir`."""
    for word in rules.succession:
        pos[word] &= ~heir
    pos[rules.king.word] |= heir


@jit
def _rest(rules, pos, child, gone, keyed):
    """What a move of no man of one's own still changes: turn, clocks and the key but for the men that moved."""
    child[EP] = ZERO
    child[TURN] = pos[TURN] ^ ONE
    if keyed:
        if not rules.titles:
            child[ROYAL], child[MARKS] = pos[ROYAL], pos[MARKS]
        child[KEY] = pos[KEY] ^ Z_TURN ^ key_of_squares(Z_EP, pos[EP])
        if gone:
            child[KEY] ^= key_of_men(rules, pos, gone)
        child[CLOCK] = ZERO if gone else pos[CLOCK] + ONE
        child[PLY] = pos[PLY] + ONE


@jit
def _name(rules, pos, child, named, keyed):
    """The man on the bit `named` takes its side's title."""
    for word in rules.board_words:
        child[word] = pos[word]
    child[CASTLING] = pos[CASTLING]
    child[ROYAL] = (pos[ROYAL] & ~pos[W_WHITE + pos[TURN]]) | named
    child[MARKS] = pos[MARKS] | named
    _rest(rules, pos, child, ZERO, keyed)
    if keyed:
        child[KEY] ^= key_of_squares(Z_ROYAL, pos[ROYAL] ^ child[ROYAL]) ^ key_of_squares(Z_MARKS, pos[MARKS] ^ child[MARKS])


@jit
def _drive(rules, pos, child, o, t, keyed):
    """The opponent's king goes from the bit `o` to the bit `t`, onto a man of its own side or an empty square."""
    them = pos[TURN] ^ ONE
    gone = pos[W_WHITE + them] & t
    for word in rules.board_words:
        child[word] = pos[word] & ~(o | t)
    child[W_WHITE + them] |= t
    child[rules.king.word] |= t
    child[CASTLING] = pos[CASTLING]
    _rest(rules, pos, child, gone, keyed)
    if keyed:
        child[KEY] ^= Z_MEN[them, rules.king.index, lowest(o)] ^ Z_MEN[them, rules.king.index, lowest(t)]


@jit
def _castle(rules, pos, child, king, rook, keyed):
    us = pos[TURN]
    king_to, rook_to = castling_squares(us, king, rook)
    k, r, kt, rt = ONE << king, ONE << rook, ONE << king_to, ONE << rook_to
    for word in rules.board_words:
        child[word] = pos[word] & ~(k | r)
    child[W_WHITE + us] |= kt | rt
    child[rules.king.word] |= kt
    child[rules.rook.word] |= rt
    child[EP] = ZERO
    child[CASTLING] = pos[CASTLING] & ~pos[W_WHITE + us]
    child[TURN] = us ^ ONE
    if rules.titles:
        child[ROYAL] = _castled(pos[ROYAL], k, r, kt, rt)
        child[MARKS] = _castled(pos[MARKS], k, r, kt, rt)
    if keyed:
        ki, ri = rules.king.index, rules.rook.index
        child[KEY] = (pos[KEY] ^ Z_TURN ^ key_of_squares(Z_EP, pos[EP])
                      ^ key_of_squares(Z_CASTLING, pos[CASTLING] ^ child[CASTLING])
                      ^ Z_MEN[us, ki, king] ^ Z_MEN[us, ki, king_to] ^ Z_MEN[us, ri, rook] ^ Z_MEN[us, ri, rook_to])
        if rules.titles:
            child[KEY] ^= key_of_squares(Z_ROYAL, pos[ROYAL] ^ child[ROYAL])
            child[KEY] ^= key_of_squares(Z_MARKS, pos[MARKS] ^ child[MARKS])
        else:
            child[ROYAL], child[MARKS] = pos[ROYAL], pos[MARKS]
        child[CLOCK] = pos[CLOCK] + ONE
        child[PLY] = pos[PLY] + ONE


@inline
def _castled(marks, king, rook, king_to, rook_to):
    """Marks on squares, carried along by castling."""
    moved = marks & ~(king | rook)
    if marks & king:
        moved |= king_to
    if marks & rook:
        moved |= rook_to
    return moved


@jit
def make_null(rules, pos, child):
    """Write the position after a pass into `child`."""
    for word in rules.board_words:
        child[word] = pos[word]
    child[EP] = ZERO
    child[CASTLING] = pos[CASTLING]
    child[ROYAL], child[MARKS] = pos[ROYAL], pos[MARKS]
    child[TURN] = pos[TURN] ^ ONE
    child[KEY] = pos[KEY] ^ Z_TURN ^ key_of_squares(Z_EP, pos[EP])
    child[CLOCK] = pos[CLOCK] + ONE
    child[PLY] = pos[PLY] + ONE


