"""`kingmaker warm`: everything compiled into the cache before anybody waits for it."""

from __future__ import annotations

import os
import sys
import time
from argparse import ArgumentParser, Namespace
from multiprocessing import get_context

import variants


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("variants", nargs="*", metavar="VARIANT", help="default: all")


def run(args: Namespace) -> int:
    names = [variants.resolve(name) for name in args.variants] or variants.names()
    from engine import jit

    start = time.perf_counter()
    for name, seconds in warm_all(names).items():
        print(f"{name:16}{seconds:6.1f} s of one processor")
    print(f"all of it: {time.perf_counter() - start:.1f} s")
    for line in jit.WARNINGS:
        print(line, file=sys.stderr)
    print(f"compiled code in {jit.cache_dir()}" if jit.cache_dir() else "compiled code is not kept")
    return 0


def warm_all(names: list[str]) -> dict[str, float]:
    """Processor seconds spent on each variant, with a progress bar on stderr; a process per core compiles, half a game each."""
    from concurrent.futures import ProcessPoolExecutor, as_completed

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from engine.warm import HALVES

    columns = (TextColumn("{task.description:>32}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    spent = dict.fromkeys(names, 0.0)
    with (Progress(*columns, console=Console(stderr=True)) as progress,
          ProcessPoolExecutor(min(os.cpu_count() or 1, 2 * len(names)), get_context("spawn")) as pool):
        task = progress.add_task("compiling", total=len(HALVES) * len(names))
        jobs = [pool.submit(warm_half, name, half) for name in names for half in HALVES]
        for job in as_completed(jobs):
            name, half, seconds = job.result()
            spent[name] += seconds
            progress.update(task, advance=1, description=f"compiled {name}: {half}")
    return spent


def warm_half(name: str, half: str) -> tuple[str, str, float]:
    """(variant, half, processor seconds), in a process of its own."""
    start = time.process_time()
    from engine.warm import HALVES

    HALVES[half](variants.find(name))
    return name, half, time.process_time() - start
