"""The Board of a game that names none: that of its mechanism, from the game's own start position, or one of the declaration."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import chess
import chess.variant

from engine.errors import RulesError
from engine.rules import Rules
from engine.rules.declared import Declared
from variants.boards.base.pickling import MadeBoard
from variants.boards.declared import declared_board
from variants.boards.mechanisms.driven_king import DrivenKing
from variants.boards.mechanisms.rotating_title import RotatingTitle
from variants.boards.mechanisms.succession import Succession
from variants.boards.nocheckatomic import NoCheckAtomicBoard

THREE = 3  # checks that win, as python-chess has it


class FromArray(MadeBoard):
    """Begins from the game's own start position; chess.Board knows only the orthodox one."""

    starting_fen: str

    def __init__(self, fen: str | None = "startpos", *, chess960: bool = False) -> None:
        super().__init__(self.starting_fen if fen == "startpos" else fen, chess960=chess960)  # type: ignore[call-arg]

    def reset(self) -> None:
        """Back to the start position."""
        self.set_fen(self.starting_fen)  # type: ignore[attr-defined]


def board_of(rules: Rules) -> type[chess.Board]:
    """A Board class for these rules.

    Raises: RulesError for rules that neither has: the game's file must name its Board.
    """
    if rules.mate_series or rules.mate_forbidden or rules.opening:
        raise RulesError(f"{rules.name}: no Board knows these rules; name one, board='module.Class'")
    facts: dict[str, Any] = {
        "uci_variant": rules.name, "xboard_variant": rules.xboard.name or rules.name, "starting_fen": rules.start_fen,
        "aliases": [rules.name, *rules.aliases], "__doc__": f"The Board of {rules.name}.", "__module__": __name__}
    if _is_unlike(rules):
        facts.pop("starting_fen")
        return declared_board(rules, **facts)
    base = _mechanism(rules)
    if base is RotatingTitle:
        facts["king_is_royal"] = any(piece.royal for piece in rules.pieces)
    return type(f"{rules.name.title().replace('-', '')}Board", (FromArray, base), facts)


def _is_unlike(rules: Rules) -> bool:
    """Whether the game has rules beyond orthodox chess other than those of one mechanism."""
    plain = Rules(name="plain", source="")
    of_mechanisms = {"checks_to_win", "title_order", "wary_royals", "driven_king", "castling", "succession", "royal_safety",
                     "captures_explode", "touching_kings_check"}
    odd = [trait.name for trait in fields(Declared) if trait.name not in of_mechanisms
           and getattr(rules, trait.name) != getattr(plain, trait.name)]
    castles = rules.castling or rules.driven_king
    kings_are_taken = not (rules.royal_safety or rules.succession or rules.captures_explode)
    return bool(odd) or not castles or kings_are_taken or rules.checks_to_win not in (0, THREE) or (
        rules.driven_king not in (False, True) or " " in rules.title_order + rules.succession)


def _mechanism(rules: Rules) -> type[chess.Board]:
    if rules.checks_to_win:
        return chess.variant.ThreeCheckBoard
    if rules.title_order:
        return RotatingTitle
    if rules.driven_king:
        return DrivenKing
    if rules.succession:
        return Succession
    if rules.captures_explode:
        return chess.variant.AtomicBoard if rules.royal_safety else NoCheckAtomicBoard
    return chess.Board
