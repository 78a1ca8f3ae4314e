"""Search: mates, draws, limits; the picker yields each move once; one thread counts the same nodes twice."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import variants
from bench.openings.puzzles import read_suite, suite
from engine.compile.jit import entry
from engine.core.legality import full_key_kernel
from engine.game import Game, Reason
from engine.rules import KEY, Piece, Rules
from engine.text import legal_moves, parse_fen
from search import tt
from search.alphabeta import search
from search.clock import Budget, budget
from search.deepening import Task
from search.eval.features import EXCHANGE, weights_of
from search.eval.net.files import no_net
from search.exchange import see_ge
from search.histories import ENTRY_SHIFT, MOVE_MASK, new_histories, new_refutations
from search.limits import MATE, Best, Current, Info, Limits
from search.params import PARAMS
from search.picker import list_noisy, list_quiets
from search.searcher import Searcher
from search.state import NODE_LIMIT, PLAYED, ROOT, ROOT_DEPTH, ThreadData, new_thread
from search.tables.tree import NO_TABLES
from search.warm import warm
from support.games import TWINS, twins_long

GAMES = ("chess", "atomic", "nocheckatomic")


def analyse(
    variant: str | Rules, fen: str | None, limits: Limits, moves: str = "", multipv: int = 1,
) -> tuple[Game, Best, list[Info]]:
    """Search a position with a fresh searcher."""
    game = Game(variant, fen)
    for move in moves.split():
        game.push(move)
    news: list[Info] = []
    best = Searcher(4).search(game, limits, multipv=multipv, on_info=news.append)
    return game, best, news


def text(game: Game, best: Best) -> str:
    assert best.move is not None
    return game.text(best.move)


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    for name in GAMES:
        if name not in TWINS:
            warm(variants.find(name))


MATES = [
    ("chess", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 1, "a1a8"),
    ("chess", "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", 1, "h5f7"),
    ("chess", "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, "a1a6"),
    ("chess", "6rk/6pp/8/6N1/8/8/8/K5Q1 w - - 0 1", 1, "g5f7"),
    ("chess", "kn6/8/1K6/1N6/8/8/8/8 w - - 0 1", 1, "b5c7"),
    ("chess", "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3, "f6a6"),
    ("atomic", "rnbqkbnr/pp1ppppp/8/1Bp5/8/4P3/PPPP1PPP/RNBQK1NR w KQkq - 0 3", 1, "b5d7"),
    ("atomic", "4k3/4p3/8/8/8/8/8/4RK2 w - - 0 1", 1, "e1e7"),
    ("atomic", "rnbqkb1r/1pp2ppp/4pn2/p2p4/8/1P3P1N/PBPPP1PP/RN1QKB1R w KQkq - 1 5", 2, "h3g5"),
    ("atomic", "rn2kbnr/p1pq2pp/3ppp2/1p1P4/1PP1P1bP/P7/3Q1PP1/RNB1KBNR b KQkq - 3 10", 2, "g4e2"),
    ("atomic", "1rb1k3/ppppq3/n3p3/3P4/4Pp2/P4P2/1PPK2PP/1RB2B1R b - - 2 14", 3, "e7c5"),
    ("nocheckatomic", "4k3/8/8/8/8/8/8/4RK2 w - - 0 1", 1, "e1e8"),
    ("nocheckatomic", "rnbqk1nr/pp1p4/2pbpp1p/6p1/P4P2/2PQP3/1P1P2PP/RNB1KBNR w KQkq - 0 7", 2, "d3g6"),
    ("nocheckatomic", "1nbqkbnr/rpppp1pp/8/5p2/p3NP2/8/PPPPP1PP/RNBQKB1R w KQk - 2 5", 3, "e4c5"),
]


@pytest.mark.parametrize(("variant", "fen", "moves", "expected"), twins_long(MATES))
def test_mate(variant: str, fen: str, moves: int, expected: str) -> None:
    game, best, news = analyse(variant, fen, Limits(mate=moves, depth=14))
    assert (text(game, best), news[-1].mate) == (expected, moves)
    assert len(news[-1].pv) == 2 * moves - 1


def test_null_move_knows_touching_kings() -> None:
    """Atomic kings that touch: passing would be a gift there, and the one who must part them may lose."""
    _, best, news = analyse("atomic", "8/8/8/3kK3/8/8/4P2r/8 w - - 0 1", Limits(depth=8))
    assert best.move is not None and len(news) == 8 and abs(news[-1].score) < MATE


@pytest.mark.parametrize(("variant", "fen"), twins_long([
    ("chess", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),  # stalemate
    ("chess", "R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1"),  # mate
    ("nocheckatomic", "8/8/8/8/8/8/8/4RK2 b - - 0 1"),  # exploded
]))
def test_no_move_no_answer(variant: str, fen: str) -> None:
    assert analyse(variant, fen, Limits(depth=3))[1] == Best(None)


@pytest.mark.parametrize(("variant", "fen", "moves"), twins_long([
    ("chess", "7k/8/6K1/5Q2/8/8/8/8 w - - 0 1", "f5f7"),
    ("chess", "k7/2Q5/8/8/8/8/7r/K7 w - - 99 80", "a1b1"),  # 50 moves
    ("chess", "k7/8/8/8/8/8/1p6/K7 w - - 0 1", "a1b2"),  # bare kings
    ("atomic", "4K3/8/8/8/8/8/pP6/kN6 w - - 0 1", "e8d8"),  # stalemate: the pawn would blow up its own king
    ("nocheckatomic", "4K3/8/8/8/8/8/pP6/kN6 w - - 0 1", "e8d8"),
]))
def test_draws(variant: str, fen: str, moves: str) -> None:
    game = Game(variant, fen)
    assert analyse(variant, fen, Limits(depth=2, searchmoves=(game.parse(moves),)))[2][-1].score == 0


@pytest.mark.long
def test_fifty_moves_come_before_an_explosion_that_is_no_more_than_possible() -> None:
    """In check on the hundredth ply: any legal move shows that it is no mate, so the game is drawn."""
    fen = "N3k3/1p4q1/1P6/8/3b4/8/6PP/7K w - - 99 80"
    game = Game("atomic", fen)
    game.push("a8c7")
    outcome = game.outcome()
    assert outcome is not None and outcome.winner is None
    assert analyse("atomic", fen, Limits(depth=8))[2][-1].score >= 0


@pytest.mark.long
def test_a_king_that_steps_back_repeats_after_two_plies() -> None:
    """The queens lead, so Black is happy with the third occurrence: e6d5 after White has driven its king from d5."""
    game = Game("madness-ferz", "8/8/8/3k4/8/Q7/8/1Q5K w - - 0 1")
    for move in ("d5e6", "e6d5", "d5e6"):
        game.push(move)
    said: list[Info] = []
    best = Searcher(1).search(game, Limits(depth=6), on_info=said.append)
    assert best.move == game.parse("e6d5") and said[-1].score == 0


@pytest.mark.long
def test_a_clock_that_ends_no_game_costs_no_nodes() -> None:
    """The game is crazyhouse, which has no 50-move rule."""
    nodes = set()
    for clock in (0, 95):
        searcher = Searcher(4)
        searcher.search(Game("crazyhouse", f"8/k7/3p4/p2P1p2/P2P1P2/8/8/K7[] w - - {clock} 60"), Limits(depth=12))
        nodes.add(searcher.nodes())
    assert len(nodes) == 1


def test_perpetual_check_is_found() -> None:
    assert analyse("chess", "6k1/6p1/8/7Q/8/8/1qr5/7K w - - 0 1", Limits(depth=7))[2][-1].score == 0


@pytest.mark.parametrize("fen", ["8/8/8/3k4/8/8/8/R3K3 w - - 0 1", "8/8/8/3k4/8/8/8/Q3K3 w - - 0 1"])
def test_a_bare_king_is_mated_within_fifty_moves(fen: str) -> None:
    game, searcher = Game("chess", fen), Searcher(4)
    while game.verdict() is None:
        best = searcher.search(game, Limits(nodes=5000))
        assert best.move is not None
        game.push(best.move)
    verdict = game.verdict()
    assert verdict is not None and verdict.reason is Reason.CHECKMATE


@pytest.mark.parametrize("length", [2, 3])
@pytest.mark.parametrize("variant", twins_long(GAMES))
def test_the_quickest_mate_is_found(variant: str, length: int) -> None:
    """Where a slower one is easier to see, too. The suites hold one first move that wins as quickly as can be, proved."""
    rules = variants.find(variant)
    puzzles = [puzzle for puzzle in read_suite(suite(variant), rules) if puzzle.moves == length]
    assert len(puzzles) > 4
    for puzzle in puzzles:
        game = Game(rules, puzzle.fen)
        assert text(game, Searcher(16).search(game, Limits(depth=4 * length + 6))) == puzzle.key, puzzle.fen


def test_mate_on_the_hundredth_ply_counts() -> None:
    assert analyse("chess", "7k/8/6K1/8/8/8/8/R7 w - - 99 80", Limits(depth=4))[2][-1].mate == 1
    assert analyse("chess", "7k/8/5K2/8/8/8/8/R7 w - - 99 80", Limits(depth=4))[2][-1].score == 0


def test_the_game_so_far_counts() -> None:
    """A move that repeats for the third time scores nothing."""
    shuffle = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1"
    game = Game("chess")
    for move in shuffle.split():
        game.push(move)
    _, best, news = analyse("chess", None, Limits(depth=1, searchmoves=(game.parse("f6g8"),)), shuffle)
    assert best.move == game.parse("f6g8") and news[-1].score == 0


@pytest.mark.parametrize("variant", twins_long(GAMES))
def test_same_nodes_twice(variant: str) -> None:
    first, second = (analyse(variant, None, Limits(depth=9))[2] for _ in range(2))
    assert [(i.nodes, i.score, i.pv) for i in first] == [(i.nodes, i.score, i.pv) for i in second]
    searcher, news = Searcher(4), list[Info]()
    for _ in range(2):
        searcher.search(Game(variant), Limits(depth=9), on_info=news.append)
        searcher.clear()
    assert news[len(news) // 2 - 1].nodes == news[-1].nodes


def test_table_changes_no_truth() -> None:
    """A table of one cluster, almost none, finds the same mate; by the sum, whose searches see it at once with any table."""
    searcher, news = Searcher(1, nets=lambda rules: None), list[Info]()
    searcher.table = np.zeros(8, np.uint64)
    searcher.search(Game("chess", "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1"), Limits(depth=8), on_info=news.append)
    assert news[-1].mate == 3


def test_limits_of_nodes_and_depth() -> None:
    for nodes in (777, 5000):  # fewer than the first ply takes: test_limits.py
        game = Game("chess")
        searcher = Searcher(4)
        best = searcher.search(game, Limits(nodes=nodes))
        assert searcher.nodes() == nodes and game.text(best.move or 0) in game.legal_moves()
    assert [info.depth for info in analyse("atomic", None, Limits(depth=5))[2]] == [1, 2, 3, 4, 5]


def test_searchmoves() -> None:
    game = Game("chess")
    only = tuple(game.parse(move) for move in ("a2a3", "h2h4"))
    _, best, news = analyse("chess", None, Limits(depth=6, searchmoves=only))
    assert best.move in only and all(info.pv[0] in only for info in news)


@pytest.mark.parametrize("variant", twins_long(GAMES))
def test_multipv(variant: str) -> None:
    _, best, news = analyse(variant, None, Limits(depth=6), multipv=4)
    last = news[-4:]
    assert [info.multipv for info in last] == [1, 2, 3, 4]
    assert len({info.pv[0] for info in last}) == 4 and best.move == last[0].pv[0]
    scores = [info.score for info in last]
    assert scores == sorted(scores, reverse=True)
    _, _, few = analyse("chess", "7k/8/8/8/8/8/7p/7K b - - 0 1", Limits(depth=3), multipv=500)
    assert {info.multipv for info in few} == {1, 2, 3}


@pytest.mark.parametrize("variant", twins_long(GAMES))
def test_lines_are_legal(variant: str) -> None:
    _, _, news = analyse(variant, None, Limits(depth=10))
    for info in news:
        game = Game(variant)
        for move in info.pv:
            assert move in legal_moves(game.rules, game.pos)
            game.push(move)
            assert game.pos[KEY] == full_key_kernel(game.rules, game.pos)


def test_stop_and_ponder() -> None:
    """Bounds are for a hang; the usual answer takes a millisecond or two."""
    searcher, answers = Searcher(4, threads=2), list[Best]()

    def go(limits: Limits, fen: str | None = None) -> threading.Thread:
        searcher.prepare()
        thread = threading.Thread(target=lambda: answers.append(searcher.search(Game("chess", fen), limits)))
        thread.start()
        return thread

    for limits, fen, end in (
        (Limits(infinite=True), None, searcher.stop), (Limits(infinite=True), MATES[0][1], searcher.stop),
        (Limits(ponder=True, movetime=20), None, searcher.ponder_hit),
        (Limits(ponder=True, depth=2), None, searcher.stop),
        (Limits(infinite=True), "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", searcher.stop),
    ):
        thread = go(limits, fen)
        time.sleep(0.2)
        assert thread.is_alive(), limits
        end()
        thread.join(5)
        assert not thread.is_alive(), limits
    assert [best.move is None for best in answers] == [False] * 4 + [True]

    searcher.prepare()
    searcher.stop()  # before the search begins: not lost
    began = time.perf_counter()
    assert searcher.search(Game("chess"), Limits(infinite=True)).move is not None
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_callback_that_raises_ends_the_search(error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    """Else its first thread goes on with a worker that the next search uses, too."""
    monkeypatch.setattr("search.deepening.TALKATIVE", 0.0)
    searcher, before = Searcher(4, threads=2), set(threading.enumerate())

    def raises(current: Current) -> None:
        raise error

    with pytest.raises(error):
        searcher.search(Game("chess"), Limits(infinite=True), on_move=raises)
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
    assert set(threading.enumerate()) <= before
    searcher.stop()
    with pytest.raises(error):
        searcher.search(Game("chess", MATES[0][1]), Limits(infinite=True), on_info=raises)  # type: ignore[arg-type]
    assert searcher.search(Game("chess"), Limits(nodes=3000)).move is not None
    assert searcher.nodes() > 1000, "the stop was for the search before"


def test_time_pondered_counts_as_thought(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a minute of pondering there is nothing left of the sixteen seconds that a clock of ten minutes gives to a move."""
    searcher, ahead = Searcher(4), 0.0
    monkeypatch.setattr(time, "perf_counter", lambda clock=time.perf_counter: clock() + ahead)
    searcher.prepare()
    news = list[Info]()
    limits = Limits(ponder=True, clock=(600_000, 600_000), increment=(0, 0))
    thread = threading.Thread(target=searcher.search, args=(Game("chess"), limits), kwargs={"on_info": news.append})
    thread.start()
    time.sleep(0.3)
    assert thread.is_alive() and news
    ahead = 60.0
    searcher.ponder_hit()
    thread.join(5)
    assert not thread.is_alive()


