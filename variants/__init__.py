"""The games: one module each, found by name. Importing this package imports none of them."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import OptionError

if TYPE_CHECKING:
    from engine.rules import Rules

FOLDER = Path(__file__).parent
CHESS960 = ("chess960", "fischerandom", "fischerrandom", "frc", "960")
ALIASES = {
    **dict.fromkeys(("normal", "standard", "orthodox", "fide", "classical", "regular", "fromposition", *CHESS960), "chess"),
    **dict.fromkeys(("iccatomic", "atomicnocheck", "nocheckblast"), "nocheckatomic"),
}


def names() -> list[str]:
    """All variant names, orthodox chess first."""
    found = [file[:-3].replace("_", "-") for file in os.listdir(__path__[0])  # noqa: PTH208 - pathlib takes longer to import
             if file[-3:] == ".py" and file[0] != "_"]
    return sorted(found, key=lambda name: (name != "chess", name))


def plain(name: str) -> str:
    """A name as the aliases have it: small letters without blanks, `-` and `_`."""
    return "".join(name.lower().replace("-", " ").replace("_", " ").split())


def resolve(name: str) -> str:
    """The variant's own name for a name or alias, however it is spaced. Raises OptionError naming it and what there is."""
    wanted = plain(name)
    own = {plain(each): each for each in names()}
    wanted = ALIASES.get(wanted, wanted)
    if wanted not in own:
        shown = ascii(name if len(name) <= 60 else name[:60] + "...")
        raise OptionError(f"unknown variant {shown}: there are {', '.join(own.values())}")
    return own[wanted]


def find(name: str) -> Rules:
    """The rules of a variant by name or alias. Raises OptionError."""
    rules: Rules = importlib.import_module(f"variants.{resolve(name).replace('-', '_')}").RULES
    return rules


def register_boards() -> None:
    """Make every variant's Board known to python-chess: chess.variant.find_variant, chess.pgn with a Variant header."""
    for name in names():
        find(name)
