"""What the search learns from its nodes, and what a node takes from the one before."""

from __future__ import annotations

import numpy as np
import pytest

import variants
from bench.clients.inprocess import SingleThread
from engine.game import Game
from search import histories, tt
from search.alphabeta import search
from search.eval.evaluate import value_kernel
from search.eval.features import weights_of
from search.eval.net.files import no_net
from search.params import PARAMS
from search.state import NODE_LIMIT, NULL, PLAYED, ROOT, ROOT_DEPTH, STATIC_EVALS, ThreadData, new_thread
from search.tables.tree import NO_TABLES


def static_eval_after(last: int) -> tuple[int, int]:
    """(static evaluation in the search of a node, as computed), where `last` led to the node, from one that was worth 1234."""
    game = Game("chess", "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3")
    stack, lists, learnt, refutations, state = new_thread(game.rules)
    stack[ROOT + 1] = game.pos
    state[NODE_LIMIT], state[ROOT_DEPTH], state[PLAYED], state[STATIC_EVALS] = 1 << 60, 20, last, 1234
    thread = ThreadData(PARAMS.array(), weights_of(game.rules), tt.new_table(1), stack, lists, learnt, refutations, state,
                        no_net(game.rules), NO_TABLES)
    search(game.rules, thread, 0, 1, 1, -1, 0, 1)
    return int(state[STATIC_EVALS + 1]), int(value_kernel(game.rules, stack, ROOT + 1, thread.weights, thread.net))


def test_after_a_null_move_the_value_is_that_before() -> None:
    """With a value of its own, the opponent would have another tempo, and fewer null moves would fail high."""
    found, computed = static_eval_after(NULL)
    assert found == -1234 != computed


def test_after_a_move_the_value_is_computed() -> None:
    found, computed = static_eval_after(Game("chess").parse("g1f3"))
    assert found == computed


@pytest.mark.parametrize("variant", variants.names())
def test_pairs_have_room(variant: str) -> None:
    """The last pair of the last move is the last history."""
    rules = variants.find(variant)
    last = 2 * rules.traits.types * 64 - 1
    assert histories.PAIRS + last * 2 * rules.traits.types * 64 + last == len(histories.new_histories(rules)) - 1


def test_histories_keep_their_bounds() -> None:
    """A search fills them all, and none passes the greatest of its kind."""
    player = SingleThread(variants.find("chess"), 50_000, PARAMS.array(), 8)
    player(Game("chess", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"))
    learnt = player.thread.histories
    for first, end, most in ((histories.HISTORY, histories.CAPTURE_HISTORY, 13_365),
                             (histories.CAPTURE_HISTORY, histories.CORRECTION, 10_692), (histories.PAIRS, None, 29_952)):
        part = learnt[first:end].astype(np.int64)
        assert part.min() < -100 and part.max() > 100 and abs(part).max() <= most
