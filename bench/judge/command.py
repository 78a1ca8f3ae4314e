"""`kingmaker judge`: how well engines judge and move, measured position by position.

A match of hundreds of games tells engines apart that differ by 30 Elo; these measures show where they differ, in minutes.
"""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, Namespace
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import variants
from bench.clients.uci import OURSELVES
from bench.extras import need
from bench.judge.judge import Judge
from bench.judge.positions import COUNT, SEED, kept_positions
from bench.judge.reference import Reference
from bench.judge.thinker import Team
from bench.match.setup import ENGINE_FIELDS, pairs, read_engine
from bench.match.specs import EngineSpec
from bench.printing import print_table
from engine.errors import CommandError
from engine.game import Game

REFERENCE_NODES = 300_000  # of our own search, if no other reference is given
_LIMITS = ("tc", "st", "depth", "nodes", "timemargin", "restart", "claims")
_FIELDS = tuple(field for field in ENGINE_FIELDS if field not in _LIMITS)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the game, the engines and what is measured."""
    group = "KEY=VALUE"
    parser.add_argument("variant", metavar="VARIANT")
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER", required=True,
                        help="keeps the positions and the reference's scores; they are used again")
    parser.add_argument("-engine", "--engine", nargs="+", action="append", default=[], metavar=group,
                        help="an engine to judge, as in `match`, without limits; may be repeated; default: this one")
    parser.add_argument("-reference", "--reference", nargs="+", default=[], metavar=group,
                        help=f"the engine that knows better, with depth= or nodes=; default: ours, {REFERENCE_NODES:,} nodes")
    parser.add_argument("--positions", type=int, metavar="N", help=f"drawn for a new folder; default: {COUNT}")
    parser.add_argument("--depths", type=numbers, default=(1, 4, 8), metavar="N,N",
                        help="at which scores are compared with the reference's; default: 1,4,8")
    parser.add_argument("--nodes", type=numbers, default=(4000,), metavar="N,N",
                        help="at which moves are judged; default: 4000")
    parser.add_argument("--mate-nodes", type=int, default=200_000, metavar="N",
                        help="limit of the search for the mates of the suite; default: %(default)s")
    parser.add_argument("--seed", type=int, metavar="N",
                        help=f"of the games that a new folder's positions are drawn from; default: {SEED}")
    parser.add_argument("--concurrency", type=int, default=os.cpu_count() or 1, metavar="N", help="default: %(default)s")
    parser.add_argument("--json", action="store_true", help="print a JSON object")


def numbers(text: str) -> tuple[int, ...]:
    """Whole numbers between commas."""
    return tuple(int(part) for part in text.split(",") if part)


def run(args: Namespace) -> int:
    """Exit status: 0."""
    need("scipy")
    for name, values, most in (("positions", [args.positions], 10 ** 6), ("depths", args.depths, 100),
                               ("nodes", args.nodes, 10 ** 12), ("mate-nodes", [args.mate_nodes], 10 ** 12),
                               ("concurrency", [args.concurrency], 256)):
        for value in values:
            if value is not None and not 1 <= value <= most:
                raise CommandError(f"--{name} {value} is not from 1 to {most}")
    rules = variants.find(variants.resolve(args.variant))
    engines = read_engines(args.engine or [[f"cmd={OURSELVES}", "name=kingmaker"]])
    reference = read_reference(args.reference)
    with ExitStack() as stack:
        referees, *teams = (stack.enter_context(closing(Team(spec, args.concurrency))) for spec in (reference, *engines))
        for team in (referees, *teams):  # before anything is kept that would bind later runs
            team.check(Game(rules))
        fens = kept_positions(args.output, rules, args.positions, args.seed)
        known = stack.enter_context(closing(Reference(args.output, rules.name, reference)))
        judge = Judge(rules, fens, known, referees, args)
        found = dict[str, dict[str, Any]]()
        for team in teams:
            found[team.spec.name] = judge.measure(team)
            team.close()
    if args.json:
        print(json.dumps({"variant": rules.name, "positions": len(judge.fens), "engines": found}))
    else:
        show(found, len(judge.fens))
    return 0


def read_engines(groups: list[list[str]]) -> list[EngineSpec]:
    """The engines to judge. Raises CommandError."""
    found: list[EngineSpec] = []
    for group in groups:
        found.append(read_engine(pairs("engine", group, _FIELDS, "option."), {engine.name for engine in found}))
    return found


def read_reference(group: list[str]) -> EngineSpec:
    """The reference. Raises CommandError."""
    given = pairs("reference", group, (*_FIELDS, "depth", "nodes"), "option.")
    spec = read_engine({"cmd": OURSELVES, **given}, set())
    if spec.depth is None and spec.nodes is None:
        if given:
            raise CommandError(f"-reference: {spec.name} has no limit: add depth= or nodes=")
        spec = replace(spec, nodes=REFERENCE_NODES)
    return spec


def show(found: dict[str, dict[str, Any]], positions: int) -> None:
    """Print the measures of all engines, a row each. positions: how many they were asked about."""
    heads, rows = list[str](), list[list[str]]()
    for name, measures in found.items():
        heads, row = ["engine", "positions"], [name, f"{positions:,}"]
        for depth, error in measures["error"].items():
            heads.append(f"error at depth {depth} (nodes)")
            row.append(f"{error['mean']:.0f} ± {error['error']:.0f} ({error['nodes']:,})")
        for nodes, lost in measures["lost"].items():
            heads.append(f"lost per move at {nodes:,} nodes")
            row.append(f"{lost['mean']:.2f} ± {lost['error']:.2f} %")
            if len(found) > 1:
                heads.append(f"gain over {next(iter(found))}")
                row.append("" if name == next(iter(found)) else f"{lost['gain']:+.2f} ± {lost['gain_error']:.2f} %")
        if "mates" in measures:
            heads.append("nodes to a mate (seen)")
            row.append(f"{measures['mates']['nodes']:,.0f} ({measures['mates']['seen']} of {measures['mates']['positions']})")
        rows.append(row)
    print_table(heads, rows)
