"""XBoard as a person sees it: a virtual screen, a window, a mouse; and XBoard's own log, read back as a game.

Needs Debian's xboard, xvfb and xdotool. Everything has a time limit, every process is ended.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import struct
import subprocess
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np
import pytest

import variants
from bench.gui.xboard import from_position, switches
from engine.core.moves import DRIVE, KIND, NAMING, TO
from engine.errors import MoveError
from engine.game import Game
from engine.protocol.xboard.wire import Wire
from engine.rules import BLACK, TURN, WHITE
from engine.text import to_fen
from support.places import ROOT
from support.talk import ENGINE

PATIENCE = 120.0  # seconds; a cold compile of a game is part of it
SIZE = 49  # pixels of a square
SCREEN = (900, 700)
QUIET = ("-soundProgram", "", "-debug")


def program(name: str) -> str:
    """The path of a program; skips the test if it is missing, and fails in CI."""
    found = shutil.which(name) or shutil.which(name, path="/usr/games")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail(f"{name} is not installed, and CI must run this")
        pytest.skip(f"NOT TESTED: {name} is not installed (Debian: apt install xboard xvfb xdotool)")
    return found


class Screen:
    """A screen in memory."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / "Xvfb_screen0"
        read, write = os.pipe()
        self.process = subprocess.Popen(
            [program("Xvfb"), "-displayfd", str(write), "-screen", "0", f"{SCREEN[0]}x{SCREEN[1]}x24", "-fbdir", str(folder),
             "-nolisten", "tcp"], pass_fds=(write,), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as answer:
            self.display = f":{answer.readline().strip()}"

    def xdotool(self, *words: str) -> str:
        """Run xdotool and return what it says."""
        done = subprocess.run([program("xdotool"), *words], env={**os.environ, "DISPLAY": self.display}, capture_output=True,
                              text=True, timeout=PATIENCE, check=False)
        return done.stdout.strip()

    def picture(self) -> np.ndarray:
        """What is on it: uint8[height, width, 3], red green blue. Source: X11/XWDFile.h, 24-bit ZPixmap."""
        data = self.file.read_bytes()
        header = struct.unpack(">25I", data[:100])
        size, width, height, line, colours = header[0], header[4], header[5], header[12], header[19]
        pixels = np.frombuffer(data, np.uint8, line * height, size + 12 * colours).reshape(height, line)
        return pixels[:, :width * 4].reshape(height, width, 4)[:, :, 2::-1]

    def close(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait(10)


@dataclass
class View:
    """A game as one of the engines sees it, its own moves included."""

    game: Game
    wire: Wire
    result: str = ""
    reason: str = ""

    def follow(self, way: str, word: str, rest: str) -> None:
        """Do what a line to the engine (">") or from it ("<") says."""
        if way == ">" and word == "setboard":
            self.game = Game(self.game.rules, rest)
            self.wire.begin(self.game, rest)
        elif way == ">" and word in ("undo", "remove"):
            for _ in range(1 + (word == "remove")):
                if self.wire.undo() is not None:
                    self.game.pop()
        elif (way == ">" and word == "usermove") or (way == "<" and word == "move"):
            try:
                move = self.wire.add(self.game, rest)
            except MoveError:
                if way == "<" or rest[:2] == "@@":
                    raise
                return  # a person's; the engine has to refuse it
            if move is not None:
                self.game.push(move)
        elif way == ">" and word == "result":
            self.result, _, self.reason = rest.partition(" ")

    @property
    def specials(self) -> dict[str, int]:
        """How many overthrows, moves of the opponent's king, and successions it had."""
        found = {"overthrow": 0, "drive": 0, "succession": 0}
        king = self.game.rules.traits.king
        for pos, move in zip(self.game.positions, self.game.moves, strict=False):
            kind = move >> KIND & 15
            found["overthrow"] += kind == NAMING
            found["drive"] += kind == DRIVE
            enemy = int(pos[BLACK if int(pos[TURN]) == 0 else WHITE])
            taken = king is not None and bool(enemy & int(pos[king.word]) & 1 << (move >> TO & 63))
            found["succession"] += taken and bool(self.game.rules.succession)
        return found


_LINE = re.compile(r"\d+ ([<>])(first |second): (.*)")


def read_log(lines: Iterable[str], variant: str, begun: bool = False) -> list[dict[str, View]]:
    """The games in XBoard's log, by engine; `begun`: also those without a move.

    An engine's moves are read as it sent them, and as XBoard relayed them to the other. Raises MoveError if a move was not
    legal, unless it was taken back.
    """
    games: list[dict[str, View]] = [{}]
    rules = variants.find(variant)
    for line in lines:
        match = _LINE.match(line)
        if match is None:
            continue
        way, who, text = match[1], match[2].strip(), match[3]
        word, _, rest = text.partition(" ")
        rest = re.sub(r"^\d+ >(first |second): ", "", rest)  # XBoard logs a move in two parts
        view = games[-1].get(who)
        if way == ">" and word == "new":
            if view is not None and view.game.moves:
                games.append({})
            view = games[-1][who] = View(Game(rules), Wire())
            view.wire.begin(view.game)
        elif view is not None and not view.result:  # else a move thought of while the other side accepted a draw
            view.follow(way, word, rest)
    return [game for game in games if any(view.game.moves or begun for view in game.values())]


def men(fen: str) -> str:
    """Who stands where and who is to move; XBoard knows castling rights, passed squares and the order of hands of its own."""
    return " ".join(re.sub(r"\[.*?\]", "", fen).split()[:2])


def match(
    variant: str, folder: Path, games: int = 1, depth: int = 5, fen: str = ""
) -> list[dict[str, View]]:
    """Games between two engines in XBoard, played to the end, as both engines were told of them. Raises AssertionError.

    The last position as XBoard saved it is compared with the rules', move for move made from the log. Plies of thought, not
    clocks, limit the engines: a busy machine must not decide a game.
    """
    xboard, screen = program("xboard"), Screen(folder / "screen")
    log, saved, start = folder / "xboard.log", folder / "last.fen", folder / "start.fen"
    start.write_text(f"{fen}\n")
    engine = shlex.join(ENGINE)
    command = [xboard, *(from_position(variant, start) if fen else switches(variant)), "-fcp", engine, "-scp", engine,
               "-fd", str(ROOT), "-sd", str(ROOT), "-mg", str(games), "-sgf", str(folder / "games.pgn"), "-spf", str(saved),
               "-tc", "30", "-inc", "1", "-depth", str(depth), "-xponder", "-matchPause", "10", "-xexit", "-size", str(SIZE),
               *QUIET, "-nameOfDebugFile", str(log)]
    try:
        done = subprocess.run(command, cwd=folder, env={**os.environ, "DISPLAY": screen.display}, capture_output=True,
                              text=True, timeout=PATIENCE + 240 * games, check=False)
    finally:
        screen.close()
    said = log.read_text(errors="replace") if log.exists() else done.stderr
    assert done.returncode == 0, said[-2000:]
    for trouble in ("Illegal move", "Error (", "Forfeit", "forfeit", "internal error", "exited unexpectedly"):
        assert trouble not in said, said[-2000:]
    played = read_log(said.splitlines(), variant)
    assert len(played) == games
    finals = [line for line in saved.read_text().splitlines() if line.strip()]
    for view, final in zip(played, finals, strict=True):
        first, second = view["first"], view["second"]
        assert first.game.moves == second.game.moves, "one engine was told of another game than the other"
        assert first.result == second.result
        outcome = first.game.outcome()
        if outcome is None:
            assert first.reason == "{Draw agreed}" and first.result == "1/2-1/2", first.reason
        else:
            assert first.result == outcome.result, (first.result, outcome)
        shown = [men(to_fen(first.game.rules, pos)) for pos in first.game.positions[-2:]]
        # A game that XBoard knows it ends itself, and saves the position before the last move.
        assert men(final) in (shown if variants.find(variant).xboard.native else shown[-1:]), (final, first.game.fen())
    return played


class Desk:
    """A person at XBoard, who plays White against the engine."""

    def __init__(self, variant: str, folder: Path, *more: str, fen: str = "", engine: list[str] = ENGINE):
        self.folder, self.variant = folder, variant
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / "xboard.log"
        self.screen = Screen(folder / "screen")
        self.window = ""
        file = folder / "start.fen"
        file.write_text(f"{fen}\n")
        start = from_position(variant, file) if fen else switches(variant)
        command = [program("xboard"), *start, "-fcp", shlex.join(engine), "-fd", str(ROOT), "-size", str(SIZE), "-tc", "5",
                   "-inc", "1", "-depth", "6", "-xponder", *QUIET, "-nameOfDebugFile", str(self.log), *more]
        self.process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, "DISPLAY": self.screen.display}, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=(folder / "stderr").open("w"))

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.process.kill()
        self.process.wait(10)
        self.screen.close()

    def said(self) -> list[str]:
        """XBoard's log so far."""
        return self.log.read_text(errors="replace").splitlines() if self.log.exists() else []

    def wait(self, what: Callable[[], object], patience: float = PATIENCE) -> None:
        """Until `what` holds."""
        end = time.monotonic() + patience
        while not what():
            assert time.monotonic() < end and self.process.poll() is None, "\n".join(self.said()[-60:])
            time.sleep(0.05)

    def wait_for(self, pattern: str, since: int = 0, patience: float = PATIENCE) -> int:
        """Until a line of the log from number `since` on has the pattern in it: the number after that line."""
        def found() -> int | None:
            return next((n + 1 for n, line in enumerate(self.said()) if n >= since and re.search(pattern, line)), None)

        self.wait(found, patience)
        return found() or 0

    # The mouse

    def frame(self) -> tuple[int, int, int, int]:
        """Where XBoard's window is: x, y, width, height."""
        if not self.window:  # its title changes with the game
            self.window = self.screen.xdotool("search", "--onlyvisible", "--name", ".+").split()[0]
        shape = dict(word.split("=") for word in self.screen.xdotool("getwindowgeometry", "--shell", self.window).split())
        return int(shape["X"]), int(shape["Y"]), int(shape["WIDTH"]), int(shape["HEIGHT"])

    def point(self, square: str) -> tuple[str, str]:
        """Where a square is on the screen: the board is at the window's lower left, White below."""
        x, y, _, height = self.frame()
        pitch = SIZE + 1
        right = x + 2 + pitch * "abcdefgh".index(square[0]) + pitch // 2
        down = y + height - 2 - pitch * (int(square[1]) - 1) - pitch // 2
        return str(right), str(down)

    def drag(self, origin: str, target: str) -> None:
        """Move a piece."""
        self.screen.xdotool("mousemove", *self.point(origin), "mousedown", "1")
        time.sleep(0.3)  # XBoard asks the engine where the piece may go
        self.screen.xdotool("mousemove", *self.point(target), "sleep", "0.1", "mouseup", "1")

    def click(self, square: str) -> None:
        """Click on a square."""
        self.screen.xdotool("mousemove", *self.point(square), "click", "1")
        time.sleep(0.4)

    def enter(self, move: str) -> None:
        """`e2e4` by dragging, `d1d1` by two clicks, `b6a7n` with an answer to what the pawn shall become."""
        if move[:2] == move[2:4]:
            self.click(move[:2])
            self.click(move[:2])
            return
        self.drag(move[:2], move[2:4])
        if len(move) == 5:
            self.wait(lambda: self.screen.xdotool("search", "--onlyvisible", "--name", "^Promotion$"), 10)
            time.sleep(0.3)
            x = 30 + 50 * "qrbn".index(move[4])  # Queen, Rook, Bishop, Knight
            window = self.screen.xdotool("search", "--onlyvisible", "--name", "^Promotion$").split()[0]
            self.screen.xdotool("mousemove", "--window", window, str(x), "16", "sleep", "0.1", "click", "1")

    def settle(self, quiet: float = 0.7) -> None:
        """Wait until nothing has been sent for a while and XBoard has drawn everything."""
        before, at = -1, time.monotonic()
        while time.monotonic() - at < 20:
            said = len(self.said())
            if said == before:
                return
            before = said
            time.sleep(quiet)

    def view(self) -> View:
        """The game so far."""
        played = read_log(self.said(), self.variant, begun=True)
        return played[-1]["first"] if played else View(Game(self.variant), Wire())

    def close(self) -> None:
        """End XBoard as its user does; it saves game and position."""
        self.process.terminate()
        self.process.wait(20)
