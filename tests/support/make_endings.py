"""Writes tests/search/eval/endings/GAME.tsv: elementary endings with their exact values, positions drawn from a seed.

    PYTHONPATH=tests python -m support.make_endings chess [--tables FOLDER]

Values come from retrograde analysis; those of the materials in PROVED, too large for tables here, from exhaustive search
(search/proof.py). What class an ending belongs to is decided by its share of wins and draws, see classify().
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import variants
from bench.endings.kernels import CAPTURES, UNUSUAL
from bench.endings.tables import Sample, Tables
from engine.core.bits import bitboard, squares
from engine.core.legality import settle_kernel
from engine.errors import FenError
from engine.game import Game
from engine.rules import CLOCK, MARKS, ROYAL, TURN, TYPES, WHITE, Rules
from engine.text import Position, legal_moves, to_fen
from search.tables.atlas import MAPS, lay_out
from search.tables.materials import ORDER, named
from support.places import ENDINGS

SEED = 20260721
WON, MOSTLY, DRAWN, DRAWISH, MIXED = "won", "mostly won", "drawn", "drawish", "mixed"
POSITIONS = {WON: 50, MOSTLY: 50, DRAWN: 12, DRAWISH: 12, MIXED: 12}
CERTAIN, LIKELY = 0.95, 0.6  # shares of wins or draws that make a class
LONGEST = 99  # plies: a win must come before the 50-move rule
SAMPLE = 600_000  # positions drawn from a larger table
MIRROR = 1  # in MAPS: left and right exchanged
STUCK = 99  # more steps than any pawn needs
SCARCE = 50  # an ending with fewer positions of its kind is left out
PROOF_MOVES, PROOF_NODES = 6, 400_000

# Endings of five pieces in games in which fewer decide little. In shatar a bare king draws, so the loser keeps a piece; in
# warmspit the vice-king cannot be captured. The class is won, for every position listed is.
PROVED: dict[str, tuple[str, ...]] = {
    "shatar": ("KJJvKJ", "KJJvKR", "KJJvKB", "KJJvKN", "KJRvKB", "KJRvKN", "KRRvKN"),
    "warmspit": ("KQBvKQ", "KQNvKQ", "KQRvKR", "KQBvKR", "KQNvKR", "KRRvKR", "KQRvKB", "KQBvKB", "KQRvKN", "KQNvKN"),
}


@dataclass(frozen=True)
class Ending:
    """A material, or a part of it, and how it ends for the side named first."""

    name: str
    kind: str
    note: str
    rows: tuple[tuple[str, int], ...]  # FEN, value


def materials(rules: Rules) -> list[str]:
    """The materials: a lone king against one and two pieces, piece against piece, piece against pawn."""
    pieces = "".join(letter for letter in ORDER if letter in rules.letters and letter not in "KP")  # best first
    pairs = list(itertools.combinations_with_replacement(pieces, 2))
    if rules.title_order:
        if any(piece.royal for piece in rules.pieces):
            return [named(f"K{a}", f"K{b}") for a, b in pairs]
        men = "K" + pieces
        return ["KvK", *(named(a, b) for a, b in itertools.combinations(men, 2)),
                *(named(a + b, "K") for a, b in itertools.combinations_with_replacement(men, 2) if a + b != "KK"),
                *(named(f"K{a}", b) for a in pieces for b in pieces), *(named(f"{a}P", "K") for a in men)]
    faced = [named(f"K{a}", f"K{b}") for a, b in pairs]
    if rules.bare_king_draws:
        return [*faced, *(f"K{a}vKP" for a in pieces[:1])]
    pawns = [*(f"K{a}vKP" for a in pieces), *(f"K{a}PvK" for a in pieces + "P")]
    if rules.name != "chess":
        pawns = ["KQvKP", "KRPvK"]
    lone = ["KvK", *(f"K{a}vK" for a in pieces + "P"), *(f"K{a}{b}vK" for a, b in pairs)]
    return [*lone, *faced, *pawns]


def colour_of(square: np.ndarray) -> np.ndarray:
    """0 for dark squares, 1 for light ones."""
    found: np.ndarray = (square + (square >> 3)) & 1
    return found


def places(rules: Rules, name: str, rows: np.ndarray) -> list[np.ndarray]:
    """The square of each piece of a material in these positions; of equal pieces the lowest first."""
    found = []
    for colour, side in enumerate(name.split("v")):
        for letter, count in Counter(side).items():
            rest = rows[:, TYPES + rules.letters.index(letter)] & rows[:, WHITE + colour]
            for _ in range(count):
                bit = rest & (~rest + np.uint64(1))
                found.append(np.log2(bit.astype(float)).astype(np.int64))
                rest ^= bit
    return found


def parts(tables: Tables, name: str, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """An ending, divided if its parts end differently: (name, which of the positions belong to it)."""
    rules, first = tables.rules, len(name.split("v")[0])
    men, at = name.replace("v", ""), places(rules, name, rows)
    bishops = [square for square, letter in zip(at, men, strict=True) if letter == "B"]
    pawns = [i for i, letter in enumerate(men) if letter == "P"]
    if len(bishops) == 2:
        like = colour_of(bishops[0]) == colour_of(bishops[1])
        yield f"{name} like", like
        yield f"{name} unlike", ~like
    elif len(pawns) == 1:
        pawn = at[pawns[0]] if pawns[0] < first else 63 - at[pawns[0]]
        left = _steps_left(rules)[pawn]
        if name == "KBPvK" and MIRROR in lay_out(rules, name)[2]:
            rook_pawn = (pawn & 7 == 0) | (pawn & 7 == 7)
            right = colour_of(bishops[0]) == colour_of(pawn & 7 | 56)
            yield f"{name} wrong", rook_pawn & ~right
            yield f"{name} right", rook_pawn & right
            yield f"{name} inner", ~rook_pawn
        else:
            yield f"{name} 1 left", left == 1
            yield f"{name} 2 left", left == 2
            yield f"{name} far", (left > 2) & (left < STUCK)
            yield f"{name} stuck", left == STUCK
    elif rules.captures_explode and name.endswith("vK"):
        a, b = at[0], at[first]
        touching = np.maximum(abs((a & 7) - (b & 7)), abs((a >> 3) - (b >> 3))) == 1
        yield f"{name} touching", touching
        yield f"{name} apart", ~touching
    else:
        yield name, np.ones(len(rows), bool)


def _steps_left(rules: Rules) -> np.ndarray:
    """int64[64]: steps a white pawn needs to its promotion, STUCK if it cannot get there."""
    pawn = rules.traits.pawn
    assert pawn is not None
    found = np.full(64, STUCK)
    for square in range(64):
        at, steps = square, 0
        while int(pawn.steps[0].source[0]) >> at & 1 and not int(pawn.zone[0]) >> at & 1:
            at, steps = (at + int(pawn.steps[0].shift[0])) % 64, steps + 1
        if int(pawn.zone[0]) >> at & 1:
            found[square] = steps
    return found


def shares(values: np.ndarray) -> tuple[float, float, float]:
    """The shares of wins, draws and losses among values."""
    total = max(len(values), 1)
    return tuple(float(np.count_nonzero(np.sign(values) == sign) / total) for sign in (1, 0, -1))  # type: ignore[return-value]


def classify(mine: tuple[float, float, float], theirs: tuple[float, float, float]) -> str:
    """The class of an ending by its shares."""
    wins, draws = min(mine[0], theirs[0]), min(mine[1], theirs[1])
    if wins >= CERTAIN:
        return WON
    if draws >= CERTAIN:
        return DRAWN
    return MOSTLY if wins >= LIKELY else DRAWISH if draws >= LIKELY else MIXED


def _dice(name: str) -> np.random.Generator:
    """Chance of its own for each material: another one more or less changes nothing."""
    return np.random.default_rng([SEED, *name.encode()])


def endings_of(tables: Tables, name: str, chance: np.random.Generator) -> Iterator[Ending]:
    """The endings of one material."""
    count = tables.files[name].entries
    numbers = np.arange(count) if count <= SAMPLE else np.unique(chance.integers(0, count, SAMPLE))
    found = tables.sample(name, numbers)
    listed = found.flags & UNUSUAL == 0
    if tables.rules.mate_series:
        listed &= found.rows[:, MARKS] == 0  # no series of checks under way
    found = Sample(*(part[listed] for part in found))
    turn = found.rows[:, TURN]
    worth = np.where(turn == 0, 1, -1) * found.values.astype(int)
    quiet = found.flags & CAPTURES == 0
    for part, inside in parts(tables, name, found.rows):
        if np.count_nonzero(inside & quiet) < SCARCE:
            continue
        mine, theirs = shares(worth[inside & quiet & (turn == 0)]), shares(worth[inside & quiet & (turn == 1)])
        kind = classify(mine, theirs)
        wanted = inside & (quiet | (turn == 0)) & (abs(worth) <= LONGEST)
        if kind in (WON, MOSTLY):
            wanted &= (worth > 0) & (abs(worth) > 2)  # nor over at the next move
        elif kind in (DRAWN, DRAWISH):
            wanted &= (worth == 0) & quiet
        rows = []
        for side in (0, 1):
            fitting = np.flatnonzero(wanted & (turn == side))
            chosen = chance.choice(fitting, min(POSITIONS[kind] // 2, len(fitting)), replace=False)
            rows += [(_fen(tables.rules, name, found.rows[i].copy(), chance), int(found.values[i])) for i in chosen]
        note = f"% of wins, draws, losses: {_percent(mine)} to move, {_percent(theirs)} the other side to move"
        yield Ending(part, kind, note, tuple(rows))


def _fen(rules: Rules, name: str, pos: Position, chance: np.random.Generator) -> str:
    """A position, turned by one of the board's symmetries: tables keep one position of each kind. `pos` is written."""
    turn = MAPS[chance.choice(lay_out(rules, name)[2])]
    words = [WHITE, WHITE + 1, *range(TYPES, len(pos)), *((ROYAL, MARKS) if rules.title_order else ())]
    for word in words:
        pos[word] = bitboard(int(turn[square]) for square in squares(int(pos[word])))
    settle_kernel(rules, pos)
    return to_fen(rules, pos)


