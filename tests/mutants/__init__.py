"""One-line faults of the rules, each to be noticed by a test; `make mutants` tries them one by one.

list.toml holds them. A fault is a text of a source file and its replacement. The text must occur exactly once, so that the list
cannot rot silently while the code changes.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

LIST = Path(__file__).parent / "list.toml"


class MutantError(ValueError):
    """A mutation that cannot be made, or a bad list; one line."""


@dataclass(frozen=True)
class Mutant:
    """One fault: `old` becomes `new` in `file`; `tests` are the words for pytest that should notice it first."""

    id: str
    mechanism: str
    games: tuple[str, ...]
    file: str
    old: str
    new: str
    why: str  # what goes wrong, with a position or an argument that shows it
    tests: str

    def source(self, root: Path) -> str:
        """The file of the tree `root` with the fault in it. Raises MutantError unless `old` is there exactly once."""
        path = root / self.file
        if not path.is_file():
            raise MutantError(f"{self.id}: no file {self.file}")
        text = path.read_text(encoding="utf-8")
        if (found := text.count(self.old)) != 1:
            raise MutantError(f"{self.id}: {self.file} has the text to replace {found} times: {self.old.strip()!r}")
        return text.replace(self.old, self.new)

    def apply(self, root: Path) -> None:
        """Put the fault into the tree `root`, a copy."""
        (root / self.file).write_text(self.source(root), encoding="utf-8")


def read_list(path: Path = LIST) -> list[Mutant]:
    """The mutants of a list. Raises MutantError naming what is wrong."""
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get("mutant", [])
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise MutantError(f"{path.name}: {error}") from error
    found = dict[str, Mutant]()
    for number, row in enumerate(rows, 1):
        try:
            mutant = Mutant(**{**row, "games": tuple(row.get("games", ()))})
        except TypeError as error:
            what = str(error).removeprefix("Mutant.__init__() ")
            raise MutantError(f"{path.name}: mutant {row.get('id', number)}: {what}") from None
        if mutant.id in found:
            raise MutantError(f"{path.name}: two mutants are called {mutant.id!r}")
        found[mutant.id] = mutant
    return list(found.values())
