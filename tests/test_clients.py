"""Real clients play whole games with it: Debian's XBoard under Xvfb, and python-chess over both protocols."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import chess.variant
import pytest
from talk import ENGINE, ROOT

BOARDS = {"chess": chess.Board, "atomic": chess.variant.AtomicBoard}
PLIES = 300
PATIENCE = 180  # seconds; a cold compile of a game is part of it


@pytest.mark.parametrize("variant", BOARDS)
@pytest.mark.parametrize("protocol", ["uci", "xboard"])
def test_python_chess_plays_a_game(protocol: str, variant: str) -> None:
    open_engine = chess.engine.SimpleEngine.popen_uci if protocol == "uci" else chess.engine.SimpleEngine.popen_xboard
    board: chess.Board = BOARDS[variant]()
    with open_engine(ENGINE, cwd=str(ROOT), timeout=PATIENCE) as engine:
        assert engine.id["name"].startswith("Kingmaker ")
        engine.configure({"Hash" if protocol == "uci" else "memory": 8})
        while not board.is_game_over(claim_draw=True) and board.ply() < PLIES:
            limit = chess.engine.Limit(depth=2) if board.ply() % 4 else chess.engine.Limit(white_clock=2, black_clock=2)
            result = engine.play(board, limit, info=chess.engine.INFO_ALL, game="first")
            assert result.move is not None and board.is_legal(result.move), board.fen()
            if result.info.get("pv"):
                assert result.info["pv"][0] == result.move
            board.push(result.move)
        assert board.is_game_over(claim_draw=True) or board.ply() >= PLIES
        # A second game in the same process, from a position with a win at once.
        fen = {"chess": "7k/8/5KQ1/8/8/8/8/8 w - - 0 1",
               "atomic": "rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R b KQkq - 0 1"}[variant]
        board = BOARDS[variant](fen)
        result = engine.play(board, chess.engine.Limit(depth=4), info=chess.engine.INFO_ALL, game="second")
        assert result.move is not None
        assert result.info["score"].relative == chess.engine.Mate(1)
        board.push(result.move)
        assert board.is_checkmate() or board.is_variant_end()


def test_python_chess_analyses_and_plays_chess960() -> None:
    with chess.engine.SimpleEngine.popen_uci(ENGINE, cwd=str(ROOT), timeout=PATIENCE) as engine:
        board = chess.Board.from_chess960_pos(42)
        while board.ply() < 40 and not board.is_game_over():
            move = engine.play(board, chess.engine.Limit(nodes=500)).move
            assert move is not None and board.is_legal(move)
            board.push(move)
        lines = engine.analyse(chess.Board(), chess.engine.Limit(depth=3), multipv=2)
        assert len(lines) == 2 and all(line["pv"] for line in lines)
        only = [chess.Move.from_uci("a2a3")]
        assert engine.play(chess.Board(), chess.engine.Limit(depth=3), root_moves=only).move == only[0]


def match(variant: str, compiled: str, folder: Path) -> tuple[str, Path]:
    """A game between two engines in XBoard as Debian ships it: XBoard's log, and the file the game was saved to."""
    xboard = shutil.which("xboard") or shutil.which("xboard", path="/usr/games")
    display = shutil.which("xvfb-run")
    if not xboard or not display:
        missing = "xboard" if not xboard else "xvfb-run"
        if os.environ.get("CI"):
            pytest.fail(f"{missing} is not installed, and CI must play this game")
        pytest.skip(f"NOT TESTED: {missing} is not installed (Debian: apt install xboard xvfb)")
    warm = f"import variants, engine.warm as w; w.warm(variants.find('chess')); w.warm(variants.find({compiled!r}))"
    subprocess.run([sys.executable, "-c", warm], cwd=ROOT, timeout=PATIENCE, check=True)
    games, log = folder / "games.pgn", folder / "xboard.debug"
    engine = " ".join(ENGINE)
    command = [display, "-a", xboard, "-variant", variant, "-xlegal", "-testClaims", "false", "-repeatsToDraw", "0",
               "-ruleMoves", "0", "-fcp", engine, "-scp", engine, "-fd", str(ROOT), "-sd", str(ROOT), "-mg", "1",
               "-sgf", str(games), "-tc", "0:02", "-inc", "0.02", "-xponder", "-matchPause", "10", "-xexit", "-noGUI",
               "-soundProgram", "", "-saveSettingsOnExit", "false", "-debug", "-nameOfDebugFile", str(log)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    said = log.read_text(errors="replace") if log.exists() else done.stderr
    assert done.returncode == 0, said[-2000:]
    for trouble in ("Illegal move", "Error (", "Forfeit", "internal error"):
        assert trouble not in said, said[-2000:]
    return said, games


def test_xboard_plays_an_atomic_game(tmp_path: Path) -> None:
    said, games = match("atomic", "atomic", tmp_path)
    with games.open() as file:
        game = chess.pgn.read_game(file)
    assert game is not None and not game.errors, said[-2000:]
    board = game.end().board()
    assert isinstance(board, chess.variant.AtomicBoard) and board.ply() > 1
    result = game.headers["Result"]
    outcome = board.outcome(claim_draw=True)
    if "forfeits on time" in said:  # on a machine that is busy with something else
        assert result in ("1-0", "0-1")
    else:
        assert outcome is not None and result == outcome.result(), game


def test_xboard_plays_a_game_it_does_not_know(tmp_path: Path) -> None:
    said, games = match("nocheck-blast", "nocheckatomic", tmp_path)
    ends = [line for line in said.splitlines() if line.endswith(("explodes the king}", "{Stalemate}")) or "offer draw" in line]
    assert ends or "forfeits on time" in said, said[-2000:]
    assert re.search(r'^\[Result "(1-0|0-1|1/2-1/2)"\]$', games.read_text(), re.MULTILINE)
