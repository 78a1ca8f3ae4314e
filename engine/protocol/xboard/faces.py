"""The games as XBoard sees them: names, and for games it does not know, what it must be told before they begin.

`setup` names the pieces in XBoard's order, the last one being the king it guards and castles; the king of the madness games
stands in another place, drawn alike, because there XBoard must let it be moved and left standing in any way. `piece` lines
say how a piece moves, in Betza's notation, White's; XBoard then limits a person's moves to these, so a game that marks them
itself (engine/protocol/xboard/mouse.py) sends as few as it can.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

import variants

if TYPE_CHECKING:
    from engine.rules import Rules

FAIRY = "fairy"
ANY = (FAIRY, "lion")  # whatever the option Variant names, without a setup: how XBoard starts from a position file


class Shown(NamedTuple):
    """One of the names by which XBoard may ask for a game, and what it is told then."""

    variant: str  # our name of the game; empty: the one that the option Variant names
    chess960: bool = False
    pieces: str = ""  # White's, in XBoard's order; empty if there is nothing to tell
    parent: str = FAIRY
    moves: tuple[str, ...] = ()  # `piece` lines

    @property
    def setup(self) -> str:
        """What stands between `setup` and the start position; empty for games that XBoard knows."""
        return f"({self.pieces}{self.pieces.lower()}) 8x8+0_{self.parent}" if self.pieces else ""


@functools.cache
def faces() -> dict[str, Shown]:
    """Every name that XBoard may use. Imports all games, but neither numba nor python-chess."""
    found: dict[str, Shown] = {}
    for rules in variants.every():
        name = rules.name
        found[name_of(name)] = Shown(name) if rules.xboard.native else Shown(
            name, pieces=rules.xboard.pieces or _pieces(rules), parent=rules.xboard.parent, moves=_moves(rules))
        if rules.xboard.chess960_name:
            found[rules.xboard.chess960_name] = Shown(name, chess960=True)
    found |= {name: Shown("") for name in ANY}
    return found | {other: Shown(rules.name) for rules in variants.every() for other in rules.xboard.other_names}


def _pieces(rules: Rules) -> str:
    """ORTHODOX, its king last, and the pieces that chess lacks in the next free places."""
    from engine.rules.facts import ORTHODOX, SLOTS  # not above: numpy comes with the rules, and XBoard waits for our greeting

    others = [letter for letter in rules.letters if letter not in ORTHODOX]
    if not others:
        return ORTHODOX
    return f"{ORTHODOX[:5]}{''.join(others)}".ljust(SLOTS - 1, ".") + "K"


def _moves(rules: Rules) -> tuple[str, ...]:
    """How the pieces move that chess lacks."""
    from engine.rules.facts import ORTHODOX

    if rules.xboard.moves is not None:
        return rules.xboard.moves
    return tuple(f"{piece.letter}& {piece.betza}" for piece in rules.pieces if piece.letter not in ORTHODOX)


def lines(face: Shown, start_fen: str) -> list[str]:
    """What XBoard is told before the `pong` that follows `variant`; nothing for a game it knows."""
    if not face.setup:
        return []
    board = " ".join(start_fen.split()[:6])  # it throws a seventh field away
    return [f"setup {face.setup} {board}", *(f"piece {move}" for move in face.moves)]


def name_of(variant: str) -> str:
    """XBoard's name of one of our games."""
    return variants.find(variant).xboard.name or variant
