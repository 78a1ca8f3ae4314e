"""`kingmaker pictures`: draws the boards of docs/variants.md and the games' pages, from positions and moves of the games."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.svg

import variants
from engine.rules import Picture, Rules
from variants.boards import parse_uci_move, svg
from variants.further import PICTURED

SIZE = 400

# Arrows and rings
MOVE = "#15781bcc"  # the move shown, and the piece it names
THREAT = "#b3261ecc"  # check, or a capture to come
# Squares
FILLS = {"reach": "#15781b66", "blast": "#e8590c99", "guarded": "#b3261e88", "White's goal": "#ffffffaa",
         "Black's goal": "#00000077"}


def position(rules: Rules, picture: Picture) -> chess.Board:
    """The Board of a picture after its moves. Raises ValueError if they are illegal."""
    board = rules.board(picture.fen or rules.start_fen)
    for text in picture.moves.split():
        board.push_uci(text)
    return board


def draw(name: str) -> str:
    """The picture of a variant, as SVG."""
    rules, picture = variants.find(name), variants.find(name).picture
    board = position(rules, picture)
    fill = {square: FILLS[what] for text, what in picture.fill for square in _squares(text)}
    arrows = [*_arrows(picture.shown, MOVE), *_arrows(picture.threats, THREAT)]
    # The last move is not marked: arrows show it.
    return f"{svg(board, arrows=arrows, fill=fill, squares=_squares(picture.crosses), lastmove=None, size=SIZE)}\n"


def _squares(text: str) -> list[chess.Square]:
    """The squares in `e4f5`."""
    return [chess.parse_square(text[start:start + 2]) for start in range(0, len(text), 2)]


def _arrows(text: str, color: str) -> Iterator[chess.svg.Arrow]:
    for word in text.split():
        move = parse_uci_move(word)
        yield chess.svg.Arrow(move.from_square, move.to_square, color=color)


def pictured() -> list[str]:
    """The games with a picture: each of our own; of the further ones those whose picture others share."""
    return [*variants.names(), *PICTURED]


def add_arguments(parser: ArgumentParser) -> None:
    """Add the folder."""
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/pictures"), metavar="FOLDER",
                        help="folder for the pictures; default: %(default)s")


def run(args: Namespace) -> int:
    """Exit status: 0."""
    args.output.mkdir(parents=True, exist_ok=True)
    for name in pictured():
        path = args.output / f"{name}.svg"
        path.write_text(draw(name), encoding="utf-8")
        print(path)
    return 0
