"""The mouse: what the engine answers to it, and every special move entered in the real XBoard, on a virtual screen.

After each the position that XBoard saves is compared with what the rules say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.core.moves import DRIVE, KIND
from engine.game import Game
from engine.protocol.xboard.commands import XBoard
from engine.squares import square_name
from engine.text import legal_moves, to_fen
from support.talk import Inside
from support.xboard_desk import Desk, men


@pytest.fixture
def xboard() -> Iterator[Inside]:
    """An engine that speaks to an XBoard."""
    talk = Inside(XBoard)
    talk.send("xboard", "protover 2")
    talk.until("feature done=1")
    talk.send("accepted highlight", "new", "nopost", "sd 2", "st 60")
    yield talk
    talk.close()


def after_ping(talk: Inside) -> list[str]:
    """What it says to the commands so far."""
    talk.send("ping 99")
    return talk.until("pong 99")[:-1]


def fairy(talk: Inside, variant: str, fen: str) -> list[str]:
    """Set up a position of a game; what was said to that."""
    talk.send(f"option Variant={variant}", "new", "nopost", "sd 2", "st 60", "variant fairy", "force", f"setboard {fen}")
    return after_ping(talk)


# Expected lines from the rules and docs/gui.md: capitals for targets of the piece (Y quiet, R capture, G special, M promotion,
# B a pawn that stays one on the last rank).
@pytest.mark.parametrize(("variant", "fen", "square", "answer"), [
    ("chess", "4k3/8/8/8/8/3p4/4P3/4K3 w - -", "e2", "8/8/8/8/4Y3/3RY3/8/8"),
    ("chess", "4k3/8/8/8/8/8/8/4K2R w K -", "e1", "8/8/8/8/8/8/3YYY2/3Y1YY1"),
    ("chess", "4k3/8/8/8/8/8/8/4K2R w K -", "e8", "8/8/8/8/8/8/8/8"),
    ("atomic", "4k3/8/8/8/8/8/3pP3/4K3 w - -", "e1", "8/8/8/8/8/8/5Y2/3Y1Y2"),  # a king never captures
    ("shatar", "7k/7p/8/8/8/8/3P4/K5J1 w - - 0 1", "d2", "8/8/8/8/3Y4/3Y4/8/8"),
    ("shatar", "7k/7p/8/8/8/8/4P3/K7 w - - 0 1", "e2", "8/8/8/8/8/4Y3/8/8"),
    ("shatar", "7k/P6p/7p/8/8/8/8/K7 w - - 0 1", "a7", "Y7/8/8/8/8/8/8/8"),  # a berse, no choice
    # The queen may become king; the enemy holder is marked, one's own is not, or it could not be picked up instead.
    ("ataturk", "4k3/8/8/8/8/8/PPP5/RNBQK3 w - - 0 1", "c1", "4m3/8/7Y/6Y1/5Y2/4Y3/3Y4/2G5"),
    ("madness", "7k/8/1P6/8/8/8/8/6K1 w - - 0 1", "b6", "8/M7/8/8/8/8/8/8"),
    ("madness-legan", "7k/5P2/8/8/8/8/8/K7 w - - 0 1", "f7", "4B3/8/8/8/8/8/8/8"),  # stays a pawn, without a question
    ("madness-legan", "7k/4P3/8/8/8/8/8/K7 w - - 0 1", "e7", "3M4/8/8/8/8/8/8/8"),
    ("madness-legan", "7k/8/8/8/8/8/2p5/K7 b - - 0 1", "c2", "8/8/8/8/8/8/8/3B4"),
    ("madness", "8/8/8/3k4/8/8/7P/K7 w - - 0 1", "a1", "8/1G1G1G2/8/1G3G2/8/1G1G1G2/YY6/1Y6"),
    ("ascending", "4k3/8/8/8/8/8/4r3/RR6 w - - 0 1", "a1", "8/8/8/8/8/8/8/G7"),
    ("ascending", "4k3/8/8/8/8/8/4rP2/RR6 w - - 0 1", "f2", "8/8/8/8/8/8/8/8"),  # first the heir
])
def test_lift(xboard: Inside, variant: str, fen: str, square: str, answer: str) -> None:
    fairy(xboard, variant, fen)
    xboard.send(f"lift {square}")
    assert after_ping(xboard) == [f"highlight {answer}"]
    xboard.send(f"hover {square}")
    assert after_ping(xboard) == [f"highlight {answer}"]


def test_titles_are_marked(xboard: Inside) -> None:
    xboard.send("variant ataturk")
    assert after_ping(xboard) == [
        "setup (PNBRQ...........Kpnbrq...........k) 8x8+0_fairy rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "highlight 4m3/8/8/8/8/8/8/4m3"]
    xboard.send("usermove d1d1")
    said = after_ping(xboard)
    assert said[0].startswith("move ") and said[1].startswith("highlight ") and said[1].endswith("/3m4")
    xboard.send("variant warmspit", "force")  # in two colours: the king, who is always royal, and the vice-king
    assert after_ping(xboard)[-1] == "highlight 3mb3/8/8/8/8/8/8/3mb3"
    xboard.send("usermove d1d1")
    assert [line for line in after_ping(xboard) if "Illegal" in line]  # she holds it
    xboard.send("usermove b1b1", "setboard rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 1 1 b1/d8")
    assert after_ping(xboard) == ["highlight 3mb3/8/8/8/8/8/8/1m2b3"]


def test_nothing_special_for_clients_without_highlights() -> None:
    talk = Inside(XBoard)
    talk.send("xboard", "protover 2")
    talk.until("feature done=1")
    talk.send("new", "variant ataturk", "nopost", "sd 1", "force", "usermove K@d1")
    assert [line.split()[0] for line in after_ping(talk)] == ["setup"]
    talk.send("setboard 6q1/8/6KB/8/8/8/8/8 w - - 0 1 g6/g8", "sd 6", "go")
    assert talk.until("move .*")[-1] == "move K@h6"
    talk.close()


def test_choice(xboard: Inside) -> None:
    fairy(xboard, "madness", "7k/8/nP6/8/8/8/8/6K1 w - - 0 1")
    xboard.send("put a7", "lift b6", "put a7", "put h1")
    assert after_ping(xboard) == ["highlight 8/M7/M7/8/8/8/8/8", "choice QRBN"]
    fairy(xboard, "shatar", "7k/P6p/7p/8/8/8/8/K7 w - - 0 1")
    xboard.send("lift a7", "put a8")
    assert after_ping(xboard)[1:] == ["choice J"]
    fairy(xboard, "madness-legan", "7k/5P2/8/8/8/8/8/K7 w - - 0 1")
    xboard.send("lift f7", "put e8", "put e7", "lift a1", "put a2")
    said = after_ping(xboard)
    assert said[1] == "choice P" and [line.split()[0] for line in said] == ["highlight", "choice", "highlight"]


def test_bad_squares(xboard: Inside) -> None:
    xboard.send("lift", "lift e9", "put x", "hover e22")
    assert after_ping(xboard) == ["Error (lift '' is not a square): lift", "Error (lift 'e9' is not a square): lift e9",
                                  "Error (put 'x' is not a square): put x", "Error (hover 'e22' is not a square): hover e22"]


@pytest.mark.parametrize("turn", ["w", "b"])
def test_the_opponents_king(xboard: Inside, turn: str) -> None:
    """The user drops the own king where the other one should go; the engine sends it as three plies that XBoard knows."""
    fairy(xboard, "madness", f"8/8/8/3k4/8/8/8/K7 {turn} - - 0 1")
    xboard.send("go")
    xboard.until("move [^@].*")  # Black has only a king, or moves White's
    after_ping(xboard)
    game = xboard.engine.session.game
    assert isinstance(xboard.engine, XBoard)
    moves, plies, drive, own = list(game.moves), len(xboard.engine.wire.plies), *drive_and_king(game)
    xboard.send(f"usermove {own}{drive[2:]}")
    said = after_ping(xboard)
    assert said[:4] == [f"Illegal move: {own}{drive[2:]}", "move @@@@", f"move {drive}", "move @@@@"]
    assert said[4].startswith("move ")  # and our own
    xboard.send("force", *["undo"] * (len(xboard.engine.wire.plies) - plies))  # XBoard takes back ply by ply
    assert after_ping(xboard) == []
    assert xboard.engine.session.game.moves == moves


def drive_and_king(game: Game) -> tuple[str, str]:
    """A move of the opponent's king that the side to move has, and the square of its own king."""
    from engine.rules import WHITE

    drive = next(game.text(int(move)) for move in legal_moves(game.rules, game.pos) if int(move) >> KIND & 15 == DRIVE)
    king = game.rules.traits.king
    assert king is not None
    return drive, square_name((int(game.pos[king.word]) & int(game.pos[WHITE + game.turn])).bit_length() - 1)


