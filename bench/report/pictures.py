"""`kingmaker pictures`: the boards of docs/variants.md, one per game, drawn from positions and moves of the game itself."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.svg

import variants
from engine.rules import Rules
from variants._common import parse_uci_move, svg

SIZE = 400

# Arrows and rings
MOVE = "#15781bcc"  # the move the picture is about, and whom it names
THREAT = "#b3261ecc"  # check, or a capture to come
# Squares
REACH = "#15781b66"
BLAST = "#e8590c99"
GUARDED = "#b3261e88"
WHITE_GOAL = "#ffffffaa"
BLACK_GOAL = "#00000077"


@dataclass(frozen=True)
class Picture:
    """What to draw: a position of the game, then squares written together (`e4f5`), arrows and rings as moves (`e2e4 d1d1`)."""

    fen: str | None = None
    moves: str = ""
    shown: str = ""
    threats: str = ""
    fill: tuple[tuple[str, str], ...] = ()
    crosses: str = ""


PICTURES = {
    "chess": Picture(moves="e2e4 a7a6 e4e5 f7f5", shown="e5f6", crosses="f5"),
    "atomic": Picture(moves="g1f3 b8c6 f3g5 a7a6", shown="g5f7", crosses="e8f8g8f7g5",
                      fill=(("e6f6g6e7f7g7e8f8g8", BLAST),)),
    "nocheckatomic": Picture("4k3/pp3ppp/8/8/8/4r3/PP3P1P/R3K2R w KQ - 0 1", shown="e1c1 e1g1", threats="e3e1"),
    "shatar": Picture("rnb1kbnr/pp2pppp/2p5/3p4/3J4/2N5/PPP1PPPP/R1B1KBNR w - - 0 5 -",
                      fill=(("c5e5e3d5d3d2d1a4b4c4e4f4g4h4", REACH),)),
    "ataturk": Picture(moves="K@d1 f7f6 e2e4 g7g5 a2a3 h7h6 d1h5 a7a6", shown="a1a1", threats="h5e8",
                       fill=(("f7", GUARDED),)),
    "warmspit": Picture(moves="e2e3 b8c6 a2a3 c6a5 h2h3 a5c4 h3h4 c4b2", threats="b2d1"),
    "madness": Picture("8/r1n5/pbp1p3/1q1k1p2/6P1/3N2P1/4PP1R/4P1K1 w - - 0 1", shown="d5b5", crosses="d3f7b7",
                       fill=(("b5b3d7f5f3", REACH),)),
    "madness-legan": Picture(fill=(
        ("a5a6a7a8b8c8d8", WHITE_GOAL), ("h4h3h2h1g1f1e1", BLACK_GOAL), ("d3", REACH), ("d2e3", GUARDED))),
    "madness-fide": Picture(moves="e2e4 e7e5", shown="e8e6"),
    "ascending": Picture("1r2k2r/pp3ppp/2n5/8/8/2P5/PP3PPP/4R1K1 w k - 0 1", shown="b8b8 h8h8", threats="e1e8"),
}


def position(rules: Rules, picture: Picture) -> chess.Board:
    """The Board of a picture, its moves made. Raises ValueError where they are not legal."""
    board = rules.board(picture.fen or rules.start_fen)
    for text in picture.moves.split():
        board.push_uci(text)
    return board


def draw(name: str) -> str:
    """The picture of a variant, as SVG."""
    rules, picture = variants.find(name), PICTURES[name]
    board = position(rules, picture)
    fill = {square: color for text, color in picture.fill for square in _squares(text)}
    arrows = [*_arrows(picture.shown, MOVE), *_arrows(picture.threats, THREAT)]
    # The arrows tell the story: the last move is not marked.
    return f"{svg(board, arrows=arrows, fill=fill, squares=_squares(picture.crosses), lastmove=None, size=SIZE)}\n"


def _squares(text: str) -> list[chess.Square]:
    """The squares in `e4f5`."""
    return [chess.parse_square(text[start:start + 2]) for start in range(0, len(text), 2)]


def _arrows(text: str, color: str) -> Iterator[chess.svg.Arrow]:
    for word in text.split():
        move = parse_uci_move(word)
        yield chess.svg.Arrow(move.from_square, move.to_square, color=color)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/pictures"), metavar="FOLDER",
                        help="where the pictures go; default: %(default)s")


def run(args: Namespace) -> int:
    args.output.mkdir(parents=True, exist_ok=True)
    for name in variants.names():
        path = args.output / f"{name}.svg"
        path.write_text(draw(name), encoding="utf-8")
        print(path)
    return 0
