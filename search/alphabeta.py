"""Alpha-beta search and quiescence: one function that calls itself.

Scores are centipawns from the side to move, int64; being mated now is -MATE. depth <= 0 is quiescence. One function serves
both: recursion through two would be compiled twice, and its cache entry would crash the next process (numba issue 6061).

Each step says what it was measured to be worth: Elo in chess with its 95 % error, from docs/experiments.md. Measured together:

    A   singular extensions, histories of captures and of pairs of moves, correction history, pruning by history and by
        exchange, static evaluations in the table: +140 ± 60 (120 games, 1+0.01)
    B   checks in quiescence and exempt from pruning, pruning while a mate is known, new features of the evaluation:
        +47 ± 51 (120 games, 0.5+0.01); the features alone +14 ± 51
    C   pairs of moves up to six plies apart; learning from table moves, from evaluations and from nodes without a good move;
        the conditions of the null move and its value; moves counted whether searched or not; reductions of captures, and fewer
        near principal variations; few captures in quiescence; root moves in the order of the others: +98 ± 88 (40 games at
        60,000 nodes)
"""

from __future__ import annotations

import numpy as np

from engine.compile.jit import entry, inline, jit
from engine.core.attackers import attackers, in_check
from engine.core.bits import ONE, ZERO, U, lowest, popcount, row_on_stack
from engine.core.ending import over_without_moves
from engine.core.legality import over_at_once, play
from engine.core.mechanisms.forced_captures import forced_replies
from engine.core.mechanisms.succession import heirs
from engine.core.position import W_WHITE, make_null
from engine.core.reasons import LAST_LOSS, LAST_WIN, NOT_OVER
from engine.rules import BLACK, KEY, TURN, WHITE
from search import tt
from search.decisive import can_decide, is_threatened
from search.draws import is_draw, progress_limit_reached
from search.eval.evaluate import prepare_value, static_value
from search.exchange import has_officers, null_move_allowed
from search.forcing import FORCING
from search.histories import (
    ENTRY_SHIFT,
    KILLERS,
    MOVE_MASK,
    correction_slots,
    is_noisy,
    learn_from_evals,
    pair_row,
    update_correction,
)
from search.learning import earlier_rows, learn_from_moves, learn_from_table
from search.limits import MATE, MATE_IN_MAX, MAX_PLY
from search.params import (
    CHECK_EXTENSION,
    DECIDED,
    FEW_PIECES,
    IIR_DEPTH,
    IIR_PLIES,
    LMR_DEPTH,
    LMR_MOVES,
    PV_PRUNING,
    QUIET_CHECKS,
    REPLY_EXTENSION,
    THREAT_PLIES,
)
from search.picker import (
    AT,
    LOOKED_AT,
    NO_ENTRY,
    PICKER,
    SKIP_QUIETS,
    has_no_moves,
    next_entry,
    skip_entry,
    skip_quiets,
    start_picker,
)
from search.pruning import (
    PLAY,
    SKIP,
    evaluate,
    is_correctable,
    judge_move,
    late_move_reduction,
    look_up,
    may_be_singular,
    may_pass,
    most_moves,
    null_move_depth,
    reverse_futility,
    singular_beta_of,
    singular_extension,
    table_cuts,
)
from search.state import (
    AGE,
    DOUBLE_EXTENSIONS,
    EXCLUDED,
    INFINITE,
    MOVE_LIST,
    NO_STATIC_EVAL,
    NODE_LIMIT,
    NODES,
    NULL,
    ON_PV,
    PAIR_ROWS,
    PLAYED,
    QSEARCH_BUDGET,
    QSEARCH_CAP,
    QSEARCH_END,
    QUIET,
    RESTRICTED,
    ROOT,
    ROOT_COUNT,
    ROOT_DEPTH,
    ROOT_MOVES,
    ROOT_SCORE,
    SELDEPTH,
    STATIC_EVALS,
    STOP,
    TABLE_HITS,
    TRIED,
    Node,
)
from search.tables.tree import UNKNOWN_SCORE, table_score

