"""The compiled rules and the Boards, side by side in random games: legal moves, check, FEN, key, end of the game.

Games start from the array or from a random endgame and prefer what is rare: overthrows, driven kings, captures of kings,
promotions, checks. Each rare state is counted, and a run that never saw one of them fails.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import chess
import numpy as np
import pytest

import variants
from engine.core.legality import count_kernel, full_key_kernel, split_kernel
from engine.errors import FenError
from engine.game import Game
from engine.rules import KEY
from engine.text import legal_moves
from variants.boards import NamingMove

GAMES = int(os.environ.get("KINGMAKER_GAMES", "16"))
PLIES = 120

EXPECTED = {
    "shatar": ("check", "promotion", "shak in the series", "niol", "robado", "checkmate"),
    "madness": ("check", "promotion", "king driven", "king driven into check", "king driven onto its own man", "checkmate"),
    "madness-legan": ("check", "promotion", "king driven", "king driven into check", "checkmate"),
    "madness-fide": ("check", "promotion", "king driven", "king driven into check", "king driven onto its own man",
                     "en passant", "checkmate"),
    "ascending": ("promotion", "castling", "king captured", "choice of heirs", "the heir moves", "no heir"),
    "ataturk": ("check", "overthrow", "all have held the title", "royal piece attacked, no check", "castling", "promotion",
                "checkmate"),
    "warmspit": ("check", "overthrow", "all have held the title", "royal piece attacked, no check", "castling", "promotion",
                 "checkmate"),
}


def endgame(rules: Any, chance: random.Random) -> Game:
    """A random position of few pieces, White or Black to move."""
    while True:
        board = ["" for _ in range(64)]
        letters = ["K", "k"]
        for _ in range(chance.randrange(1, 7)):
            letter = chance.choice(rules.letters.replace("K", "") + "PP")
            letters.append(letter if chance.random() < 0.5 else letter.lower())
        for letter, square in zip(letters, chance.sample(range(64), len(letters)), strict=True):
            board[square] = letter
        rows = []
        for rank in range(7, -1, -1):
            row = "".join(board[rank * 8 + file] or "." for file in range(8))
            for run in range(8, 0, -1):
                row = row.replace("." * run, str(run))
            rows.append(row)
        rights = "KQkq" if rules.castling else "-"
        try:
            return Game(rules, f"{'/'.join(rows)} {chance.choice('wb')} {rights} - 0 1")
        except FenError:
            continue


def held(board: Any) -> chess.Bitboard:
    """The pieces of the side to move that hold or have held the title."""
    title = board.state[board.turn]
    return int(title.held | chess.BB_SQUARES[title.holder])


def labels_before(board: Any, move: chess.Move) -> list[str]:
    """What is remarkable about a move that is about to be made."""
    found = []
    them = board.occupied_co[not board.turn]
    if isinstance(move, NamingMove):
        if not move.plain():
            found.append("overthrow")
            if not board.title_candidates(board.turn) & ~held(board):
                found.append("all have held the title")
        elif move.named == move.from_square:
            found.append("the heir moves")
    elif them & chess.BB_SQUARES[move.from_square]:
        found.append("king driven")
        if them & chess.BB_SQUARES[move.to_square]:
            found.append("king driven onto its own man")
    if move.promotion:
        found.append("promotion")
    if board.is_castling(move):
        found.append("castling")
    if board.is_en_passant(move):
        found.append("en passant")
    if board.uci_variant == "ascending" and them & board.kings & chess.BB_SQUARES[move.to_square]:
        found.append("king captured")
    return found


def labels_now(board: Any) -> list[str]:
    """What is remarkable about a position."""
    found = []
    if board.is_check():
        found.append("check")
    elif hasattr(board, "royals_mask"):
        royal = board.royals_mask(board.turn)
        if any(board.attackers_mask(not board.turn, square) for square in chess.scan_forward(royal)):
            found.append("royal piece attacked, no check")
    if board.uci_variant == "ascending" and board.throne_is_empty() and board.heirs(board.turn).bit_count() > 1:
        found.append("choice of heirs")
    if board.uci_variant == "shatar" and board.seventh_field() != "-":
        found.append("shak in the series")
    return found


def pick(board: Any, moves: list[chess.Move], chance: random.Random) -> chess.Move:
    """A random move, the rare kinds more often than their number says."""
    if chance.random() < 0.5:
        return chance.choice(moves)
    rare = [move for move in moves if labels_before(board, move)]
    if chance.random() < 0.3:
        sample = chance.sample(moves, min(6, len(moves)))
        for move in sample:
            board.push(move)
            check = board.is_check()
            board.pop()
            if check:
                return move
        captures = [move for move in moves if board.is_capture(move)]
        rare = captures or rare
    return chance.choice(rare or moves)


def compare(game: Game, board: Any) -> None:
    """Everything both know of one position."""
    where = game.fen()
    assert where == board.fen()
    outcome, theirs = game.outcome(), board.outcome()
    assert (outcome is None) == (theirs is None), (where, outcome, board.end_reason())
    assert game.in_check() == board.is_check(), where
    assert int(full_key_kernel(game.rules, game.pos)) == int(game.pos[KEY]), where
    listed = game.legal_moves()
    expected = [board.uci(move) for move in board.legal_moves]
    assert sorted(listed) == sorted(expected), (where, set(listed) ^ set(expected))
    assert int(count_kernel(game.rules, game.pos, np.empty(0, np.uint32))) == len(listed), where
    moves = np.empty(game.rules.traits.max_moves, np.uint32)
    noisy, quiet = split_kernel(game.rules, game.pos, moves)
    assert sorted(moves[:int(noisy) + int(quiet)]) == sorted(legal_moves(game.rules, game.pos)), where
    if outcome is not None:
        assert (outcome.result, outcome.reason.value) == (theirs.result(), board.end_reason()), where


def random_games(name: str, games: int, seed: int) -> Counter[str]:
    """Play and compare; returns how often each rare state was seen."""
    rules, chance, seen = variants.find(name), random.Random(seed), Counter[str]()
    for number in range(games):
        game = endgame(rules, chance) if number % 2 else Game(rules)
        board = rules.board(game.fen())
        for _ in range(PLIES):
            compare(game, board)
            seen["positions"] += 1
            seen.update(labels_now(board))
            outcome = game.outcome()
            if outcome is not None:
                seen[outcome.reason.value] += 1
                break
            move = pick(board, list(board.legal_moves), chance)
            seen.update(labels_before(board, move))
            game.push(board.uci(move))
            board.push(move)
            if "king driven" in labels_of_last(board) and board.is_check():
                seen["king driven into check"] += 1
    return seen


def labels_of_last(board: Any) -> list[str]:
    """labels_before of the move just made."""
    move = board.pop()
    found = labels_before(board, move)
    board.push(move)
    return found


@pytest.mark.parametrize("name", EXPECTED)
def test_engine_and_board_agree(name: str, record_property: Callable[[str, object], None]) -> None:
    seen = random_games(name, GAMES, 2)
    record_property("seen", f"{name}: {dict(seen.most_common())}")
    common = [state for state in EXPECTED[name] if state in ("check", "overthrow", "king driven", "king captured", "promotion")]
    assert all(seen[state] for state in common), seen


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", EXPECTED)
def test_engine_and_board_agree_in_a_thousand_games(name: str, record_property: Callable[[str, object], None]) -> None:
    seen = random_games(name, 1000, 3)
    record_property("seen", f"{name}: {dict(seen.most_common())}")
    assert all(seen[state] for state in EXPECTED[name]), seen
