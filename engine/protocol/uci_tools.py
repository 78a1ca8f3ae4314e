"""UCI beyond the standard: variant announcements, exchanged sides, the evaluation by terms, the compiler."""

from __future__ import annotations

import os
import platform
import re
from typing import TYPE_CHECKING

import llvmlite
import numba
import numpy as np
from llvmlite import binding

from engine.compile.folder import cache_dir
from engine.compile.processor import processor, sliders
from engine.game import Game
from engine.rules import Pawn, Rules
from engine.rules.geometry import STRIDE
from engine.squares import FILES, SQUARES, square_name
from engine.text.fen import letter_at
from search.eval.evaluate import trace_kernel
from search.eval.features import FEATURES, FULL_STAGE, GROUPS, START, endgame, middlegame, weights_of
from search.eval.known import known_ending
from search.eval.net.files import Weights
from search.eval.values import net_value_of, value_of, worth_of_pieces
from search.tables.probing import Tables

if TYPE_CHECKING:
    from search.tables.syzygy import Syzygy

BEFORE_STEP = "(?=[A-Z])"  # matches before the letter of a step in Betza notation


def announcement(rules: Rules) -> str:
    """The announcement of a variant to a GUI that may not know it: board, start position, pieces in Betza notation.

    The first line has the form of Fairy-Stockfish.
    """
    like = "atomic" if rules.captures_explode else "fairy"
    board = f"files {rules.files} ranks {rules.ranks}"
    lines = [f"info string variant {rules.name} {board} pocket 0 template {like} startpos {rules.start_fen}"]
    if rules.pawn is not None:
        lines.append(f"info string piece P& {pawn_betza(rules.pawn)}")
    lines += [f"info string piece {piece.letter}& {piece.betza}" for piece in rules.pieces]
    return "\n".join(lines)


def pawn_betza(pawn: Pawn) -> str:
    """The moves of a pawn in one word of Betza notation.

    >>> pawn_betza(Pawn())
    'fmWfcFifmnD'
    """
    double = "ifmnD" if pawn.double_step_zone else ""
    return re.sub(BEFORE_STEP, "m", pawn.step) + re.sub(BEFORE_STEP, "c", pawn.capture) + double


def flipped(game: Game) -> str:
    """The FEN with the sides exchanged: upside down, or if pawns distinguish left and right, rotated by 180 degrees.

    Only the colours are exchanged if both sides run to the same end of the board.
    """
    rules = game.rules
    turned = rules.traits.pawn is not None and rules.traits.pawn.lopsided
    fields = game.fen().split()
    ranks = fields[0].split("/")[::1 if rules.traits.sides_run_alike else -1]
    fields[0] = "/".join(rank[::-1] if turned else rank for rank in ranks).swapcase()
    fields[1] = "w" if fields[1] == "b" else "b"
    fields[2] = _castling(rules, fields[2], turned)
    fields[3] = _square(rules, fields[3], turned) if fields[3] != "-" else "-"
    if rules.traits.titles:
        sides = fields[6].split("/")[::-1]
        fields[6] = "/".join("".join(_square(rules, side[i:i + 2], turned) for i in range(0, len(side), 2)) for side in sides)
    elif len(fields) > 6 and fields[6] in ("w", "b"):
        fields[6] = "w" if fields[6] == "b" else "b"
    return " ".join(fields)


