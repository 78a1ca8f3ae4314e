"""The Universal Chess Interface, with Fairy-Stockfish's conventions for variants.

go.py, with the arguments of `go`, and uci_tools.py import numpy and numba, which takes 0.2 s. They are imported by the worker
thread at first use, for a GUI waits for `uciok`.
"""

from __future__ import annotations

import re
import time
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar

import variants
from engine import __version__
from engine.errors import CommandError
from engine.protocol import options, wdl
from engine.protocol.loading import import_engine
from engine.protocol.loop import Command, Protocol
from engine.protocol.options import shown, whole
from engine.protocol.requests import Ticket

if TYPE_CHECKING:
    from engine.game import Game
    from search.limits import Current, Info

MAX_BENCH = 30
SETOPTION = re.compile(r"name\s+(?P<name>.*?)(?:\s+value(?P<value>\s.*|))?", re.IGNORECASE)  # the value keeps its blanks


class Uci(Protocol):
    """Speaks UCI for one session."""

    def news(self, text: str) -> None:
        """Report how loading goes."""
        if not self.closing:
            self.send(f"info string {text}")

    def error(self, message: str, line: str) -> None:
        """Report what is wrong."""
        self.send(f"info string {' '.join(message.split())}")

    def hello(self, rest: str) -> None:
        """`uci`: introduce ourselves at once, then load in advance."""
        lines = [f"id name Kingmaker {__version__}", "id author the Kingmaker developers"]
        lines += [options.uci_line(option) for option in options.OPTIONS]
        self.send("\n".join([*lines, "uciok"]))
        self.later(lambda: self.session.preload(wanted=self.idle), "uci", asked=False)

    def ready(self, rest: str) -> None:
        """`isready`: at once during a search, else when everything before it is done and the game is loaded."""
        if self.session.busy():
            self.send("readyok")
        else:
            self.later(self._loaded, "isready")

    def _loaded(self) -> None:
        try:
            self.session.get_ready()
        finally:
            self.send("readyok")

    def new_game(self, rest: str) -> None:
        """`ucinewgame`: forget the last game."""
        self.session.new_game()

    def set_option(self, rest: str) -> None:
        """`setoption name NAME [value VALUE]`; both may contain blanks."""
        found = SETOPTION.fullmatch(rest)
        if found is None:
            raise CommandError(f"setoption wants 'name NAME value VALUE', not {shown(rest)}")
        option, value = options.find(" ".join(found["name"].split())), found["value"]
        if value is None and option.kind != "button":
            raise CommandError(f"setoption {option.name} has no value")
        self.session.set_option(option, (value or "").strip())
        if option.name == "UCI_Variant":
            self.send(self._tools.announcement(self.session.rules))

    @property
    def _tools(self) -> ModuleType:
        import_engine()
        from engine.protocol import uci_tools

        return uci_tools

    def position(self, rest: str) -> None:
        """`position startpos|fen FEN [moves ...]`: all of it or nothing."""
        words = rest.split()
        kind = words[0] if words else ""
        cut = words.index("moves") if "moves" in words else len(words)
        if kind == "startpos" and cut != 1:
            raise CommandError(f"position startpos is followed by moves, not {shown(words[1])}")
        if kind not in ("startpos", "fen"):
            raise CommandError(f"position: expected 'startpos' or 'fen', got {shown(kind)}")
        fen = None if kind == "startpos" else " ".join(words[1:cut])
        if fen == "":
            raise CommandError("position fen has no FEN")
        self.session.set_position(fen, words[cut + 1:])

    def go(self, rest: str) -> None:
        """`go`: the reader takes a ticket, so that `stop` finds the search before it begins; the worker searches."""
        def answer(ticket: Ticket) -> None:
            try:
                self._go(rest, ticket)
            except Exception:
                self.send("bestmove (none)")
                raise

        self.with_ticket(answer, f"go {rest}")

    def _go(self, rest: str, ticket: Ticket) -> None:
        """Search. Whatever is wrong with the line, an answer follows, for the client waits for one."""
        game = self.session.game
        from engine.protocol.go import limits_of, parse_go, parse_searchmoves

        given, problem = parse_go(rest)
        if "searchmoves" in given:
            given["searchmoves"], illegal = parse_searchmoves(game, given["searchmoves"])
            problem = problem or illegal
        if problem:
            self.error(problem, "")
        if "perft" in given:
            self._perft(given["perft"], ticket)
            return
        limits = limits_of(given, game.turn, quick=bool(problem))
        if not game.legal_moves():
            self._report_end(game)
        answer = "(none)"
        if limits is not None:
            best = self.session.think(ticket, limits, self._info, on_move=self._current)
            if best.move is not None:
                answer = game.text(best.move) + (f" ponder {game.text(best.ponder)}" if best.ponder is not None else "")
        self.send(f"bestmove {answer}")

    def _report_end(self, game: Game) -> None:
        """Send the score of a game that is over: clients take the result from it."""
        outcome = game.outcome()
        winner = None if outcome is None else outcome.winner
        score, chances = "cp 0", "0 1000 0"
        if winner is not None:
            # In a FEN of atomic only the side to move may have a king; no standard says how to report that it has won.
            score, chances = ("mate 1", "1000 0 0") if winner == game.turn else ("mate 0", "0 0 1000")
        self.send(f"info depth 0 score {score}" + (f" wdl {chances}" if self.session.values["UCI_ShowWDL"] else ""))

    def _info(self, info: Info) -> None:
        """Send a line of the search; whole numbers only."""
        game = self.session.game
        score = f"cp {info.score}" if info.mate is None else f"mate {info.mate}"
        bound = f" {info.bound}" if info.bound else ""
        if self.session.values["UCI_ShowWDL"]:
            bound += " wdl {} {} {}".format(*wdl.chances(game.rules.name, info.score, info.mate))
        nps = int(info.nodes * 1000 / max(info.time, 1))
        pv = " ".join(game.text(move) for move in info.pv)
        hits = f" tbhits {info.tbhits}" if info.tbhits else ""
        self.send(f"info depth {info.depth} seldepth {info.seldepth} multipv {info.multipv} score {score}{bound} "
                  f"nodes {info.nodes} nps {nps} hashfull {info.hashfull}{hits} time {int(info.time)}"
                  + (f" pv {pv}" if pv else ""))

    def _current(self, current: Current) -> None:
        """Send the current root move of a search that takes long."""
        self.send(f"info depth {current.depth} currmove {self.session.game.text(current.move)} currmovenumber {current.number}")

    def _perft(self, depth: int, ticket: Ticket) -> None:
        total = 0 if depth else 1
        for text, count in self.session.divide(ticket, depth) if depth else ():
            self.send(f"{text}: {count}")
            total += count
        if ticket.stopped:
            self.send(f"info string perft stopped after {total} nodes")
        else:
            self.send(f"\nNodes searched: {total}")

    def stop(self, rest: str) -> None:
        """`stop`: answer bestmove now."""
        self.session.stop()

    def ponder_hit(self, rest: str) -> None:
        """`ponderhit`: the search is for our own move now."""
        self.session.ponder_hit()

    def show(self, rest: str) -> None:
        """`d`: show the board and what identifies the position."""
        game = self.session.game
        self.send(f"{game}\n\nFen: {game.fen()}\nKey: {game.key:016X}\n"
                  f"Variant: {game.rules.name}\nLegal moves: {len(game.legal_moves())}")

    def evaluate(self, rest: str) -> None:
        """`eval`: show the static evaluation term by term."""
        self.send(self._tools.evaluation(self.session.game, self.session.net, self.session.thinker.tables,
                                         self.session.thinker.syzygy))

    def flip(self, rest: str) -> None:
        """`flip`: exchange the sides."""
        self.session.set_position(self._tools.flipped(self.session.game), [])

    def compiler(self, rest: str) -> None:
        """`compiler`: show what compiled the machine code."""
        self.send(self._tools.compiler())

    def bench(self, rest: str) -> None:
        """`bench [DEPTH] [VARIANT ...|all]`: node signatures, by default of the variant that is played."""
        words = rest.split()
        depth = None
        if words and (number := whole(words[0])) is not None:
            if not 1 <= number <= MAX_BENCH:
                raise CommandError(f"bench {shown(words[0])} is not a depth from 1 to {MAX_BENCH}")
            depth = number
            words = words[1:]
        names = variants.names() if words == ["all"] else [variants.resolve(word) for word in words]
        self.with_ticket(lambda ticket: self._bench(names, depth, ticket), f"bench {rest}")

    def _bench(self, names: list[str], depth: int | None, ticket: Ticket) -> None:
        began, total = time.perf_counter(), 0
        for name in names or [self.session.rules.name]:
            nodes = self.session.signature(ticket, name, depth)
            if nodes is None:
                self.send(f"info string bench stopped before the end of {name}")
                return
            self.send(f"{name:<14}{nodes:>12}")
            total += nodes
        seconds = time.perf_counter() - began
        self.send(f"\nTotal time (ms) : {int(seconds * 1000)}\nNodes searched  : {total}\n"
                  f"Nodes/second    : {int(total / max(seconds, 0.001))}")

    def accept(self, rest: str) -> None:
        """Do nothing."""

    def usage(self, rest: str) -> None:
        """`help`: show the command table."""
        self.send("\n".join(f"info string {name:<12} {row.help}" for name, row in self.commands.items()))

    commands: ClassVar = {
        "uci": Command(hello, True, "introduce yourself: name, options, uciok"),
        "isready": Command(ready, True, "answer readyok when everything is loaded"),
        "setoption": Command(set_option, False, "name NAME [value VALUE]"),
        "ucinewgame": Command(new_game, False, "forget the last game"),
        "position": Command(position, False, "startpos | fen FEN [moves MOVE ...]"),
        "go": Command(go, True, "searchmoves MOVE ... | ponder | wtime MS | btime MS | winc MS | binc MS | movestogo N"
                                " | depth N | nodes N | mate N | movetime MS | infinite | perft N"),
        "stop": Command(stop, True, "answer bestmove now"),
        "ponderhit": Command(ponder_hit, True, "the opponent played the expected move"),
        "d": Command(show, False, "show the board"),
        "eval": Command(evaluate, False, "show the evaluation term by term"),
        "flip": Command(flip, False, "exchange the sides"),
        "bench": Command(bench, True, "[DEPTH] [VARIANT ...|all]: node signatures"),
        "compiler": Command(compiler, False, "what compiled the machine code, and where it is kept"),
        "debug": Command(accept, True, "accepted and ignored"),
        "register": Command(accept, True, "accepted and ignored"),
        "help": Command(usage, True, "this list"),
        "quit": Command(accept, True, "end"),
    }
