"""Random games against python-chess and pyffish: moves, check, FEN, keys and the generator's modes at every node.

Games are pushed towards what is rare: castling, promotion, en passant, checks, kings that touch. A state a run has never
seen makes it fail, for then it has tested nothing.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import chess
import chess.variant
import pytest

import variants
from engine.core.legality import in_check_kernel
from engine.core.perft import perft
from engine.rules import EP, TURN, Rules
from engine.text import Position, move_text, parse_fen, parse_move, to_fen
from support.harness import check_modes, check_words, moves_by_text, play

CHESS, ATOMIC, NOCHECK = (variants.find(name) for name in ("chess", "atomic", "nocheckatomic"))
LONG = pytest.param(2000, marks=[pytest.mark.long, pytest.mark.timeout(3600)], id="long")
RARE = ("castling", "promotion", "en passant", "check", "no move")


def starts(rules: Rules, chess960: bool, dice: random.Random) -> chess.Board:
    """A start position, or an open position in which rare things happen soon."""
    if chess960:
        board = rules.board.from_chess960_pos(dice.randrange(960))
        if dice.random() < 0.5:  # without pawns and minor pieces castling comes at once
            for square in chess.SQUARES:
                if board.piece_type_at(square) in (chess.PAWN, chess.KNIGHT, chess.BISHOP) and dice.random() < 0.7:
                    board.remove_piece_at(square)
        if board.was_into_check():
            board.turn = not board.turn
        return board if not board.was_into_check() else rules.board.from_chess960_pos(dice.randrange(960))
    return rules.board(dice.choice([
        rules.start_fen, rules.start_fen, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/2pp1p2/8/1P4P1/1p4p1/8/2PP1P2/R3K2R w KQkq - 0 1", "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 b - - 0 1", "r3k2r/8/8/2K5/8/8/8/8 b kq - 0 1", "8/8/8/8/3k4/8/8/R3K2R w KQ - 0 1"]))


def choose(board: chess.Board, moves: list[chess.Move], dice: random.Random) -> chess.Move:
    """A move, rather a rare one."""
    weights = []
    for move in moves:
        weight = 1.0
        if board.is_castling(move) or board.is_en_passant(move):
            weight = 15.0
        elif move.promotion:
            weight = 5.0
        elif board.is_capture(move):
            weight = 0.4
        elif board.piece_type_at(move.from_square) in (chess.PAWN, chess.KING):
            weight = 3.0
        weights.append(weight)
    return dice.choices(moves, weights)[0]


def legal(board: chess.Board) -> dict[str, chess.Move]:
    """python-chess's legal moves by their chess960 text."""
    return {board._to_chess960(move).uci(): move for move in board.legal_moves}


def with_passed_square(board: chess.Board, fen: str) -> str:
    """A FEN of the board as python-chess writes it, but with a passed square only if a legal move captures there.

    Its own AtomicBoard asks whether the king is in check after the capture, not whether one has exploded.
    """
    fields = fen.split()
    captures = any(map(board.is_en_passant, board.legal_moves))
    fields[3] = chess.square_name(board.ep_square) if captures and board.ep_square is not None else "-"
    return " ".join(fields)


def compare(rules: Rules, pos: Position, board: chess.Board, seen: Counter[str]) -> None:
    """One position in both programs."""
    where = board.fen()
    ours, theirs = set(moves_by_text(rules, pos)), legal(board)
    assert ours == set(theirs), f"{where}: missing {sorted(set(theirs) - ours)}, too many {sorted(ours - set(theirs))}"
    over = board.is_variant_end()
    if not over:
        assert bool(in_check_kernel(rules, pos, pos[TURN])) == board.is_check(), where
        assert to_fen(rules, pos, shredder=True) == with_passed_square(board, board.shredder_fen())
        again = parse_fen(rules, with_passed_square(board, board.fen()))
        assert (again == pos).all(), f"{where} read back as {to_fen(rules, again)}"
    check_words(rules, pos)
    check_modes(rules, pos)
    assert bool(pos[EP]) == any(map(board.is_en_passant, theirs.values())), where
    seen["castling"] += any(board.is_castling(move) for move in theirs.values())
    seen["promotion"] += any(move.promotion is not None for move in theirs.values())
    seen["en passant"] += bool(pos[EP])
    seen["check"] += board.is_check()
    seen["no move"] += not theirs
    seen["end"] += over
    white, black = board.king(chess.WHITE), board.king(chess.BLACK)
    seen["touch"] += white is not None and black is not None and chess.square_distance(white, black) == 1


