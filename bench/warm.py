"""`kingmaker warm`: compiles games into the cache before anybody waits for them."""

from __future__ import annotations

import os
import time
from argparse import ArgumentParser, Namespace

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import variants
from bench.workers import workers
from engine.compile.folder import cache_dir
from search.warm import GAME, PARTS


def add_arguments(parser: ArgumentParser) -> None:
    """Add the games."""
    parser.add_argument("variants", nargs="*", metavar="VARIANT", help="default: the ten main games")


def run(args: Namespace) -> int:
    """Exit status: 0; 1 if there is no folder to keep compiled code in."""
    names = [variants.resolve(name) for name in args.variants] or variants.names()
    folder = cache_dir()
    if folder is None:  # a notice has said why
        return 1
    start = time.perf_counter()
    for name, seconds in warm_all(names).items():
        print(f"{name:16}{seconds:6.1f} s of one processor")
    print(f"all of it: {time.perf_counter() - start:.1f} s\ncompiled code in {folder}")
    return 0


def warm_all(names: list[str]) -> dict[str, float]:
    """Compile all that playing these games needs; returns processor seconds by variant."""
    return compile_parts([(name, part) for part in GAME for name in names])


def compile_parts(jobs: list[tuple[str, str]]) -> dict[str, float]:
    """Compile (variant, part) pairs, parts by search.warm.PARTS, one process per core, with a progress bar on stderr.

    Returns the processor seconds spent on each variant.
    """
    columns = (TextColumn("{task.description:>32}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    spent = dict.fromkeys((name for name, _ in jobs), 0.0)
    with (Progress(*columns, console=Console(stderr=True)) as progress,
          workers(min(os.cpu_count() or 1, len(jobs))) as pool):
        task = progress.add_task("compiling", total=len(jobs))
        for (name, part), seconds in pool.run(compile_part, jobs):
            spent[name] += seconds
            progress.update(task, advance=1, description=f"compiled {name}: {part}")
    return spent


def compile_part(job: tuple[str, str]) -> float:
    """In a process of its own: compile a (variant, part). Returns processor seconds."""
    name, part = job
    start = time.process_time()
    PARTS[part](variants.find(name))
    return time.process_time() - start
