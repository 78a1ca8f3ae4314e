"""The moves of a node, in stages: captures and promotions first, quiet moves when the good ones are used up.

A picker is a row of uint64 on the stack. Whatever takes it is inlined, so that its words live in registers.
"""

from __future__ import annotations

from engine.compile.jit import inline, jit
from engine.core.bits import ONE, ZERO, U
from engine.core.legality import generate
from engine.core.movegen import NOISY, QUIET
from search.forcing import add_explosion_threats, checks_or_threatens, find_check_squares, offers_piece, steps_to_goal
from search.histories import ENTRY_SHIFT, MOVE_MASK, is_noisy
from search.ordering import KILLER, LOSING, has_table_move, pick_best, score_noisy, score_quiets
from search.params import LMP_FORCING
from search.state import ROOT_COUNT, ROOT_MOVES

# A picker. AT: the entry to look at; COUNT: entries listed so far; LOOKED_AT: moves judged so far, those left out included; the
# others are flags, ZERO or ONE.
AT, COUNT, LISTED, ALL_LISTED, WANT_QUIETS, SKIP_QUIETS, WITH_CHECKS, ROW_FILLED, LOOKED_AT = range(9)
PICKER = 9
NO_ENTRY = -1 << 62


@jit
def list_noisy(rules, pos, weights, histories, moves, table_move):
    """Fill a list, int64[...], with the entries of captures and promotions; returns their number, uint64."""
    count = generate(rules, pos, NOISY, moves)
    score_noisy(rules, pos, weights, histories, moves, count, table_move)
    return count


@jit
def list_quiets(rules, pos, histories, refutations, moves, count, table_move, prev_move, ply, rows):
    """Add the entries of the quiet moves after the first `count`; returns the number of all, uint64."""
    quiets = generate(rules, pos, QUIET, moves[count:])
    score_quiets(rules, pos, histories, refutations, moves, count, quiets, table_move, prev_move, ply, rows)
    return count + quiets


@jit
def list_checks(rules, pos, histories, refutations, moves, count, forcing, prev_move, ply, rows):
    """Add the entries of the quiet moves that give check after the first `count`; returns the number of all, uint64."""
    quiets = generate(rules, pos, QUIET, moves[count:])
    kept = count
    for i in range(count, count + quiets):
        if checks_or_threatens(U(moves[i]), forcing):
            moves[kept] = moves[i]
            kept += ONE
    score_quiets(rules, pos, histories, refutations, moves, count, kept - count, 0, prev_move, ply, rows)
    return kept


@jit
def list_root(rules, thread, node, moves):
    """Fill a list with the entries of the root moves, the first of which comes first again; returns their number, uint64."""
    state, noisy = thread.state, ZERO
    for n in range(state[ROOT_COUNT]):
        if is_noisy(node.pos, state[ROOT_MOVES + 2 * n]):
            moves[noisy] = state[ROOT_MOVES + 2 * n]
            noisy += ONE
    count = noisy
    for n in range(state[ROOT_COUNT]):
        if not is_noisy(node.pos, state[ROOT_MOVES + 2 * n]):
            moves[count] = state[ROOT_MOVES + 2 * n]
            count += ONE
    first = state[ROOT_MOVES]
    score_noisy(rules, node.pos, thread.weights, thread.histories, moves, noisy, first)
    score_quiets(rules, node.pos, thread.histories, thread.refutations, moves, noisy, count - noisy, first, 0, 0, node.rows)
    return count


@jit(forceinline=True)
def is_forcing(rules, node, picker, move):
    """Whether the node's move is one of forcing.py, bool; fills the row when first asked."""
    bits = U(move)
    if rules.captures_forced:
        return offers_piece(rules, node.pos, node.us, bits)
    if steps_to_goal(rules, node.us, bits):
        return True
    if rules.royal_safety or rules.captures_explode:
        if picker[ROW_FILLED] == ZERO:
            picker[ROW_FILLED] = ONE
            find_check_squares(rules, node.pos, node.us, node.forcing)
            if rules.captures_explode:
                add_explosion_threats(rules, node.pos, node.us, node.forcing)
        return checks_or_threatens(bits, node.forcing)
    return False


