"""Which traits exclude each other, as a table: a game that contradicts itself is refused where it is declared."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from engine.errors import RulesError
from engine.rules.declared import Declared
from engine.rules.words import MARKS_OF_A_SIDE, TYPES_IN_HAND

if TYPE_CHECKING:
    from engine.rules.traits import Traits

WORDS = {"one_king": "one leaping royal type", "king": "one leaping royal type",
         "winding": "pieces that wind, hop or capture otherwise than they move"}


def refuse_contradictions(traits: Traits) -> None:
    """Raises RulesError for the first contradiction."""
    forbids, king = traits.mate_forbidden, traits.king
    odd_kings = traits.captures_explode or bool(traits.succession) or traits.titles or traits.driven_king
    for wrong, text in (
        (traits.castling and (king is None or traits.rooks is None),
         "castling needs a leaping royal type and castling_partner"),
        (traits.winding and (traits.captures_explode or traits.driven_king or bool(forbids)
                             or (traits.captures_forced and bool(traits.royals))),
         "pieces that wind, hop or capture otherwise than they move go with no rule that looks at checks in its own way"),
        (traits.captures_explode and not traits.one_king, "captures_explode needs one leaping royal type"),
        (not traits.touching_kings_check and not traits.captures_explode,
         "touching_kings_check=False needs captures_explode: else a king could take the other"),
        (not traits.royals and not traits.titles and traits.stalemate == "draw" and traits.goal is None
         and not traits.extinction, "no royal piece: nothing to win or lose"),
        (traits.stalemate not in ("draw", "loss", "win"), f"stalemate {traits.stalemate!r} is none of draw, loss, win"),
        (traits.goal is not None and odd_kings,
         "goal goes with none of captures_explode, succession, titles and driven_king"),
        (traits.goal is not None and not traits.goal_words, "goal needs goal_types where no type is royal"),
        (bool(traits.extinction) and odd_kings,
         "extinction goes with none of captures_explode, succession, titles and driven_king"),
        (traits.several_kings and (traits.castling or traits.driven_king or traits.kingless or traits.captures_explode
                                   or traits.drops or traits.captures_forced or bool(traits.succession)),
         "several_kings goes with no other rule about kings"),
        (len(traits.royals) > 1 and traits.drops, "drops need one royal type"),
        (traits.captures_forced and bool(traits.royals) and not traits.one_king,
         "captures_forced needs one leaping royal type, or none"),
        (traits.repetitions not in (0, 3), f"repetitions {traits.repetitions} are neither 3 nor 0, for never"),
        (traits.progress_limit < 0, f"progress_limit {traits.progress_limit} is negative"),
        (traits.goal_answered and (traits.goal is None or not traits.one_king), "goal_answered needs a goal and one king"),
        (traits.kingless and not (traits.one_king and traits.royal_safety and not traits.captures_explode
                                  and not traits.driven_king and not traits.mate_series and not traits.bare_king_draws),
         "kingless needs check, one leaping royal type and no rule about two kings"),
        (traits.captures_forced and (traits.titles or traits.driven_king or bool(traits.succession) or traits.kingless
                                     or bool(traits.mate_forbidden) or traits.captures_explode),
         "captures_forced goes with no other rule about which moves there are"),
        (traits.drops and (traits.titles or bool(traits.mate_series) or traits.captures_explode or bool(traits.succession)
                           or traits.driven_king or traits.captures_forced or traits.kingless or not traits.one_king),
         "drops need one leaping royal type and no rule that keeps marks or changes captures"),
        (traits.drops and len(traits.type_words) > TYPES_IN_HAND, f"drops: at most {TYPES_IN_HAND} types can be in hand"),
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
        (any(mover.slides or mover.winding for mover in forbids), "mate_forbidden takes leapers only"),
        (forbids and (traits.driven_king or traits.captures_explode or traits.drops or traits.kingless),
         "mate_forbidden goes with none of driven_king, captures_explode, drops and kingless"),
        (king is not None and traits.pawn is not None and king.index in traits.pawn.promotions,
         "a pawn promotes to the only royal piece"),
    ):
        if wrong:
            raise RulesError(f"contradictory traits: {text}")
    _refuse_unmet(traits)


def _refuse_unmet(traits: Traits) -> None:
    """What traits say themselves that they need and exclude. Raises RulesError."""
    for each in fields(Declared):
        if traits.declared[each.name]:
            for other in each.metadata.get("needs", ()):
                if not getattr(traits, other):
                    raise RulesError(f"contradictory traits: {each.name} needs {WORDS.get(other, other)}")
            for other in each.metadata.get("excludes", ()):
                if getattr(traits, other):
                    raise RulesError(f"contradictory traits: {each.name} does not go with {WORDS.get(other, other)}")
