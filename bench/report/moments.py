"""Turning points of games, as boards: positions after which an engine's score changed much; or last positions."""

from __future__ import annotations

from dataclasses import dataclass

import chess
import chess.svg

import variants
from bench.match.records import GameRecord, Ply
from variants.boards import svg

SIZE = 300
FOLLOWED = "#15781bcc"
MATE_MARK = "#"
DECIDED = 0.02  # expected points: a smaller swing does not count
CONTEXT = 3  # plies shown before and after a moment


@dataclass(frozen=True)
class Moment:
    """A position of a game and its caption."""

    game: int
    players: str
    result: str
    reason: str
    title: str  # the move, with its number
    before: str  # the engine's score, from White's side
    after: str
    swing: float  # of White's expected points
    line: str  # moves around it
    board: str  # SVG


@dataclass(frozen=True)
class Swing:
    """Between two moves of one engine, at plies `ply` and `ply + 2` from 0, White's expected points changed by `size`."""

    ply: int
    size: float


def expected(ply: Ply, white: bool) -> float | None:
    """White's expected points, 0 to 1, by the mover's score; None without a score."""
    if ply.mate is not None:
        own = 1.0 if ply.mate > 0 else 0.0
    elif ply.score is not None:
        own = 1 / (1 + 10 ** (-max(-4000, min(4000, ply.score)) / 400))
    else:
        return None
    return own if white else 1 - own


def spoken(ply: Ply, white: bool) -> str:
    """The mover's score from White's side: `+1.25`, `-#3`."""
    if ply.mate is not None:
        number = ply.mate if white else -ply.mate
        return f"{'-' if number < 0 else '+'}{MATE_MARK}{abs(number)}"
    if ply.score is None:
        return "nothing"
    return f"{(ply.score if white else -ply.score) / 100:+.2f}"


def white_begins(game: GameRecord) -> bool:
    """Whether White makes the first move of the record."""
    return game.fen.split()[1] == "w"


def swing_of(game: GameRecord) -> Swing | None:
    """The largest change of score between two moves of one engine; None without scores or without a change."""
    begins = white_begins(game)
    found = [expected(ply, begins == (place % 2 == 0)) for place, ply in enumerate(game.plies)]
    best: Swing | None = None
    for place in range(len(found) - 2):
        first, second = found[place], found[place + 2]
        if first is None or second is None:
            continue
        size = second - first
        if abs(size) > max(DECIDED, abs(best.size) if best else 0):
            best = Swing(place, size)
    return best


def moments(games: list[GameRecord], most: int) -> list[Moment]:
    """The most decisive moments of that many games, largest swings first; if there are too few, ends of other games."""
    swings = [(swing, game) for game in games if game.plies and (swing := swing_of(game)) is not None]
    swings.sort(key=lambda item: (-abs(item[0].size), item[1].number))
    found = [turning(game, swing) for swing, game in swings[:most]]
    told = {moment.game for moment in found}
    rest = sorted((game for game in games if game.plies and game.number not in told),
                  key=lambda game: (game.result not in ("1-0", "0-1"), game.fault is not None, game.number))
    return found + [ending(game) for game in rest[:most - len(found)]]


def board_at(game: GameRecord, ply: int) -> chess.Board:
    """The readable Board after that many moves."""
    board: chess.Board = variants.find(game.variant).board(game.fen, chess960=game.chess960)
    for played in game.plies[:ply]:
        board.push_uci(played.move)
    return board


def turning(game: GameRecord, swing: Swing) -> Moment:
    """The position after the engine's move, with an arrow for the reply."""
    board, white = board_at(game, swing.ply + 1), white_begins(game) == (swing.ply % 2 == 0)
    answer = board.parse_uci(game.plies[swing.ply + 1].move)
    arrow = chess.svg.Arrow(answer.from_square, answer.to_square, color=FOLLOWED)
    return Moment(
        game.number, f"{game.white} - {game.black}", game.result, game.reason.value, numbered(game, swing.ply),
        spoken(game.plies[swing.ply], white), spoken(game.plies[swing.ply + 2], white), swing.size,
        " ".join(numbered(game, ply, ply == first) for first in (max(0, swing.ply - CONTEXT),)
                 for ply in range(first, min(len(game.plies), swing.ply + CONTEXT + 1))),
        svg(board, arrows=[arrow], size=SIZE))


def ending(game: GameRecord) -> Moment:
    """The last position, its last move marked."""
    last, first = len(game.plies) - 1, max(0, len(game.plies) - 2 * CONTEXT)
    return Moment(
        game.number, f"{game.white} - {game.black}", game.result, game.reason.value, numbered(game, last), "", "", 0.0,
        " ".join(numbered(game, ply, ply == first) for ply in range(first, last + 1)),
        svg(board_at(game, len(game.plies)), size=SIZE))


def numbered(game: GameRecord, ply: int, always: bool = True) -> str:
    """`12. Nf3`, or `12... Nf6`; in the middle of a line Black's number is left out."""
    begins, start = white_begins(game), int(game.fen.split()[5])
    white = begins == (ply % 2 == 0)
    number = start + (ply + (not begins)) // 2
    text = game.plies[ply].san or game.plies[ply].move
    return f"{number}. {text}" if white else f"{number}... {text}" if always else text