NULL_MOVE, SINGULAR, MOVES = range(3)  # what the loop over moves tries
NO_MOVE = 0
TWO, EARLY = U(2), U(5)  # at the root two more moves are not reduced; an early move may be searched a ply deeper
CLEAR = 65  # centipawns above beta from which a best move is rewarded as that of a deeper node
SHALLOW = 3  # up to this depth a node does not change what belongs to principal variations, plies


@entry
def search(rules, thread, draws, ply, depth, alpha, beta, cut_node):
    """Fail-soft score of stack[ROOT + ply], int64; meaningless once state[STOP] is set.

    thread: ThreadData. All others int64; draws: 1 if too little material is a draw; cut_node: 1 if a fail-high is expected.
    """
    p, stack, lists, state = thread.p, thread.stack, thread.lists, thread.state
    # 1. Limits: checked at every node, which is cheap, because the words share a cache line.
    if state[STOP] != 0 or out_of_nodes(state):
        return 0
    enter_node(state, lists, ply)
    row = ROOT + ply
    pos, child, moves = stack[row], stack[row + 1], lists[ply, MOVE_LIST:]

    # 2. What the rules decide: a king that is gone, draws. A mate on the hundredth ply still counts: in check, the fifty-move
    # rule waits until step 10 has found a legal move.
    reason = over_at_once(rules, pos)
    if reason != NOT_OVER:
        return final_score(rules, reason, ply)
    us = pos[TURN]
    checked = in_check(rules, pos, us)
    fifty = ply > 0 and progress_limit_reached(rules, pos)
    if ply > 0:
        if (fifty and not checked) or is_draw(rules, stack, row, draws):
            return 0
        # 3. Mate distance: nothing here can be better than mating now or worse than being mated now. Not measured alone.
        alpha = max(alpha, ply - MATE)
        beta = min(beta, MATE - ply - 1)
        if alpha >= beta:
            return alpha
        # 3a. Tables of endings. Without any, a comparison.
        exact = table_score(rules, thread.tables, pos, ply)
        if exact != UNKNOWN_SCORE:
            state[TABLE_HITS] += 1
            return exact
    slots = correction_slots(rules, pos, thread.histories)  # early, for step 7: a tenth more nodes per second
    pv_node = beta - alpha > 1
    if ply >= MAX_PLY:
        return static_value(rules, stack, row, thread.weights, thread.net)

    # 4. A capture that explodes the king, a step onto the goal and the last check end the game. In the principal variation they
    # are searched, to be shown. The goal in kingofthehill: +147 ± 66, together with its threat in step 5.
    if not pv_node and not fifty and can_decide(rules, pos, us, moves):
        return MATE - ply - 1

    # 5. Check extension: quiescence starts from positions without check. Chess does without: +42 ± 60. With few pieces any
    # check may lead to mate: without it two bishops did not win 3 of 50 positions.
    # The only capture, where captures are forced. In antichess, against Fairy-Stockfish: -205 ± 76 before, -147 ± 69 after.
    many_pieces = popcount(pos[WHITE] | pos[BLACK]) > U(p[FEW_PIECES])
    depth += extension_of(rules, thread, pos, ply, depth, checked, many_pieces)
    quiescent = depth <= 0
    if quiescent:
        if depth == 0:
            begin_quiescence(state)
        if state[NODES] > state[QSEARCH_END]:  # with many pieces en prise on both sides it would not end
            return static_value(rules, stack, row, thread.weights, thread.net)
    in_danger = checked
    if not quiescent or depth > -p[THREAT_PLIES]:
        in_danger = king_in_danger(rules, pos, us, checked, child, moves)

    # 6. The transposition table. Static evaluations in it: group A. Its entry is still on the way from memory, so what step 7
    # needs, unless the entry ends the node, is computed first: 7 % more nodes per second.
    last = state[PLAYED + ply - 1] if ply > 0 else 0
    passed = last == NULL
    prev_move = 0 if passed else last
    if not in_danger and not passed:
        prepare_value(rules, stack, row, thread.net)
    excluded = state[EXCLUDED + ply]
    rows = earlier_rows(state, ply, in_danger)
    hit = look_up(thread.table, pos[KEY], ply, not fifty)
    if not pv_node and excluded == 0 and table_cuts(rules, p, hit, pos, depth_in_table(depth, in_danger), alpha, beta):
        if not quiescent and hit.move != 0:
            learn_from_table(rules, thread, pos, us, ply, depth, prev_move, rows, hit, beta)
        return hit.score
    if not quiescent and excluded == 0:
        state[ON_PV + ply] = 1 if pv_node else hit.on_pv
    on_pv = not quiescent and state[ON_PV + ply] != 0

    # 7. Static evaluation, unless the king is in danger: then it means nothing. Correction history: group A. When it was used
    # in known endings, too, a queen failed to mate a bare king in 50 moves.
    raw_eval, static_eval, refined_eval, improving = evaluate(rules, thread, ply, hit, in_danger, passed, slots)
    if excluded != 0:
        refined_eval = static_eval  # the table's score is that of the move left out

    best = -INFINITE
    # With few pieces no node is pruned near a mate. Where a game is decided only a mate counts: in chess, mates are seen
    # with a quarter fewer nodes.
    only_mates = abs(beta) >= p[DECIDED] or (not many_pieces and abs(beta) >= MATE_IN_MAX)
    pruning = not pv_node and not in_danger and not only_mates
    if quiescent:
        # 8. Stand pat: nobody is forced to capture, so the static evaluation is a lower bound.
        if not in_danger:
            best = refined_eval
            if best >= beta:
                if hit.known == 0:
                    tt.store(thread.table, pos[KEY], state[AGE], 0, best, tt.ONLY_EVAL, tt.LOWER, ply, raw_eval, 0)
                return best
            alpha = max(alpha, best)
    elif not in_danger:
        if hit.known == 0 and excluded == 0:
            tt.store(thread.table, pos[KEY], state[AGE], 0, 0, tt.ONLY_EVAL, tt.NO_BOUND, ply, raw_eval, state[ON_PV + ply])
        if prev_move != 0 and state[QUIET + ply - 1] != 0 and state[STATIC_EVALS + ply - 1] != NO_STATIC_EVAL:
            learn_from_evals(thread.histories, us, prev_move, (state[STATIC_EVALS + ply - 1] + static_eval) * depth)
        # 9a. Reverse futility. Not measured alone; rfp_margin 85 instead of 110: +8 ± 32.
        if pruning and reverse_futility(p, depth, refined_eval, improving, beta):
            return refined_eval
    # 9b. Internal iterative reduction: a shallower search finds a move for the table. Not measured alone.
    if pv_node and not in_danger and depth >= p[IIR_DEPTH] and hit.move == 0:
        depth -= p[IIR_PLIES]

    evading = checked and rules.royal_safety and not rules.captures_explode
    prunable = not quiescent and ply > 0 and many_pieces and (evading or not in_danger) and has_officers(rules, pos, us)
    if pv_node and p[PV_PRUNING] == 0:
        prunable = False
    node = Node(pos, us, ply, depth, pv_node, cut_node, on_pv, in_danger, evading, quiescent, improving, prunable, static_eval,
                refined_eval, prev_move, rows, hit.move, excluded, row_on_stack(FORCING))
    # 9c. Null move: if passing fails high, a move will, too. Tried in the loop below. Not measured alone; before the singular
    # search instead of in its window: +26 ± 47; its conditions (null_margin): +39 ± 32.
    trying_null = False
    if pruning and not quiescent and prev_move != 0 and excluded == 0 and may_pass(p, node, beta):
        trying_null = null_move_allowed(rules, pos, us)
    picker = row_on_stack(PICKER)
    # Quiescence begins with quiet checks: group B.
    start_picker(picker, rules.royal_safety and quiescent and depth > -p[QUIET_CHECKS] and not in_danger)
    # 9d. Singular extension: is the table's move the only good one? Also tried in the loop. Group A.
    trying_singular = may_be_singular(p, state, node, hit)
    singular_beta, extension = singular_beta_of(p, hit, depth), 0
    table_captures = hit.move != 0 and is_noisy(pos, hit.move)

    # 10. The loop over moves. The null move and the singular search are its first iterations, so that the function calls itself
    # in one place only: a second call would be typed and compiled again.
    old_alpha = alpha
    best_move, searched = 0, 0
    if not quiescent:
        forget_killers(thread.refutations, ply + 2)
    while True:
        trial = NULL_MOVE if trying_null else SINGULAR if trying_singular else MOVES
        child_ply, child_cut, new_depth = ply + 1, 1, depth - 1
        reduction = 0
        lower, upper = alpha, alpha + 1
        if trial == NULL_MOVE:
            make_null(rules, pos, child)
            tt.prefetch(thread.table, child[KEY])
            move, noisy = 0, False
            new_depth = null_move_depth(p, depth, refined_eval - beta)
            lower, upper, child_cut = beta - 1, beta, 1 - cut_node
            prepare_child(state, ply, NULL, 0, 0, False, False)
        elif trial == SINGULAR:  # the same position, so the window is seen from the other side
            move, noisy = hit.move, False
            new_depth = (depth - 1) >> 1
            lower, upper, child_cut, child_ply = -singular_beta, 1 - singular_beta, cut_node, ply
            state[EXCLUDED + ply] = move
        else:
            # 11. Is a move worth a search? By exchange and by history: group A. Delta, futility and late move pruning: not
            # measured alone. Exempting checks: group B. In principal variations: +33 ± 33; in ascending -197 ± 59.
            move, noisy, best = next_move(rules, thread, node, picker, moves, best, alpha)
            if move == NO_MOVE:
                break
            if fifty:
                return 0  # in check but not mated
            play(rules, pos, child, U(move))
            tt.prefetch(thread.table, child[KEY])  # with huge pages: 1.85 to 1.99 million nodes per second
            picker[AT] += ONE
            searched += 1
            extended = extension if move == hit.move else 0
            new_depth += extended
            if quiescent:
                lower, upper = alpha, beta
            elif searched == 1:
                upper, child_cut = beta, 0 if pv_node else 1 - cut_node
            # Late move reduction. Not measured alone; a ply more of quiet moves where a cutoff is expected: +25 ± 33.
            elif depth >= p[LMR_DEPTH] and picker[LOOKED_AT] > U(p[LMR_MOVES]) + U(ply == 0) * TWO and (
                    not noisy or cut_node != 0 or not on_pv):
                reduction = late_move_reduction(rules, thread, node, picker, move, noisy, table_captures)
                deeper = reduction < -1 and picker[LOOKED_AT] <= EARLY and extended < 2
                reduction = max(min(reduction, new_depth - 1), np.int64(-1) if deeper else np.int64(0))
            else:
                child_cut = 1 - cut_node
            prepare_child(state, ply, move, pair_row(rules, us, move), picker[LOOKED_AT], noisy, extended > 1)

        # Principal variation search: a late move's reduced search, the same at full depth, and with the full window if it beats
        # alpha after all.
        nodes_before = state[NODES]
        while True:
            score = -search(rules, thread, draws, child_ply, new_depth - reduction, -upper, -lower, child_cut)
            if state[STOP] != 0:
                return 0
            if score <= lower or trial != MOVES:
                break
            if reduction > 0:
                reduction, child_cut = 0, 1 - cut_node
            elif upper < beta and (score < beta or ply == 0):
                upper, child_cut, reduction = beta, 0, 0
            else:
                break

        if trial == NULL_MOVE:
            if score >= beta:
                return score if score < MATE_IN_MAX else beta
            trying_null = False
            continue
        if trial == SINGULAR:
            state[EXCLUDED + ply] = 0
            score = -score
            if score >= singular_beta and singular_beta >= beta:
                return singular_beta  # another move fails high, too
            extension = singular_extension(p, state, node, score, singular_beta)
            trying_singular = False
            continue
        if ply == 0:
            count_root_nodes(state, move, state[NODES] - nodes_before)
        if score > best:
            best = score
            if score > alpha:
                best_move = move
                if pv_node:
                    update_pv(state, lists, ply, move, score)
                if score >= beta:
                    break
                alpha = score

    # 12. No move at all: mate or stalemate. No move besides the excluded one: it is singular.
    if has_no_moves(node, picker):
        return final_score(rules, over_without_moves(rules, pos, checked), ply)
    if searched == 0 and excluded != 0:
        return alpha

    # 13. Learn from the best move, or, if there is none, from the one before. Store the result, and the error of the static
    # evaluation that it shows.
    if not quiescent:
        learn_from_moves(rules, thread, node, picker, moves, best_move, best > beta + CLEAR)
        update_on_pv(state, ply, depth, best_move != 0)
    if excluded == 0 and (ply > 0 or state[RESTRICTED] == 0):
        bound = tt.LOWER if best >= beta else tt.EXACT if best > old_alpha and pv_node else tt.UPPER
        store_result(rules, thread, node, slots, best_move, best, bound, raw_eval, hit)
    return best


