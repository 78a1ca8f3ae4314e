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

    for name, seconds in warm_all(names):
        print(f"{name:16} ready in {seconds:5.1f} s")
    for line in jit.WARNINGS:
        print(line, file=sys.stderr)
    print(f"compiled code in {jit.cache_dir()}" if jit.cache_dir() else "compiled code is not kept")
    return 0


def warm_all(names: list[str]) -> list[tuple[str, float]]:
    """(variant, seconds) for each, as they get ready, with a progress bar on stderr; a process per core compiles."""
    from concurrent.futures import ProcessPoolExecutor, as_completed

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    spent = []
    workers = max(1, min(os.cpu_count() or 1, len(names)))
    with (Progress(*columns, console=Console(stderr=True)) as progress,
          ProcessPoolExecutor(workers, get_context("spawn")) as pool):
        task = progress.add_task("compiling", total=len(names))
        jobs = [pool.submit(warm_one, name) for name in names]
        for job in as_completed(jobs):
            spent.append(job.result())
            progress.update(task, advance=1, description=f"compiled {spent[-1][0]}")
    return spent


def warm_one(name: str) -> tuple[str, float]:
    """(variant, seconds), in a process of its own."""
    start = time.perf_counter()
    from engine.warm import warm

    warm(variants.find(name))
    return name, time.perf_counter() - start
