"""`kingmaker net`: the net of a game, how it was made, what it costs, and whether its updates are exact."""

from __future__ import annotations

import json
import random
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import variants
from bench.nets.checking import check_kernel, time_kernel
from engine.core.moves import CASTLE, DOUBLE, DRIVE, DROP, EN_PASSANT, NAMING, NORMAL, PROMOTION
from engine.errors import CommandError
from engine.game import Game
from engine.rules import Rules
from search.eval.features import weights_of
from search.eval.net.files import Weights, net_of, no_net, read_net, zones_of
from search.eval.net.inference import BUCKETS
from search.eval.net.inputs import MOST_ZONES, VIEWS, described, inputs_of
from search.eval.net.layers import BLOCK
from search.limits import Limits
from search.searcher import Searcher

KINDS = {NORMAL: "ordinary", DOUBLE: "double steps", EN_PASSANT: "en passant", CASTLE: "castling", PROMOTION: "promotions",
         NAMING: "namings", DRIVE: "drives", DROP: "drops"}
ROWS = 200  # of the stack on which updates are compared
LINE = 64  # positions of the line that is timed
ROUNDS = 2000  # through the line
TURNS = 5
NODES = 300_000


def add_arguments(parser: ArgumentParser) -> None:
    """Add the game and what to do."""
    parser.add_argument("variant", metavar="VARIANT")
    parser.add_argument("--file", metavar="FILE", help="a net; default: the one that comes with the game")
    parser.add_argument("--check", type=int, default=0, metavar="N", help="compare updates with fresh values at N positions")
    parser.add_argument("--speed", action="store_true", help="time an update with its output, the sum, and searches")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")


def run(args: Namespace) -> int:
    """Exit status: 0, or 1 if updates are wrong."""
    if args.check < 0:
        raise CommandError(f"--check must be at least 0, not {args.check}")
    rules = variants.find(variants.resolve(args.variant))
    net = read_net(Path(args.file), rules) if args.file else net_of(rules)
    if net is None:
        print(f"{rules.name}: no net, the hand-crafted sum is used")
        net = random_net(rules, args.seed)
        print("The following is about a net of random weights.") if args.check or args.speed else None
    else:
        zones = zones_of(rules, net.rows, net.threats)
        times = "" if zones == 1 else f", for each of {zones} king buckets"
        seen = described(rules) + " threats" * net.threats
        inputs = inputs_of(rules, 1, net.threats)
        print(f"{rules.name}: {inputs} inputs ({seen}){times}, {net.neurons} hidden, {BUCKETS} buckets")
        plan = net.about.get("plan")
        trained = plan.get("variant") if isinstance(plan, dict) else None
        if trained not in (None, rules.name):  # games with the same inputs take each other's nets
            print(f"this net was trained for {trained}")
        print(json.dumps(net.about))
    if args.speed:
        print(speed(rules, net))
    wrong = 0
    if args.check:
        wrong, kinds = check(rules, net, args.check, args.seed)
        print(f"{args.check:,} positions, {wrong} where the update differs from a fresh value; moves: "
              + ", ".join(f"{name} {kinds[kind]:,}" for kind, name in KINDS.items() if kinds[kind]))
    return int(wrong > 0)


def random_net(rules: Rules, seed: int, threats: bool = True, neurons: int = BLOCK) -> Weights:
    """A net of random weights: every input changes every number of the hidden layer, and each zone of the king differs."""
    chance = np.random.default_rng(seed)
    return Weights(chance.integers(-40, 41, (inputs_of(rules, MOST_ZONES, threats), neurons), np.int16),
                   chance.integers(-40, 41, neurons, np.int16), chance.integers(-500, 501, (BUCKETS, VIEWS, neurons), np.int16),
                   chance.integers(-999, 1000, BUCKETS), {}, threats)


def check(rules: Rules, net: Weights, positions: int, seed: int) -> tuple[int, np.ndarray]:
    """(positions where an updated accumulator or its value differs from a fresh one, moves made by kind)."""
    stack = np.zeros((ROWS, rules.traits.words), np.uint64)
    stack[0] = Game(rules).pos
    kinds = np.zeros(16, np.int64)
    wrong = check_kernel(rules, stack, net.net(rules, ROWS), net.net(rules, 1), np.uint64(seed + 1), positions, kinds)
    return int(wrong), kinds


def speed(rules: Rules, net: Weights) -> str:
    """Lines of times: of a value by the net and by the sum, and of searches with both, alternating."""
    game, chance, line = Game(rules), random.Random(1), list[np.ndarray]()
    while len(line) < LINE:
        line.append(game.pos)
        game.push(chance.choice(sorted(game.legal_moves())))
        if game.outcome() is not None:
            game.reset()
    stack, weights = np.array(line), weights_of(rules)
    by_net, by_sum = [], []
    for _ in range(TURNS):
        by_net.append(_seconds(lambda: time_kernel(rules, stack, weights, net.net(rules, len(stack)), ROUNDS)))
        by_sum.append(_seconds(lambda: time_kernel(rules, stack, weights, no_net(rules), ROUNDS)))
    each = 1e9 / ROUNDS / len(stack)
    rates = {"net": list[float](), "sum": list[float]()}
    for _ in range(TURNS):
        for name, nets in (("net", lambda rules: net), ("sum", lambda rules: None)):
            searcher = Searcher(hash_mb=64, nets=nets)
            began = time.process_time()
            searcher.search(Game(rules), Limits(nodes=NODES))
            rates[name].append(searcher.nodes() / (time.process_time() - began))
    ratio = float(np.median(np.array(rates["net"]) / np.array(rates["sum"])))
    return (f"update and output {min(by_net) * each:.0f} ns, sum {min(by_sum) * each:.0f} ns\n"
            f"search with the net {max(rates['net']):,.0f} nodes/s, with the sum {max(rates['sum']):,.0f}; "
            f"median ratio {ratio:.2f}")


def _seconds(work: Callable[[], Any]) -> float:
    """Processor time."""
    began = time.process_time()
    work()
    return time.process_time() - began
