"""The games as XBoard sees them: names, and for games it does not know, what it must be told before they begin.

`setup` lists the pieces in XBoard's order. The last one is the king that XBoard keeps out of check and lets castle; the king of
the madness games has another place, with the same picture, because XBoard must accept any move of it. `piece` lines say how
White's pieces move, in Betza notation; XBoard then limits a user's moves to these, so a game that marks moves itself (mouse.py)
sends as few as it can.

engine.rules imports numpy, and XBoard waits for our greeting: it is imported where a game is first asked for.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, NamedTuple

import variants
from variants.further import FAMILIES, GAMES

if TYPE_CHECKING:
    from engine.rules import Rules

FAIRY, LION, CRAZYHOUSE = "fairy", "lion", "crazyhouse"  # games of XBoard that others are treated like
ANY = (FAIRY, LION)  # the game of the option Variant, without a setup: how XBoard starts from a position file
# The games that XBoard 4.9 knows: it takes a name for one of them if it has their name in it.
BUILT_IN = re.compile(
    "normal|nocastle|fischerandom|bughouse|crazyhouse|losers|suicide|giveaway|twokings|kriegspiel|atomic|3check|shatranj|wild|shogi|"
    "chu|courier|gothic|capablanca|knightmate|fairy|cylinder|falcon|caparandom|berolina|janus|super|great|twilight|makruk|seirawan|"
    "grand|spartan|xiangqi|asean|elven|lion|unknown", re.IGNORECASE)
STEPS = {"N": "N", "B": "B", "R": "R", "Q": "Q", "K": "K"}  # that XBoard knows without a `piece` line
UNDERSTOOD = re.compile("(?:[fblrvshmcnpg]*[WFDANCZHGKQRB][0-9NWFDAB]?)+")  # Betza notation as XBoard reads it


class Shown(NamedTuple):
    """What XBoard is told of a game that it asks for by one of its names."""

    variant: str  # our name of the game; empty: that of the option Variant
    chess960: bool = False
    pieces: str = ""  # White's, in XBoard's order; empty if there is nothing to tell
    parent: str = FAIRY
    moves: tuple[str, ...] = ()  # `piece` lines
    size: str = "8x8"  # files and ranks
    hand: int = 0  # types of pieces that can be in hand

    @property
    def setup(self) -> str:
        """The words between `setup` and the start position; empty for games that XBoard knows."""
        return f"({self.pieces}{self.pieces.lower()}) {self.size}+{self.hand}_{self.parent}" if self.pieces else ""


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


def names() -> list[str]:
    """The names of all games for XBoard, those that fit into its menu first; imports no further game."""
    own = list(faces())
    known = {*variants.names(), *(face.variant for face in faces().values())}  # a file that is no game has no face
    others = [name for name in variants.playable() if name not in known]
    others.sort(key=lambda name: (name in GAMES, name in FAMILIES, "-" in name and name.count("-") > 1))
    return [*own, *map(_safe, others)]


def face(name: str) -> Shown | None:
    """The game that XBoard asks for by a name, or that is called so; None if there is none. Raises OptionError."""
    if name in faces():
        return faces()[name]
    found = next((game for game in variants.playable() if name in (_safe(game), game)), None)
    return None if found is None else face_of(variants.find(found))


def face_of(rules: Rules) -> Shown:
    """A game as XBoard is told of it."""
    if rules.xboard.native or (rules.name in GAMES and BUILT_IN.fullmatch(rules.name)):
        return Shown(rules.name)  # a setup would make it another game for the second engine
    parent = rules.xboard.parent
    if parent == FAIRY and (rules.driven_king or rules.succession):
        parent = LION  # where a pass is an ordinary move
    if parent == FAIRY and rules.drops:
        parent = CRAZYHOUSE
    return Shown(rules.name, pieces=rules.xboard.pieces or _pieces(rules), parent=parent, moves=_moves(rules),
                 size=f"{rules.files}x{rules.ranks}", hand=len(rules.letters.strip("_K")) if rules.drops else 0)


def _pieces(rules: Rules) -> str:
    """ORTHODOX, its king last, and pieces that chess does not have in the next free places; LOOSE_KING if a king is driven."""
    from engine.rules.facts import LOOSE_KING, ORTHODOX, SLOTS

    others = [letter for letter in rules.letters if letter not in ORTHODOX and letter != "_"]
    start = f"{ORTHODOX[:5]}{''.join(others)}"
    if rules.driven_king:
        return start + LOOSE_KING[len(start):]
    if not others:
        return ORTHODOX
    return start.ljust(SLOTS - 1, ".") + "K"


def _moves(rules: Rules) -> tuple[str, ...]:
    """How the pieces move that chess does not have."""
    if rules.xboard.moves is not None:
        return rules.xboard.moves
    odd = [piece for piece in rules.pieces if piece.betza != STEPS.get(piece.letter)]
    if not all(UNDERSTOOD.fullmatch(piece.betza) for piece in odd):
        return ()  # then XBoard accepts every move, and the marks show which ones there are
    return tuple(f"{piece.letter}& {piece.betza}" for piece in odd)


def lines(face: Shown, start_fen: str) -> list[str]:
    """What XBoard is told after `variant`; nothing for a game it knows."""
    if not face.setup:
        return []
    board = " ".join(start_fen.split()[:6])  # it drops a seventh field
    return [f"setup {face.setup} {board}", *(f"piece {move}" for move in face.moves)]


def name_of(variant: str) -> str:
    """XBoard's name of a variant."""
    return variants.find(variant).xboard.name or _safe(variant)


def _safe(variant: str) -> str:
    """A name that XBoard does not take for one of its own games, of which it finds the names anywhere in ours.

    >>> _safe("3check-crazyhouse"), _safe("crazyhouse"), _safe("racingkings")
    ('3-check-c-razyhouse', 'crazyhouse', 'racingkings')
    """
    if variant in variants.names() or variant in GAMES:
        return variant
    return BUILT_IN.sub(lambda found: f"{found[0][0]}-{found[0][1:]}", variant)