# Steps of the search


@inline
def out_of_nodes(state):
    """Whether the limit of nodes is reached; then the search stops."""
    if state[NODES] < state[NODE_LIMIT]:
        return False
    state[STOP] = 1
    return True


@inline
def enter_node(state, lists, ply):
    """Count a node and begin its line."""
    state[NODES] += 1
    lists[ply, 0] = 0
    if ply > state[SELDEPTH]:
        state[SELDEPTH] = ply


@jit
def final_score(rules, reason, ply):
    """The score of a game that is over, int64."""
    if reason <= LAST_LOSS:
        return ply - MATE
    if rules.wins_at_once:
        if reason <= LAST_WIN:
            return MATE - ply
    return 0


@jit(forceinline=True)
def extension_of(rules, thread, pos, ply, depth, checked, many_pieces):
    """Plies by which a node is searched deeper, int64: in check, or if it has one move, a capture, and captures are forced."""
    p, state = thread.p, thread.state
    plies = 0
    if depth >= 0 and ply < 2 * state[ROOT_DEPTH] and state[NODES] <= state[QSEARCH_CAP]:
        if checked:
            plies += p[CHECK_EXTENSION] if many_pieces else 1
        if rules.captures_forced:
            if ply > 0 and forced_replies(rules, pos) == ONE:
                plies += p[REPLY_EXTENSION]
    return plies


