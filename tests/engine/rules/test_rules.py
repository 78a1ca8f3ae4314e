"""Rules as data: Betza notation, contradictory traits, numba types."""

from __future__ import annotations

import pickle
import re
from dataclasses import fields, replace
from typing import Any

import chess.variant
import pytest

import engine.core.mechanisms  # noqa: F401 - makes them known
import variants
from engine.errors import EngineError, RulesError
from engine.rules import FIDE_PIECES, Pawn, Piece, Rules, Worth, betza
from engine.rules.declared import Declared
from engine.rules.mechanism import registered
from engine.rules.numba_type import type_of
from support.places import ROOT
from support.slow import F, W, leaps, slides

ORTHODOX = variants.find("chess")
KNIGHT = leaps((1, 2))
SLIDING_KING = (*FIDE_PIECES[:-1], Piece("K", "Q", royal=True))


@pytest.mark.parametrize(("notation", "steps"), [
    ("W", slides(W, 1)),
    ("F", slides(F, 1)),
    ("N", KNIGHT),
    ("D", ((0, 2, 1), (2, 0, 1), (0, -2, 1), (-2, 0, 1))),
    ("A", ((2, 2, 1), (2, -2, 1), (-2, 2, 1), (-2, -2, 1))),
    ("C", leaps((1, 3))),
    ("Z", leaps((2, 3))),
    ("H", leaps((0, 3))),
    ("G", leaps((3, 3))),
    ("K", slides(W + F, 1)),
    ("Q", slides(W + F)),
    ("R", slides(W)),
    ("B", slides(F)),
    ("R3", slides(W, 3)),
    ("B2", slides(F, 2)),
    ("Q2", slides(W + F, 2)),
    ("W3", slides(W, 3)),
    ("W0", slides(W)),
    ("WW", slides(W)),
    ("FF", slides(F)),
    ("WF", slides(W + F, 1)),
    ("QN", slides(W + F) + KNIGHT),
    ("KN", slides(W + F, 1) + KNIGHT),
    ("RF", slides(W) + slides(F, 1)),
    ("BA", slides(F) + leaps((2, 2))),
    ("DA", leaps((0, 2), (2, 2))),
    ("R3W", slides(W, 3)),  # the longer reach wins
    ("WR3", slides(W, 3)),
    ("WK", slides(W + F, 1)),
    ("fW", ((0, 1, 1),)),
    ("bW", ((0, -1, 1),)),
    ("lW", ((-1, 0, 1),)),
    ("rW", ((1, 0, 1),)),
    ("vW", ((0, 1, 1), (0, -1, 1))),
    ("sW", ((1, 0, 1), (-1, 0, 1))),
    ("flW", ((0, 1, 1), (-1, 0, 1))),
    ("fF", ((1, 1, 1), (-1, 1, 1))),
    ("bF", ((1, -1, 1), (-1, -1, 1))),
    ("flF", ((-1, 1, 1),)),
    ("brF", ((1, -1, 1),)),
    ("fB", ((1, 1, 7), (-1, 1, 7))),
    ("fRbB2", ((0, 1, 7), (1, -1, 2), (-1, -1, 2))),
    ("sR2vR", ((1, 0, 2), (-1, 0, 2), (0, 1, 7), (0, -1, 7))),
    ("vF", slides(F, 1)),
    ("rflbB", ((1, 1, 7), (-1, -1, 7))),
    ("fsW", ((0, 1, 1), (1, 0, 1), (-1, 0, 1))),
    ("fN", ((1, 2, 1), (-1, 2, 1))),
    ("ffN", ((1, 2, 1), (-1, 2, 1))),
    ("fsN", ((2, 1, 1), (-2, 1, 1))),
    ("frN", ((2, 1, 1),)),
    ("rfN", ((1, 2, 1),)),
    ("rN", ((2, 1, 1), (2, -1, 1))),
    ("vN", ((1, 2, 1), (-1, 2, 1), (1, -2, 1), (-1, -2, 1))),
    ("fhN", ((1, 2, 1), (-1, 2, 1), (2, 1, 1), (-2, 1, 1))),
    ("fhNbsK", ((1, 2, 1), (-1, 2, 1), (2, 1, 1), (-2, 1, 1), (1, 0, 1), (-1, 0, 1), (0, -1, 1), (1, -1, 1), (-1, -1, 1))),
    ("fK", ((0, 1, 1), (1, 1, 1), (-1, 1, 1))),
])
def test_betza(notation: str, steps: tuple[tuple[int, int, int], ...]) -> None:
    read = betza.parse(notation)
    assert len(set(read)) == len(read)
    by_direction = dict[tuple[int, int], int]()
    for x, y, reach in steps:  # a leap on a slide's line stays beside the slide: (2, 2) is no multiple step here
        by_direction[x, y] = reach
    assert {(step.files, step.ranks): step.reach for step in read} == by_direction


