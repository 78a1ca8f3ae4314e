"""Translates our moves into plies that XBoard can relay and show, and back.

XBoard keeps a board and a side to move, which changes with every ply, and knows pieces that move and passes. So

    a naming, K@d8                    is one ply with two legs over an empty square, `d8e5,e5d8`;
    a move of the opponent's king     is three plies: a pass, the king's step by its owner, a pass;
    an ascension (a piece is made     is two plies: `d8e5,e5d8k` by its owner, a pass of the opponent. It follows the capture
    king), K@d8                       of the king, or comes before the next move of its side; it may be left out.

XBoard relays White's two legs unchanged, but garbles the squares of Black's: `d8d8,e5c8`, even `a5`b5`. So a move is taken
for two-legged if its first leg goes nowhere or its second leg ends where the first began; the other squares mean nothing.
Two clicks on one piece arrive as `d8d8`.

XBoard makes every pawn on the last rank a queen, and relays `c2d1q`. A Legan pawn does not promote on all of that rank: for one
that stays a pawn we send `c2d1p`, which XBoard shows and relays as it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from engine.errors import MoveError
from engine.squares import FILES, SQUARES, square_name

if TYPE_CHECKING:
    from engine.game import Game
    from engine.rules import Rules

PASS = "@@@@"
SQUARE = "[a-h][1-8]"
# A move, or what XBoard makes of one: each square of a second leg may be any two characters.
MOVE = re.compile(rf"(?:K@{SQUARE},)?{SQUARE}{SQUARE}[a-z]?|[A-Z]@{SQUARE}|@@@@|[O0]-[O0](?:-[O0])?"
                  rf"|{SQUARE}{SQUARE},[!-~]{{2,8}}", re.ASCII)
_LEGS = re.compile(rf"({SQUARE})({SQUARE})(?:,([!-~]{{2,8}}))?", re.ASCII)
_MIDDLES = ("e4", "d5", "e5", "d4")  # preferred targets of a first leg, if empty


def sent_whole(rules: Rules) -> bool:
    """Whether every move of the game is one ply, written as in UCI."""
    return not (rules.driven_king or rules.succession or rules.title_order)


class Ply(NamedTuple):
    """One ply of XBoard, and what it was."""

    text: str
    move: int | None  # our move that it completed
    stage: Stage  # before it


class Stage(NamedTuple):
    """A move that is begun and not complete; none if `name` is empty."""

    name: str = ""  # passed, driven, crowned or chosen
    value: int = 0  # driven: the move; crowned, chosen: the square of the heir
    bare: int = 0  # sides (1 White, 2 Black) that have no king on XBoard's board


class Wire:
    """The plies of one game since its start position, and the moves that they stand for.

    plain: the other side is not XBoard; a move is one ply, written as in UCI.
    """

    def __init__(self, plain: bool = False):
        self.plain = plain
        self.plies: list[Ply] = []
        self.stage = Stage()

    def begin(self, game: Game, fen: str | None = None) -> None:
        """Start a game, from a FEN as it was sent: a side without a king there has none on XBoard's board either."""
        self.plies.clear()
        board = (fen or "").split(" ")[0]
        bare = 0
        if game.rules.succession and fen:
            bare = (1 << game.turn) if "Kk"[game.turn] not in board else 0
        self.stage = Stage(bare=bare)

    @property
    def waiting(self) -> bool:
        """Whether more plies must come to complete a move."""
        return self.stage.name not in ("", "chosen")

    def turn(self, game: Game) -> int:
        """The side to move on XBoard's board: 0 White, 1 Black."""
        return game.turn ^ (self.stage.name in ("passed", "crowned"))

    def undo(self) -> int | None:
        """Take the last ply back, and return the move it had completed, or None. Raises IndexError if there is no ply."""
        ply = self.plies.pop()
        self.stage = ply.stage
        return ply.move

    def add(self, game: Game, text: str) -> int | None:
        """Add a ply, and return the move it completes, or None if more must come. Raises MoveError, changing nothing.

        game: before the move, which is not made here.
        """
        move, stage = self.read(game, text)
        self._keep(text, move, stage)
        return move

    def _keep(self, text: str, move: int | None, stage: Stage) -> None:
        self.plies.append(Ply(text, move, self.stage))
        self.stage = stage

    # Reading

    def read(self, game: Game, text: str) -> tuple[int | None, Stage]:
        """Return the move that a ply completes, or None, and the stage after it. Raises MoveError."""
        rules = game.rules
        if rules.driven_king and not self.plain:
            if self.stage.name or text == PASS:
                return self._drive(game, text)
        if rules.succession and not self.plain:
            stage = self._ascension(game, text)
            if stage is not None:
                return None, stage
        legs = _two_legs(text)
        if legs and not rules.title_order:
            raise MoveError(f"illegal move {text!r}")
        if self.stage.name == "chosen" and "," not in text:
            text = f"K@{square_name(self.stage.value)},{text}"
        if not self.plain and _is_false_promotion(game, text):
            text = text[:4]
        move = game.parse(f"K@{legs}" if legs else text)
        return move, self._after(game, move)

    def _drive(self, game: Game, text: str) -> tuple[int | None, Stage]:
        """As read(), for a ply of a move of the opponent's king: its step between two passes. Raises MoveError."""
        if not self.stage.name:
            return None, Stage("passed")
        if self.stage.name == "passed":
            move = game.parse(text)
            if game.parts(move).kind != "drive":
                raise MoveError(f"illegal move {text!r} after a pass")
            return None, Stage("driven", move)
        if text != PASS:
            raise MoveError(f"illegal move {text!r}: the pass after {game.text(self.stage.value)} is missing")
        return self.stage.value, Stage()

    def _ascension(self, game: Game, text: str) -> Stage | None:
        """The stage after a ply that is part of an ascension; None for any other ply. Raises MoveError."""
        stage, us = self.stage, game.turn
        if stage.name == "passed":  # the opponent's new king, shown late
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
        if "," not in text or not stage.bare & 1 << us or stage.name == "chosen":
            return None  # two clicks, `d8d8`, too: mouse.py makes XBoard show the new king
        return self._crowning(game, _two_legs(text))

    def _crowning(self, game: Game, square: str | None) -> Stage | None:
        """The stage after one's own piece on a square was shown as king; None if it can neither be nor become king."""
        if square is None:
            return None
        for heir in heirs(game):
            if square_name(heir) == square:
                return Stage("crowned", heir, self.stage.bare)
        return Stage("crowned", 0, self.stage.bare) if square == _king(game, game.turn) else None

    def _after(self, game: Game, move: int) -> Stage:
        """The stage after a complete move."""
        if not game.rules.succession:
            return Stage()
        us, bare = game.turn, self.stage.bare
        if game.king(1 - us) == game.parts(move).target:
            bare |= 2 >> us
        return Stage(bare=bare)

    # Writing

    def write(self, game: Game, move: int, spelled: str, person: bool) -> list[str]:
        """The plies of a legal move of ours, which are added. A move begun otherwise must be complete.

        game: before the move; spelled: the move as XBoard writes it if one ply is enough;
        person: the opponent is one, so the new king after a capture is shown for him; an engine shows it itself.
        """
        texts = self._plies(game, move, spelled)
        *first, last = texts
        for text in first:
            self.add(game, text)
        self._keep(last, move, self._after(game, move))
        if person and game.rules.succession and not self.plain:
            texts += self._show_new_king(game, move)
        return texts

    def _show_new_king(self, game: Game, move: int) -> list[str]:
        """The plies by which the opponent shows the new king that he has after our move, added; none if he needs none."""
        after = game.copy(stack=False)
        after.push(move)
        square, bit = after.king(after.turn), 2 >> game.turn
        if not self.stage.bare & bit or square is None:
            return []
        texts = [two_legs(after, square, "k"), PASS]
        self._keep(texts[0], None, Stage("crowned", 0, self.stage.bare))
        self._keep(PASS, None, Stage(bare=self.stage.bare & ~bit))
        return texts

    def _plies(self, game: Game, move: int, spelled: str) -> list[str]:
        if self.plain:
            return [spelled]
        parts = game.parts(move)
        if parts.kind == "drive":
            return [PASS, spelled, PASS]
        if parts.kind == "naming":
            return [two_legs(game, parts.origin)]
        if parts.kind != "promotion" and reaches_last_rank(game, parts.origin, parts.target):
            spelled += "p"
        before = self._missing_kings(game, parts.heir) if game.rules.succession and self.stage.name != "chosen" else []
        prefix = "" if parts.heir is None else f"K@{square_name(parts.heir)},"
        return [*before, spelled.removeprefix(prefix)]

    def _missing_kings(self, game: Game, heir: int | None) -> list[str]:
        """The plies that show the kings missing on XBoard's board before a move; heir: what the move makes king."""
        us, texts = game.turn, []
        ours = game.king(us) if self.stage.bare & 1 << us else None
        theirs = game.king(1 - us) if self.stage.bare & (2 >> us) else None
        if heir is not None:
            ours = heir
        if ours is not None:
            texts += [two_legs(game, ours, "k"), PASS]
        if theirs is not None:
            texts += [PASS, two_legs(game, theirs, "k")]
        return texts

    def choose(self, game: Game, square: int) -> list[str]:
        """The plies that make a chosen heir king on XBoard's board, which are added."""
        texts = [two_legs(game, square, "k"), PASS]
        for text in texts:
            self.add(game, text)
        return texts

    def allows(self, game: Game, move: int) -> bool:
        """Whether a legal move agrees with the heir that was made king on XBoard's board, if any."""
        return self.stage.name != "chosen" or game.parts(move).heir in (None, self.stage.value)

    def moves_with_heir(self, game: Game) -> tuple[int, ...]:
        """The legal moves with the heir that was made king on XBoard's board; none if there was no choice."""
        if self.stage.name != "chosen":
            return ()
        return tuple(move for move in game.legal_numbers() if game.parts(move).heir == self.stage.value)


