"""A local Dask cluster: a scheduler and two workers, started as a user would start them."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from support.places import ROOT, TESTS


@dataclass
class Dask:
    """A scheduler and its workers."""

    address: str
    scheduler: subprocess.Popen[str]
    workers: list[subprocess.Popen[str]] = field(default_factory=list)

    def add_worker(self) -> None:
        """Start a worker of one thread, without a nanny: that would replace a killed worker."""
        self.workers.append(dask("worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
                                 "--memory-limit", "0", "--host", "127.0.0.1"))


def dask(*words: str) -> subprocess.Popen[str]:
    """Start a command of Dask; what it prints is not shown."""
    words += ("--dashboard-address", "127.0.0.1:0")
    return subprocess.Popen([sys.executable, "-m", "dask", *words], stderr=subprocess.DEVNULL, text=True,
                            env={**os.environ, "PYTHONPATH": f"{ROOT}:{TESTS}:{TESTS / 'bench'}"})


@pytest.fixture
def cluster() -> Iterator[Dask]:
    """A scheduler and two workers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    found = Dask(f"tcp://127.0.0.1:{port}", dask("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"))
    for _ in range(2):
        found.add_worker()
    try:
        yield found
    finally:
        for process in [*found.workers, found.scheduler]:
            process.kill()
            process.wait()
