"""The shipped suites of forced wins, checked by the python-chess Boards and, if short, by an exhaustive proof."""

from __future__ import annotations

from pathlib import Path

import pytest

import variants
from bench.__main__ import main
from bench.openings.puzzles import read_suite, suite
from engine.game import Game
from search.solve import Solver
from support.games import others_long

SHORT = 3  # moves: proved again here; the longer ones were proved when the suite was made


@pytest.mark.parametrize("name", variants.names())
def test_every_line_wins_on_the_board(name: str) -> None:
    rules = variants.find(name)
    puzzles = read_suite(suite(name), rules)
    assert len(puzzles) >= 30 and {puzzle.moves for puzzle in puzzles} == {2, 3, 4, 5, 6}
    assert len({puzzle.fen for puzzle in puzzles}) == len(puzzles)
    for puzzle in puzzles:
        assert len(puzzle.line) == 2 * puzzle.moves - 1 and puzzle.line[0] == puzzle.key
        board = rules.board(puzzle.fen)
        side = board.turn
        for word in puzzle.line:
            assert board.outcome() is None, puzzle
            board.push(board.parse_uci(word))
        outcome = board.outcome()
        assert outcome is not None and outcome.winner == side, puzzle


@pytest.mark.parametrize("name", others_long("chess", "atomic", "ataturk"))
def test_keys_are_the_only_winning_moves(name: str) -> None:
    rules, solver = variants.find(name), Solver(16)
    short = [puzzle for puzzle in read_suite(suite(name), rules) if puzzle.moves <= SHORT]
    assert len(short) >= 10
    for puzzle in short:
        game = Game(rules, puzzle.fen)
        found = solver.solve(game, puzzle.moves)
        assert found is not None and found.moves == puzzle.moves, puzzle
        assert [game.text(move) for move in found.keys] == [puzzle.key], puzzle


@pytest.mark.parametrize(("text", "said"), [
    ("", "has no games of a study"),
    ("junk\n", "has no games of a study"),
    ("\xf8", "no text"),
    ('["settings"]\n', "has no games of a study"),
    ('{"settings": {"variant": "chess"}}\n', "has games of chess, not of atomic"),
    ('{"settings": {"variant": "atomic"}}\njunk\n', "line 2, is not a record of a game"),
])
def test_puzzles_come_from_a_study_of_the_game(text: str, said: str, tmp_path: Path,
                                               capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(text, encoding="latin-1")
    assert main(["puzzles", "atomic", str(path)]) == 2
    captured = capsys.readouterr()
    assert f"{str(path)!r}" in captured.err and said in captured.err and captured.err.count("\n") == 1 and not captured.out


def test_a_study_without_wins_has_no_puzzles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text('{"settings": {"variant": "atomic"}}\n')
    assert main(["puzzles", "atomic", str(path)]) == 1
    assert capsys.readouterr() == ("", "atomic: 0 puzzles of 0 found\n")
