"""Tripunch Chess, by Ralph Betza: nightriders, and sliders that may bend after one step; alone and with changing kings."""

from __future__ import annotations

from engine.rules import Picture, Piece, Rules

REAPER, HARVESTER = "Rt[FR]", "Bt[WB]"
PIECES = (Piece("N", "NN"), Piece("B", HARVESTER), Piece("R", REAPER), Piece("Q", REAPER + HARVESTER))

PICTURE = Picture(
    "8/8/8/2p5/8/3R4/8/K6k w - - 0 1",
    fill=(("a2a3a4b2b3b4c1c2c3c4c5d1d2d4d5d6d7d8e1e2e3e4e5e6e7e8f2f3f4g2g3g4h2h3h4", "reach"),))


def rules_of(name: str) -> Rules:
    """The rules of `tripunch` or `ataturk-tripunch`."""
    if name == "tripunch":
        return Rules(name=name, source="https://www.chessvariants.com/dpieces.dir/tripunch.html", board="",
                     pieces=(*PIECES, Piece("K", "K", royal=True)), picture=PICTURE)
    return Rules(
        name=name, source="https://www.chessvariants.com/rules/ataturk-chess", board="", pieces=(*PIECES, Piece("K", "K")),
        start_fen="rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 e1/e8", title_order="KQRBN", wary_royals=True)
