"""Tables at the root of a search: which moves keep the value of the position, and the lines that are reported for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.core.legality import position_after
from engine.game import Game
from engine.rules import CLOCK
from search.limits import MATE, Info
from search.tables.numbers import FIFTY_MOVES
from search.tables.probing import DRAW, Tables, Value

LINE_PLIES = 24  # of a reported line


@dataclass(frozen=True)
class Root:
    """What tables say of the moves to choose from, best first.

    late: the 50-move rule leaves no time for the end that the moves lead to, unless a search finds a capture or a pawn move in
    time.
    """

    moves: tuple[tuple[int, Value], ...]
    late: bool = False

    @property
    def decided(self) -> bool:
        """Whether the position is won or lost: then the order of the moves is all there is to know."""
        return self.moves[0][1].result != 0 and not self.late

    @property
    def drawing(self) -> list[int]:
        """The moves that draw, if only by the 50-move rule."""
        return [move for move, value in self.moves if value.result == 0 or self.late]


def look_up_root(tables: Tables | None, game: Game, allowed: Sequence[int]) -> Root | None:
    """What tables say of the allowed moves; None if they do not know them all."""
    if tables is None or not allowed or game.pieces().bit_count() > tables.most_pieces(game.rules) + 1:
        return None
    moves = [(move, value) for move, value in tables.moves(game.rules, game.pos) if move in allowed]
    return _observing_the_clock(tables, game, moves) if moves else None


def _observing_the_clock(tables: Tables, game: Game, moves: Sequence[tuple[int, Value]]) -> Root:
    """The moves, given in the order of their values, with the 50-move rule observed.

    A move is in time if the game ends before the clock runs out even without another capture or pawn move. If the quickest win
    is not, the best move is a win that is in time; else the quickest, if the captures and pawn moves of best play make time;
    else a win that sets the clock back. For a side that loses, moves that are not in time are the best.
    """
    result, as_they_are = moves[0][1].result, Root(tuple(moves))
    if result == 0 or all(game.halfmove_clock + value.plies <= FIFTY_MOVES for _, value in moves):
        return as_they_are
    after = {move: position_after(game.rules, game.pos, move) for move, _ in moves}
    kept = [each for each in moves if each[1].result == result]
    timely = [(move, value) for move, value in kept if int(after[move][CLOCK]) + value.plies - 1 <= FIFTY_MOVES]
    resets = [(move, value) for move, value in kept if after[move][CLOCK] == 0]
    late = tuple(each for each in kept if each not in timely and each not in resets)
    if not late or (result > 0 and late[0] != moves[0]):
        return as_they_are
    if result < 0 or not timely:
        if not tables.line(game.rules, after[late[0][0]]).too_long:
            return as_they_are
        if result < 0 or not resets:
            return Root(late, late=True)
    first = timely or resets
    others = [(move, DRAW if (move, value) in late else value) for move, value in moves if (move, value) not in first]
    return Root((*first, *sorted(others, key=lambda each: each[1].rank, reverse=True)))


def score_of(value: Value) -> int:
    """Centipawns for the side to move; an end in n plies is MATE - n."""
    return value.result * (MATE - value.plies)


def lines_of(tables: Tables, game: Game, root: Root, multipv: int, elapsed: float) -> list[Info]:
    """What is reported of a decided root; elapsed: milliseconds."""
    infos = []
    for rank, (move, value) in enumerate(root.moves[:multipv], 1):
        after = position_after(game.rules, game.pos, move)
        pv = (move, *tables.line(game.rules, after, LINE_PLIES - 1).moves) if value.result else (move,)
        depth = max(1, len(pv))
        infos.append(Info(depth, depth, rank, score_of(value), "", len(root.moves), elapsed, 0, pv, len(root.moves)))
    return infos
