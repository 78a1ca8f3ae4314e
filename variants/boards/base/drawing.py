"""Drawings of a board, also of small ones and of pieces that chess lacks: royal pieces that are not kings get a ring."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import chess
import chess.svg

TITLE_COLOR = "#c8a000"  # of the ring
EDGE = 15  # units of python-chess's drawing: of the coordinates
PITCH = chess.svg.SQUARE_SIZE
KNOWN = "pnbrqk"
DISC = 0.4  # radius of a piece drawn as its letter, in squares
INKS = {True: ("#ffffff", "#000000"), False: ("#000000", "#ffffff")}  # of a White disc and its letter, of a Black one


class DrawnBoard(chess.Board):
    """A chess.Board that says what to mark in a drawing."""

    def titled(self) -> chess.Bitboard:
        """Royal pieces that are not kings."""
        return chess.BB_EMPTY

    def standing(self) -> Mapping[chess.Square, str] | None:
        """Letters of all pieces, capitals for White; None if the bitboards of python-chess know them."""
        return None

    def shape(self) -> tuple[int, int]:
        """Files and ranks."""
        return 8, 8

    def checked_square(self) -> chess.Square | None:
        """The square on which to show that the side to move is in check."""
        return self.king(self.turn)

    def _repr_svg_(self) -> str:
        return svg(self, size=390)


def svg(board: chess.Board, **options: Any) -> str:
    """chess.svg.board with the last move, a check, and a ring around each royal piece that is not a king."""
    arrows = list(options.pop("arrows", ()))
    if isinstance(board, DrawnBoard):
        arrows += [chess.svg.Arrow(square, square, color=TITLE_COLOR) for square in chess.scan_forward(board.titled())]
    if board.move_stack:
        options.setdefault("lastmove", board.peek())
    if board.is_check():
        options.setdefault("check", board.checked_square() if isinstance(board, DrawnBoard) else board.king(board.turn))
    standing = board.standing() if isinstance(board, DrawnBoard) else None
    if not isinstance(board, DrawnBoard) or standing is None:
        return chess.svg.board(board, arrows=arrows, **options)
    drawn = chess.svg.board(_Known(standing, str(board)), arrows=arrows, **options)
    odd = "".join(_letter(square, letter) for square, letter in sorted(standing.items()) if letter.lower() not in KNOWN)
    last = max(drawn.rfind("<use "), drawn.rfind('class="square'))
    at = drawn.index(">", last) + 1  # arrows lie above all pieces
    return _cut(f"{drawn[:at]}{odd}{drawn[at:]}", *board.shape())


class _Known(chess.BaseBoard):
    """The pieces that python-chess can draw."""

    def __init__(self, standing: Mapping[chess.Square, str], text: str):
        super().__init__(None)
        self._text = text
        for square, letter in standing.items():
            if letter.lower() in KNOWN:
                self.set_piece_at(square, chess.Piece.from_symbol(letter))

    def __str__(self) -> str:
        return self._text


def _letter(square: chess.Square, letter: str) -> str:
    """A piece drawn as its letter on a disc."""
    x = EDGE + PITCH * (chess.square_file(square) + 0.5)
    y = EDGE + PITCH * (7.5 - chess.square_rank(square))
    disc, ink = INKS[letter.isupper()]
    return (f'<circle cx="{x:g}" cy="{y:g}" r="{DISC * PITCH:g}" fill="{disc}" stroke="#000000" stroke-width="1.5" />'
            f'<text x="{x:g}" y="{y:g}" dy="0.35em" text-anchor="middle" font-family="sans-serif" font-weight="bold" '
            f'font-size="{0.5 * PITCH:g}" fill="{ink}">{letter.upper()}</text>')


def _cut(drawn: str, files: int, ranks: int) -> str:
    """The part of a drawing that a board of that size takes: a1 is at its lower left, as on a large one."""
    if (files, ranks) == (8, 8):
        return drawn
    width, height, top = EDGE + PITCH * files, EDGE + PITCH * ranks, EDGE + PITCH * (8 - ranks)
    size = re.search(r'width="([\d.]+)" height="[\d.]+"', drawn)
    shape = f'viewBox="0 {top} {width} {height}"'
    if size is not None:
        scale = float(size[1]) / (8 * PITCH + 2 * EDGE)
        drawn = drawn.replace(size[0], f'width="{width * scale:g}" height="{height * scale:g}"', 1)
    return re.sub('viewBox="[^"]*"', shape, drawn, count=1)
