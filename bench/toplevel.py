"""What every command runs in: a refusal by the system becomes one line on stderr and an exit status, never a traceback."""

from __future__ import annotations

import codecs
import errno
import os
import select
import sys
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from bench.signals import ended_by, status_of
from engine.errors import EngineError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
PLAIN = {"±": "+-", "∞": "inf", "\u2212": "-", "\u00d7": "x", "→": "->", "…": "...", "\u2013": "-", "\u2014": "-", "µ": "u"}
PLAIN_TEXT = "kingmaker.plain"


def guarded(name: str, work: Callable[[], int]) -> int:
    """Run `work` and return its exit status: 0 as expected, 1 not, 2 wrong usage. `name` begins the line of an error."""
    open_streams()
    try:
        try:
            return work()
        finally:
            _flush_output()  # here, where a full disk can still be reported, and not while the interpreter shuts down
    except SystemExit:
        _flush(sys.stderr)
        raise
    except EngineError as error:
        status, message = 2, str(error)
    except KeyboardInterrupt as error:
        status, message = status_of(error), ""
    except OSError as error:
        ended = ended_by(error)
        seen_enough = isinstance(error, BrokenPipeError) and _unread(sys.stdout)
        status, message = 1 if ended is None else status_of(ended), "" if ended or seen_enough else reason(error)
    except MemoryError as error:
        status, message = 1, f"not enough memory: {error}".removesuffix(": ")
    if (unwritten := _flush(sys.stdout)) is not None and status == 1 and message:
        message = f"cannot write to standard output: {unwritten.strerror}"
    if message:
        with suppress(OSError):
            print(f"{name}: {message}", file=sys.stderr)
    _flush(sys.stderr)
    return status


def _flush_output() -> None:
    """Flush standard output; an error says that it was about this."""
    try:
        sys.stdout.flush()
    except OSError as error:
        error.filename = "standard output"
        raise


def reason(error: OSError) -> str:
    """The system's error in one line: the file if it is known, then the reason."""
    why = error.strerror or " ".join(str(error).split()) or type(error).__name__
    if error.filename == "standard output":
        return f"cannot write to standard output: {why}"
    if error.filename is not None:
        return f"{os.fspath(error.filename)}: {why}" if not isinstance(error.filename, int) else why
    return f"cannot write: {why}" if error.errno in FULL else why


def open_streams() -> None:
    """Make the standard streams usable: a closed one becomes the null device; missing characters are spelled."""
    for fd, mode in ((0, "r"), (1, "w"), (2, "w")):
        name = ("stdin", "stdout", "stderr")[fd]
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
            setattr(sys, name, os.fdopen(null, mode, encoding="utf-8", closefd=False))
    for stream in (sys.stdout, sys.stderr):
        if getattr(stream, "errors", None) in ("strict", "surrogateescape", "backslashreplace"):
            with suppress(AttributeError):
                stream.reconfigure(errors=PLAIN_TEXT)  # type: ignore[union-attr]


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    """Characters that the encoding lacks: as ASCII if there is a usual way to write them, else as an escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = ""
    for character in error.object[error.start:error.end]:
        letters = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
        text += PLAIN.get(character) or letters or character.encode("ascii", "backslashreplace").decode()
    return text, error.end


codecs.register_error(PLAIN_TEXT, _plain)


def _unread(stream: TextIO) -> bool:
    """Whether the reader of a stream's pipe has closed it."""
    try:
        poll = select.poll()
        poll.register(stream.fileno(), 0)
        return any(events & select.POLLERR for _, events in poll.poll(0))
    except (AttributeError, OSError):  # no poll() on this system, or no such file below the stream
        return True


def _flush(stream: TextIO) -> OSError | None:
    """Flush a stream; if that fails, drop what is left, so that the interpreter does not try again when it ends."""
    try:
        stream.flush()
    except OSError as error:
        with suppress(OSError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)
        return error
    return None
