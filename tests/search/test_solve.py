"""Forced wins (search/proof.py): published problems, and a naive search of the Boards on small positions."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import chess
import pytest

import variants
from bench.__main__ import main as command
from engine.errors import FenError
from engine.game import Game
from engine.rules import Rules
from search.solve import MAX_MATE, Solver
from support.games import TWINS

PROBLEMS = [  # (FEN, moves, key): well-known mates and their published solutions
    ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, "a1a6"),  # Morphy's problem
    ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", 3, "f8c5"),  # 1... Bc5+ 2. Kxc5 Qb6+ 3. Kd5 Qd6#
    ("r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1", 2, "d2h6"),  # 1. Qh6+ Kxh6 2. Bxf6#
]


@pytest.mark.parametrize(("fen", "moves", "key"), PROBLEMS, ids=[row[2] for row in PROBLEMS])
def test_published(fen: str, moves: int, key: str) -> None:
    game = Game("chess", fen)
    found = Solver(16).solve(game, 4)
    assert found is not None and found.moves == moves and game.parse(key) in found.keys
    assert len(found.line) == 2 * moves - 1 and found.line[0] in found.keys
    for move in found.line:
        game.push(move)
    outcome = game.verdict()
    assert outcome is not None and outcome.winner == (0 if fen.split()[1] == "w" else 1), "the line ends in the win"


@pytest.mark.parametrize("most", [0, MAX_MATE + 1])
def test_a_length_without_room_is_refused(most: int) -> None:
    """Longer proofs would write beyond the killers of the last ply."""
    with pytest.raises(ValueError, match=f"most {most} is not from 1 to {MAX_MATE}"):
        Solver(1).solve(Game("chess"), most)


def test_a_table_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="hash_mb must be at least 1, not 0"):
        Solver(0)


def wins(board: chess.Board, left: int) -> bool:
    """Whether the side to move wins in `left` moves, by trying everything on the Board."""
    for move in list(board.legal_moves):
        board.push(move)
        try:
            outcome = board.outcome()
            if outcome is not None:
                if outcome.winner == (not board.turn):
                    return True
            elif all(answered(board, answer, left - 1) for answer in list(board.legal_moves)):
                return True
        finally:
            board.pop()
    return False


def answered(board: chess.Board, answer: chess.Move, left: int) -> bool:
    """Whether the side to move after the answer has won, or wins in `left` moves."""
    board.push(answer)
    try:
        outcome = board.outcome()
        return outcome.winner == board.turn if outcome is not None else left > 0 and wins(board, left)
    finally:
        board.pop()


def small(rules: Rules, dice: random.Random) -> Game:
    """A few random pieces, Black's king at the edge, White to move."""
    heavy = [letter for letter in rules.letters if letter in "QRJ"]
    while True:
        others = ["p", "n"] if rules.traits.titles else ["p"]  # a title needs a piece to hold it
        squares = dice.sample(range(64), 4 + len(others))
        men = dict(zip(squares, ["K", "k", dice.choice(heavy), dice.choice([*heavy, "N"]), *others], strict=True))
        if squares[1] // 8 not in (0, 7) or squares[4] // 8 not in (2, 3, 4):
            continue
        rows = ["".join(men.get(8 * rank + file, "1") for file in range(8)) for rank in range(7, -1, -1)]
        try:
            game = Game(rules, "/".join(rows) + " w - -")
        except FenError:
            continue
        if game.verdict() is None:
            return game


SHORT = [pytest.param(name, 1, marks=[pytest.mark.long] if name in TWINS else []) for name in variants.names()]
LONG = [pytest.param(name, 2, marks=[pytest.mark.long, pytest.mark.timeout(1800)]) for name in variants.names()]


