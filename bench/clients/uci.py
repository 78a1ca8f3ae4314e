"""Another engine over UCI, as far as measuring needs it: python-chess's client knows no `go perft`."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from types import TracebackType
from typing import Self

from bench.clients.programs import words_of
from engine.errors import CommandError

OURSELVES = shlex.join([sys.executable, "-m", "engine"])
MAX_LINES, MAX_LINE = 100_000, 10_000  # no answer has so many, none so long


class UciProbe:
    """A UCI engine in a process of its own. Raises CommandError where it does not start, dies or falls silent."""

    def __init__(self, command: str, timeout: float = 120.0, greeting: float | None = None):
        """timeout: seconds it has for an answer; greeting: for the first, `uciok`."""
        self.words = words_of(command)
        self.timeout = timeout if greeting is None else greeting
        try:
            self.process = subprocess.Popen(
                self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                errors="replace", bufsize=1, start_new_session=True)
        except OSError as error:
            raise CommandError(f"{command!r} does not start: {error.strerror}") from None
        self.variants: list[str] = []
        self.chess960 = False
        self.name = self.words[0]
        try:
            self._greet()
            self.timeout = timeout
            self.ask("isready", "readyok")
        except CommandError:
            self.kill()
            raise

    def _greet(self) -> None:
        for line in self.ask("uci", "uciok"):
            self.chess960 |= line.startswith("option name UCI_Chess960 ")
            if line.startswith("id name "):
                self.name = line.removeprefix("id name ").strip()
            if line.startswith("option name UCI_Variant "):
                self.variants = line.split(" var ")[1:]
                self.variants = [word.strip() for word in self.variants]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        if self.process.poll() is None:
            try:
                self.send("quit")
                self.process.wait(5)
            except (CommandError, subprocess.TimeoutExpired):
                self.kill()

    def kill(self) -> None:
        """End the engine and whatever it started: a child left behind would hold its output open."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL) if hasattr(os, "killpg") else self.process.kill()
        self.process.wait()

    def send(self, line: str) -> None:
        assert self.process.stdin
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except OSError as error:
            raise CommandError(f"{self.words[0]} is gone: {error}") from error

    def ask(self, line: str, last: str) -> list[str]:
        """Lines up to the one that starts with `last`."""
        assert self.process.stdout
        silent = threading.Event()

        def give_up() -> None:
            silent.set()
            self.kill()

        watchdog = threading.Timer(self.timeout, give_up)
        watchdog.daemon = True
        watchdog.start()
        try:
            self.send(line)
            found: list[str] = []
            while answer := self.process.stdout.readline(MAX_LINE):
                found.append(answer.rstrip())
                if answer.startswith(last):
                    return found
                if len(found) >= MAX_LINES:
                    raise CommandError(f"{self.words[0]} answers {line!r} with more than {MAX_LINES:,} lines and no {last!r}")
        finally:
            watchdog.cancel()
        if silent.is_set():
            raise CommandError(f"{self.words[0]} has not answered {line!r} with {last!r} in {self.timeout:.0f} s")
        raise CommandError(f"{self.words[0]} died after {line!r}")

    def variant(self, name: str) -> None:
        """Switch to a variant, also to orthodox chess where the engine has others."""
        if self.variants:
            self.send(f"setoption name UCI_Variant value {name}")
        self.ask("isready", "readyok")

    def perft(self, fen: str, depth: int) -> tuple[int, float]:
        """(nodes, seconds)."""
        self.send(f"position fen {fen}")
        self.ask("isready", "readyok")
        start = time.perf_counter()
        last = self.ask(f"go perft {depth}", "Nodes searched")[-1]
        return int(last.split(":")[1]), time.perf_counter() - start

    def search_speed(self, fen: str, milliseconds: int) -> int:
        """Nodes per second by the engine's own last word after thinking that long from an empty table."""
        self.send("ucinewgame")
        self.send(f"position fen {fen}")
        self.ask("isready", "readyok")
        found = 0
        for line in self.ask(f"go movetime {milliseconds}", "bestmove"):
            if match := re.search(r"\bnps (\d+)", line):
                found = int(match[1])
        return found
