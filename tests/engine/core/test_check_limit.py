"""A limit of checks: three-check as a file of five lines, against python-chess's Board of that game."""

from __future__ import annotations

import random
import runpy

import chess.variant
import pytest

from engine.errors import FenError, RulesError
from engine.game import Game, Reason
from engine.rules import KEY, Rules
from engine.text import parse_fen, to_fen
from search.analysis import analyse, best_move
from support.harness import check_words

FILE = '''"""Three-check: whoever has checked three times wins."""
from engine.rules import Rules

RULES = Rules(name="three-check", source="https://lichess.org/variant/threeCheck", fairy_name="3check", checks_to_win=3)
'''


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    folder = tmp_path_factory.mktemp("games")
    (folder / "three_check.py").write_text(FILE)
    rules: Rules = runpy.run_path(str(folder / "three_check.py"))["RULES"]
    return rules


def by_checks(board: chess.variant.ThreeCheckBoard) -> str:
    """The FEN with the checks given in a seventh field, made from the Board's own count."""
    fields = board.fen(en_passant="legal").split()
    given = [3 - board.remaining_checks[colour] for colour in (chess.WHITE, chess.BLACK)]
    return " ".join([*fields[:4], *fields[5:], f"+{given[0]}+{given[1]}"])


def test_random_games_agree_with_the_board(rules: Rules, dice: random.Random) -> None:
    ended = {0: 0, 1: 0}
    for _ in range(60):
        game, board = Game(rules), chess.variant.ThreeCheckBoard()
        for _ in range(150):
            assert game.fen() == by_checks(board)
            check_words(rules, game.pos)
            if game.outcome() is not None or not any(board.legal_moves):
                break
            assert sorted(game.legal_moves()) == sorted(move.uci() for move in board.legal_moves), board.fen()
            checks = [move for move in board.legal_moves if board.gives_check(move)]
            move = dice.choice(checks if checks and dice.random() < 0.3 else list(board.legal_moves))
            game.push(move.uci())
            board.push(move)
        outcome = game.outcome()
        limit = outcome is not None and outcome.reason is Reason.CHECK_LIMIT
        assert limit == board.is_variant_end()
        if limit:
            assert outcome is not None
            assert outcome.winner == (0 if board.remaining_checks[chess.WHITE] == 0 else 1) == game.turn ^ 1
            ended[game.turn ^ 1] += 1
    assert min(ended.values()) > 5, ended


def test_the_count_is_part_of_the_position(rules: Rules) -> None:
    board = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    keys = {int(parse_fen(rules, f"{board} +{white}+{black}")[KEY]) for white in range(3) for black in range(3)}
    assert len(keys) == 9
    assert to_fen(rules, parse_fen(rules, "4k3/8/8/8/8/8/8/4K2R w K - 2+3 0 1")) == f"{board} +1+0"  # as python-chess has it
    assert to_fen(rules, parse_fen(rules, board)) == f"{board} +0+0"
    for wrong in ("+3+0", "+4+0", "1", "+1", "w", "3+4"):
        with pytest.raises(FenError, match="field 7"):
            parse_fen(rules, f"{board} {wrong}")


@pytest.mark.long  # compiles a search
def test_the_search_knows_the_third_check(rules: Rules) -> None:
    """The rook could be won; the last check wins the game."""
    game = Game(rules, "4k3/8/8/8/8/8/r7/4K2R w - - 0 1 +2+2")
    lines = analyse(game, depth=3)
    assert lines[0].moves[0] == "h1h8"
    assert lines[0].mate == 1
    game.push("h1h8")
    assert game.outcome() is not None
    assert game.result() == "1-0"
    assert game.legal_moves() == []
    assert analyse(game, depth=3) == []
    assert best_move(game, depth=3) is None


def test_checks_are_not_counted_two_ways() -> None:
    with pytest.raises(RulesError, match="checks_to_win"):
        Rules(name="wrong", source="this test", checks_to_win=3, mate_series="Q")
    with pytest.raises(RulesError, match="checks_to_win"):
        Rules(name="wrong", source="this test", checks_to_win=33)