@pytest.mark.parametrize(("name", "most"), [*SHORT, ("chess", 2), ("atomic", 2), *LONG[2:]])
def test_agrees_with_the_board(name: str, most: int) -> None:
    rules = variants.find(name)
    dice, solver, seen = random.Random(f"solve {name}"), Solver(16), dict.fromkeys([None, *range(1, most + 1)], 0)
    for _ in range(3000):
        game = small(rules, dice)
        if most > 1 and len(game.legal_moves()) > 25:
            continue  # the naive search would take too long
        found = solver.solve(game, most)
        moves = None if found is None else found.moves
        if seen[moves] < 2:
            board = rules.board(game.fen())
            assert [wins(board, left) for left in range(1, most + 1)] == [
                moves is not None and moves <= left for left in range(1, most + 1)], game.fen()
            seen[moves] += 1
        if min(seen.values()) == 2:
            break
    assert seen[None] == 2 and seen[1] == 2, seen


def test_a_win_by_the_answer_of_the_defender_counts() -> None:
    """White has no piece left after 1. Rb1 axb1, which is forced, and that wins in antichess."""
    game = Game("antichess", "8/8/8/1R6/8/8/p7/8 w - - 0 1")
    found = Solver(4).solve(game, 3)
    assert found is not None and found.moves == 1 and [game.text(move) for move in found.keys] == ["b5b1"]
    assert len(found.line) == 2
    for move in found.line:
        game.push(move)
    outcome = game.verdict()
    assert outcome is not None and outcome.winner == 0


@pytest.mark.parametrize("most", [1, pytest.param(2, marks=pytest.mark.long)])
def test_antichess_agrees_with_the_board(most: int) -> None:
    rules = variants.find("antichess")
    dice, solver, seen = random.Random("solve antichess"), Solver(4), dict.fromkeys([None, *range(1, most + 1)], 0)
    for _ in range(3000):
        men = dict(zip(dice.sample(range(8, 56), 4), dice.choices("PNBRK", k=2) + dice.choices("pnbrk", k=2), strict=True))
        rows = ["".join(men.get(8 * rank + file, "1") for file in range(8)) for rank in range(7, -1, -1)]
        game = Game(rules, "/".join(rows) + " w - -")
        found = solver.solve(game, most)
        moves = None if found is None else found.moves
        if seen[moves] < 4:
            board = rules.board(game.fen())
            assert [wins(board, left) for left in range(1, most + 1)] == [
                moves is not None and moves <= left for left in range(1, most + 1)], game.fen()
            if found is not None:
                game.extend(found.line)
                outcome = game.verdict()
                assert outcome is not None and outcome.winner == 0, game.fen()
            seen[moves] += 1
        if min(seen.values()) == 4:
            break
    assert min(seen.values()) >= 2, seen


def test_a_stalemate_that_loses_is_a_win_in_one() -> None:
    """The knight takes b8 from the black king, from a6 or from d7; the king on b6 has the other squares."""
    rules = replace(variants.find("chess"), name="no stalemate", stalemate="loss")
    game = Game(rules, "k7/8/1K6/2N5/8/8/8/8 w - - 0 1")
    found = Solver(1).solve(game, 1)
    assert found is not None and {game.text(move) for move in found.keys} == {"c5a6", "c5d7"}
    assert len(found.line) == 1


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    fen = PROBLEMS[0][0]
    assert command(["solve", "--mate", "2", fen, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["moves"], said["keys"], said["proved"]) == (2, ["a1a6"], True)
    assert command(["solve", "--mate", "1", fen]) == 1
    assert capsys.readouterr().out.startswith("no win in 1 (")
    assert command(["solve", "--mate", "9", "--nodes", "50", chess.STARTING_FEN]) == 2
    assert capsys.readouterr().out.startswith("open: nothing proved in 50 nodes")
    assert command(["solve", "--mate", "0", fen]) == 2
    assert "--mate 0 is not from 1 to 30" in capsys.readouterr().err
    assert command(["solve", "8/8 w"]) == 2
    assert "8/8" in capsys.readouterr().err
