"""Warm Spit Chess, by Ralph Betza, 2003: beside the king, the holder of a rotating title is royal, the vice-king.

It is named after what John Nance Garner said the vice-presidency was worth.
"""

from __future__ import annotations

from variants.boards.mechanisms.rotating_title import RotatingTitle


class WarmSpitBoard(RotatingTitle):
    """Naming a vice-king is `K@a1` in UCI, `Ra1++` in SAN.

    >>> WarmSpitBoard().legal_moves.count()
    26
    """

    aliases = ["Warmspit", "Warm Spit", "Warm Spit Chess"]  # noqa: RUF012
    uci_variant = "warmspit"
    xboard_variant = "warmspit"
    starting_fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 d1/d8"
    king_is_royal = True
