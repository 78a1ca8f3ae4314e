"""Antichess: captures are compulsory, the king is a piece like others, and who has no piece or no move left wins."""

from __future__ import annotations

from engine.rules import Pawn, Picture, Piece, Rules, Worth

# A piece that can be driven to capture is a burden.
VALUES = {"P": Worth((-100, -150)), "N": Worth((-80, -120)), "B": Worth((-130, -160)), "R": Worth((-140, -180)),
          "Q": Worth((-120, -200)), "K": Worth((-30, -60))}

RULES = Rules(
    name="antichess", source="https://lichess.org/variant/antichess", board="chess.variant.AntichessBoard",
    aliases=("anti",),
    start_fen="rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
    pieces=(Piece("N", "N"), Piece("B", "B"), Piece("R", "R"), Piece("Q", "Q"), Piece("K", "K")),
    pawn=Pawn(promotes_to="QRBNK"), castling=False, royal_safety=False, captures_forced=True, stalemate="win", values=VALUES,
    fairy_name="antichess",
    picture=Picture("rnbqkbnr/p1pppppp/8/1p6/8/4P3/PPPP1PPP/RNBQKBNR w - - 0 2", shown="f1b5"))
