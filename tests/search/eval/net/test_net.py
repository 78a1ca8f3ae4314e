"""Nets: inputs and values against a slow reference, updates against fresh values, files that do not fit."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import chess
import numpy as np
import pytest

import variants
from bench.nets.net import check, random_net
from engine.core.moves import CASTLE, DRIVE, DROP, EN_PASSANT, NAMING, PROMOTION
from engine.game import Game
from engine.rules import Pawn, Piece, Rules
from engine.squares import FILES, SQUARES
from search.eval.features import weights_of
from search.eval.net.files import FORMAT, NetError, Weights, read_net, write_net
from search.eval.net.inference import BUCKETS, QA, QB, SCALE
from search.eval.net.inputs import inputs_of
from search.eval.net.layers import BLOCK
from search.eval.scale import scales_kernel
from search.eval.values import net_value_of, value_of, worth_of_pieces
from search.limits import Limits
from search.searcher import Searcher
from support.games import LICHESS_LONG
from support.positions import other_side, random_positions

# Pawns that tell left from right and drives, titles beside a king, titles alone with castling, marks of series
FEW = ("chess", "madness", "warmspit", "ataturk", "shatar")
GAMES = [pytest.param(name, marks=() if name in FEW else pytest.mark.long) for name in variants.names()] + LICHESS_LONG
CHECKED = 20_000  # positions of each game
LONG = 1_000_000


def seen_inputs(game: Game, side: int, threats: bool) -> set[int]:
    """The inputs that a side sees, from the FEN and the game's own squares: nothing of the kernels but who attacks whom."""
    rules = game.rules
    types = len(rules.letters)
    lopsided = rules.name in ("madness", "madness-legan")
    turns = side and rules.name != "racingkings"  # both sides run up the board there
    states = 4 if threats else 1
    planes = types * states + (types + 1 if rules.traits.titles else 0) + rules.castling

    def square_of(square: int) -> int:
        file, rank = square % 8, square // 8
        if turns:
            file, rank = (7 - file, 7 - rank) if lopsided else (file, 7 - rank)
        if mirrored:
            file = 7 - file
        return rank * 8 + file

    pieces = {}
    placement, _, hands = game.fen().split()[0].replace("~", "").partition("[")
    for rank, text in zip(range(7, -1, -1), placement.split("/"), strict=True):
        file = 0
        for letter in text:
            if letter.isdigit():
                file += int(letter)
            else:
                pieces[rank * 8 + file] = letter
                file += 1
    royal = set(game.title_holders())
    seventh = game.fen().split()[6].replace("/", "") if rules.traits.titles else ""
    held = {SQUARES[seventh[i:i + 2]] for i in range(0, len(seventh), 2)}
    own_royal = [square for square in game.royal_squares() or royal if pieces[square].isupper() != bool(side)] or [56 * side]
    mirrored = not lopsided and own_royal[0] % 8 > 3
    home_rank = 7 - own_royal[0] // 8 if turns else own_royal[0] // 8
    zone = min(home_rank + 1, 3) if home_rank else int(own_royal[0] % 8 in (2, 3, 4, 5))
    board = game.board() if threats else None  # played through from the start, so only once
    found = set()
    for square, letter in pieces.items():
        other = int(letter.isupper() == bool(side))
        index = rules.letters.index(letter.upper())
        there = other * planes * 64 + square_of(square)
        found.add(there + (index * states + (state_of(board, square, letter) if board else 0)) * 64)
        if rules.traits.titles and square in royal:
            found.add(there + (types * states + index) * 64)
        if square in held:
            found.add(there + (types * states + types) * 64)
    for right in game.fen().split()[2].replace("-", ""):
        file = {"K": 7, "Q": 0}.get(right.upper(), FILES.find(right.lower()))
        square = file + (0 if right.isupper() else 56)
        found.add((int(right.isupper() == bool(side)) * planes + planes - 1) * 64 + square_of(square))
    found |= {2 * planes * 64 + number for number in seen_beside_the_board(game, side, hands.rstrip("]"))}
    inputs = 2 * planes * 64 + (64 if rules.mate_series or rules.checks_to_win else 0) + (128 if rules.drops else 0)
    return {zone * inputs + number for number in found}


