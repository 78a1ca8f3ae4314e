"""`kingmaker table`: makes tables of endings by retrograde analysis, and says what they hold."""

from __future__ import annotations

import functools
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

import numpy as np

import variants
from bench.match.specs import EngineSpec
from bench.perft.counter import progress
from bench.printing import print_table
from bench.tables.comparing import SOLVED, compare, read_peer, solve
from bench.tables.playing import play_out
from engine.errors import CommandError
from engine.game import Game
from engine.places import memory_limit
from engine.rules import CASTLING, TURN, Rules
from engine.text import to_fen
from search.tables.atlas import entries, refuse_untabled
from search.tables.files import Facts, TableFile, path_of
from search.tables.generator import Maker, Need, OnStep, needs
from search.tables.materials import material_of, materials_of, parse_material
from search.tables.numbers import MOST_PIECES
from search.tables.probing import Tables

FOLDER = "games/tables"
HEADS = ["table", "side to move", "won %", "drawn %", "lost %", "longest win, plies", "example"]
MANY = 1_000_000  # more than that are not drawn as a sample
MEASURABLE = 0.1  # seconds from which a speed means something
SHOWN = 40  # plies of a line


def add_arguments(parser: ArgumentParser) -> None:
    """Add the game, materials and what to do with their tables."""
    parser.add_argument("variant", metavar="GAME", help="the game")
    parser.add_argument("material", nargs="*", metavar="MATERIAL",
                        help="such as KQvK or KRvQ; tables that it leads to are made, too")
    parser.add_argument("--folder", default=FOLDER, metavar="FOLDER", help="where tables are kept; default: %(default)s")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="default: %(default)s")
    parser.add_argument("--memory", type=int, default=8192, metavar="MIB",
                        help="make no table that needs more; default: %(default)s")
    parser.add_argument("--all", action="store_true", help="all materials of --men pieces and fewer")
    parser.add_argument("--men", type=int, default=3, metavar="N",
                        help="with --all: pieces on the board, kings included; default: %(default)s")
    parser.add_argument("--pawnless", action="store_true", help="with --all: materials without pawns only")
    parser.add_argument("--minutes", type=float, metavar="N", help="with --all: begin no table after that time")
    parser.add_argument("--check", action="store_true", help="compare every value with the best of its moves' values")
    parser.add_argument("--numbers", type=int, metavar="N", help="with --check: compare about N of each table")
    parser.add_argument("--solve", type=int, metavar="N",
                        help=f"compare N random positions with exhaustive search for wins in up to {SOLVED} moves")
    parser.add_argument("--against", nargs="+", metavar="KEY=VALUE",
                        help="compare the mates that a UCI engine announces: cmd=, nodes= or depth=, as in `match`")
    parser.add_argument("--positions", type=int, default=2000, metavar="N", help="with --against; default: %(default)s")
    parser.add_argument("--play", type=int, metavar="N",
                        help="play N random won positions of each table, the engine with tables against the engine without")
    parser.add_argument("--page", type=Path, metavar="FILE", help="also write the list of what the tables say as Markdown")
    parser.add_argument("--probe", metavar="FEN", help="say what a position is worth, and its moves")
    parser.add_argument("--hardest", action="store_true", help="show the longest win of each table and how it goes")
    parser.add_argument("--sample", type=int, metavar="N", help="show N random positions of each table")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of samples; default: %(default)s")


def run(args: Namespace) -> int:
    """Exit status: 0; 1 if a check found something wrong, or a position is in no table."""
    rules = variants.find(variants.resolve(args.variant))
    refuse(args)
    refuse_untabled(rules)
    peer = read_peer(args.against) if args.against else None
    folder = Path(args.folder)
    if args.probe is not None:
        return probe(rules, folder, args.probe)
    names = [parse_material(rules, text, MOST_PIECES) for text in args.material]
    if args.all:
        for pieces in range(2, args.men + 1):  # small ones first: with --minutes, most are made
            names += [name for name in sorted(materials_of(rules, pieces), key=functools.partial(entries, rules))
                      if not (args.pawnless and "P" in name)]
    if not names:
        raise CommandError("no MATERIAL is named; --all makes all of --men pieces")
    maker = Maker(rules, folder, args.threads, min(args.memory, memory_limit()))
    made = make_all(maker, names, args)
    rows = facts(rules, folder, made)
    print_table(HEADS, rows)
    if args.page is not None:
        write_page(args.page, rules, rows)
    return examine(maker, made, peer, args)


