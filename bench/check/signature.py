"""`kingmaker signature`: nodes that a search of fixed depth visits in each game; the number changes when play does."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

import variants
from engine.errors import CommandError
from search.signature import DEPTH, signature


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--variant", action="append", default=[], metavar="NAME", help="may be given again; default: all")
    parser.add_argument("--depth", type=int, metavar="N", help="plies; default: what `bench` has")
    parser.add_argument("--expect", type=int, metavar="NODES", help="exit with 1 unless the count of the one variant is NODES")


def run(args: Namespace) -> int:
    names = [variants.resolve(name) for name in args.variant] or variants.names()
    depth = DEPTH if args.depth is None else args.depth
    if not 1 <= depth <= 30:
        raise CommandError(f"--depth {depth} is not from 1 to 30")
    if args.expect is not None and len(names) != 1:
        raise CommandError(f"--expect {args.expect} goes with one --variant")
    for name in names:
        nodes = signature(variants.find(name), depth)
        print(f"{name:<14}{nodes:>12}", flush=True)
    return int(args.expect not in (None, nodes))
