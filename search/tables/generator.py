"""Makes tables: scans the positions of a material, then settles them ply by ply, on several threads.

A table is made after all tables that its material leads to. The memory is known beforehand: a code and a mark for each number,
and the codes of the smaller tables. Every CHECKPOINT seconds the codes are saved, so that interrupted work can be resumed.
"""

from __future__ import annotations

import os
import time
import zipfile
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import numpy as np

from engine.errors import CommandError
from engine.rules import Rules
from search.tables import kernels
from search.tables.atlas import Charts, entries
from search.tables.files import Facts, TableFile, path_of, write_table
from search.tables.kernels import (
    CHECK,
    COUNTS,
    DRAWS,
    FIRST_WRONG,
    HIGHEST,
    LAST_ROUND,
    LONGEST,
    LONGEST_AT,
    LOSSES,
    MARK,
    MISSING,
    REPORT,
    SCAN,
    SETTLED,
    VALUE,
    WINS,
    WRONG,
)
from search.tables.materials import plan

CHUNK = 1 << 15  # numbers per call of a kernel: a thread has a new one every few hundred milliseconds
CHECKPOINT = 60.0  # seconds
BROAD_FROM = 254  # codes from here on need two bytes
MIB = 1 << 20

OnStep = Callable[[str, int, int], None]  # (what is done, done, total)


@dataclass(frozen=True)
class Need:
    """What making a table needs: numbers of the table, MiB of memory."""

    material: str
    entries: int
    memory: float

    def __str__(self) -> str:
        return f"{self.material} needs {ceil(self.memory):,} MiB"


def needs(rules: Rules, material: str) -> Need:
    """What making a table needs once all smaller ones are there. Raises CommandError."""
    own = entries(rules, material)
    lesser = sum(entries(rules, name) for name in plan(rules, [material])[:-1])
    return Need(material, own, (2 * own + 2 * lesser) / MIB)  # a code and a mark, codes of two bytes