@jit(forceinline=True)
def skip_quiets(rules, thread, node, picker, moves):
    """From now on no quiet moves but refutations and, in most games, forcing ones."""
    picker[SKIP_QUIETS] = ONE
    if picker[ALL_LISTED] != ZERO:
        leave_out_quiets(rules, thread, node, picker, moves)


@jit(forceinline=True)
def leave_out_quiets(rules, thread, node, picker, moves):
    """The quiet moves that are not to be tried leave the list all at once."""
    kept = picker[AT]
    for i in range(picker[AT], picker[COUNT]):
        entry = moves[i]
        order = entry >> ENTRY_SHIFT
        if order < LOSING or order >= KILLER or (
                thread.p[LMP_FORCING] == 0 and is_forcing(rules, node, picker, entry & MOVE_MASK)):
            moves[kept] = entry
            kept += ONE
    picker[COUNT] = kept


@inline
def start_picker(picker, with_checks):
    """An empty picker. with_checks: quiescence that begins with quiet checks, too."""
    picker[AT] = picker[COUNT] = picker[LISTED] = picker[ALL_LISTED] = picker[WANT_QUIETS] = picker[SKIP_QUIETS] = ZERO
    picker[ROW_FILLED] = picker[LOOKED_AT] = ZERO
    picker[WITH_CHECKS] = U(with_checks)


@jit(forceinline=True)
def next_entry(rules, thread, node, picker, moves):
    """The best entry left, brought to moves[picker[AT]], int64; NO_ENTRY if there is none."""
    quiets_too = not node.quiescent or node.in_danger
    while True:
        if picker[LISTED] == ZERO:
            picker[LISTED] = ONE
            if node.ply == 0:
                picker[COUNT] = list_root(rules, thread, node, moves)
                picker[ALL_LISTED] = ONE
            else:
                picker[COUNT] = list_noisy(rules, node.pos, thread.weights, thread.histories, moves, node.table_move)
                picker[ALL_LISTED] = U(not quiets_too and picker[WITH_CHECKS] == ZERO)
            if quiets_too and node.table_move != 0:
                if picker[COUNT] == ZERO or not has_table_move(moves, picker[COUNT]):
                    picker[WANT_QUIETS] = ONE
        exhausted = picker[AT] >= picker[COUNT]
        if picker[ALL_LISTED] == ZERO and (picker[WANT_QUIETS] != ZERO or exhausted):
            list_rest(rules, thread, node, picker, moves, quiets_too)
        if picker[AT] >= picker[COUNT]:
            return NO_ENTRY
        entry = pick_best(moves, picker[AT], picker[COUNT])
        if entry >> ENTRY_SHIFT < LOSING and picker[ALL_LISTED] == ZERO:
            picker[WANT_QUIETS] = ONE
            continue
        return entry


@inline
def skip_entry(picker, moves):
    """Go on to the next entry without a search; histories will not learn from this one."""
    moves[picker[AT]] = 0
    picker[AT] += ONE


@inline
def has_no_moves(node, picker):
    """Whether the node has no legal move. Quiescence cannot tell, unless the king is in danger: it does not list all moves."""
    return (not node.quiescent or node.in_danger) and picker[ALL_LISTED] != ZERO and picker[COUNT] == ZERO


@jit(forceinline=True)
def list_rest(rules, thread, node, picker, moves, quiets_too):
    """The second stage: quiet moves, or those that give check."""
    picker[ALL_LISTED] = ONE
    if quiets_too:
        picker[COUNT] = list_quiets(rules, node.pos, thread.histories, thread.refutations, moves, picker[COUNT],
                                    node.table_move, node.prev_move, node.ply, node.rows)
        if picker[SKIP_QUIETS] != ZERO:
            leave_out_quiets(rules, thread, node, picker, moves)
    elif rules.royal_safety:
        find_check_squares(rules, node.pos, node.us, node.forcing)
        picker[COUNT] = list_checks(rules, node.pos, thread.histories, thread.refutations, moves, picker[COUNT], node.forcing,
                                    node.prev_move, node.ply, node.rows)
