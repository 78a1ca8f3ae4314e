"""`kingmaker gui-config`: prints or writes the configuration that adds the engine to XBoard, Cute Chess or PyChess."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import variants
from bench.gui.xboard import switches
from bench.inputs import read_json
from bench.warm import warm_all
from engine.errors import CommandError
from engine.places import ROOT
from engine.rules import Rules

NAME = "Kingmaker"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the program and --write."""
    parser.add_argument("gui", choices=sorted(GUIS), help="the program")
    parser.add_argument("--write", nargs="?", const="", metavar="PATH", help="write instead of printing: for xboard a settings "
                        "file per game into a folder (default: ~/.config/kingmaker/xboard); else an entry into the list of "
                        "engines at PATH (default: the program's own), and compile its games; other entries stay")


def run(args: Namespace) -> int:
    """Exit status: 0."""
    gui = GUIS[args.gui]
    if args.write is None:
        print(gui.printed())
        return 0
    for line in gui.write(args.write):
        print(line, flush=True)
    if games := gui.games():
        warm_all(games)
    return 0


def engine_command() -> list[str]:
    """The command that starts the engine from any folder: the installed program, else this interpreter."""
    beside = str(Path(sys.executable).parent)
    found = shutil.which("kingmaker", path=beside) or shutil.which("kingmaker")
    return [str(Path(found).absolute())] if found else [sys.executable, "-m", "engine"]


def config_home() -> Path:
    """The folder of users' settings. Source: XDG Base Directory Specification."""
    given = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    return given if given.is_absolute() else Path("~/.config").expanduser()


# XBoard


def xboard_folder() -> Path:
    """The folder for our settings files; XBoard has none."""
    return config_home() / "kingmaker" / "xboard"


def xboard_lines() -> str:
    """Lines for XBoard's list of engines, one per game."""
    rows = "\n".join(" ".join([_quoted(f"{NAME} {name}"), "-fcp", *_start(name)]) for name in variants.names())
    return ("Lines for XBoard's Engine > Edit Engine List; each brings the switches that its game needs:\n\n"
            f"{rows}\n\n`kingmaker xboard VARIANT` starts XBoard with these switches; `kingmaker gui-config xboard --write` "
            "writes files for `xboard @FILE`.")


def _start(variant: str) -> list[str]:
    # The last word must not need quotes: XBoard would add an empty word.
    return [_quoted(shlex.join([*engine_command(), "xboard"])), "-fd", _quoted(str(ROOT)), *map(_quoted, switches(variant))]


def _quoted(word: str) -> str:
    """A word for XBoard's files: in quotes if it is empty or has blanks."""
    return f'"{word}"' if not word or any(letter in word for letter in " ;'") else word


def write_xboard(path: str) -> list[str]:
    """Write a settings file for each game; returns commands that use them. Raises CommandError."""
    folder = Path(path or xboard_folder()).expanduser()
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
    """Switches with their values, one per line."""
    rows: list[str] = []
    for word in words:
        if word.startswith("-"):
            rows.append(word)
        else:
            rows[-1] += f" {word}"
    return rows


# Programs with a list of engines in JSON


def _known() -> list[Rules]:
    """Our games that Cute Chess knows. PyChess knows them, too."""
    return [rules for rules in variants.every() if rules.xboard.cute_chess]


def cutechess() -> dict[str, Any]:
    """Our entry in Cute Chess's list. Source: EngineConfiguration and EngineBuilder in its sources.

    `command` is the path of a program: since version 1.3 it is not split, and there is no place for arguments. The factor
    makes it wait 90 s for us to be ready, not 15: a game may have to be compiled. Raises CommandError if we are not
    installed as a program.
    """
    command = engine_command()
    if len(command) > 1:
        raise CommandError("Cute Chess starts programs without arguments, and `kingmaker` is not installed: "
                           "run `make setup` or `pip install .`")
    return {"name": NAME, "command": command[0], "workingDirectory": "", "protocol": "uci", "stderrFile": "",
            "variants": [name for rules in _known() for name in rules.xboard.cute_chess], "timeoutScaleFactor": 6}


def cutechess_file() -> Path:
    """The list of engines of Cute Chess and cutechess-cli, in all versions: next to their QSettings file.

    Qt names the folder after the organisation, "cutechess", on macOS after its domain, "cutechess.com".
    Source: configPath() in their sources; the documentation of QSettings.
    """
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", "~/AppData/Roaming")).expanduser() / "cutechess" / "engines.json"
    return config_home() / ("cutechess.com" if sys.platform == "darwin" else "cutechess") / "engines.json"


def pychess() -> dict[str, Any]:
    """Our entry in PyChess's list; `recheck` makes it ask the engine for its options. Source: engineNest in its sources."""
    command = engine_command()
    entry: dict[str, Any] = {"name": NAME, "command": command[0], "protocol": "uci", "analyze": True, "recheck": True,
                             "country": "unknown", "comment": "", "level": 20}
    if len(command) > 1:
        entry |= {"args": command[1:], "workingDirectory": str(ROOT)}
    return entry


def pychess_file() -> Path:
    """PyChess's list of engines, on all systems. Source: prefix.py in its sources."""
    return config_home() / "pychess" / "engines.json"


OWN_KEYS = ("command", "args", "workingDirectory", "protocol", "recheck", "variants")  # users may have changed the others


def _writer(entry: Callable[[], dict[str, Any]], where: Callable[[], Path]) -> Callable[[str], list[str]]:
    def write(path: str) -> list[str]:
        file = (Path(path).expanduser() if path else where()).resolve()
        ours = entry()
        known = read_json(file) if file.exists() else []
        if not isinstance(known, list) or not all(isinstance(one, dict) for one in known):
            raise CommandError(f"{file} is not a list of engines")
        kept = [one for one in known if one.get("name") != NAME]
        for old in known:
            if old.get("name") == NAME:
                ours |= {key: value for key, value in old.items() if key not in OWN_KEYS}
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            fresh = file.with_name(f"{file.name}.new")  # so that there is never half a list
            fresh.write_text(json.dumps([*kept, ours], indent=4) + "\n", encoding="utf-8")
            fresh.replace(file)
        except OSError as error:
            raise CommandError(f"cannot write {file}: {error.strerror}") from error
        return [f"{file}: {len(kept)} engines kept, {NAME} {'replaced' if len(kept) < len(known) else 'added'}"]

    return write


@dataclass(frozen=True)
class Gui:
    """What is printed for a program, and what writes it to a path, by default to the program's own."""

    printed: Callable[[], str]
    write: Callable[[str], list[str]]
    games: Callable[[], list[str]] = list  # to compile, because the program does not wait for that


def _known_names() -> list[str]:
    return [rules.name for rules in _known()]


GUIS = {
    "xboard": Gui(xboard_lines, write_xboard),
    "cutechess": Gui(lambda: json.dumps([cutechess()], indent=4), _writer(cutechess, cutechess_file), _known_names),
    "pychess": Gui(lambda: json.dumps([pychess()], indent=4), _writer(pychess, pychess_file), _known_names),
}
