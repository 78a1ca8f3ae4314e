"""Atomic chess as played on FICS and Lichess: captures explode, check counts unless the kings touch."""

from __future__ import annotations

import chess.variant

from engine.rules import Rules

RULES = Rules(
    name="atomic", source="https://lichess.org/variant/atomic", board=chess.variant.AtomicBoard,
    captures_explode=True, touching_kings_check=False)
