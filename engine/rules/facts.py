"""What is known about a game beyond its rules: names, faces, figures. No kernel sees it; all of it has defaults."""

from __future__ import annotations

from typing import NamedTuple

ORTHODOX = "PNBRQ...........K"  # XBoard's order of pieces, the last one the king that it guards and castles
LOOSE_KING = f"PNBRQ{'.' * 45}K."  # a king that XBoard lets be moved, and left standing, in any way
SLOTS = 22  # places of pieces in XBoard's order


class Face(NamedTuple):
    """How a game shows itself to XBoard, and what another GUI that lists games calls it."""

    name: str = ""  # the name XBoard uses; empty: the game's own. XBoard finds names it knows anywhere in it
    native: bool = False  # XBoard knows the game: it gets no setup
    pieces: str = ""  # White's, in XBoard's order; empty: ORTHODOX, and pieces that chess lacks in the next free places
    parent: str = "fairy"  # the game that XBoard treats it like: under `lion` a pass is an ordinary move
    moves: tuple[str, ...] | None = None  # `piece` lines, in Betza's notation; None: of each piece that chess lacks
    chess960_name: str = ""  # the name XBoard uses for the game from the arrays of Chess960
    other_names: tuple[str, ...] = ()  # what other XBoard programs call the game; it is found by these names, too
    cute_chess: tuple[str, ...] = ()  # Cute Chess's names of the game, in Chess960 too; empty: it does not know it


class WinModel(NamedTuple):
    """A score x wins with 1 / (1 + exp((centre - x) / scale)) and loses as -x wins; both in centipawns."""

    centre: float = 150.0
    scale: float = 100.0
    games: int = 0  # of self-play that it was fitted to; 0: a guess


class Picture(NamedTuple):
    """A picture of the game: a position, then squares written together (`e4f5`), arrows and rings as moves (`e2e4 d1d1`)."""

    fen: str | None = None
    moves: str = ""
    shown: str = ""
    threats: str = ""
    fill: tuple[tuple[str, str], ...] = ()  # squares, and what they are: a key of bench.report.pictures.FILLS
    crosses: str = ""


class SpeedCase(NamedTuple):
    """What `kingmaker speed` counts: positions, a peer, and the ratio to it that we mean to reach.

    If no peer is named, it is the first other engine that plays the game; if none does, it is our speed in orthodox chess, to
    which the goal then refers.
    """

    positions: tuple[tuple[str, int], ...] = (("", 6),)  # (FEN, depth); the start position if the FEN is empty
    peer: str = ""
    goal: float = 0.25


DEFAULT_FACE, DEFAULT_WIN_MODEL, DEFAULT_PICTURE, DEFAULT_SPEED = Face(), WinModel(), Picture(), SpeedCase()
