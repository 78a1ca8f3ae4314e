"""Shatar, the chess of Mongolia: a berse for the queen, checks with names, mates that only draw."""

from __future__ import annotations

from engine.rules import Face, Pawn, Picture, Piece, Rules, SpeedCase, WinModel, Worth
from variants.chess import VALUES

RULES = Rules(
    name="shatar", source="https://www.chessvariants.com/oriental.dir/shatar.html", board="variants.boards.shatar.ShatarBoard",
    start_fen="rnbjkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBJKBNR w - - 0 1 -",
    pieces=(Piece("N", "N"), Piece("B", "B"), Piece("R", "R"), Piece("J", "RF"), Piece("K", "K", royal=True)),
    letter_aliases={"Q": "J"}, pawn=Pawn(promotes_to="J", double_step_zone="d2/d7"), castling=False,
    values={**{letter: VALUES[letter] for letter in "PNBRK"}, "J": Worth((640, 720), centre=(4, 10))},
    opening=("d2d4", "d7d5"), bare_king_draws=True, mate_series="RNJ", mate_forbidden="N",
    fairy_name="shatar", xboard=Face(pieces="PNBR..........J......K"), win_model=WinModel(238, 139, 100),  # ± 37, 16
    picture=Picture("rnb1kbnr/pp2pppp/2p5/3p4/3J4/2N5/PPP1PPPP/R1B1KBNR w - - 0 5 -",
                    fill=(("c5e5e3d5d3d2d1a4b4c4e4f4g4h4", "reach"),)),
    speed=SpeedCase((("rnbjkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBJKBNR w - - 0 2", 6),), "fairy-stockfish", 6.0))
