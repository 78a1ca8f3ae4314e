# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"
"""Kernels that value positions by their moves, and those that Python calls.

A code is what a table holds: 0 for a draw or an open value, plies to the end of the game plus 1 for a decided one, and the
greatest number of its type for what is no position. The side to move has lost if the plies are even, and wins if they are odd.

Values are found by rounds. Round n marks every position from which a move may lead to one decided in n plies (backwards.py).
Then each marked position is valued by its legal moves, with the rules of the game. A code is certain once its round has come.
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import entry, jit
from engine.core.attackers import attackers, in_check
from engine.core.bits import ONE, ZERO, U, list_on_stack, lowest, popcount, row_on_stack
from engine.core.ending import over_without_moves
from engine.core.legality import end_turn, generate, over_at_once
from engine.core.mechanisms.succession import heirs
from engine.core.movegen import ALL_MOVES
from engine.core.moves import K_EN_PASSANT, K_PROMOTION, S_HAS_HEIR, kind_of
from engine.core.position import W_WHITE, make
from engine.core.reasons import LAST_LOSS, NOT_OVER
from engine.rules import BLACK, CASTLING, EP, MARKS, ROYAL, TURN, WHITE
from search.tables.backwards import RESTLESS, mark_predecessors
from search.tables.numbers import OFFSET, owner_of, pack, unpack

# What work_kernel() does with each position
SCAN, MARK, VALUE, CHECK, COUNTS = range(5)
_SCAN, _MARK, _VALUE, _CHECK = np.int64(SCAN), np.int64(MARK), np.int64(VALUE), np.int64(CHECK)
EVER = np.int64(1 << 30)  # a round after all others
INSIDE, MISSED = -1, -2  # instead of a code: the table that is made has the position; no table has it

# What work_kernel() reports, int64[REPORT]
HIGHEST, SETTLED, MISSING, WRONG, FIRST_WRONG = range(5)
WINS, DRAWS, LOSSES, LONGEST = 6, 8, 10, 12  # + colour of the side to move; longest win in plies
LONGEST_AT = 14
REPORT = 16


# What a position is


@jit
def possible(rules, pos):
    """Whether the position can be on the board: the side that is not to move is safe, and a throne is empty for a reason."""
    them = pos[TURN] ^ ONE
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
def usual(rules, pos):
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
def settled_code(own, index, ply):
    """The code of a number of the table that is made, 0 while it is not certain after round `ply`."""
    code = np.int64(own[index])
    return code if code <= ply + 1 else np.int64(0)


@jit
def en_passant_value(rules, atlas, table, pos, child, moves, report):
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
        code, _ = outside(rules, atlas, child, table)
        if code == MISSED:
            report[MISSING] += 1
        elif code == 0:
            draw = True
        elif code & 1:
            win = code + 1 if win == 0 else min(win, code + 1)
        else:
            loss = max(loss, code + 1)
    return win, loss, draw, others


@jit
def after_double_step(rules, atlas, table, own, pos, ply, report):
    """The code of a position with a passed square, 0 while open. Such positions have no number: en passant is played here.

    The other moves are those of the same position without the square.
    """
    moves = list_on_stack(rules.max_moves)
    child = row_on_stack(rules.words)
    win, loss, draw, others = en_passant_value(rules, atlas, table, pos, child, moves, report)
    if others:
        for word in rules.board_words:
            child[word] = pos[word]
        child[EP], child[CASTLING], child[TURN] = ZERO, ZERO, pos[TURN]
        child[ROYAL], child[MARKS] = pos[ROYAL], pos[MARKS]
        code = settled_code(own, pack(rules, atlas, table, 0, child), ply)
        if code == 0:
            draw = True
        elif code & 1:
            loss = max(loss, code)
        else:
            win = code if win == 0 else min(win, code)
    if win > ply + 1:
        report[HIGHEST] = max(report[HIGHEST], win)
        return np.int64(0)
    if win or draw:
        return win
    report[HIGHEST] = max(report[HIGHEST], loss)
    return loss


@jit
def value_of_moves(rules, atlas, table, own, pos, child, moves, ply, report):
    """(code of a position by all its moves, whether one of them leads to en passant); after round `ply`, open counts as draw.

    A position that is lost whatever open values turn out to be is none: one with an open move is 0.
    """
    code = decided(rules, pos)
    if code >= 0:
        return code, False
    n = generate(rules, pos, ALL_MOVES, moves)
    if n == ZERO:
        reason = over_without_moves(rules, pos, in_check(rules, pos, pos[TURN]))
        return np.int64(1 if reason <= LAST_LOSS else 0), False
    pieces = popcount(pos[WHITE] | pos[BLACK])
    win, loss, open_value, restless = np.int64(0), np.int64(0), False, False
    for i in range(n):
        move = U(moves[i])
        play_without_history(rules, pos, child, move)
        if child[EP]:
            restless = True
            code = after_double_step(rules, atlas, table, own, child, ply, report)
        elif stays(rules, child, move, pieces):
            code = np.int64(0) if ply < 0 else settled_code(own, pack(rules, atlas, table, 0, child), ply)
        else:
            code, index = outside(rules, atlas, child, table)
            if code == INSIDE:
                code = settled_code(own, index, ply)
            elif code == MISSED:
                report[MISSING] += 1
        if code <= 0:
            open_value = True
        elif code & 1:
            win = code + 1 if win == 0 else min(win, code + 1)
        else:
            loss = max(loss, code + 1)
    if win:
        return win, restless
    return np.int64(0) if open_value else loss, restless


@jit(forceinline=True)
def stays(rules, child, move, pieces):
    """Whether a move leaves the material as it is; `child` is the position after it."""
    if popcount(child[WHITE] | child[BLACK]) != pieces or kind_of(move) == K_PROMOTION:
        return False
    if rules.succession:
        return (move >> S_HAS_HEIR) & ONE == ZERO
    return True


@jit
def won_now(rules, atlas, table, own, pos, child, moves, ply, report):
    """Whether a move within the table leads to a position lost in `ply` plies."""
    n = generate(rules, pos, ALL_MOVES, moves)
    pieces = popcount(pos[WHITE] | pos[BLACK])
    for i in range(n):
        move = U(moves[i])
        play_without_history(rules, pos, child, move)
        if child[EP]:
            code = after_double_step(rules, atlas, table, own, child, ply, report)
            if code == ply + 1:
                return True
        elif stays(rules, child, move, pieces):
            if np.int64(own[pack(rules, atlas, table, 0, child)]) == ply + 1:
                return True
    return False


@jit
def lost_code(rules, atlas, table, own, pos, child, moves, ply, report):
    """The code of a position all whose moves lose by what is certain after round `ply`, 0 if one does not."""
    n = generate(rules, pos, ALL_MOVES, moves)
    pieces = popcount(pos[WHITE] | pos[BLACK])
    loss = np.int64(0)
    for i in range(n):
        move = U(moves[i])
        play_without_history(rules, pos, child, move)
        if child[EP]:
            code = after_double_step(rules, atlas, table, own, child, ply, report)
        elif stays(rules, child, move, pieces):
            code = settled_code(own, pack(rules, atlas, table, 0, child), ply)
        else:
            code, index = outside(rules, atlas, child, table)
            if code == INSIDE:
                code = settled_code(own, index, ply)
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
    for index in range(first, last):
        code = np.int64(own[index])
        if what == _SCAN:
            own[index], marks[index] = scan(rules, atlas, table, own, none, index, pos, child, moves, report)
        elif what == _CHECK:
            check(rules, atlas, table, own, none, index, pos, child, moves, report)
        elif what == _MARK:
            if code == ply + 1:
                unpack(rules, atlas, table, index, pos)
                mark_predecessors(rules, atlas, table, pos, child, marks)
                report[SETTLED] += 1
        elif what == _VALUE:
            if marks[index] != 0:
                marks[index] &= RESTLESS
                if code != none and (code == 0 or code > ply + 2):
                    unpack(rules, atlas, table, index, pos)
                    value = value_in_round(rules, atlas, table, own, code, pos, child, moves, ply, report)
                    if value:
                        own[index] = value
                        report[HIGHEST] = max(report[HIGHEST], value)
        elif code != none:
            unpack(rules, atlas, table, index, pos)
            count_value(rules, pos, index, code, report)


@jit
def is_position(rules, atlas, table, index, pos):
    """Write the position with that number into `pos`; returns whether there is one, and this is its only number."""
    return unpack(rules, atlas, table, index, pos) and pack(rules, atlas, table, 0, pos) == index and possible(rules, pos)


@jit
def scan(rules, atlas, table, own, none, index, pos, child, moves, report):
    """(code of a number by the moves that leave the table, its mark)."""
    if not is_position(rules, atlas, table, index, pos):
        return none, np.uint8(0)
    code, restless = value_of_moves(rules, atlas, table, own, pos, child, moves, np.int64(-1), report)
    report[HIGHEST] = max(report[HIGHEST], code)
    return code, RESTLESS if restless else np.uint8(0)


@jit
def value_in_round(rules, atlas, table, own, code, pos, child, moves, ply, report):
    """The new code of a marked position, 0 if it has none; code: its code so far."""
    if ply & 1 == 0:
        if won_now(rules, atlas, table, own, pos, child, moves, ply, report):
            return ply + 2
    elif code == 0:
        return lost_code(rules, atlas, table, own, pos, child, moves, ply, report)
    return np.int64(0)


@jit
def check(rules, atlas, table, own, none, index, pos, child, moves, report):
    """Compare a code with what the moves say."""
    expected = none
    if is_position(rules, atlas, table, index, pos):
        expected, _ = value_of_moves(rules, atlas, table, own, pos, child, moves, EVER, report)
        report[SETTLED] += 1
    if expected != np.int64(own[index]):
        if report[WRONG] == 0:
            report[FIRST_WRONG] = index
        report[WRONG] += 1


@jit
def count_value(rules, pos, index, code, report):
    """Add a position to the counts, unless no game comes to it."""
    if not usual(rules, pos):
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
    return is_position(rules, atlas, table, index, pos)


@entry
def find_kernel(rules, atlas, pos):
    """(table, or -1 if no table has its material; number) of a position, for Python."""
    owner = owner_of(rules, atlas, pos)
    if owner < 0:
        return np.int64(-1), np.int64(0)
    return owner >> 1, pack(rules, atlas, owner >> 1, owner & 1, pos)
