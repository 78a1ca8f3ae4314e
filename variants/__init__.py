"""The games: one module each, found by name. Importing this package imports none of them."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

from engine.errors import OptionError

if TYPE_CHECKING:
    from engine.rules import Rules

ALIASES = {"normal": "chess", "standard": "chess", "chess960": "chess", "fischerandom": "chess", "icc-atomic": "nocheckatomic"}


def names() -> list[str]:
    """All variant names, orthodox chess first."""
    found = [file[:-3].replace("_", "-") for file in os.listdir(__path__[0])  # noqa: PTH208 - pathlib takes longer to import
             if file[-3:] == ".py" and file[0] != "_"]
    return sorted(found, key=lambda name: (name != "chess", name))


def resolve(name: str) -> str:
    """The variant's own name for a name or alias. Raises OptionError naming what is unknown and what there is."""
    wanted = name.strip().lower()
    wanted = ALIASES.get(wanted, wanted)
    if wanted not in names():
        raise OptionError(f"unknown variant {name!r}: there are {', '.join(names())}")
    return wanted


def find(name: str) -> Rules:
    """The rules of a variant by name or alias. Raises OptionError."""
    rules: Rules = importlib.import_module(f"variants.{resolve(name).replace('-', '_')}").RULES
    return rules


def register_boards() -> None:
    """Make every variant's Board known to python-chess: chess.variant.find_variant, chess.pgn with a Variant header."""
    for name in names():
        find(name)