class Maker:
    """Makes the tables of a game in a folder."""

    def __init__(self, rules: Rules, folder: Path, threads: int = 1, memory: int = 8192,
                 on_step: OnStep = lambda what, done, total: None):
        """memory: MiB that a table may take; on_step: called as the work proceeds."""
        self.rules, self.folder, self.threads, self.memory, self.on_step = rules, folder, threads, memory, on_step

    def missing(self, material: str) -> list[str]:
        """The tables to make, those that others lead to first; a table that is there must be sound. Raises TableError."""
        return [name for name in plan(self.rules, [material]) if not self._there(name)]

    def _there(self, name: str) -> bool:
        path = path_of(self.folder, self.rules, name)
        if not path.exists():
            return False
        TableFile(path, self.rules)
        return True

    def make(self, material: str) -> list[TableFile]:
        """Make a table and all that it leads to; those that were made now. Raises CommandError, TableError, OSError."""
        missing = self.missing(material)
        need = max((needs(self.rules, name) for name in missing), key=lambda each: each.memory, default=None)
        if need is not None and need.memory > self.memory:
            raise CommandError(f"{self.rules.name} {need}, and may take {self.memory:,}")
        return [self._make(name) for name in missing]

    def _make(self, name: str) -> TableFile:
        charts = self._charts(name)
        path = path_of(self.folder, self.rules, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        solved = None
        for dtype in (np.uint8, np.uint16):
            work = Work(self.rules, charts, name, np.dtype(dtype), self.threads, path.with_suffix(".part.npz"), self.on_step)
            if work.solve():
                solved = work
                break
        assert solved is not None, "no game takes that many plies"
        write_table(path, self.rules, name, solved.codes, solved.facts())
        work.part.unlink(missing_ok=True)
        return TableFile(path, self.rules)

    def _charts(self, material: str) -> Charts:
        """The charts that making a table needs: of the material, and with their codes of all that it leads to."""
        names = plan(self.rules, [material])
        charts = Charts(self.rules, names, names[:-1])
        for lesser in names[:-1]:  # one at a time, so that only one is in memory twice
            charts.enter(lesser, TableFile(path_of(self.folder, self.rules, lesser), self.rules).codes())
        return charts

    def check(self, material: str, sample: int | None = None, seed: int = 1) -> tuple[int, int, int]:
        """Compare each code of a table with the best of its moves: (positions compared, wrong ones, a wrong number or -1).

        sample: numbers to look at; default: all. Raises TableError.
        """
        own = TableFile(path_of(self.folder, self.rules, material), self.rules).codes()
        work = Work(self.rules, self._charts(material), material, own.dtype, self.threads, Path(), self.on_step)
        work.codes = own
        starts = range(0, len(own), CHUNK)
        spans = [(at, min(at + CHUNK, len(own))) for at in starts]
        if sample is not None and sample < len(own):
            size = 64
            chance = np.random.default_rng(seed)
            picked = np.unique(chance.integers(0, len(own) // size, sample // size))
            spans = [(int(at) * size, int(at) * size + size) for at in picked]
        report = work.run("checking", CHECK, int(LAST_ROUND), spans)
        return int(report[SETTLED]), int(report[WRONG]), int(report[FIRST_WRONG]) if report[WRONG] else -1


class Work:
    """One table in the making."""

    def __init__(self, rules: Rules, charts: Charts, name: str, dtype: np.dtype, threads: int, part: Path, on_step: OnStep):
        """dtype: of the codes; part: where they are kept from time to time."""
        self.rules, self.charts, self.name, self.threads, self.part, self.on_step = rules, charts, name, threads, part, on_step
        self.table = charts.number[name]
        self.none = int(np.iinfo(dtype).max)
        n = entries(rules, name)
        self.codes, self.marks = np.zeros(n, dtype), np.zeros(n, np.uint8)
        self.spans = [(at, min(at + CHUNK, n)) for at in range(0, n, CHUNK)]
        self.seconds = 0.0
        self._one((0, 0), SCAN, -1)  # compiles, or loads, before the work is timed
        self.seconds = 0.0

    def _one(self, span: tuple[int, int], step: int, ply: int) -> np.ndarray:
        """Do a step for some numbers; its report."""
        report = np.zeros(REPORT, np.int64)
        report[LONGEST_AT:LONGEST_AT + 2] = -1
        rows = np.zeros((2, self.rules.traits.words), np.uint64)
        moves = np.empty(self.rules.traits.max_moves, np.uint32)
        began = time.thread_time()
        kernels.work_kernel(self.rules, self.charts.atlas, self.table, self.codes, self.none, self.marks, rows, moves,
                            span[0], span[1], ply, step, report)
        self.seconds += time.thread_time() - began
        return report

    def run(self, what: str, step: int, ply: int, spans: list[tuple[int, int]] | None = None) -> np.ndarray:
        """Do a step for all numbers, or for some; returns the reports, int64[REPORT], put together."""
        spans = self.spans if spans is None else spans
        total = np.zeros(REPORT, np.int64)
        total[LONGEST_AT:LONGEST_AT + 2] = -1
        label = f"{self.name}: {what}"

        if self.threads == 1 or len(spans) == 1:
            for done, span in enumerate(spans):
                self.on_step(label, done, len(spans))
                _add(total, self._one(span, step, ply))
        else:
            with ThreadPoolExecutor(self.threads) as pool:  # the kernel runs without the GIL
                jobs = [pool.submit(self._one, span, step, ply) for span in spans]
                try:
                    for done, job in enumerate(jobs):
                        self.on_step(label, done, len(spans))
                        _add(total, job.result())
                except BaseException:
                    pool.shutdown(wait=True, cancel_futures=True)
                    raise
        return total

    def solve(self) -> bool:
        """Find all codes; False if they do not fit into their type."""
        ply, highest = self._resume()
        if ply < 0:
            report = self.run("scan", SCAN, -1)
            if report[MISSING]:
                raise RuntimeError(f"{self.rules.name} {self.name}: {report[MISSING]} moves lead to materials without a table")
            highest, ply = int(report[HIGHEST]), 0
        kept = time.monotonic()
        while ply + 1 <= highest:
            if highest >= min(self.none, BROAD_FROM) and self.none < 1 << 15:
                return False
            self.run(f"ply {ply}", MARK, ply)
            highest = max(highest, int(self.run(f"ply {ply}", VALUE, ply)[HIGHEST]))
            ply += 1
            if time.monotonic() - kept > CHECKPOINT:
                self._keep(ply, highest)
                kept = time.monotonic()
        return highest < self.none

    def _keep(self, ply: int, highest: int) -> None:
        """Keep what is found so far."""
        new = self.part.with_suffix(".new.npz")
        with new.open("wb") as file:
            np.savez(file, codes=self.codes, marks=self.marks, at=np.array([ply, highest]), digest=self._digest())
            file.flush()
            os.fsync(file.fileno())  # else a power cut may leave the new name with half of the contents
        new.replace(self.part)

    def _resume(self) -> tuple[int, int]:
        """(ply, highest code) where interrupted work goes on; -1, 0 if it begins."""
        if not self.part.exists():
            return -1, 0
        try:
            with np.load(self.part) as kept:
                if str(kept["digest"]) == self._digest() and kept["codes"].dtype == self.codes.dtype \
                        and len(kept["codes"]) == len(self.codes):
                    self.codes, self.marks = kept["codes"], kept["marks"]
                    ply, highest = map(int, kept["at"])
                    return ply, highest
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
            pass  # cut short or damaged: begin again
        return -1, 0

    def _digest(self) -> str:
        return f"{self.rules.traits.digest} {self.name}"

    def facts(self) -> Facts:
        """Count what the table says."""
        report = self.run("counting", COUNTS, 0)

        def pair(first: int) -> tuple[int, int]:
            return int(report[first]), int(report[first + 1])

        return Facts(pair(WINS), pair(DRAWS), pair(LOSSES), pair(LONGEST), pair(LONGEST_AT), round(self.seconds, 2))


def _add(total: np.ndarray, report: np.ndarray) -> None:
    """Put a report to the others."""
    longest = report[LONGEST:LONGEST + 2] > total[LONGEST:LONGEST + 2]
    total[LONGEST_AT:LONGEST_AT + 2][longest] = report[LONGEST_AT:LONGEST_AT + 2][longest]
    total[LONGEST:LONGEST + 2] = np.maximum(total[LONGEST:LONGEST + 2], report[LONGEST:LONGEST + 2])
    if report[WRONG] and not total[WRONG]:
        total[FIRST_WRONG] = report[FIRST_WRONG]
    total[HIGHEST] = max(total[HIGHEST], report[HIGHEST])
    for column in (SETTLED, MISSING, WRONG, WINS, WINS + 1, DRAWS, DRAWS + 1, LOSSES, LOSSES + 1):
        total[column] += report[column]
