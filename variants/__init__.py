"""The games: one module each, found by name. Importing this package imports none of them.

names() are the games that commands work through if no game is named; further/ has more, compiled only when played.

KINGMAKER_VARIANTS names further folders with such modules, separated as in PATH.
"""

from __future__ import annotations

import functools
import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import OptionError
from engine.notices import warn
from variants.further import ALIASES, GAMES, SINGLE

if TYPE_CHECKING:
    from engine.rules import Rules

FOLDER = Path(__file__).parent
__path__ = [*__path__, *filter(None, os.environ.get("KINGMAKER_VARIANTS", "").split(os.pathsep))]


def names() -> list[str]:
    """All variant names, orthodox chess first."""
    found = {file[:-3].replace("_", "-") for folder in __path__ if os.path.isdir(folder)  # noqa: PTH112 - pathlib is slower here
             for file in os.listdir(folder) if file[-3:] == ".py" and file[0] != "_"}  # noqa: PTH208
    return sorted(found, key=lambda name: (name != "chess", name))


def playable() -> list[str]:
    """The names of all games that can be played: names(), then the further ones, a single game before a family."""
    return [*names(), *GAMES]


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
    if wanted in own:
        return own[wanted]
    if wanted in ALIASES:
        return ALIASES[wanted]
    if wanted in aliases():
        return aliases()[wanted]
    shown = ascii(name if len(name) <= 60 else name[:60] + "...")
    raise OptionError(f"unknown variant {shown}: there are {', '.join(own.values())}")


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
    return _load(name if name in GAMES or name in names() else resolve(name))


def register_boards() -> None:
    """Make every variant's Board known to python-chess: chess.variant.find_variant, chess.pgn with a Variant header."""
    from variants.boards import register

    for rules in every():
        register(rules.board)
