"""XBoard's edit mode: a position put together piece by piece.

After `edit` each line is one of: `#` an empty board; `c` the other colour, White at first; `Pa4` a piece of that colour on a
square; `xa4` an empty square; `.` the end. The side to move does not change. A king and a rook at home may castle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import CommandError
from engine.protocol.options import shown
from engine.squares import FILES, RANKS, SQUARES, square_name

if TYPE_CHECKING:
    from engine.rules import Rules


class Editor:
    """A board under construction, at first that of `fen`."""

    def __init__(self, rules: Rules, fen: str):
        self.rules = rules
        self.white = True
        self.turn = fen.split()[1]
        self.pieces: dict[str, str] = {}  # letters by the name of the square
        for rank, row in zip(reversed(RANKS[:rules.ranks]), fen.split()[0].split("/"), strict=True):
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
        elif len(line) == 3 and self._is_square(line[1:]) and line[0].isascii() and line[0].isalpha():
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
        from engine.text.fen import board_field  # not at the top: it imports numba, and XBoard waits for our greeting

        board = board_field(self.rules, lambda square: self.pieces.get(square_name(square), ""))
        side = self.turn if turn is None else "wb"[turn]
        rights = "".join(right for right in "KQkq" if self._may_castle(right))
        return f"{board} {side} {rights or '-'} - 0 1"

    def _is_square(self, name: str) -> bool:
        return name in SQUARES and name[0] in FILES[:self.rules.files] and name[1] in RANKS[:self.rules.ranks]

    def _may_castle(self, right: str) -> bool:
        king, rook = ("K", "R") if right.isupper() else ("k", "r")
        rank = RANKS[0 if right.isupper() else self.rules.ranks - 1]
        king_file, corner = FILES[self.rules.files // 2], FILES[self.rules.files - 1 if right in "Kk" else 0]
        return self.pieces.get(king_file + rank) == king and self.pieces.get(corner + rank) == rook
