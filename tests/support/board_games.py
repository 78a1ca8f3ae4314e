"""Games on python-chess Boards: lines and random games played, moves as text, and leaves counted."""

from __future__ import annotations

import random
from typing import TypeVar

import chess

from variants.boards import StatefulBoard

AnyBoard = TypeVar("AnyBoard", bound=StatefulBoard)


def perft(board: chess.Board, depth: int) -> int:
    """The leaves of the game tree, counted move by move."""
    if board.is_variant_end():  # of which some of python-chess's Boards still list moves
        return 0
    if depth == 1:
        return board.legal_moves.count()
    count = 0
    for move in list(board.legal_moves):
        board.push(move)
        count += perft(board, depth - 1)
        board.pop()
    return count


def moves(board: StatefulBoard) -> set[str]:
    """The legal moves in UCI."""
    return {board.uci(move) for move in board.legal_moves}


def play(board: AnyBoard, line: str) -> AnyBoard:
    """The board after a line of moves in UCI, each of them legal."""
    for text in line.split():
        board.push_uci(text)
    return board


def random_game(board: AnyBoard, seed: int, plies: int = 120) -> AnyBoard:
    """A game that prefers captures and checks one time in three, so that rare things happen."""
    chance = random.Random(seed)
    while board.end_reason() is None and len(board.move_stack) < plies:
        legal = list(board.legal_moves)
        lively = [move for move in legal if board.is_capture(move) or move.promotion] if chance.random() < 0.3 else []
        board.push(chance.choice(lively or legal))
    return board
