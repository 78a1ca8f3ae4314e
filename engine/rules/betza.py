"""Betza notation: from `KNAD` or `R3fF` to the steps a piece makes.

Read here, a piece being several of these written one after the other:

    atoms       W F D A N C Z H G and K Q R B
    range       behind an atom: `R3` up to three steps, `W0` and `WW` as far as the board goes, `NN` a nightrider
    directions  in front: `f b l r v s` and pairs such as `fl`, on oblique leaps `fh` too; on K and Q as on W and F
    modalities  in front: `m` moves only, `c` captures only, `n` lame: every square on the way must be empty (`nN` goes one step
                straight, then one diagonally outward, `nD`, `nA` and `nH` along their line), `p` hops over one piece and goes
                on (a cannon is `mRcpR`), `g` lands right behind the piece it hops over (a grasshopper is `gQ`), `j` as `p`
    bends       `t[FR]`: one step of the first atom and, if that square is empty, on as the second in the two directions away
                from where it started (a gryphon); a stop on the first square included. `t[WB]` is an aanca.

Directions are the owner's: Black's piece is White's turned round by half a turn.
Source: Ralph Betza's notation as XBoard 4.9 reads it, and his own t[..] for bends.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from engine.errors import RulesError
from engine.rules.geometry import LARGEST

ATOMS = {  # (files, ranks), 0 <= files <= ranks
    "W": (0, 1), "F": (1, 1), "D": (0, 2), "N": (1, 2), "A": (2, 2),
    "H": (0, 3), "C": (1, 3), "Z": (2, 3), "G": (3, 3),
}
COMPOUNDS = {"K": ("W1", "F1"), "Q": ("W0", "F0"), "R": ("W0",), "B": ("F0",)}
FULL = LARGEST - 1  # steps that cross any board
MOST_DIGITS = 4  # of a range

_TOKEN = re.compile(r"([a-z]*)(?:([A-SU-Z])(\2|[0-9]*)|t\[([A-Z][0-9]*)([A-Z][0-9]*)\])")
_PAIR = re.compile(r"([fbvh][lrsh]|[lrsh][fbvh]|[a-z])")
_MODALITIES = "mcnpgj"

Square = tuple[int, int]  # files east and ranks forward of the start


@dataclass(frozen=True)
class Step:
    """One direction of movement: `files` east and `ranks` forward, repeated up to `reach` times over empty squares."""

    files: int
    ranks: int
    reach: int
    lame: bool = field(default=False, repr=False)  # a leap that needs the squares on its way empty
    hop: str = field(default="", repr=False)  # over one piece: `p` and on, `g` right behind it
    bend: Square = field(default=(0, 0), repr=False)  # goes on in this direction after the first step
    beyond: int = field(default=0, repr=False)  # how many steps after the bend
    moves: bool = field(default=True, repr=False)
    captures: bool = field(default=True, repr=False)

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

    @property
    def winding(self) -> bool:
        """Whether it is neither a leap nor a slide along a line."""
        slides = self.on_line and not self.far
        return self.lame or bool(self.hop) or self.beyond > 0 or (self.reach > 1 and not slides)

    @functools.cached_property
    def way(self) -> tuple[int, tuple[Square, ...]]:
        """(how many squares at the beginning are only passed, the squares one after the other)."""
        if self.beyond:
            x, y = self.bend
            return 0, tuple((self.files + x * n, self.ranks + y * n) for n in range(self.beyond + 1))
        if self.lame:
            passed = _passed(self.files, self.ranks)
            return len(passed), (*passed, (self.files, self.ranks))
        return 0, tuple((self.files * n, self.ranks * n) for n in range(1, self.reach + 1))


def _passed(files: int, ranks: int) -> tuple[Square, ...]:
    """The squares a lame leap passes: straight along the longer side first, then diagonally."""
    found: list[Square] = []
    x, y = 0, 0
    while True:
        left = files - x, ranks - y
        longer = max(abs(left[0]), abs(left[1]))
        x += _sign(left[0]) if abs(left[0]) == longer else 0
        y += _sign(left[1]) if abs(left[1]) == longer else 0
        if (x, y) == (files, ranks):
            return tuple(found)
        found.append((x, y))


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def parse(notation: str) -> tuple[Step, ...]:
    """The steps of `notation`, longest reach first where two agree in direction, without duplicates.

    Raises: RulesError naming the part that cannot be read.
    >>> parse("fW")
    (Step(files=0, ranks=1, reach=1),)
    >>> len(parse("KN")), max(step.reach for step in parse("R3F"))
    (16, 3)
    """
    steps: dict[object, Step] = {}
    end = 0
    for match in _TOKEN.finditer(notation):
        if match.start() != end:
            break
        end = match.end()
        prefix, letter, suffix, first, second = match.groups()
        found = _bent(notation, prefix, first, second) if letter is None else _expand(notation, prefix, letter, suffix)
        if not found:
            raise RulesError(f"Betza notation {notation!r}: {match[0]!r} goes in no direction")
        for step in found:
            key = replace(step, reach=0)
            if key not in steps or steps[key].reach < step.reach:
                steps[key] = step
    if end != len(notation) or not notation:
        raise RulesError(f"Betza notation {notation!r}: cannot read {notation[end:]!r}")
    order = sorted(steps.values(), key=lambda s: (s.files, s.ranks, s.lame, s.hop, s.bend, s.moves, s.captures))
    return tuple(_merged(order))


def _merged(steps: list[Step]) -> Iterator[Step]:
    """Without what another step does as well: a capture only beside the same step that also moves."""
    both = {replace(step, reach=0): step.reach for step in steps if step.moves and step.captures}
    for step in steps:
        twin = replace(step, reach=0, moves=True, captures=True)
        if (step.moves and step.captures) or both.get(twin, 0) < step.reach:
            yield step


def _modalities(notation: str, prefix: str) -> tuple[str, str]:
    """(directions, modalities) of what stands before an atom. Raises RulesError."""
    kinds = "".join(sorted(letter for letter in prefix if letter in _MODALITIES))
    if "m" in kinds and "c" in kinds:
        kinds = kinds.replace("m", "").replace("c", "")
    if len(set(kinds)) != len(kinds) or len(set(kinds) & set("npgj")) > 1:
        raise RulesError(f"Betza notation {notation!r}: {prefix!r} contradicts itself")
    return "".join(letter for letter in prefix if letter not in _MODALITIES), kinds.replace("j", "p")


def _reach(notation: str, digits: str) -> int:
    """How many steps the number behind an atom allows; 0 and no number mean as far as the board goes. Raises RulesError."""
    if len(digits) > MOST_DIGITS:
        raise RulesError(f"Betza notation {notation[:40]!r}: the range {digits[:20]!r} has more than {MOST_DIGITS} digits")
    return min(int(digits or "0") or FULL, FULL)


def _expand(notation: str, prefix: str, letter: str, suffix: str) -> list[Step]:
    directions, kinds = _modalities(notation, prefix)
    atoms: tuple[str, ...]
    if letter in COMPOUNDS:
        atoms = COMPOUNDS[letter]
        if suffix.isdigit():
            atoms = tuple(atom[0] + suffix for atom in atoms)
        elif suffix and letter != "K":
            raise RulesError(f"Betza notation {notation!r}: {letter + suffix!r} has no meaning")
        elif suffix:
            atoms = COMPOUNDS["Q"]
    elif letter in ATOMS:
        atoms = (letter + (suffix if suffix.isdigit() else "0" if suffix else "1"),)
    else:
        raise RulesError(f"Betza notation {notation!r}: unknown atom {letter!r}")
    found = []
    for atom in atoms:
        reach = _reach(notation, atom[1:])
        for x, y in ways_of(atom[0]):
            if _points(notation, directions, x, y):
                found.append(_step(notation, kinds, x, y, reach))
    return found


def ways_of(atom: str) -> list[Square]:
    """The directions of an atom."""
    files, ranks = ATOMS[atom]
    return sorted({(sx * a, sy * b) for a, b in ((files, ranks), (ranks, files)) for sx in (1, -1) for sy in (1, -1)})


def _step(notation: str, kinds: str, x: int, y: int, reach: int) -> Step:
    step = Step(x, y, reach, moves="c" not in kinds, captures="m" not in kinds)
    if "n" in kinds:
        if reach > 1:
            raise RulesError(f"Betza notation {notation!r}: a lame leap has no range")
        return replace(step, lame=max(abs(x), abs(y)) > 1)
    if "p" in kinds or "g" in kinds:
        if not step.on_line or step.far:
            raise RulesError(f"Betza notation {notation!r}: hops go along lines only")
        return replace(step, hop="p" if "p" in kinds else "g", reach=reach if reach > 1 else FULL)
    return step


def _bent(notation: str, prefix: str, first: str, second: str) -> list[Step]:
    """`t[FR]` and its like."""
    directions, kinds = _modalities(notation, prefix)
    bases = {"R": "W", "W": "W", "B": "F", "F": "F"}
    if first not in ("W", "F") or second[0] not in bases or bases[second[0]] == first or set(kinds) - set("mc"):
        raise RulesError(f"Betza notation {notation!r}: cannot read 't[{first}{second}]', such as t[FR] or t[WB]")
    beyond = 1 if second in ("W", "F") else _reach(notation, second[1:])
    found = []
    for x, y in ways_of(first):
        if _points(notation, directions, x, y):
            found += [replace(_step(notation, kinds, x, y, 1), bend=bend, beyond=beyond)
                      for bend in ways_of(bases[second[0]]) if x * bend[0] + y * bend[1] > 0]  # away from where it started
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
