"""`kingmaker doctor`: examines an engine step by step for what a protocol's standard demands, and reports each step."""

from __future__ import annotations

import json
import shlex
import sys
from argparse import REMAINDER, ArgumentParser, Namespace
from collections import Counter
from importlib import import_module

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bench.check.doctor.steps import Patient, Row, Step, Steps, Verdict
from bench.clients.uci import OURSELVES
from engine.errors import CommandError

GREETINGS = ("uci", "protover 2")  # other steps need what these learn: --only never leaves them out


def add_arguments(parser: ArgumentParser) -> None:
    """Add protocol, patience, choice of steps and the engine."""
    parser.add_argument("--protocol", choices=("uci", "xboard"), default="uci", help="default: %(default)s")
    parser.add_argument("--timeout", type=float, default=10.0, metavar="S",
                        help="seconds to wait for an answer that needs no thinking; default: %(default)g")
    parser.add_argument("--only", metavar="WORD", help="only steps with WORD in their names")
    parser.add_argument("--json", action="store_true", help="a list of objects instead of a table")
    parser.add_argument("engine", nargs=REMAINDER, metavar="-- COMMAND", help="the engine; default: Kingmaker")


def run(args: Namespace) -> int:
    """Exit status: 0 if no step failed, 1 otherwise. Steps that are only advised do not count."""
    words = args.engine[1:] if args.engine[:1] == ["--"] else args.engine
    if not 0 < args.timeout < 1e6:
        raise CommandError(f"--timeout {args.timeout:g} is not a positive number of seconds")
    command = shlex.join(words) or f"{OURSELVES} {args.protocol}"
    steps: Steps = import_module(f"bench.check.doctor.{args.protocol}").STEPS
    wanted = [step for step in steps if not args.only or args.only.lower() in step.name.lower()]
    if not wanted:
        raise CommandError(f"--only {args.only!r} matches no step")
    chosen = [step for step in steps if step in wanted or step.name in GREETINGS]
    interrupted = False
    with Patient(command, args.protocol, args.timeout) as patient:
        try:
            examine(patient, chosen)
        except KeyboardInterrupt:  # the findings so far may have taken minutes
            interrupted = True
    rows = patient.rows
    if args.json:
        print(json.dumps([{**row._asdict(), "verdict": row.verdict.value} for row in rows], indent=1))
    else:
        show(f"{patient.name}, {args.protocol}", rows)
    return 130 if interrupted else int(any(row.verdict is Verdict.FAIL for row in rows))


def examine(patient: Patient, steps: list[Step]) -> None:
    """Take the steps; a terminal shows their names meanwhile."""
    seen = sys.stderr is not None and sys.stderr.isatty()
    for number, step in enumerate(steps, 1):
        if seen:
            print(f"\r\x1b[K{number}/{len(steps)} {step.name}", end="", file=sys.stderr, flush=True)
        patient.take(step)
    if seen:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def show(title: str, rows: list[Row]) -> None:
    """Print a table on a terminal, plain lines on a pipe."""
    counts = Counter(row.verdict for row in rows)
    total = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    if not sys.stdout.isatty():
        print(title)
        for row in rows:
            print(f"{row.verdict.value:<8} {row.step:<32} {row.expected}: {row.seen}")
        print(f"{len(rows)} steps: {total}")
        return
    colours = {Verdict.PASS: "green", Verdict.ADVICE: "yellow", Verdict.FAIL: "bold red", Verdict.SKIP: "dim"}
    table = Table(title=escape(title), caption=f"{len(rows)} steps: {total}")
    for column in ("step", "expected", "seen", "verdict"):
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*map(escape, (row.step, row.expected, row.seen)), f"[{colours[row.verdict]}]{row.verdict.value}[/]")
    Console().print(table)
