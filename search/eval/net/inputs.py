"""The inputs of a net, made from the rules of a game: which there are, and where each side sees them.

An input is one bit: a piece of a type and a colour on a square. A net may tell apart whether the other side attacks the piece
and whether its own side protects it. Games with titles add the same for pieces that hold one, and the squares of pieces that
ever held one; games with castling, the rooks that may castle; games that mark series or checks, the marks; games with drops,
the hands: each bit of the number of a type that a side has in hand. The position is seen by both sides; each sees its own
pieces first and its own home rank below, except where both run to the same end of the board.

    number = (colour * planes + plane) * 64 + square; a type has STATES planes, one for each state of threat

After these come the bits of MARKS, then those of the hands, one word for each side.

A net may have rows of its own for each zone of the side's king: on its home rank in a corner, elsewhere on it, on the second
rank, in front of it.

A plane is a bitboard of both colours. A net without threats has one row for all states of a piece. There are no inputs for
kinds of moves: what a move changes is the difference of two rows of the stack, whatever the rules did in between.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import inline, jit
from engine.core.attackers import royals
from engine.core.bits import ONE, ZERO, U, lowest, popcount, row_on_stack, upside_down
from engine.core.fills import attack_maps
from engine.core.position import W_WHITE
from engine.rules import BLACK, CASTLING, MARKS, ROYAL, WHITE, Rules
from engine.rules.geometry import STRIDE, UPSIDE_DOWN, WORD
from engine.rules.traits import Traits
from engine.rules.words import MARKS_OF_A_SIDE

MOST_INPUTS = 320  # that a position has, or that two positions differ by
_WORD = U(WORD)
VIEWS = 2  # of White, of Black
MOST_ZONES = 4  # of the king
CORNER = 2  # files
STATES = 4  # of threat: twice whether the other side attacks a piece, plus whether its own side protects it
THREATS = 2  # words beside those of a position: which pieces are attacked, which are protected


@jit
def list_changes(rules, old, new, attacked, protected, added, removed):
    """Write the numbers of the inputs that `new` has and `old` lacks into `added`, and vice versa; returns both counts, uint64.

    old: uint64[words + THREATS], an empty row is a board without pieces; new: uint64[words]; attacked, protected: uint64, those
    of its pieces, ZERO for a net without threats. added, removed: uint32[MOST_INPUTS].
    """
    was_attacked, was_protected = old[rules.words], old[rules.words + 1]
    turned = old[WHITE] ^ new[WHITE]
    changed = turned | (was_attacked ^ attacked) | (was_protected ^ protected)
    before, after = row_on_stack(rules.net_planes), row_on_stack(rules.net_planes)
    fill_planes(rules, old, before)
    fill_planes(rules, new, after)
    n_added, n_removed = ZERO, ZERO
    first, other = ZERO, U(planes_of_a_side(rules)) * _WORD
    for plane in range(rules.net_planes):  # not unrolled: it would be half of what a search compiles
        here, there = after[plane], before[plane]
        if plane < rules.types:
            if here != there or here & changed:
                entered, left = here & (~there | changed), there & (~here | changed)
                n_added = _append_pieces(added, n_added, first, entered & ~new[BLACK], attacked, protected)
                n_added = _append_pieces(added, n_added, first + other, entered & new[BLACK], attacked, protected)
                n_removed = _append_pieces(removed, n_removed, first, left & ~old[BLACK], was_attacked, was_protected)
                n_removed = _append_pieces(removed, n_removed, first + other, left & old[BLACK], was_attacked, was_protected)
            first += U(STATES) * _WORD
        else:
            if here != there or here & turned:
                entered, left = here & (~there | turned), there & (~here | turned)
                n_added = _append(added, n_added, first, entered & ~new[BLACK])
                n_added = _append(added, n_added, first + other, entered & new[BLACK])
                n_removed = _append(removed, n_removed, first, left & ~old[BLACK])
                n_removed = _append(removed, n_removed, first + other, left & old[BLACK])
            first += _WORD
    first = other * U(VIEWS)
    if rules.counts_marks:
        n_added = _append(added, n_added, first, new[MARKS] & ~old[MARKS])
        n_removed = _append(removed, n_removed, first, old[MARKS] & ~new[MARKS])
        first += _WORD
    for word in rules.hand_words:
        n_added = _append(added, n_added, first, new[word] & ~old[word])
        n_removed = _append(removed, n_removed, first, old[word] & ~new[word])
        first += _WORD
    return n_added, n_removed


@jit
def threats(rules, pos):
    """(pieces that the other side attacks, pieces that their own side protects), bitboards."""
    white, black = pos[WHITE], pos[BLACK]
    by_white, by_black = attack_maps(rules, pos)
    return (white & by_black) | (black & by_white), (white & by_white) | (black & by_black)


@jit(forceinline=True)
def fill_planes(rules, pos, planes):
    """The bitboards that tell positions apart, planes: uint64[net_planes]."""
    plane = 0
    for word in rules.type_words:
        planes[plane] = pos[word]
        plane += 1
    if rules.titles:
        for word in rules.type_words:
            planes[plane] = pos[word] & pos[ROYAL]
            plane += 1
        planes[plane] = pos[MARKS]
        plane += 1
    if rules.castling:
        planes[plane] = pos[CASTLING]


@inline
def _append(found, n, first, bits):
    """Append first + the number of each bit; returns how many there are now, uint64."""
    while bits:
        found[n] = first + lowest(bits)
        bits &= bits - ONE
        n += ONE
    return n


@inline
def _append_pieces(found, n, first, bits, attacked, protected):
    """Append the number of each piece in its state, those of its type from `first` on; returns how many there are now."""
    while bits:
        square = lowest(bits)
        state = (((attacked >> square) & ONE) << ONE) | ((protected >> square) & ONE)
        found[n] = first + state * _WORD + square
        bits &= bits - ONE
        n += ONE
    return n


@jit(forceinline=True)
def kind_of_view(rules, pos, kinds, view):
    """How a side sees the position, uint8: by the square of its first royal piece. kinds: as in Net.

    Kings come before holders of a title, and with several, the first as the side itself counts them.
    """
    kings = ZERO
    for piece in rules.royals:
        kings |= pos[piece.word]
    if not rules.royals:
        kings = royals(rules, pos)
    own = kings & pos[W_WHITE + U(view)]
    if view:
        own = upside_down(own)
    return kinds[view, popcount(~own & (own - ONE))]  # the square, 64 if there is none


@inline
def planes_of_a_side(rules):
    """Planes of inputs of a colour, those of a type for each state."""
    return rules.net_planes + (STATES - 1) * rules.types


def inputs_of(rules: Rules, zones: int = 1, threats: bool = False) -> int:
    """How many inputs the nets of a game have.

    zones: of the king, for each of which a net has rows of its own; threats: whether it tells the states of pieces apart.
    """
    traits = rules.traits
    planes = traits.net_planes + threats * (STATES - 1) * len(rules.letters)
    return zones * (VIEWS * planes + int(traits.counts_marks) + len(traits.hand_words)) * WORD


def described(rules: Rules) -> str:
    """The inputs in a line: nets fit games of the same line."""
    traits = rules.traits
    parts = [f"{traits.geometry.files}x{traits.geometry.ranks}", rules.letters]
    parts += [name for name, there in (("titles", traits.titles), ("castling", traits.castling), ("marks", traits.counts_marks),
                                       ("hands", traits.drops), ("lopsided", is_lopsided(traits)),
                                       ("alike", traits.sides_run_alike)) if there]
    return " ".join(parts)


def is_lopsided(traits: Traits) -> bool:
    """Whether pawns tell left from right: then Black's view is turned by half a turn, and nobody's is mirrored."""
    return traits.pawn is not None and traits.pawn.lopsided


def tables(rules: Rules, zones: int = 1, threats: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """How each side sees the inputs, as Net has it.

    zones: 1 to MOST_ZONES, how many zones of the king have rows of their own; threats: whether states of a piece have.
    numbers: uint16[2, 2 * zones, inputs of one zone with threats], by side, kind of view and number of an input, the number
    that the side sees; kinds: uint8[2, 65], the kind of view, 2 * zone + mirrored, by side and the square of its first royal
    piece, upside down for Black; 64: it has none.
    """
    traits, types = rules.traits, len(rules.letters)
    lopsided, inputs = is_lopsided(traits), inputs_of(rules, 1, threats)
    told = [(plane, state) for plane in range(traits.net_planes) for state in range(STATES if plane < types else 1)]
    rows = [plane * STATES + state if threats else plane for plane, state in told[:types * STATES]]
    rows += [rows[-1] + 1 + n for n in range(len(told) - len(rows))]
    planes, seen_planes = len(told), rows[-1] + 1
    numbers = np.zeros((VIEWS, 2 * zones, inputs_of(rules, 1, True)), np.uint16)
    kinds = np.zeros((VIEWS, WORD + 1), np.uint8)
    for view in range(VIEWS):
        for mirrored in range(2):
            squares = np.array([_seen(traits, square, view, bool(mirrored) and not lopsided) for square in range(WORD)])
            table = numbers[view, mirrored]
            for colour in range(2):
                for plane, row in enumerate(rows):
                    first, there = (colour * planes + plane) * WORD, ((colour ^ view) * seen_planes + row) * WORD
                    table[first:first + WORD] = there + squares
            first, there = VIEWS * planes * WORD, VIEWS * seen_planes * WORD
            if traits.counts_marks:
                swap = MARKS_OF_A_SIDE if traits.checks_to_win else 1
                table[first:first + WORD] = there + (np.arange(WORD) ^ (swap * view))
                first, there = first + WORD, there + WORD
            for colour in range(len(traits.hand_words)):
                table[first + colour * WORD:first + (colour + 1) * WORD] = there + (colour ^ view) * WORD + np.arange(WORD)
            for zone in range(1, zones):
                numbers[view, 2 * zone + mirrored] = inputs * zone + table
        for square in traits.geometry.squares:
            seen = traits.geometry.mirrored(square) if view and not traits.sides_run_alike else square
            kinds[view, square ^ int(UPSIDE_DOWN) if view else square] = _kind(traits, seen, zones)
    return numbers, kinds


def rows_without_threats(rules: Rules, zones: int = 1) -> np.ndarray:
    """int64[inputs with threats]: for each row of a net with threats, the row of one without that has the same meaning."""
    (without, _), (with_threats, _) = tables(rules, zones), tables(rules, zones, True)
    found = np.zeros(inputs_of(rules, zones, True), np.int64)
    found[with_threats[0].ravel()] = without[0].ravel()
    return found


def _kind(traits: Traits, square: int, zones: int) -> int:
    """The kind of view of a side whose king stands on a square, its own home rank below."""
    file, rank = square % STRIDE, square // STRIDE
    mirrored = 2 * file >= traits.geometry.files and not is_lopsided(traits)
    in_corner = min(file, traits.geometry.last_file - file) < CORNER
    zone = min(rank + 1, MOST_ZONES - 1) if rank > 0 else 0 if in_corner else 1
    return 2 * min(zone, zones - 1) + mirrored


def _seen(traits: Traits, square: int, view: int, mirrored: bool) -> int:
    """The square as a side sees it; squares outside a small board are seen as themselves."""
    geometry = traits.geometry
    if square not in geometry.squares:
        return square
    if view and not traits.sides_run_alike:
        square = geometry.opposite(square) if is_lopsided(traits) else geometry.mirrored(square)
    if mirrored:
        square += geometry.last_file - 2 * (square % STRIDE)
    return square


