"""Positions and moves as text."""

from engine.core.legality import legal_moves
from engine.core.position import Position
from engine.text.fen import board_text, letter_at, parse_fen, start_position, to_fen
from engine.text.moves import MoveParts, move_parts, move_text, parse_move

__all__ = [
    "MoveParts", "Position", "board_text", "legal_moves", "letter_at", "move_parts", "move_text", "parse_fen", "parse_move",
    "start_position", "to_fen",
]