def proved(rules: Rules, name: str, chance: np.random.Generator) -> Ending:
    """Positions of an ending that exhaustive search shows to be won, either side to move."""
    from search.solve import Solver

    solver, rows, tried, won = Solver(), list[tuple[str, int]](), 0, 0
    while len(rows) < POSITIONS[WON]:
        game = _random(rules, name, chance)
        if game is None:
            continue
        tried += 1
        try:
            solution = solver.solve(game, PROOF_MOVES, PROOF_NODES)
        except TimeoutError:
            continue
        won += solution is not None
        if solution is None or solution.moves < 2:
            continue
        value = 2 * solution.moves - 1
        if len(rows) % 2:  # the longest defence takes exactly the rest
            game.push(solution.keys[0])
            value = -value
            if game.pos[CLOCK] == 0:
                continue
        rows.append((game.fen(), value))
    note = f"proved to be won in {PROOF_MOVES} moves or fewer: {_percent((won / tried,))} % of the positions looked at"
    return Ending(name, WON, note, tuple(rows))


def _percent(parts_of_one: tuple[float, ...]) -> str:
    return "/".join(f"{100 * part:.1f}" for part in parts_of_one)


def _random(rules: Rules, name: str, chance: np.random.Generator) -> Game | None:
    """A game from a random position of a material with nothing to capture; None if the position is illegal."""
    sides = name.split("v")
    men = [letter if colour == 0 else letter.lower() for colour in (0, 1) for letter in sides[colour]]
    board = dict(zip(chance.choice(64, len(men), replace=False).tolist(), men, strict=True))
    rows = ["".join(board.get(8 * rank + file, "1") for file in range(8)) for rank in range(7, -1, -1)]
    try:
        game = Game(rules, "/".join(rows) + " w - - 0 1")
    except FenError:
        return None
    return game if game.verdict() is None and not _captures(game.pos, rules) else None


