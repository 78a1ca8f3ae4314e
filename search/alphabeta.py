"""Alpha-beta search and quiescence: one function that calls itself.

Scores are centipawns from the side to move, int64; being mated now is -MATE. depth <= 0 is quiescence. One function serves
both: recursion through two would be compiled twice, and its cache entry would crash the next process (numba issue 6061).

Each step says what it was measured to be worth: Elo in chess with its 95 % error, from docs/experiments.md. Measured together:

    A   singular extensions, histories of captures and of follow-ups, correction history, razoring, pruning by history and by
        exchange, static evaluations in the table: +140 ± 60 (120 games, 1+0.01)
    B   checks in quiescence and exempt from pruning, pruning while a mate is known, new features of the evaluation:
        +47 ± 51 (120 games, 0.5+0.01); the features alone +14 ± 51
"""

from __future__ import annotations

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
from search.exchange import null_move_allowed
from search.forcing import FORCING
from search.histories import ENTRY_SHIFT, MAX_PLY, MOVE_MASK, correction_slots, is_noisy, update_correction, update_histories
from search.limits import MATE, MATE_IN_MAX
from search.ordering import LOSING
from search.params import (
    CHECK_EXTENSION,
    DECIDED,
    FEW_PIECES,
    IIR_DEPTH,
    LMR_DEPTH,
    LMR_MOVES,
    NULL_DEPTH,
    QUIET_CHECKS,
    REPLY_EXTENSION,
    THREAT_PLIES,
)
from search.picker import AT, NO_ENTRY, PICKER, has_no_moves, next_entry, skip_entry, start_picker
from search.pruning import (
    NO_MORE,
    PLAY,
    SKIP,
    evaluate,
    is_correctable,
    judge_move,
    late_move_reduction,
    look_up,
    may_be_singular,
    null_move_reduction,
    razoring,
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
    NODE_LIMIT,
    NODES,
    PLAYED,
    QSEARCH_BUDGET,
    QSEARCH_CAP,
    QSEARCH_END,
    RESTRICTED,
    ROOT,
    ROOT_COUNT,
    ROOT_DEPTH,
    ROOT_MOVES,
    ROOT_SCORE,
    SELDEPTH,
    STOP,
    TABLE_HITS,
    Node,
)
from search.tables.tree import UNKNOWN_SCORE, table_score

NULL_MOVE, SINGULAR, MOVES = range(3)  # what the loop over moves tries
NO_MOVE = 0


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
    if not in_danger:
        prepare_value(rules, stack, row, thread.net)
    excluded = state[EXCLUDED + ply]
    hit = look_up(thread.table, pos[KEY], ply, not fifty)
    if not pv_node and excluded == 0 and table_cuts(rules, p, hit, pos, depth, alpha, beta):
        return hit.score

    # 7. Static evaluation, unless the king is in danger: then it means nothing. Correction history: group A. When it was used
    # in known endings, too, a queen failed to mate a bare king in 50 moves.
    raw_eval, static_eval, refined_eval, improving = evaluate(rules, thread, ply, hit, in_danger, slots)

    best = -INFINITE
    # With few pieces no node is pruned near a mate. Where a game is decided only a mate counts: in chess, mates are seen
    # with a quarter fewer nodes.
    only_mates = abs(beta) >= p[DECIDED] or (not many_pieces and abs(beta) >= MATE_IN_MAX)
    pruning = not pv_node and not in_danger and excluded == 0 and not only_mates
    if quiescent:
        # 8. Stand pat: nobody is forced to capture, so the static evaluation is a lower bound.
        if not in_danger:
            best = refined_eval
            if best >= beta:
                return best
            alpha = max(alpha, best)
    elif pruning:
        # 9a. Reverse futility. Not measured alone; rfp_depth 4 and razor_base 400 instead: +14 ± 33, dropped.
        if reverse_futility(p, depth, refined_eval, improving, beta):
            return (refined_eval + beta) >> 1 if abs(beta) < MATE_IN_MAX else refined_eval
        # 9b. Razoring: group A.
        if razoring(p, depth, refined_eval, alpha):
            depth, quiescent = 0, True
            best = refined_eval
            begin_quiescence(state)
    # 9c. Null move: if passing fails high, a move will, too. Tried in the loop below. Not measured alone; before the singular
    # search instead of in its window: +26 ± 47; null_base 4 and null_divisor 3: +24 ± 28.
    prev_move = state[PLAYED + ply - 1] if ply > 0 else 0
    prev_own_move = state[PLAYED + ply - 2] if ply > 1 else 0
    trying_null = False
    if pruning and not quiescent and prev_move != 0 and depth >= p[NULL_DEPTH] and refined_eval >= beta:
        trying_null = null_move_allowed(rules, pos, us)
    # 9d. Internal iterative reduction: a shallower search finds a move for the table. Not measured alone.
    if depth >= p[IIR_DEPTH] and hit.move == 0 and not trying_null and (pv_node or cut_node != 0):
        depth -= 1

    node = Node(pos, us, ply, depth, pv_node, cut_node, in_danger, quiescent, improving, many_pieces, static_eval, refined_eval,
                prev_move, prev_own_move, hit.move, excluded, row_on_stack(FORCING))
    picker = row_on_stack(PICKER)
    # Quiescence begins with quiet checks: group B.
    start_picker(picker, rules.royal_safety and quiescent and depth > -p[QUIET_CHECKS] and not in_danger)
    # 9e. Singular extension: is the table's move the only good one? Also tried in the loop. Group A.
    trying_singular = may_be_singular(p, state, node, hit)
    singular_beta, extension = singular_beta_of(p, hit, depth), 0

    # 10. The loop over moves. The null move and the singular search are its first iterations, so that the function calls itself
    # in one place only: a second call would be typed and compiled again.
    old_alpha = alpha
    best_move, searched = 0, 0
    while True:
        trial = NULL_MOVE if trying_null else SINGULAR if trying_singular else MOVES
        child_ply, child_cut, reduction = ply + 1, 1, 0
        lower, upper = alpha, alpha + 1
        if trial == NULL_MOVE:
            make_null(rules, pos, child)
            tt.prefetch(thread.table, child[KEY])
            move, noisy = 0, False
            reduction = null_move_reduction(p, depth, refined_eval - beta)
            lower, upper, child_cut = beta - 1, beta, 1 - cut_node
            prepare_child(state, ply, move, reduction)
        elif trial == SINGULAR:  # the same position, so the window is seen from the other side
            move, noisy = hit.move, False
            reduction = depth - 1 - ((depth - 1) >> 1)
            lower, upper, child_cut, child_ply = -singular_beta, 1 - singular_beta, cut_node, ply
            state[PLAYED + ply], state[EXCLUDED + ply] = 0, move
        else:
            # 11. Is a move worth a search? By exchange and by history: group A. Delta, futility and late move pruning: not
            # measured alone. Exempting checks: group B.
            move, noisy, order = next_move(rules, thread, node, picker, moves, best, alpha, searched)
            if move == NO_MOVE:
                break
            if fifty:
                return 0  # in check but not mated
            play(rules, pos, child, U(move))
            tt.prefetch(thread.table, child[KEY])  # with huge pages: 1.85 to 1.99 million nodes per second
            picker[AT] += ONE
            searched += 1
            if move == hit.move:
                reduction = -extension
            if searched == 1:
                upper, child_cut = beta, 0 if pv_node else 1 - cut_node
            # Late move reduction. Not measured alone; lmr_base 110 instead of 40: -44 ± 40.
            elif depth >= p[LMR_DEPTH] and searched > p[LMR_MOVES] and (not noisy or order < LOSING):
                reduction = late_move_reduction(rules, thread, node, picker, move, noisy, order, searched)
            prepare_child(state, ply, move, reduction)

        # Principal variation search: a late move's reduced search, the same at full depth, and with the full window if it beats
        # alpha after all.
        nodes_before = state[NODES]
        while True:
            score = -search(rules, thread, draws, child_ply, depth - 1 - reduction, -upper, -lower, child_cut)
            if state[STOP] != 0:
                return 0
            if score <= lower or trial != MOVES:
                break
            if reduction > 0:
                reduction, child_cut = 0, 1 - cut_node
            elif upper < beta:
                upper, child_cut = beta, 0
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
            extension = singular_extension(p, state, node, hit, score, singular_beta, beta)
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
                    if not quiescent:
                        update_histories(rules, p, thread.histories, thread.refutations, node, moves, picker[AT], move,
                                         noisy)
                    break
                alpha = score

    # 12. No move at all: mate or stalemate. No move besides the excluded one: it is singular.
    if has_no_moves(node, picker):
        return final_score(rules, over_without_moves(rules, pos, checked), ply)
    if searched == 0 and excluded != 0:
        return alpha

    # 13. Store the result, and the error of the static evaluation that it shows.
    if excluded == 0 and (ply > 0 or state[RESTRICTED] == 0):
        bound = tt.LOWER if best >= beta else tt.EXACT if best > old_alpha and pv_node else tt.UPPER
        store_result(rules, thread, node, slots, best_move, best, bound, raw_eval)
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


