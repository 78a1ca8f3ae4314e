"""Rules: what one game is, as data."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from engine.rules.facts import (
    DEFAULT_FACE,
    DEFAULT_PICTURE,
    DEFAULT_SPEED,
    DEFAULT_WIN_MODEL,
    Face,
    Picture,
    SpeedCase,
    WinModel,
)
from engine.rules.geometry import LARGEST
from engine.rules.opening import forced_moves
from engine.rules.pieces import FIDE_PIECES, Pawn, Piece, Worth
from engine.rules.traits import Traits, traits_of

if TYPE_CHECKING:
    import chess

    from engine.rules.numba_type import RulesType

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


class BoardClass:
    """A field for a python-chess Board: the class, or its module and name, imported when first asked for.

    Who only plays need not wait for python-chess.
    """

    def __get__(self, rules: Any, owner: Any = None) -> type[chess.Board]:
        if rules is None:
            return ""  # type: ignore[return-value]
        found = rules.__dict__["board"]
        if not found:
            found = rules.__dict__["board"] = importlib.import_module("variants.boards.default").board_of(rules)
        if isinstance(found, str):
            module, _, name = found.rpartition(".")
            found = rules.__dict__["board"] = getattr(importlib.import_module(module), name)
        board: type[chess.Board] = found
        return board

    def __set__(self, rules: Any, board: type[chess.Board] | str) -> None:
        rules.__dict__["board"] = board


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
    bare_king_draws: bool = False  # a side left with nothing but its king: drawn at once
    checks_to_win: int = 0  # who has given that many checks wins; 0: checks are not counted
    mate_series: str = ""  # a mate wins only after a check by one of these types in the series of checks that it ends
    mate_forbidden: str = ""  # a check by these types alone must leave a legal reply
    succession: str = ""  # a captured king is succeeded by a piece of the first type, `QRBN`, or class, `QA RD`, its side has
    driven_king: bool | str = False  # a turn may move the opponent's king so, onto its own pieces too, not to mate; True: nDnA
    title_order: str = ""  # a rotating title makes one piece of each side royal; who has it by default, by type or class
    goal: str = ""  # a zone: who brings a piece of goal_types there wins
    goal_types: str = ""  # their letters, `*` for any; by default the royal ones
    extinction: str = ""  # types: who has no more than extinction_count of one of them has lost; `*`: of all types together
    extinction_count: int = 0
    extinction_wins: bool = False  # that side has won instead
    several_kings: bool = False  # a side may have more than one piece of the royal type; all must be safe
    captures_to_hand: bool = True  # with drops; else a side drops only what it has in hand from the start
    drop_zone: str = ""  # with drops: where pieces may be dropped, Black's behind a slash
    pawn_drops: str = "first last"  # with drops: ranks on which no pawn may be dropped, `first` and `last`
    repetitions: int = 3  # as often a position occurs when the game is drawn; 0: never
    goal_answered: bool = False  # White's arrival there may be answered by Black's in the next move: a draw
    checks_forbidden: bool = False  # no move may give check
    kingless: bool = False  # a side may have no king; it loses with its last piece
    captures_forced: bool = False  # who can capture must
    stalemate: str = "draw"  # what it is to the side to move if that has no move and is not in check: draw, loss or win
    progress_limit: int = 100  # plies without capture or pawn move after which the game is drawn; 0: never
    drops: bool = False  # a captured piece changes sides and may be dropped on an empty square instead of a move
    wary_royals: bool = False  # royal pieces neither enter nor cross attacked squares, nor give check along such ways


@dataclass(frozen=True, eq=False)
class Rules(Declared):
    """One game. Raises RulesError if traits contradict each other."""

    name: str
    source: str  # where the rules are written down
    board: BoardClass = BoardClass()  # default: variants.boards.default
    start_fen: str = START
    opening: tuple[str, ...] = ()  # moves that must be played from the start position
    material_draws: bool = False  # king against king, with at most one knight or bishop, is a draw
    letter_aliases: Mapping[str, str] = field(default_factory=dict)  # letters read as another type's
    values: Mapping[str, Worth] = field(default_factory=dict)

    # Facts that are no rules.
    aliases: tuple[str, ...] = ()  # other names, however they are spaced
    chess960_aliases: tuple[str, ...] = ()  # names that also switch UCI_Chess960 on
    fairy_name: str = ""  # Fairy-Stockfish's name of the game, if its rules are the same there; empty: it has none
    xboard: Face = DEFAULT_FACE
    win_model: WinModel = DEFAULT_WIN_MODEL
    picture: Picture = DEFAULT_PICTURE
    speed: SpeedCase = DEFAULT_SPEED

    def __post_init__(self) -> None:
        self.traits  # noqa: B018 - built here so that a contradiction shows where the game is declared

    @functools.cached_property
    def traits(self) -> Traits:
        """What the kernels see."""
        declared = {trait.name: getattr(self, trait.name) for trait in fields(Declared)}
        return traits_of({"opening": forced_moves(self.letters, self.start_fen, self.opening), **declared})

    @functools.cached_property
    def letters(self) -> str:
        """Piece letters by type index, White's: the pawn first, or `_` in a game without pawns."""
        return ("_" if self.pawn is None else "P") + "".join(piece.letter for piece in self.pieces)

    @functools.cached_property
    def type(self) -> RulesType:
        """The numba type of these rules."""
        from engine.rules.numba_type import RulesType  # numba is slow to import, and the names of games need none

        return RulesType(self.traits.digest, self.traits.declared)

