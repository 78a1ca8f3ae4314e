"""`kingmaker speed`: compares perft and search speed with other engines, all over UCI, in turns, in one run."""

from __future__ import annotations

import math
import re
import statistics
import time
from argparse import ArgumentParser, Namespace

from rich.console import Console
from rich.table import Table

import variants
from bench.clients import programs
from bench.clients.process import blamed
from bench.clients.uci import OURSELVES, UciClient
from engine.errors import CommandError, EngineError
from engine.rules import START

PEERS = ("stockfish", "fairy-stockfish")
OURS = "our chess"  # as a peer: our speed in orthodox chess


def add_arguments(parser: ArgumentParser) -> None:
    """Add games, peers, number of turns and time."""
    parser.add_argument("variants", nargs="*", metavar="VARIANT", help="default: the ten main games")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=CMD",
                        help="another UCI engine, or the command of stockfish or fairy-stockfish")
    parser.add_argument("--rounds", type=int, default=5, help="turns per engine and position; default: %(default)s")
    parser.add_argument("--search-ms", type=int, default=3000, help="thinking time for search speed; default: %(default)s")


def find_peers(given: list[str]) -> dict[str, str]:
    """Commands by name; prints which of the usual peers are missing."""
    commands = {}
    for item in given:
        name, equals, command = item.partition("=")
        if not equals or not name or not command:
            raise CommandError(f"--peer {item!r} is not NAME=CMD")
        try:
            programs.words_of(command)
        except CommandError as error:
            raise CommandError(f"--peer {item}: {error}") from None
        commands[name] = command
    for name in PEERS:
        if name in commands:
            continue
        if programs.find(name):
            commands[name] = name
        else:
            print(f"missing: {name} (give it with --peer {name}=COMMAND)")
    return commands


def run(args: Namespace) -> int:
    """Exit status: 0."""
    for name, value, most in (("--rounds", args.rounds, 10_000), ("--search-ms", args.search_ms, 10 ** 7)):
        if not 1 <= value <= most:
            raise CommandError(f"{name} {value} is not from 1 to {most}")
    names = [variants.resolve(name) for name in args.variants] or variants.names()
    peers = find_peers(args.peer)
    probes = start_all(peers, {item.partition("=")[0] for item in args.peer})
    table = Table(title="perft, one thread, bulk counting: Mnodes/s (best), ratio of speeds (median of the turns)")
    for column in ("variant", "position", "depth", *probes, "ours / peer", "goal"):
        table.add_column(column, justify="left" if column in ("variant", "position") else "right")
    speeds = Table(title=f"search, one thread, {args.search_ms} ms, start position: knodes/s by each engine's own count")
    for column in ("variant", *probes):
        speeds.add_column(column, justify="left" if column == "variant" else "right")
    for name in names:
        measure_perft(name, probes, args.rounds, table)
    for name in names:
        speeds.add_row(name, *(f"{search_speed(probe, name, args.search_ms) / 1000:,.0f}" if plays(probe, name) else ""
                               for probe in probes.values()))
    for probe in probes.values():
        probe.quit()
    console = Console(width=None if Console().is_terminal else 150)
    console.print(table)
    console.print(speeds)
    return 0


def start_all(peers: dict[str, str], named: set[str]) -> dict[str, UciClient]:
    """Our engine and its peers, started; says which are missing. Raises CommandError if one is that the user has named."""
    probes: dict[str, UciClient] = {}
    for name, command in {"kingmaker": OURSELVES, **peers}.items():
        try:
            probes[name] = started(command)
            print(f"{name}: {probes[name].name}")
        except EngineError as error:
            if name in named:
                for probe in probes.values():
                    probe.kill()
                raise CommandError(f"--peer {name}={command}: {error}") from None
            print(f"missing: {name}: {error}")
    return probes


def started(command: str) -> UciClient:
    """An engine that is ready. Raises EngineError."""
    engine = UciClient(programs.words_of(command))
    try:
        with blamed(engine):
            engine.greet()
            engine.ready()
    except CommandError:
        engine.kill()
        raise
    return engine


def plays(probe: UciClient, variant: str) -> bool:
    """Whether the engine plays the variant; one without the option plays orthodox chess."""
    return variant in probe.variants or (variant == "chess" and not probe.variants)


def search_speed(probe: UciClient, variant: str, milliseconds: int) -> int:
    """Nodes per second by the engine's own last info line, at the variant's start position with an empty table."""
    with blamed(probe):
        probe.set_variant(variant)
        probe.send("ucinewgame")
        probe.set_position(variants.find(variant).start_fen)
        probe.ready()
        lines = probe.go(f"movetime {milliseconds}")
    speeds = [int(match[1]) for line in lines if (match := re.search(r"\bnps (\d+)", line.text))]
    return speeds[-1] if speeds else 0


def perft(probe: UciClient, fen: str, depth: int) -> tuple[int, float]:
    """(nodes, seconds)."""
    with blamed(probe):
        probe.set_position(fen)
        probe.ready()
        start = time.perf_counter()
        when, last = probe.perft(depth)[-1]
    return int(last.split(":")[1]), when - start


def measure_perft(variant: str, probes: dict[str, UciClient], rounds: int, table: Table) -> None:
    """Add a row per position, and one for the geometric mean if there are several."""
    case = variants.find(variant).speed
    players = {name: probe for name, probe in probes.items() if plays(probe, variant)}
    others = [name for name in players if name != "kingmaker"]
    peer = case.peer or (others[0] if others else OURS)
    goal = f"{case.goal}" if peer in (case.peer, OURS) else ""
    ratios = []
    for given, depth in case.positions:
        fen = given or variants.find(variant).start_fen
        times: dict[str, list[float]] = {}
        counts: dict[str, int] = {}
        for number in range(rounds + 1):  # the first round warms up
            for name, probe in players.items():
                probe.set_variant(variant)
                counts[name], seconds = perft(probe, fen, depth if number else 2)
                times.setdefault(name, []).append(seconds)
            if peer == OURS:
                probes["kingmaker"].set_variant("chess")
                counts[OURS], seconds = perft(probes["kingmaker"], START, 6 if number else 2)
                times.setdefault(OURS, []).append(seconds)
        cells = [f"{counts[name] / min(times[name][1:]) / 1e6:,.0f}" if name in players else "" for name in probes]
        ratio = None
        if peer in times:
            ratio = statistics.median(
                (counts["kingmaker"] / ours) / (counts[peer] / theirs)
                for ours, theirs in zip(times["kingmaker"][1:], times[peer][1:], strict=True))
            ratios.append(ratio)
        where = "start" if fen == variants.find(variant).start_fen else " ".join(fen.split()[:1])
        table.add_row(variant, where, str(depth), *cells, f"{ratio:.2f} {peer}" if ratio else "",
                      goal if len(case.positions) == 1 else "")
    if len(case.positions) > 1:
        mean = math.exp(statistics.fmean(map(math.log, ratios))) if ratios else None
        table.add_row(variant, "geometric mean", "", *["" for _ in probes], f"{mean:.2f} {peer}" if mean else "",
                      goal)