def games(rules: Rules, chess960: bool, count: int, dice: random.Random,
          look: Callable[[Position, chess.Board, list[str]], None]) -> None:
    """Random games in both programs; look(pos, board, moves so far) at every node, the first included."""
    for _ in range(count):
        board = starts(rules, chess960, dice)
        pos = parse_fen(rules, board.fen())
        line: list[str] = []
        look(pos, board, line)
        for _ in range(dice.randrange(10, 120)):
            moves = list(board.legal_moves)
            if not moves:
                break
            move = choose(board, moves, dice)
            words = board._to_chess960(move).uci()
            chosen = moves_by_text(rules, pos)[words]
            assert move_text(rules, pos, chosen, chess960) == board.uci(move)
            assert parse_move(rules, pos, board.uci(move)) == chosen
            pos = play(rules, pos, chosen)
            board.push(move)
            line.append(words)
            look(pos, board, line)


@pytest.mark.parametrize("count", [25, LONG])
@pytest.mark.parametrize(("name", "chess960"), [
    ("chess", False), ("chess", True), ("atomic", False), ("atomic", True), ("nocheckatomic", False)])
def test_beside_python_chess(name: str, chess960: bool, count: int, dice: random.Random) -> None:
    rules, seen = variants.find(name), Counter[str]()
    games(rules, chess960, count, dice, lambda pos, board, line: compare(rules, pos, board, seen))
    wanted = set(RARE) - ({"check"} if name == "nocheckatomic" else set()) - ({"en passant"} if chess960 else set())
    wanted |= {"touch", "end"} if name != "chess" else set()
    assert not wanted - set(+seen), f"never seen: {wanted - set(+seen)} in {dict(seen)}"


def own_king_blown(board: chess.Board, move: str) -> bool:
    """Whether a capture explodes the mover's king, which Fairy-Stockfish allows without check."""
    step = chess.Move.from_uci(move)
    king = board.king(board.turn)
    if king is None or board.is_castling(step) or not board.is_capture(step):
        return False
    return king == step.from_square or chess.square_distance(king, step.to_square) <= 1


@pytest.mark.parametrize("count", [20, LONG])
@pytest.mark.parametrize("name", ["atomic", "nocheckatomic"])
def test_beside_fairy_stockfish(name: str, count: int, dice: random.Random) -> None:
    pyffish = pytest.importorskip("pyffish")
    pyffish.load_variant_config("[nocheckatomic:atomic]\ncastling = true\n")
    rules, seen = variants.find(name), Counter[str]()

    def look(pos: Position, board: chess.Board, line: list[str]) -> None:
        if board.is_variant_end():
            return
        fen = with_passed_square(board, board.fen())
        theirs = set(pyffish.legal_moves(name, fen, []))
        if name == "nocheckatomic":
            kept = {move for move in theirs if not own_king_blown(board, move)}
            seen["self"] += len(theirs) - len(kept)
            theirs = kept
        ours = {move_text(rules, pos, move) for move in moves_by_text(rules, pos).values()}
        assert ours == theirs, f"{fen}: missing {sorted(theirs - ours)}, too many {sorted(ours - theirs)}"
        seen["nodes"] += 1
        if rules.royal_safety:
            assert pyffish.gives_check(name, fen, []) == bool(in_check_kernel(rules, pos, pos[TURN])), fen

    games(rules, False, count, dice, look)
    assert seen["nodes"] > 500
    assert seen["self"] > 10 or name == "atomic"


@pytest.mark.parametrize(("fen", "move", "allowed"), [
    ("r3k2R/4K3/8/8/8/8/8/8 b q - 0 1", "e8c8", True),
    ("8/8/8/8/8/8/3k4/r3K2R w K - 0 1", "e1g1", False),
    ("4k3/8/8/8/8/4r3/8/R3K2R w KQ - 0 1", "e1g1", False),  # in check
    ("4k3/8/8/8/8/5r2/8/R3K2R w KQ - 0 1", "e1g1", False),  # crosses an attacked square
    ("4k3/8/8/8/8/5r2/8/R3K2R w KQ - 0 1", "e1c1", True),
    ("8/8/8/8/8/5r2/6k1/4K2R w K - 0 1", "e1g1", True),  # crosses f1 beside the enemy king
    ("4k3/8/8/8/8/8/4p3/R3K2R w KQ - 0 1", "e1g1", False),  # f1 attacked by the pawn
    ("4k3/8/8/8/8/1r6/8/R3K2R w KQ - 0 1", "e1c1", True),  # the king does not cross b1
])
def test_atomic_castling(fen: str, move: str, allowed: bool) -> None:
    pos = parse_fen(ATOMIC, fen)
    assert (move in {move_text(ATOMIC, pos, m) for m in moves_by_text(ATOMIC, pos).values()}) == allowed
    board = chess.variant.AtomicBoard(fen)
    assert board.is_legal(chess.Move.from_uci(move)) == allowed


