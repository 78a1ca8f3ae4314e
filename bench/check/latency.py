"""`kingmaker latency`: how long an engine takes to start, and to answer isready and stop, also during a search."""

from __future__ import annotations

import random
import shlex
import statistics
import sys
import tempfile
import time
from argparse import REMAINDER, ArgumentParser, Namespace

import variants
from bench.clients.process import EngineGoneError, NoAnswerError
from bench.clients.programs import words_of
from bench.clients.uci import OURSELVES, UciClient, position
from engine.errors import CommandError

PATIENCE = 30.0  # seconds
COLD = 300.0  # seconds, if everything has to be compiled first


def add_arguments(parser: ArgumentParser) -> None:
    """Add the game, numbers of measurements and the engine."""
    parser.add_argument("--variant", default="chess", help="default: %(default)s")
    parser.add_argument("--tries", type=int, default=200, help="number of searches to stop; default: %(default)s")
    parser.add_argument("--threads", type=int, default=2, help="default: %(default)s")
    parser.add_argument("--starts", type=int, default=5, help="number of processes to start; default: %(default)s")
    parser.add_argument("--cold", action="store_true", help="also start once with an empty cache")
    parser.add_argument("--limit", type=float, metavar="MS", help="exit with 1 if the 99th percentile of stop is above it")
    parser.add_argument("engine", nargs=REMAINDER, metavar="-- COMMAND", help="another UCI engine; default: Kingmaker")


def run(args: Namespace) -> int:
    """Exit status: 0; 1 if stop takes longer than --limit."""
    if args.tries < 2 or args.starts < 1:
        raise CommandError(f"--tries {args.tries} must be 2 or more, --starts {args.starts} 1 or more")
    if not 1 <= args.threads <= 256:
        raise CommandError(f"--threads {args.threads} is not from 1 to 256")
    if args.limit is not None and not args.limit > 0:
        raise CommandError(f"--limit {args.limit:g} must be more than 0")
    name = variants.resolve(args.variant)
    words = args.engine[1:] if args.engine[:1] == ["--"] else args.engine
    command = words_of(words or OURSELVES)
    try:
        start(command, name, COLD)  # compiled and in the disk cache from here on
        starts = [start(command, name, PATIENCE) for _ in range(args.starts)]
        for what, times in (("uciok", [s[0] for s in starts]), ("readyok", [s[1] for s in starts])):
            print(f"{what:<20}{line(times)}")
        if args.cold:
            with tempfile.TemporaryDirectory() as folder:
                uciok, readyok = start(["env", f"KINGMAKER_CACHE={folder}", *command], name, COLD)
            print(f"{'cold cache':<20}uciok {uciok * 1000:.0f} ms, readyok {readyok:.1f} s")
        with UciClient(command) as engine:
            engine.greet(PATIENCE)
            engine.set_variant(name, PATIENCE)
            engine.set_option("Threads", args.threads)
            pings = [engine.ready(PATIENCE) for _ in range(50)]
            stops, during = stopped(engine, args.tries)
    except (EngineGoneError, NoAnswerError) as error:
        raise CommandError(f"{shlex.join(command)}: {error}") from None
    print(f"{'isready, idle':<20}{line(pings)}")
    print(f"{'isready, searching':<20}{line(during)}")
    print(f"{'stop to bestmove':<20}{line(stops)}   ({args.threads} threads, {name})")
    return int(args.limit is not None and percentile(stops, 99) * 1000 > args.limit)


def line(times: list[float]) -> str:
    """Median, 99th percentile and maximum in milliseconds."""
    median, late, worst = (value * 1000 for value in (statistics.median(times), percentile(times, 99), max(times)))
    return f"median {median:7.2f} ms   99 % {late:7.2f} ms   worst {worst:7.2f} ms   of {len(times)}"


def percentile(times: list[float], percent: int) -> float:
    """The smallest time that this percentage of all times does not exceed."""
    return sorted(times)[max(0, -(-len(times) * percent // 100) - 1)]


def start(command: list[str], variant: str, patience: float) -> tuple[float, float]:
    """Seconds from starting the process to uciok and to the readyok of the variant, for which patience is left."""
    began = time.perf_counter()
    with UciClient(command) as engine:
        greeted = engine.greet(PATIENCE)[-1].when
        engine.set_variant(variant, patience)
        return greeted - began, time.perf_counter() - began


def stopped(engine: UciClient, tries: int) -> tuple[list[float], list[float]]:
    """Seconds from stop to bestmove after searches of random lengths, and from isready to readyok during these searches."""
    chance = random.Random(1)
    stops, during = [], []
    for number in range(tries):
        engine.send(position(None), "go infinite")
        time.sleep(chance.uniform(0.02, 0.3))
        during.append(engine.ready(PATIENCE))
        stops.append(engine.stop(PATIENCE))
        if sys.stderr.isatty():
            print(f"\r{number + 1}/{tries}", end="\r" if number + 1 < tries else "\r\x1b[K", file=sys.stderr, flush=True)
    return stops, during
