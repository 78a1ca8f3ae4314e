"""`kingmaker perft`: counts, per root move on request."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace

import variants
from engine.errors import CommandError


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("variant", help=f"one of {', '.join(variants.names())}")
    parser.add_argument("depth", type=int, help="plies")
    parser.add_argument("--fen", help="start here; default: the variant's start position")
    parser.add_argument("--divide", action="store_true", help="a line per root move")
    parser.add_argument("--chess960", action="store_true", help="write castling as king takes rook")


def run(args: Namespace) -> int:
    from engine.perft import MAX_DEPTH, divide, perft
    from engine.text import move_text, parse_fen

    rules = variants.find(args.variant)
    if not 0 <= args.depth <= MAX_DEPTH:
        raise CommandError(f"depth {args.depth} is not from 0 to {MAX_DEPTH}")
    pos = parse_fen(rules, args.fen or rules.start_fen)
    perft(rules, pos, 1)
    if args.divide:
        list(divide(rules, pos, 2))
    start = time.perf_counter()
    if args.divide and args.depth:
        nodes = 0
        for move, count in divide(rules, pos, args.depth):
            print(f"{move_text(rules, pos, move, args.chess960)}: {count}")
            nodes += count
        print()
    else:
        nodes = perft(rules, pos, args.depth)
    seconds = time.perf_counter() - start
    print(f"{rules.name} depth {args.depth}: {nodes:,} nodes, {seconds:.3f} s, {nodes / max(seconds, 1e-9):,.0f} nodes/s")
    return 0
