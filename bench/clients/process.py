"""An engine in a process of its own: lines to it and from it, each with its time, and a log of both."""

from __future__ import annotations

import contextlib
import ctypes
import os
import queue
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import NamedTuple, Self

from engine.errors import CommandError, EngineError

MAX_LINE = 1 << 20  # bytes; longer than anything that an engine has to say
MAX_LINES = 100_000  # between two lines to the engine
MAX_ERRORS = 1 << 20  # bytes of stderr that are kept
LOG_LINES = 4000  # the beginning of a longer conversation is dropped
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None  # loaded here: little is safe between fork and exec
PR_SET_PDEATHSIG = 1


class EngineGoneError(EngineError):
    """The engine ended, closed its output or floods it: no answer can be expected any more."""


class NoAnswerError(EngineError):
    """No answer of the expected form came in time; `heard` is what came instead."""

    def __init__(self, wanted: str, seconds: float, heard: list[str]):
        said = f"; it said {heard[-1][:100]!r}" if heard else ""
        super().__init__(f"no {wanted} within {seconds:g} s{said}")
        self.heard = heard


class TimedLine(NamedTuple):
    """A line from an engine and when it came, by time.perf_counter()."""

    when: float
    text: str


class LogEntry(NamedTuple):
    """A line of the log: `>` to the engine, `<` from it, `!` its error output, `#` a remark."""

    when: float  # time.time()
    sign: str
    text: str


