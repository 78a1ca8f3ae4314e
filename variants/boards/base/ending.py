"""How a game ends: reason and winner, from the game's own rules first; no draw needs a claim."""

from __future__ import annotations

import chess

End = tuple[str, chess.Color | None]  # reason and winner; a draw has no winner

TERMINATIONS = {
    "checkmate": chess.Termination.CHECKMATE,
    "stalemate": chess.Termination.STALEMATE,
    "repetition": chess.Termination.THREEFOLD_REPETITION,
    "50 moves": chess.Termination.FIFTY_MOVES,
}


class EndingBoard(chess.Board):
    """A chess.Board with a reason for every end of a game."""

    # Hooks of the mechanisms.

    def rule_end(self) -> End | None:
        """Reason and winner if a rule ends the game here, whatever moves there are."""
        return None

    def mate_verdict(self) -> End:
        """Reason and winner if the side to move is in check and has no legal move."""
        return "checkmate", not self.turn

    # What follows from them.

    def ending(self) -> End | None:
        """Reason and winner if the game is over."""
        end = self.rule_end()
        if end is not None:
            return end
        if not any(self.generate_legal_moves()):
            return self.mate_verdict() if self.is_check() else ("stalemate", None)
        if self.is_repetition(3):
            return "repetition", None
        return ("50 moves", None) if self.halfmove_clock >= 100 else None

    def end_reason(self) -> str | None:
        """Why the game is over: `checkmate`, `stalemate`, `repetition`, `50 moves` or the name of the game's own rule."""
        end = self.ending()
        return end[0] if end else None

    def outcome(self, *, claim_draw: bool = False) -> chess.Outcome | None:
        """The end in python-chess's words."""
        end = self.ending()
        if end is None:
            return None
        reason, winner = end
        if reason in TERMINATIONS:
            return chess.Outcome(TERMINATIONS[reason], winner)
        if winner is None:
            return chess.Outcome(chess.Termination.VARIANT_DRAW, None)
        won = winner == self.turn
        return chess.Outcome(chess.Termination.VARIANT_WIN if won else chess.Termination.VARIANT_LOSS, winner)

    def is_variant_end(self) -> bool:
        """Whether a rule has ended the game."""
        return self.rule_end() is not None

    def is_variant_win(self) -> bool:
        """Whether a rule has ended the game in favour of the side to move."""
        end = self.rule_end()
        return end is not None and end[1] == self.turn

    def is_variant_loss(self) -> bool:
        """Whether a rule has ended the game in favour of the other side."""
        end = self.rule_end()
        return end is not None and end[1] == (not self.turn)

    def is_variant_draw(self) -> bool:
        """Whether a rule has drawn the game, or a mate that only draws."""
        end = self.rule_end()
        if end is None and self.mate_verdict()[1] is None and self._is_mated():
            end = self.mate_verdict()
        return end is not None and end[1] is None

    def is_checkmate(self) -> bool:
        """Whether the side to move is mated and has lost by it."""
        return self.mate_verdict()[0] == "checkmate" and self._is_mated()

    def _is_mated(self) -> bool:
        return self.rule_end() is None and self.is_check() and not any(self.generate_legal_moves())

    def has_insufficient_material(self, color: chess.Color) -> bool:
        """Never: the dead positions of orthodox chess are playable here."""
        return False

    def is_repetition(self, count: int = 3) -> bool:
        """Whether the position has occurred `count` times."""
        # A position cannot come back in less than four plies: this spares the replay of the game.
        return self.halfmove_clock >= 4 * (count - 1) and super().is_repetition(count)