def state_of(board: chess.Board, square: int, letter: str) -> int:
    """Twice whether the other side attacks a piece, plus whether its own side protects it, as the game's Board has it."""
    own = chess.WHITE if letter.isupper() else chess.BLACK
    enemy, friends = (bool(board.attackers(side, square)) for side in (not own, own))
    return 2 * enemy + friends


def seen_beside_the_board(game: Game, side: int, hands: str) -> set[int]:
    """The same of series of checks, of counted checks and of pieces in hand, from 0."""
    rules, found = game.rules, set[int]()
    if rules.mate_series:
        found |= {bit ^ side for bit in range(2) if int(game.pos[5]) >> bit & 1}
    if rules.checks_to_win:
        given = game.fen().split()[6].split("+")[1:]
        found |= {32 * (colour ^ side) + n for colour in range(2) for n in range(int(given[colour]))}
    marks = 64 if rules.mate_series or rules.checks_to_win else 0
    for letter in set(hands):
        first = marks + 64 * int(letter.isupper() == bool(side)) + 5 * rules.letters.index(letter.upper())
        found |= {first + bit for bit in range(5) if hands.count(letter) >> bit & 1}
    return found


def reference(game: Game, net: Weights) -> float:
    """The net's value in floating point, scaled, centipawns from the side to move, one number after the other."""
    bucket = sum(int(game.pieces()).bit_count() > last for last in (6, 9, 12, 15, 19, 23, 27))
    total = 0.0
    for seat in range(2):
        hidden = net.bias.astype(float)
        for number in seen_inputs(game, game.turn ^ seat, net.threats):
            hidden += net.rows[number]
        total += float((np.clip(hidden / QA, 0, 1) ** 2 * net.out[bucket, seat] / QB).sum())
    value = (total + float(net.out_bias[bucket]) / QA / QB) * SCALE
    scales = np.zeros((2, 1), np.uint8)
    scales_kernel(game.rules, game.pos.reshape(1, -1), weights_of(game.rules), scales)
    return value * float(scales[0 if value > 0 else 1, 0]) / 64


@pytest.mark.parametrize("threats", [False, True])
@pytest.mark.parametrize("variant", GAMES)
def test_values_are_those_of_a_slow_reference(variant: str, threats: bool) -> None:
    rules = variants.find(variant)
    net = random_net(rules, 1, threats)
    values = []
    for game in random_positions(rules, 60, 3):
        values.append(net_value_of(rules, game.pos, net))
        assert abs(values[-1] - reference(game, net)) < 2.01, game.fen()  # rounded before it is scaled, and after
    assert len(set(values)) > 20


@pytest.mark.parametrize("count", [CHECKED, pytest.param(LONG, marks=pytest.mark.long)])
@pytest.mark.parametrize("threats", [False, True])
@pytest.mark.parametrize("variant", GAMES)
def test_updates_are_exact(variant: str, threats: bool, count: int) -> None:
    rules = variants.find(variant)
    wrong, kinds = check(rules, random_net(rules, 2, threats), count, 5)
    assert wrong == 0
    assert kinds.sum() > count / 2
    pawns = "p" in rules.start_fen.split()[0].lower()  # racingkings knows pawns and has none
    doubles = rules.traits.pawn is not None and rules.traits.pawn.doubles
    passes = pawns and doubles and not rules.opening  # which has all double steps
    rare = {CASTLE: rules.castling, PROMOTION: pawns, NAMING: rules.traits.titles,
            DRIVE: rules.driven_king, DROP: rules.drops, EN_PASSANT: count == LONG and passes}
    for kind, there in rare.items():
        assert kinds[kind] > 0 or not there, kind


@pytest.mark.parametrize("neurons", [2 * BLOCK, 3 * BLOCK])
def test_a_wider_net_is_as_exact(neurons: int) -> None:
    rules = variants.find("chess")
    net = random_net(rules, 6, neurons=neurons)
    for game in random_positions(rules, 30, 7):
        assert abs(net_value_of(rules, game.pos, net) - reference(game, net)) < 2.01, game.fen()
    assert check(rules, net, CHECKED, 8)[0] == 0


