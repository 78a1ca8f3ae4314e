"""Madness of Kings from the array of Legan's chess: the pawns of Diamond chess, with short promotion zones."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import chess
from chess import SquareSet

from engine.rules import Pawn
from variants import madness
from variants._common import register
from variants.madness import CornerPawnsBoard


@register
class MadnessLeganBoard(CornerPawnsBoard):
    """Pawns promote on the seven squares around the corner in front of them; elsewhere on the edge they stand still."""

    aliases = ["Madness of Kings (Legan)", "madness-legan", "madness_legan"]  # noqa: RUF012
    uci_variant = "madness-legan"
    xboard_variant = "madness-legan"
    starting_fen = "knbrp3/bqpp4/npp5/rp1p3P/p3P1PR/5PPN/4PPQB/3PRBNK w - - 0 1"
    zones: ClassVar = {
        chess.WHITE: SquareSet([chess.A5, chess.A6, chess.A7, chess.A8, chess.B8, chess.C8, chess.D8]).mask,
        chess.BLACK: SquareSet([chess.H4, chess.H3, chess.H2, chess.H1, chess.G1, chess.F1, chess.E1]).mask,
    }


RULES = replace(
    madness.RULES, name="madness-legan", board=MadnessLeganBoard,
    start_fen="knbrp3/bqpp4/npp5/rp1p3P/p3P1PR/5PPN/4PPQB/3PRBNK w - - 0 1",
    pawn=Pawn(step="flF", capture="flW", promotion_zone="a5a6a7a8b8c8d8", double_step_zone=""))
