"""`kingmaker latency`: how long an engine takes to answer what needs no thinking: start, isready, and stop in mid-search."""

from __future__ import annotations

import random
import shlex
import statistics
import sys
import tempfile
import time
from argparse import REMAINDER, ArgumentParser, Namespace

import variants
from bench.clients.dialogue import Dialogue, Gone, Silent
from engine.errors import CommandError

PATIENCE = 30.0  # seconds
COLD = 300.0  # the same where everything is compiled first


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--variant", default="chess", help="default: %(default)s")
    parser.add_argument("--tries", type=int, default=200, help="searches that are stopped; default: %(default)s")
    parser.add_argument("--threads", type=int, default=2, help="default: %(default)s")
    parser.add_argument("--starts", type=int, default=5, help="processes started; default: %(default)s")
    parser.add_argument("--cold", action="store_true", help="also start once with an empty cache of compiled code")
    parser.add_argument("--limit", type=float, metavar="MS", help="exit with 1 where the 99th percentile of stop is above it")
    parser.add_argument("engine", nargs=REMAINDER, metavar="-- COMMAND", help="another UCI engine; default: ourselves")


def run(args: Namespace) -> int:
    from bench.clients.uci import OURSELVES

    if args.tries < 2 or args.starts < 1:
        raise CommandError(f"--tries {args.tries} must be 2 or more, --starts {args.starts} 1 or more")
    if not 1 <= args.threads <= 256:
        raise CommandError(f"--threads {args.threads} is not from 1 to 256")
    name = variants.resolve(args.variant)
    words = args.engine[1:] if args.engine[:1] == ["--"] else args.engine
    command = words or shlex.split(OURSELVES)
    try:
        with Dialogue(command) as talk:  # compiled and in the disk cache from here on
            greet(talk, name, COLD)
        starts = [start(command, name, PATIENCE) for _ in range(args.starts)]
        for what, times in (("uciok", [s[0] for s in starts]), ("readyok", [s[1] for s in starts])):
            print(f"{what:<20}{line(times)}")
        if args.cold:
            with tempfile.TemporaryDirectory() as folder:
                uciok, readyok = start(["env", f"KINGMAKER_CACHE={folder}", *command], name, COLD)
            print(f"{'cold cache':<20}uciok {uciok * 1000:.0f} ms, readyok {readyok:.1f} s")
        with Dialogue(command) as talk:
            greet(talk, name, PATIENCE)
            talk.send(f"setoption name Threads value {args.threads}")
            pings = [ping(talk) for _ in range(50)]
            stops, during = stopped(talk, args.tries)
    except (Gone, Silent) as error:
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
    """The smallest time that so many percent of all do not exceed."""
    return sorted(times)[max(0, -(-len(times) * percent // 100) - 1)]


def greet(talk: Dialogue, variant: str, patience: float) -> None:
    talk.send("uci")
    options = talk.until("uciok", PATIENCE)
    if any(text.startswith("option name UCI_Variant ") for text in options):
        talk.send(f"setoption name UCI_Variant value {variant}")
    talk.send("isready")
    talk.until("readyok", patience)


def start(command: list[str], variant: str, patience: float) -> tuple[float, float]:
    """Seconds from starting the process to uciok and to the readyok of the variant."""
    began = time.perf_counter()
    with Dialogue(command) as talk:
        talk.send("uci")
        greeted = talk.timed("uciok", patience)
        if any(text.startswith("option name UCI_Variant ") for _, text in greeted):
            talk.send(f"setoption name UCI_Variant value {variant}")
        talk.send("isready")
        ready = talk.timed("readyok", patience)[-1][0]
    return greeted[-1][0] - began, ready - began


def ping(talk: Dialogue) -> float:
    began = talk.send("isready")
    return talk.timed("readyok", PATIENCE)[-1][0] - began


def stopped(talk: Dialogue, tries: int) -> tuple[list[float], list[float]]:
    """Seconds from stop to bestmove, each after a search of a random time, and from isready to readyok amid it."""
    chance = random.Random(1)
    stops, during = [], []
    for number in range(tries):
        talk.send("position startpos", "go infinite")
        time.sleep(chance.uniform(0.02, 0.3))
        during.append(ping(talk))
        began = talk.send("stop")
        stops.append(talk.timed("bestmove .*", PATIENCE)[-1][0] - began)
        if sys.stderr.isatty():
            print(f"\r{number + 1}/{tries}", end="\r" if number + 1 < tries else "\r\x1b[K", file=sys.stderr, flush=True)
    return stops, during