def _square(rules: Rules, name: str, turned: bool) -> str:
    geometry, square = rules.traits.geometry, SQUARES[name]
    if turned:
        return square_name(geometry.opposite(square))
    return square_name((geometry.last_rank - square // STRIDE) * STRIDE + square % STRIDE)


def _castling(rules: Rules, rights: str, turned: bool) -> str:
    if turned:
        files = FILES[:rules.files]
        rights = rights.translate(str.maketrans(f"KQkq{files}{files.upper()}", f"QKqk{files[::-1]}{files[::-1].upper()}"))
    return "".join(sorted(rights.swapcase(), key=lambda letter: (letter.islower(), "KQ".find(letter.upper()), letter)))


def evaluation(game: Game, net: Weights | None = None, tables: Tables | None = None,
               syzygy: Syzygy | None = None) -> str:
    """The static evaluation in centipawns: the hand-crafted sum as a table of its terms, and what the net says, if any.

    The last line is the value that the search uses: by a table in an elementary ending, by the net, or else the sum.
    """
    outcome = game.outcome()
    if outcome is not None and not game.legal_moves():
        return f"no evaluation: the game is over, {outcome.reason.value}"
    weights, found = weights_of(game.rules), np.zeros((2, FEATURES + 2), np.int64)
    value = int(trace_kernel(game.rules, game.pos, weights, found))
    terms = _terms(weights, found)
    lines = [f"{'':<14}{'White':>14}{'Black':>14}{'difference':>14}", f"{'term':<14}" + "    mid    end" .rjust(14) * 3]
    for name, (white, black) in terms.items():
        scores = (white, black, white - black)
        lines.append(f"{name:<14}" + "".join(f"{middlegame(score):>7}{endgame(score):>7}" for score in scores))
    stage, scale = int(found[0, FEATURES]), int(found[0, FEATURES + 1])
    checked = "; never used here by the search: in check" if game.in_check() else ""
    lines += [f"stage         {stage} of {FULL_STAGE} middlegame",
              f"scale         {scale} of 64, by the material left to win with"]
    if net is not None:
        lines += _net_lines(game, net)
        lines.append(f"sum           {_both(game, value)}")
        lines.append(f"net           {_both(game, net_value_of(game.rules, game.pos, net))}")
    ending = known_ending(game.rules, game.pos)
    if ending is not None:
        lines.append(f"ending        {ending}")
    exact = None if tables is None else tables.value(game.rules, game.pos)
    if exact is not None:
        lines.append(f"table         {exact}")
    graded = None if syzygy is None else syzygy.root(game, game.legal_numbers())
    if graded is not None:
        lines.append(f"syzygy        {graded.grade}")
    if ending is not None or net is not None:
        value = value_of(game.rules, game.pos, net)
    lines.append(f"evaluation    {_both(game, value)}{checked}")
    return "\n".join(lines)


def _both(game: Game, value: int) -> str:
    """A value as each side sees it; value: centipawns from the side to move."""
    return f"{-value if game.turn else value} centipawns for White, {value} for the side to move"


def _net_lines(game: Game, net: Weights) -> list[str]:
    """The board with what each piece is worth to its own side: the net's value with it less the value without it."""
    geometry, worth = game.rules.traits.geometry, worth_of_pieces(game.rules, game.pos, net)
    lines = ["worth of each piece to its side, by the net:"]
    for rank in reversed(range(geometry.ranks)):
        cells = []
        for file in range(geometry.files):
            square = rank * STRIDE + file
            letter = letter_at(game.rules, game.pos, square)
            cells.append(f"{letter} {worth[square]:>5}" if square in worth else letter)
        lines.append(f"  {rank + 1}  " + " ".join(f"{cell:<7}" for cell in cells).rstrip())
    return [*lines, "     " + " ".join(f"{file:<7}" for file in FILES[:geometry.files]).rstrip()]


def _terms(weights: np.ndarray, found: np.ndarray) -> dict[str, tuple[int, int]]:
    """White's and Black's part of each term and of the sum, packed as in search/eval/features.py.

    weights: int64[...]; found: int64[2, FEATURES + 2], the features that each side has.
    """
    terms = dict.fromkeys((group.term for group in GROUPS), (0, 0))
    for group in GROUPS:
        part = slice(START[group.name], START[group.name] + group.features)
        white, black = (int((found[side, part] * weights[part]).sum()) for side in (0, 1))
        terms[group.term] = terms[group.term][0] + white, terms[group.term][1] + black
    return terms | {"sum": (sum(white for white, _ in terms.values()), sum(black for _, black in terms.values()))}


def compiler() -> str:
    """What compiled our machine code, for which processor, and where it is kept."""
    name, features = processor()
    have = " ".join(sorted(word[1:] for word in features.split(",") if word.startswith("+")))
    folder = cache_dir()
    kept = "nowhere" if folder is None else f"{folder} ({sum(1 for _ in folder.rglob('*.nbc'))} compiled functions)"
    llvm = ".".join(map(str, binding.llvm_version_info))
    system = f"{platform.system()} {platform.machine()}"
    return "\n".join((
        f"Compiled by numba {numba.__version__} with llvmlite {llvmlite.__version__}, LLVM {llvm}",
        f"Python      {platform.python_implementation()} {platform.python_version()}, numpy {np.__version__}, {system}",
        f"Processor   {name}, {os.cpu_count()} cores, sliders by {sliders()}",
        f"Features    {have}",
        f"Cache       {kept}"))
