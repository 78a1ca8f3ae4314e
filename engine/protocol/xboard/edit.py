"""XBoard's edit mode: a position put together man by man.

After `edit` every line is one of: `#` an empty board; `c` the other colour, White at first; `Pa4` a man of that colour on a
square; `xa4` that square empty; `.` the end. Who is to move stays as it was. A king and a rook at home may castle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import CommandError
from engine.protocol.options import shown
from engine.squares import FILES, SQUARES

if TYPE_CHECKING:
    from engine.rules import Rules


class Editor:
    """A board under construction."""

    def __init__(self, rules: Rules, fen: str):
        """Raises nothing; fen is a position of the game."""
        self.rules = rules
        self.white = True
        self.fields = fen.split()
        self.men: dict[str, str] = {}
        for rank, row in zip("87654321", self.fields[0].split("/"), strict=True):
            file = 0
            for letter in row:
                if letter.isdigit():
                    file += int(letter)
                else:
                    self.men[FILES[file] + rank] = letter
                    file += 1

    def edit(self, line: str) -> None:
        """Take one line but the last. Raises CommandError and changes nothing."""
        if line == "#":
            self.men.clear()
        elif line == "c":
            self.white = not self.white
        elif len(line) == 3 and line[1:] in SQUARES and line[0].isascii() and line[0].isalpha():
            letter = line[0].upper()
            letter = self.rules.letter_aliases.get(letter, letter)
            if letter == "X":
                self.men.pop(line[1:], None)
            elif letter in self.rules.letters:
                self.men[line[1:]] = letter if self.white else letter.lower()
            else:
                raise CommandError(f"edit mode: unknown piece {shown(line[0])}")
        else:
            raise CommandError("edit mode wants # c xa4 Pa4 or the final .")

    def fen(self, turn: int | None = None) -> str:
        """The position as FEN, a seventh field left to its default; turn: 0 White, 1 Black, None as it was."""
        rows = []
        for rank in "87654321":
            row, gap = "", 0
            for file in FILES:
                letter = self.men.get(file + rank, "")
                if letter:
                    row += (str(gap) if gap else "") + letter
                    gap = 0
                else:
                    gap += 1
            rows.append(row + (str(gap) if gap else ""))
        side = self.fields[1] if turn is None else "wb"[turn]
        rights = "".join(
            right for right, rook in (("K", "h1"), ("Q", "a1"), ("k", "h8"), ("q", "a8"))
            if self.men.get("e" + rook[1]) == ("K" if right.isupper() else "k")
            and self.men.get(rook) == ("R" if right.isupper() else "r"))
        return f"{'/'.join(rows)} {side} {rights or '-'} - 0 1"
