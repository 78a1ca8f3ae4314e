"""Chess with Different Armies, by Ralph Betza, and the games of changing kings with these armies."""

from __future__ import annotations

from engine.rules import Pawn, Picture, Piece, Rules

# The classes of an army in this order: rook, knight, bishop, queen.
ARMIES = {
    "ff": (Piece("R", "R"), Piece("N", "N"), Piece("B", "B"), Piece("Q", "Q")),  # the Fabulous FIDEs
    "cc": (Piece("D", "BD"), Piece("W", "WA"), Piece("F", "FAD"), Piece("A", "BN")),  # the Colorbound Clobberers
    "nn": (Piece("G", "fsRbK"), Piece("I", "FvN"), Piece("H", "fhNsbWbF"), Piece("O", "KfsRfhN")),  # the Nutty Knights
    "rr": (Piece("S", "R4"), Piece("Y", "WD"), Piece("U", "FDH"), Piece("C", "RN")),  # the Remarkable Rookies
}
ROOK, KNIGHT, BISHOP, QUEEN = range(4)
ARRAY = (ROOK, KNIGHT, BISHOP, QUEEN, None, BISHOP, KNIGHT, ROOK)
SOURCES = {
    "armies": "https://www.chessvariants.com/unequal.dir/cwda.html",
    "ataturk": "https://www.chessvariants.com/rules/ataturk-chess",
    "ascending": "https://www.chessvariants.com/rules/ascending-the-throne"}


def rules_of(name: str) -> Rules:
    """The rules of `armies-ff-cc` and its like: White has the first army, Black the second."""
    family, *codes = name.split("-")
    sides = [ARMIES[code] for code in codes]
    both = tuple(dict.fromkeys(sides))
    pieces = tuple(army[kind] for kind in (KNIGHT, BISHOP, ROOK, QUEEN) for army in both)
    classes = ["".join(army[kind].letter for army in both) for kind in (QUEEN, ROOK, BISHOP, KNIGHT)]
    ranks = ["".join("K" if kind is None else army[kind].letter for kind in ARRAY) for army in sides]
    seventh = " e1/e8" if family == "ataturk" else ""
    return Rules(
        name=name, source=SOURCES[family], board="", pieces=(*pieces, Piece("K", "K", royal=family != "ataturk")),
        start_fen=f"{ranks[1].lower()}/pppppppp/8/8/8/8/PPPPPPPP/{ranks[0]} w KQkq - 0 1{seventh}",
        pawn=Pawn(promotes_to="".join(classes)),
        castling_partner="/".join(army[ROOK].letter for army in sides),
        castling_files="/".join("bcgf" if code == "cc" else "cdgf" for code in codes),  # a bede keeps its colour
        succession=" ".join(classes) if family == "ascending" else "", royal_safety=family != "ascending",
        title_order=" ".join(["K", *classes]) if family == "ataturk" else "", wary_royals=family == "ataturk",
        picture=Picture(shown="d1d1" if family == "ataturk" else ""))
