"""`kingmaker perft`: counts leaves on several threads or machines, classifies moves, and compares with other programs."""

from __future__ import annotations

import json
import threading
import time
from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import variants
from bench.perft.cases import PerftCase, read_perft
from bench.perft.counter import PerftCounter
from bench.perft.oracles import BoardOracle, Difference, Oracle, Ours, Rival, first_difference
from bench.room import check_hash
from bench.workers import add_cluster_argument
from engine.core.breakdown import KINDS
from engine.core.perft import MAX_DEPTH
from engine.errors import CommandError
from engine.rules import CASTLING, WHITE, Rules
from engine.text import Position, move_text, parse_fen, to_fen

BOARD_NODES = 300_000  # leaves that a Board counts in a few seconds


def add_arguments(parser: ArgumentParser) -> None:
    """Add the position, how to count and what to compare with."""
    parser.add_argument("variant", help=f"the game: {variants.listed()}")
    parser.add_argument("depth", type=int, nargs="?", help="plies; with --check: the most plies, optional")
    parser.add_argument("--fen", help="the position; default: the start position of the variant")
    parser.add_argument("--divide", action="store_true", help="print a line per root move")
    parser.add_argument("--breakdown", action="store_true",
                        help="classify the last moves: captures, checks, mates, coups, insane moves, explosions ...")
    parser.add_argument("--threads", type=int, metavar="N", help="default: 1")
    parser.add_argument("--hash", type=int, metavar="MB", help="keep a hash table of that many MiB")
    parser.add_argument("--check", type=Path, metavar="FILE",
                        help="check a table of counts, in Kingmaker's format (docs/new-variant.md) or EPD with ;D1 20")
    parser.add_argument("--max-nodes", type=int, metavar="N", help="with --check: skip larger cases")
    parser.add_argument("--against", metavar="COMMAND",
                        help="compare with the `go perft` of another UCI engine, and show where moves differ")
    parser.add_argument("--timeout", type=float, default=600.0, metavar="S",
                        help="seconds the other engine has for an answer; default: %(default).0f")
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    parser.add_argument("--chess960", action="store_true", help="write castling as king takes rook")
    add_cluster_argument(parser)


def run(args: Namespace) -> int:
    """Exit status: 0 if the counts are as expected, 1 otherwise."""
    rules = variants.find(args.variant)
    _sensible(args)
    with ExitStack() as stack:
        counter = PerftCounter(rules, args, stack)
        if args.check is None and args.against is None:
            return _count(counter, args)
        found = _check(counter, args) if args.check is not None else []
        if args.against is not None:
            found += _compare(counter, args)
    if args.json:
        print(json.dumps({"variant": rules.name, "cases": found}))
    bad = sum(not case["same"] for case in found)
    if not args.json:
        print(f"{len(found)} compared, " + (f"{bad} different" if bad else "all the same"))
    return int(bad > 0)


def _sensible(args: Namespace) -> None:
    """Raise CommandError for options that make no sense together."""
    if args.depth is None and args.check is None:
        raise CommandError("no depth given")
    if args.depth is not None and not 0 <= args.depth <= MAX_DEPTH:
        raise CommandError(f"depth {args.depth} is not from 0 to {MAX_DEPTH}")
    if args.threads is not None and not 1 <= args.threads <= 256:
        raise CommandError(f"--threads {args.threads} is not from 1 to 256")
    if args.threads is not None and args.cluster is not None:
        raise CommandError(f"--threads {args.threads} is for one machine; for a cluster use dask worker --nthreads")
    if args.hash is not None:
        if args.breakdown:
            raise CommandError(f"--hash {args.hash} is of no use with --breakdown, which classifies every last move")
        check_hash(args.hash, here=args.cluster is None)
    if args.max_nodes is not None and (args.check is None or args.max_nodes < 1):
        raise CommandError(f"--max-nodes {args.max_nodes} is " + ("less than 1" if args.check else "for --check"))
    for name in ("fen", "divide", "breakdown"):
        if args.check is not None and getattr(args, name):
            raise CommandError(f"--{name} does not go with --check")
    if args.against is not None and (args.divide or args.breakdown):
        raise CommandError("--against compares counts by move at every depth: omit --divide and --breakdown")
    if not 0 < args.timeout <= threading.TIMEOUT_MAX:
        raise CommandError(f"--timeout {args.timeout} is not a number of seconds")