@jit
def king_in_danger(rules, pos, us, checked, child, moves):
    """Whether the side to move would lose its royal piece or the game if it passed, or cannot pass; bool.

    By check, by a capture that explodes it, by the other king's step onto its goal, by the last check, or if it must capture:
    then no static value says anything. child, moves: room for a position and a list.
    """
    if checked:
        return True
    if rules.captures_forced:
        return forced_replies(rules, pos) != ZERO
    if rules.succession:
        own, enemy = pos[W_WHITE + us], pos[W_WHITE + (us ^ ONE)]
        king = pos[rules.king.word] & own
        if king and heirs(rules, pos, own) == ZERO:
            return attackers(rules, pos, lowest(king), own | enemy, enemy, us ^ ONE) != ZERO
    return is_threatened(rules, pos, us, child, moves)


@inline
def begin_quiescence(state):
    """Set the node count that ends the quiescence that begins here."""
    state[QSEARCH_END] = min(state[NODES] + state[QSEARCH_BUDGET], state[QSEARCH_CAP])


@jit(forceinline=True)
def next_move(rules, thread, node, picker, moves, best, alpha):
    """(move, whether it is noisy, best): the next move worth a search, at moves[picker[AT]]; NO_MOVE if none is.

    best, alpha: scores so far; what is left out may raise the first.
    """
    while True:
        if node.prunable and not node.in_danger and picker[SKIP_QUIETS] == ZERO and best > -MATE_IN_MAX:
            if np.int64(picker[LOOKED_AT]) >= most_moves(thread.p, node):
                skip_quiets(rules, thread, node, picker, moves)
        entry = next_entry(rules, thread, node, picker, moves)
        if entry == NO_ENTRY:
            return NO_MOVE, False, best
        move, order = entry & MOVE_MASK, entry >> ENTRY_SHIFT
        verdict, noisy = SKIP, False
        if move != node.excluded:
            noisy = is_noisy(node.pos, move)
            verdict, best = judge_move(rules, thread, node, picker, moves, move, noisy, order, best, alpha)
        if verdict == PLAY:
            return move, noisy, best
        if verdict == SKIP:
            skip_entry(picker, moves)


