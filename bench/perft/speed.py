"""`kingmaker speed`: perft and search speed beside other engines, all through UCI, in turns, in one run."""

from __future__ import annotations

import math
import statistics
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from typing import TYPE_CHECKING

import variants
from bench.clients import programs
from bench.clients.uci import OURSELVES, UciProbe
from engine.errors import CommandError, EngineError

if TYPE_CHECKING:
    from rich.table import Table

PEERS = ("stockfish", "fairy-stockfish")
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
AFTER_OPENING = "rnbjkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBJKBNR w - - 0 2"  # where Fairy-Stockfish's shatar starts
MIDDLE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


OURS = "our chess"  # as a peer: our own speed in orthodox chess


@dataclass(frozen=True)
class Case:
    """Positions with depths, whose ratios are averaged geometrically, and the ratio we mean to reach against a peer."""

    variant: str
    positions: tuple[tuple[str, int], ...]  # (FEN, depth); the variant's start position where the FEN is empty
    peer: str
    goal: float


CASES = (
    Case("chess", ((START, 6), (MIDDLE, 5)), "stockfish", 3.0),
    Case("atomic", ((START, 6),), "fairy-stockfish", 6.0),
    Case("nocheckatomic", ((START, 6),), "fairy-stockfish", 6.0),
    Case("shatar", ((AFTER_OPENING, 6),), "fairy-stockfish", 6.0),
    Case("ascending", (("", 6),), OURS, 0.7),
    Case("ataturk", (("", 6),), OURS, 0.25),
    Case("warmspit", (("", 6),), OURS, 0.25),
    Case("madness", (("", 7),), OURS, 0.25),
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
    for name in PEERS:
        if name in commands:
            continue
        if programs.find(name):
            commands[name] = name
        else:
            print(f"missing: {name} (give it with --peer {name}=COMMAND)")
    return commands


def run(args: Namespace) -> int:
    from rich.console import Console
    from rich.table import Table

    for name, value, most in (("--rounds", args.rounds, 10_000), ("--search-ms", args.search_ms, 10 ** 7)):
        if not 1 <= value <= most:
            raise CommandError(f"{name} {value} is not from 1 to {most}")
    peers = find_peers(args.peer)
    probes: dict[str, UciProbe] = {}
    for name, command in {"kingmaker": OURSELVES, **peers}.items():
        try:
            probes[name] = UciProbe(command)
            print(f"{name}: {probes[name].name}")
        except EngineError as error:
            print(f"missing: {name}: {error}")
    table = Table(title="perft, one thread, bulk counting: Mnodes/s (best), ratio of speeds (median of the turns)")
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


def measure_perft(case: Case, probes: dict[str, UciProbe], rounds: int, table: Table) -> None:
    """Add a row per position, and one for the geometric mean where there are several."""
    players = {name: probe for name, probe in probes.items() if plays(probe, case.variant)}
    ratios = []
    for given, depth in case.positions:
        fen = given or variants.find(case.variant).start_fen
        times: dict[str, list[float]] = {}
        counts: dict[str, int] = {}
        for number in range(rounds + 1):  # the first round warms up
            for name, probe in players.items():
                probe.variant(case.variant)
                counts[name], seconds = probe.perft(fen, depth if number else 2)
                times.setdefault(name, []).append(seconds)
            if case.peer == OURS:
                probes["kingmaker"].variant("chess")
                counts[OURS], seconds = probes["kingmaker"].perft(START, 6 if number else 2)
                times.setdefault(OURS, []).append(seconds)
        cells = [f"{counts[name] / min(times[name][1:]) / 1e6:,.0f}" if name in players else "" for name in probes]
        ratio = None
        if case.peer in times:
            ratio = statistics.median(
                (counts["kingmaker"] / ours) / (counts[case.peer] / theirs)
                for ours, theirs in zip(times["kingmaker"][1:], times[case.peer][1:], strict=True))
            ratios.append(ratio)
        where = {START: "start", "": "start", AFTER_OPENING: "after d2d4 d7d5"}.get(given, "middlegame")
        table.add_row(case.variant, where, str(depth), *cells, f"{ratio:.2f} {case.peer}" if ratio else "",
                      f"{case.goal}" if len(case.positions) == 1 else "")
    if len(case.positions) > 1:
        mean = math.exp(statistics.fmean(map(math.log, ratios))) if ratios else None
        table.add_row(case.variant, "geometric mean", "", *["" for _ in probes], f"{mean:.2f} {case.peer}" if mean else "",
                      f"{case.goal}")