def _count(counter: PerftCounter, args: Namespace) -> int:
    """Count and print the leaves of one position."""
    rules = counter.rules
    pos = parse_fen(rules, args.fen or rules.start_fen)
    counter.warm(pos, args.breakdown)
    start = time.perf_counter()
    counts = counter.leaves(pos, args.depth)
    seconds = time.perf_counter() - start
    nodes = sum(counts.values()) if args.depth else 1
    moves = {move_text(rules, pos, move, args.chess960): count for move, count in counts.items()}
    speed = nodes / max(seconds, 1e-9)
    kinds = {kind: count for kind, count in counter.broken_down(pos, args.depth).items()
             if kind in kinds_of(rules)} if args.breakdown else {}
    if args.json:
        print(json.dumps({"variant": rules.name, "fen": to_fen(rules, pos), "depth": args.depth, "nodes": nodes,
                          "seconds": seconds, "nodes_per_second": speed, "threads": counter.threads,
                          **({"hash": args.hash} if args.hash else {}), **({"cluster": args.cluster} if args.cluster else {}),
                          **({"breakdown": kinds} if args.breakdown else {}), **({"moves": moves} if args.divide else {})}))
        return 0
    if args.divide:
        for text, count in moves.items():
            print(f"{text}: {count}")
        print()
    print(f"{rules.name} depth {args.depth}: {nodes:,} nodes, {seconds:.3f} s, {speed:,.0f} nodes/s")
    for kind, count in kinds.items():
        print(f"{count:>20,} {kind}")
    return 0


def kinds_of(rules: Rules) -> list[str]:
    """The kinds of moves that can occur in the game."""
    traits = rules.traits
    there = {
        "nodes": False, "en passant": traits.pawn is not None and traits.pawn.doubles, "castles": traits.castling,
        "promotions": traits.pawn is not None, "coups": traits.titles, "insane moves": traits.driven_king,
        "explosions": traits.captures_explode, "successions": bool(traits.succession), "checks": traits.royal_safety,
        "discovered": traits.royal_safety and traits.one_king, "double": traits.royal_safety and traits.one_king,
        "mates": traits.royal_safety, "niols": bool(traits.mate_series), "robados": traits.bare_king_draws,
        "kings": traits.captures_explode or bool(traits.succession)}
    return [kind for kind in KINDS if there.get(kind, True)]


def _check(counter: PerftCounter, args: Namespace) -> list[dict[str, Any]]:
    """Count the cases of a table; if a count differs, compare with the game's Board."""
    found = []
    for case in _wanted(read_perft(args.check), args):
        pos = parse_fen(counter.rules, case.fen)
        start = time.perf_counter()
        nodes = sum(counter.leaves(pos, case.depth).values()) if case.depth else 1
        seconds = time.perf_counter() - start
        same = nodes == case.nodes
        entry: dict[str, Any] = {"name": case.name, "fen": case.fen, "depth": case.depth, "expected": case.nodes,
                                 "nodes": nodes, "seconds": seconds, "same": same}
        found.append(entry)
        if not args.json:
            print(f"{'same' if same else 'DIFFERENT'}  {case.name}, depth {case.depth}: {nodes:,}"
                  + ("" if same else f" counted, {case.nodes:,} expected, at {case.fen}"), flush=True)
        if not same:
            lines = second_opinion(counter, pos, case)
            entry["second_opinion"] = lines
            if not args.json:
                print("\n".join(f"    {line}" for line in lines), flush=True)
    return found


