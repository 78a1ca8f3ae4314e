"""Madness of Kings, from three arrays. Source: the rules sheet after the inventor, A.-R. Sibahi."""

from __future__ import annotations

from typing import ClassVar

import chess

from variants.boards.mechanisms.corner_pawns import CornerPawns
from variants.boards.mechanisms.driven_king import DrivenKing


class MadnessBoard(CornerPawns, DrivenKing):
    """Madness of Kings from the array of Diamond chess; pawns promote all along the two far edges."""

    aliases = ["Madness of Kings", "madness", "madness-diamond"]  # noqa: RUF012
    uci_variant = "madness"
    xboard_variant = "madness"
    starting_fen = "krbp4/rqnp4/nbpp4/pppp4/4PPPP/4PPBN/4PNQR/4PBRK w - - 0 1"
    zones: ClassVar = {
        chess.WHITE: chess.BB_FILE_A | chess.BB_RANK_8,
        chess.BLACK: chess.BB_FILE_H | chess.BB_RANK_1,
    }


class MadnessLeganBoard(CornerPawns, DrivenKing):
    """Pawns promote on the seven squares around the corner ahead of them; elsewhere on the edge they cannot move."""

    aliases = ["Madness of Kings (Legan)", "madness-legan", "madness_legan"]  # noqa: RUF012
    uci_variant = "madness-legan"
    xboard_variant = "madness-legan"
    starting_fen = "knbrp3/bqpp4/npp5/rp1p3P/p3P1PR/5PPN/4PPQB/3PRBNK w - - 0 1"
    zones: ClassVar = {
        chess.WHITE: chess.SquareSet([chess.A5, chess.A6, chess.A7, chess.A8, chess.B8, chess.C8, chess.D8]).mask,
        chess.BLACK: chess.SquareSet([chess.H4, chess.H3, chess.H2, chess.H1, chess.G1, chess.F1, chess.E1]).mask,
    }


class MadnessFideBoard(DrivenKing):
    """Orthodox array and pawns."""

    aliases = ["Madness of Kings (FIDE)", "madness-fide", "madness_fide"]  # noqa: RUF012
    uci_variant = "madness-fide"
    xboard_variant = "madness-fide"
    starting_fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"
