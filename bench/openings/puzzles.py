"""`kingmaker puzzles`: finds forced wins in finished games, proves them by exhaustive search and writes a test suite."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import track

import variants
from bench.data import SUITES
from bench.inputs import reason
from bench.openings.epd import read_positions
from bench.outputs import check_writable
from bench.records import Record, read_records, read_settings
from engine.errors import CommandError, EngineError
from engine.game import Game
from engine.rules import Rules
from search.solve import MAX_MATE, Solver

SHORTEST = 2  # moves; immediate wins are no puzzles
DIRECT = {"checkmate", "explosion", "no heir"}


@dataclass(frozen=True)
class Puzzle:
    """A position whose side to move wins in `moves` moves, by only one first move."""

    fen: str
    key: str
    moves: int
    line: tuple[str, ...]
    game: int  # number of the game it comes from

    def epd(self, name: str) -> str:
        """A line of a suite: FEN, bm, dm, id, and the solution as c0, moves in coordinates."""
        return f'{self.fen} bm {self.key}; dm {self.moves}; id "{name}"; c0 "{" ".join(self.line)}";'


def suite(variant: str) -> Path:
    """The shipped suite of a variant. Raises OptionError for an unknown one."""
    return SUITES / f"{variants.resolve(variant)}.epd"


def read_suite(path: Path, rules: Rules) -> list[Puzzle]:
    """The puzzles of a file. Raises CommandError naming file and line."""
    found = []
    for number, line, fen in read_positions(path, rules):
        match = re.search(r' bm (\S+); dm (\d+); id "[^"]*"; c0 "([^"]*)";$', line)
        if match is None:
            raise CommandError(f"{path}, line {number}, is not a puzzle: {line[:80]!r}")
        found.append(Puzzle(fen, match[1], int(match[2]), tuple(match[3].split()), number))
    return found


def add_arguments(parser: ArgumentParser) -> None:
    """Add the game, the file of games and what is wanted of the puzzles."""
    parser.add_argument("variant", metavar="VARIANT", help="the game")
    parser.add_argument("games", type=Path, metavar="GAMES", help="games.jsonl of a study (kingmaker study)")
    parser.add_argument("--count", type=int, default=30, help="number of puzzles; default: %(default)s")
    parser.add_argument("--most", type=int, default=6, help="longest win in moves; default: %(default)s")
    parser.add_argument("--nodes", type=int, default=300_000,
                        help="give up a proof after this many nodes; default: %(default)s")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="default: standard output")


def run(args: Namespace) -> int:
    """Exit status: 0 if enough puzzles were found, 1 otherwise."""
    rules = variants.find(args.variant)
    for name, value, least in (("--count", args.count, 1), ("--most", args.most, SHORTEST), ("--nodes", args.nodes, 1)):
        if value < least:
            raise CommandError(f"{name} {value} is less than {least}")
    if args.most > MAX_MATE:
        raise CommandError(f"--most {args.most} is more than {MAX_MATE}")
    if args.output is not None:
        check_writable(args.output)
    try:
        lines = args.games.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"cannot read games from {str(args.games)!r}: {reason(error)}") from None
    if (played := read_settings(args.games, lines[0] if lines else "").get("variant")) != rules.name:
        raise CommandError(f"{str(args.games)!r} has games of {played}, not of {rules.name}")
    records = [record for _, record in sorted(read_records(args.games, lines[1:]).items())]
    solver, candidates = Solver(128), list[Puzzle]()
    console = Console(stderr=True)
    for record in track(records, "games", console=console, disable=not console.is_terminal, transient=True):
        candidates += mine(rules, record, solver, args.most, args.nodes)
        if len(chosen := choose(candidates, args.count, args.most)) == args.count and even(chosen, args.most):
            break
    chosen = choose(candidates, args.count, args.most)
    text = "".join(puzzle.epd(f"{rules.name} {number}") + "\n" for number, puzzle in enumerate(chosen, 1))
    if args.output is None:
        sys.stdout.write(text)
    else:
        args.output.write_text(text, encoding="utf-8")
    lengths = Counter(puzzle.moves for puzzle in chosen)
    kinds = ", ".join(f"{count} in {moves}" for moves, count in sorted(lengths.items()))
    print(f"{rules.name}: {len(chosen)} puzzles of {len(candidates)} found{'; ' * bool(kinds)}{kinds}", file=sys.stderr)
    return int(len(chosen) < args.count)


def mine(rules: Rules, record: Record, solver: Solver, most: int, nodes: int) -> Iterator[Puzzle]:
    """The puzzles of one game: from its decisive end backwards, as long as the win can be proved."""
    if record.reason not in DIRECT:
        return
    game = Game(rules, record.fen)
    try:
        for text in record.moves:
            game.push(text)
    except EngineError as error:
        raise CommandError(f"game {record.number} is not a game of {rules.name}: {error}") from None
    game.pop()
    while len(game.moves) >= 2:
        game.pop()
        game.pop()
        here = Game(rules, game.fen())
        try:
            solution = solver.solve(here, most, nodes)
        except TimeoutError:
            return
        if solution is None:
            return
        if solution.moves >= SHORTEST and len(solution.keys) == 1:
            line = []
            for move in solution.line:
                line.append(here.text(move))
                here.push(move)
            yield Puzzle(game.fen(), line[0], solution.moves, tuple(line), record.number)


def choose(candidates: list[Puzzle], count: int, most: int) -> list[Puzzle]:
    """As even a mixture of lengths as possible, each length from as many games as possible; the longest wins last."""
    by_length: dict[int, list[Puzzle]] = {moves: [] for moves in range(SHORTEST, most + 1)}
    for puzzle in candidates:
        by_length[puzzle.moves].append(puzzle)
    chosen, used = list[Puzzle](), Counter[int]()
    while len(chosen) < count and any(by_length.values()):
        for puzzles in by_length.values():
            if puzzles and len(chosen) < count:
                puzzle = min(puzzles, key=lambda puzzle: used[puzzle.game])
                puzzles.remove(puzzle)
                used[puzzle.game] += 1
                chosen.append(puzzle)
    return sorted(chosen, key=lambda puzzle: (puzzle.moves, puzzle.game))


def even(chosen: list[Puzzle], most: int) -> bool:
    """Whether all lengths are equally frequent."""
    lengths = Counter(puzzle.moves for puzzle in chosen)
    share = len(chosen) // (most + 1 - SHORTEST)
    return all(lengths[moves] >= share for moves in range(SHORTEST, most + 1))