@inline
def forget_killers(refutations, ply):
    """The killers of the grandchildren are those of siblings only."""
    refutations[KILLERS + 2 * ply] = refutations[KILLERS + 2 * ply + 1] = 0


@inline
def prepare_child(state, ply, move, row, tried, noisy, doubled):
    """Note how the search gets to the next ply. row: of the pairs with the move; doubled: it is extended by two plies."""
    state[PLAYED + ply], state[PAIR_ROWS + ply] = move, row
    state[TRIED + ply], state[QUIET + ply] = tried, not noisy
    state[EXCLUDED + ply + 1], state[ON_PV + ply + 1] = 0, 0
    state[DOUBLE_EXTENSIONS + ply + 1] = state[DOUBLE_EXTENSIONS + ply] + doubled


@inline
def count_root_nodes(state, move, nodes):
    """Add nodes to those of a root move."""
    for n in range(state[ROOT_COUNT]):
        if state[ROOT_MOVES + 2 * n] == move:
            state[ROOT_MOVES + 2 * n + 1] += nodes


@inline
def update_pv(state, lists, ply, move, score):
    """Make the principal variation of a ply: its best move and the next ply's line."""
    lists[ply, 0] = move
    n = 0
    while n < MOVE_LIST - 2 and lists[ply + 1, n] != 0:
        lists[ply, n + 1] = lists[ply + 1, n]
        n += 1
    lists[ply, n + 1] = 0
    if ply == 0:
        state[ROOT_SCORE] = score


