"""How many moves a position can have at most: the room a list of moves needs, proved from the declaration.

Two ways of counting bound the moves of a side with n pieces on the board, whatever stands there:

by origin  Each piece reaches at most as many squares as its type reaches on an empty board: n times the greatest reach.
by target  If all go along lines or leap: each square that holds none of them, of a full board 64 - n, is entered along each
           line by the first piece on that line alone, and by one piece for each leap that jumps.

Of pawns each step that promotes counts once for each promotion beyond the first. A castling partner, a piece that may take a
title, a square the other king may be driven to adds one move; where the side must choose an heir, each heir has the whole list.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.errors import RulesError
from engine.rules import betza
from engine.rules.geometry import WORD

if TYPE_CHECKING:
    from engine.rules.geometry import Geometry
    from engine.rules.pieces import Pawn, Piece

CASTLINGS = 4  # a FEN names at most so many rooks
MOST = 40_000  # room for more is refused: a list is kept for each ply


def reach(steps: Iterable[betza.Step], geometry: Geometry) -> int:
    """The greatest number of squares a piece with these steps attacks from one square of an empty board."""
    steps = tuple(steps)
    return max(sum(len(set(geometry.path(square, step.way[1]))) for step in steps) for square in geometry.squares)


def most_moves(pieces: Iterable[Piece], pawn: Pawn | None, geometry: Geometry, *, titles: bool, succession: bool,
               drives: int = 0, drops: bool = False) -> int:
    """The room that a list of moves needs. drives: the most squares that a king may be driven to from one square.

    Raises: RulesError where it is more than MOST.
    """
    types = [betza.parse(piece.betza) for piece in pieces]
    reaches = [reach(steps, geometry) for steps in types]
    promoting = 0
    if pawn is not None:
        steps = betza.parse(pawn.step) + betza.parse(pawn.capture)
        types.append(steps)
        reaches.append(len(steps) + (1 if pawn.double_step_zone else 0))
        zone = max(int(side).bit_count() for side in geometry.zone(pawn.promotion_zone))  # the sides may differ
        promoting = zone * len(steps) * max(0, len(pawn.promotes_to) - 1)
    winding = geometry.wraps or any(step.winding for steps in types for step in steps)
    entered = WORD * WORD if winding else len({way for steps in types for step in steps for way in _ways(step)})
    most, squares = 0, len(geometry.squares)
    for own in range(1, squares + 1):
        moves = min(own * max(reaches, default=0), (squares - own) * entered) + promoting + CASTLINGS
        moves += own if titles else 0
        moves += drives
        moves += (squares - own) * len(types) if drops else 0
        most = max(most, moves * (own if succession else 1))
    if most > MOST:
        raise RulesError(f"a position could have {most} moves, room is for {MOST}")
    return most


def _ways(step: betza.Step) -> Iterable[tuple[str, int, int]]:
    """The ways a step of either colour enters a square: along a line, shared by all that come along it, or by a leap."""
    line = step.reach > 1 or max(abs(step.files), abs(step.ranks)) == 1
    for sign in (1, -1):
        yield ("line" if line else "leap"), sign * step.files, sign * step.ranks
