"""Many fast games of all ten variants, one run each: nothing lost, nothing left behind, memory constant, every game right."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import variants
from bench.check import verify
from bench.match.store import Store
from support.games import LICHESS
from support.places import ROOT
from support.talk import ENGINE, PATIENCE

GAMES = int(os.environ.get("KINGMAKER_GAMES", "40"))  # of each variant; 200 make the 2,000 of docs/match.md
GROWTH = 24 << 10  # KiB that a process may grow by in the second half of its run


def family(pid: int) -> dict[int, int]:
    """Resident memory in KiB of a process and all that descend from it, by number."""
    parents, sizes = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                sizes[int(entry.name)] = int((entry / "statm").read_text().split()[1]) * (os.sysconf("SC_PAGE_SIZE") >> 10)
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return {member: sizes[member] for member in found if member in sizes}


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", [*variants.names(), *LICHESS])
def test_many_fast_games(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench", "match", "-each", "nodes=100", "option.Hash=1", f"startup={PATIENCE:g}",
               f"cmd={sys.executable}",
               f"args={' '.join(ENGINE[1:])}", f"dir={ROOT}", "-engine", "name=a", "-engine", "name=b", "-variant", name,
               "-openings", "file=book", "order=random", "-maxmoves", "200", "-games", str(GAMES), "-concurrency", "2",
               "-results", str(tmp_path / "r.sqlite"), "-pgnout", str(tmp_path / "r.pgn")]
    runner = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE, text=True)
    assert runner.stdout is not None
    samples = [family(runner.pid) for line in runner.stdout if line.startswith("Game ")]
    assert runner.wait() == 0
    time.sleep(0.5)
    seen = set().union(*samples)
    assert not [pid for pid in seen if alive(pid)], "processes were left behind"
    half, end = samples[len(samples) // 2], samples[-2]
    lasting = set(half) & set(end)
    assert len(lasting) >= 7, "runner, two workers, four engines"  # and multiprocessing's tracker
    growth = {pid: end[pid] - half[pid] for pid in lasting}
    print(f"{name}: KiB at half time and grown by: " + ", ".join(f"{half[pid]}{growth[pid]:+}" for pid in sorted(lasting)))
    assert max(growth.values()) < GROWTH, growth
    records = list(Store.open(tmp_path / "r.sqlite").games())
    assert sorted(record.number for record in records) == list(range(1, GAMES + 1))
    for record in records:
        assert not record.reason.fault and record.result != "*", record.detail
        assert list(verify.look(record)) == [], record.number
