"""python-chess as a GUI that lets the engine ponder: all ten games over UCI (three in the long run), hits and misses."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
import chess.engine
import chess.variant
import pytest

import variants
from engine.protocol.session import Session
from support.games import twins_long
from support.places import ROOT
from support.talk import ENGINE, PATIENCE

MOVES = 7  # of ours, in a second game if the first one ends

variants.register_boards()


@pytest.fixture(scope="module")
def engine() -> Iterator[chess.engine.SimpleEngine]:
    """One engine for all the games."""
    with chess.engine.SimpleEngine.popen_uci(ENGINE, cwd=str(ROOT), timeout=PATIENCE) as running:
        running.configure({"Hash": 8, "UCI_ShowWDL": True})
        yield running


def test_a_hit_is_meant_for_the_newest_search() -> None:
    """Its answer is out, but a search still has its ticket when the GUI's `go ponder` and `ponderhit` arrive at once."""
    session = Session(lambda line: None)
    answered, pondering = session.ticket(), session.ticket()
    session.ponder_hit()
    session.done(answered)
    assert pondering.hit


@pytest.mark.parametrize("name", twins_long(variants.names()))
def test_ponder(engine: chess.engine.SimpleEngine, name: str, caplog: pytest.LogCaptureFixture) -> None:
    """The opponent plays the expected move in one turn and another in the next; python-chess complains of nothing."""
    board, games = variants.find(name).board(), 1
    chance, hits, misses = random.Random(name), 0, 0
    for _ in range(MOVES):
        if board.is_game_over(claim_draw=True):
            board, games = variants.find(name).board(), games + 1
        limit = chess.engine.Limit(white_clock=3, black_clock=3, white_inc=0.02, black_inc=0.02)
        result = engine.play(board, limit, ponder=True, info=chess.engine.INFO_ALL, game=(name, games))
        assert result.move is not None and board.is_legal(result.move), board.fen()
        board.push(result.move)
        if board.is_game_over(claim_draw=True):
            continue
        legal = sorted(board.legal_moves, key=board.uci)
        if result.ponder is not None:
            assert result.ponder in legal, board.fen()
        if result.ponder is not None and hits <= misses:
            board.push(result.ponder)
            hits += 1
        else:
            others = [move for move in legal if move != result.ponder] or legal
            board.push(chance.choice(others))
            misses += 1
    assert hits and misses
    # An analysis ends the thinking at once; what it says is of the new position.
    lines = engine.analyse(board, chess.engine.Limit(depth=2), game=(name, games), info=chess.engine.INFO_ALL)
    if not board.is_game_over(claim_draw=True):
        assert lines["pv"][0] in board.legal_moves and lines["wdl"].relative.total() == 1000
    assert not [record.message for record in caplog.records if record.levelname in ("WARNING", "ERROR")]
