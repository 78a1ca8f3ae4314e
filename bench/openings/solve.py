"""`kingmaker solve`: proves by exhaustive search whether there is a forced win in a number of moves."""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser, Namespace
from concurrent.futures import Future

import variants
from bench.room import check_hash
from engine.errors import CommandError
from engine.game import Game, Outcome
from search.solve import MAX_MATE, Solution, Solver
from search.threads import start_thread

MOST_NODES = 10 ** 18


def add_arguments(parser: ArgumentParser) -> None:
    """Add the position and limits."""
    parser.add_argument("fen", metavar="FEN", help="the position; quotes are not needed")
    parser.add_argument("--variant", default="chess", metavar="NAME", help="the game; default: %(default)s")
    parser.add_argument("--mate", type=int, default=3, metavar="N", help="longest win, moves; default: %(default)s")
    parser.add_argument("--nodes", type=int, metavar="N", help="give up after this many positions")
    parser.add_argument("--hash", type=int, default=256, metavar="MB", help="size of the table of proofs; default: %(default)s")
    parser.add_argument("--json", action="store_true", help="print a JSON object")


def run(args: Namespace) -> int:
    """Exit status: 0 if a win was proved, 1 if there is none, 2 if it stays open."""
    rules = variants.find(args.variant)
    if not 1 <= args.mate <= MAX_MATE:
        raise CommandError(f"--mate {args.mate} is not from 1 to {MAX_MATE}")
    check_hash(args.hash)
    if args.nodes is not None and not 1 <= args.nodes <= MOST_NODES:
        raise CommandError(f"--nodes {args.nodes} is not from 1 to {MOST_NODES}")
    game = Game(rules, args.fen)
    outcome = game.outcome()
    if outcome is not None:
        return told(game, outcome, args.json)
    try:
        solver = Solver(args.hash)
    except (MemoryError, OSError):
        raise CommandError(f"--hash {args.hash} does not fit into memory") from None
    solver.solve(Game(rules), 1)  # compilation is not part of the time
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
    """Report that the game is over and why; exit status 1, because nobody can force a win any more."""
    over = f"{outcome.reason.value}, {outcome.result}"
    if as_json:
        print(json.dumps({"variant": game.rules.name, "fen": game.fen(), "moves": None, "keys": [], "line": [], "proved": True,
                          "nodes": 0, "seconds": 0.0, "over": over}))
    else:
        print(f"game over: {over}")
    return 1


def interruptible(solver: Solver, game: Game, most: int, nodes: int | None) -> Solution | None:
    """solver.solve() in a thread of its own, so that Ctrl-C works. Raises TimeoutError."""
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
    """The moves of a solution as text."""
    for move in solution.line:
        game.push(move)
    said = []
    for _ in solution.line:
        move = game.pop()
        said.append(game.text(move))
    return said[::-1]
