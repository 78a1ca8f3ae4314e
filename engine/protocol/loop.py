"""What both protocols share: lines in, lines out, and one worker thread.

The main thread reads. Commands that depend on earlier ones go through a queue to the worker, so that loading, compiling and
searching never keep the reader from hearing `stop` and `quit`, which it handles at once.
"""

from __future__ import annotations

import os
import queue
import select
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, ClassVar, NamedTuple

from engine.errors import CommandError, EngineError
from engine.protocol.options import shown, suggestion
from engine.protocol.requests import Ending, Ticket
from engine.protocol.session import Session

MAX_LINE = 1 << 18  # characters; a game of ten thousand moves takes a quarter of that
GRACE = 3.0  # seconds after `quit` for the commands before it
COUNT_GRACE = 0.7  # seconds of these for counts: a GUI waits about a second after `quit` before it kills us
BREATH = 0.2  # seconds; the lines of a script, written before it was read, come faster


class Command(NamedTuple):
    """A row of a protocol's command table."""

    run: Callable[[Any, str], None]  # takes the protocol and the rest of the line
    now: bool  # the reader handles it at once, even during a search; else the worker does, in turn
    help: str


def first_word(line: str) -> tuple[str, str]:
    """The first word of a line and the rest, both stripped; a NUL counts as a blank.

    >>> first_word(" go  depth 9 ")
    ('go', 'depth 9')
    """
    words = line.replace("\0", " ").split(None, 1)
    return (words[0] if words else "", words[1].rstrip() if len(words) > 1 else "")


def read_lines(stream: BinaryIO) -> Iterator[str | int]:
    """Yield the lines of a byte stream as text, whatever the bytes, and the length of each line longer than MAX_LINE."""
    buffer, dropped = bytearray(), 0
    read = getattr(stream, "read1", stream.read)  # read1 returns what is there, read would wait for more
    while True:
        try:
            chunk = read(1 << 16)
        except (OSError, ValueError):
            chunk = b""
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            buffer += part
            if dropped or len(buffer) > MAX_LINE:
                yield dropped + len(buffer)
            else:
                yield buffer.decode("utf-8", "replace")
            buffer, dropped = bytearray(), 0
        buffer += rest
        if len(buffer) > MAX_LINE:
            dropped += len(buffer)
            buffer = bytearray()
        if not chunk:
            if dropped:
                yield dropped + len(buffer)
            elif buffer:
                yield buffer.decode("utf-8", "replace")
            return


class Writer:
    """Writes whole lines, one at a time, flushed. All output goes through one writer."""

    def __init__(self, stream: BinaryIO, on_broken: Callable[[], None]):
        self._stream, self._on_broken = stream, on_broken
        self._lock = threading.Lock()

    def line(self, text: str) -> None:
        """Write one line, or several that belong together."""
        data = text.encode("ascii", "replace") + b"\n"
        with self._lock:
            try:
                self._stream.write(data)
                self._stream.flush()
            except (OSError, ValueError):  # nobody reads any more
                self._on_broken()


