"""Runs `kingmaker <command>`; also `python -m bench <command>`."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import ModuleType
from typing import NoReturn

from bench import COMMANDS
from bench.quoting import hint, joined
from bench.toplevel import guarded
from engine import notices


class Parser(argparse.ArgumentParser):
    """Exits with 2 even if stderr cannot be written to; some versions of argparse let that error through."""

    def error(self, message: str) -> NoReturn:
        """Report wrong usage and exit."""
        with suppress(OSError):
            print(f"{self.format_usage()}{self.prog}: error: {message}", file=sys.stderr)
        raise SystemExit(2)


def module(name: str) -> ModuleType:
    """The module of a command, imported: it has add_arguments() and run()."""
    return importlib.import_module(f"bench.{COMMANDS[name].module}")


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 as expected, 1 not, 2 wrong usage."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    name = f"kingmaker {arguments[0]}" if arguments and arguments[0] in COMMANDS else "kingmaker"
    return guarded(name, lambda: _run(arguments))


def _run(arguments: list[str]) -> int:
    notices.listen(lambda line: print(f"kingmaker: {line}", file=sys.stderr))
    parser = Parser(prog="kingmaker")
    chosen = parser
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (_, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        if arguments[:1] == [name]:  # the others are not imported
            chosen = command
            module(name).add_arguments(command)
    options, unknown = parser.parse_known_args(joined(arguments))
    if unknown:  # the command reports it: argparse would print the usage of `kingmaker`
        chosen.error(f"unrecognized arguments: {' '.join(unknown)}{hint(arguments)}")
    return int(module(options.command).run(options))


if __name__ == "__main__":
    sys.exit(main())