@pytest.mark.parametrize(("rules", "fen", "move", "after"), [
    # a rook removed by a blast takes its right with it; so does a king, and the rooks' squares do not matter then
    (ATOMIC, "r3k2r/8/8/8/8/7n/6P1/R3K2R w KQkq - 0 1", "g2h3", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"),
    (ATOMIC, "r3k1nr/8/8/8/8/8/8/R3K1QR w KQkq - 0 1", "g1g8", "r3k3/8/8/8/8/8/8/R3K2R b KQq - 0 1"),
    (ATOMIC, "r3k2r/8/8/8/6q1/8/8/R3K1NR b KQkq - 0 1", "g4g1", "r3k2r/8/8/8/8/8/8/R3K3 w Qkq - 0 2"),
    (ATOMIC, "r3k2r/8/8/8/1r6/8/8/RN2K2R b KQkq - 0 1", "b4b1", "r3k2r/8/8/8/8/8/8/4K2R w Kkq - 0 2"),
    (ATOMIC, "rn2k2r/8/8/1R6/8/8/8/R3K2R w KQkq - 0 1", "b5b8", "4k2r/8/8/8/8/8/8/R3K2R b KQk - 0 1"),
    (ATOMIC, "r2qk2r/8/8/8/8/8/8/R2QK2R w KQkq - 0 1", "d1d8", "r6r/8/8/8/8/8/8/R3K2R b KQ - 0 1"),
    (ATOMIC, "4k3/8/8/1R1pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "4k3/8/8/1R6/8/8/8/4K3 b - - 0 1"),
    (ATOMIC, "4k3/8/2r5/2RpP3/8/8/8/4K3 w - d6 0 1", "e5d6", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
    (ATOMIC, "4k3/1P6/8/8/8/8/8/4K3 w - - 3 9", "b7b8q", "1Q2k3/8/8/8/8/8/8/4K3 b - - 0 9"),
    (CHESS, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 4 7", "h1h8", "r3k2R/8/8/8/8/8/8/R3K3 b Qq - 0 7"),
    (CHESS, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 4 7", "e1c1", "r3k2r/8/8/8/8/8/8/2KR3R b kq - 5 7"),
    (CHESS, "4k3/8/8/8/1p6/8/P7/4K3 w - - 5 7", "a2a4", "4k3/8/8/8/Pp6/8/8/4K3 b - a3 0 7"),
    (CHESS, "4k3/8/8/8/2p5/8/P7/4K3 w - - 5 7", "a2a4", "4k3/8/8/8/P1p5/8/8/4K3 b - - 0 7"),
    (CHESS, "8/8/8/8/1p5R/8/P7/k3K3 w - - 5 7", "h4b4", "8/8/8/8/1R6/8/P7/k3K3 b - - 0 7"),
])
def test_after_a_move(rules: Rules, fen: str, move: str, after: str) -> None:
    pos = parse_fen(rules, fen)
    pos = play(rules, pos, parse_move(rules, pos, move))
    assert to_fen(rules, pos) == after
    check_words(rules, pos)


@pytest.mark.parametrize(("name", "counts"), [
    ("chess", (20, 400, 8902, 197281)), ("atomic", (20, 400, 8902, 197326)), ("nocheckatomic", (20, 400, 8902, 197779))])
def test_counts_of_the_rules_sheet(name: str, counts: tuple[int, ...]) -> None:
    rules = variants.find(name)
    pos = parse_fen(rules, rules.start_fen)
    assert tuple(perft(rules, pos, depth) for depth in range(1, len(counts) + 1)) == counts


@pytest.mark.parametrize(("fen", "allowed"), [
    ("8/8/8/8/k1pP3R/K7/8/8 b - d3 0 1", True),  # kings that touch: the rook gives no check through the emptied rank
    ("8/8/8/8/k1pP3R/8/8/K7 b - d3 0 1", False),
])
def test_en_passant_beside_kings_that_touch(fen: str, allowed: bool) -> None:
    pos = parse_fen(ATOMIC, fen)
    assert ("c4d3" in moves_by_text(ATOMIC, pos), bool(pos[EP])) == (allowed, allowed)
    assert chess.variant.AtomicBoard(fen).is_legal(chess.Move.from_uci("c4d3")) == allowed


def test_exploding_the_king_answers_check() -> None:
    """Rule 3: in check from the rook, Black may still win at once."""
    pos = parse_fen(ATOMIC, "3qk3/8/8/8/3Q4/8/8/r3K3 w - - 0 1")
    assert in_check_kernel(ATOMIC, pos, pos[TURN])
    moves = moves_by_text(ATOMIC, pos)
    assert "d4d8" in moves and "d4e5" not in moves
    won = play(ATOMIC, pos, moves["d4d8"])
    assert not moves_by_text(ATOMIC, won)
    assert (parse_fen(ATOMIC, to_fen(ATOMIC, won)) == won).all(), "a finished game's FEN is read too"
