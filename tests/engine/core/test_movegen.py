"""Made-up armies: the compiled generator against the slow implementation, in random positions, random games and perft."""

from __future__ import annotations

import functools
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import chess
import pytest

from engine.core.legality import in_check_kernel
from engine.core.perft import perft
from engine.errors import FenError
from engine.rules import EP, FIDE_PIECES, START, TURN, Pawn, Piece, Rules
from engine.text import Position, parse_fen, to_fen
from support.harness import check_modes, check_words, first_difference, moves_by_text, play
from support.slow import FIDE, Board, F, Move, Variant, W, leaps, slides, squares, text

SOURCE = "made up"


@dataclass(frozen=True)
class Army:
    """A game twice: as the engine has it and as the slow twin has it. `split`: its noisy and quiet lists are tried too."""

    rules: Callable[[], Rules]
    variant: Variant
    start: str
    split: bool = True

    @functools.cached_property
    def game(self) -> Rules:
        return self.rules()

    @property
    def squares(self) -> list[int]:
        return [rank * 8 + file for rank in range(self.variant.ranks) for file in range(self.variant.files)]


def _rules(name: str, pieces: tuple[Piece, ...], pawn: Pawn | None, start: str, castling: bool = False,
           royal_safety: bool = True, captures_explode: bool = False, size: tuple[int, int] = (8, 8)) -> Rules:
    return Rules(name=name, source=SOURCE, board=chess.Board, start_fen=start, pieces=pieces, pawn=pawn, files=size[0],
                 ranks=size[1], castling=castling, royal_safety=royal_safety, captures_explode=captures_explode)


MENAGERIE = "rgsakmer/oclpdppn/p1p1p1p1/8/8/P1P1P1P1/OCLPDPPN/RGSAKMER w KQkq - 0 1"
DIAMOND = "krbp4/rdnp4/nbpp4/pppp4/4PPPP/4PPBN/4PNDR/4PBRK w - - 0 1"
BEROLINA = "vnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/VNBQKBNR w - - 0 1"
QUEENS = "rnbqnbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQNBNR w - - 0 1"
BLAST = "rgsdksgr/pppppppp/2n2n2/8/8/2N2N2/PPPPPPPP/RGSDKSGR w KQkq - 0 1"
LOS_ALAMOS = "rnqknr/pppppp/6/6/PPPPPP/RNQKNR w - - 0 1"
SEVEN = "rnbkbnr/ppppppp/7/7/7/PPPPPPP/RNBKBNR w KQkq - 0 1"
OBLONG = "rcbkr/ppppp/5/5/5/5/PPPPP/RCBKR w - - 0 1"
PAWNLESS = "rvk2w1r/w1r2w1r/8/8/8/8/W1R2W1R/RVK2W1R w - - 0 1"

