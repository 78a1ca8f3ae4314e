"""Values of tables beside what others say of the same positions: exhaustive search, and any UCI engine."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing

import numpy as np

from bench.judge.thinker import Team
from bench.match.setup import ENGINE_FIELDS, pairs, read_engine
from bench.match.specs import EngineSpec
from bench.perft.counter import progress
from engine.errors import CommandError
from engine.game import Game
from engine.rules import Rules
from engine.text import to_fen
from search.solve import Solver
from search.tables.probing import Tables, Value

SOLVED = 4  # moves
SOLVER_MIB = 64
SEEN = 2  # moves: a win that any engine should announce
_FIELDS = tuple(field for field in ENGINE_FIELDS if field not in ("tc", "st", "timemargin", "restart", "claims"))


def drawn(rules: Rules, tables: Tables, names: list[str], count: int, seed: int) -> Iterator[tuple[str, Game, Value]]:
    """(material, position, value) of random positions, of each table in turn. Raises TableError."""
    chance = np.random.default_rng(seed)
    sources = {name: tables.random_positions(rules, name, chance) for name in names}
    for name in itertools.islice(itertools.cycle(names), count):
        found = next(sources[name], None)
        if found is not None:
            pos, value = found
            yield name, Game(rules, to_fen(rules, pos)), value


def moves_of(value: Value) -> int:
    """Moves of the side that wins, of a value that is no draw."""
    return (value.plies + 1) // 2


def solve(rules: Rules, tables: Tables, names: list[str], count: int, seed: int) -> int:
    """Compare random positions of all these tables together with the solver; exit status."""
    solver = Solver(SOLVER_MIB)
    seen, quick, wrong = 0, 0, 0
    with progress(f"positions of {rules.name}") as report:
        for name, game, value in drawn(rules, tables, names, count, seed):
            mate = moves_of(value) if value.result > 0 else 0
            expected = mate if 0 < mate <= SOLVED else None
            solution = solver.solve(game, SOLVED)
            seen, quick = seen + 1, quick + (expected is not None)
            if expected != (None if solution is None else solution.moves):
                wrong += 1
                print(f"{rules.name} {name}: {game.fen()} is a {value}, and the solver says "
                      f"{f'a win in {solution.moves} moves' if solution else f'no win in {SOLVED} moves'}")
            report(seen, count)
    print(f"{rules.name}: {seen:,} positions of {len(names)} tables compared with the solver, {quick:,} of them wins in up to "
          f"{SOLVED} moves, {wrong} wrong")
    return int(wrong > 0)


def read_peer(group: list[str]) -> EngineSpec:
    """The engine to compare with. Raises CommandError."""
    spec = read_engine(pairs("against", group, _FIELDS, "option."), set(), "--against")
    if spec.depth is None and spec.nodes is None:
        raise CommandError(f"--against: {spec.name} has no limit: add depth= or nodes=")
    return spec


def contradicts(mate: int | None, value: Value) -> bool:
    """Whether a mate that an engine announces is impossible by the table: nobody mates sooner than the table says."""
    if mate is None:
        return False
    winner = 1 if mate > 0 else -1
    return value.result != winner or moves_of(value) > abs(mate)


def compare(rules: Rules, tables: Tables, names: list[str], count: int, seed: int, peer: EngineSpec) -> int:
    """Compare the mates that an engine announces in random positions with the tables; exit status. Raises CommandError."""
    asked = [each for each in drawn(rules, tables, names, count, seed) if each[1].outcome() is None]
    limits = f"nodes {peer.nodes}" if peer.nodes is not None else f"depth {peer.depth}"
    with closing(Team(peer, 1)) as team:
        answers = team.answers([game for _, game, _ in asked], limits)
    announced, exact, missed, wrong = 0, 0, 0, 0
    for (name, game, value), answer in zip(asked, answers, strict=True):
        if answer.mate is not None:
            announced += 1
            exact += value.result != 0 and moves_of(value) == abs(answer.mate)
        elif value.result > 0 and moves_of(value) <= SEEN:
            missed += 1
        if contradicts(answer.mate, value):
            wrong += 1
            print(f"{rules.name} {name}: {game.fen()} is a {value}, and {peer.name} announces mate {answer.mate}")
    print(f"{rules.name}: {len(asked):,} positions of {len(names)} tables compared with {peer.name}, {limits}: it announced "
          f"{announced:,} mates, {exact:,} of the table's length; {missed:,} wins in up to {SEEN} moves that it did not see; "
          f"{wrong:,} wrong")
    return int(wrong > 0)
