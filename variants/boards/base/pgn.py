"""The games in python-chess's lists: found by name, and their moves read from PGN."""

from __future__ import annotations

import re

import chess
import chess.pgn
import chess.variant

# chess.pgn does not know the letters of further pieces and four forms of moves: a move of such a piece, a promotion to one, a
# move after a naming, and a naming that says who is dismissed, `Qd1++(Ke1--)`. They go before the forms it knows. Only letters
# of games that are registered count, and no move of another game looks like them: the moves of other games are read as before.
_KNOWN = "PNBRQK"
_PLAIN = chess.pgn.MOVETEXT_REGEX
_LETTERS = {"J"}  # of the pieces of all games so far, but for those of chess


def _movetext() -> re.Pattern[str]:
    own = "".join(sorted(_LETTERS))
    either = f"nbrqkNBRQK{own}{own.lower()}"
    square = "[a-h]?[1-8]?[-x]?[a-h][1-8]"
    forms = (
        r"[NBRQK][a-h][1-8]\+\+\([NBRQK][a-h][1-8]--\)",
        rf"K@[a-h][1-8],(?:[NBRQK{own}]?{square}(?:=?[{either}])?|O-O(?:-O)?|0-0(?:-0)?)",
        rf"[{own}](?:@[a-h][1-8]|{square})",
        rf"[NBRQK]?{square}=[{either}]",
        r"(?:[a-h]x?)?[a-h][18]=?[jJ]",  # without a sign only the berse: small letters of others may begin the next move
    )
    return re.compile(f"{'|'.join(forms)}|{_PLAIN.pattern}", _PLAIN.flags)


def register(board: type[chess.Board]) -> None:
    """Make a Board known to chess.variant.find_variant, and its moves to chess.pgn. Harmless when repeated."""
    known = chess.variant.VARIANTS
    known[:] = [other for other in known if other.uci_variant != board.uci_variant] + [board]
    letters = set(filter(str.isalpha, getattr(board, "letters", ""))) - set(_KNOWN)
    if chess.pgn.MOVETEXT_REGEX is _PLAIN or not letters <= _LETTERS:
        _LETTERS.update(letters)
        chess.pgn.MOVETEXT_REGEX = _movetext()
