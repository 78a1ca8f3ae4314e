"""The games in python-chess's lists: found by name, and their moves read from PGN."""

from __future__ import annotations

import re

import chess
import chess.pgn
import chess.variant

# chess.pgn does not know four forms of moves: a move of a berse, a promotion to one, a move after a naming, and a naming that
# says who is dismissed, `Qd1++(Ke1--)`. They go before the forms it knows. No move of another game looks like them, so the
# moves of other games are read as before.
_PIECE_MOVE = r"[NBRQKJ]?[a-h]?[1-8]?[-x]?[a-h][1-8](?:=?[nbrqkjNBRQKJ])?"
_EXTRA_MOVETEXT = (
    r"[NBRQK][a-h][1-8]\+\+\([NBRQK][a-h][1-8]--\)|"
    rf"K@[a-h][1-8],(?:{_PIECE_MOVE}|O-O(?:-O)?|0-0(?:-0)?)|J[a-h]?[1-8]?[-x]?[a-h][1-8]|(?:[a-h]x?)?[a-h][18]=?[jJ]"
)


def register(board: type[chess.Board]) -> None:
    """Make a Board known to chess.variant.find_variant, and its moves to chess.pgn. Harmless when repeated."""
    known = chess.variant.VARIANTS
    known[:] = [other for other in known if other.uci_variant != board.uci_variant] + [board]
    regex = chess.pgn.MOVETEXT_REGEX
    if not regex.pattern.startswith(_EXTRA_MOVETEXT):
        chess.pgn.MOVETEXT_REGEX = re.compile(f"{_EXTRA_MOVETEXT}|{regex.pattern}", regex.flags)
