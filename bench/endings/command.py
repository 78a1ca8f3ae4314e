"""`kingmaker endings`: solves elementary endings by retrograde analysis and fits their values for the evaluation.

Every position of an ending gets its value (search/tables/), and the features of search/eval/endings.py are fitted to these
(fit.py). The engine must win won endings in play, or their rows are made steeper (play.py).
"""

from __future__ import annotations

import itertools
import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import variants
from bench.endings.fit import fitted, lone_scales
from bench.endings.play import WON, proved, starts
from bench.endings.tables import Tables
from bench.outputs import check_writable
from engine.errors import CommandError
from engine.rules import Rules
from search.eval.known import ENDING_PIECES, known_path, pieces_of, read_endings
from search.tables.atlas import refuse_untabled
from search.tables.materials import named, parse_material

USUAL = 4  # pieces: endings with more are fitted only when they are named


def add_arguments(parser: ArgumentParser) -> None:
    """Add game, endings, folders and number of games."""
    parser.add_argument("variant", metavar="VARIANT", help="the game")
    parser.add_argument("material", nargs="*", metavar="MATERIAL",
                        help="such as KQvKR; the game's other endings are kept. Default: all of three and four pieces")
    parser.add_argument("--tables", metavar="FOLDER",
                        help="where tables are kept, as by `kingmaker table`; default: they are not kept")
    parser.add_argument("--play", type=int, default=50, metavar="N",
                        help="play N games of each won ending; default: %(default)s")
    parser.add_argument("--least", type=int, default=None, metavar="CP",
                        help="no position of these endings is worth less to the first side; for endings that are mostly drawn "
                             "but often won")
    parser.add_argument("-o", "--output", metavar="FILE", help="default: the engine's own file")


def run(args: Namespace) -> int:
    """Exit status: 0."""
    rules = variants.find(variants.resolve(args.variant))
    refuse_untabled(rules)
    if args.play < 0:
        raise CommandError(f"--play must be at least 0, not {args.play}")
    wanted = ([parse_material(rules, material, ENDING_PIECES) for material in args.material]
              or [named(*material.split("v")) for material in materials(rules)])
    path = Path(args.output) if args.output else known_path(rules)
    check_writable(path, path.with_suffix(".npz"))
    known = {name: ending for name, ending in read_endings(rules).items() if args.material or pieces_of(name) > USUAL}
    won: dict[str, Any] = {}
    with TemporaryDirectory() as temporary:
        for name in wanted:
            tables = Tables(rules, [name], Path(args.tables or temporary), progress=sys.stderr.isatty())
            found = fitted(tables, name)
            if args.least is not None:
                for row in found.values():
                    row["least"] = max(row["least"], args.least)
            known.update(found)
            won.update({ending: games for ending, games in starts(tables, name, args.play).items()
                        if known[ending]["shares"][0] >= WON})
    for ending, games in won.items():  # after all are known, because one leads to another
        known[ending], score = proved(rules, known, ending, games)
        if score < len(games):
            print(f"{rules.name}: {ending} is won in {score} of {len(games)} games", file=sys.stderr, flush=True)
    write(path, rules, known, lone_scales(rules, known))
    print(f"{rules.name}: {len(known)} endings written to {path}")
    return 0


def materials(rules: Rules) -> list[str]:
    """The endings of a game with three and four pieces."""
    others = [letter for letter in rules.letters if letter not in "KP"]
    pairs = list(itertools.combinations_with_replacement(others, 2))
    even = [f"K{a}vK{b}" for a, b in pairs]
    against_pawn = [f"K{a}vKP" for a in others]
    if rules.bare_king_draws:
        return ["KvK", *even, *against_pawn]
    if any(piece.royal for piece in rules.pieces) and rules.title_order:
        return even
    lone = [f"K{a}vK" for a in (*others, "P")] + [f"K{a}{b}vK" for a, b in pairs]
    with_pawn = [f"K{a}PvK" for a in (*others, "P")]
    if not rules.title_order:
        return ["KvK", *lone, *even, *against_pawn, *with_pawn]
    royal = [*others, "K"]  # any piece may be royal
    found = [f"{a}v{b}" for a, b in itertools.combinations_with_replacement(royal, 2)]
    found += [f"{a}{b}v{c}" for a, b in itertools.combinations_with_replacement(royal, 2) for c in royal if a + b != "KK"]
    found += [f"{a}Pv{b}" for a in royal for b in royal]
    return found + [name for name in even + lone if len(name) == 5]


def write(path: Path, rules: Rules, known: dict[str, dict[str, Any]], lone: dict[int, int]) -> None:
    """Write the endings for the engine, one per line, and their pairs beside them."""
    lines = list[str](_lines(known))
    text = "{\n" + f' "command": "kingmaker endings {rules.name}",\n "lone": {json.dumps(lone)},\n' + (
        ' "endings": {\n' + ",\n".join(lines) + "}}\n")
    pairs = {name: ending["pairs"] for name, ending in known.items() if "pairs" in ending}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.with_suffix(".npz").unlink(missing_ok=True)
        if pairs:
            np.savez_compressed(path.with_suffix(".npz"), **pairs)
    except OSError as error:
        raise CommandError(f"cannot write {str(path)!r}: {error.strerror or error}") from None


def _lines(known: dict[str, dict[str, Any]]) -> Iterator[str]:
    for name, ending in known.items():
        numbers = {key: value for key, value in ending.items() if key != "pairs"}
        yield f"  {json.dumps(name)}: {json.dumps(numbers, separators=(',', ':'))}"
