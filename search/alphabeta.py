"""Alpha-beta search and quiescence: one function that calls itself.

One thread's memory, all arrays, so that nothing is allocated while it runs:

    uint64 stack[ROWS, words]     positions; row ROOT is the root, the rows before it the game so far, KEY 0 where unknown
    int64 lists[PLIES, width]     a ply's principal variation, ended by 0, and from LISTED on its moves (ordering.py)
    int32 memo[...]               killers and histories (ordering.py)
    int64 state[STATE]            counters, limits, the stop word, the root's moves (below)

Scores are centipawns from the side to move; being mated now is -MATE. depth <= 0 is quiescence. One function serves both,
for recursion through two would be compiled twice and its cache entry would crash the next process (numba issue 6061).
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import entry, inline, jit
from engine.core.attackers import attackers, in_check, piece_targets, royals
from engine.core.bits import N63, ONE, ZERO, U, lowest, popcount, row_on_stack
from engine.core.ending import over_at_once, over_without_moves
from engine.core.legality import generate, play
from engine.core.mechanisms.succession import heirs
from engine.core.movegen import NOISY, QUIET
from engine.core.moves import K_DOUBLE, N15, S_TO, S_TYPE, kind_of
from engine.core.position import W_WHITE, make_null
from engine.core.reasons import LAST_LOSS, NOT_OVER
from engine.rules import BLACK, CLOCK, KEY, MAX_TYPES, TURN, TYPES, WHITE, Rules
from search import tt
from search.eval.bitboards import pawn_attacks
from search.eval.evaluate import static_value
from search.exchange import can_explode, exchange_holds, may_pass
from search.limits import MATE, MATE_IN_MAX
from search.ordering import (
    BAD,
    ENTRY_SHIFT,
    FROM_TABLE,
    GOOD,
    KILLER,
    MAX_PLY,
    MOVE_MASK,
    bring_best,
    corrected,
    has_table_move,
    is_noisy,
    learn_error,
    new_memo,
    quiet_history,
    reward,
    score_noisy,
    score_quiets,
)
from search.params import (
    DELTA_MARGIN,
    EXCHANGE_SLOPE,
    FUTILITY_BASE,
    FUTILITY_SLOPE,
    HISTORY_SLOPE,
    LMP_BASE,
    LMR_BASE,
    LMR_HISTORY,
    LMR_SCALE,
    NULL_BASE,
    NULL_EVAL,
    QUIET_SLOPE,
    RAZOR_BASE,
    RAZOR_SLOPE,
    RFP_DEPTH,
    RFP_MARGIN,
    SINGULAR_DEPTH,
    SINGULAR_DOUBLE,
    SINGULAR_MARGIN,
    THREAT_PLIES,
)

ROOT = 104  # rows of game before the root: after 100 plies without progress the game is drawn
ROWS = ROOT + MAX_PLY + 4
LISTED = MAX_PLY + 8

# state
STOP, NODES, NODE_LIMIT, SELDEPTH, AGE, ROOT_DEPTH, ROOT_COUNT, RESTRICTED = range(8)
ROOT_SCORE = 8  # of the line in lists[0], from its move's own search: also where the iteration was cut short
QUIET_ROOM, QUIET_CAP, QUIET_END = 9, 10, 11  # nodes of one quiescence; the count after which none goes on; where this one ends
VALUES = 16  # + ply: static value, UNKNOWN where there is none
PLAYED = VALUES + MAX_PLY + 4  # + ply: the move made there, 0 for a pass
EXCLUDED = PLAYED + MAX_PLY + 4  # + ply: the move not to be tried there, 0 for none
TWICE = EXCLUDED + MAX_PLY + 4  # + ply: how often the way there was extended by two plies
ROOT_MOVES = TWICE + MAX_PLY + 4  # + 2n: what to search at the root, in this order; + 2n + 1: nodes below it

_MATE, _WON = np.int64(MATE), np.int64(MATE_IN_MAX)
INFINITE = np.int64(MATE + 1)
UNKNOWN = np.int64(-MATE - 2)
_PLIES = np.int64(MAX_PLY)
_FIFTY = U(100)
SPARSE = U(5)
LOG = np.array([0] + [round(256 * float(np.log(n))) for n in range(1, 64)], np.int64)
_I0, _I1, _I2, _I3, _I4, _I63 = np.int64(0), np.int64(1), np.int64(2), np.int64(3), np.int64(4), np.int64(63)
_I65536, _I6553600 = np.int64(65536), np.int64(6553600)
PASS, DOUBT, MOVE = range(3)  # turns of the loop over moves
LOSING = BAD >> _I1  # orders below: captures that lose


def new_thread(rules: Rules) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(stack, lists, memo, state) of one thread."""
    most = rules.traits.max_moves
    width = (LISTED + most) // 16 * 16 + 24  # whole cache lines, an odd number: the rows' beginnings fall into different sets
    return (np.zeros((ROWS, rules.traits.words), np.uint64), np.zeros((MAX_PLY + 3, width), np.int64), new_memo(rules),
            np.zeros(ROOT_MOVES + 2 * most, np.int64))


