"""Cylinder Chess: the a-file and the h-file touch."""

from __future__ import annotations

from engine.rules import Rules
from variants.chess import VALUES

RULES = Rules(name="cylinder", source="https://www.chessvariants.com/boardrules.dir/cylindrical.html", board="", wraps=True,
              values=VALUES)