def examine(maker: Maker, names: list[str], peer: EngineSpec | None, args: Namespace) -> int:
    """Check tables in the ways that are asked for, and show positions of them; exit status."""
    rules, tables = maker.rules, Tables(maker.folder, complain)
    failed = []
    if args.check:
        failed += [check(maker, name, args.numbers, args.seed) for name in names]
    if args.solve:
        failed.append(solve(rules, tables, names, args.solve, args.seed))
    if peer is not None:
        failed.append(compare(rules, tables, names, args.positions, args.seed, peer))
    if args.play:
        failed.append(play_out(rules, tables, names, args.play, args.seed))
    for name in names:
        if args.hardest:
            hardest(rules, tables, name)
        if args.sample:
            sample(rules, tables, name, args.sample, args.seed)
    return max(failed, default=0)


def refuse(args: Namespace) -> None:
    """Raise CommandError for numbers out of range."""
    if not 2 <= args.men <= MOST_PIECES:
        raise CommandError(f"--men {args.men} is not from 2 to {MOST_PIECES}")
    if not 1 <= args.threads <= 256:
        raise CommandError(f"--threads {args.threads} is not from 1 to 256")
    for name in ("memory", "numbers", "sample", "solve", "play", "positions"):
        number = getattr(args, name)
        if number is not None and number < 1:
            raise CommandError(f"--{name} {number} is less than 1")
    if args.sample is not None and args.sample > MANY:
        raise CommandError(f"--sample {args.sample} is more than {MANY}")
    if args.seed < 0:
        raise CommandError(f"--seed {args.seed} is less than 0")


def complain(line: str) -> None:
    """Report a file that is left out."""
    print(f"kingmaker table: {line}; it is not used", file=sys.stderr)


# Making


def make_all(maker: Maker, names: list[str], args: Namespace) -> list[str]:
    """Make tables; those wanted that are there in the end. With --all, what does not fit is left out."""
    rules, began = maker.rules, time.monotonic()
    wanted = list(dict.fromkeys(names))
    order: dict[str, Need] = {}
    for name in wanted:
        for missing in maker.missing(name):
            order.setdefault(missing, needs(rules, missing))
    if order:
        largest = max(order.values(), key=lambda need: need.memory)
        if not args.all and largest.memory > maker.memory:
            raise CommandError(f"{rules.name} {largest}, and may take {maker.memory:,}")
        print(f"{rules.name}: {len(order)} tables to make, {sum(need.entries for need in order.values()):,} numbers; "
              f"the largest, {largest}", file=sys.stderr)
    left = {name: need.entries for name, need in order.items()}
    total, skipped = sum(left.values()), 0
    with progress(f"tables of {rules.name}") as report:
        for name in wanted:
            too_large = any(order[each].memory > maker.memory for each in maker.missing(name))
            if args.all and (too_large or late(began, args.minutes)):
                skipped += 1
                continue
            for step in maker.missing(name):
                maker.on_step = shares(report, total - sum(left.values()), left.pop(step), total)
                for file in maker.make(step):
                    seconds = file.facts.seconds
                    speed = f", {file.entries / seconds:,.0f}/s a thread" if seconds >= MEASURABLE else ""
                    print(f"{rules.name} {file.material}: {file.entries:,} numbers, {seconds:.1f} s{speed}, "
                          f"{file.path.stat().st_size:,} bytes", file=sys.stderr)
    if skipped:
        print(f"{rules.name}: {skipped} tables were not made: too large, or too late", file=sys.stderr)
    return [name for name in wanted if path_of(maker.folder, rules, name).exists()]


