"""An obligatory opening: from certain positions only one move may be played."""

from __future__ import annotations

from typing import ClassVar

import chess

from variants.boards.base.stateful import StatefulBoard


class ObligatoryOpening(StatefulBoard):
    """A Board whose first moves are fixed."""

    opening: ClassVar[dict[tuple[str, chess.Color], chess.Move]]
    """The move that must be played, by first field of the FEN and side to move."""

    def allows(self, move: chess.Move) -> bool:
        """Nothing else may be played in the opening."""
        return self._obligatory_move() in (None, move) and super().allows(move)

    def _obligatory_move(self) -> chess.Move | None:
        if ~self.occupied & chess.BB_BACKRANKS:
            return None  # an opening is over by then; nearly always this spares the comparison of texts
        return self.opening.get((self.board_fen(), self.turn))
