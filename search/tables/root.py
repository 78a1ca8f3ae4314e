"""Tables at the root of a search: which moves keep the value of the position, and the lines that are reported for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.core.legality import position_after
from engine.game import Game
from search.limits import MATE, Info
from search.tables.probing import Tables, Value

LINE_PLIES = 24  # of a reported line


@dataclass(frozen=True)
class Root:
    """What tables say of the moves to choose from, best first."""

    moves: tuple[tuple[int, Value], ...]

    @property
    def decided(self) -> bool:
        """Whether the position is won or lost: then the order of the moves is all there is to know."""
        return self.moves[0][1].result != 0

    @property
    def drawing(self) -> list[int]:
        """The moves that draw."""
        return [move for move, value in self.moves if value.result == 0]


def look_up_root(tables: Tables | None, game: Game, allowed: Sequence[int]) -> Root | None:
    """What tables say of the allowed moves; None if they do not know them all."""
    if tables is None or not allowed or game.pieces().bit_count() > tables.most_pieces(game.rules) + 1:
        return None
    moves = [(move, value) for move, value in tables.moves(game.rules, game.pos) if move in allowed]
    return Root(tuple(moves)) if moves else None


def score_of(value: Value) -> int:
    """Centipawns for the side to move; an end in n plies is MATE - n."""
    return value.result * (MATE - value.plies)


def lines_of(tables: Tables, game: Game, root: Root, multipv: int, elapsed: float) -> list[Info]:
    """What is reported of a decided root; elapsed: milliseconds."""
    infos = []
    for rank, (move, value) in enumerate(root.moves[:multipv], 1):
        after = position_after(game.rules, game.pos, move)
        pv = (move, *tables.line(game.rules, after, LINE_PLIES - 1).moves)
        depth = max(1, len(pv))
        infos.append(Info(depth, depth, rank, score_of(value), "", len(root.moves), elapsed, 0, pv, len(root.moves)))
    return infos