def shares(report: Callable[[int, int], None], done: int, size: int, total: int) -> OnStep:
    """What reports the steps of a table of that size: the scan is half of its work, as far as one knows before."""
    def on_step(what: str, at: int, of: int) -> None:
        report(done + (size * at // (2 * of) if what.endswith(": scan") else size // 2), total)

    return on_step


def late(began: float, minutes: float | None) -> bool:
    """Whether the time to begin tables is over."""
    return minutes is not None and time.monotonic() - began > 60 * minutes


# Saying what is there


def facts(rules: Rules, folder: Path, names: list[str]) -> list[list[str]]:
    """What tables say, one row for each side to move."""
    rows, tables = list[list[str]](), Tables(folder, complain)
    for name in names:
        file = tables.file(rules, name)
        if file is not None:
            rows += [row_of(rules, tables, file, colour) for colour in (0, 1)]
    return rows


def write_page(path: Path, rules: Rules, rows: list[list[str]]) -> None:
    """Write rows of facts as a page in Markdown. Raises CommandError."""
    lines = [f"# Endings of {rules.name}", "",
             "Shares of all legal positions with that side to move, its longest win, and a position that has it.",
             "[Tables of endings](../tables.md) explains what a value means.", "",
             f"| {' | '.join(HEADS)} |", "|---|---|---:|---:|---:|---:|---|"]
    lines += [f"| {' | '.join([*row[:-1], f'`{row[-1]}`' if row[-1] else ''])} |" for row in rows]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise CommandError(f"cannot write {str(path)!r}: {error.strerror or error}") from None


def row_of(rules: Rules, tables: Tables, file: TableFile, colour: int) -> list[str]:
    """A row of the table of facts; percentages are those of the side to move."""
    facts = file.facts
    parts = facts.wins[colour], facts.draws[colour], facts.losses[colour]
    shares = [f"{100 * part / max(1, sum(parts)):.2f}" for part in parts]
    example = hardest_fen(rules, tables, file.material, facts, colour) if facts.longest[colour] else ""
    return [file.material, file.material.split("v")[colour], *shares, str(facts.longest[colour] or ""), example]


def hardest_fen(rules: Rules, tables: Tables, name: str, facts: Facts, colour: int) -> str:
    """A position with the longest win of a side that is to move."""
    pos = tables.position(rules, name, facts.longest_at[colour])
    assert pos is not None, name
    return to_fen(rules, pos)


def check(maker: Maker, name: str, numbers: int | None, seed: int) -> int:
    """Compare the values of a table with those of its moves; exit status."""
    seen, wrong, first = maker.check(name, numbers, seed)
    where = f", the first is number {first}" if wrong else ""
    print(f"{maker.rules.name} {name}: {seen:,} positions compared with their moves, {wrong} wrong{where}")
    return int(wrong > 0)


def probe(rules: Rules, folder: Path, fen: str) -> int:
    """Print the value of a position and of its moves."""
    game = Game(rules, fen)
    tables = Tables(folder, complain)
    value = tables.value(rules, game.pos)
    if value is None:
        lacking = f"no table of {material_of(rules, game.pos)} in {str(folder)!r}"
        print("unknown: " + ("castling is still possible" if int(game.pos[CASTLING]) else lacking))
        return 1
    print(f"{value}{told_line(game, tables)}")
    moves = tables.moves(rules, game.pos)
    print_table(["move", "value"], [[game.text(move), str(worth)] for move, worth in moves])
    return 0


def told_line(game: Game, tables: Tables) -> str:
    """Best play as text, and whether the 50-move rule is in its way."""
    line = tables.line(game.rules, game.pos)
    after = game.copy(stack=False)
    texts = []
    for move in line.moves:
        texts.append(after.text(move))
        after.push(move)
    told = ": " + " ".join(texts[:SHOWN]) + (" ..." if len(texts) > SHOWN else "") if texts else ""
    if line.too_long:
        told = f"; {line.quiet} plies without capture or pawn move, a draw by the 50-move rule{told}"
    return told


def hardest(rules: Rules, tables: Tables, name: str) -> None:
    """Print the longest wins of a table."""
    file = tables.file(rules, name)
    assert file is not None
    for colour in (0, 1):
        if file.facts.longest[colour]:
            fen = hardest_fen(rules, tables, name, file.facts, colour)
            game = Game(rules, fen)
            print(f"{name}, {file.material.split('v')[colour]} to move: {tables.value(rules, game.pos)}\n    {fen}"
                  f"\n    {told_line(game, tables).lstrip('; :')}")


def sample(rules: Rules, tables: Tables, name: str, count: int, seed: int) -> None:
    """Print random positions of a table and their values."""
    rows = []
    positions = tables.random_positions(rules, name, np.random.default_rng(seed))
    for _, (pos, value) in zip(range(count), positions, strict=False):
        rows.append([to_fen(rules, pos), name.split("v")[int(pos[TURN])], str(value)])
    print_table(["position", "to move", "value for the side to move"], rows)
