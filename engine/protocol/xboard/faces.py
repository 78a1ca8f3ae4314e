"""The games as XBoard sees them: names, and for games it does not know, what it must be told before they begin.

`setup` lists the pieces in XBoard's order. The last one is the king that XBoard keeps out of check and lets castle; the king of
the madness games has another place, with the same picture, because XBoard must accept any move of it. `piece` lines say how
White's pieces move, in Betza notation; XBoard then limits a user's moves to these, so a game that marks moves itself (mouse.py)
sends as few as it can.

engine.rules imports numpy, and XBoard waits for our greeting: it is imported where a game is first asked for.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

import variants

if TYPE_CHECKING:
    from engine.rules import Rules

FAIRY = "fairy"
ANY = (FAIRY, "lion")  # the game of the option Variant, without a setup: how XBoard starts from a position file


class Shown(NamedTuple):
    """What XBoard is told of a game that it asks for by one of its names."""

    variant: str  # our name of the game; empty: that of the option Variant
    chess960: bool = False
    pieces: str = ""  # White's, in XBoard's order; empty if there is nothing to tell
    parent: str = FAIRY
    moves: tuple[str, ...] = ()  # `piece` lines
    size: str = "8x8"  # files and ranks

    @property
    def setup(self) -> str:
        """The words between `setup` and the start position; empty for games that XBoard knows."""
        return f"({self.pieces}{self.pieces.lower()}) {self.size}+0_{self.parent}" if self.pieces else ""


@functools.cache
def faces() -> dict[str, Shown]:
    """Every name that XBoard may use. Imports all games, but neither numba nor python-chess."""
    found: dict[str, Shown] = {}
    for rules in variants.every():
        name = rules.name
        found[name_of(name)] = face_of(rules)
        if rules.xboard.chess960_name:
            found[rules.xboard.chess960_name] = Shown(name, chess960=True)
    found |= {name: Shown("") for name in ANY}
    return found | {other: Shown(rules.name) for rules in variants.every() for other in rules.xboard.other_names}


def face_of(rules: Rules) -> Shown:
    """A game as XBoard is told of it."""
    if rules.xboard.native:
        return Shown(rules.name)
    return Shown(rules.name, pieces=rules.xboard.pieces or _pieces(rules), parent=rules.xboard.parent, moves=_moves(rules),
                 size=f"{rules.files}x{rules.ranks}")


def _pieces(rules: Rules) -> str:
    """ORTHODOX, its king last, and pieces that chess does not have in the next free places."""
    from engine.rules.facts import ORTHODOX, SLOTS

    others = [letter for letter in rules.letters if letter not in ORTHODOX]
    if not others:
        return ORTHODOX
    return f"{ORTHODOX[:5]}{''.join(others)}".ljust(SLOTS - 1, ".") + "K"


def _moves(rules: Rules) -> tuple[str, ...]:
    """How the pieces move that chess does not have."""
    from engine.rules.facts import ORTHODOX

    if rules.xboard.moves is not None:
        return rules.xboard.moves
    return tuple(f"{piece.letter}& {piece.betza}" for piece in rules.pieces if piece.letter not in ORTHODOX)


def lines(face: Shown, start_fen: str) -> list[str]:
    """What XBoard is told after `variant`; nothing for a game it knows."""
    if not face.setup:
        return []
    board = " ".join(start_fen.split()[:6])  # it drops a seventh field
    return [f"setup {face.setup} {board}", *(f"piece {move}" for move in face.moves)]


def name_of(variant: str) -> str:
    """XBoard's name of a variant."""
    return variants.find(variant).xboard.name or variant