@pytest.mark.parametrize("variant", GAMES)
def test_both_sides_see_the_same(variant: str) -> None:
    rules = variants.find(variant)
    net = random_net(rules, 3)
    for game in random_positions(rules, 40, 4):
        assert net_value_of(rules, game.pos, net) == net_value_of(rules, other_side(rules, game.pos), net), game.fen()


def test_a_mirrored_position_is_worth_the_same_without_rights_to_castle() -> None:
    rules = variants.find("chess")
    net = random_net(rules, 4)
    here = Game(rules, "4r1k1/5p2/8/3B4/8/2P5/5P2/R5K1 w - - 0 1")
    there = Game(rules, "1k1r4/2p5/8/4B3/8/5P2/2P5/1K5R w - - 0 1")
    assert net_value_of(rules, here.pos, net) == net_value_of(rules, there.pos, net)


def test_inputs_of_small_boards_and_checks() -> None:
    """Squares outside the board are never asked for; marks of checks are inputs, exchanged with the sides."""
    small = Rules(name="small", source="test", files=6, ranks=6, castling=False,
                  start_fen="rnqknr/pppppp/6/6/PPPPPP/RNQKNR w - - 3+3 0 1",
                  pieces=(Piece("N", "N"), Piece("R", "R"), Piece("Q", "Q"), Piece("K", "K", royal=True)), checks_to_win=3,
                  pawn=Pawn(promotes_to="QRN", promotion_zone="a6b6c6d6e6f6/a1b1c1d1e1f1", double_step_zone=""))
    wrong, _ = check(small, random_net(small, 1), 5000, 1)
    assert wrong == 0
    assert inputs_of(small) == 2 * len(small.letters) * 64 + 64
    assert inputs_of(small, 1, True) == 2 * 4 * len(small.letters) * 64 + 64


def test_marks_and_hands_are_different_inputs() -> None:
    """No game of ours has both; games of one's own may."""
    both = dataclasses.replace(variants.find("crazyhouse"), name="both", checks_to_win=3,
                               start_fen="rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1 +0+0")
    net = random_net(both, 1, False)
    game = Game(both, "r3k2r/ppp2ppp/8/4q3/8/8/PPP2PPP/R3K2R[Nnq] w KQkq - 0 1 +2+1")
    assert abs(net_value_of(both, game.pos, net) - reference(game, net)) < 2.01


def test_a_piece_that_is_attacked_is_another_input() -> None:
    """Only attacked queens without protection count; by hand, the bishop on g5 attacks d8, which e8 protects or not."""
    rules = variants.find("chess")
    rows = np.zeros((inputs_of(rules, 1, True), BLOCK), np.int16)
    queen = rules.letters.index("Q")
    first = (4 * queen + 2) * 64
    rows[first:first + 64] = QA
    out = np.zeros((BUCKETS, 2, BLOCK), np.int16)
    out[:, 0] = 2
    net = Weights(rows, np.zeros(BLOCK, np.int16), out, np.zeros(BUCKETS, np.int64), {}, True)
    attacked = Game(rules, "3q4/8/4k3/6B1/8/7P/8/4K3 b - - 0 1")
    protected = Game(rules, "3qk3/8/8/6B1/8/7P/8/4K3 b - - 0 1")
    hidden = Game(rules, "3q4/4p3/5k2/6B1/8/7P/8/4K3 b - - 0 1")
    assert net_value_of(rules, attacked.pos, net) > 100  # an output of 1, scaled, for there are few pieces
    assert net_value_of(rules, protected.pos, net) == net_value_of(rules, hidden.pos, net) == 0


def test_search_of_a_net_values_what_the_net_values() -> None:
    """With one input that matters, queens, the search avoids all else to keep its queen."""
    rules = variants.find("chess")
    rows = np.zeros((inputs_of(rules), BLOCK), np.int16)
    queen = rules.letters.index("Q")
    rows[queen * 64:(queen + 1) * 64] = QA // 2
    out = np.zeros((BUCKETS, 2, BLOCK), np.int16)
    out[:, 0], out[:, 1] = 2, -2
    net = Weights(rows, np.zeros(BLOCK, np.int16), out, np.zeros(BUCKETS, np.int64), {})
    game = Game(rules, "4k3/8/4p3/3q4/8/2N5/3Q4/4K3 w - - 0 1")
    assert value_of(rules, game.pos, net) == 0
    found = Searcher(hash_mb=1, nets=lambda rules: net).search(game, Limits(depth=3))
    assert found.move is not None and game.text(found.move) == "c3d5"
    worth = worth_of_pieces(rules, game.pos, net)
    assert worth[11] > 50 and abs(worth[35] - worth[11]) <= 1 and worth[18] == 0


