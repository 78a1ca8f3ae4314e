"""Debian's XBoard plays whole games of every variant between two engines, on a virtual screen.

support/xboard_desk.py checks: nobody forfeits or is refused a move; each engine's moves, as it sent them and as XBoard
relayed them to the other, are the same legal game; the result is what the rules say; the last position on XBoard's
own board, which it saves, is the one the rules reach.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import variants
from engine.game import Game
from engine.text import to_fen
from support.places import ROOT
from support.xboard_desk import View, match

# Positions with Black to move and something special close at hand.
POSITIONS = {
    "chess": "r3k2r/pppq1ppp/2n2n2/3pp3/3PP3/2N2N2/PPPQ1PPP/R3K2R b KQkq - 0 8",
    "atomic": "r1bqkb1r/ppp2ppp/2n2n2/3pp3/3P4/2N1PN2/PPP2PPP/R1BQKB1R b KQkq - 0 5",
    "nocheckatomic": "r1bqkb1r/ppp2ppp/2n2n2/3pp3/3P4/2N1PN2/PPP2PPP/R1BQKB1R b KQkq - 0 5",
    "shatar": "3jk3/p2p3p/8/8/8/8/P2P3P/3JK3 b - - 0 1",
    "ataturk": "r2qk3/8/8/8/8/8/8/3QK2R b Kq - 0 1",
    "warmspit": "r2qk3/pp6/8/8/8/8/6PP/3QK2R b Kq - 0 1",
    "madness": "8/8/2r1p3/1p1k4/6P1/2P3P1/4P3/R1K5 b - - 0 1",
    "madness-legan": "8/8/2r1p3/1p1k4/6P1/2P3P1/4P3/R1K5 b - - 0 1",
    "madness-fide": "4k3/1ppp4/8/2r5/5R2/8/4PPP1/3K4 b - - 0 1",
    "ascending": "r3k2r/1p4p1/8/8/8/8/1P4P1/R3K2R b KQkq - 0 1",
}


def played(variant: str, folder: Path, **more: object) -> dict[str, View]:
    """One game in XBoard."""
    warm = f"import variants, search.warm; search.warm.warm(variants.find({variant!r}))"
    subprocess.run([sys.executable, "-c", warm], cwd=ROOT, timeout=280, check=True)
    (view,) = match(variant, folder, **more)  # type: ignore[arg-type]
    return view


def board_agrees(game: Game) -> None:
    """The python-chess Board, which shares no code with the kernels, plays the same moves to the same end."""
    board = game.rules.board(to_fen(game.rules, game.positions[0]))
    replay = Game(game.rules, board.fen())
    for move in game.moves:
        board.push_uci(replay.text(move))
        replay.push(move)
    read = game.rules.board(game.fen())  # python-chess counts the checks to come where Game.fen() counts those given
    assert board.fen(en_passant="legal") == read.fen(en_passant="legal")
    assert board.result(claim_draw=True) == game.result()


def test_a_game(tmp_path: Path) -> None:
    board_agrees(played("ataturk", tmp_path, depth=3)["first"].game)


@pytest.mark.long
@pytest.mark.parametrize("depth", [4, 5])  # of thought: without a clock the same depth plays the same game
@pytest.mark.parametrize("variant", variants.names())
def test_games_from_the_start(variant: str, depth: int, tmp_path: Path) -> None:
    board_agrees(played(variant, tmp_path, depth=depth)["first"].game)


DEFINED = """
[leaping-crazyhouse-race:chess]
queen = -
customPiece1 = g:NNAD
promotionPieceTypes = grbn
startFen = rnbgkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBGKBNR w KQkq - 0 1
flagPiece = k
flagRegionWhite = *8
flagRegionBlack = *1
"""


@pytest.mark.long
@pytest.mark.parametrize("variant", [
    "3check", "crazyhouse", "cylinder", "kingofthehill", "madness-6x6", "ataturk-ff-cc", "antichess"])
def test_further_games(variant: str, tmp_path: Path) -> None:
    board_agrees(played(variant, tmp_path, depth=2)["first"].game)


@pytest.mark.long
def test_a_game_of_a_file_of_definitions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name has one in it that XBoard knows."""
    file = tmp_path / "own.ini"
    file.write_text(DEFINED)
    monkeypatch.setenv(variants.DEFINITIONS, str(file))
    variants._defined.cache_clear()
    try:
        board_agrees(played("leaping-crazyhouse-race", tmp_path, depth=2)["first"].game)
    finally:
        variants._defined.cache_clear()


@pytest.mark.long
def test_a_match_in_the_same_processes(tmp_path: Path) -> None:
    """Colours change; `new` and `variant` come again."""
    views = match("ataturk", tmp_path, games=2, depth=3)
    assert len(views) == 2
    for view in views:
        board_agrees(view["first"].game)


@pytest.mark.long
@pytest.mark.parametrize("variant", variants.names())
def test_a_game_from_a_position(variant: str, tmp_path: Path) -> None:
    view = played(variant, tmp_path, fen=POSITIONS[variant])["first"]
    assert to_fen(view.game.rules, view.game.positions[0]).split()[0] == POSITIONS[variant].split()[0]
    board_agrees(view.game)


# The special moves happen often enough to be asked for: a match is played until there was one.
@pytest.mark.long
@pytest.mark.parametrize(("variant", "special"), [
    ("ataturk", "overthrow"), ("warmspit", "overthrow"), ("madness", "drive"), ("madness-legan", "drive"),
    ("madness-fide", "drive"), ("ascending", "succession")])
def test_the_special_moves_are_played(variant: str, special: str, tmp_path: Path) -> None:
    for number in range(5):
        view = played(variant, tmp_path / str(number), depth=2 + number)["first"]
        board_agrees(view.game)
        if view.specials[special]:
            return
    pytest.fail(f"no {special} in five games")