ARMIES = {
    # short and direction-limited slides, odd leaps, compounds, leaps that fall on slide lines, leaps along a pin's line
    "menagerie": Army(
        lambda: _rules("menagerie", (
            Piece("N", "N"), Piece("R", "R"), Piece("K", "K", royal=True), Piece("S", "R3"), Piece("L", "fRbB2"),
            Piece("C", "C"), Piece("O", "ZH"), Piece("D", "DA"), Piece("A", "QN"), Piece("G", "BA"), Piece("M", "K"),
            Piece("E", "RF")), Pawn(promotes_to="AS"), MENAGERIE, castling=True),
        Variant({"N": FIDE["N"], "R": FIDE["R"], "K": FIDE["K"], "S": slides(W, 3),
             "L": ((0, 1, 7), (1, -1, 2), (-1, -1, 2)), "C": leaps((1, 3)), "O": leaps((2, 3), (0, 3)),
             "D": leaps((0, 2), (2, 2)), "A": FIDE["Q"] + FIDE["N"], "G": FIDE["B"] + leaps((2, 2)),
             "M": FIDE["K"], "E": FIDE["R"] + slides(F, 1)}, promotes_to="AS"),
        MENAGERIE),
    # a royal knight and sideways pawns that promote on two sides of the board
    "diamond": Army(
        lambda: _rules("diamond", (
            Piece("K", "N", royal=True), Piece("N", "N"), Piece("B", "B"), Piece("R", "R"), Piece("D", "sDfF")),
            Pawn("flF", "flW", "a1a2a3a4a5a6a7a8b8c8d8e8f8g8h8", "RBND", ""), DIAMOND),
        Variant({"K": FIDE["N"], "N": FIDE["N"], "B": FIDE["B"], "R": FIDE["R"],
             "D": ((2, 0, 1), (-2, 0, 1), (1, 1, 1), (-1, 1, 1))},
            pawn_step=((-1, 1),), pawn_capture=((0, 1), (-1, 0)), promotes_to="RBND", double=frozenset(),
            zone=squares("a1a2a3a4a5a6a7a8b8c8d8e8f8g8h8"), castling=False),
        DIAMOND),
    # two kinds of royal pieces, one of them a slider of limited range; Berolina pawns, few promotions
    "berolina": Army(
        lambda: _rules("berolina", (
            *FIDE_PIECES, Piece("V", "R2", royal=True)), Pawn("fF", "fW", promotes_to="QN", double_step_zone=""), BEROLINA),
        Variant({**FIDE, "V": slides(W, 2)}, royal="KV", pawn_step=((1, 1), (-1, 1)), pawn_capture=((0, 1),),
            promotes_to="QN", double=frozenset(), castling=False),
        BEROLINA),
    # a royal queen, orthodox pawns: en passant where the general path decides
    "royal-queen": Army(
        lambda: _rules("royal-queen", (Piece("N", "N"), Piece("B", "B"), Piece("R", "R"), Piece("Q", "Q", royal=True)),
                       Pawn(promotes_to="RBN"), QUEENS),
        Variant({k: FIDE[k] for k in "NBRQ"}, royal="Q", promotes_to="RBN", castling=False), QUEENS, split=False),
    # explosions where touching kings do give check, with leaps and short slides
    "blast": Army(
        lambda: _rules("blast", (
            Piece("N", "N"), Piece("R", "R"), Piece("K", "K", royal=True), Piece("S", "R3"), Piece("D", "DA"),
            Piece("G", "BA")), Pawn(promotes_to="RG"), BLAST, castling=True, captures_explode=True),
        Variant({"N": FIDE["N"], "R": FIDE["R"], "K": FIDE["K"], "S": slides(W, 3), "D": leaps((0, 2), (2, 2)),
             "G": FIDE["B"] + leaps((2, 2))}, promotes_to="RG", explode=True),
        BLAST),
    # kings are captured
    "regicide": Army(
        lambda: _rules("regicide", FIDE_PIECES, Pawn(), START, castling=True, royal_safety=False),
        Variant(FIDE, royal_safety=False), START, split=False),
    # smaller boards: no castling and no double step; both, with a queen to promote to; explosions on a board that is no square
    "los-alamos": Army(
        lambda: _rules("los-alamos", (Piece("N", "N"), Piece("R", "R"), Piece("Q", "Q"), Piece("K", "K", royal=True)),
                       Pawn(promotion_zone="a6b6c6d6e6f6", promotes_to="QRN", double_step_zone=""), LOS_ALAMOS, size=(6, 6)),
        Variant({k: FIDE[k] for k in "NRQK"}, promotes_to="QRN", double=frozenset(), castling=False, files=6, ranks=6,
            zone=squares("a6b6c6d6e6f6")),
        LOS_ALAMOS),
    "seven": Army(
        lambda: _rules("seven", FIDE_PIECES, Pawn(promotion_zone="a7b7c7d7e7f7g7", double_step_zone="a2b2c2d2e2f2g2"), SEVEN,
                       castling=True, size=(7, 7)),
        Variant(FIDE, files=7, ranks=7, zone=squares("a7b7c7d7e7f7g7"), double=squares("a2b2c2d2e2f2g2")), SEVEN),
    "oblong": Army(
        lambda: _rules("oblong", (Piece("R", "R"), Piece("C", "BN"), Piece("B", "B3"), Piece("K", "K", royal=True)),
                       Pawn(promotion_zone="a8b8c8d8e8", promotes_to="RC", double_step_zone="a2b2c2d2e2"), OBLONG,
                       captures_explode=True, size=(5, 8)),
        Variant({"R": FIDE["R"], "C": FIDE["B"] + FIDE["N"], "B": slides(F, 3), "K": FIDE["K"]}, promotes_to="RC",
                castling=False, explode=True, files=5, zone=squares("a8b8c8d8e8"), double=squares("a2b2c2d2e2")), OBLONG),
    # no pawns at all, a royal piece that leaps two squares
    "pawnless": Army(
        lambda: _rules("pawnless", (Piece("R", "R"), Piece("V", "vRsR2"), Piece("W", "WF2"), Piece("K", "WD", royal=True)),
                       None, PAWNLESS),
        Variant({"R": FIDE["R"], "V": ((0, 1, 7), (0, -1, 7), (1, 0, 2), (-1, 0, 2)), "W": slides(W, 1) + slides(F, 2),
             "K": slides(W, 1) + leaps((0, 2))}, castling=False), PAWNLESS, split=False),
}

# Each army costs a compilation. What is odd about these, one of the others or a game in every run has, too: atomic chess
# explodes, ascending has kings that are captured, madness-legan odd pawns, ataturk royal leapers, seven a board of its own.
LONG = ("blast", "regicide", "berolina", "oblong", "pawnless", "diamond")
NAMES = [pytest.param(name, marks=[pytest.mark.long] if name in LONG else []) for name in ARMIES]


