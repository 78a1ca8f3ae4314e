"""Games on boards of other sizes in both protocols: announcements, exchanged sides, edit mode, plies for XBoard's board."""

from __future__ import annotations

import variants
from engine.game import Game
from engine.protocol.uci_tools import announcement, flipped
from engine.protocol.xboard.edit import Editor
from engine.protocol.xboard.faces import Shown, lines
from engine.protocol.xboard.mouse import lift
from engine.protocol.xboard.wire import Wire, spell, two_legs, unspell
from engine.rules import FIDE_PIECES, Pawn, Rules

START = "rnbqkbn/ppppppp/7/7/7/PPPPPPP/RNBQKBN w - - 0 1"
# The traits of `seven` in tests/engine/core/test_movegen.py: they share machine code.
SEVEN = Rules(name="seven", source="", board=variants.find("chess").board, start_fen=START, castling=True, files=7, ranks=7,
              pieces=FIDE_PIECES, pawn=Pawn(promotion_zone="a7b7c7d7e7f7g7", double_step_zone="a2b2c2d2e2f2g2"))


def test_a_small_board_is_announced() -> None:
    first = announcement(SEVEN).splitlines()[0]
    assert first == f"info string variant seven files 7 ranks 7 pocket 0 template fairy startpos {START}"
    assert lines(Shown("seven", pieces="PNBRQK", size="7x7"), START)[0] == f"setup (PNBRQKpnbrqk) 7x7+0_fairy {START}"


def test_sides_are_exchanged_on_a_small_board() -> None:
    game = Game(SEVEN, START)
    game.push("a2a4")
    assert flipped(game) == "rnbqkbn/1pppppp/7/p6/7/PPPPPPP/RNBQKBN w - - 0 1"
    assert Game(SEVEN, flipped(Game(SEVEN, flipped(game)))).fen() == game.fen()


def test_edit_mode_knows_the_edges() -> None:
    editor = Editor(SEVEN, START)
    for line in ("#", "Kd1", "Rg1", "Ra1", "c", "Kd7", "Ra7"):
        editor.edit(line)
    assert editor.fen(1) == "r2k3/7/7/7/7/7/R2K2R b KQq - 0 1"


def test_a_small_board_in_xboard() -> None:
    game, wire = Game(SEVEN, "3k3/7/7/7/7/7/R2K2R w KQ - 0 1"), Wire()
    castling = sorted(move for move in game.legal_numbers() if game.parts(move).kind == "castling")
    assert [spell(game, move, chess960=True) for move in castling] == ["O-O-O", "O-O"]
    assert [game.destination(move) for move in castling] == [2, 5]
    assert [unspell(game, text) for text in ("O-O-O", "O-O")] == [game.text(move) for move in castling]
    assert lift(game, wire, 6, native=False) == "highlight 6Y/6Y/6Y/6Y/6Y/6Y/4YY1"
    full = Game(SEVEN, "rnbqkbn/ppppppp/PPPPPPP/PPPPPPP/PPPPPPP/PPPPPPP/RNBQK1N w - - 0 1")
    assert two_legs(full, 4) == "e1f1,f1e1"
