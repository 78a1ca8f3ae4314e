"""What one game is, as data (`declaration`), and what of it the kernels see (`traits`, a numba type without data).

A trait names a mechanism, never a game, and left out has its value in FIDE chess. Name, source, start position and values are
not part of what the kernels see, so games that differ in these alone share machine code.
"""

from engine.rules.declaration import START, Rules
from engine.rules.numba_type import RulesType
from engine.rules.pieces import FIDE_PIECES, Pawn, Piece, Worth
from engine.rules.traits import Traits
from engine.rules.words import BLACK, CASTLING, CLOCK, EP, KEY, MARKS, MAX_TYPES, PLY, ROYAL, TURN, TYPES, WHITE

__all__ = [
    "BLACK", "CASTLING", "CLOCK", "EP", "FIDE_PIECES", "KEY", "MARKS", "MAX_TYPES", "PLY", "ROYAL", "START", "TURN", "TYPES",
    "WHITE", "Pawn", "Piece", "Rules", "RulesType", "Traits", "Worth",
]
