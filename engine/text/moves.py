"""Moves as text: coordinate notation, as UCI writes it, and the special moves of our games."""

from __future__ import annotations

from engine.core.legality import legal_moves
from engine.core.moves import CASTLE, HAS_HEIR, HEIR, KIND, NAMING, PROMOTES, PROMOTION, TO
from engine.core.position import Position
from engine.errors import MoveError
from engine.rules import Rules
from engine.squares import square_name


def move_text(rules: Rules, pos: Position, move: int, chess960: bool = False) -> str:
    """The move in coordinate notation; castling as king takes rook in chess960 or from an unorthodox square."""
    move = int(move)
    origin, target = move & 63, move >> TO & 63
    if move >> KIND & 15 == CASTLE:
        side = 56 if origin >= 56 else 0
        if not chess960 and origin == side + 4 and target in (side, side + 7):
            target = side + (6 if target > origin else 2)
    if move >> KIND & 15 == NAMING:
        return f"K@{square_name(origin)}"
    heir = f"K@{square_name(move >> HEIR & 63)}," if move >> HAS_HEIR & 1 else ""
    text = heir + square_name(origin) + square_name(target)
    return text + rules.letters[move >> PROMOTES & 15].lower() if move >> KIND & 15 == PROMOTION else text


def parse_move(rules: Rules, pos: Position, text: str) -> int:
    """The legal move that `text` names.

    Castling is read as king to its goal and as king takes rook, an overthrow as `K@d1` and `d1d1`; a move that leaves the
    choice of an heir open takes the one on the lowest square.
    Raises: MoveError naming the text.
    """
    heir, comma, wanted = text.strip().lower().rpartition(",")
    for alias, letter in rules.letter_aliases.items():
        if len(wanted) == 5 and wanted[0] != "k" and wanted[4] == alias.lower():
            wanted = wanted[:4] + letter.lower()
    if len(wanted) == 4 and wanted[:2] == wanted[2:]:
        wanted = f"k@{wanted[:2]}"
    wanted = heir + comma + wanted
    moves = sorted(map(int, legal_moves(rules, pos)), key=lambda move: move >> HEIR)  # lowest heir first
    for spell in (lambda move: move_text(rules, pos, move), lambda move: move_text(rules, pos, move, True), _castling_goal):
        for move in moves:
            spelled = spell(move).lower()
            if wanted and wanted in (spelled, spelled.rpartition(",")[2]):
                return move
    raise MoveError(f"illegal move {text[:40]!r}")


def _castling_goal(move: int) -> str:
    """`e1g1` also for a king that castles from an unorthodox square; empty for other moves."""
    origin, target = move & 63, move >> TO & 63
    if move >> KIND & 15 != CASTLE:
        return ""
    return square_name(origin) + square_name((56 if origin >= 56 else 0) + (6 if target > origin else 2))
