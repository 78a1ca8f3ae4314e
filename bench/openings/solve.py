"""`kingmaker solve`: is there a forced win in so many moves? Proved by trying everything."""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser, Namespace
from concurrent.futures import Future
from typing import TYPE_CHECKING

import variants
from bench.room import check_hash
from engine.errors import CommandError
from search.threads import start_thread

if TYPE_CHECKING:
    from engine.game import Game, Outcome
    from search.solve import Solution, Solver

MOST = 30
MOST_NODES = 10 ** 18


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("fen", metavar="FEN", help="the position, all fields in one argument")
    parser.add_argument("--variant", default="chess", metavar="NAME", help="the game, default: %(default)s")
    parser.add_argument("--mate", type=int, default=3, metavar="N", help="look for wins in up to N moves, default: %(default)s")
    parser.add_argument("--nodes", type=int, metavar="N", help="give up after so many positions")
    parser.add_argument("--hash", type=int, default=256, metavar="MB", help="table of what is proved, default: %(default)s")
    parser.add_argument("--json", action="store_true", help="print a JSON object")


def run(args: Namespace) -> int:
    """0 where a win was proved, 1 where there is none, 2 where it stays open."""
    rules = variants.find(args.variant)
    if not 1 <= args.mate <= MOST:
        raise CommandError(f"--mate {args.mate} is not from 1 to {MOST}")
    check_hash(args.hash)
    if args.nodes is not None and not 1 <= args.nodes <= MOST_NODES:
        raise CommandError(f"--nodes {args.nodes} is not from 1 to {MOST_NODES}")
    from engine.game import Game
    from search.solve import Solver

    game = Game(rules, args.fen)
    outcome = game.outcome()
    if outcome is not None:
        return told(game, outcome, args.json)
    try:
        solver = Solver(args.hash)
    except (MemoryError, OSError):
        raise CommandError(f"--hash {args.hash} does not fit into memory") from None
    solver.solve(Game(rules), 1)  # compiles, which is not what is timed
    began = time.perf_counter()
    open_still = ""
    solution = None
    try:
        solution = interruptible(solver, game, args.mate, args.nodes)
    except TimeoutError as error:
        open_still = str(error)
    seconds = time.perf_counter() - began
    keys = [game.text(move) for move in solution.keys] if solution else []
    line = texts(game, solution) if solution else []
    if args.json:
        print(json.dumps({"variant": rules.name, "fen": game.fen(), "moves": solution.moves if solution else None, "keys": keys,
                          "line": line, "proved": not open_still, "nodes": solver.nodes, "seconds": round(seconds, 3)}))
    else:
        effort = f"{solver.nodes:,} nodes, {seconds:.2f} s"
        if open_still:
            print(f"open: {open_still}, {seconds:.2f} s")
        elif solution is None:
            print(f"no win in {args.mate} ({effort})")
        else:
            print(f"win in {solution.moves}: {' '.join(keys)} ({effort})\n{' '.join(line)}")
    return 2 if open_still else int(solution is None)


def told(game: Game, outcome: Outcome, as_json: bool) -> int:
    """Say that the game is over and why; 1, for nobody can force a win any more."""
    over = f"{outcome.reason.value}, {outcome.result}"
    if as_json:
        print(json.dumps({"variant": game.rules.name, "fen": game.fen(), "moves": None, "keys": [], "line": [], "proved": True,
                          "nodes": 0, "seconds": 0.0, "over": over}))
    else:
        print(f"game over: {over}")
    return 1


def interruptible(solver: Solver, game: Game, most: int, nodes: int | None) -> Solution | None:
    """solver.solve() in a thread of its own, so that Ctrl-C is heard. Raises TimeoutError."""
    answer: Future[Solution | None] = Future()

    def work() -> None:
        try:
            answer.set_result(solver.solve(game, most, nodes))
        except BaseException as error:
            answer.set_exception(error)

    start_thread(work)
    try:
        return answer.result()
    except KeyboardInterrupt:
        solver.stop()
        print("stopping", file=sys.stderr)
        return answer.result()


def texts(game: Game, solution: Solution) -> list[str]:
    """The line of a solution as text."""
    for move in solution.line:
        game.push(move)
    said = []
    for _ in solution.line:
        move = game.pop()
        said.append(game.text(move))
    return said[::-1]
