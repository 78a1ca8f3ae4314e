# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"
"""Kernels that value positions by their moves, and those that Python calls.

A code is what a table holds: 0 for a draw or an open value, plies to the end of the game plus 1 for a decided one, and the
greatest number of its type for what is no position. The side to move has lost if the plies are even, and wins if they are odd.

Values are found by rounds. Round n marks every position from which a move may lead to one decided in n plies (backwards.py).
Then each marked position is valued by its legal moves, with the rules of the game. A code is certain once its round has come.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compile.jit import entry, jit
from engine.core.attackers import attackers, in_check
from engine.core.bits import ONE, ZERO, U, list_on_stack, lowest, popcount, row_on_stack
from engine.core.ending import over_without_moves
from engine.core.legality import end_turn, generate, over_at_once
from engine.core.mechanisms.succession import heirs
from engine.core.movegen import ALL_MOVES
from engine.core.moves import (
    K_DRIVE,
    K_EN_PASSANT,
    K_PROMOTION,
    S_HAS_HEIR,
    S_KIND,
    S_PROMOTES,
    kind_of,
    origin_of,
    target_of,
)
from engine.core.position import W_WHITE, make
from engine.core.reasons import LAST_LOSS, LAST_WIN, NOT_OVER
from engine.rules import BLACK, CASTLING, EP, MARKS, ROYAL, TURN, WHITE
from search.tables.backwards import RESTLESS, mark_predecessors
from search.tables.numbers import (
    DIRECT,
    MOST_PLACES,
    OFFSET,
    SIZE,
    Atlas,
    number_with,
    owner_of,
    pack,
    slot_of,
    unpack,
)

# What work_kernel() does with each position
SCAN, MARK, VALUE, CHECK, COUNTS = range(5)
_SCAN, _MARK, _VALUE, _CHECK = np.int64(SCAN), np.int64(MARK), np.int64(VALUE), np.int64(CHECK)
LAST_ROUND = np.int64(1 << 30)  # a round after all others
INSIDE, MISSED = -1, -2  # instead of a code: the table that is made has the position; no table has it

# What work_kernel() reports, int64[REPORT]
HIGHEST, SETTLED, MISSING, WRONG, FIRST_WRONG = range(5)
WINS, DRAWS, LOSSES, LONGEST = 6, 8, 10, 12  # + colour of the side to move; longest win in plies
LONGEST_AT = 14
REPORT = 16


_DRIVE_ALONE = K_DRIVE << (S_KIND - S_PROMOTES)


class Making(NamedTuple):
    """A table in the making, and room to work in."""

    atlas: Atlas
    table: int  # its row in the atlas
    own: np.ndarray  # uint8 or uint16[n]: its codes
    places: np.ndarray  # uint64[MOST_PLACES]: the squares of the position that is looked at, by slot
    child: np.ndarray  # uint64[words]
    moves: np.ndarray  # uint32[rules.max_moves]
    report: np.ndarray  # int64[REPORT]


# What a position is


@jit
def possible(rules, pos):
    """Whether the position can be on the board.

    The side that is not to move is safe, the side to move is not at its goal yet, and a throne is empty for a reason.
    """
    them = pos[TURN] ^ ONE
    if rules.ends_early:
        reason = over_at_once(rules, pos)
        if reason > LAST_LOSS and reason <= LAST_WIN:
            return False
    if rules.royal_safety or rules.titles:
        if in_check(rules, pos, them):
            return False
    if rules.succession:
        kings = pos[rules.king.word]
        own = pos[W_WHITE + pos[TURN]]
        if kings & pos[W_WHITE + them] == ZERO:
            return False
        if kings & own == ZERO:
            line = heirs(rules, pos, own)
            if line & (line - ONE) == ZERO:
                return False
    return True


@jit
def reachable(rules, pos):
    """Whether a game comes to the position: the mark of a series of checks fits the check on the board."""
    if rules.mate_series:
        us = pos[TURN]
        them = us ^ ONE
        foe = lowest(pos[rules.king.word] & pos[W_WHITE + us])
        checkers = attackers(rules, pos, foe, pos[WHITE] | pos[BLACK], pos[W_WHITE + them], them)
        counting = ZERO
        for word in rules.mate_series:
            counting |= pos[word]
        marked = (pos[MARKS] >> them) & ONE != ZERO
        if marked and checkers == ZERO:
            return False
        if checkers & counting and not marked:
            return False
    return True


@jit
def play_without_history(rules, pos, child, move):
    """Write the position after a legal move into `child`, key and clocks apart."""
    make(rules, pos, child, move, False)
    end_turn(rules, pos, child)


@jit
def decided(rules, pos):
    """The code of a position that the rules end at once, -1 if they do not."""
    reason = over_at_once(rules, pos)
    if reason == NOT_OVER:
        return np.int64(-1)
    return np.int64(1) if reason <= LAST_LOSS else np.int64(0)


@jit(runtime=("mine",))
def outside(rules, atlas, pos, mine):
    """(code, INSIDE or MISSED; its number if it is INSIDE) of a position of any material.

    mine: the table that is made, whose codes are not among the known ones.
    """
    code = decided(rules, pos)
    if code >= 0:
        return code, np.int64(0)
    owner = owner_of(rules, atlas, pos)
    if owner < 0:
        return np.int64(MISSED), np.int64(0)
    index = pack(rules, atlas, owner >> 1, owner & 1, pos)
    if owner >> 1 == mine:
        return np.int64(INSIDE), index
    return np.int64(atlas.known[atlas.layout[owner >> 1, OFFSET] + index]), np.int64(0)


@jit
def number_inside(rules, making, pos):
    """The number of a position of the table that is made."""
    return pack(rules, making.atlas, making.table, 0, pos)


@jit(forceinline=True)
def only_steps(rules, pos, move):
    """Whether a move does no more than put one piece on an empty square."""
    special = move >> S_PROMOTES
    if rules.driven_king:
        if special == _DRIVE_ALONE:
            special = ZERO
    return special == ZERO and ((pos[WHITE] | pos[BLACK]) >> target_of(move)) & ONE == ZERO


@jit
def number_after(rules, making, pos, index, move):
    """The number of the position after a move that only steps, in a table that is DIRECT; index: of `pos`.

    Titles and marks travel with their pieces, so that the block is that of `pos` with the other side to move.
    """
    size = making.atlas.layout[making.table, SIZE]
    block = (index // size) ^ 1
    if rules.mate_series:
        play_without_history(rules, pos, making.child, move)
        block = (block & 1) + 2 * np.int64(making.child[MARKS])
    slot = slot_of(making.atlas, making.table, making.places, origin_of(move))
    return block * size + number_with(making.atlas, making.table, making.places, slot, target_of(move))


@jit
def settled_code(own, index, ply):
    """The code of a number of the table that is made, 0 while it is not certain after round `ply`."""
    code = np.int64(own[index])
    return code if code <= ply + 1 else np.int64(0)


@jit
def en_passant_value(rules, making, pos, child, moves):
    """(code of the best win, of the slowest loss by en passant, whether one draws, whether there are other moves).

    Codes are those of the position itself, 0 for none.
    """
    n = generate(rules, pos, ALL_MOVES, moves)
    win, loss, draw, others = np.int64(0), np.int64(0), False, False
    for i in range(n):
        move = U(moves[i])
        if kind_of(move) != K_EN_PASSANT:
            others = True
            continue
        play_without_history(rules, pos, child, move)
        code, _ = outside(rules, making.atlas, child, making.table)
        if code == MISSED:
            making.report[MISSING] += 1
        elif code == 0:
            draw = True
        elif code & 1:
            win = code + 1 if win == 0 else min(win, code + 1)
        else:
            loss = max(loss, code + 1)
    return win, loss, draw, others


@jit
def after_double_step(rules, making, pos, ply):
    """The code of a position with a passed square, 0 while open. Such positions have no number: en passant is played here.

    The other moves are those of the same position without the square.
    """
    moves = list_on_stack(rules.max_moves)
    child = row_on_stack(rules.words)
    win, loss, draw, others = en_passant_value(rules, making, pos, child, moves)
    if others:
        for word in rules.board_words:
            child[word] = pos[word]
        child[EP], child[CASTLING], child[TURN] = ZERO, ZERO, pos[TURN]
        child[ROYAL], child[MARKS] = pos[ROYAL], pos[MARKS]
        code = settled_code(making.own, number_inside(rules, making, child), ply)
        if code == 0:
            draw = True
        elif code & 1:
            loss = max(loss, code)
        else:
            win = code if win == 0 else min(win, code)
    if win > ply + 1:
        making.report[HIGHEST] = max(making.report[HIGHEST], win)
        return np.int64(0)
    if win or draw:
        return win
    making.report[HIGHEST] = max(making.report[HIGHEST], loss)
    return loss


@jit
def code_after(rules, making, pos, index, move, pieces, ply):
    """(code of the position after a move as far as it is certain after round `ply`, whether en passant is possible there).

    index: the number of `pos`; pieces: on its board. A move whose table is missing is reported, and its code is below 0.
    """
    child = making.child
    if only_steps(rules, pos, move):
        if ply < 0:
            return np.int64(0), False
        if making.atlas.layout[making.table, DIRECT]:
            return settled_code(making.own, number_after(rules, making, pos, index, move), ply), False
    play_without_history(rules, pos, child, move)
    if child[EP]:
        return after_double_step(rules, making, child, ply), True
    if stays(rules, child, move, pieces):
        return np.int64(0) if ply < 0 else settled_code(making.own, number_inside(rules, making, child), ply), False
    code, number = outside(rules, making.atlas, child, making.table)
    if code == INSIDE:
        code = settled_code(making.own, number, ply)
    elif code == MISSED:
        making.report[MISSING] += 1
    return code, False


@jit(forceinline=True)
def stays(rules, child, move, pieces):
    """Whether a move leaves the material as it is; `child` is the position after it."""
    if popcount(child[WHITE] | child[BLACK]) != pieces or kind_of(move) == K_PROMOTION:
        return False
    if rules.succession:
        return (move >> S_HAS_HEIR) & ONE == ZERO
    return True


@jit
def value_of_moves(rules, making, pos, index, ply):
    """(code of a position by all its moves, whether one of them leads to en passant); after round `ply`, open counts as draw.

    A position that is lost whatever open values turn out to be is none: one with an open move is 0. index: its number.
    """
    code = decided(rules, pos)
    if code >= 0:
        return code, False
    n = generate(rules, pos, ALL_MOVES, making.moves)
    if n == ZERO:
        reason = over_without_moves(rules, pos, in_check(rules, pos, pos[TURN]))
        return np.int64(1 if reason <= LAST_LOSS else 0), False
    pieces = popcount(pos[WHITE] | pos[BLACK])
    win, loss, open_value, restless = np.int64(0), np.int64(0), False, False
    for i in range(n):
        code, passing = code_after(rules, making, pos, index, U(making.moves[i]), pieces, ply)
        restless |= passing
        if code <= 0:
            open_value = True
        elif code & 1:
            win = code + 1 if win == 0 else min(win, code + 1)
        else:
            loss = max(loss, code + 1)
    if win:
        return win, restless
    return np.int64(0) if open_value else loss, restless


@jit
def won_now(rules, making, pos, index, ply):
    """Whether a move within the table leads to a position lost in `ply` plies."""
    child = making.child
    n = generate(rules, pos, ALL_MOVES, making.moves)
    pieces = popcount(pos[WHITE] | pos[BLACK])
    for i in range(n):
        move = U(making.moves[i])
        if making.atlas.layout[making.table, DIRECT]:
            if only_steps(rules, pos, move):
                if np.int64(making.own[number_after(rules, making, pos, index, move)]) == ply + 1:
                    return True
                continue
        play_without_history(rules, pos, child, move)
        if child[EP]:
            if after_double_step(rules, making, child, ply) == ply + 1:
                return True
        elif stays(rules, child, move, pieces):
            if np.int64(making.own[number_inside(rules, making, child)]) == ply + 1:
                return True
    return False


@jit
def lost_code(rules, making, pos, index, ply):
    """The code of a position all whose moves lose by what is certain after round `ply`, 0 if one does not."""
    n = generate(rules, pos, ALL_MOVES, making.moves)
    pieces = popcount(pos[WHITE] | pos[BLACK])
    loss = np.int64(0)
    for i in range(n):
        code, _ = code_after(rules, making, pos, index, U(making.moves[i]), pieces, ply)
        if code <= 0 or code & 1:
            return np.int64(0)
        loss = max(loss, code + 1)
    return loss


# What Python calls


@entry
def work_kernel(rules, atlas, table, own, none, marks, rows, moves, first, last, ply, what, report):
    """Do one step for the positions numbered from `first` to `last` - 1 of a table.

    own: uint8 or uint16[n], codes of the table; none: the code of no position; marks: uint8[n]; rows: uint64[2, words];
    moves: uint32[rules.max_moves]; ply: the round; report: int64[REPORT]. `what`:

        SCAN     value positions by the moves that leave the table, -1 being the round
        MARK     mark what may lead to positions decided in `ply` plies
        VALUE    value what was marked
        CHECK    compare each code with the best of its moves
        COUNTS   count wins, draws and losses
    """
    pos, child = rows[0], rows[1]
    making = Making(atlas, table, own, row_on_stack(MOST_PLACES), child, moves, report)
    for index in range(first, last):
        code = np.int64(own[index])
        if what == _SCAN:
            own[index], marks[index] = scan(rules, making, none, index, pos)
        elif what == _CHECK:
            check(rules, making, none, index, pos)
        elif what == _MARK:
            if code == ply + 1:
                unpack(rules, atlas, table, index, pos, making.places)
                mark_predecessors(rules, atlas, table, pos, index, making.places, child, marks)
                report[SETTLED] += 1
        elif what == _VALUE:
            if marks[index] != 0:
                marks[index] &= RESTLESS
                if code != none and (code == 0 or code > ply + 2):
                    unpack(rules, atlas, table, index, pos, making.places)
                    value = value_in_round(rules, making, code, pos, index, ply)
                    if value:
                        own[index] = value
                        report[HIGHEST] = max(report[HIGHEST], value)
        elif code != none:
            unpack(rules, atlas, table, index, pos, making.places)
            count_value(rules, pos, index, code, report)


@jit
def is_position(rules, atlas, table, index, pos, places):
    """Write the position with that number into `pos`; returns whether there is one, and this is its only number.

    places: uint64[MOST_PLACES], becomes the square of each slot.
    """
    if not unpack(rules, atlas, table, index, pos, places):
        return False
    if atlas.layout[table, DIRECT]:
        only = number_with(atlas, table, places, -1, ZERO) == index % atlas.layout[table, SIZE]
    else:
        only = pack(rules, atlas, table, 0, pos) == index
    return only and possible(rules, pos)


@jit
def scan(rules, making, none, index, pos):
    """(code of a number by the moves that leave the table, its mark)."""
    if not is_position(rules, making.atlas, making.table, index, pos, making.places):
        return none, np.uint8(0)
    code, restless = value_of_moves(rules, making, pos, index, np.int64(-1))
    making.report[HIGHEST] = max(making.report[HIGHEST], code)
    return code, RESTLESS if restless else np.uint8(0)


@jit
def value_in_round(rules, making, code, pos, index, ply):
    """The new code of a marked position, 0 if it has none; code: its code so far."""
    if ply & 1 == 0:
        if won_now(rules, making, pos, index, ply):
            return ply + 2
    elif code == 0:
        return lost_code(rules, making, pos, index, ply)
    return np.int64(0)


@jit
def check(rules, making, none, index, pos):
    """Compare a code with what the moves say."""
    expected, report = none, making.report
    if is_position(rules, making.atlas, making.table, index, pos, making.places):
        expected, _ = value_of_moves(rules, making, pos, index, LAST_ROUND)
        report[SETTLED] += 1
    if expected != np.int64(making.own[index]):
        if report[WRONG] == 0:
            report[FIRST_WRONG] = index
        report[WRONG] += 1


@jit
def count_value(rules, pos, index, code, report):
    """Add a position to the counts, unless no game comes to it."""
    if not reachable(rules, pos):
        return
    turn = np.int64(pos[TURN])
    if code == 0:
        report[DRAWS + turn] += 1
    elif code & 1:
        report[LOSSES + turn] += 1
    else:
        report[WINS + turn] += 1
        if code - 1 > report[LONGEST + turn]:
            report[LONGEST + turn] = code - 1
            report[LONGEST_AT + turn] = index


@entry
def unpack_kernel(rules, atlas, table, index, pos):
    """is_position() for Python."""
    return is_position(rules, atlas, table, index, pos, row_on_stack(MOST_PLACES))


@entry
def find_kernel(rules, atlas, pos):
    """(table, or -1 if no table has its material; number) of a position, for Python."""
    owner = owner_of(rules, atlas, pos)
    if owner < 0:
        return np.int64(-1), np.int64(0)
    return owner >> 1, pack(rules, atlas, owner >> 1, owner & 1, pos)