def test_an_heir_of_choice(xboard: Inside) -> None:
    fairy(xboard, "ascending", "4k3/8/8/8/8/R1R5/7P/r3K3 b - - 0 1")
    xboard.send("sd 4", "go")
    assert xboard.until("move .*")[-1] == "move a1e1"
    assert after_ping(xboard) == ["highlight 8/8/8/8/8/g1g5/8/8"]  # who may become king
    xboard.send("usermove c3c3")
    assert after_ping(xboard) == ["Illegal move: c3c3", "move c3e4,e4c3k", "move @@@@"]
    xboard.send("lift c3")
    assert after_ping(xboard) == ["highlight 8/8/8/8/1YYY4/1Y1Y4/1YYY4/8"]
    xboard.send("usermove c3c4")
    assert any(line.startswith("move ") for line in after_ping(xboard))
    ranks = xboard.engine.session.game.fen().split("/")  # after the engine's reply
    assert ranks[4].startswith("2K") and ranks[5] == "R7", "not the rook on the lowest square"


# In XBoard


def enter(variant: str, folder: Path, moves: Callable[[Game], list[str]], fen: str = "") -> tuple[list[str], Game, str]:
    """A person's moves, each a drag or two clicks (a letter behind it is what a pawn shall become), chosen when it is his turn.

    Returns all moves as the rules see them, the game, and the position XBoard saved.
    """
    saved = folder / "last.fen"
    begins = " b " in fen  # the engine
    with Desk(variant, folder, "-spf", str(saved), *(["-mode", "MachineBlack"] if begins else []), fen=fen) as desk:
        desk.wait_for("<first : move [^@]" if begins else "<first : (pong 1|highlight)")
        desk.settle()
        for move in moves(desk.view().game):
            at = len(desk.said())
            desk.enter(move)
            if move[:2] != move[2:4] or variant != "ascending":  # an heir is chosen, the move follows
                desk.wait_for("<first : move [^@]", desk.wait_for(">first : usermove", at))
            desk.settle()
        desk.close()
        game = desk.view().game
        replay, texts = Game(game.rules, to_fen(game.rules, game.positions[0])), []
        for number in game.moves:
            texts.append(replay.text(number))
            replay.push(number)
        return texts, game, saved.read_text()


