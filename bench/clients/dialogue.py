"""An engine in a process of its own, line by line and by the clock: what doctor, latency and fuzz talk through."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import shlex
import signal
import subprocess
import threading
import time
from types import TracebackType

from bench.clients.programs import words_of
from engine.errors import CommandError

MAX_LINE = 1 << 20  # bytes; nothing that an engine has to say is as long
MAX_LINES = 100_000  # between two words to it
MAX_ERRORS = 1 << 20  # bytes of stderr that are kept


class Gone(Exception):
    """The engine ended, closed its output or floods it: no answer can be expected any more."""


class Silent(Exception):
    """No answer of the wanted form in time; `heard` is what came instead."""

    def __init__(self, wanted: str, seconds: float, heard: list[str]):
        said = f"; it said {heard[-1][:100]!r}" if heard else ""
        super().__init__(f"no {wanted} within {seconds:g} s{said}")
        self.heard = heard


class Dialogue:
    """Lines to and from an engine. Raises CommandError where there is no such program.

    What it says is kept in memory until it is read: an engine that says too much is not listened to any longer.
    """

    def __init__(self, command: str | list[str], cwd: str | None = None):
        self.words = words_of(command)
        pipe = subprocess.PIPE
        try:  # in a session of its own: kill() ends what the engine started, too
            self.process = subprocess.Popen(self.words, stdin=pipe, stdout=pipe, stderr=pipe, cwd=cwd, start_new_session=True)
        except (OSError, ValueError) as error:
            raise CommandError(f"{shlex.join(self.words)!r} does not start: {error}") from None
        self.heard: list[tuple[float, str]] = []  # (time.perf_counter(), line), all of them
        self.errors = bytearray()  # what it wrote on stderr
        self._lines: queue.SimpleQueue[tuple[float, str] | None] = queue.SimpleQueue()
        self._unasked = 0  # lines it said since it was last spoken to
        self._closed, self._flood = False, ""  # its output
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read, self._read_errors)]
        for reader in self._readers:
            reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(ValueError):  # closed by kill()
            while not self._flood and (line := self.process.stdout.readline(MAX_LINE)):
                self._unasked += 1
                if len(line) == MAX_LINE:
                    self._flood = f"it floods its output: a line of more than {MAX_LINE} bytes"
                elif self._unasked > MAX_LINES:
                    self._flood = f"it floods its output: more than {MAX_LINES} lines without being asked"
                else:
                    self._lines.put((time.perf_counter(), line.decode("utf-8", "replace").rstrip("\r\n")))
        self._closed = True
        self._lines.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        with contextlib.suppress(ValueError):
            while chunk := self.process.stderr.read1(1 << 16):  # type: ignore[attr-defined]
                self.errors += chunk[:MAX_ERRORS - len(self.errors)]

    def end(self) -> str:
        """How it ended, closed its output or was given up; empty while it is well."""
        if self._flood:
            return self._flood
        if not self._closed and self.process.poll() is None:
            return ""
        found = self.ended(0.5)
        if found is None:
            return "it closed its output"
        if found[0] < 0:
            with contextlib.suppress(ValueError):
                return f"it died of {signal.Signals(-found[0]).name}"
        return f"it ended with status {found[0]}"

    def __enter__(self) -> Dialogue:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.kill()

    def kill(self) -> None:
        """End it at once and leave nothing behind."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL) if hasattr(os, "killpg") else self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join(1.0)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def raw(self, data: bytes) -> float:
        """Send bytes; the time they were written. Raises Gone."""
        assert self.process.stdin is not None
        self._unasked = 0
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except (OSError, ValueError) as error:
            raise Gone(self.end() or f"it does not read its input: {error}") from error
        return time.perf_counter()

    def send(self, *lines: str) -> float:
        """Send lines; the time they were written. Raises Gone."""
        return self.raw("".join(f"{line}\n" for line in lines).encode())

    def hear(self, seconds: float) -> tuple[float, str] | None:
        """The next line and when it came; None when none came in time. Raises Gone."""
        try:
            item = self._lines.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return None
        if item is None:
            self._lines.put(None)
            raise Gone(self.end() or "it closed its output")
        self.heard.append(item)
        return item

    def until(self, pattern: str, seconds: float, wanted: str = "") -> list[str]:
        """The lines up to the first that matches as a whole, that one included. Raises Silent, Gone."""
        return [line for _, line in self.timed(pattern, seconds, wanted)]

    def timed(self, pattern: str, seconds: float, wanted: str = "") -> list[tuple[float, str]]:
        """The same with the times they came."""
        got: list[tuple[float, str]] = []
        end = time.perf_counter() + seconds
        while True:
            item = self.hear(end - time.perf_counter())
            if item is None:
                raise Silent(wanted or pattern, seconds, [line for _, line in got])
            got.append(item)
            if re.fullmatch(pattern, item[1]):
                return got

    def listen(self, seconds: float) -> list[str]:
        """Whatever is said within a time."""
        got: list[str] = []
        end = time.perf_counter() + seconds
        while (item := self.hear(end - time.perf_counter())) is not None:
            got.append(item[1])
        return got

    def hang_up(self) -> float:
        """Close its standard input; when."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        return time.perf_counter()

    def ended(self, seconds: float) -> tuple[int, float] | None:
        """(exit status, seconds it took) once it has ended; None where it lives on."""
        began = time.perf_counter()
        try:
            return self.process.wait(seconds), time.perf_counter() - began
        except subprocess.TimeoutExpired:
            return None
