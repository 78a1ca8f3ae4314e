"""`kingmaker speed`: perft and search speed beside other engines, all through UCI, in turns, in one run."""

from __future__ import annotations

import math
import shutil
import statistics
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass

import variants
from bench.uci import OURSELVES, UciProbe
from engine.errors import CommandError, EngineError

PEERS = {"stockfish": ("stockfish", "/usr/games/stockfish"), "fairy-stockfish": ("fairy-stockfish",)}  # where to look
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
MIDDLE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


@dataclass(frozen=True)
class Case:
    """Positions with depths, whose ratios are averaged geometrically, and the ratio we mean to reach against a peer."""

    variant: str
    positions: tuple[tuple[str, int], ...]
    peer: str
    goal: float


CASES = (
    Case("chess", ((START, 6), (MIDDLE, 5)), "stockfish", 3.0),
    Case("atomic", ((START, 6),), "fairy-stockfish", 6.0),
    Case("nocheckatomic", ((START, 6),), "fairy-stockfish", 6.0),
)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=CMD",
                        help="another UCI engine, or where one of stockfish, fairy-stockfish is")
    parser.add_argument("--rounds", type=int, default=5, help="turns per engine and position; default: %(default)s")
    parser.add_argument("--search-ms", type=int, default=3000, help="thinking time for search speed; default: %(default)s")


def find_peers(given: list[str]) -> dict[str, str]:
    """Command by name; says which of the usual ones are missing."""
    commands = {}
    for item in given:
        name, equals, command = item.partition("=")
        if not equals or not name or not command:
            raise CommandError(f"--peer {item!r} is not NAME=CMD")
        commands[name] = command
    for name, places in PEERS.items():
        if name in commands:
            continue
        place = next((found for found in map(shutil.which, places) if found), None)
        if place:
            commands[name] = place
        else:
            print(f"missing: {name} (give it with --peer {name}=COMMAND)")
    return commands


def run(args: Namespace) -> int:
    from rich.console import Console
    from rich.table import Table

    peers = find_peers(args.peer)
    probes: dict[str, UciProbe] = {}
    for name, command in {"kingmaker": OURSELVES, **peers}.items():
        try:
            probes[name] = UciProbe(command)
            print(f"{name}: {probes[name].name}")
        except EngineError as error:
            print(f"missing: {name}: {error}")
    table = Table(title="perft, one thread, bulk counting: Mnodes/s (best), ratio of times (median of the turns)")
    for column in ("variant", "position", "depth", *probes, "ours / peer", "goal"):
        table.add_column(column, justify="left" if column in ("variant", "position") else "right")
    speeds = Table(title=f"search, one thread, {args.search_ms} ms, start position: knodes/s by each engine's own count")
    for column in ("variant", *probes):
        speeds.add_column(column, justify="left" if column == "variant" else "right")
    for case in CASES:
        measure_perft(case, probes, args.rounds, table)
    for name in variants.names():
        speeds.add_row(name, *(f"{search_speed(probe, name, args.search_ms) / 1000:,.0f}" if plays(probe, name) else ""
                               for probe in probes.values()))
    for probe in probes.values():
        probe.__exit__(None, None, None)
    console = Console(width=None if Console().is_terminal else 150)
    console.print(table)
    console.print(speeds)
    return 0


def plays(probe: UciProbe, variant: str) -> bool:
    """Whether the engine knows the variant; one without the option knows orthodox chess."""
    return variant in probe.variants or (variant == "chess" and not probe.variants)


def search_speed(probe: UciProbe, variant: str, milliseconds: int) -> int:
    """Nodes per second in the variant's start position."""
    probe.variant(variant)
    return probe.search_speed(variants.find(variant).start_fen, milliseconds)


def measure_perft(case: Case, probes: dict[str, UciProbe], rounds: int, table: object) -> None:
    """Add a row per position, and one for the geometric mean where there are several."""
    players = {name: probe for name, probe in probes.items() if plays(probe, case.variant)}
    ratios = []
    for fen, depth in case.positions:
        for probe in players.values():
            probe.variant(case.variant)
            probe.perft(fen, 2)
        times: dict[str, list[float]] = {name: [] for name in players}
        counts: dict[str, int] = {}
        for _ in range(rounds):
            for name, probe in players.items():
                counts[name], seconds = probe.perft(fen, depth)
                times[name].append(seconds)
        cells = [f"{counts[name] / min(times[name]) / 1e6:,.0f}" if name in players else "" for name in probes]
        ratio = None
        if case.peer in players:
            ratio = statistics.median(
                (counts["kingmaker"] / ours) / (counts[case.peer] / theirs)
                for ours, theirs in zip(times["kingmaker"], times[case.peer], strict=True))
            ratios.append(ratio)
        single = len(case.positions) == 1
        table.add_row(case.variant, "start" if fen == START else "middlegame", str(depth), *cells,  # type: ignore[attr-defined]
                      f"{ratio:.2f} {case.peer}" if ratio else "", f"{case.goal}" if single else "")
    if len(case.positions) > 1:
        mean = math.exp(statistics.fmean(map(math.log, ratios))) if ratios else None
        table.add_row(case.variant, "geometric mean", "", *["" for _ in probes],  # type: ignore[attr-defined]
                      f"{mean:.2f} {case.peer}" if mean else "", f"{case.goal}")
