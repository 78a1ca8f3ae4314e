"""`kingmaker perft`: counts, per root move on request, by as many threads as wanted."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

import variants
from engine.errors import CommandError

if TYPE_CHECKING:
    from engine.rules import Rules
    from engine.text import Position

LONG = 2.0  # seconds after which a terminal sees a progress bar


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("variant", help=f"one of {', '.join(variants.names())}")
    parser.add_argument("depth", type=int, help="plies")
    parser.add_argument("--fen", help="start here; default: the variant's start position")
    parser.add_argument("--divide", action="store_true", help="a line per root move")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="default: %(default)s")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")
    parser.add_argument("--chess960", action="store_true", help="write castling as king takes rook")


def run(args: Namespace) -> int:
    from engine.perft import MAX_DEPTH, perft
    from engine.text import move_text, parse_fen, to_fen

    rules = variants.find(args.variant)
    if not 0 <= args.depth <= MAX_DEPTH:
        raise CommandError(f"depth {args.depth} is not from 0 to {MAX_DEPTH}")
    if not 1 <= args.threads <= 256:
        raise CommandError(f"--threads {args.threads} is not from 1 to 256")
    pos = parse_fen(rules, args.fen or rules.start_fen)
    perft(rules, pos, 2)  # compiled or loaded before the clock starts
    start = time.perf_counter()
    counts = counted(rules, pos, args.depth, args.threads)
    seconds = time.perf_counter() - start
    nodes = sum(counts.values()) if args.depth else 1
    moves = {move_text(rules, pos, move, args.chess960): count for move, count in counts.items()}
    speed = nodes / max(seconds, 1e-9)
    if args.json:
        print(json.dumps({"variant": rules.name, "fen": to_fen(rules, pos), "depth": args.depth, "nodes": nodes,
                          "seconds": seconds, "nodes_per_second": speed, "threads": args.threads,
                          **({"moves": moves} if args.divide else {})}))
        return 0
    if args.divide:
        for text, count in moves.items():
            print(f"{text}: {count}")
        print()
    print(f"{rules.name} depth {args.depth}: {nodes:,} nodes, {seconds:.3f} s, {speed:,.0f} nodes/s")
    return 0


def counted(rules: Rules, pos: Position, depth: int, threads: int) -> dict[int, int]:
    """Leaves by root move; where somebody looks on and it takes long, with a progress bar on stderr."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn, TimeRemainingColumn

    from engine.perft import count_moves

    if depth == 0:
        return {}
    console = Console(stderr=True)
    progress = Progress("perft", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(), console=console,
                        transient=True)
    task = progress.add_task("perft", total=None)
    start = time.perf_counter()

    def report(done: int, total: int) -> None:
        if console.is_terminal and not progress.live.is_started and time.perf_counter() - start > LONG:
            progress.start()
        progress.update(task, completed=done, total=total)

    try:
        return count_moves(rules, pos, depth, threads, report)
    finally:
        progress.stop()
