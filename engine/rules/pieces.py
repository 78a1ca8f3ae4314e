"""What a declaration of rules is made of: pieces, the pawn, values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Piece:
    """A piece type: its letter in FEN and its moves in Betza notation; captures as it moves."""

    letter: str
    betza: str
    royal: bool = False


@dataclass(frozen=True)
class Pawn:
    """The pawn, seen from White; Black's is turned round by half a turn.

    Zones are squares run together, `a8b8c8`; Black's turned round as well unless it stands behind a slash: `d2/d7`.
    """

    step: str = "fW"
    capture: str = "fF"
    promotion_zone: str = "a8b8c8d8e8f8g8h8"
    promotes_to: str = "QRBN"
    double_step_zone: str = "a2b2c2d2e2f2g2h2"
    unpassed_zone: str = ""  # double steps from here cannot be answered en passant


@dataclass(frozen=True)
class Worth:
    """What a piece is worth in centipawns: (middlegame, endgame) value and what its square adds.

    `ranks` and `files` run from the owner's first rank and from the a-file; `centre` is added per step nearer to the
    centre (0 on the rim to 3).
    """

    value: tuple[int, int]
    ranks: tuple[tuple[int, ...], tuple[int, ...]] = ((0,) * 8, (0,) * 8)
    files: tuple[tuple[int, ...], tuple[int, ...]] = ((0,) * 8, (0,) * 8)
    centre: tuple[int, int] = (0, 0)


FIDE_PIECES = (Piece("N", "N"), Piece("B", "B"), Piece("R", "R"), Piece("Q", "Q"), Piece("K", "K", royal=True))
