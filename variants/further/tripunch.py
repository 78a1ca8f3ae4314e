"""Tripunch Chess, by Ralph Betza: nightriders, and sliders that may bend after one step; alone and with changing kings."""

from __future__ import annotations

from engine.rules import Piece, Rules

REAPER, HARVESTER = "Rt[FR]", "Bt[WB]"
PIECES = (Piece("N", "NN"), Piece("B", HARVESTER), Piece("R", REAPER), Piece("Q", REAPER + HARVESTER))


def rules_of(name: str) -> Rules:
    """The rules of `tripunch` or `ataturk-tripunch`."""
    if name == "tripunch":
        return Rules(name=name, source="https://www.chessvariants.com/dpieces.dir/tripunch.html", board="",
                     pieces=(*PIECES, Piece("K", "K", royal=True)))
    return Rules(
        name=name, source="https://www.chessvariants.com/rules/ataturk-chess", board="", pieces=(*PIECES, Piece("K", "K")),
        start_fen="rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 e1/e8", title_order="KQRBN", wary_royals=True)