@pytest.mark.parametrize(("fen", "scale"), [
    ("4k3/8/4b3/8/3P4/8/3B4/4K3 w - - 0 1", 20),  # bishops of unlike colours, a pawn more
    ("1k6/8/8/8/3B4/P7/P7/4K3 w - - 0 1", 0),  # a bishop that does not command the corner
])
def test_what_cannot_be_won_is_worth_less(fen: str, scale: int) -> None:
    rules = variants.find("chess")
    rows, out = np.zeros((inputs_of(rules), BLOCK), np.int16), np.zeros((BUCKETS, 2, BLOCK), np.int16)
    net = Weights(rows, np.zeros(BLOCK, np.int16), out, np.full(BUCKETS, QA * QB, np.int64), {})
    assert net_value_of(rules, Game(rules, fen).pos, net) == SCALE * scale // 64
    loss = Weights(rows, net.bias, out, -net.out_bias, {})
    assert net_value_of(rules, Game(rules, fen.replace(" w ", " b ")).pos, loss) == -SCALE * scale // 64


# Files

def test_a_net_is_read_as_it_was_written(tmp_path: Path) -> None:
    rules = variants.find("shatar")
    net, path = random_net(rules, 1), tmp_path / "n.npz"
    write_net(path, rules, net)
    again = read_net(path, rules)
    for name in ("rows", "bias", "out", "out_bias"):
        assert (getattr(again, name) == getattr(net, name)).all()
    assert again.about["format"] == FORMAT and not list(tmp_path.glob("*.part"))


def test_files_that_do_not_fit_are_refused_by_name(tmp_path: Path) -> None:
    chess, shatar = variants.find("chess"), variants.find("shatar")
    path = tmp_path / "n.npz"
    with pytest.raises(NetError, match=r"there is no net '.*n.npz'"):
        read_net(path, chess)
    write_net(path, chess, random_net(chess, 1))
    with pytest.raises(NetError, match=r"n\.npz' is for '8x8 PNBRQK castling', and shatar is '8x8 PNBRJK marks'"):
        read_net(path, shatar)
    whole = path.read_bytes()
    for length in (0, 10, len(whole) // 2, len(whole) - 3):
        path.write_bytes(whole[:length])
        with pytest.raises(NetError, match=r"cannot read a net from '.*n.npz'"):
            read_net(path, chess)
    with np.load(_written(path, whole)) as file:
        arrays = {name: file[name] for name in file}
    for name, wrong in (("rows", arrays["rows"][:5]), ("rows", arrays["rows"][:-1]),
                        ("rows", np.repeat(arrays["rows"], 2, axis=0)), ("bias", arrays["bias"].astype(float)),
                        ("bias", np.repeat(arrays["bias"], 2)), ("bias", arrays["bias"][:0]),
                        ("bias", arrays["bias"][:BLOCK - 1]),
                        ("out", arrays["out"] * 0 + 600),
                        ("about", np.array('{"format": 0}')), ("about", np.array("[]"))):
        np.savez(path, **{**arrays, name: wrong})
        with pytest.raises(NetError, match=r"n\.npz"):
            read_net(path, chess)


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("neurons", [BLOCK, 2 * BLOCK])
def test_no_sum_overflows(neurons: int) -> None:
    """The largest weights that a file may hold, all hidden numbers at their limit: as exact integers would have it."""
    rules = variants.find("chess")
    rows = np.zeros((inputs_of(rules), neurons), np.int16)
    for sign in (1, -1):
        out = np.full((BUCKETS, 2, neurons), sign * 507, np.int16)
        net = Weights(rows, np.full(neurons, 1000, np.int16), out, np.zeros(BUCKETS, np.int64), {})
        total = sign * 2 * neurons * QA * QA * 507
        expected = math.floor(math.floor(total / QA) * SCALE / (QA * QB))
        assert net_value_of(rules, Game(rules).pos, net) == max(-30_000, min(30_000, expected))
