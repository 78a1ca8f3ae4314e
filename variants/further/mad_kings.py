"""Madness of Kings with other powers of the driven king, and on six by six squares."""

from __future__ import annotations

from dataclasses import replace

from engine.rules import Pawn, Picture, Piece, Rules
from variants import madness
from variants.chess import VALUES

DRIVES = {"ferz": "F", "threeleaper": "H", "frog": "FH", "mao": "nN"}
# Where White may put Black's king.
REACH = {"ferz": "c3c5e3e5", "threeleaper": "a4d1d7g4", "frog": "a4c3c5d1d7e3e5g4", "mao": "b3b5c2c6e2e6f3f5"}


def rules_of(name: str) -> Rules:
    """The rules of `madness-ferz` and its like."""
    kind = name.partition("-")[2]
    if kind in DRIVES:
        return replace(madness.RULES, name=name, board="", driven_king=DRIVES[kind],
                       picture=Picture("8/8/2p5/8/3k4/8/8/7K w - - 0 1", fill=((REACH[kind], "reach"),)))
    return Rules(
        name=name, source=madness.RULES.source, board="", files=6, ranks=6, castling=False, driven_king=True,
        start_fen="rnqknr/pppppp/6/6/PPPPPP/RNQKNR w - - 0 1",
        pieces=(Piece("N", "N"), Piece("R", "R"), Piece("Q", "Q"), Piece("K", "K", royal=True)),
        pawn=Pawn(promotion_zone="a6b6c6d6e6f6", promotes_to="QRN", double_step_zone=""),
        values={letter: VALUES[letter] for letter in "PNRQK"})
