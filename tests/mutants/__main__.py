"""make mutants: puts each fault of list.toml into a copy of the tree and runs the tests on it. Resumable."""

from __future__ import annotations

import argparse
import signal
import sys

from filelock import FileLock, Timeout
from rich.console import Console
from rich.table import Table

from mutants import MutantError, read_list
from mutants.runner import ROOT, STAGES, Result, Runner


def table(results: list[Result]) -> Table:
    """What became of each mutant."""
    made = Table(title="Mutants", title_justify="left")
    for heading in ("mutant", "verdict", "by", "s"):
        made.add_column(heading, justify="right" if heading == "s" else "left", overflow="fold")
    for result in results:
        verdict = "survived" if result.stage is None else "killed" if result.stage != "long" else "killed by test-long"
        made.add_row(result.id, verdict, result.killer or f"(tried up to {result.upto})", f"{result.seconds:.0f}")
    return made


def main(words: list[str] | None = None) -> int:
    """Returns 0 if make test kills all, 1 if not, 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="MUTANT", help="default: all")
    parser.add_argument("--upto", choices=STAGES, default="long", help="the tests a mutant names first, make test, "
                        "or make test-long as well, for those that live so long; default: %(default)s")
    parser.add_argument("--processes", type=int, choices=(1, 2), default=1, help="for make test and test-long")
    arguments = parser.parse_args(words)
    for word in (signal.SIGINT, signal.SIGTERM):  # in the background, too: the tests under way end with us
        signal.signal(word, signal.default_int_handler)
    try:
        mutants = {mutant.id: mutant for mutant in read_list()}
        for mutant in mutants.values():
            mutant.source(ROOT)
    except MutantError as error:
        print(error, file=sys.stderr)
        return 2
    if unknown := [name for name in arguments.ids if name not in mutants]:
        print(f"no mutant is called {unknown[0]!r}", file=sys.stderr)
        return 2
    chosen = [mutants[name] for name in arguments.ids] or list(mutants.values())
    work = ROOT / "build" / "mutants"
    work.mkdir(parents=True, exist_ok=True)
    runner = Runner(ROOT, work, arguments.processes, say=lambda line: print(line, file=sys.stderr, flush=True))
    results: list[Result] = []
    try:
        with FileLock(work / "lock", timeout=0):
            for number, mutant in enumerate(chosen, 1):
                result = runner.known(mutant, arguments.upto) or runner.judge(mutant, arguments.upto)
                results.append(result)
                print(f"{number}/{len(chosen)} {mutant.id}: {result.killer or 'SURVIVED'} ({result.seconds:.0f} s)",
                      file=sys.stderr, flush=True)
    except Timeout:
        print(f"another process tries mutants in {work}", file=sys.stderr)
        return 2
    except MutantError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
    Console(width=None if sys.stdout.isatty() else 160).print(table(results))
    killed = sum(result.stage in ("first", "test") for result in results)
    print(f"{len(results)} of {len(chosen)} tried, {killed} killed by make test, "
          f"{sum(result.stage == 'long' for result in results)} by make test-long alone, "
          f"{sum(result.stage is None for result in results)} survived; {sum(result.seconds for result in results):.0f} s")
    return int(killed < len(chosen))


if __name__ == "__main__":
    sys.exit(main())