@pytest.mark.parametrize("notation", [
    "", " ", "f", "X", "W-", "3W", "nN2", "pN", "t[FB]",
    "RR", "QQ", "qW", "xfW", "W W", "W\u0663", "w", "ngW", "mmW", "fhW", "é"])
def test_betza_refuses(notation: str) -> None:
    with pytest.raises(RulesError) as caught:
        betza.parse(notation)
    assert repr(notation) in str(caught.value) and "\n" not in str(caught.value)


def made(**changes: Any) -> Rules:
    return replace(ORTHODOX, name="made", **changes)


@pytest.mark.parametrize(("changes", "complaint"), [
    ({"pieces": FIDE_PIECES[:-1]}, "royal"),
    ({"pieces": (), "castling": False, "pawn": None}, "no royal piece"),
    ({"pieces": tuple(piece for piece in FIDE_PIECES if piece.letter != "R"), "pawn": None}, "castling needs"),
    ({"pieces": (*FIDE_PIECES[:3], Piece("Q", "Q", royal=True))}, "castling needs"),
    ({"pieces": (*FIDE_PIECES, Piece("M", "N", royal=True)), "castling": False, "captures_explode": True}, "explode"),
    ({"pieces": (*FIDE_PIECES[:3], Piece("Q", "Q", royal=True)), "castling": False, "captures_explode": True}, "explode"),
    ({"touching_kings_check": False}, "touching_kings_check"),
    ({"pieces": (*FIDE_PIECES, Piece("N", "C"))}, "different capitals"),
    ({"pieces": (*FIDE_PIECES, Piece("P", "C"))}, "different capitals"),
    ({"pieces": (*FIDE_PIECES, Piece("x", "C"))}, "different capitals"),
    ({"pieces": (*FIDE_PIECES, Piece("+", "C"))}, "different capitals"),
    ({"pieces": tuple(Piece(letter, "N") for letter in "ABCDEFGHIJLMNOQS") + FIDE_PIECES[-1:]}, "piece types"),
    ({"pieces": (*FIDE_PIECES, Piece("X", "Y"))}, "'Y'"),
    ({"pawn": Pawn(promotes_to="QX")}, "'X'"),
    ({"pawn": Pawn(promotes_to="QP")}, "'P'"),
    ({"pawn": Pawn(promotes_to="QK")}, "promotes to the only royal"),
    ({"pawn": Pawn(step="fR")}, "no range"),
    ({"pawn": Pawn(step="fF", capture="fW")}, "double step"),
    ({"pawn": Pawn(capture="fWfF")}, "must differ"),
    ({"pawn": Pawn(step="")}, "''"),
    ({"opening": ("e2z9",)}, "opening move 'e2z9' is not made of two squares"),
    ({"opening": ("e2",)}, "opening move 'e2' is not made of two squares"),
    ({"goal": "e4", "goal_types": "*K"}, r"goal_types '\*K' is neither '\*' nor made of the pieces 'PNBRQK'"),
    ({"extinction": "Q*"}, r"extinction 'Q\*' is neither"),
    ({"extinction": "QX"}, "extinction 'QX' is neither"),
    ({"mate_forbidden": "N", "drops": True}, "mate_forbidden goes with none of .* drops"),
    ({"mate_forbidden": "N", "kingless": True}, "mate_forbidden goes with none of .* kingless"),
    ({"bare_king_draws": True, "several_kings": True, "castling": False}, "bare_king_draws needs one leaping royal type"),
    ({"bare_king_draws": True, "pieces": SLIDING_KING, "castling": False}, "bare_king_draws needs one leaping royal type"),
    ({"captures_forced": True, "pieces": SLIDING_KING, "castling": False}, "captures_forced needs one leaping royal type"),
    ({"captures_forced": True, "pieces": (*FIDE_PIECES, Piece("M", "N", royal=True)), "castling": False,
      "royal_safety": False}, "captures_forced needs one leaping royal type"),
])
def test_contradictions(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(RulesError, match=complaint) as caught:
        made(**changes)
    assert isinstance(caught.value, EngineError) and "\n" not in str(caught.value)


@pytest.mark.parametrize(("changes", "complaint"), [
    ({"royal_safety": False}, "checks_forbidden needs royal_safety"),
    ({"pieces": (*FIDE_PIECES[:3], Piece("Q", "Q", royal=True)), "castling": False}, "checks_forbidden needs one leaping"),
    ({"kingless": True}, "checks_forbidden does not go with kingless"),
    ({"pieces": (*FIDE_PIECES, Piece("C", "mRcpR"))}, "checks_forbidden does not go with pieces that wind, hop"),
    ({"mate_forbidden": "N"}, "checks_forbidden does not go with mate_forbidden"),
])
def test_what_a_trait_needs_and_excludes(changes: dict[str, Any], complaint: str) -> None:
    made(checks_forbidden=True)
    with pytest.raises(RulesError, match=complaint):
        made(checks_forbidden=True, **changes)


def test_a_mechanism_is_a_module_a_line_and_a_trait() -> None:
    """Who reads docs/architecture.md may rely on it; the Board and the reader of Fairy-Stockfish's keys stand apart."""
    names = re.compile("checks_forbidden|forbidden_checks|FORBIDDEN_CHECKS")
    found = {str(path.relative_to(ROOT)) for room in ("engine", "search", "bench", "variants")
             for path in (ROOT / room).rglob("*.py") if names.search(path.read_text(encoding="utf-8"))}
    assert found == {
        "engine/rules/declared.py", "engine/core/mechanisms/__init__.py", "engine/core/mechanisms/forbidden_checks.py",
        "variants/boards/declared/play.py", "variants/ini/keys.py", "variants/ini/meaning.py",
        "variants/further/racingkings.py"}


def test_every_mechanism_names_a_trait() -> None:
    declared = {trait.name for trait in fields(Declared)} | {"opening"}
    assert all(mechanism.active is not None or mechanism.trait in declared for mechanism in registered())
    modules = {path.stem for path in (ROOT / "engine" / "core" / "mechanisms").glob("*.py")} - {"__init__"}
    assert len(registered()) == len(modules)


def test_equal_traits_share_a_type() -> None:
    twin = made(source="elsewhere", start_fen="4k3/8/8/8/8/8/8/4K3 w - - 0 1", values={"Q": Worth((1, 1))},
                board=chess.variant.AtomicBoard, material_draws=False)
    assert type_of(twin) == type_of(ORTHODOX) and hash(type_of(twin)) == hash(type_of(ORTHODOX))
    restored = pickle.loads(pickle.dumps(type_of(ORTHODOX)))
    assert restored == type_of(ORTHODOX) and restored.name == type_of(ORTHODOX).name


def test_different_traits_differ() -> None:
    others = [ORTHODOX, variants.find("atomic"), variants.find("nocheckatomic"), made(castling=False), made(royal_safety=False),
              made(pawn=None), made(pawn=Pawn(promotes_to="Q")), made(pawn=Pawn(double_step_zone="d2")),
              made(pieces=(*FIDE_PIECES, Piece("A", "A"))), made(pieces=(Piece("N", "C"), *FIDE_PIECES[1:]))]
    assert len({type_of(rules) for rules in others}) == len({type_of(rules).name for rules in others}) == len(others)


# Functions to fold. What a constant decides must be gone, for numba would type it.


def test_zones_and_directions_turn_for_black() -> None:
    pawn = made(pawn=Pawn("flF", "flW", "a1b8", double_step_zone="")).traits.pawn
    assert pawn is not None
    assert [int(zone) for zone in pawn.zone] == [1 << 0 | 1 << 57, 1 << 63 | 1 << 6]
    assert int(pawn.attacks[0, 27]) == 1 << 35 | 1 << 26  # d4: d5, c4
    assert int(pawn.attacks[1, 27]) == 1 << 19 | 1 << 28  # d4: d3, e4
