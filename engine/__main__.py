"""The command `kingmaker`: a protocol on a pipe, help at a terminal, and the tools of bench/.

A GUI waits for our first line, so each branch imports what it needs: numba takes 0.2 s, a protocol 20 ms, bench.toplevel 5 ms.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from collections.abc import Iterator

import variants
from engine import __version__
from engine.errors import OptionError
from engine.notices import warn
from engine.protocol.loop import Protocol, Writer, first_word, open_stdio, read_lines
from engine.protocol.options import help_text, shown, suggestion
from variants.further import GAMES

ABOUT = f"Kingmaker {__version__}: a chess variant engine for games whose king is not what he used to be."
XBOARD_WORDS = ("xboard", "protover")
UCI_WORDS = ("uci", "isready", "setoption", "ucinewgame", "position", "go", "d", "stop", "help", "debug",
             "eval", "flip", "bench", "compiler", "ponderhit", "register")
# Garbage collections find nothing while modules are imported or kernels compiled, and take a tenth of the start.
RARELY = (50_000, 20, 20)


def usage() -> str:
    """The text of `kingmaker --help`."""
    from bench import COMMANDS

    width = max(map(len, [*COMMANDS, "xboard"])) + 2
    rows = {"uci": "speak UCI", **{name: command.help for name, command in COMMANDS.items()}}
    commands = "\n".join(f"  {name:<{width}}{text}" for name, text in rows.items())
    return (f"usage: kingmaker [--help] [--version] [--variants FILE] [COMMAND ...]\n\n{ABOUT}\n\n"
            "Without a command it waits for `uci` or `xboard` on standard input: add it to a GUI as an engine of either kind."
            f"\n\nvariants: {', '.join(variants.names())}, and {len(GAMES)} further games "
            "(docs/variants.md). `--variants FILE`, before or after any command, adds those that a file defines "
            "(docs/define.md)."
            f"\n\ncommands (`kingmaker COMMAND --help` shows more):\n{commands}\n\n"
            f"options, with default and range (XBoard shows most of them):\n{help_text()}")


def _show_usage() -> None:
    """Print the help; it is longer than what is buffered, so that a full disk shows here."""
    try:
        print(usage())
    except OSError as error:
        error.filename = "standard output"
        raise


def main(argv: list[str] | None = None) -> int:
    """Entry point of the console script; returns the exit status."""
    from bench.toplevel import guarded

    gc.set_threshold(*RARELY)
    words = sys.argv[1:] if argv is None else argv
    return guarded("kingmaker", lambda: _run(words))


def _run(words: list[str]) -> int:
    """Obey the words of the command line."""
    words = take_definitions(words)
    if words in (["xboard"], ["uci"]):
        return serve(words[0])
    first = words[0] if words else ""
    if not words and not (sys.stdin is not None and sys.stdin.isatty()):
        return serve()
    if not words:
        print(f"{ABOUT}\n\nIt expects to talk to a GUI; `kingmaker uci` lets you type UCI commands.\n\n{usage()}")
    elif first in ("--version", "-V"):
        print(f"kingmaker {__version__}")
    elif first in ("--help", "-h", "help") or words in (["uci", "--help"], ["uci", "-h"]):
        _show_usage()
    elif first == "uci":
        print(f"kingmaker uci: it takes no arguments, not {shown(words[1])}; options are set by `setoption`", file=sys.stderr)
        return 2
    else:
        return _run_command(words)
    return 0


def take_definitions(words: list[str]) -> list[str]:
    """The words without `--variants FILE`, the file now named in KINGMAKER_DEFINITIONS, for processes that we start, too.

    Raises: OptionError for a file that cannot be read.
    """
    if "--variants" not in words:
        return words
    at = words.index("--variants")
    if at + 1 == len(words):
        raise OptionError("--variants needs a file")
    path = os.path.abspath(words[at + 1])  # noqa: PTH100 - as it is written
    for definition in variants.define(path):
        if definition.rules is None:
            warn(f"{path}: {definition.name}: {definition.error}")
    before = os.environ.get(variants.DEFINITIONS, "")
    os.environ[variants.DEFINITIONS] = os.pathsep.join(filter(None, [before, path]))
    return take_definitions(words[:at] + words[at + 2:])


def _run_command(words: list[str]) -> int:
    """Run a command of bench/."""
    from bench import COMMANDS

    if words[0] not in COMMANDS:
        known = ["uci", "xboard", "--help", "--version", *COMMANDS]
        print(f"kingmaker: unknown command {shown(words[0])}{suggestion(words[0], known)}\n"
              f"`kingmaker --help` lists the commands", file=sys.stderr)
        return 2
    from bench.__main__ import main as run_command

    return int(run_command(words))


def serve(name: str | None = None) -> int:
    """Speak a protocol, or if `name` is None the one that the first line asks for, until `quit` or the end of the input.

    What it changes for the whole process, it changes for good: the process ends with it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # XBoard sends it to get our attention
    warnings.simplefilter("ignore")  # XBoard reads stderr, too
    stream, writer = open_stdio()
    lines = read_lines(stream)
    first = None
    if name is None:
        name, first = _first_command(lines, writer)
    if name is None:
        return 0
    protocol = _protocol(name, writer)
    if first is not None:
        protocol.handle(first)
    protocol.loop(lines)
    os._exit(0)  # a compilation in the worker thread would keep the interpreter alive


def _first_command(lines: Iterator[str | int], writer: Writer) -> tuple[str | None, str | None]:
    """The protocol that the first command belongs to, and its line; (None, None) if there is none before the end."""
    for line in lines:
        word = first_word(line)[0] if isinstance(line, str) else ""
        if word == "quit":
            break
        if isinstance(line, str) and word in (*XBOARD_WORDS, *UCI_WORDS):
            return "xboard" if word in XBOARD_WORDS else "uci", line
        if word or not isinstance(line, str):
            said = shown(word) if word else f"of {line} characters"
            writer.line(f"info string unknown command {said}: say uci or xboard first")
    return None, None


def _protocol(name: str, writer: Writer) -> Protocol:
    if name == "uci":
        from engine.protocol.uci import Uci

        return Uci(writer)
    from engine.protocol.xboard.commands import XBoard

    return XBoard(writer)


if __name__ == "__main__":
    sys.exit(main())
