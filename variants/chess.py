"""Orthodox chess, with Chess960: the yardstick. Source: FIDE Laws of Chess; castling by its chess960 form."""

from __future__ import annotations

import chess

from engine.rules import Rules

RULES = Rules(name="chess", source="https://handbook.fide.com/chapter/E012023", board=chess.Board, material_draws=True)
