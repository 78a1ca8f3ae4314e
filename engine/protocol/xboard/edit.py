"""XBoard's edit mode: a position put together piece by piece.

After `edit` each line is one of: `#` an empty board; `c` the other colour, White at first; `Pa4` a piece of that colour on a
square; `xa4` an empty square; `.` the end. The side to move does not change. A king and a rook at home may castle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.errors import CommandError
from engine.protocol.options import shown
from engine.squares import FILES, RANKS, SQUARES

if TYPE_CHECKING:
    from engine.rules import Rules


class Editor:
    """A board under construction, at first that of `fen`."""

    def __init__(self, rules: Rules, fen: str):
        self.rules = rules
        self.white = True
        self.turn = fen.split()[1]
        self.pieces: dict[str, str] = {}  # letters by the name of the square
        for rank, row in zip(reversed(RANKS), fen.split()[0].split("/"), strict=True):
            file = 0
            for letter in row:
                if letter.isdigit():
                    file += int(letter)
                else:
                    self.pieces[FILES[file] + rank] = letter
                    file += 1

    def edit(self, line: str) -> None:
        """Obey one line. Raises CommandError, changing nothing."""
        if line == "#":
            self.pieces.clear()
        elif line == "c":
            self.white = not self.white
        elif len(line) == 3 and line[1:] in SQUARES and line[0].isascii() and line[0].isalpha():
            letter = line[0].upper()
            letter = self.rules.letter_aliases.get(letter, letter)
            if letter == "X":
                self.pieces.pop(line[1:], None)
            elif letter in self.rules.letters:
                self.pieces[line[1:]] = letter if self.white else letter.lower()
            else:
                raise CommandError(f"edit mode: unknown piece {shown(line[0])}")
        else:
            raise CommandError("edit mode takes # c xa4 Pa4 or the final .")

    def fen(self, turn: int | None = None) -> str:
        """The position as FEN, without a seventh field; turn: 0 White, 1 Black, None as before."""
        letters = list(map(self.pieces.get, SQUARES))
        side = self.turn if turn is None else "wb"[turn]
        rights = "".join(right for right in "KQkq" if self._may_castle(right))
        return f"{board_field(lambda square: letters[square] or '')} {side} {rights or '-'} - 0 1"

    def _may_castle(self, right: str) -> bool:
        king, rook = ("K", "R") if right.isupper() else ("k", "r")
        rank = "1" if right.isupper() else "8"
        return self.pieces.get("e" + rank) == king and self.pieces.get(("h" if right in "Kk" else "a") + rank) == rook


def board_field(letter_at: Callable[[int], str]) -> str:
    """The first field of a FEN, of letters by square; no letter: an empty square."""
    rows = []
    for rank in reversed(range(len(RANKS))):
        row, gap = "", 0
        for square in range(rank * len(FILES), (rank + 1) * len(FILES)):
            letter = letter_at(square)
            if letter:
                row += (str(gap) if gap else "") + letter
            gap = 0 if letter else gap + 1
        rows.append(row + (str(gap) if gap else ""))
    return "/".join(rows)
