"""Runs `kingmaker <command>`; also `python -m bench <command>`."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from bench import COMMANDS
from engine.errors import EngineError


def module(command: str) -> str:
    """The name of a command's module."""
    return command.replace("-", "_")


def main(argv: Sequence[str] | None = None) -> int:
    """0 as expected, 1 not, 2 wrong usage."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = argparse.ArgumentParser(prog="kingmaker")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        if arguments[:1] == [name]:  # the others are not imported
            importlib.import_module(f"bench.{module(name)}").add_arguments(command)
    options = parser.parse_args(arguments)
    try:
        return int(importlib.import_module(f"bench.{module(options.command)}").run(options))
    except EngineError as error:
        print(f"kingmaker {options.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main())
