"""`kingmaker signature`: nodes that a search of fixed depth visits in each game; they change only if play changes."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

import variants
from engine.errors import CommandError
from search.signature import DEPTH, signature


def add_arguments(parser: ArgumentParser) -> None:
    """Add games, depth and the expected count."""
    parser.add_argument("--variant", action="append", default=[], metavar="NAME",
                        help="may be repeated; default: the ten main games")
    parser.add_argument("--depth", type=int, metavar="N", help="plies; default: as in `bench`")
    parser.add_argument("--expect", type=int, metavar="NODES", help="exit with 1 unless the count of the one variant is NODES")


def run(args: Namespace) -> int:
    """Exit status: 0; 1 if the count is not as expected."""
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
