"""Talks to the engine as a GUI does: sends lines and waits for lines, never without a time limit."""

from __future__ import annotations

import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from engine.protocol.loop import Protocol, Writer
from support.places import ROOT

ENGINE = [sys.executable, "-m", "engine"]
PATIENCE = 180.0  # seconds; only a cold compile takes that long


def installed_in(folder: Path) -> Path:
    """The program `kingmaker`, as if it had been installed there."""
    folder.mkdir()
    program = folder / "kingmaker"
    program.write_text(f'#!/bin/sh\ncd {ROOT} && exec {sys.executable} -m engine "$@"\n')
    program.chmod(0o755)
    return program


class Talk:
    """Lines out of an engine, in order."""

    def __init__(self) -> None:
        self.lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.heard: list[str] = []

    def send(self, *lines: str) -> None:
        """Say something to the engine."""
        raise NotImplementedError

    def until(self, pattern: str, patience: float = PATIENCE) -> list[str]:
        """All lines up to the first that matches as a whole, that one included."""
        got: list[str] = []
        end = time.monotonic() + patience
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                line = None
            if line is None:
                raise AssertionError(f"no line like {pattern!r} in {got}")
            got.append(line)
            self.heard.append(line)
            if re.fullmatch(pattern, line):
                return got

    def quiet(self, seconds: float = 0.2) -> list[str]:
        """What is said in the next moments."""
        time.sleep(seconds)
        got = []
        while not self.lines.empty():
            got.append(self.lines.get() or "")
        return got


class _Lines:
    """A binary stream that hands its lines on."""

    def __init__(self, talk: Talk):
        self.talk = talk

    def write(self, data: bytes) -> int:
        """Hand on the lines of `data`."""
        for line in data.decode("ascii").removesuffix("\n").split("\n"):
            self.talk.lines.put(line)
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""


class Inside(Talk):
    """An engine in this process: fast, the kernels are shared by all tests."""

    def __init__(self, kind: type[Protocol]):
        super().__init__()
        self.engine = kind(Writer(_Lines(self), lambda: None))  # type: ignore[arg-type]

    def send(self, *lines: str) -> None:
        """Let the engine handle lines, in this thread."""
        for line in lines:
            self.engine.handle(line)

    def close(self) -> None:
        """End it."""
        self.engine.close()


class Process(Talk):
    """An engine in a process of its own."""

    def __init__(self, *arguments: str):
        super().__init__()
        self.process = subprocess.Popen([*ENGINE, *arguments], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line.decode("ascii").removesuffix("\n"))
        self.lines.put(None)

    def raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, *lines: str) -> None:
        """Send lines to its standard input."""
        self.raw("".join(f"{line}\n" for line in lines).encode())

    def hang_up(self) -> None:
        """Close its standard input."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def end(self, patience: float = 20.0) -> tuple[int, str]:
        """Its exit status and what it said on stderr."""
        status = self.process.wait(patience)
        assert self.process.stderr is not None
        return status, self.process.stderr.read().decode()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.process.kill()
        self.process.wait()


def infos(lines: list[str]) -> Iterator[str]:
    """The lines of thinking."""
    return (line for line in lines if line.startswith("info depth"))
