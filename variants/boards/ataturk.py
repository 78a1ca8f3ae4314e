"""Ataturk Chess, by Ralph Betza, 2003: on a turn a side may name another piece its king instead of moving."""

from __future__ import annotations

from variants.boards.mechanisms.rotating_title import RotatingTitle


class AtaturkBoard(RotatingTitle):
    """The king is an ordinary piece that begins with the title.

    >>> board = AtaturkBoard()
    >>> board.push_san("Qd1++")
    NamingMove.from_uci('K@d1')
    >>> board.fen()
    'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 1 1 d1e1/e8'
    """

    aliases = ["Ataturk", "Ataturk Chess", "Atatürk Chess"]  # noqa: RUF012
    uci_variant = "ataturk"
    xboard_variant = "ataturk"
    starting_fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 e1/e8"
