"""The Board of a game that names none: the one of its mechanism, from the game's own start position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chess
import chess.variant

from engine.errors import RulesError
from engine.rules import FIDE_PIECES, Pawn
from variants.boards.ascending import AscendingBoard
from variants.boards.ataturk import AtaturkBoard
from variants.boards.madness import MadKingsBoard
from variants.boards.nocheckatomic import NoCheckAtomicBoard
from variants.boards.warmspit import WarmSpitBoard

if TYPE_CHECKING:
    from engine.rules import Rules


class FromArray:
    """Begins from the game's own start position; chess.Board knows the orthodox one only."""

    starting_fen: str

    def __init__(self, fen: str | None = "startpos", *, chess960: bool = False) -> None:
        super().__init__(self.starting_fen if fen == "startpos" else fen, chess960=chess960)  # type: ignore[call-arg]

    def reset(self) -> None:
        """Back to the start position."""
        self.set_fen(self.starting_fen)  # type: ignore[attr-defined]


def board_of(rules: Rules) -> type[chess.Board]:
    """A Board class for these rules.

    Raises: RulesError if no mechanism has one, as for pieces that orthodox chess lacks: the game's file must name its Board.
    """
    moves = [(piece.letter, piece.betza) for piece in rules.pieces]
    unlike = moves != [(piece.letter, piece.betza) for piece in FIDE_PIECES] or rules.pawn != Pawn()
    if unlike or rules.mate_series or rules.mate_forbidden or rules.bare_king_draws or rules.opening:
        raise RulesError(f"{rules.name}: no Board knows these rules; name one, board='module.Class'")
    facts: dict[str, Any] = {
        "uci_variant": rules.name, "xboard_variant": rules.xboard.name or rules.name, "starting_fen": rules.start_fen,
        "aliases": [rules.name, *rules.aliases], "__doc__": f"The Board of {rules.name}.", "__module__": __name__}
    return type(f"{rules.name.title().replace('-', '')}Board", (FromArray, _mechanism(rules)), facts)


def _mechanism(rules: Rules) -> type[chess.Board]:
    if rules.title_order:
        return WarmSpitBoard if any(piece.royal for piece in rules.pieces) else AtaturkBoard
    if rules.driven_king:
        return MadKingsBoard
    if rules.succession:
        return AscendingBoard
    if rules.captures_explode:
        return chess.variant.AtomicBoard if rules.royal_safety else NoCheckAtomicBoard
    return chess.Board