def reaches_last_rank(game: Game, origin: int, target: int) -> bool:
    """Whether a pawn of the side to move steps onto the rank on which XBoard promotes."""
    pawn = game.rules.traits.pawn
    if pawn is None or not int(game.pos[pawn.word]) >> origin & 1:
        return False
    return target // len(FILES) == (0 if game.turn else game.rules.ranks - 1)


def _is_false_promotion(game: Game, text: str) -> bool:
    """Whether XBoard has added the letter of a promotion to the move of a pawn that remains one."""
    if len(text) != 5 or text[:2] not in SQUARES or text[2:4] not in SQUARES:
        return False
    return reaches_last_rank(game, SQUARES[text[:2]], SQUARES[text[2:4]]) and game.is_legal(text[:4])


def spell(game: Game, move: int, chess960: bool) -> str:
    """A move as XBoard writes it: as in UCI, but castling is O-O if the squares of the king would not tell it."""
    parts = game.parts(move)
    if parts.kind == "castling" and (chess960 or parts.origin % len(FILES) != game.rules.files // 2):
        return "O-O" if parts.target > parts.origin else "O-O-O"
    return game.text(move)


def unspell(game: Game, text: str) -> str:
    """O-O and O-O-O as squares; any other move unchanged. Raises MoveError."""
    if "-" not in text:
        return text
    for move in game.legal_numbers():
        parts = game.parts(move)
        if parts.kind == "castling" and (parts.target > parts.origin) == (len(text) == 3):
            return game.text(move)
    raise MoveError(f"illegal move {text!r}")


def heirs(game: Game) -> list[int]:
    """Squares of the pieces among which the side to move must choose its king; empty if there is nothing to choose."""
    if not game.rules.succession or _king(game, game.turn):
        return []
    found = {game.parts(move).heir for move in game.legal_numbers()}
    return sorted(heir for heir in found if heir is not None)


def two_legs(game: Game, square: int, suffix: str = "") -> str:
    """`d8e5,e5d8`: a piece leaves its square and comes back, over an empty one."""
    occupied = game.pieces()
    names = [*_MIDDLES, *map(square_name, game.rules.traits.geometry.squares)]
    middle = next(name for name in names if not occupied >> SQUARES[name] & 1)
    return f"{square_name(square)}{middle},{middle}{square_name(square)}{suffix}"


def _two_legs(text: str) -> str | None:
    """The name of the square from which a two-legged move starts and to which it returns; None for any other move."""
    match = _LEGS.fullmatch(text)
    if match is None:
        return None
    start, middle, rest = match.groups()
    if start == middle or (rest and rest[2:4] == start):
        return str(start)
    return None


def _king(game: Game, side: int) -> str:
    """The name of the square of a side's king; empty if it has none."""
    square = game.king(side)
    return "" if square is None else square_name(square)
