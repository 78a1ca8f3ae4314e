"""Betza notation: from `KNAD` or `R3fF` to the steps a piece makes.

Read here: the atoms W F D A N C Z H G and K Q R B; a range behind W, F, R, B, Q or K (`R3` up to three squares,
`WW` or `W0` as far as the board goes); directions in front (`f b l r v s` and pairs such as `fl`, on oblique leaps `fh` too).
Directions are the owner's: Black's piece is White's turned round by half a turn.
Source: Ralph Betza's notation as XBoard 4.9 reads it, without hoppers, bent paths and lame leaps.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.errors import RulesError
from engine.rules.geometry import LARGEST

ATOMS = {  # (files, ranks), 0 <= files <= ranks
    "W": (0, 1), "F": (1, 1), "D": (0, 2), "N": (1, 2), "A": (2, 2),
    "H": (0, 3), "C": (1, 3), "Z": (2, 3), "G": (3, 3),
}
COMPOUNDS = {"K": ("W1", "F1"), "Q": ("W0", "F0"), "R": ("W0",), "B": ("F0",)}
FULL = LARGEST - 1  # steps that cross any board

_TOKEN = re.compile(r"([a-z]*)([A-Z])(\2|[0-9]*)")
_PAIR = re.compile(r"([fbvh][lrsh]|[lrsh][fbvh]|[a-z])")


@dataclass(frozen=True)
class Step:
    """One direction of movement: `files` east and `ranks` forward, repeated up to `reach` times over empty squares."""

    files: int
    ranks: int
    reach: int

    @property
    def straight(self) -> bool:
        """Whether it goes along a rank or a file."""
        return self.files == 0 or self.ranks == 0

    @property
    def on_line(self) -> bool:
        """Whether it goes along a rank, a file or a diagonal."""
        return self.straight or abs(self.files) == abs(self.ranks)

    @property
    def far(self) -> bool:
        """Whether, as a leap, it passes over a square of a line."""
        return self.on_line and max(abs(self.files), abs(self.ranks)) > 1


def parse(notation: str) -> tuple[Step, ...]:
    """The steps of `notation`, longest reach first where two agree in direction, without duplicates.

    Raises: RulesError naming the part that cannot be read.
    >>> parse("fW")
    (Step(files=0, ranks=1, reach=1),)
    >>> len(parse("KN")), max(step.reach for step in parse("R3F"))
    (16, 3)
    """
    steps: dict[tuple[int, int], int] = {}
    end = 0
    for match in _TOKEN.finditer(notation):
        if match.start() != end:
            break
        end = match.end()
        for step in _expand(notation, *match.groups()):
            direction = step.files, step.ranks
            steps[direction] = max(step.reach, steps.get(direction, 0))
    if end != len(notation) or not notation:
        raise RulesError(f"Betza notation {notation!r}: cannot read {notation[end:]!r}")
    return tuple(Step(x, y, reach) for (x, y), reach in sorted(steps.items()))


def _expand(notation: str, directions: str, letter: str, suffix: str) -> list[Step]:
    atoms: tuple[str, ...]
    if letter in COMPOUNDS:
        atoms = COMPOUNDS[letter]
        if suffix.isdigit():
            atoms = tuple(atom[0] + suffix for atom in atoms)
        elif suffix:
            raise RulesError(f"Betza notation {notation!r}: {letter + suffix!r} has no meaning")
    elif letter in ATOMS:
        atoms = (letter + (suffix if suffix.isdigit() else "0" if suffix else "1"),)
    else:
        raise RulesError(f"Betza notation {notation!r}: unknown atom {letter!r}")
    found = []
    for atom in atoms:
        files, ranks = ATOMS[atom[0]]
        reach = int(atom[1:]) or FULL
        if reach > 1 and atom[0] not in "WF":
            raise RulesError(f"Betza notation {notation!r}: only W and F take a range, not {atom!r}")
        for x, y in sorted({(sx * a, sy * b) for a, b in ((files, ranks), (ranks, files))
                            for sx in (1, -1) for sy in (1, -1)}):
            if _points(notation, directions, x, y):
                found.append(Step(x, y, min(reach, FULL)))
    return found


def _points(notation: str, directions: str, x: int, y: int) -> bool:
    """Whether the step (x, y) lies in one of `directions`.

    A pair of unlike letters means both at once where the step slants: `flF` is one direction, `fF` two. On oblique leaps
    `f` (that is `ff`) are the two that go furthest forward, `fr` the one most to the right of those ahead, `rf` the one
    most ahead of those to the right, `fh` the forward half.
    """
    if not directions:
        return True
    oblique = bool(x and y) and abs(x) != abs(y)
    bad = set(directions) - set("fblrvsh" if oblique else "fblrvs")
    if bad:
        raise RulesError(f"Betza notation {notation!r}: unknown direction {min(bad)!r}")
    up, side = "f" if y > 0 else "b", "r" if x > 0 else "l"
    if not x or not y:
        return bool(set(directions) & ({up, "v"} if y else {side, "s"}))
    pairs = _PAIR.findall(directions)
    if not oblique:
        return any(set(pair) <= {up, side, "v", "s"} for pair in pairs)
    near, wide = (up, side) if abs(y) > abs(x) else (side, up)
    axis = "v" if near == up else "s"
    wanted = {near, near * 2, axis, axis * 2, wide + near, wide + axis, up + "h", side + "h"}
    return any(pair in wanted for pair in pairs)
