"""Another engine over UCI, as far as measuring needs it: python-chess's client knows no `go perft`."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
from types import TracebackType

from engine.errors import CommandError

OURSELVES = shlex.join([sys.executable, "-m", "engine"])


class UciProbe:
    """A UCI engine in a process of its own. Raises CommandError where it does not start, dies or falls silent."""

    def __init__(self, command: str, timeout: float = 120.0):
        self.words = shlex.split(command)
        if not self.words or shutil.which(self.words[0]) is None:
            raise CommandError(f"no such program: {command!r}")
        self.timeout = timeout
        self.process = subprocess.Popen(
            self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1)
        self.variants: list[str] = []
        self.name = self.words[0]
        for line in self.ask("uci", "uciok"):
            if line.startswith("id name "):
                self.name = line.removeprefix("id name ").strip()
            if line.startswith("option name UCI_Variant "):
                self.variants = line.split(" var ")[1:]
                self.variants = [word.strip() for word in self.variants]
        self.ask("isready", "readyok")

    def __enter__(self) -> UciProbe:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        if self.process.poll() is None:
            try:
                self.send("quit")
                self.process.wait(5)
            except (CommandError, subprocess.TimeoutExpired):
                self.process.kill()

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
        watchdog = threading.Timer(self.timeout, self.process.kill)
        watchdog.start()
        try:
            self.send(line)
            found: list[str] = []
            for answer in self.process.stdout:
                found.append(answer.rstrip())
                if answer.startswith(last):
                    return found
        finally:
            watchdog.cancel()
        raise CommandError(f"{self.words[0]} died or fell silent after {line!r}")

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