@jit(forceinline=True, runtime=("searched",))
def next_move(rules, thread, node, picker, moves, best, alpha, searched):
    """(move, whether it is noisy, score of its entry): the next move worth a search, at moves[picker[AT]]; NO_MOVE if none is.

    best, alpha: scores so far; searched: moves before it.
    """
    while True:
        entry = next_entry(rules, thread, node, picker, moves)
        if entry == NO_ENTRY:
            return NO_MOVE, False, NO_ENTRY
        move, order = entry & MOVE_MASK, entry >> ENTRY_SHIFT
        verdict, noisy = SKIP, False
        if move != node.excluded:
            noisy = is_noisy(node.pos, move)
            verdict = judge_move(rules, thread, node, picker, moves, move, noisy, order, best, alpha, searched)
        if verdict == PLAY:
            return move, noisy, order
        if verdict == NO_MORE:
            return NO_MOVE, False, NO_ENTRY
        if verdict == SKIP:
            skip_entry(picker, moves)


@inline
def prepare_child(state, ply, move, reduction):
    """Note how the search gets to the next ply; a reduction below -1 is a double extension."""
    state[PLAYED + ply] = move
    state[EXCLUDED + ply + 1] = 0
    state[DOUBLE_EXTENSIONS + ply + 1] = state[DOUBLE_EXTENSIONS + ply] + (reduction < -1)


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


@jit(forceinline=True)
def store_result(rules, thread, node, slots, best_move, best, bound, raw_eval):
    """Store a node's result in the table, and the error of its static evaluation in the correction history."""
    if not node.in_danger and not node.quiescent and eval_was_off(node.pos, best_move, best, node.static_eval, bound):
        if is_correctable(rules, node.pos, thread.weights):
            update_correction(thread.p, thread.histories, slots, best - node.static_eval, node.depth)
    tt.store(thread.table, node.pos[KEY], thread.state[AGE], best_move, best, max(node.depth, 0), bound, node.ply, raw_eval)


@inline
def eval_was_off(pos, best_move, best, static_eval, bound):
    """Whether a result shows an error of the static evaluation: no tactics, and a bound on the side that matters."""
    if abs(best) >= MATE_IN_MAX or (best_move != 0 and is_noisy(pos, best_move)):
        return False
    return not (bound == tt.LOWER and best <= static_eval) and not (bound == tt.UPPER and best >= static_eval)