@inline
def update_on_pv(state, ply, depth, has_best):
    """Whether a node belongs to a principal variation: without a good move, if the node before does; else if the next does."""
    if depth > SHALLOW:
        if has_best:
            state[ON_PV + ply] &= state[ON_PV + ply + 1]
        elif ply > 0:
            state[ON_PV + ply] |= state[ON_PV + ply - 1]


@inline
def depth_in_table(depth, in_danger):
    """Depth of a node as the table knows it: in quiescence 0, or -1 where it leaves out quiet checks."""
    return max(depth, 0 if in_danger else -1)


@jit(forceinline=True)
def store_result(rules, thread, node, slots, best_move, best, bound, raw_eval, hit):
    """Store a node's result in the table, and the error of its static evaluation in the correction history."""
    if not node.in_danger and not node.quiescent and eval_was_off(node.pos, best_move, best, node.static_eval, bound):
        if is_correctable(rules, node.pos, thread.weights):
            update_correction(thread.p, thread.histories, slots, best - node.static_eval, node.depth)
    on_pv = hit.on_pv if node.quiescent else thread.state[ON_PV + node.ply]
    tt.store(thread.table, node.pos[KEY], thread.state[AGE], best_move, best, depth_in_table(node.depth, node.in_danger), bound,
             node.ply, raw_eval, on_pv)


@inline
def eval_was_off(pos, best_move, best, static_eval, bound):
    """Whether a result shows an error of the static evaluation: no tactics, and a bound on the side that matters."""
    if abs(best) >= MATE_IN_MAX or (best_move != 0 and is_noisy(pos, best_move)):
        return False
    return not (bound == tt.LOWER and best <= static_eval) and not (bound == tt.UPPER and best >= static_eval)

