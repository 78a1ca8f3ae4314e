"""The keys of a definition: what each may say, and what it means to us.

A key that is not understood is refused where it asks for anything but what it has by default.
"""

from __future__ import annotations

import re
from dataclasses import fields

from engine.rules.declared import Declared

PIECES = {  # Fairy-Stockfish's names and their moves
    "pawn": "fmWfceF", "knight": "N", "bishop": "B", "rook": "R", "queen": "Q", "fers": "F", "alfil": "A", "fersAlfil": "FA",
    "silver": "FfW", "aiwok": "RNF", "bers": "RF", "archbishop": "BN", "chancellor": "RN", "amazon": "QN", "knibis": "mNcB",
    "biskni": "mBcN", "kniroo": "mNcR", "rookni": "mRcN", "shogiPawn": "fW", "lance": "fR", "shogiKnight": "fN", "gold": "WfF",
    "dragonHorse": "BW", "clobber": "cW", "breakthrough": "fmWfF", "cannon": "mRcpR", "janggiCannon": "pR", "soldier": "fsW",
    "horse": "nN", "elephant": "nA", "banner": "RcpRnN", "wazir": "W", "commoner": "K", "centaur": "KN", "king": "K",
}
UNKNOWN_PIECES = ("immobile", "janggiElephant", "seirawan")
CUSTOM_PIECES = 25

# Keys that are obeyed, with what they say by default.
OBEYED = {
    "maxRank": "8", "maxFile": "8", "startFen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "pawnTypes": "",
    "promotionRegionWhite": "*8", "promotionRegionBlack": "*1", "promotionPieceTypes": "nbrq", "doubleStep": "true",
    "doubleStepRegionWhite": "*2", "doubleStepRegionBlack": "*7", "castling": "true", "castlingKingsideFile": "g",
    "castlingQueensideFile": "c", "castlingRookPieces": "r", "checking": "true", "mustCapture": "false", "pieceDrops": "false",
    "capturesToHand": "false", "firstRankPawnDrops": "false", "promotionZonePawnDrops": "false", "dropRegionWhite": "",
    "dropRegionBlack": "", "blastOnCapture": "false", "stalemateValue": "draw", "nMoveRule": "50", "nFoldRule": "3",
    "extinctionValue": "none", "extinctionPieceTypes": "-", "extinctionPieceCount": "0", "extinctionPseudoRoyal": "false",
    "flagPiece": "*", "flagRegion": "", "flagRegionWhite": "", "flagRegionBlack": "", "flagMove": "false",
    "checkCounting": "false",
    "pieceValueMg": "", "pieceValueEg": "", "pieceToCharTable": "-", "pocketSize": "0", "variantTemplate": "fairy",
}
# Keys that are refused unless they say what they say by default.
REFUSED = {
    "chess960": "false", "twoBoards": "false", "promotionPawnTypes": "p", "promotionPawnTypesWhite": "p",
    "promotionPawnTypesBlack": "p", "sittuyinPromotion": "false", "promotionLimit": "", "promotedPieceType": "",
    "piecePromotionOnCapture": "false", "mandatoryPawnPromotion": "true", "mandatoryPiecePromotion": "false",
    "pieceDemotion": "false", "blastImmuneTypes": "none", "mutuallyImmuneTypes": "none", "petrifyOnCaptureTypes": "-",
    "petrifyBlastPieces": "false", "tripleStepRegionWhite": "-", "tripleStepRegionBlack": "-", "enPassantRegion": "",
    "enPassantRegionWhite": "", "enPassantRegionBlack": "", "enPassantTypes": "p", "enPassantTypesWhite": "p",
    "enPassantTypesBlack": "p", "castlingDroppedPiece": "false", "castlingRank": "1", "castlingKingFile": "e",
    "castlingKingPiece": "k", "castlingRookKingsideFile": "l", "castlingRookQueensideFile": "a", "oppositeCastling": "false",
    "dropChecks": "true", "mustDrop": "false", "mustDropType": "*", "dropLoop": "false", "enclosingDrop": "none",
    "enclosingDropStart": "", "sittuyinRookDrop": "false", "dropOppositeColoredBishop": "false", "dropPromoted": "false",
    "dropNoDoubled": "-", "dropNoDoubledCount": "1", "immobilityIllegal": "false", "gating": "false", "wallingRule": "none",
    "wallingRegionWhite": "", "wallingRegionBlack": "", "wallOrMove": "false", "seirawanGating": "false",
    "cambodianMoves": "false", "diagonalLines": "", "pass": "false", "passWhite": "false", "passBlack": "false",
    "passOnStalemate": "false", "passOnStalemateWhite": "false", "passOnStalemateBlack": "false", "makpongRule": "false",
    "flyingGeneral": "false", "soldierPromotionRank": "1", "flipEnclosedPieces": "none", "nMoveRuleTypes": "p",
    "nMoveRuleTypesWhite": "p", "nMoveRuleTypesBlack": "p", "nFoldValue": "draw", "nFoldValueAbsolute": "false",
    "perpetualCheckIllegal": "false", "moveRepetitionIllegal": "false", "chasingRule": "none", "stalematePieceCount": "false",
    "checkmateValue": "loss", "shogiPawnDropMateIllegal": "false", "shatarMateRule": "false", "bikjangRule": "false",
    "extinctionClaim": "false", "dupleCheck": "false", "extinctionOpponentPieceCount": "0", "flagPieceWhite": "*",
    "flagPieceBlack": "*", "flagPieceCount": "1", "flagPieceBlockedWin": "false", "flagPieceSafe": "false", "connectN": "0",
    "connectPieceTypes": "*", "connectVertical": "true", "connectHorizontal": "true", "connectDiagonal": "true",
    "connectRegion1White": "-", "connectRegion2White": "-", "connectRegion1Black": "-", "connectRegion2Black": "-",
    "connectNxN": "0", "collinearN": "0", "connectValue": "win", "materialCounting": "none", "adjudicateFullBoard": "false",
    "countingRule": "none", "castlingWins": "-", "promotionPieceTypesWhite": "", "promotionPieceTypesBlack": "",
}
# Keys of our own: traits by their names in the declaration, with capitals for underscores; all that no key above sets.
_OF_OTHER_KEYS = {
    "files", "ranks", "pieces", "pawn", "castling", "captures_explode", "checks_to_win", "goal", "goal_types", "extinction",
    "extinction_count", "extinction_wins", "several_kings", "captures_to_hand", "drop_zone", "pawn_drops", "repetitions",
    "checks_forbidden", "captures_forced", "stalemate", "progress_limit", "drops"}
TRAITS = tuple(re.sub("_(.)", lambda letter: letter[1].upper(), trait.name) for trait in fields(Declared)
               if trait.name not in _OF_OTHER_KEYS)
VALUES = {"boolean": ("true", "false"), "stalemateValue": ("draw", "loss", "win"),
          "extinctionValue": ("none", "draw", "loss", "win")}