def _captures(pos: Position, rules: Rules) -> bool:
    them = int(pos[WHITE + 1 - int(pos[TURN])])
    return any(them >> (int(move) >> 6 & 63) & 1 for move in legal_moves(rules, pos))


def write(path: Path, rules: Rules, endings: list[Ending]) -> None:
    """The file: a comment for each ending, then its positions."""
    lines = [f"# Made by: PYTHONPATH=tests python -m support.make_endings {rules.name}",
             "# ending, class, position, value to the side to move: k wins in k plies, -k loses in k - 1, 0 draws."]
    for ending in endings:
        lines.append(f"# {ending.name}: {ending.kind}; {ending.note}")
        lines += [f"{ending.name}\t{ending.kind}\t{fen}\t{value}" for fen, value in ending.rows]
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def read(path: Path) -> list[Ending]:
    """What write() wrote, without the notes."""
    found: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for line in path.read_text().splitlines():
        if not line.startswith("#"):
            name, kind, fen, value = line.split("\t")
            found.setdefault((name, kind), []).append((fen, int(value)))
    return [Ending(name, kind, "", tuple(rows)) for (name, kind), rows in found.items()]


def main() -> int:
    """Writes one game's file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--tables", type=Path, help="keep tables here from one run to the next")
    given = parser.parse_args()
    rules = variants.find(given.game)
    names = list(dict.fromkeys(materials(rules)))
    with TemporaryDirectory() as temporary:
        tables = Tables(rules, names, given.tables or Path(temporary), progress=True)
        endings = [ending for name in names for ending in endings_of(tables, name, _dice(name))]
    for name in PROVED.get(given.game, ()):
        endings.append(proved(rules, name, _dice(name)))
        print(f"{name}: {endings[-1].kind}", file=sys.stderr, flush=True)
    write(ENDINGS / f"{rules.name}.tsv", rules, endings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
