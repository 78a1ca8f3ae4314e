"""Shatar, the chess of Mongolia. Source: the rules sheet after Bodlaender's page."""

from __future__ import annotations

from typing import ClassVar

import chess

from variants.boards.mechanisms.bare_king import BareKingDraws
from variants.boards.mechanisms.berse import Berse
from variants.boards.mechanisms.mates import MateSeries, NoKnightMates
from variants.boards.mechanisms.opening import ObligatoryOpening
from variants.boards.mechanisms.plain_pawns import PlainPawns

ARRAY = "rnbjkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBJKBNR"
AFTER_D4 = "rnbjkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBJKBNR"


class ShatarBoard(ObligatoryOpening, NoKnightMates, MateSeries, BareKingDraws, PlainPawns, Berse):
    """A check by a berse, rook or knight is a shak, by a bishop a tuk, by a pawn a zod."""

    aliases = ["Shatar", "Mongolian chess"]  # noqa: RUF012
    uci_variant = "shatar"
    xboard_variant = "shatar"
    starting_fen = f"{ARRAY} w - - 0 1 -"
    castles = False
    opening: ClassVar = {(ARRAY, chess.WHITE): chess.Move(chess.D2, chess.D4),
                         (AFTER_D4, chess.BLACK): chess.Move(chess.D7, chess.D5)}
    double_steps_from = chess.BB_D2 | chess.BB_D7
    shak_givers = (chess.QUEEN, chess.ROOK, chess.KNIGHT)
