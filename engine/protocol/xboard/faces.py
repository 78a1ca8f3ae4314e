"""The games as XBoard gets to see them: names, and for games it does not know, what it must be told before they begin.

`setup` names the pieces in XBoard's order, the last one being the king it guards and castles; the king of the madness games
stands in another place, drawn alike, since there XBoard must let it be moved and left standing in any way. `piece` lines
say how a man moves, in Betza's notation, White's; XBoard then limits a person's moves to these, so a game that marks them
itself (engine/protocol/xboard/mouse.py) sends as few as it can.
"""

from __future__ import annotations

from typing import NamedTuple

FAIRY = "fairy"
NATIVE = ("chess", "atomic")  # games that XBoard knows
ORTHODOX = "PNBRQ...........K"
WITH_BERSE = "PNBR..........J......K"
LOOSE_KING = f"PNBRQ{'.' * 45}K."


class Face(NamedTuple):
    """How a game shows itself to XBoard."""

    variant: str  # our name of it; empty: the one that the option Variant names
    chess960: bool = False
    pieces: str = ""  # White's, in XBoard's order; empty for games XBoard knows
    parent: str = FAIRY  # the game that XBoard treats it like: under `lion` a pass is an ordinary move
    moves: tuple[str, ...] = ()  # `piece` lines

    @property
    def setup(self) -> str:
        """What stands between `setup` and the start position; empty for games XBoard knows."""
        return f"({self.pieces}{self.pieces.lower()}) 8x8+0_{self.parent}" if self.pieces else ""


# XBoard finds the names it knows anywhere in ours: with "atomic" in it a name would arrive as `variant atomic`.
FACES = {
    "normal": Face("chess"),
    "fischerandom": Face("chess", chess960=True),
    "atomic": Face("atomic"),
    "nocheck-blast": Face("nocheckatomic", pieces=ORTHODOX, parent="atomic"),
    "shatar": Face("shatar", pieces=WITH_BERSE, moves=("J& RF",)),
    "ataturk": Face("ataturk", pieces=ORTHODOX),
    "warmspit": Face("warmspit", pieces=ORTHODOX),
    "madness": Face("madness", pieces=LOOSE_KING, parent="lion", moves=("P& flmFflcW",)),
    "madness-legan": Face("madness-legan", pieces=LOOSE_KING, parent="lion", moves=("P& flmFflcW",)),
    "madness-fide": Face("madness-fide", pieces=LOOSE_KING, parent="lion"),
    "ascending": Face("ascending", pieces=ORTHODOX, parent="lion"),
    # Whatever the option Variant names, without a setup: how XBoard starts from a position file.
    FAIRY: Face(""),
    "lion": Face(""),
    # The name that other clients know; XBoard would never send it.
    "nocheckatomic": Face("nocheckatomic"),
}


def lines(face: Face, start_fen: str) -> list[str]:
    """What XBoard is told before the `pong` that follows `variant`; nothing for a game it knows."""
    if not face.setup:
        return []
    board = " ".join(start_fen.split()[:6])  # it throws a seventh field away
    return [f"setup {face.setup} {board}", *(f"piece {move}" for move in face.moves)]


def name_of(variant: str) -> str:
    """XBoard's name of one of our games."""
    return next(name for name, face in FACES.items() if face.variant == variant)
