"""The further games in random play, against python-chess's own Boards of them."""

from __future__ import annotations

import random
from collections import Counter

import chess
import chess.variant
import pytest

import variants
from engine.core.perft import perft
from engine.game import Game, Reason
from engine.text import parse_fen
from support.harness import check_modes, check_words

LICHESS = {  # reasons that random games must have ended with
    "kingofthehill": {Reason.GOAL}, "3check": {Reason.CHECK_LIMIT}, "racingkings": {Reason.GOAL}, "horde": {Reason.EXTINCTION},
    "antichess": {Reason.STALEMATE}, "crazyhouse": {Reason.CHECKMATE}}
COUNTS = {  # perft 1 .. 4; python-chess 1.11 and Fairy-Stockfish 14 agree
    "kingofthehill": (20, 400, 8902, 197281), "3check": (20, 400, 8902, 197281), "racingkings": (21, 421, 11264, 296242),
    "horde": (8, 128, 1274, 23310), "antichess": (20, 400, 8067, 153299), "crazyhouse": (20, 400, 8902, 197281)}

SHORTER = {"horde": "rnbqkbnr/pppppppp/8/8/8/8/P7/P7 w kq - 0 1"}


def as_ours(board: chess.Board) -> str:
    """The Board's FEN in our form: checks as given ones in the seventh field."""
    fields = board.fen(en_passant="legal").split()
    if isinstance(board, chess.variant.ThreeCheckBoard):
        given = [3 - board.remaining_checks[colour] for colour in (chess.WHITE, chess.BLACK)]
        fields = [*fields[:4], *fields[5:], f"+{given[0]}+{given[1]}"]
    return " ".join(fields)


def winner_of(board: chess.Board) -> int | None:
    """0 White, 1 Black, None for a draw."""
    outcome = board.outcome()
    assert outcome is not None
    return None if outcome.winner is None else int(not outcome.winner)


@pytest.mark.parametrize("name", LICHESS)
def test_random_games_agree(name: str, dice: random.Random) -> None:
    rules = variants.find(name)
    ends: Counter[Reason] = Counter()
    for number in range(16):
        fen = SHORTER.get(name, rules.start_fen) if number % 2 else rules.start_fen
        game, board = Game(rules, fen), rules.board(fen)
        for _ in range(140):
            assert game.fen() == as_ours(board)
            check_words(rules, game.pos)
            check_modes(rules, game.pos)
            theirs = [] if board.is_variant_end() else list(board.legal_moves)
            assert sorted(game.legal_moves()) == sorted(move.uci() for move in theirs), board.fen()
            decided = game.verdict()
            assert (decided is not None) == (not theirs), board.fen()
            if decided is not None:
                assert decided.winner == winner_of(board), board.fen()
                ends[decided.reason] += 1
                break
            lively = [move for move in theirs if board.is_capture(move) or board.gives_check(move) or move.promotion]
            move = dice.choice(lively if lively and dice.random() < 0.4 else theirs)
            game.push(move.uci())
            board.push(move)
            assert (parse_fen(rules, game.fen()) == game.pos).all()
    assert LICHESS[name] <= set(ends), ends


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str) -> None:
    rules = variants.find(name)
    pos = parse_fen(rules, rules.start_fen)
    assert tuple(perft(rules, pos, depth) for depth in range(1, 5)) == COUNTS[name]


@pytest.mark.parametrize(("name", "fen", "depth"), [
    ("3check", "4k3/8/8/8/8/8/4q3/R3K2R w KQ - 0 1 +2+2", 3), ("kingofthehill", "8/8/3k4/8/8/3K4/8/8 w - - 0 1", 4),
    ("racingkings", "8/1K6/6k1/8/8/8/8/q6Q w - - 0 1", 3), ("horde", "4k3/8/8/8/8/7p/r7/P6P w - - 0 1", 4),
    ("antichess", "8/P6k/8/8/3pP3/8/8/K7 b - e3 0 1", 4),
    ("crazyhouse", "r3k2r/pp3p1p/8/8/8/8/PP3P1P/R3K2R[QNPqnp] w KQkq - 0 1", 2)])
def test_leaves_below_positions(name: str, fen: str, depth: int) -> None:
    """Lines end where a goal, a limit or the last piece ends the game."""
    rules = variants.find(name)
    assert perft(rules, parse_fen(rules, fen), depth) == leaves(rules.board(fen), depth)


def leaves(board: chess.Board, depth: int) -> int:
    if board.is_variant_end():
        return 0
    if depth == 1:
        return board.legal_moves.count()
    count = 0
    for move in list(board.legal_moves):
        board.push(move)
        count += leaves(board, depth - 1)
        board.pop()
    return count