def _wanted(cases: list[PerftCase], args: Namespace) -> list[PerftCase]:
    deepest = MAX_DEPTH if args.depth is None else args.depth
    wanted = [case for case in cases if case.depth <= deepest and case.nodes <= (args.max_nodes or case.nodes)]
    if not wanted:
        raise CommandError(f"{args.check}: no case is small enough")
    return wanted


def second_opinion(counter: PerftCounter, pos: Position, case: PerftCase) -> list[str]:
    """Lines that say where the engine and the game's Board differ, or to which depth they agree."""
    ours = Ours(counter.rules, pos, counter.leaves)
    board = BoardOracle(counter.rules, to_fen(counter.rules, pos, shredder=True))
    agreed = 0
    for depth in range(1, case.depth + 1):
        if sum(counter.leaves(pos, depth).values()) > BOARD_NODES:
            break
        difference = first_difference(ours, board, depth)
        if difference is not None:
            return told(ours, board, difference)
        agreed = depth
    if agreed == case.depth:
        return [f"{board.name} counts the same: the table is wrong, or for another game"]
    return [f"{board.name} counts the same to depth {agreed} and takes too long beyond: try --against another engine"]


def told(ours: Ours, theirs: Oracle, difference: Difference) -> list[str]:
    """A difference in words: the moves that lead there, and the moves that only one of the two has."""
    where = to_fen(ours.rules, ours.position(difference.line), shredder=True)
    lines = [*difference.steps, f"after {' '.join(difference.line) or 'no move'}, at {where}"]
    for name, moves in ((ours.name, difference.ours_alone), (theirs.name, difference.theirs_alone)):
        if moves:
            lines.append(f"only {name} has {' '.join(moves)}")
    return lines


def _compare(counter: PerftCounter, args: Namespace) -> list[dict[str, Any]]:
    """Compare counts by move with another engine."""
    depths: dict[str, tuple[str, int]] = {}
    if args.check is None:
        depths[args.fen or counter.rules.start_fen] = (args.fen or "start", args.depth)
    else:
        for case in _wanted(read_perft(args.check), args):
            name, depth = depths.get(case.fen, (case.name, 0))
            depths[case.fen] = name, max(depth, case.depth)
    found = []
    with Rival(args.against, counter.rules, args.timeout) as rival:
        for fen, (name, depth) in depths.items():
            pos = parse_fen(counter.rules, fen)
            ours, theirs = Ours(counter.rules, pos, counter.leaves), _at(rival, pos, args.chess960)
            mine = ours.divide((), depth) if depth else {}
            same = mine == (theirs.divide((), depth) if depth else {})
            lines = []
            if not same:
                difference = first_difference(ours, theirs, depth)
                lines = ["the counts differ, but not when asked again"]
                if difference is not None:
                    lines = told(ours, theirs, difference)
            found.append({"name": name, "fen": fen, "depth": depth, "nodes": sum(mine.values()), "against": rival.name,
                          "same": same, **({"difference": lines} if lines else {})})
            if not args.json:
                print(f"{'same' if same else 'DIFFERENT'}  {name}, depth {depth}: {sum(mine.values()):,}, against {rival.name}",
                      flush=True)
                for line in lines:
                    print(f"    {line}", flush=True)
    return found


def _at(rival: Rival, pos: Position, chess960: bool) -> Oracle:
    """The other engine at a position, in Chess960 if it is wanted or the castling rights need it."""
    return rival.at(pos, chess960 or not castles_from_home(rival.rules, pos))


def castles_from_home(rules: Rules, pos: Position) -> bool:
    """Whether all kings and rooks with the right to castle stand where they do in an orthodox array of the board's size."""
    geometry, king = rules.traits.geometry, rules.traits.king
    for side, home in enumerate(map(int, geometry.home)):
        ours = int(pos[WHITE + side])
        rights = int(pos[CASTLING]) & ours
        if rights & ~(1 << home | 1 << home + geometry.last_file):
            return False
        if king is not None and rights and not int(pos[king.word]) & ours & 1 << home + geometry.files // 2:
            return False
    return True