def compare(army: Army, pos: Position, board: Board, seen: Counter[str]) -> dict[str, Move]:
    """One position in both: moves, counts, check, FEN. Returns the slow twin's moves."""
    rules = army.game
    where = to_fen(rules, pos, shredder=True)
    ours, theirs = set(moves_by_text(rules, pos)), {text(move): move for move in board.legal()}
    assert ours == set(theirs), f"{where}: missing {sorted(set(theirs) - ours)}, too many {sorted(ours - set(theirs))}"
    assert bool(in_check_kernel(rules, pos, pos[TURN])) == board.in_check(board.turn), where
    assert " ".join(where.split()[:4]) == board.fen()
    check_modes(rules, pos, army.split)
    check_words(rules, pos)
    seen["check"] += board.in_check(board.turn)
    seen["en passant"] += bool(pos[EP])
    seen["castling"] += any(board.is_castling(move) for move in theirs.values())
    seen["promotion"] += any(promoted for _, _, promoted in theirs.values())
    seen["end"] += not theirs
    return theirs


def random_board(army: Army, dice: random.Random) -> str:
    """A FEN with a few pieces thrown onto the board; not always one the game can read."""
    variant = army.variant
    letters = [x for x in variant.pieces if x not in variant.royal] * 2 + ["P"] * (0 if army.game.pawn is None else 6)
    count = dice.randint(3, 14)
    where = dice.sample(army.squares, count + 2 * len(variant.royal))
    board = {square: dice.choice((letter, letter.lower()))
             for square, letter in zip(where, dice.choices(letters, k=count), strict=False)}
    pawn = army.game.traits.pawn
    for square, piece in board.items():  # a pawn where none can stand becomes a piece
        if pawn is not None and piece in "Pp" and pawn.nowhere[piece == "p"] >> square & 1:
            board[square] = dice.choice((letters[0], letters[0].lower()))
    for letter in variant.royal:
        board[where.pop()], board[where.pop()] = letter, letter.lower()
    rooks = set()
    if variant.castling and dice.random() < 0.3:
        board = {square: piece for square, piece in board.items() if piece not in "Kk"}
        for colour, letter in enumerate("Kk"):
            side = variant.side(colour)
            ends = (side, side + variant.files - 1)
            board[side + variant.files // 2] = letter
            rooks |= {rook for rook in ends if dice.random() < 0.8}
            board.update((rook, "r" if colour else "R") for rook in ends)
    return Board(variant, board, dice.randint(0, 1), frozenset(rooks)).fen() + " 0 1"


@pytest.mark.parametrize("name", NAMES)
def test_random_positions(name: str, dice: random.Random) -> None:
    army, seen, tried = ARMIES[name], Counter[str](), 0
    for _ in range(600):
        fen = random_board(army, dice)
        try:
            pos = parse_fen(army.game, fen)
        except FenError:
            continue
        tried += 1
        compare(army, pos, Board.read(army.variant, fen), seen)
    assert tried > 100
    assert seen["check"] > 10 or not army.variant.royal_safety, seen
    assert seen["castling"] > 10 or not army.variant.castling, seen
    assert seen["promotion"] > 10 or army.game.pawn is None, seen


@pytest.mark.parametrize("name", NAMES)
def test_random_games(name: str, dice: random.Random) -> None:
    army, seen = ARMIES[name], Counter[str]()
    for _ in range(8):
        board, pos = Board.read(army.variant, army.start), parse_fen(army.game, army.start)
        for _ in range(60):
            moves = compare(army, pos, board, seen)
            if not moves:
                break
            words = choose(board, moves, dice)
            pos, board = play(army.game, pos, moves_by_text(army.game, pos)[words]), board.push(moves[words])
            assert to_fen(army.game, parse_fen(army.game, to_fen(army.game, pos))) == to_fen(army.game, pos)
    wanted = {"menagerie": ["check", "en passant"], "royal-queen": ["check", "en passant"],
              "blast": ["check", "en passant"], "regicide": ["castling", "en passant", "promotion"],
              "diamond": ["promotion"], "berolina": ["check", "promotion"]}.get(name, [])
    assert all(seen[state] for state in wanted), f"never seen in {name}: {[s for s in wanted if not seen[s]]}"


def choose(board: Board, moves: dict[str, Move], dice: random.Random) -> str:
    """A move, rather a rare one; captures are put off so that the game lasts."""
    weights = []
    for origin, target, promoted in moves.values():
        pawn = board.pieces[origin] in "Pp"
        taking = board.is_capture((origin, target, promoted)) and not (pawn and board.owner(target) is None)
        weights.append(0.3 if taking else 8.0 if promoted else 2.0 if pawn else 1.0)
    return dice.choices(list(moves), weights)[0]


@pytest.mark.parametrize("name", NAMES)
def test_perft(name: str) -> None:
    army = ARMIES[name]
    pos, board = parse_fen(army.game, army.start), Board.read(army.variant, army.start)
    for depth in (1, 2, 3) if len(board.legal()) < 25 else (1, 2):
        assert perft(army.game, pos, depth) == board.perft(depth), first_difference(army.game, pos, army.variant, depth)
