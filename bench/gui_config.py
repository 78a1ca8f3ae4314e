"""`kingmaker gui-config`: what makes XBoard, Cute Chess or PyChess know the engine, printed or written for them."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import variants
from bench.xboard import HOME, switches
from engine.errors import CommandError

NAME = "Kingmaker"
CUTE_CHESS_GAMES = ["standard", "fischerandom", "atomic"]  # those of ours that it knows


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("gui", choices=sorted(GUIS), help="the program")
    parser.add_argument("--write", nargs="?", const="", metavar="PATH", help="write instead of printing: for xboard a settings "
                        f"file per game into a folder (default: {FOLDER}), else our entry into the list of engines at PATH "
                        "(default: where the program keeps it), all others kept")


def run(args: Namespace) -> int:
    printed, write = GUIS[args.gui]
    if args.write is None:
        print(printed())
        return 0
    for line in write(args.write):
        print(line)
    return 0


def engine_command() -> list[str]:
    """How to start the engine from anywhere: the installed program, else this interpreter."""
    beside = Path(sys.executable).with_name("kingmaker")
    found = str(beside) if beside.exists() else shutil.which("kingmaker")
    return [found] if found else [sys.executable, "-m", "engine"]


# XBoard

FOLDER = Path("~/.config/kingmaker/xboard")


def xboard_lines() -> str:
    """Lines for XBoard's list of engines, one per game."""
    rows = "\n".join(" ".join([_quoted(f"{NAME} {name}"), "-fcp", *_start(name)]) for name in variants.names())
    return ("Lines for XBoard's Engine > Edit Engine List; a game chosen there brings all it needs:\n\n"
            f"{rows}\n\n`kingmaker xboard VARIANT` starts XBoard in that way; `kingmaker gui-config xboard --write` makes "
            "files for `xboard @FILE`.")


def _start(variant: str) -> list[str]:
    return [_quoted(shlex.join(engine_command())), "-fd", _quoted(str(HOME)), *map(_quoted, switches(variant))]


def _quoted(word: str) -> str:
    """A word as XBoard reads it in its files: quotes where there are blanks or nothing."""
    return f'"{word}"' if not word or any(letter in word for letter in " ;'") else word


def write_xboard(path: str) -> list[str]:
    """A settings file for each game. Raises CommandError."""
    folder = Path(path or FOLDER).expanduser()
    said = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in variants.names():
            words = _start(name)
            file = folder / f"{name}.xboard"
            second = [words[0], "-sd", words[2]]
            lines = [f"-fcp {words[0]}", f"-fd {words[2]}", f"-scp {second[0]}", f"-sd {second[2]}", *_pairs(words[3:])]
            file.write_text("\n".join([f"; {NAME}: xboard @{file}", *lines, ""]), encoding="utf-8")
            said.append(f"xboard @{shlex.quote(str(file))}")
    except OSError as error:
        raise CommandError(f"cannot write into {folder}: {error.strerror}") from error
    return said


def _pairs(words: list[str]) -> list[str]:
    """Switches with their values, a line each."""
    rows: list[str] = []
    for word in words:
        if word.startswith("-"):
            rows.append(word)
        else:
            rows[-1] += f" {word}"
    return rows


# Programs with a list of engines in JSON


def cutechess() -> dict[str, Any]:
    """Our entry in Cute Chess's list. Source: EngineConfiguration in its sources."""
    return {"name": NAME, "command": shlex.join(engine_command()), "workingDirectory": _folder(), "protocol": "uci",
            "stderrFile": "", "variants": CUTE_CHESS_GAMES}


def pychess() -> dict[str, Any]:
    """Our entry in PyChess's list; `recheck` makes it ask the engine for its options. Source: engineNest in its sources."""
    command = engine_command()
    entry: dict[str, Any] = {"name": NAME, "command": command[0], "protocol": "uci", "analyze": True, "recheck": True,
                             "country": "unknown", "comment": "", "level": 20}
    if len(command) > 1:
        entry |= {"args": command[1:], "workingDirectory": _folder()}
    return entry


def _folder() -> str:
    """Where it must be started; nowhere special when it is installed."""
    return str(HOME) if len(engine_command()) > 1 else ""


def _writer(entry: Callable[[], dict[str, Any]], where: str) -> Callable[[str], list[str]]:
    def write(path: str) -> list[str]:
        file = Path(path or where).expanduser()
        try:
            known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
        except (OSError, ValueError) as error:
            raise CommandError(f"cannot read {file}: {error}") from error
        if not isinstance(known, list) or not all(isinstance(one, dict) for one in known):
            raise CommandError(f"{file} is no list of engines")
        kept = [one for one in known if one.get("name") != NAME]
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            fresh = file.with_name(f"{file.name}.new")  # never half a list
            fresh.write_text(json.dumps([*kept, entry()], indent=4) + "\n", encoding="utf-8")
            fresh.replace(file)
        except OSError as error:
            raise CommandError(f"cannot write {file}: {error.strerror}") from error
        return [f"{file}: {len(kept)} engines kept, {NAME} {'replaced' if len(kept) < len(known) else 'added'}"]

    return write


CUTE_CHESS, PYCHESS = "~/.config/cutechess.com/engines.json", "~/.config/pychess/engines.json"
GUIS: dict[str, tuple[Callable[[], str], Callable[[str], list[str]]]] = {
    "xboard": (xboard_lines, write_xboard),
    "cutechess": (lambda: json.dumps([cutechess()], indent=4), _writer(cutechess, CUTE_CHESS)),
    "pychess": (lambda: json.dumps([pychess()], indent=4), _writer(pychess, PYCHESS)),
}
