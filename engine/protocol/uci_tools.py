"""What UCI says beyond the standard: a game's face, the position turned round, the evaluation by terms, the compiler."""

from __future__ import annotations

import re

import numpy as np

from engine.game import Game
from engine.rules import Pawn, Rules
from engine.squares import SQUARES, square_name

MEN = "(?=[A-Z])"  # before the letter that names a step in Betza notation


def announcement(rules: Rules) -> str:
    """The lines that tell a GUI of a game it may not know: board, start position, and how each piece moves (Betza notation).

    The first has the words and the order that Fairy-Stockfish gave it.
    """
    like = "atomic" if rules.captures_explode else "fairy"
    lines = [f"info string variant {rules.name} files 8 ranks 8 pocket 0 template {like} startpos {rules.start_fen}"]
    if rules.pawn is not None:
        lines.append(f"info string piece P& {pawn_betza(rules.pawn)}")
    lines += [f"info string piece {piece.letter}& {piece.betza}" for piece in rules.pieces]
    return "\n".join(lines)


def pawn_betza(pawn: Pawn) -> str:
    """A pawn's moves in one word of Betza notation.

    >>> pawn_betza(Pawn())
    'fmWfcFifmnD'
    """
    double = "ifmnD" if pawn.double_step_zone else ""
    return re.sub(MEN, "m", pawn.step) + re.sub(MEN, "c", pawn.capture) + double


def flipped(game: Game) -> str:
    """FEN with the sides exchanged: the board upside down, or turned by half where pawns tell left from right."""
    rules = game.rules
    turned = rules.traits.pawn is not None and rules.traits.pawn.lopsided
    fields = game.fen().split()
    ranks = fields[0].split("/")[::-1]
    fields[0] = "/".join(rank[::-1] if turned else rank for rank in ranks).swapcase()
    fields[1] = "w" if fields[1] == "b" else "b"
    fields[2] = _castling(fields[2], turned)
    fields[3] = _square(fields[3], turned) if fields[3] != "-" else "-"
    if rules.traits.titles:
        sides = fields[6].split("/")[::-1]
        fields[6] = "/".join("".join(_square(side[i:i + 2], turned) for i in range(0, len(side), 2)) for side in sides)
    elif len(fields) > 6 and fields[6] in ("w", "b"):
        fields[6] = "w" if fields[6] == "b" else "b"
    return " ".join(fields)


def _square(name: str, turned: bool) -> str:
    return square_name(SQUARES[name] ^ (63 if turned else 56))


def _castling(rights: str, turned: bool) -> str:
    if turned:
        rights = rights.translate(str.maketrans("KQkqABCDEFGHabcdefgh", "QKqkHGFEDCBAhgfedcba"))
    return "".join(sorted(rights.swapcase(), key=lambda letter: (letter.islower(), "KQ".find(letter.upper()), letter)))


def evaluation(game: Game) -> str:
    """The evaluation as a table of its terms, in centipawns; the columns add up to what the search uses.

    In an elementary ending that is known the search uses that instead.
    """
    from search.eval.evaluate import trace_kernel, value_kernel
    from search.eval.features import FEATURES, FULL_STAGE, GROUPS, START, endgame, middlegame, weights_of
    from search.eval.known import known_ending

    outcome = game.outcome()
    if outcome is not None and not game.legal_moves():
        return f"no evaluation: the game is over, {outcome.reason.value}"
    weights, found = weights_of(game.rules), np.zeros((2, FEATURES + 2), np.int64)
    value = int(trace_kernel(game.rules, game.pos, weights, found))
    terms = dict.fromkeys((group.term for group in GROUPS), (0, 0))
    for group in GROUPS:
        part = slice(START[group.name], START[group.name] + group.features)
        white, black = (int((found[c, part] * weights[part]).sum()) for c in (0, 1))
        terms[group.term] = terms[group.term][0] + white, terms[group.term][1] + black
    terms["sum"] = sum(white for white, _ in terms.values()), sum(black for _, black in terms.values())
    lines = [f"{'':<14}{'White':>14}{'Black':>14}{'difference':>14}", f"{'term':<14}" + "    mid    end" .rjust(14) * 3]
    for name, (white, black) in terms.items():
        scores = (white, black, white - black)
        lines.append(f"{name:<14}" + "".join(f"{middlegame(score):>7}{endgame(score):>7}" for score in scores))
    stage, scale = int(found[0, FEATURES]), int(found[0, FEATURES + 1])
    checked = "; the search never asks for it here, the king is in check" if game.in_check() else ""
    lines += [f"stage         {stage} of {FULL_STAGE} middlegame",
              f"scale         {scale} of 64: what is left to win with"]
    ending = known_ending(game.rules, game.pos)
    if ending is not None:
        lines.append(f"ending        {ending}")
        value = int(value_kernel(game.rules, game.pos, weights))
    lines += [f"evaluation    {-value if game.turn else value} centipawns for White, {value} for the side to move{checked}"]
    return "\n".join(lines)


def compiler() -> str:
    """What our machine code was made by, for what, and where it is kept."""
    import os
    import platform

    import llvmlite
    import numba
    from llvmlite import binding

    from engine.compile import jit

    name, features = jit.processor()
    have = " ".join(sorted(word[1:] for word in features.split(",") if word.startswith("+")))
    folder = jit.cache_dir()
    kept = "nowhere" if folder is None else f"{folder} ({sum(1 for _ in folder.rglob('*.nbc'))} compiled functions)"
    llvm = ".".join(map(str, binding.llvm_version_info))
    system = f"{platform.system()} {platform.machine()}"
    return "\n".join((
        f"Compiled by numba {numba.__version__} with llvmlite {llvmlite.__version__}, LLVM {llvm}",
        f"Python      {platform.python_implementation()} {platform.python_version()}, numpy {np.__version__}, {system}",
        f"Processor   {name}, {os.cpu_count()} cores, sliders by {jit.sliders()}",
        f"Features    {have}",
        f"Cache       {kept}"))