def test_a_coup_is_two_clicks_on_one_man(tmp_path: Path) -> None:
    texts, game, saved = enter("ataturk", tmp_path, lambda game: ["d1d1", "e2e4"])
    assert texts[0] == "K@d1" and texts[2] == "e2e4" and len(texts) == 4
    assert men(saved) == men(game.fen())


@pytest.mark.long
@pytest.mark.parametrize("turn", ["w", "b"])
def test_the_mad_king_is_ones_own_lifted(turn: str, tmp_path: Path) -> None:
    """As a reply, and as the first move of a game, before XBoard has said who plays."""
    chosen: list[str] = []

    def moves(game: Game) -> list[str]:
        drive, king = drive_and_king(game)
        chosen.append(drive)
        return [king + drive[2:]]

    texts, game, saved = enter("madness", tmp_path, moves, f"8/8/4p3/1p1k4/6P1/2P3P1/4P3/R1K5 {turn} - - 0 1")
    assert texts[turn == "b"] == chosen[0] and len(texts) == 2 + (turn == "b")
    assert men(saved) == men(game.fen())


@pytest.mark.long
def test_the_heir_is_two_clicks(tmp_path: Path) -> None:
    texts, game, saved = enter("ascending", tmp_path, lambda game: ["c3c3", "c3c4"], "4k3/8/8/8/8/R1R5/7P/r3K3 b - - 0 1")
    assert texts[:2] == ["a1e1", "K@c3,c3c4"] and len(texts) == 3
    assert men(saved) == men(game.fen())


@pytest.mark.long
@pytest.mark.parametrize(("variant", "fen", "move"), [
    ("madness", "8/7k/1P6/1p6/8/8/4P3/2K5 b - - 0 1", "b6a7n"),  # on the a-file, where XBoard knows of no promotion
    ("ataturk", "4k3/P6p/8/8/8/8/8/4K3 b - - 0 1", "a7a8r"),
    ("shatar", "4k3/P4p2/8/8/8/8/8/4K1J1 b - - 0 1", "a7a8"),  # to a berse, without a question
])
def test_promotion_is_a_choice(variant: str, fen: str, move: str, tmp_path: Path) -> None:
    texts, game, saved = enter(variant, tmp_path, lambda game: [move], fen)
    assert texts[1] == (move if len(move) == 5 else f"{move}j")
    assert men(saved) == men(game.fen())


@pytest.mark.long
def test_a_pawn_that_stays_one_is_not_shown_as_a_queen(tmp_path: Path) -> None:
    texts, game, saved = enter("madness-legan", tmp_path, lambda game: ["f7e8"], "7k/5P2/8/2p2p2/5P2/8/8/K7 b - - 0 1")
    assert texts[1] == "f7e8" and len(texts) == 3
    assert men(saved) == men(game.fen())


@pytest.mark.long
@pytest.mark.parametrize("variant", ["ataturk", "ascending"])
def test_castling(variant: str, tmp_path: Path) -> None:
    texts, game, saved = enter(variant, tmp_path, lambda game: ["e1g1"], "4k3/p6p/8/8/8/8/P6P/4K2R b K - 0 1")
    assert texts[1] == "e1g1"
    assert men(saved) == men(game.fen())


@pytest.mark.long
def test_what_the_engine_refuses_is_taken_back(tmp_path: Path) -> None:
    """A move that only our rules forbid: the engine marks where the piece may go, so XBoard does not even send it."""
    with Desk("shatar", tmp_path) as desk:
        desk.wait_for("<first : pong 1")
        desk.settle()
        desk.enter("e2e4")
        desk.settle()
        assert not any(">first : usermove" in line for line in desk.said())
        at = len(desk.said())
        desk.enter("d2d4")
        desk.wait_for("<first : move d7d5", at)
