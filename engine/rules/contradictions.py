"""Which traits exclude each other, as a table: a game that contradicts itself is refused where it is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import RulesError
from engine.rules.words import MARKS_OF_A_SIDE

if TYPE_CHECKING:
    from engine.rules.traits import Traits


def refuse_contradictions(traits: Traits) -> None:
    """Raises RulesError for the first contradiction."""
    forbids, king = traits.mate_forbidden, traits.king
    for wrong, text in (
        (traits.castling and (king is None or traits.rook is None), "castling needs one leaping royal type and R"),
        (traits.captures_explode and not traits.one_king, "captures_explode needs one leaping royal type"),
        (not traits.touching_kings_check and not traits.captures_explode,
         "touching_kings_check=False needs captures_explode: else a king could take the other"),
        (not traits.royals and not traits.titles, "no royal piece: nothing to win or lose"),
        (traits.wary_royals != traits.titles, "title_order and wary_royals need each other so far"),
        (traits.succession and (traits.royal_safety or not traits.one_king or traits.captures_explode),
         "succession needs royal_safety=False, one leaping royal type and captures that do not explode"),
        (traits.driven_king and not (traits.royal_safety and traits.one_king and not traits.captures_explode),
         "driven_king needs one leaping royal type that must be safe, and captures that do not explode"),
        ((forbids or traits.mate_series) and not (traits.royal_safety and traits.one_king),
         "mate_series and mate_forbidden need check and one leaping royal type"),
        (not 0 <= traits.checks_to_win <= MARKS_OF_A_SIDE, f"checks_to_win is from 0 to {MARKS_OF_A_SIDE}"),
        (traits.checks_to_win and not (traits.royal_safety and traits.one_king and not traits.mate_series),
         "checks_to_win needs check, one leaping royal type and no mate_series"),
        (any(mover.slides for mover in forbids), "mate_forbidden takes leapers only"),
        (forbids and (traits.driven_king or traits.captures_explode),
         "mate_forbidden goes with neither driven_king nor captures_explode"),
        (king is not None and traits.pawn is not None and king.index in traits.pawn.promotions,
         "a pawn promotes to the only royal piece"),
    ):
        if wrong:
            raise RulesError(f"contradictory traits: {text}")
