"""The Board of atomic chess without check: what python-chess's own does not see."""

from __future__ import annotations

import pytest

import variants


@pytest.mark.parametrize(("placement", "turn", "passed", "possible"), [
    ("8/4R2r/N1p2p2/1K4P1/2P1kPp1/3p3r/3P4/8", "b", "f3", False),  # the king on e4 would explode with the pawn
    ("8/4R2r/N1p2p2/1K4P1/2P2Pp1/3p3r/3Pk3/8", "b", "f3", False),  # and on e2
    ("8/4R2r/N1p2p2/1K4P1/2P2Pp1/2kp3r/3P4/8", "b", "f3", True),
])
def test_a_passed_square_is_named_only_if_a_capture_there_is_legal(placement: str, turn: str, passed: str,
                                                                   possible: bool) -> None:
    board = variants.find("nocheckatomic").board(f"{placement} {turn} - {passed} 0 28")
    assert board.has_legal_en_passant() == possible
    assert board.fen().split()[3] == (passed if possible else "-")