@jit
def repeated(rules, stack, row):
    """Whether the position of a row stood on the board before: once since the root, or twice in all."""
    key = stack[row, KEY]
    reach = min(np.int64(stack[row, CLOCK]), row)
    times = 0
    back = np.int64(4)
    while back <= reach:
        if stack[row - back, KEY] == key:
            times += 1
            if row - back >= ROOT or times == 2:
                return True
        back += np.int64(2)
    return False


@jit
def drawn_material(rules, pos):
    """Kings and at most one piece that gives no mate alone: knight or bishop, by what the game calls them."""
    men = pos[WHITE] | pos[BLACK]
    if popcount(men) > U(3):
        return False
    for piece in rules.pieces:
        if not piece.royal and piece.letter not in "NB":
            if pos[piece.word]:
                return False
    return pos[TYPES] == ZERO


@jit
def king_in_danger(rules, pos, us, checked):
    """Whether the side to move would lose its royal piece if it passed: in check, or next to a capture that explodes it."""
    if checked:
        return True
    if rules.succession:
        own, enemy = pos[W_WHITE + us], pos[W_WHITE + (us ^ ONE)]
        king = pos[rules.king.word] & own
        if king and heirs(rules, pos, own) == ZERO:
            return attackers(rules, pos, lowest(king), own | enemy, enemy, us ^ ONE) != ZERO
    return can_explode(rules, pos, us ^ ONE)


@jit
def list_noisy(rules, pos, weights, memo, moves, table_move):
    """Fill a list with scored captures and promotions; returns how many."""
    count = generate(rules, pos, NOISY, moves)
    score_noisy(rules, pos, weights, memo, moves, count, table_move)
    return count


@jit
def find_check_squares(rules, pos, us, check_squares):
    """Fill check_squares[type] with the squares from which a man of that type gives check."""
    for word in rules.type_words:
        check_squares[word - TYPES] = ZERO
    them = us ^ ONE
    occupied = pos[WHITE] | pos[BLACK]
    left = royals(rules, pos) & pos[W_WHITE + them]
    while left:
        king = lowest(left)
        if rules.pawn:
            check_squares[0] |= pawn_attacks(rules, ONE << king, them)
        for piece in rules.pieces:
            if not piece.royal:
                check_squares[piece.index] |= piece_targets(rules, piece.index, them, king, occupied)
        left &= left - ONE


@inline
def gives_check(bits, check_squares):
    """Whether a quiet move puts its man on such a square. Discovered checks are not seen."""
    return kind_of(bits) <= K_DOUBLE and (check_squares[(bits >> S_TYPE) & N15] >> ((bits >> S_TO) & N63)) & ONE != ZERO


@jit
def list_quiets(rules, pos, memo, moves, count, table_move, last, former, ply):
    """Add the scored quiet moves after the first `count`; returns how many there are then."""
    more = generate(rules, pos, QUIET, moves[count:])
    score_quiets(rules, pos, memo, moves, count, more, table_move, last, former, ply)
    return count + more