class EngineProcess:
    """Lines to and from an engine. Everything it starts ends with it.

    listener: called by the reader's thread with the time and text of each line; only lines for which it returns True
    are kept for those who wait for lines. Without one, all are kept, and an engine that says too much is cut off.
    """

    def __init__(self, words: Sequence[str], cwd: str | None = None, *, dies_with_us: bool = False):
        """Start a program with its arguments, in the folder cwd.

        dies_with_us: the kernel kills it when the thread that started it is gone (Linux).
        Raises: CommandError, caused by the system's OSError, if it does not start.
        """
        self.words = list(words)
        self.name = self.words[0]
        self.listener: Callable[[float, str], bool] | None = None
        self.log: deque[LogEntry] = deque(maxlen=LOG_LINES)
        self.errors = bytearray()  # what it wrote to stderr
        self.reader_seconds = 0.0  # processor time of the thread that reads
        self._lines: queue.SimpleQueue[TimedLine | None] = queue.SimpleQueue()
        self._unasked = 0  # lines it said since it was last spoken to
        self._closed, self._flood = False, ""  # its output
        self.process = self._start(cwd, dies_with_us)
        self._readers = [threading.Thread(target=read, daemon=True) for read in (self._read, self._read_errors)]
        for reader in self._readers:
            reader.start()

    def _start(self, cwd: str | None, dies_with_us: bool) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        try:  # in a session of its own: kill() also ends what the engine started
            return subprocess.Popen(self.words, stdin=pipe, stdout=pipe, stderr=pipe, cwd=cwd, start_new_session=True,
                                    preexec_fn=_end_with_parent if LIBC and dies_with_us else None)
        except (OSError, ValueError) as error:
            raise CommandError(f"{shlex.join(self.words)!r} does not start: {getattr(error, 'strerror', error)}") from error

    # Threads that read.

    def _read(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(ValueError):  # closed by kill()
            while not self._flood and (line := self.process.stdout.readline(MAX_LINE)):
                when = time.perf_counter()
                self._unasked += 1
                if len(line) == MAX_LINE:
                    self._flood = f"it floods its output: a line of more than {MAX_LINE} bytes"
                elif self._unasked > MAX_LINES and self.listener is None:
                    self._flood = f"it floods its output: more than {MAX_LINES} lines without being asked"
                else:
                    self._keep(TimedLine(when, line.decode("utf-8", "replace").rstrip("\r\n")))
                self.reader_seconds = time.thread_time()
        if self._flood:
            self.note("#", self._flood)
        self._closed = True
        self._lines.put(None)

    def _keep(self, line: TimedLine) -> None:
        self.note("<", line.text)
        if self.listener is None or self.listener(*line):
            self._lines.put(line)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        with contextlib.suppress(ValueError):
            while chunk := self.process.stderr.read1(1 << 16):  # type: ignore[attr-defined]
                self.errors += chunk[:MAX_ERRORS - len(self.errors)]
                for line in chunk.decode("utf-8", "replace").splitlines():
                    self.note("!", line)

    def note(self, sign: str, line: str) -> None:
        """Add a line to the log."""
        self.log.append(LogEntry(time.time(), sign, line))

    def log_text(self) -> str:
        """The log as lines of time, direction and text."""
        return "".join(f"{time.strftime('%H:%M:%S', time.gmtime(when))}.{int(when % 1 * 1000):03d} {sign} {line}\n"
                       for when, sign, line in list(self.log))

    # The process.

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self.process.poll() is None

    def end(self) -> str:
        """How it ended, closed its output or was cut off; empty while all is well."""
        if self._flood:
            return self._flood
        if not self._closed and self.alive:
            return ""
        found = self.ended(0.5)
        if found is None:
            return "it closed its output"
        if found[0] < 0:
            with contextlib.suppress(ValueError):
                return f"it died of {signal.Signals(-found[0]).name}"
        return f"it ended with status {found[0]}"

    def ended(self, seconds: float) -> tuple[int, float] | None:
        """(exit status, seconds it took to end); None if it is alive after that time."""
        began = time.perf_counter()
        try:
            return self.process.wait(seconds), time.perf_counter() - began
        except subprocess.TimeoutExpired:
            return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.kill()

    def kill(self) -> int:
        """End it at once and leave nothing behind; returns the exit status."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL) if hasattr(os, "killpg") else self.process.kill()
        status = self.process.wait()
        for reader in self._readers:
            reader.join(1.0)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        return status

    # Lines.

    def raw(self, data: bytes) -> float:
        """Send bytes; returns the time just before: no answer can have an earlier one. Raises EngineGoneError."""
        assert self.process.stdin is not None
        self._unasked = 0
        began = time.perf_counter()
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except (OSError, ValueError) as error:
            raise EngineGoneError(self.end() or f"it does not read its input: {error}") from error
        return began

    def send(self, *lines: str) -> float:
        """Send lines in one write; returns the time just before it. Raises EngineGoneError."""
        for line in lines:
            self.note(">", line)
        return self.raw("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))

    def hear(self, seconds: float) -> TimedLine | None:
        """The next line, or None if none comes in time. Raises EngineGoneError."""
        try:
            line = self._lines.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return None
        if line is None:
            self._lines.put(None)
            raise EngineGoneError(self.end() or "it closed its output")
        return line

    def until(self, pattern: str, seconds: float, wanted: str = "") -> list[str]:
        """The lines up to and including the first that matches as a whole.

        wanted: what an error calls the line; default: the pattern. Raises NoAnswerError, EngineGoneError.
        """
        return [line for _, line in self.timed(pattern, seconds, wanted)]

    def timed(self, pattern: str, seconds: float, wanted: str = "") -> list[TimedLine]:
        """The same lines with their times."""
        got: list[TimedLine] = []
        end = time.perf_counter() + seconds
        while True:
            line = self.hear(end - time.perf_counter())
            if line is None:
                raise NoAnswerError(wanted or pattern, seconds, [text for _, text in got])
            got.append(line)
            if re.fullmatch(pattern, line.text):
                return got

    def listen(self, seconds: float) -> list[str]:
        """All lines that come within a time. Raises EngineGoneError."""
        got: list[str] = []
        end = time.perf_counter() + seconds
        while (line := self.hear(end - time.perf_counter())) is not None:
            got.append(line.text)
        return got

    def forget(self) -> None:
        """Drop the lines that nobody has waited for. Raises EngineGoneError."""
        while self.hear(0) is not None:
            pass

    def hang_up(self) -> float:
        """Close its standard input; returns the time just before."""
        assert self.process.stdin is not None
        began = time.perf_counter()
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        return began


@contextlib.contextmanager
def blamed(engine: EngineProcess) -> Iterator[None]:
    """What goes wrong with the engine becomes a CommandError that names it."""
    try:
        yield
    except (EngineGoneError, NoAnswerError) as error:
        raise CommandError(f"{shlex.join(engine.words)}: {error}") from None


def _end_with_parent() -> None:
    """In the new process, before the engine runs: have the kernel kill it when its parent is gone (Linux)."""
    assert LIBC is not None
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
