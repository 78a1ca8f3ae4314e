"""The traits, a line each: name, value in orthodox chess, meaning; for those of a mechanism also what they need and exclude.

What several traits must agree on besides is in contradictions.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from engine.rules.geometry import LARGEST
from engine.rules.pieces import FIDE_PIECES, Pawn, Piece


def trait(value: Any, *, needs: str = "", excludes: str = "") -> Any:
    """A trait that is refused without, or with, other properties of the game: names of attributes of Traits, blank between."""
    return field(default=value, metadata={"needs": needs.split(), "excludes": excludes.split()})


@dataclass(frozen=True, eq=False, kw_only=True)
class Declared:
    """The traits of a game, which the kernels are compiled for. A trait left out has its value in orthodox chess."""

    files: int = LARGEST
    ranks: int = LARGEST
    pieces: tuple[Piece, ...] = FIDE_PIECES
    pawn: Pawn | None = field(default_factory=Pawn)
    wraps: bool = False  # the first and the last file touch
    castling_partner: str = "R"  # the type the king castles with; Black's, if it is another one, behind a slash
    castling_files: str = ""  # where king and partner go, west then east, `cdgf` on eight files; Black's behind a slash
    castling: bool = True  # the king castles with a rook, in chess960 from any square of the first rank
    royal_safety: bool = True  # one's royal pieces must not be attacked after one's move; else they may be, and are captured
    captures_explode: bool = False  # a capture removes itself and every piece but pawns around the square it lands on
    touching_kings_check: bool = True  # a king next to the other king is in check; else neither is, from anything
    bare_king_draws: bool = trait(False, needs="king")  # a side left with nothing but its king: drawn at once
    checks_to_win: int = 0  # who has given that many checks wins; 0: checks are not counted
    mate_series: str = ""  # a mate wins only after a check by one of these types in the series of checks that it ends
    mate_forbidden: str = ""  # a check by these types alone must leave a legal reply
    succession: str = ""  # a captured king is succeeded by a piece of the first type, `QRBN`, or class, `QA RD`, its side has
    driven_king: bool | str = False  # a turn may move the opponent's king so, onto its own pieces too, not to mate; True: nDnA
    title_order: str = ""  # a rotating title makes one piece of each side royal; who has it by default, by type or class
    goal: str = ""  # a zone: who brings a piece of goal_types there wins
    goal_types: str = ""  # their letters, `*` for any; by default the royal ones
    extinction: str = ""  # types; who has at most extinction_count pieces of one of them has lost. `*`: of all types together
    extinction_count: int = 0
    extinction_wins: bool = False  # that side has won instead
    several_kings: bool = False  # a side may have more than one piece of the royal type; all must be safe
    captures_to_hand: bool = True  # with drops; else a side drops only what it has in hand from the start
    drop_zone: str = ""  # with drops: where pieces may be dropped, Black's behind a slash
    pawn_drops: str = "first last"  # with drops: ranks on which no pawn may be dropped, `first` and `last`
    repetitions: int = 3  # the game is drawn when a position has occurred so many times; 0: never
    goal_answered: bool = False  # White's arrival there may be answered by Black's in the next move: a draw
    checks_forbidden: bool = trait(False, needs="one_king royal_safety",  # no move may give check
                                   excludes="captures_forced mate_forbidden driven_king kingless winding")
    kingless: bool = False  # a side may have no king; it loses with its last piece
    captures_forced: bool = False  # who can capture must
    stalemate: str = "draw"  # the result for a side to move that has no move and is not in check: draw, loss or win
    progress_limit: int = 100  # plies without capture or pawn move after which the game is drawn; 0: never
    drops: bool = False  # a captured piece changes sides and may be dropped on an empty square instead of a move
    wary_royals: bool = False  # royal pieces neither enter nor cross attacked squares, nor give check along such ways
