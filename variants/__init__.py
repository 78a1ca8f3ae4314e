"""The games: one module each, found by name. Importing this package imports none of them.

names() are the games that commands work through if no game is named; further/ has more, compiled only when played. Others come
from files of definitions (define(), KINGMAKER_DEFINITIONS) and from packages (the entry points kingmaker.variants).

KINGMAKER_VARIANTS names further folders with such modules, separated as in PATH.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import OptionError, RulesError
from engine.notices import warn
from variants.further import ALIASES, GAMES, SINGLE

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from engine.rules import Rules
    from variants.ini import Definition

DEFINITIONS = "KINGMAKER_DEFINITIONS"  # names files of definitions, separated as in PATH
GROUP = "kingmaker.variants"  # of entry points: each names a Rules, or a function that returns one

FURTHER = f"the {len(GAMES)} further games of docs/variants.md"

FOLDER = Path(__file__).parent
__path__ = [*__path__, *filter(None, os.environ.get("KINGMAKER_VARIANTS", "").split(os.pathsep))]


def names() -> list[str]:
    """All variant names, orthodox chess first."""
    found = {file[:-3].replace("_", "-") for folder in __path__ if os.path.isdir(folder)  # noqa: PTH112 - pathlib is slower here
             for file in os.listdir(folder) if file[-3:] == ".py" and file[0] != "_"}  # noqa: PTH208
    return sorted(found, key=lambda name: (name != "chess", name))


def playable() -> list[str]:
    """The names of all games that can be played: names(), the further ones, those of definitions, those of packages."""
    return list(dict.fromkeys([*names(), *GAMES, *_defined(), *_packaged()]))


def listed() -> str:
    """What a command says of the games that it knows."""
    return f"one of {', '.join(names())}, or a further game of docs/variants.md"


@functools.cache
def _defined() -> dict[str, Rules]:
    """The games of files of definitions; those of KINGMAKER_DEFINITIONS from the start."""
    found: dict[str, Rules] = {}
    for path in filter(None, os.environ.get(DEFINITIONS, "").split(os.pathsep)):
        try:
            for definition in _read(path):
                if definition.rules is None:
                    warn(f"{path}: {definition.name}: {definition.error}")
                else:
                    found[definition.name] = definition.rules
        except RulesError as error:
            warn(str(error))
    return found


def _read(path: str) -> list[Definition]:
    from dataclasses import replace  # a start need not wait for it

    from variants.ini import read_definitions

    found = read_definitions(path)
    taken = {plain(name) for name in [*names(), *GAMES]}
    return [replace(each, rules=None, error=f"line {each.line}: the name {each.name!r} is taken") if plain(each.name) in taken
            else each for each in found]


def define(path: str) -> list[Definition]:
    """Make the games of a file of definitions known; returns all its sections, those that are refused with the reason.

    Raises: RulesError if the file cannot be read.
    """
    found = _read(path)
    _defined().update((each.name, each.rules) for each in found if each.rules is not None)
    return found


@functools.cache
def _packaged() -> dict[str, EntryPoint]:
    """The games that installed packages add."""
    if not any(map(_has_games, filter(os.path.isdir, sys.path))):
        return {}
    from importlib.metadata import entry_points  # a tenth of a second that an engine's start should not cost

    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _has_games(folder: str) -> bool:
    """Whether a package of a folder of packages names our group."""
    for package in os.listdir(folder):  # noqa: PTH208
        if package.endswith((".dist-info", ".egg-info")):
            try:
                with open(f"{folder}/{package}/entry_points.txt", encoding="utf-8") as file:  # noqa: PTH123
                    if f"[{GROUP}]" in file.read():
                        return True
            except OSError:
                continue
    return False


def plain(name: str) -> str:
    """A name as it is compared: small letters without blanks, `-` and `_`."""
    return "".join(name.lower().replace("-", " ").replace("_", " ").split())


@functools.cache
def every() -> tuple[Rules, ...]:
    """The rules of all variants, orthodox chess first; a file that declares no game is left out, with a warning."""
    found = []
    for name in names():
        try:
            found.append(_load(name))
        except OptionError as error:
            warn(str(error))
    return tuple(found)


@functools.cache
def aliases() -> dict[str, str]:
    """The variant behind each alias, in plain form. Imports all games."""
    return {plain(alias): rules.name for rules in every()
            for alias in (rules.xboard.name, *rules.aliases, *rules.chess960_aliases) if alias}


def resolve(name: str) -> str:
    """The variant's own name for a name or alias, however it is spaced. Raises OptionError naming it and what there is."""
    wanted = plain(name)
    own = {plain(each): each for each in names()}
    own.update((plain(each), each) for each in GAMES)
    if wanted not in own:
        own.update((plain(each), each) for each in [*_defined(), *_packaged()])
    if wanted in own:
        return own[wanted]
    if wanted in ALIASES:
        return ALIASES[wanted]
    if wanted in aliases():
        return aliases()[wanted]
    shown = ascii(name if len(name) <= 60 else name[:60] + "...")
    listed = ", ".join(each for each in own.values() if each not in GAMES)
    raise OptionError(f"unknown variant {shown}; known are {listed} and {FURTHER}")


def is_chess960(name: str) -> bool:
    """Whether a name or alias also switches Chess960 on."""
    wanted = plain(name)
    return wanted in aliases() and wanted in map(plain, find(aliases()[wanted]).chess960_aliases)


@functools.cache
def _load(name: str) -> Rules:
    try:
        if name in GAMES:
            module = importlib.import_module(f"variants.further.{GAMES[name]}")
            rules: Rules = module.RULES if name in SINGLE else module.rules_of(name)
        elif name not in names() and name in _packaged():
            loaded = _packaged()[name].load()
            rules = loaded() if callable(loaded) else loaded
        else:
            rules = importlib.import_module(f"variants.{name.replace('-', '_')}").RULES
    except Exception as error:  # a file of the user's can raise anything
        why = " ".join(str(error).split()) or type(error).__name__
        raise OptionError(f"the file of {name} declares no game: {why}") from error
    if rules.name != name:
        raise OptionError(f"the file of {name} declares {rules.name!r}: its name must be that of the file")
    return rules


def find(name: str) -> Rules:
    """The rules of a variant by name or alias. Raises OptionError."""
    if name not in GAMES and name not in names():
        name = resolve(name)
    defined = {} if name in GAMES else _defined()
    return defined[name] if name in defined else _load(name)


def register_board(name: str) -> None:
    """Make a game's Board known to python-chess: chess.variant.find_variant, chess.pgn with a Variant header.

    Raises: OptionError if there is no such game.
    """
    from variants.boards import register

    register(find(name).board)


def register_boards() -> None:
    """Make the Boards of all games known to python-chess, as register_board() does for one.

    A game that cannot be loaded is left out, with a warning.
    """
    for name in playable():
        try:
            register_board(name)
        except OptionError as error:
            warn(str(error))
