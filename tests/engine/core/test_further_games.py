"""The further games in random play: six against python-chess's own Boards, the others against Boards of their declaration."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import chess
import chess.variant
import pytest

import variants
from bench.check.definitions import random_game
from engine.core.perft import perft
from engine.game import Game, Reason
from engine.text import parse_fen
from engine.text.moves import castling_target
from support import board_games
from support.harness import check_modes, check_words
from variants import further
from variants.boards.declared import declared_board
from variants.further import ALIASES, GAMES, PICTURED, SINGLE

LICHESS = {  # reasons that random games must have ended with
    "kingofthehill": {Reason.GOAL}, "3check": {Reason.CHECK_LIMIT}, "racingkings": {Reason.GOAL}, "horde": {Reason.EXTINCTION},
    "antichess": {Reason.STALEMATE}, "crazyhouse": {Reason.CHECKMATE}}
COUNTS: dict[str, tuple[int, ...]] = {  # perft 1 .. 4; of the Lichess games python-chess 1.11 and Fairy-Stockfish 14 agree
    "kingofthehill": (20, 400, 8902, 197281), "3check": (20, 400, 8902, 197281), "racingkings": (21, 421, 11264, 296242),
    "horde": (8, 128, 1274, 23310), "antichess": (20, 400, 8067, 153299), "crazyhouse": (20, 400, 8902, 197281),
    # The rules sheet; Fairy-Stockfish 14 counts the first three of them alike.
    "armies-ff-cc": (20, 560, 12458, 383492), "armies-nn-rr": (26, 624, 17587, 476455),
    "armies-cc-nn": (28, 728, 22500, 629312),
    "ataturk-ff-cc": (27, 945, 26803, 991984), "ataturk-rr-nn": (31, 1023, 33993, 1166376),
    "ataturk-cc-rr": (35, 1085, 40258, 1326425), "ascending-nn-cc": (26, 728, 20519, 632867),
    "ascending-ff-rr": (20, 480, 10684, 290106), "tripunch": (24, 576, 17028, 500305),
    "ataturk-tripunch": (31, 957, 33235, 1143068), "madness-ferz": (10, 104, 1302, 16924),
    "madness-threeleaper": (11, 131, 1783, 25663), "madness-frog": (12, 158, 2397, 38804), "madness-mao": (9, 81, 896, 10016),
    "madness-6x6": (10, 105, 1329, 16720), "cylinder": (20, 392, 9162, 211036)}

SHORTER = {"horde": "rnbqkbnr/pppppppp/8/8/8/8/P7/P7 w kq - 0 1"}


def test_the_list_of_games_says_what_their_files_say() -> None:
    files = {path.stem for path in Path(further.__file__).parent.glob("*.py")} - {"__init__"}
    assert set(GAMES.values()) == files and set(SINGLE) | set(PICTURED) <= set(GAMES)
    rules = {name: variants.find(name) for name in GAMES}
    assert all(each.name == name for name, each in rules.items())
    assert {variants.plain(alias): name for name, each in rules.items() for alias in each.aliases} == ALIASES


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


def mostly_long(names: Iterable[str], quick: tuple[str, ...]) -> list[object]:
    """The games, those that are not quick for the long run: each costs a compilation."""
    marks = [pytest.mark.long, pytest.mark.timeout(1800)]
    return [pytest.param(name, marks=() if name in quick else marks) for name in names]


@pytest.mark.parametrize("name", mostly_long(LICHESS, ("crazyhouse",)))
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


@pytest.mark.parametrize("name", mostly_long(COUNTS, ("crazyhouse",)))
def test_counts(name: str) -> None:
    rules = variants.find(name)
    pos = parse_fen(rules, rules.start_fen)
    assert tuple(perft(rules, pos, depth) for depth in range(1, 5)) == COUNTS[name]


@pytest.mark.long
@pytest.mark.parametrize(("name", "fen", "depth"), [
    ("3check", "4k3/8/8/8/8/8/4q3/R3K2R w KQ - 0 1 +2+2", 3), ("kingofthehill", "8/8/3k4/8/8/3K4/8/8 w - - 0 1", 4),
    ("racingkings", "8/1K6/6k1/8/8/8/8/q6Q w - - 0 1", 3), ("horde", "4k3/8/8/8/8/7p/r7/P6P w - - 0 1", 4),
    ("antichess", "8/P6k/8/8/3pP3/8/8/K7 b - e3 0 1", 4),
    ("crazyhouse", "r3k2r/pp3p1p/8/8/8/8/PP3P1P/R3K2R[QNPqnp] w KQkq - 0 1", 2)])
def test_leaves_below_positions(name: str, fen: str, depth: int) -> None:
    """Lines end where a goal, a limit or the last piece ends the game."""
    rules = variants.find(name)
    assert perft(rules, parse_fen(rules, fen), depth) == board_games.perft(rules.board(fen), depth)


@pytest.mark.parametrize("name", mostly_long(GAMES, ("crazyhouse",)))
def test_random_games_agree_with_the_declaration(name: str, dice: random.Random) -> None:
    """Of every member of every family: the Board that is made of the declaration, also of games that have another one."""
    rules = variants.find(name)
    board_class = declared_board(rules)
    for _ in range(2):
        assert random_game(rules, board_class, dice) > 5


def test_a_bede_castles_to_the_b_file() -> None:
    """Clobberers castle long with king on b1 and bede on c1, Fabulous FIDEs with c8 and d8."""
    rules = variants.find("armies-cc-ff")
    assert castling_target(rules, 4, 0) == 1 and castling_target(rules, 60, 56) == 58
    assert castling_target(rules, 4, 7) == 6 and castling_target(rules, 60, 63) == 62
    board = rules.board("r3k2r/8/8/8/8/8/8/D3K2D w KQkq - 0 1")
    board.push_uci("e1b1")
    assert board.fen() == "r3k2r/8/8/8/8/8/8/1KD4D b kq - 1 1"


@pytest.mark.parametrize(("name", "fen", "move", "allowed"), [
    ("cylinder", "1k6/8/8/8/8/8/8/r2QK2R w K - 0 1", "e1g1", False),  # the emptied h1 opens the rank round the board
    ("cylinder", "1k6/8/8/8/8/8/8/3QK2R w K - 0 1", "e1g1", True),
    ("cylinder", "1k6/8/8/8/8/8/8/K7 w - - 0 1", "a1h1", True),
    ("tripunch", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1b5", True),  # one step diagonally, then on along the file
    ("tripunch", "4k3/8/8/8/8/8/1P6/R3K3 w - - 0 1", "a1b5", False),
    ("tripunch", "4k3/8/8/8/8/8/8/N3K3 w - - 0 1", "a1d7", True)])
def test_odd_moves(name: str, fen: str, move: str, allowed: bool) -> None:
    """Worked by hand from the rules, on the Board."""
    assert (move in {each.uci() for each in variants.find(name).board(fen).legal_moves}) == allowed
