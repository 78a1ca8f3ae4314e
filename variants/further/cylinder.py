"""Cylinder Chess: the a-file and the h-file touch."""

from __future__ import annotations

from engine.rules import Picture, Rules
from variants.chess import VALUES

RULES = Rules(name="cylinder", source="https://www.chessvariants.com/boardrules.dir/cylindrical.html", board="", wraps=True,
              values=VALUES, aliases=("cylindrical",),
              picture=Picture("3k4/8/7n/8/1B6/8/8/3K4 w - - 0 1", fill=(("a3a5c3c5d2d6e1e7f8g1h2h6", "reach"),)))
