"""A section of a file of definitions: what it says of keys and pieces, its base's lines included."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from engine.errors import RulesError
from variants.ini.keys import CUSTOM_PIECES, OBEYED, PIECES, REFUSED, TRAITS, UNKNOWN_PIECES

CUSTOM = re.compile(r"customPiece([0-9]{1,3})")


class IniError(RulesError):
    """What a definition says and we do not understand; the message names line and key."""


@dataclass
class Section:
    """What a section says, its base's lines included."""

    name: str
    line: int
    values: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)  # where each key was set; 0 in one of our own bases
    pieces: dict[str, str] = field(default_factory=dict)  # letter (capital) by the piece's name in the file
    betza: dict[str, str] = field(default_factory=dict)  # moves by the piece's name, for custom ones

    def copy(self, name: str, line: int) -> Section:
        """A section that begins as this one and may change it."""
        return Section(name, line, dict(self.values), dict(self.lines), dict(self.pieces), dict(self.betza))

    def set(self, key: str, value: str, line: int) -> None:
        """Take a line. Raises IniError."""
        custom = CUSTOM.fullmatch(key)
        if key in PIECES or (custom and 1 <= int(custom[1]) <= CUSTOM_PIECES):
            self._set_piece(key, value, line, custom=bool(custom))
        elif key in UNKNOWN_PIECES and value != "-":
            raise IniError(f"line {line}: {key} = {value}: the piece {key!r} is not known here")
        elif key in UNKNOWN_PIECES or key in OBEYED or key in TRAITS:
            self.values[key], self.lines[key] = value, line
        elif key in REFUSED:
            if value.lower() != REFUSED[key] and value not in ("-", ""):
                raise IniError(f"line {line}: {key} = {value[:60]}: this rule is not known here")
            if value in ("-", "") and REFUSED[key] not in ("-", "", "none"):
                raise IniError(f"line {line}: {key} = {value}: this rule is not known here")
        elif key.startswith("mobilityRegion"):
            raise IniError(f"line {line}: {key}: pieces that are bound to a region are not known here")
        else:
            raise IniError(f"line {line}: unknown key {key[:60]!r}")

    def _set_piece(self, key: str, value: str, line: int, *, custom: bool) -> None:
        letter, colon, notation = (part.strip() for part in value.partition(":"))
        if value == "-":
            self.pieces.pop(key, None)
            return
        if len(letter) != 1 or not (letter.isascii() and letter.isalpha()):
            raise IniError(f"line {line}: {key} = {value[:60]}: {letter[:20]!r} is not one letter")
        if custom and not notation:
            raise IniError(f"line {line}: {key} = {value[:60]}: no moves behind a colon")
        if colon and not custom and key != "king":
            raise IniError(f"line {line}: {key} = {value[:60]}: only custom pieces and the king have moves of their own")
        for name, other in list(self.pieces.items()):
            if other == letter.upper():
                del self.pieces[name]
        self.pieces[key] = letter.upper()
        self.betza[key] = notation or PIECES.get(key, "")
        self.lines[key] = line
