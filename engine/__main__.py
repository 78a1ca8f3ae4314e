"""The command `kingmaker`: a protocol on a pipe, help at a terminal, and the tools of bench/."""

from __future__ import annotations

import os
import sys

from engine import __version__

ABOUT = f"Kingmaker {__version__}: a chess variant engine for games whose king is not what he used to be."
XBOARD_WORDS = ("xboard", "protover")
UCI_WORDS = ("uci", "isready", "setoption", "ucinewgame", "position", "go", "d", "stop", "help", "debug",
             "eval", "flip", "bench", "compiler", "ponderhit", "register")
RARELY = (50_000, 20, 20)  # garbage collections, which find nothing while modules are imported and take a tenth of the start


def usage() -> str:
    """The text of `kingmaker --help`."""
    import variants
    from bench import COMMANDS
    from engine.protocol.options import help_text

    width = max(map(len, [*COMMANDS, "xboard"])) + 2
    rows = {"uci": "speak UCI", **{name: command.help for name, command in COMMANDS.items()}}
    commands = "\n".join(f"  {name:<{width}}{text}" for name, text in rows.items())
    return (f"usage: kingmaker [--help] [--version] [COMMAND ...]\n\n{ABOUT}\n\n"
            "Without a command it waits for `uci` or `xboard` on standard input: add it to a GUI as an engine of either kind."
            f"\n\nvariants: {', '.join(variants.names())}\n\ncommands (`kingmaker COMMAND --help` tells more):\n{commands}\n\n"
            f"options of both protocols, default and range:\n{help_text()}")


def main(argv: list[str] | None = None) -> int:
    """Entry point of the console script; returns the exit status."""
    from bench.toplevel import guarded

    words = sys.argv[1:] if argv is None else argv
    return guarded("kingmaker", lambda: _run(words))


def _run(words: list[str]) -> int:
    if not words:
        if sys.stdin is not None and sys.stdin.isatty():
            print(f"{ABOUT}\n\nA GUI is what it wants to talk to; `kingmaker uci` lets you play one.\n\n{usage()}")
            return 0
        return serve()
    if words[0] in ("--version", "-V"):
        print(f"kingmaker {__version__}")
        return 0
    if words[0] in ("--help", "-h", "help") or (words[0] == "uci" and words[1:] in (["--help"], ["-h"])):
        print(usage())
        return 0
    if words[0] in ("uci", "xboard") and len(words) == 1:
        return serve(words[0])
    if words[0] == "uci":
        from engine.protocol.options import shown

        print(f"kingmaker uci: it takes no arguments, not {shown(words[1])}; options are set by `setoption`", file=sys.stderr)
        return 2
    from bench import COMMANDS

    if words[0] not in COMMANDS:
        from engine.protocol.options import shown, suggestion

        known = ["uci", "xboard", "--help", "--version", *COMMANDS]
        print(f"kingmaker: unknown command {shown(words[0])}{suggestion(words[0], known)}\n"
              f"`kingmaker --help` lists the commands", file=sys.stderr)
        return 2
    from bench.__main__ import main as run_command

    return int(run_command(words))


def serve(name: str | None = None) -> int:
    """Speak the protocol that is named, or that the first line asks for, until `quit` or the end of the input."""
    import gc
    import signal
    import warnings

    from engine.protocol.loop import first_word, open_stdio, read_lines

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # XBoard sends it whenever it wants to be heard
    warnings.simplefilter("ignore")  # XBoard reads stderr as if we had said it
    gc.set_threshold(*RARELY)
    stream, writer = open_stdio()
    lines = read_lines(stream)
    first = None
    while name is None:
        line = next(lines, None)
        word = first_word(line)[0] if isinstance(line, str) else ""
        if line is None or word == "quit":
            return 0
        if word in XBOARD_WORDS or word in UCI_WORDS:
            name, first = "xboard" if word in XBOARD_WORDS else "uci", line
        elif word or not isinstance(line, str):
            from engine.protocol.options import shown

            said = shown(word) if word else f"of {line} characters"
            writer.line(f"info string unknown command {said}: say uci or xboard first")
    if name == "uci":
        from engine.protocol.uci import Uci as Chosen
    else:
        from engine.protocol.xboard.commands import XBoard as Chosen  # type: ignore[assignment]
    protocol = Chosen(writer)
    if isinstance(first, str):
        protocol.handle(first)
    protocol.loop(lines)
    os._exit(0)  # a compilation in the worker thread would keep the interpreter alive


if __name__ == "__main__":
    sys.exit(main())