NO_ROWS = (0, 0, 0, 0)  # of earlier moves: there are none


@entry
def _pick_all(rules, pos, weights, histories, refutations, moves, table_move):  # type: ignore[no-untyped-def]
    count = list_noisy(rules, pos, weights, histories, moves, table_move)
    return count, list_quiets(rules, pos, histories, refutations, moves, count, table_move, 0, 0, NO_ROWS)


@pytest.mark.parametrize("variant", twins_long(GAMES))
def test_picker_yields_each_move_once(variant: str) -> None:
    rules = variants.find(variant)
    moves = np.zeros(rules.traits.max_moves, np.int64)
    weights, histories, refutations = weights_of(rules), new_histories(rules), new_refutations()
    fens = [rules.start_fen, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"]
    for fen in fens:
        pos = parse_fen(rules, fen)
        legal = sorted(int(move) for move in legal_moves(rules, pos))
        for table_move in (0, *legal[:5]):
            _, count = _pick_all(rules, pos, weights, histories, refutations, moves, table_move)
            entries = moves[:int(count)]
            assert sorted(int(entry) & int(MOVE_MASK) for entry in entries) == legal
            if table_move:
                assert int(entries.max()) & int(MOVE_MASK) == table_move
    assert int(entries.min()) >> int(ENTRY_SHIFT) < int(entries.max()) >> int(ENTRY_SHIFT)


@entry
def _exchange(rules, pos, weights, move, least):  # type: ignore[no-untyped-def]
    return see_ge(rules, pos, move, least, weights)


@pytest.mark.parametrize(("variant", "fen", "move", "worth"), [
    ("chess", "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", "P"),
    ("chess", "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", "P-N"),
    ("chess", "4k3/8/3p4/4p3/8/8/4R3/4K3 w - - 0 1", "e2e5", "P-R"),
    ("atomic", "4k3/8/8/3np3/4b3/5N2/8/4K3 w - - 0 1", "f3e5", "P+N+B-N"),
    ("atomic", "4k3/4p3/8/8/8/8/8/4RK2 w - - 0 1", "e1e7", "P+K-R"),
])
def test_exchanges(variant: str, fen: str, move: str, worth: str) -> None:
    game = Game(variant, fen)
    weights = weights_of(game.rules)
    total = 0
    for term in worth.replace("-", "+-").split("+"):
        value = int(weights[EXCHANGE + game.rules.letters.index(term[-1])])
        total += -value if term[0] == "-" else value
    for least, holds in ((total, True), (total + 1, False)):
        assert bool(_exchange(game.rules, game.pos, weights, np.uint64(game.parse(move)), np.int64(least))) is holds


def test_null_move_asks_for_beta_whatever_the_table_says() -> None:
    """A bad score kept for one move lets that move be doubted, in a window of its own: a pass is not searched in it.

    Black's pawn attacks two rooks, White has a pawn for them if one moves away: never ten pawns.
    """
    game = Game("chess", "3r2k1/5ppp/1n6/8/p2p4/2R1R3/P4PPP/6K1 w - - 0 1")
    move = game.parse("g2g3")
    table = tt.new_table(1)
    _table_trip(table, game.pos[KEY], move, -2000, 8, tt.LOWER, 1, tt.NO_EVAL)
    stack, lists, histories, refutations, state = new_thread(game.rules)
    stack[ROOT + 1] = game.pos
    state[NODE_LIMIT], state[ROOT_DEPTH], state[PLAYED] = 1 << 60, 20, move
    thread = ThreadData(PARAMS.array(), weights_of(game.rules), table, stack, lists, histories, refutations, state,
                        no_net(game.rules), NO_TABLES)
    score = search(game.rules, thread, 0, 1, 9, -1, 0, 1)
    assert abs(score) < 300


def test_values_are_guessed_from_moves() -> None:
    rules = Rules(name="madeup", source="", board=variants.find("chess").board, castling=False,
                  start_fen="rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
                  pieces=(Piece("N", "N"), Piece("B", "B"), Piece("R", "R"), Piece("Q", "Q"), Piece("K", "K", royal=True)))
    pawn, knight, bishop, rook, queen = (int(v) for v in weights_of(rules)[EXCHANGE:EXCHANGE + 5])
    assert 60 < pawn < 150 < knight < rook < queen and 250 < bishop < rook


@entry
def _table_trip(table, key, move, score, depth, bound, ply, value):  # type: ignore[no-untyped-def]
    tt.store(table, key, np.int64(3), move, score, depth, bound, ply, value, np.int64(1))
    first, data = tt.probe(table, key)
    return (tt.move_of(data), tt.score_of(data, ply), tt.depth_of(data), tt.bound_of(data), tt.eval_of(first),
            tt.on_pv_of(data))


def test_table_keeps_what_it_is_given() -> None:
    table = tt.new_table(1)
    for key in (0, 1, 2**64 - 1, 0x9E3779B97F4A7C15):
        for score in (0, -1, 250, -MATE + 7, MATE - 7, -MATE, MATE):
            for depth in (tt.SHALLOWEST, tt.ONLY_EVAL, -1, 17, 240):
                kept = (0xABCDE, max(-MATE + 7, min(MATE - 7, score)), depth, tt.EXACT, max(-32768, min(32767, 40 - score)), 1)
                stored = _table_trip(table, np.uint64(key), 0xABCDE, kept[1], depth, tt.EXACT, 7, 40 - score)
                assert tuple(int(part) for part in stored) == kept
            assert tt.peek(table, key) == 0xABCDE
    assert tt.peek(table, 12345) == 0


@pytest.mark.long
def test_the_table_of_another_game_is_not_used() -> None:
    """A stalemate draws in chess and loses in the other game; the boards, and so the keys, are the same."""
    chess, other = variants.find("chess"), Rules("lost without moves", "made up", stalemate="loss")
    fen = "k7/8/1K6/2N5/8/8/8/8 w - - 0 1"
    assert Game(chess, fen).key == Game(other, fen).key
    searcher, infos = Searcher(1), list[Info]()
    searcher.search(Game(other, fen), Limits(depth=6), on_info=infos.append)
    assert infos[-1].mate == 1
    filled = np.count_nonzero(searcher.table)
    searcher.search(Game(other, fen), Limits(depth=1))
    assert np.count_nonzero(searcher.table) >= filled
    searcher.search(Game(chess, fen), Limits(depth=1), on_info=infos.append)
    assert infos[-1].mate is None and np.count_nonzero(searcher.table) < filled


@pytest.mark.parametrize("error", [MemoryError, OSError])
def test_a_table_that_does_not_fit_leaves_the_smallest(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    """A search without any table would write beyond its end."""
    searcher, new_table = Searcher(1), tt.new_table

    def too_large(megabytes: int, threads: int = 1) -> np.ndarray:
        if megabytes:
            raise error
        return new_table(megabytes, threads)

    monkeypatch.setattr(tt, "new_table", too_large)
    with pytest.raises(error):
        searcher.resize(1 << 40)
    assert len(searcher.table) == 8, "a cluster"
    assert searcher.search(Game("chess"), Limits(depth=4)).move is not None


def test_clock() -> None:
    assert budget(Limits(depth=3), 0) == Budget(None, None)
    assert budget(Limits(infinite=True, clock=(1000, 1000)), 0) == Budget(None, None)
    assert budget(Limits(movetime=100), 0, 10) == Budget(90, 90)
    for clock in (0, 1, 5, 30, 100, 1000, 60_000, 3_600_000):
        for increment in (0, 10, 1000, 60_000):
            for moves in (None, 0, 1, 2, 40):
                limits = Limits(clock=(clock, None), increment=(increment, 0), moves_to_go=moves)
                found = budget(limits, 0, 10)
                assert found.soft is not None and found.hard is not None
                assert 0 < found.soft <= found.hard <= max(1, clock - 10), (clock, increment, moves)
                assert budget(limits, 1, 10) == Budget(None, None)
    assert (budget(Limits(clock=(60_000, 0), movetime=50), 0, 0).hard or 0) <= 50
    slow, fast = budget(Limits(clock=(600_000, 0)), 0), budget(Limits(clock=(10_000, 0)), 0)
    assert (slow.soft or 0) > (fast.soft or 0) > 0
    # 1 s + 0.01 s: an engine that uses the hard limit on every move never oversteps
    left = 1000.0
    for ply in range(0, 600, 2):
        left -= (budget(Limits(clock=(left, None), increment=(10, 0)), 0, 5, ply=ply).hard or 0) + 1
        assert left > 0
        left += 10
    # of the same clock, more is used later in the game, but not if the moves to go are known
    unknown = Limits(clock=(10_000, None), increment=(100, 0))
    shares = [budget(unknown, 0, ply=ply).soft or 0 for ply in (0, 20, 40, 60, 300, 1000)]
    assert shares[0] < shares[1] < shares[2] <= shares[3] == shares[4] == shares[5]
    known = Limits(clock=(10_000, None), moves_to_go=20)
    assert budget(known, 0, ply=0) == budget(known, 0, ply=60)


def test_a_score_below_that_of_our_last_move_takes_time() -> None:
    """The score of the last search counts if it was for our last move."""
    searcher, game, found = Searcher(1), Game("chess"), list[int]()

    def search() -> Task:
        searcher.search(game, Limits(depth=6), on_info=lambda info: found.append(info.score))
        assert searcher._task is not None
        return searcher._task

    assert search().score_before is None
    last = found[-1]
    for move in ("e2e4", "e7e5"):
        game.push(game.parse(move))
    task = search()
    assert task.score_before == last and task.scores == found[-6:]
    assert task.drop == (found[-5] + last) // 2 - found[-1]
    assert search().score_before is None  # the same position again
    searcher.clear()
    for move in ("g1f3", "b8c6"):
        game.push(game.parse(move))
    assert search().score_before is None


@pytest.mark.parametrize("variant", twins_long(GAMES))
def test_fast_games(variant: str) -> None:
    """A game of a few hundred nodes a move: every answer is legal, on to the end."""
    searcher = Searcher(1)
    game = Game(variant)
    for _ in range(120):
        if game.outcome() is not None:
            break
        best = searcher.search(game, Limits(nodes=300))
        assert best.move in legal_moves(game.rules, game.pos)
        game.push(best.move or 0)
        assert game.pos[KEY] == full_key_kernel(game.rules, game.pos)
        assert best.ponder is None or best.ponder in legal_moves(game.rules, game.pos)


def test_rows_of_parameters() -> None:
    assert PARAMS.array(aspiration=7)[PARAMS.index("aspiration")] == 7
    with pytest.raises(ValueError, match="aspiration 99"):
        PARAMS.array(aspiration=99)
