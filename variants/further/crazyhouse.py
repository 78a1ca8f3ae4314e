"""Crazyhouse: captured pieces change sides and are dropped on empty squares."""

from __future__ import annotations

from engine.rules import Face, Picture, Rules, Worth
from variants.chess import VALUES

RULES = Rules(
    name="crazyhouse", source="https://lichess.org/variant/crazyhouse", board="chess.variant.CrazyhouseBoard",
    aliases=("zh", "house"),
    start_fen="rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1", drops=True, progress_limit=0,
    values={**VALUES, "P": Worth((100, 110)), "N": Worth((250, 250)), "B": Worth((260, 260)), "R": Worth((370, 380)),
            "Q": Worth((620, 640))}, fairy_name="crazyhouse", xboard=Face(native=True),
    picture=Picture("5brk/4n1pp/8/8/8/3B4/5PPP/6K1[N] w - - 0 30", shown="f7f7", threats="f7h8"))
