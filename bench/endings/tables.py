"""Tables of endings as arrays: the value of every position, and samples of positions."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.endings.kernels import NOWHERE, sample_kernel
from engine.rules import Rules
from search.tables.atlas import Charts
from search.tables.files import TableFile, path_of
from search.tables.generator import Maker
from search.tables.materials import named, plan

NO_POSITION = 32767  # in place of a value


class Sample(NamedTuple):
    """Some positions of a table."""

    rows: np.ndarray  # uint64[n, words]
    values: np.ndarray  # int16[n]: from the side to move: k wins in k plies, -k loses in k - 1, 0 draws
    firsts: np.ndarray  # uint64[n]: the colour of the side named first; who is to move, if both have the same pieces
    keys: np.ndarray  # uint64[n]: of their endings (search/eval/endings.py)
    flags: np.ndarray  # uint8[n]: bits of bench/endings/kernels.py


class Tables:
    """The tables of some materials of a game and of all that they lead to."""

    def __init__(self, rules: Rules, wanted: Iterable[str], folder: Path, progress: bool = False):
        """Make those that the folder lacks. Raises CommandError, TableError, OSError."""
        self.rules, names = rules, [named(*name.split("v")) for name in wanted]
        maker = Maker(rules, folder)
        for name in names:
            for made in maker.make(name):
                if progress:
                    print(f"{rules.name} {made.material}: {made.entries} numbers, longest win {max(made.facts.longest)} plies, "
                          f"{made.facts.seconds} s", file=sys.stderr, flush=True)
        self.files = {name: TableFile(path_of(folder, rules, name), rules) for name in plan(rules, names)}
        self.charts = Charts(rules, list(self.files))

    def values(self, name: str) -> np.ndarray:
        """int16[n]: the value of each number for the side to move; NO_POSITION where there is none."""
        codes = self.files[name].codes()
        value = codes.astype(np.int16)
        lost = codes & 1 == 1  # a code is plies and one more: odd for a loss
        value[lost] = -value[lost]
        value[~lost & (codes > 0)] -= 1
        value[codes == np.iinfo(codes.dtype).max] = NO_POSITION
        return value

    def sample(self, name: str, numbers: np.ndarray) -> Sample:
        """The positions among these numbers."""
        values, n, traits = self.values(name)[numbers], len(numbers), self.rules.traits
        sides = name.split("v")
        found = Sample(np.zeros((n, traits.words), np.uint64), values, np.zeros(n, np.uint64), np.zeros(n, np.uint64),
                       np.zeros(n, np.uint8))
        sample_kernel(self.rules, self.charts.atlas, self.charts.number[name], sides[0] == sides[1], numbers, found.rows,
                      np.zeros(traits.words, np.uint64), np.empty(traits.max_moves, np.uint32), found.firsts, found.keys,
                      found.flags)
        there = found.flags & NOWHERE == 0
        return Sample(*(part[there] for part in found))
