"""Drawings of a board: royal pieces that are not kings get a ring."""

from __future__ import annotations

from typing import Any

import chess
import chess.svg

TITLE_COLOR = "#c8a000"  # of the ring


class DrawnBoard(chess.Board):
    """A chess.Board that says what to mark in a drawing."""

    def titled(self) -> chess.Bitboard:
        """Royal pieces that are not kings."""
        return chess.BB_EMPTY

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
    return chess.svg.board(board, arrows=arrows, **options)