class Protocol:
    """A command table, a reader and a worker around one Session."""

    commands: ClassVar[dict[str, Command]]

    def __init__(self, writer: Writer):
        self.writer = writer
        self.session = Session(self.news)
        self._queue: queue.SimpleQueue[tuple[Callable[[], None], str] | None] = queue.SimpleQueue()
        self._waiting = 0  # commands given and not yet done, without what nobody asked for, such as loading in advance
        self._changed = threading.Condition()
        self.closing = False
        threading.Thread(target=self._work, name="worker", daemon=True).start()

    def send(self, text: str) -> None:
        """Send lines to the GUI."""
        self.writer.line(text)

    def news(self, text: str) -> None:
        """Report how loading goes, in the way of the protocol."""
        raise NotImplementedError

    def error(self, message: str, line: str) -> None:
        """Report in one line what is wrong with `line`, in the way of the protocol."""
        raise NotImplementedError

    def unknown(self, word: str) -> None:
        """Handle a line whose first word is no command. Raises CommandError."""
        raise CommandError(f"unknown command {shown(word)}{suggestion(word, list(self.commands))}")

    def find(self, word: str) -> Command | None:
        """The command of a line's first word; None if there is none."""
        return self.commands.get(word)

    def handle(self, line: str) -> bool:
        """Handle one line from the GUI, whatever is in it; return False if it is `quit`."""
        word, rest = first_word(line)
        if not word:
            return True
        if word == "quit":
            return False
        command = self.find(word)
        if command is None and (self.idle() or self.session.busy()):
            self._run(lambda: self.unknown(word), line)
        elif command is None:  # errors come in the order of the lines
            self.later(lambda: self.unknown(word), line)
        elif command.now:
            self._run(lambda: command.run(self, rest), line)
        else:
            self.later(lambda: command.run(self, rest), line)
        return True

    def later(self, job: Callable[[], None], line: str, asked: bool = True) -> None:
        """Let the worker do a job after all earlier ones. asked: a command asked for it."""
        with self._changed:
            self._waiting += asked
        if not asked:
            self._queue.put((job, ""))
            return

        def counted() -> None:
            try:
                self._run(job, line)
            finally:
                with self._changed:
                    self._waiting -= 1
                    self._changed.notify_all()

        self._queue.put((counted, line))

    def with_ticket(self, job: Callable[[Ticket], None], line: str) -> None:
        """Let the worker do a job that searches or counts; the ticket lets `stop` find it before it begins."""
        ticket = self.session.ticket()

        def run() -> None:
            try:
                job(ticket)
            finally:
                self.session.done(ticket)

        self.later(run, line)

    def idle(self) -> bool:
        """Whether nothing that was asked for waits or runs."""
        return not self._waiting

    def wait_until_idle(self, seconds: float) -> bool:
        """Wait until nothing that was asked for waits or runs; return False if that takes longer."""
        with self._changed:
            return self._changed.wait_for(self.idle, seconds)

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            self._run(*item)

    def _run(self, job: Callable[[], None], line: str) -> None:
        try:
            job()
        except EngineError as error:
            self.error(str(error), line)
        except Exception as error:  # a bug, or no memory: the loop goes on
            self.error(f"internal error, {type(error).__name__}: {error}", line)

    def loop(self, lines: Iterator[str | int]) -> None:
        """Serve until `quit` or the end of the input."""
        for line in lines:
            if isinstance(line, int):
                self.error(f"line of {line} characters ignored, at most {MAX_LINE} are read", "")
            elif not self.handle(line):
                if self._ends_a_script(lines):
                    break
                self.close()
                return
        self.finish()

    def _ends_a_script(self, lines: Iterator[str | int]) -> bool:
        """Whether `quit` is the last line of a script, to be obeyed when everything before it is done.

        A GUI sends `quit` some time after the other lines, or leaves the input open; then it means now.
        """
        if self.idle() or self.session.age() > BREATH:
            return False
        ended = threading.Event()

        def read_on() -> None:
            for _ in lines:
                pass
            ended.set()

        threading.Thread(target=read_on, name="rest", daemon=True).start()
        return ended.wait(BREATH)

    def finish(self) -> None:
        """The input has ended: answer what was asked, and end now what only another command could end.

        This may take long. A client that dies meanwhile closes our output, which ends the process: see open_stdio().
        """
        self.session.end(Ending.ENDLESS)
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # no GUI is left to send it, but a user can press Ctrl-C
        with self._changed:
            self._changed.wait_for(self.idle)
        self.close()

    def close(self) -> None:
        """End searches, and give what was asked before a little time to finish; do not wait for a compilation."""
        self.closing = True
        self.session.end(Ending.SEARCHES)
        until, counted = time.monotonic() + GRACE, 0.0
        with self._changed:
            while self._waiting and not self.session.compiling() and time.monotonic() < until:
                began = time.monotonic()
                self._changed.wait(0.01)
                counted += (time.monotonic() - began) * self.session.counting()
                if counted > COUNT_GRACE:
                    self.session.end(Ending.ALL)
        self.session.end(Ending.ALL)
        self._queue.put(None)


def _is_pipe(descriptor: int) -> bool:
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError:
        return True
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def open_stdio() -> tuple[BinaryIO, Writer]:
    """Standard input, and a writer on standard output that ends the process quietly if nobody reads it."""
    threading.Thread(target=_watch, args=(sys.stdout.fileno(),), name="watch", daemon=True).start()
    return sys.stdin.buffer, Writer(sys.stdout.buffer, lambda: os._exit(0))


def _watch(descriptor: int) -> None:
    """End the process as soon as nobody can read from a pipe any more, even if there is nothing to write."""
    if not hasattr(select, "poll") or not _is_pipe(descriptor):
        return
    poll = select.poll()
    poll.register(descriptor, 0)  # no events: errors are always reported
    if any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll()):
        os._exit(0)
