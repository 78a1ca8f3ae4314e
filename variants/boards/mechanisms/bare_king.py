"""Robado: the game is drawn as soon as a side has nothing but its king."""

from __future__ import annotations

import chess

from variants.boards.base.ending import End
from variants.boards.base.stateful import StatefulBoard


class BareKingDraws(StatefulBoard):
    """A Board on which a bare king ends the game."""

    def rule_end(self) -> End | None:
        """A draw if a side has nothing but its king."""
        bare = any(not self.occupied_co[color] & ~self.kings for color in chess.COLORS)
        return ("robado", None) if bare else super().rule_end()
