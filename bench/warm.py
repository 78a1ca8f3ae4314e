"""`kingmaker warm`: everything compiled into the cache before anybody waits for it."""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace

import variants


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("variants", nargs="*", metavar="VARIANT", help="default: all")


def run(args: Namespace) -> int:
    names = [variants.resolve(name) for name in args.variants] or variants.names()
    from engine import jit

    for name, seconds in warm_all(names):
        print(f"{name:16} ready in {seconds:5.1f} s")
    for line in jit.WARNINGS:
        print(line, file=sys.stderr)
    print(f"compiled code in {jit.cache_dir()}" if jit.cache_dir() else "compiled code is not kept")
    return 0


def warm_all(names: list[str]) -> list[tuple[str, float]]:
    """(variant, seconds) for each, with a progress bar on stderr."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from engine.warm import STEPS, warm

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    spent = []
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("compiling", total=len(names) * len(STEPS))
        for number, name in enumerate(names):
            start = time.perf_counter()
            rules = variants.find(name)

            def report(done: int, total: int, what: str, name: str = name, number: int = number) -> None:
                progress.update(task, completed=number * total + done, description=f"compiling {name}: {what}")

            warm(rules, report)
            spent.append((name, time.perf_counter() - start))
    return spent
