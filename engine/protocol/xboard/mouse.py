"""A person's mouse in XBoard: where the man that was lifted may go, what a pawn becomes, and what an odd click means.

XBoard sends `lift e2`, `put e4`, `hover e4`; the answers are a `highlight` and a `choice`. A highlight is a FEN of colours: a
capital marks a square where the man may be put, and once there is one, no other square will do; a small letter only marks.

    overthrow             put the man back where it stood                            green
    the opponent's king   lift one's own and put it where the other one shall go     green: never next to one's own king,
                                                                                     so it cannot be mistaken
    the choice of an heir put the heir back where it stood, then move                green
    promotion             a choice, on whatever square it happens                    magenta
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.protocol.xboard.wire import Wire, heirs
from engine.squares import parse_square

if TYPE_CHECKING:
    from engine.game import Game

QUIET, CAPTURE, SPECIAL, PROMOTES = "Y", "R", "G", "M"
HOLDER, ROYAL, HEIR = "m", "b", "g"  # marks: who holds the rotating title, a king who is royal besides, who may become king


def lift(game: Game, wire: Wire, square: int, native: bool) -> str:
    """The highlight for a man that was lifted from a square; native: XBoard knows the game and asks for promotions itself."""
    from engine.core.moves import NAMING, PROMOTION
    from engine.rules import BLACK, WHITE

    own = int(game.pos[WHITE + game.turn])
    occupied = int(game.pos[WHITE] | game.pos[BLACK])
    # Marks on one's own men would keep them from being picked up instead of the one in hand.
    found = {marked: colour for marked, colour in marks(game, wire).items() if not own >> marked & 1}
    candidates = [] if wire.stage.name == "chosen" else heirs(game)
    if candidates:
        if square in candidates:
            found[square] = SPECIAL
        return colours(found)
    for _, kind, origin, target in _moves(game, wire):
        if origin == square:
            found[target] = CAPTURE if occupied >> target & 1 else QUIET
            if kind == PROMOTION and not native and len(promotions(game, wire, square, target)) > 1:
                found[target] = PROMOTES
            if kind == NAMING:
                found[target] = SPECIAL
    for target in drives(game, wire, square):
        found[target] = SPECIAL
    return colours(found)


def promotions(game: Game, wire: Wire, origin: int, target: int) -> str:
    """What a pawn that was lifted from one square and put on the other may become, as letters; empty where it stays one."""
    from engine.core.moves import PROMOTES as BECOMES
    from engine.core.moves import PROMOTION

    letters = {game.rules.letters[move >> BECOMES & 15] for move, kind, start, goal in _moves(game, wire)
               if kind == PROMOTION and (start, goal) == (origin, target)}
    return "".join(sorted(letters, key=(game.rules.pawn.promotes_to if game.rules.pawn else "").index))


def drives(game: Game, wire: Wire, square: int) -> dict[int, int]:
    """The moves of the opponent's king by their target, for a person who has lifted his own from a square."""
    from engine.core.moves import DRIVE, KIND, TO
    from engine.rules import TURN, WHITE
    from engine.text import legal_moves

    rules, pos = game.rules, game.pos
    king = rules.traits.king
    if not rules.driven_king or king is None or wire.stage.name:
        return {}
    if not int(pos[king.word]) & int(pos[WHITE + int(pos[TURN])]) & 1 << square:
        return {}
    return {int(move) >> TO & 63: int(move) for move in legal_moves(rules, pos) if int(move) >> KIND & 15 == DRIVE}


def chosen_heir(game: Game, wire: Wire, text: str) -> int | None:
    """The man whom a person has made king by putting him back where he stood."""
    if wire.stage.name == "chosen" or text[:2] != text[2:4]:
        return None
    return next((heir for heir in heirs(game) if parse_square(text[:2]) == heir), None)


def marks(game: Game, wire: Wire) -> dict[int, str]:
    """What must be seen and no picture shows, by square: who is royal (two colours where there are two), who may be king."""
    from engine.core.bits import squares
    from engine.rules import ROYAL as HOLDERS

    if not game.rules.title_order:
        return {} if wire.stage.name == "chosen" else dict.fromkeys(heirs(game), HEIR)
    found = {square: ROYAL for piece in game.rules.traits.royals for square in squares(int(game.pos[piece.word]))}
    return found | dict.fromkeys(squares(int(game.pos[HOLDERS])), HOLDER)


def colours(found: dict[int, str]) -> str:
    """The line for XBoard.

    >>> colours({4: "m", 60: "G"})
    'highlight 4G3/8/8/8/8/8/8/4m3'
    """
    rows = []
    for rank in range(7, -1, -1):
        row, gap = "", 0
        for square in range(rank * 8, rank * 8 + 8):
            if square in found:
                row += (str(gap) if gap else "") + found[square]
                gap = 0
            else:
                gap += 1
        rows.append(row + (str(gap) if gap else ""))
    return "highlight " + "/".join(rows)


def _moves(game: Game, wire: Wire) -> list[tuple[int, int, int, int]]:
    """(move, kind, origin, target) of what the person may play by moving a man of his own; castling by its goals."""
    from engine.core.moves import CASTLE, DRIVE, HAS_HEIR, HEIR, KIND, TO
    from engine.text import legal_moves

    found = []
    for move in map(int, legal_moves(game.rules, game.pos)):
        kind, origin, target = move >> KIND & 15, move & 63, move >> TO & 63
        if kind == DRIVE or (wire.stage.name == "chosen" and move >> HAS_HEIR & 1 and move >> HEIR & 63 != wire.stage.value):
            continue
        if kind == CASTLE:
            if game.chess960:  # there the king is put on the rook
                found.append((move, kind, origin, target))
            target = (target & 56) + (6 if target > origin else 2)
        found.append((move, kind, origin, target))
    return found
