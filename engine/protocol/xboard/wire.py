"""Our moves as plies that XBoard can relay and show, and back; nothing else in the engine knows of it.

XBoard keeps a board and a side to move, changes the side with every ply, and knows pieces that move and passes. So

    an overthrow K@d8         is one ply with two legs over an empty square, `d8e5,e5d8`;
    the opponent's king, e8e6 is three plies: a pass, the king's step by its owner, a pass;
    an ascension K@d8         is two plies: `d8e5,e5d8k` by its owner, a pass of the opponent. It follows the capture of the
                              king, or comes before the move of the side whose king was taken; it may be left out.

XBoard hands on White's two legs as they are. Of Black's it garbles the squares: `d8d8,e5c8`, even `a5`b5`. So a move is
read as two-legged when its first leg goes nowhere or its second returns to where the first began; the rest means nothing.
A person's two clicks on one man arrive as `d8d8`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import MoveError
from engine.squares import SQUARES, square_name

if TYPE_CHECKING:
    from engine.game import Game
    from engine.rules import Rules
    from engine.text import Position

PASS = "@@@@"
SQUARE = "[a-h][1-8]"
# A move, or what XBoard makes of one: the squares of a second leg may be anything that fits into two characters each.
MOVE = re.compile(rf"(?:K@{SQUARE},)?{SQUARE}{SQUARE}[a-z]?|[A-Z]@{SQUARE}|@@@@|[O0]-[O0](?:-[O0])?"
                  rf"|{SQUARE}{SQUARE},[!-~]{{2,8}}", re.ASCII)
_LEGS = re.compile(rf"({SQUARE})({SQUARE})(?:,([!-~]{{2,8}}))?", re.ASCII)
_MIDDLES = ("e4", "d5", "e5", "d4")  # where the first leg of a two-legged move goes, if it is empty


class Ply(NamedTuple):
    """One ply of XBoard's, and what reading it led to."""

    text: str
    move: int | None  # the move of ours that it completed
    stage: Stage  # before it


class Stage(NamedTuple):
    """What was begun and is not complete: nothing, where `name` is empty."""

    name: str = ""  # passed, driven, crowned or chosen
    value: int = 0  # driven: the move; crowned, chosen: the heir's square
    bare: int = 0  # sides (1 White, 2 Black) whose king is none on XBoard's board