@jit
def list_checks(rules, pos, memo, moves, count, check_squares, last, former, ply):
    """Add the scored quiet moves that give check after the first `count`; returns how many there are then."""
    more = generate(rules, pos, QUIET, moves[count:])
    kept = count
    i = count
    while i < count + more:
        if gives_check(U(moves[i]), check_squares):
            moves[kept] = moves[i]
            kept += ONE
        i += ONE
    score_quiets(rules, pos, memo, moves, count, kept - count, _I0, last, former, ply)
    return kept


@jit
def list_root(rules, state, moves):
    """Fill a list with the root's moves in the order given; returns how many."""
    for n in range(state[ROOT_COUNT]):
        moves[n] = ((GOOD - n) << ENTRY_SHIFT) | state[ROOT_MOVES + n + n]
    return U(state[ROOT_COUNT])


@inline
def reduction(p, depth, number):
    """Plies by which the move of that number, counted from one, is searched less deep before its history is asked; int64."""
    logs = LOG[min(depth, _I63)] * LOG[min(number, _I63)]
    return (logs * p[LMR_SCALE] + p[LMR_BASE] * _I65536) // _I6553600


@inline
def begin_quiescence(state):
    """Set where the quiescence that begins here ends at the latest."""
    state[QUIET_END] = min(state[NODES] + state[QUIET_ROOM], state[QUIET_CAP])


@inline
def count_root(state, move, nodes):
    """Add nodes to a root move."""
    for n in range(state[ROOT_COUNT]):
        if state[ROOT_MOVES + n + n] == move:
            state[ROOT_MOVES + n + n + 1] += nodes


@inline
def keep_line(lists, ply):
    """Append the next ply's line to this ply's best move."""
    n = 0
    while n < LISTED - 2 and lists[ply + 1, n] != 0:
        lists[ply, n + 1] = lists[ply + 1, n]
        n += 1
    lists[ply, n + 1] = 0


