"""Analysis from Python, without a subprocess: lines and moves of a game as text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.core.legality import position_after
from engine.game import Game
from engine.text import move_text
from search.limits import Info, Limits
from search.searcher import Searcher
from search.tables.probing import Tables

ONE_SECOND = 1000.0  # milliseconds


@dataclass(frozen=True)
class Line:
    """The result for one move: score in centipawns for the side to move, moves to mate or None, the line as text."""

    score: int
    mate: int | None
    depth: int
    nodes: int
    moves: tuple[str, ...]


def analyse(game: Game, *, depth: int | None = None, nodes: int | None = None, movetime: float | None = None,
            multipv: int = 1, searcher: Searcher | None = None) -> list[Line]:
    """Search a game, and return its best lines, best first; none if the game is over.

    depth: plies; nodes: how many at most; movetime: milliseconds; without any limit, the search takes a second;
    multipv: how many lines; searcher: one that is used again keeps its table.

    >>> analyse(Game("chess", "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"), depth=3)[0].moves
    ('a1a8',)
    """
    found: dict[int, Info] = {}

    def keep(info: Info) -> None:
        if not info.bound:
            found[info.multipv] = info

    (searcher or Searcher()).search(game, _limits(depth, nodes, movetime), multipv=multipv, on_info=keep)
    return [Line(info.score, info.mate, info.depth, info.nodes, line_text(game, info.pv)) for _, info in sorted(found.items())]


def best_move(game: Game, *, depth: int | None = None, nodes: int | None = None, movetime: float | None = None,
              searcher: Searcher | None = None) -> str | None:
    """Search a game, and return the best move as text; None if the game is over. Limits as in analyse().

    >>> best_move(Game("atomic"), depth=5) in Game("atomic").legal_moves()
    True
    """
    best = (searcher or Searcher()).search(game, _limits(depth, nodes, movetime))
    return None if best.move is None else game.text(best.move)


@dataclass(frozen=True)
class Exact:
    """What tables of endings say of a position: result 1, 0 or -1 for the side to move, plies to the end, best play as text.

    moves: each legal move with its own result and plies, best first; too_long: the 50-move rule ends the line before.
    """

    result: int
    plies: int
    moves: tuple[tuple[str, int, int], ...]
    line: tuple[str, ...]
    too_long: bool


def probe(game: Game, tables: Tables | Path | str) -> Exact | None:
    """Ask tables of endings; None if they do not have the position. tables: a folder as `kingmaker table` makes it.

    >>> probe(Game("chess"), "no such folder") is None
    True
    """
    known = tables if isinstance(tables, Tables) else Tables(Path(tables))
    value = known.value(game.rules, game.pos)
    if value is None:
        return None
    moves = tuple((game.text(move), each.result, each.plies) for move, each in known.moves(game.rules, game.pos))
    line = known.line(game.rules, game.pos)
    return Exact(value.result, value.plies, moves, line_text(game, line.moves), line.too_long)


def line_text(game: Game, moves: tuple[int, ...]) -> tuple[str, ...]:
    """A line of legal moves from the game's position as text."""
    texts, pos = [], game.pos
    for move in moves:
        texts.append(move_text(game.rules, pos, move, game.chess960))
        pos = position_after(game.rules, pos, move)
    return tuple(texts)


def _limits(depth: int | None, nodes: int | None, movetime: float | None) -> Limits:
    if depth is None and nodes is None and movetime is None:
        movetime = ONE_SECOND
    return Limits(depth=depth, nodes=nodes, movetime=movetime)