class Wire:
    """The plies of one game since its start position, and the moves that they stand for."""

    def __init__(self, plain: bool = False):
        self.plain = plain  # the other side is no XBoard: a move is one ply, written as everywhere
        self.plies: list[Ply] = []
        self.stage = Stage()

    def begin(self, game: Game, fen: str | None = None) -> None:
        """A new game, from a FEN as it was sent: a king that its side lacks there is none on XBoard's board either."""
        self.plies.clear()
        board = (fen or "").split(" ")[0]
        bare = 0
        if game.rules.succession and fen:
            bare = (1 << game.turn) if "Kk"[game.turn] not in board else 0
        self.stage = Stage(bare=bare)

    @property
    def waiting(self) -> bool:
        """Whether more plies must come before there is a move."""
        return self.stage.name not in ("", "chosen")

    def turn(self, game: Game) -> int:
        """Whose turn it is on XBoard's board."""
        return game.turn ^ (self.stage.name in ("passed", "crowned"))

    def undo(self) -> int | None:
        """Take the last ply back: the move it had completed, None where it was only a part. Raises IndexError."""
        ply = self.plies.pop()
        self.stage = ply.stage
        return ply.move

    def add(self, game: Game, text: str) -> int | None:
        """Take over a ply: the move it completes, None where more must come. Raises MoveError and changes nothing.

        The move is not made here; the game stands before it.
        """
        move, stage = self.read(game, text)
        self._keep(text, move, stage)
        return move

    def _keep(self, text: str, move: int | None, stage: Stage) -> None:
        self.plies.append(Ply(text, move, self.stage))
        self.stage = stage

    # Reading

    def read(self, game: Game, text: str) -> tuple[int | None, Stage]:
        """What a ply completes, and what is then begun. Raises MoveError."""
        rules, stage = game.rules, self.stage
        if rules.driven_king and not self.plain:
            if stage.name == "driven":
                if text != PASS:
                    raise MoveError(f"illegal move {text!r}: the pass after {game.text(stage.value)} is missing")
                return stage.value, Stage()
            if stage.name == "passed":
                return None, Stage("driven", self._drive(game, text))
            if text == PASS:
                return None, Stage("passed")
        if rules.succession and not self.plain:
            found = self._ascension(game, text)
            if found is not None:
                return None, found
        legs = _two_legs(text)
        if legs and not rules.title_order:
            raise MoveError(f"illegal move {text!r}")
        if stage.name == "chosen" and "," not in text:
            text = f"K@{square_name(stage.value)},{text}"
        move = game.parse(f"K@{legs}" if legs else text)
        return move, self._after(game, move)

    def _drive(self, game: Game, text: str) -> int:
        """The move of the opponent's king that its step names. Raises MoveError."""
        from engine.core.moves import DRIVE, KIND

        move = game.parse(text)
        if move >> KIND & 15 != DRIVE:
            raise MoveError(f"illegal move {text!r} after a pass")
        return move

    def _ascension(self, game: Game, text: str) -> Stage | None:
        """The stage after a ply that is part of an ascension, None for one that is not. Raises MoveError."""
        stage, us = self.stage, game.turn
        if stage.name == "passed":  # the opponent's heir, shown late
            square = _two_legs(text)
            if square is None or square != _king(game, 1 - us):
                raise MoveError(f"illegal move {text!r} after a pass")
            return Stage(bare=stage.bare & ~(2 >> us))
        if stage.name == "crowned":
            if text != PASS:
                raise MoveError(f"illegal move {text!r}: the opponent's pass after an ascension is missing")
            bare = stage.bare & ~(1 << us)
            return Stage(bare=bare) if _king(game, us) else Stage("chosen", stage.value, bare)
        if text == PASS and stage.bare & (2 >> us):
            return Stage("passed", bare=stage.bare)
        square = _two_legs(text) if "," in text else None  # two clicks on one man are a person's, and XBoard is to show more
        if square is None or not stage.bare & 1 << us or stage.name == "chosen":
            return None

        named = [heir for heir in heirs(game) if square_name(heir) == square]
        if named:
            return Stage("crowned", named[0], stage.bare)
        if square == _king(game, us):
            return Stage("crowned", 0, stage.bare)
        return None

    def _after(self, game: Game, move: int) -> Stage:
        """What stands unfinished on XBoard's board after a move."""
        if not game.rules.succession:
            return Stage()
        us, bare = game.turn, self.stage.bare
        if _king_square(game.rules, game.pos, 1 - us) == move >> 6 & 63:
            bare |= 2 >> us
        return Stage(bare=bare)

    # Writing

    def write(self, game: Game, move: int, spell: str, person: bool) -> list[str]:
        """The plies of a legal move, kept as played; the game stands before it. A move begun elsewhere must be complete.

        spell: the move as XBoard writes it where one ply says all. person: the opponent is one, who cannot show that his
        king is succeeded; an engine does so itself.
        """
        from engine.core.legality import position_after

        texts = self._plies(game, move, spell)
        *first, last = texts
        for text in first:
            self.add(game, text)
        self._keep(last, move, self._after(game, move))
        if person and game.rules.succession and not self.plain:
            after = position_after(game.rules, game.pos, move)
            heir = _king_square(game.rules, after, 1 - game.turn)
            if self.stage.bare & (2 >> game.turn) and heir is not None:
                shown = [two_legs(game.rules, after, heir, "k"), PASS]
                self._keep(shown[0], None, Stage("crowned", 0, self.stage.bare))
                self._keep(PASS, None, Stage(bare=self.stage.bare & ~(2 >> game.turn)))
                texts += shown
        return texts

    def _plies(self, game: Game, move: int, spell: str) -> list[str]:
        from engine.core.moves import DRIVE, HAS_HEIR, HEIR, KIND, NAMING

        if self.plain:
            return [spell]
        rules, kind, us = game.rules, move >> KIND & 15, game.turn
        if kind == DRIVE:
            return [PASS, spell, PASS]
        if kind == NAMING:
            return [two_legs(rules, game.pos, move & 63)]
        before: list[str] = []
        if rules.succession and self.stage.name != "chosen":
            king = _king_square(rules, game.pos, us)
            if move >> HAS_HEIR & 1:
                before = [two_legs(rules, game.pos, move >> HEIR & 63, "k"), PASS]
            elif self.stage.bare & 1 << us and king is not None:
                before = [two_legs(rules, game.pos, king, "k"), PASS]
            theirs = _king_square(rules, game.pos, 1 - us)
            if self.stage.bare & (2 >> us) and theirs is not None:
                before += [PASS, two_legs(rules, game.pos, theirs, "k")]
        heir = f"K@{square_name(move >> HEIR & 63)}," if move >> HAS_HEIR & 1 else ""
        return [*before, spell.removeprefix(heir)]

    def choose(self, game: Game, square: int) -> list[str]:
        """The plies that make one's heir of choice king on XBoard's board, kept as played."""
        texts = [two_legs(game.rules, game.pos, square, "k"), PASS]
        for text in texts:
            self.add(game, text)
        return texts


def heirs(game: Game) -> list[int]:
    """Squares of those the side to move has to choose its king from; empty where there is nothing to choose."""
    from engine.core.moves import HAS_HEIR, HEIR
    from engine.text import legal_moves

    if not game.rules.succession or _king(game, game.turn):
        return []
    return sorted({int(move) >> HEIR & 63 for move in legal_moves(game.rules, game.pos) if int(move) >> HAS_HEIR & 1})


def two_legs(rules: Rules, pos: Position, square: int, suffix: str = "") -> str:
    """`d8e5,e5d8`: a man leaves its square and comes back, over one that is empty."""
    from engine.rules import BLACK, WHITE

    occupied = int(pos[WHITE] | pos[BLACK])
    names = [*_MIDDLES, *map(square_name, range(64))]
    middle = next(name for name in names if not occupied >> SQUARES[name] & 1)
    return f"{square_name(square)}{middle},{middle}{square_name(square)}{suffix}"


def _two_legs(text: str) -> str | None:
    """The square of the man that a two-legged move leaves where it is."""
    match = _LEGS.fullmatch(text)
    if match is None:
        return None
    start, middle, rest = match.groups()
    if start == middle or (rest and rest[2:4] == start):
        return start
    return None


def _king_square(rules: Rules, pos: Position, side: int) -> int | None:
    from engine.rules import WHITE

    king = rules.traits.king
    men = int(pos[king.word]) & int(pos[WHITE + side]) if king is not None else 0
    return men.bit_length() - 1 if men else None


def _king(game: Game, side: int) -> str:
    """The name of the king's square, empty where there is none."""
    square = _king_square(game.rules, game.pos, side)
    return "" if square is None else square_name(square)
