"""Screenshots of every game in XBoard, as the README and docs/gui.md show them.

    PYTHONPATH=tests python -m support.xboard_pictures [GAME ...]

The first moves are entered with the mouse; then XBoard is shown with a piece in hand or with marks on the board.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("CI", "1")  # a missing program is an error here, nothing to skip

import variants
from engine.rules import WHITE
from engine.squares import square_name
from support.places import ROOT
from support.xboard_desk import Desk

FOLDER = ROOT / "docs" / "pictures"
COLOURS = 64  # a board of XBoard's has no more that matter

# The user's moves, then the square of the piece in hand. Whatever the engine answers, that piece is still there.
KING = "K"
SCENES: dict[str, tuple[tuple[str, ...], str]] = {
    "chess": (("e2e4",), "g1"),
    "atomic": (("g1f3",), "f3"),
    "nocheckatomic": (("g1f3",), "f3"),
    "shatar": (("d2d4",), "d1"),
    "ataturk": (("d1d1",), "g1"),
    "warmspit": (("b1b1", "e2e4"), "d1"),
    "madness": ((), "h3"),
    "madness-legan": ((), "h3"),
    "madness-fide": ((), KING),
    "ascending": ((), "c3"),
}
POSITIONS = {
    "ascending": "4k3/pp4pp/2n5/8/8/R1R4B/1P4PP/r3K3 b - - 0 1",
    "madness-fide": "rnbqk1nr/ppp2ppp/8/3pp3/3PP3/8/PPP2PPP/RNBQK1NR b - - 0 1",
}


def king_of(desk: Desk) -> str:
    """The square of the user's king, which may have been driven there."""
    game = desk.view().game
    king = game.rules.traits.king
    assert king is not None
    return square_name((int(game.pos[king.word]) & int(game.pos[WHITE])).bit_length() - 1)


def take(variant: str, file: Path) -> None:
    """Draw one game."""
    from PIL import Image

    moves, held = SCENES[variant]
    fen = POSITIONS.get(variant, "")
    with tempfile.TemporaryDirectory() as folder:
        with Desk(variant, Path(folder), *(["-mode", "MachineBlack"] if fen else []), fen=fen) as desk:
            desk.wait_for("<first : (pong 1|highlight)" if not fen else "<first : move [^@]")
            desk.settle()
            for move in moves:
                at = len(desk.said())
                desk.enter(move)
                desk.wait_for("<first : move", at)
                desk.settle()
            desk.click(king_of(desk) if held == KING else held)
            desk.settle()
            picture = desk.screen.picture()
            x, y, width, height = desk.frame()
        image = Image.fromarray(picture[y:y + height, x:x + width].copy())
        image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(file, optimize=True)


def main() -> None:
    """Take the pictures of the games that the command line names, or of all."""
    for variant in sys.argv[1:] or variants.names():
        file = FOLDER / f"xboard-{variant}.png"
        take(variant, file)
        print(file, file.stat().st_size)


if __name__ == "__main__":
    main()
