"""An engine that plays legal chess until it misbehaves, in the way that its first argument names.

usage: bad_engine.py MODE [PLY] [SECONDS] [FILE.txt]

From its move number PLY on (default 2) it does what MODE says, over either protocol. MODE `good` plays the first legal move in
alphabetical order. Any mode takes its moves from FILE.txt if there is one; `replay` does nothing else.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

MODE = sys.argv[1] if len(sys.argv) > 1 else "good"
PLY = int(sys.argv[2]) if sys.argv[2:] and sys.argv[2].isdigit() else 2
SECONDS = float(sys.argv[3]) if sys.argv[3:] and not sys.argv[3].endswith(".txt") else 2.0
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def say(text: str) -> None:
    """Send a line."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def hang() -> None:
    """Neither listen nor answer."""
    while True:
        time.sleep(1000)


class Engine:
    """Both protocols, no thinking."""

    def __init__(self) -> None:
        self.moves: list[str] = []
        self.fen = START
        self.number = 0  # of own moves in this game
        scripts = [word for word in sys.argv[2:] if word.endswith(".txt")]
        self.script = Path(scripts[0]).read_text().split() if scripts else []
        self.xboard = False
        self.owes = ""  # a move that waits for `stop`

    def move(self) -> str:
        """The first legal move in alphabetical order, avoiding repetition if it can."""
        if self.script:
            return self.script[len(self.moves)]
        import chess

        board = chess.Board(self.fen)
        for move in self.moves:
            board.push_uci(move)
        legal = sorted(board.legal_moves, key=str)
        quiet = [move for move in legal if not self._repeats(board, move)]
        return str((quiet or legal)[0])

    @staticmethod
    def _repeats(board, move) -> bool:  # type: ignore[no-untyped-def]
        board.push(move)
        try:
            return bool(board.is_repetition(2))
        finally:
            board.pop()

    def answer(self, move: str) -> None:
        """Play a move."""
        say(f"move {move}" if self.xboard else f"bestmove {move}")
        self.moves.append(move)

    def go(self) -> None:
        """It is our turn."""
        self.number += 1
        move = self.move()
        if self.number < PLY or MODE in ("good", "replay"):
            say("info depth 1 score cp 12 nodes 7 time 1" if not self.xboard else f"1 12 0 7 {move}")
            self.answer(move)
        else:
            self.misbehave(move)

    def misbehave(self, move: str) -> None:  # noqa: C901, PLR0912, PLR0915 - a case for each way
        """Do what MODE says instead of playing `move`."""
        match MODE:
            case "exit":
                os._exit(3)
            case "segfault":
                os.kill(os.getpid(), signal.SIGSEGV)
            case "hang":
                hang()
            case "stop":
                self.owes = move
            case "late":
                time.sleep(SECONDS)
                self.answer(move)
            case "illegal":
                self.answer("e1e5")
            case "none":
                say("bestmove (none)")
            case "nonsense":
                say("bestmove \x00\x01%%%")
            case "binary":
                sys.stdout.buffer.write(bytes(range(256)) * 20 + b"\ninfo depth x score cp y\ninfo string \xff\xfe\n")
                sys.stdout.buffer.flush()
                self.answer(move)
            case "flood":
                while True:
                    sys.stdout.write("x" * 65536)
                    sys.stdout.flush()
            case "babble":
                while True:
                    say("info depth 1 score cp 1 nodes 1")
            case "dreams":
                say(f"info depth 2 score cp 1 nodes 1 pv {move} e1e5 e5e1")
                self.answer(move)
            case "wins":
                self.answer(move)
                say(("1-0" if len(self.moves) % 2 else "0-1") + " {I win}")
            case "mute":
                self.answer(move)
                hang()
            case "leaves":
                self.answer(move)
                os._exit(0)
            case "draws":
                self.answer(move)
                say("1/2-1/2 {Draw by repetition}")
            case "claims-first":
                say("1/2-1/2 {Stalemate}")
            case "objects":
                say(f"Illegal move: {self.moves[-1]}")
            case "resigns":
                say("resign")
            case "gives-up":
                say(("0-1" if len(self.moves) % 2 == 0 else "1-0") + " {resigns}")
            case "offers":
                say("offer draw")
                self.answer(move)
            case "error":
                say("Error (too lazy): go")
            case _:  # it misbehaves elsewhere
                self.answer(move)

    def uci(self, words: list[str]) -> None:
        """Handle a line of UCI."""
        match words[0]:
            case "uci":
                say("id name Bad\nid author nobody\noption name Hash type spin default 1 min 1 max 9\nuciok")
            case "isready":
                if MODE == "unready":
                    hang()
                say("readyok")
            case "ucinewgame":
                self.number = 0
            case "position":
                at = words.index("moves") if "moves" in words else len(words)
                self.fen = START if words[1] == "startpos" else " ".join(words[2:at])
                self.moves = words[at + 1:]
            case "go":
                self.go()
            case "stop" if self.owes:
                self.answer(self.owes)
                self.owes = ""

    def cecp(self, words: list[str]) -> None:
        """Handle a line of the XBoard protocol."""
        match words[0]:
            case "protover":
                say('feature ping=1 setboard=1 usermove=1 sigint=0 nps=1 myname="Bad" variants="normal"')
                if MODE != "endless":
                    say("feature done=1")
            case "new":
                self.moves, self.fen, self.number = [], START, 0
            case "setboard":
                self.moves, self.fen = [], " ".join(words[1:])
            case "usermove":
                self.moves.append(words[1])
            case "go":
                self.go()
            case "?" if self.owes:
                self.answer(self.owes)
                self.owes = ""
            case "ping":
                say(f"pong {words[1]}")


def started_before() -> bool:
    """Whether a process of the same command line, which ends with the name of a file, was started before this one."""
    mark = Path(sys.argv[-1])
    found = mark.exists()
    mark.touch()
    return found


def main() -> None:
    """Misbehave at the start if MODE says so, then read lines to the end."""
    again = MODE.endswith("-again") and started_before()
    if MODE == "exit-at-start" or (again and MODE == "exit-again"):
        sys.exit(5)
    if MODE == "hang-at-start" or (again and MODE == "hang-again"):
        hang()
    if MODE == "sticky":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    engine = Engine()
    if not engine.script and MODE not in ("garbage", "unready"):
        import chess  # noqa: F401 - now, not on the clock
    if MODE == "garbage":
        while True:
            say("%$§ garbage &&& id option name")
            time.sleep(0.01)
    for line in sys.stdin:
        words = line.split() or [""]
        if words[0] == "quit" and MODE != "sticky":
            return
        engine.xboard |= words[0] == "xboard"
        (engine.cecp if engine.xboard else engine.uci)(words)
    if MODE == "sticky":
        hang()


if __name__ == "__main__":
    main()