@entry
def search(rules, p, weights, table, stack, lists, memo, state, draws, ply, depth, alpha, beta, cut):
    """Score of stack[ROOT + ply], int64, within or beyond (alpha, beta); meaningless once state[STOP] is set.

    draws: int64, 1 where bare kings are a draw. cut: int64, 1 where a cut is expected.
    """
    # 1. The world outside: the stop word and the node limit, looked at in every node, for they share its cache line.
    if state[STOP] != 0:
        return _I0
    if state[NODES] >= state[NODE_LIMIT]:
        state[STOP] = 1
        return _I0
    state[NODES] += 1
    row = ROOT + ply
    pos, moves = stack[row], lists[ply, LISTED:]
    lists[ply, 0] = 0
    if ply > state[SELDEPTH]:
        state[SELDEPTH] = ply

    # 2. What the rules decide: an exploded king, draws. A mate on the hundredth ply still counts, so step 9 asks again.
    reason = over_at_once(rules, pos)
    if reason != NOT_OVER:
        return ply - _MATE if reason <= LAST_LOSS else _I0
    us = pos[TURN]
    checked = in_check(rules, pos, us)
    fifty = pos[CLOCK] >= _FIFTY and ply > 0
    if ply > 0:
        if (fifty and not checked) or repeated(rules, stack, row):
            return _I0
        if draws != 0 and drawn_material(rules, pos):
            return _I0
        # 3. Mate distance: nothing here can be better than mating now or worse than being mated now.
        alpha = max(alpha, ply - _MATE)
        beta = min(beta, _MATE - ply - _I1)
        if alpha >= beta:
            return alpha
    full = beta - alpha > 1
    if ply >= _PLIES:
        return static_value(rules, pos, weights)

    # 4. A capture that explodes the king ends the game. On the principal variation it is searched, to be shown.
    if not full:
        if can_explode(rules, pos, us):
            return _MATE - ply - _I1
    # In check the search goes on a ply deeper, so that quiescence starts from quiet ground.
    if checked and depth >= 0 and ply < 2 * state[ROOT_DEPTH] and state[NODES] <= state[QUIET_CAP]:
        depth += _I1
    quiescent = depth <= 0
    # Where both sides have many pieces en prise quiescence would not end: it has room for so many nodes, then takes stock.
    if quiescent:
        if depth == 0:
            begin_quiescence(state)
        if state[NODES] > state[QUIET_END]:
            return static_value(rules, pos, weights)
    danger = checked
    if not quiescent or depth > -p[THREAT_PLIES]:
        danger = king_in_danger(rules, pos, us, checked)

    # 5. What the table knows.
    key = pos[KEY]
    excluded = state[EXCLUDED + ply]
    first, data = tt.probe(table, key)
    table_move, table_score, table_bound, table_depth = _I0, _I0, np.int64(tt.NO_BOUND), -_I1
    if data != ZERO and not fifty:
        table_move = tt.move_of(data)
        table_score, table_bound, table_depth = tt.score_of(data, ply), tt.bound_of(data), tt.depth_of(data)
        if not full and table_depth >= depth and pos[CLOCK] < U(90) and excluded == 0:
            if table_bound == tt.EXACT or (table_bound == tt.LOWER and table_score >= beta) or (
                    table_bound == tt.UPPER and table_score <= alpha):
                return table_score

    # 6. A static value, where the king is not in danger: else it means nothing.
    best = -INFINITE
    value, raw = UNKNOWN, tt.NO_VALUE
    improving = False
    last, former = _I0, _I0
    if ply > 0:
        last = state[PLAYED + ply - 1]
    if ply > 1:
        former = state[PLAYED + ply - 2]
    if not danger:
        if data != ZERO:
            raw = tt.value_of(first)
        if raw == tt.NO_VALUE:
            raw = static_value(rules, pos, weights)
        value = corrected(rules, pos, memo, raw)
        if ply > 1:
            improving = value > state[VALUES + ply - 2]
    state[VALUES + ply] = value
    known = value  # the same, the better for what a search of this position found
    if not danger and table_depth >= 0 and abs(table_score) < _WON:
        if table_bound == tt.EXACT or (table_bound == tt.LOWER and table_score > value) or (
                table_bound == tt.UPPER and table_score < value):
            known = table_score

    # With hardly a man left every quiet move may be the beginning of a mate, and only mates count.
    crowded = popcount(pos[WHITE] | pos[BLACK]) > SPARSE
    pruning = not full and not danger and excluded == 0 and (crowded or abs(beta) < _WON)
    if quiescent:
        # 7. Quiescence: nobody is forced to capture, so the static value is a lower bound.
        if not danger:
            best = known
            if best >= beta:
                return best
            alpha = max(alpha, best)
    # 8a. Reverse futility: so far above beta that the depth left will not spoil it.
    elif pruning and depth <= p[RFP_DEPTH]:
        if known - p[RFP_MARGIN] * (depth - improving) >= beta:
            return (known + beta) >> _I1 if abs(beta) < _WON else known
        # Razoring: so far below alpha that only captures can help.
        if depth <= 3 and known + p[RAZOR_BASE] + p[RAZOR_SLOPE] * depth * depth <= alpha:
            depth, quiescent = _I0, True
            best = known
            begin_quiescence(state)
    # 8b. Null move: if passing still fails high, a move will. Tried as the first turn of the loop below, see there.
    passing = False
    if pruning and not quiescent and last != 0 and depth >= 3 and known >= beta:
        passing = may_pass(rules, pos, us)
    # 8c. No move from the table: a search a ply shallower finds one for the next time.
    if depth >= 4 and table_move == 0 and not passing and (full or cut != 0):
        depth -= _I1
    # 8d. The table's move may be the only good one: the others are searched less deep, below its score. If all stay there it
    # is searched a ply deeper; if one beats even beta, so would another, and there is a cut. Likewise a turn of the loop.
    doubting = False
    extension, doubt = _I0, _I0
    if not quiescent and ply > 0 and excluded == 0 and depth >= p[SINGULAR_DEPTH] and table_move != 0 and (
            table_depth >= depth - _I3) and table_bound != tt.UPPER and abs(table_score) < _WON and ply < 2 * state[ROOT_DEPTH]:
        doubting = True
        doubt = table_score - (depth * p[SINGULAR_MARGIN] >> _I4)

    # 9. The moves, in stages: the list grows by the quiet ones when the good captures are used up.
    everything = not quiescent or danger
    # Quiescence begins with quiet moves that check, too.
    check_squares = row_on_stack(MAX_TYPES)
    squares_known, checks_too = False, False
    if rules.royal_safety:
        checks_too = quiescent and depth == 0 and not danger
    count, listed, all_listed = ZERO, False, False
    old_alpha = alpha
    best_move = _I0
    i = ZERO
    searched = _I0
    skip_quiets, want_quiets = False, False
    lmp = (p[LMP_BASE] + depth * depth) >> (_I0 if improving else _I1)
    child = stack[row + 1]
    while True:
        less, target_cut, upper = _I0, _I1, alpha + _I1
        next_ply = ply + _I1
        turn = PASS if passing else DOUBT if doubting else MOVE
        if turn == PASS:
            make_null(rules, pos, child)
            less = p[NULL_BASE] + (depth >> _I2) + min((value - beta) // p[NULL_EVAL], _I3) - _I1
            less = min(less, depth - _I1)
            upper = beta
            target_cut = _I1 - cut
            move, noisy = _I0, False
        elif turn == DOUBT:
            next_ply, move, noisy = ply, table_move, False
            less = depth - _I1 - ((depth - _I1) >> _I1)
            upper = doubt
            target_cut = cut
        else:
            if not listed:
                listed = True
                if ply == 0:
                    count, all_listed = list_root(rules, state, moves), True
                else:
                    count = list_noisy(rules, pos, weights, memo, moves, table_move)
                    all_listed = not everything and not checks_too
                if everything and table_move != 0 and (count == ZERO or not has_table_move(moves, count)):
                    want_quiets = True
            if want_quiets or (i >= count and not all_listed and not skip_quiets):
                want_quiets = False
                if not all_listed:
                    all_listed = True
                    if everything:
                        count = list_quiets(rules, pos, memo, moves, count, table_move, last, former, ply)
                    elif rules.royal_safety:
                        find_check_squares(rules, pos, us, check_squares)
                        count = list_checks(rules, pos, memo, moves, count, check_squares, last, former, ply)
            if i >= count:
                break
            picked = bring_best(moves, i, count)
            order = picked >> ENTRY_SHIFT
            move = picked & MOVE_MASK
            loses = order < LOSING
            if loses and not all_listed and not skip_quiets:
                want_quiets = True
                continue
            if fifty:
                return _I0  # in check but not mated
            if move == excluded:
                i += ONE
                continue
            bits = U(move)
            noisy = is_noisy(pos, move)
            if ply > 0:
                prunable = best > -_WON and not danger
                least = -INFINITE
                if noisy:
                    # 10a. An exchange is played out when its turn comes: captures that only looked good go back into
                    # the list, losing ones are not tried at low depth.
                    if order >= GOOD and order < FROM_TABLE and not rules.captures_explode:
                        least = _I0
                    # In quiescence none that loses is tried, nor one that wins too little to reach alpha.
                    if quiescent and prunable:
                        if loses:
                            break
                        if order < FROM_TABLE:
                            least = max(least, alpha - known - p[DELTA_MARGIN])
                    elif loses and depth <= 5 and prunable and not full:
                        least = -p[EXCHANGE_SLOPE] * depth
                    if least > -INFINITE and not exchange_holds(rules, pos, bits, least, weights):
                        if order >= GOOD and not (quiescent and prunable):
                            moves[i] = ((BAD + (order - GOOD)) << ENTRY_SHIFT) | move
                        else:
                            i += ONE
                        continue
                elif quiescent and prunable:
                    if not exchange_holds(rules, pos, bits, _I0, weights):
                        i += ONE
                        continue
                elif prunable and crowded and not full and order < KILLER:
                    # 10b. Late quiet moves are not tried at low depth: one of many, or all hopelessly below alpha. Checks are.
                    # Low is the depth they would be searched to.
                    reduced = depth
                    if depth >= 3 and searched > 1:
                        reduced = max(_I1, depth - reduction(p, depth, searched + _I1))
                    if (depth <= 8 and searched >= lmp) or (
                            reduced <= 6 and known + p[FUTILITY_BASE] + p[FUTILITY_SLOPE] * reduced <= alpha):
                        skip_quiets = True
                    if skip_quiets or (reduced <= 5 and order < -p[HISTORY_SLOPE] * reduced):
                        checking = False
                        if rules.royal_safety:
                            if not squares_known:
                                squares_known = True
                                find_check_squares(rules, pos, us, check_squares)
                            checking = gives_check(bits, check_squares)
                        if not checking:
                            i += ONE
                            continue
                    # 10c. Nor such as lose the man they move.
                    if not rules.captures_explode and reduced <= 7 and kind_of(bits) <= K_DOUBLE:
                        if not exchange_holds(rules, pos, bits, -p[QUIET_SLOPE] * reduced, weights):
                            i += ONE
                            continue
            play(rules, pos, child, bits)
            tt.prefetch(table, child[KEY])
            searched += _I1
            i += ONE
            if move == table_move:
                less = -extension
            # 11. Late moves are searched less deep at first.
            if searched > 1:
                if depth >= 3 and searched > 2 and (not noisy or loses):
                    less = reduction(p, depth, searched)
                    if not noisy:
                        less -= (quiet_history(rules, memo, us, move, last, former) + (p[LMR_HISTORY] >> 1)) // p[LMR_HISTORY]
                    less += cut - full - (order >= KILLER) - danger + (not improving)
                    less = max(_I0, min(less, depth - _I2))
            else:
                upper = beta
                target_cut = _I0 if full else _I1 - cut
        # Every deeper search starts from this one call, for each place that recurs is typed anew: the pass, the late
        # move's reduced search, the same at full depth, and with the full window if it beats alpha after all.
        state[PLAYED + ply] = move
        before = state[NODES]
        lower = beta - _I1 if turn == PASS else alpha
        if turn == DOUBT:
            state[PLAYED + ply], state[EXCLUDED + ply] = _I0, move
            lower, upper = -doubt, _I1 - doubt  # seen from the other side, for it is the same position
        else:
            state[EXCLUDED + next_ply] = _I0
            state[TWICE + next_ply] = state[TWICE + ply] + np.int64(less < -_I1)
        while True:
            score = -search(rules, p, weights, table, stack, lists, memo, state, draws, next_ply, depth - _I1 - less,
                            -upper, -lower, target_cut)
            if state[STOP] != 0:
                return _I0
            if score <= lower or turn != MOVE:
                break
            if less > 0:
                less, target_cut = _I0, _I1 - cut
            elif upper < beta:
                upper, target_cut = beta, _I0
            else:
                break
        if turn == PASS:
            if score >= beta:
                return score if score < _WON else beta
            passing = False
            continue
        if turn == DOUBT:
            state[EXCLUDED + ply] = _I0
            doubting = False
            score = -score
            if score < doubt:
                extension = _I1
                if not full and score < doubt - p[SINGULAR_DOUBLE] and state[TWICE + ply] < 6:
                    extension = _I2
            elif doubt >= beta:
                return doubt
            elif table_score >= beta:
                extension = -_I1
            continue
        if ply == 0:
            count_root(state, move, state[NODES] - before)
        if score > best:
            best = score
            if score > alpha:
                best_move = move
                if full:
                    lists[ply, 0] = move
                    keep_line(lists, ply)
                    if ply == 0:
                        state[ROOT_SCORE] = score
                if score >= beta:
                    if not quiescent:
                        reward(rules, pos, memo, moves, i, move, noisy, last, former, ply, depth)
                    break
                alpha = score

    # 12. No move at all: mated or stalemate. In quiescence that is only known where every move was listed.
    if searched == 0 and everything and all_listed and count == ZERO:
        return ply - _MATE if over_without_moves(rules, pos, checked) <= LAST_LOSS else _I0

    if searched == 0 and excluded != 0:
        return alpha

    # 13. Remember.
    if (ply > 0 or state[RESTRICTED] == 0) and excluded == 0:
        bound = tt.LOWER if best >= beta else tt.EXACT if best > old_alpha and full else tt.UPPER
        if not danger and not quiescent and abs(best) < _WON:
            if best_move == 0 or not is_noisy(pos, best_move):
                if not (bound == tt.LOWER and best <= value) and not (bound == tt.UPPER and best >= value):
                    learn_error(rules, pos, memo, best - value, depth)
        tt.store(table, key, state[AGE], best_move, best, max(depth, _I0), np.int64(bound), ply, raw)
    return best
