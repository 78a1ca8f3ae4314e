"""What one game is, as data (`declaration`), and what the kernels see of it (`traits`; `numba_type`, a type without data).

A trait names a mechanism, never a game, and left out has its value in FIDE chess. Name, source, start position and values are
not part of what the kernels see, so games that differ in these alone share machine code.
"""

from engine.rules.declaration import START, Rules
from engine.rules.facts import LOOSE_KING, ORTHODOX, Face, Picture, SpeedCase, WinModel
from engine.rules.pieces import FIDE_PIECES, Pawn, Piece, Worth
from engine.rules.traits import Traits
from engine.rules.words import BLACK, CASTLING, CLOCK, EP, KEY, MARKS, MAX_TYPES, PLY, ROYAL, TURN, TYPES, WHITE

__all__ = [
    "BLACK", "CASTLING", "CLOCK", "EP", "FIDE_PIECES", "KEY", "LOOSE_KING", "MARKS", "MAX_TYPES", "ORTHODOX", "PLY", "ROYAL",
    "START", "TURN", "TYPES", "WHITE", "Face", "Pawn", "Picture", "Piece", "Rules", "SpeedCase", "Traits", "WinModel", "Worth",
]
