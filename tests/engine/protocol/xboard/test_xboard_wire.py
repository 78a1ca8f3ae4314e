"""Moves as plies and back, against a model of XBoard: it moves pieces on a board, knows no rules and distorts what it relays.

The model does what GUI.md measured: a ply changes the side to move; a pass changes nothing else; a two-legged move leaves the
board alone but for its suffix; Black's legs reach the other engine with wrong squares.
"""

from __future__ import annotations

import random

import chess
import pytest

import variants
from engine.core.moves import DRIVE, HAS_HEIR, KIND, NAMING
from engine.errors import MoveError
from engine.game import Game
from engine.protocol.xboard.faces import faces, lines
from engine.protocol.xboard.wire import MOVE, PASS, Wire, heirs

GAMES, PLIES = 3, 90


class Model:
    """XBoard's board."""

    def __init__(self, fen: str, explodes: bool = False):
        self.board = chess.BaseBoard.empty()
        self.letters = {}
        self.explodes = explodes
        for rank, row in zip(range(7, -1, -1), fen.split()[0].split("/"), strict=True):
            file = 0
            for letter in row:
                if letter.isdigit():
                    file += int(letter)
                else:
                    self.letters[chess.square(file, rank)] = letter
                    file += 1
        self.turn = fen.split()[1]

    def play(self, text: str) -> str:
        """Take a ply from one engine; returns what XBoard sends to the other."""
        told = text
        if text != PASS:
            if "," in text:
                told = self._legs(text)
            else:
                self._move(text)
        self.turn = "b" if self.turn == "w" else "w"
        return told

    def _legs(self, text: str) -> str:
        start, middle, back = (chess.parse_square(name) for name in (text[:2], text[2:4], text[7:9]))
        assert start == back and text[5:7] == text[2:4], text
        assert middle not in self.letters, f"{text} would capture"
        assert self.letters[start].isupper() == (self.turn == "w"), f"{text} by the wrong side"
        if len(text) == 10:
            self.letters[start] = text[9].upper() if self.turn == "w" else text[9]
        if self.turn == "w":
            return text[:9]
        return f"{text[:2]}{text[:2]},{text[2:4]}{'abcdefgh`'[chess.square_file(start) - 1]}{chess.square_rank(start) + 1}"

    def _move(self, text: str) -> None:
        origin, target = chess.parse_square(text[:2]), chess.parse_square(text[2:4])
        letter = self.letters.pop(origin)
        assert letter.isupper() == (self.turn == "w"), f"{text} by the wrong side"
        files = chess.square_file(target) - chess.square_file(origin)
        taken = self.letters.pop(target, "")
        if letter in "Pp" and files and not taken:  # en passant, or a pawn that walks aslant
            taken = self.letters.get(target + (-8 if letter == "P" else 8), "")
            if taken in "Pp" and taken.isupper() != letter.isupper() and self.orthodox_pawns:
                del self.letters[target + (-8 if letter == "P" else 8)]
            else:
                taken = ""
        self.letters[target] = letter
        if len(text) == 5:
            self.letters[target] = text[4].upper() if letter.isupper() else text[4]
        if letter in "Kk" and abs(files) == 2 and self.castles:
            rook = target + (1 if files > 0 else -2)
            self.letters[target - files // 2] = self.letters.pop(rook)
        if taken and self.explodes:
            for square in [target, *chess.SquareSet(chess.BB_KING_ATTACKS[target])]:
                if square == target or self.letters.get(square, "p") not in "Pp":
                    self.letters.pop(square, None)

    orthodox_pawns = castles = True

    def men(self) -> str:
        """The board and the side to move, as in a FEN."""
        rows = []
        for rank in range(7, -1, -1):
            row = "".join(self.letters.get(chess.square(file, rank), "1") for file in range(8))
            for gap in range(8, 1, -1):
                row = row.replace("1" * gap, str(gap))
            rows.append(row)
        return f"{'/'.join(rows)} {self.turn}"


def model_of(game: Game) -> Model:
    """XBoard with the position of a game."""
    model = Model(game.fen(), game.rules.captures_explode)
    model.orthodox_pawns = game.rules.pawn is not None and game.rules.pawn.step == "fW"
    model.castles = game.rules.castling
    return model


@pytest.mark.parametrize("variant", variants.names())
@pytest.mark.parametrize("person", [False, True])
def test_random_games_over_the_wire(variant: str, person: bool, dice: random.Random, record_property: object) -> None:
    """White's and Black's engines hear the same game, XBoard's board is right after every turn, undo leads back."""
    seen = {NAMING: 0, DRIVE: 0, "heir": 0, "plies": 0}
    for _ in range(GAMES):
        game, wires, told = Game(variant), (Wire(), Wire()), (Game(variant), Game(variant))
        model = model_of(game)
        while game.outcome() is None and len(game.moves) < PLIES:
            moves = game.legal_moves()
            kings = [text for text in moves if is_special(game, text)]
            text = dice.choice(kings if kings and dice.random() < 0.3 else moves)
            move, us = game.parse(text), game.turn
            seen[NAMING] += move >> KIND & 15 == NAMING
            seen[DRIVE] += move >> KIND & 15 == DRIVE
            seen["heir"] += move >> HAS_HEIR & 1
            heard: list[int] = []
            for ply in wires[us].write(told[us], move, text, person):
                seen["plies"] += 1
                relayed = model.play(ply)
                assert MOVE.fullmatch(relayed), relayed
                got = wires[1 - us].add(told[1 - us], relayed)
                if got is not None:
                    heard.append(got)
                    told[1 - us].push(got)
            assert heard == [move], (game.fen(), text)
            told[us].push(move)
            game.push(text)
            if not wires[0].stage.bare:  # else a king is missing there that will be shown with the next move
                assert model.men() == " ".join(game.fen().split()[:2])
            assert wires[0].stage == wires[1].stage
            assert wires[1 - us].turn(told[1 - us]) == game.turn
        for wire, own in zip(wires, told, strict=True):
            assert own.moves == game.moves
            while wire.plies:
                undone = wire.undo()
                if undone is not None:
                    assert own.pop() == undone
            assert not own.moves
    assert callable(record_property)
    record_property("seen", f"{variant}, person {person}: {seen}")
    if variant in ("ataturk", "warmspit"):
        assert seen[NAMING] > 20
    if variant.startswith("madness"):
        assert seen[DRIVE] > 20
    if variant == "ascending":
        assert seen["heir"]


def is_special(game: Game, text: str) -> bool:
    """Whether it is a move that XBoard has no word for, or takes a king."""
    move = game.parse(text)
    king = game.rules.traits.king
    taken = king is not None and int(game.pos[king.word]) >> (move >> 6 & 63) & 1
    return move >> KIND & 15 in (NAMING, DRIVE) or bool(game.rules.succession and taken)


# As GUI.md measured them: what reaches an engine of an overthrow.
@pytest.mark.parametrize("text", ["d1d1", "d1e4,e4d1", "d1e5,e5d1", "d1d1,e4c1", "d1d1,e4`1", "K@d1"])
def test_an_overthrow_in_all_its_forms(text: str) -> None:
    game, wire = Game("ataturk"), Wire()
    move = wire.add(game, text)
    assert move is not None and game.text(move) == "K@d1"


@pytest.mark.parametrize(("variant", "text"), [
    ("ataturk", "d1e4,e4e5"), ("ataturk", "@@@@"), ("ataturk", "e1e1"), ("ataturk", "d1e4"), ("chess", "d1d1"),
    ("chess", "@@@@"), ("chess", "e2e4,e4e2"), ("chess", "e2e2,xxxx"), ("madness", "d1d1"), ("ascending", "d1e4,e4d1k"),
    ("ascending", "e1e4,e4e1k"), ("ascending", "@@@@")])
def test_what_is_no_move(variant: str, text: str) -> None:
    game, wire = Game(variant), Wire()
    before = wire.stage
    with pytest.raises(MoveError):
        wire.add(game, text)
    assert wire.stage == before and not wire.plies


@pytest.mark.parametrize(("fen", "text"), [
    ("8/8/8/1k6/8/6R1/2p5/7K b - - 0 1", "c2d1"), ("k7/5P2/8/8/8/8/8/7K w - - 0 1", "f7e8")])
def test_a_pawn_that_stays_one_on_the_last_rank(fen: str, text: str) -> None:
    """XBoard makes it a queen and says so, unless the move ends in the letter of a pawn."""
    game, wire = Game("madness-legan", fen), Wire()
    move = game.parse(text)
    assert wire.write(game, move, text, False) == [text + "p"]
    for relayed in (text, text + "p", text + "q"):
        wire.begin(game)
        assert wire.add(game, relayed) == move
    with pytest.raises(MoveError):
        Wire(plain=True).add(game, text + "q")
    assert Wire(plain=True).write(game, move, text, False) == [text]


def test_the_opponents_king_ply_by_ply() -> None:
    fen = "8/8/8/3k4/8/8/7P/K7 w - - 0 1"
    game, wire = Game("madness", fen), Wire()
    assert wire.write(game, game.parse("d5f5"), "d5f5", True) == [PASS, "d5f5", PASS]
    wire.begin(game)
    assert wire.add(game, PASS) is None and wire.waiting and wire.turn(game) == 1
    for wrong in ("h2h3", "a1a2", PASS, "d5d6"):
        with pytest.raises(MoveError):
            wire.add(game, wrong)
    assert wire.add(game, "d5f5") is None and wire.turn(game) == 0
    with pytest.raises(MoveError):
        wire.add(game, "h2h3")
    assert wire.undo() is None and wire.add(game, "d5b5") is None
    move = wire.add(game, PASS)
    assert move is not None and game.text(move) == "d5b5" and not wire.waiting


def test_an_ascension_that_comes_late_or_never() -> None:
    """The user has captured a king with one heir: XBoard shows a queen until the engine, whose king it is, moves."""
    fen = "3qk3/8/8/8/8/8/8/K3R3 w - - 0 1"
    game, wire = Game("ascending", fen), Wire()
    move = wire.add(game, "e1e8")
    assert move is not None
    game.push(move)
    assert wire.stage.bare == 2
    reply = game.parse("d8e8")
    assert wire.write(game, reply, "d8e8", True) == ["d8e4,e4d8k", PASS, "d8e8"]
    # Or it is never shown: the next move comes alone, by a piece that only the rules know to be king.
    wire.begin(game, "3qR3/8/8/8/8/8/8/K7 b - - 0 1")
    assert wire.stage.bare == 2
    move = wire.add(game, "d8e8")
    assert move == reply


@pytest.mark.parametrize("plain", [False, True])
def test_castling_as_xboard_spells_it(plain: bool) -> None:
    """In chess960 a king's squares would not say it."""
    game, wire = Game("chess", "4k3/8/8/8/8/8/8/5KR1 w G - 0 1", chess960=True), Wire(plain)
    castle = game.parse("f1g1")
    assert wire.write(game, castle, "O-O", True) == ["O-O"] and wire.undo() == castle


def test_the_choice_of_an_heir() -> None:
    fen = "rr2R3/4p3/8/8/8/8/8/K7 b - - 0 1"
    game, wire = Game("ascending", fen), Wire()
    wire.begin(game, fen)
    assert wire.stage.bare == 2 and heirs(game) == [56, 57]  # a8, b8
    assert wire.write(game, game.parse("K@b8,e7e5"), "K@b8,e7e5", False) == ["b8e4,e4b8k", PASS, "e7e5"]
    wire.begin(game, fen)
    assert wire.choose(game, 57) == ["b8e4,e4b8k", PASS] and wire.stage.name == "chosen"
    move = wire.add(game, "e7e5")
    assert move is not None and game.text(move) == "K@b8,e7e5"
    wire.begin(game, fen)
    move = wire.add(game, "e7e5")  # a person who has not chosen: the lowest square
    assert move is not None and game.text(move) == "K@a8,e7e5"


def test_the_middle_square_is_empty() -> None:
    """All of them taken but one, a legal position all the same."""
    fen = "rnbqkbnr/pppppppp/RNBQRBNR/PPPPPPPP/pppppppp/rnbqrbn1/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    game, wire = Game("ataturk", fen), Wire()
    naming = next(text for text in game.legal_moves() if "@" in text)
    (ply,) = wire.write(game, game.parse(naming), naming, False)
    assert ply == f"{naming[2:]}h3,h3{naming[2:]}"


def test_what_xboard_is_told_of_a_game() -> None:
    for name, face in faces().items():
        if face.setup:
            rules = variants.find(face.variant)
            setup = lines(face, rules.start_fen)[0].split()
            assert setup[0] == "setup" and len(setup) == 9 and setup[3:] == rules.start_fen.split()[:6], name
            pieces = setup[1].strip("()")
            white = pieces[:len(pieces) // 2]
            assert pieces == white + white.lower() and {*white} - {"."} == {*rules.letters}, name
