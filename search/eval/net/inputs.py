"""The inputs of a net, made from the rules of a game: which there are, and where each side sees them.

An input is one bit: a piece of a type and a colour on a square. Games with titles add the same for pieces that hold one, and
the squares of pieces that ever held one; games with castling, the rooks that may castle; games that mark series or checks,
the marks. The position is seen by both sides; each sees its own pieces first and its own home rank below.

    number = (colour * planes + plane) * 64 + square, or the first mark + bit of MARKS

A plane is a bitboard of both colours. There are no inputs for kinds of moves: what a move changes is the difference of two
rows of the stack, whatever the rules did in between.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import inline, jit
from engine.core.attackers import royals
from engine.core.bits import ONE, ZERO, U, lowest, row_on_stack, upside_down
from engine.core.position import W_WHITE
from engine.rules import BLACK, CASTLING, MARKS, ROYAL, WHITE, Rules
from engine.rules.geometry import STRIDE, WORD
from engine.rules.traits import Traits
from engine.rules.words import MARKS_OF_A_SIDE

MOST_INPUTS = 320  # that a position has, or that two positions differ by
_WORD = U(WORD)
VIEWS = 2  # of White, of Black


@jit
def list_changes(rules, old, new, come, gone):
    """(how many inputs of position `new` `old` lacks, how many of `old` `new` lacks), uint64; their numbers in come, gone.

    old, new: uint64[words]; an empty row is a board without pieces. come, gone: uint32[MOST_INPUTS].
    """
    turned = old[WHITE] ^ new[WHITE]
    before, after = row_on_stack(rules.net_planes), row_on_stack(rules.net_planes)
    fill_planes(rules, old, before)
    fill_planes(rules, new, after)
    n_come, n_gone = ZERO, ZERO
    other = U(rules.net_planes) * _WORD
    for plane in range(rules.net_planes):  # not unrolled: it would be half of what a search compiles
        here, there = after[plane], before[plane]
        if here != there or here & turned:
            first = U(plane) * _WORD
            entered, left = here & (~there | turned), there & (~here | turned)
            n_come = _append(come, n_come, first, entered & ~new[BLACK])
            n_come = _append(come, n_come, first + other, entered & new[BLACK])
            n_gone = _append(gone, n_gone, first, left & ~old[BLACK])
            n_gone = _append(gone, n_gone, first + other, left & old[BLACK])
    if rules.counts_marks:
        n_come = _append(come, n_come, other * U(VIEWS), new[MARKS] & ~old[MARKS])
        n_gone = _append(gone, n_gone, other * U(VIEWS), old[MARKS] & ~new[MARKS])
    return n_come, n_gone


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


@jit(forceinline=True)
def is_mirrored(rules, pos, zones, view):
    """Whether a side sees the position mirrored: its first royal piece stands on the right half. zones: uint64[2].

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
    return (own & (~own + ONE) & zones[view]) != ZERO


def inputs_of(rules: Rules) -> int:
    """How many inputs the nets of a game have."""
    traits = rules.traits
    return VIEWS * traits.net_planes * WORD + (WORD if traits.counts_marks else 0)


def described(rules: Rules) -> str:
    """The inputs in a line: nets fit games of the same line."""
    traits = rules.traits
    parts = [f"{traits.geometry.files}x{traits.geometry.ranks}", rules.letters]
    parts += [name for name, there in (("titles", traits.titles), ("castling", traits.castling), ("marks", traits.counts_marks),
                                       ("lopsided", is_lopsided(traits))) if there]
    return " ".join(parts)


def is_lopsided(traits: Traits) -> bool:
    """Whether pawns tell left from right: then Black's view is turned by half a turn, and nobody's is mirrored."""
    return traits.pawn is not None and traits.pawn.lopsided


def tables(rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """How each side sees the inputs, and when mirrored, as Net has it.

    numbers: uint16[2, 2, inputs], by side, mirrored or not, and number of an input, the number that the side sees;
    zones: uint64[2], where the first royal piece of a side stands if it sees the board mirrored.
    """
    traits = rules.traits
    planes, lopsided = traits.net_planes, is_lopsided(traits)
    numbers = np.zeros((VIEWS, 2, inputs_of(rules)), np.uint16)
    for view in range(VIEWS):
        for mirrored in range(2):
            squares = np.array([_seen(traits, square, view, bool(mirrored) and not lopsided) for square in range(WORD)])
            table = numbers[view, mirrored]
            for colour in range(2):
                for plane in range(planes):
                    first, there = (colour * planes + plane) * WORD, ((colour ^ view) * planes + plane) * WORD
                    table[first:first + WORD] = there + squares
            if traits.counts_marks:
                first = VIEWS * planes * WORD
                swap = MARKS_OF_A_SIDE if traits.checks_to_win else 1
                table[first:] = first + (np.arange(WORD) ^ (swap * view))
    right = sum(1 << square for square in traits.geometry.squares if 2 * (square % STRIDE) >= traits.geometry.files)
    return numbers, np.array([0 if lopsided else right] * VIEWS, np.uint64)


def _seen(traits: Traits, square: int, view: int, mirrored: bool) -> int:
    """The square as a side sees it; squares outside a small board are seen as themselves."""
    geometry = traits.geometry
    if square not in geometry.squares:
        return square
    if view:
        square = geometry.opposite(square) if is_lopsided(traits) else geometry.mirrored(square)
    if mirrored:
        square += geometry.last_file - 2 * (square % STRIDE)
    return square


