"""PGN of every game as the referee writes it, read again."""

from __future__ import annotations

import random
from pathlib import Path

import chess.variant
import pytest

import variants
from bench.__main__ import main
from bench.match.pgn import game_text
from bench.match.records import End, GameRecord, Ply

GAMES = ("tripunch", "armies-rr-ff", "madness-6x6", "crazyhouse", "ascending")


@pytest.mark.parametrize("name", GAMES)
def test_verify_reads_it(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                         capsys: pytest.CaptureFixture[str]) -> None:
    """Though nothing has told python-chess of the game."""
    monkeypatch.setattr(chess.variant, "VARIANTS", [
        board for board in chess.variant.VARIANTS if board.uci_variant != name])
    board, dice = variants.find(name).board(), random.Random(2)
    record = GameRecord(1, 1, 1, "a", "b", name, board.fen(), "1/2-1/2", End.MOVE_LIMIT)
    while board.outcome() is None and board.ply() < 20:
        move = dice.choice(list(board.legal_moves))
        record.plies.append(Ply(board.uci(move), board.san(move)))
        board.push(move)
    record.final_fen = board.fen()
    path = tmp_path / "v.pgn"
    path.write_text(game_text(record))
    assert main(["verify", str(path)]) == 0
    assert f"1 game, {len(record.plies)} moves checked" in capsys.readouterr().out
