"""A user's mouse in XBoard: where a piece may go, what a pawn may become, and clicks with a meaning of their own.

XBoard sends `lift e2`, `put e4`, `hover e4`; the answers are a `highlight` and a `choice`. A highlight is a FEN of colours. A
capital marks a square where the piece may be put, and if there is one, no other square is accepted; a small letter only marks.

    naming                put the piece back where it stood                         green
    the opponent's king   lift your own king and put it where the other shall go    green: never next to your own king, so it
                                                                                    is no move of yours
    choosing an heir      put the heir back where it stood, then move               green
    promotion             a choice, on whatever square it happens                   magenta
    a pawn that remains   put it on the last rank                                   blue: XBoard asks nothing, and takes the
    one on the last rank                                                            first letter of the choice, P
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from engine.protocol.xboard.wire import Wire, heirs, reaches_last_rank
from engine.squares import parse_square

if TYPE_CHECKING:
    from engine.game import Game
    from engine.rules import Rules

QUIET, CAPTURE, SPECIAL, PROMOTES, REMAINS = "Y", "R", "G", "M", "B"
HOLDER, ROYAL, HEIR = "m", "b", "g"  # who holds the rotating title; who is royal besides; who may become king


class _Step(NamedTuple):
    """What a user can play by moving a piece of his own."""

    kind: str  # as in MoveParts
    origin: int
    target: int
    promotes_to: str


def lift(game: Game, wire: Wire, square: int, native: bool) -> str:
    """The highlight for a piece lifted from a square; native: XBoard knows the game, and asks for promotions itself."""
    own, occupied = game.pieces(game.turn), game.pieces()
    # Marks on your own pieces would keep you from picking up another one instead.
    found = {marked: colour for marked, colour in marks(game, wire).items() if not own >> marked & 1}
    candidates = [] if wire.stage.name == "chosen" else heirs(game)
    if candidates:
        if square in candidates:
            found[square] = SPECIAL
        return highlight(game.rules, found)
    for kind, origin, target, _ in _steps(game, wire):
        if origin == square:
            found[target] = CAPTURE if occupied >> target & 1 else QUIET
            if kind == "promotion" and not native and len(choices(game, wire, square, target)) > 1:
                found[target] = PROMOTES
            if kind == "naming":
                found[target] = SPECIAL
            if not native and kind != "promotion" and reaches_last_rank(game, square, target):
                found[target] = REMAINS
    for target in drives(game, wire, square):
        found[target] = SPECIAL
    return highlight(game.rules, found)


def choices(game: Game, wire: Wire, origin: int, target: int) -> str:
    """Letters of what a pawn lifted from one square and put on another may become; empty if there is nothing to choose.

    `P` if it remains a pawn on the last rank: without a choice, XBoard would make it a queen.
    """
    steps = [step for step in _steps(game, wire) if (step.origin, step.target) == (origin, target)]
    letters = {step.promotes_to for step in steps if step.kind == "promotion"}
    if steps and not letters and reaches_last_rank(game, origin, target):
        return "P"
    return "".join(sorted(letters, key=(game.rules.pawn.promotes_to if game.rules.pawn else "").index))


def drives(game: Game, wire: Wire, square: int) -> dict[int, int]:
    """The moves of the opponent's king by their targets, for a user who lifted his own king from the square."""
    if not game.rules.driven_king or wire.stage.name or game.king(game.turn) != square:
        return {}
    parts = ((move, game.parts(move)) for move in game.legal_numbers())
    return {each.target: move for move, each in parts if each.kind == "drive"}


def chosen_heir(game: Game, wire: Wire, text: str) -> int | None:
    """The square of the piece that a user made king by putting it back where it stood; None if he did not."""
    if wire.stage.name == "chosen" or text[:2] != text[2:4]:
        return None
    square = parse_square(text[:2])
    return square if square in heirs(game) else None


def marks(game: Game, wire: Wire) -> dict[int, str]:
    """Colours by square for what no picture shows: who is royal if there are titles, and who may become king."""
    if not game.rules.title_order:
        return {} if wire.stage.name == "chosen" else dict.fromkeys(heirs(game), HEIR)
    return dict.fromkeys(game.royal_squares(), ROYAL) | dict.fromkeys(game.title_holders(), HOLDER)


def highlight(rules: Rules, found: dict[int, str]) -> str:
    """The line for XBoard, from colours by square.

    >>> from variants import find
    >>> highlight(find("chess"), {4: "m", 60: "G"})
    'highlight 4G3/8/8/8/8/8/8/4m3'
    """
    from engine.text.fen import board_field  # not at the top: it imports numba, and XBoard waits for our greeting

    return "highlight " + board_field(rules, lambda square: found.get(square, ""))


def _steps(game: Game, wire: Wire) -> list[_Step]:
    """The moves with a piece of one's own; castling by the king's target."""
    found = []
    for move in game.legal_numbers():
        kind, origin, target, promotes_to, _ = game.parts(move)
        if kind == "drive" or not wire.allows(game, move):
            continue
        if kind == "castling":
            if game.chess960:  # there the king is put on the rook
                found.append(_Step(kind, origin, target, ""))
            target = game.destination(move)
        found.append(_Step(kind, origin, target, promotes_to))
    return found
