"""The Universal Chess Interface, with Fairy-Stockfish's conventions for variants."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import variants
from engine import __version__
from engine.errors import CommandError, MoveError
from engine.protocol import options, wdl
from engine.protocol.loop import Command, Protocol
from engine.protocol.options import shown, suggestion, whole
from engine.protocol.session import Ticket

if TYPE_CHECKING:
    from engine.game import Game
    from search.limits import Current, Info, Limits

GO_NUMBERS = ("wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime")
GO_WORDS = (*GO_NUMBERS, "searchmoves", "ponder", "infinite", "perft")
MAX_PERFT = 30
MAX_BENCH = 30


class Uci(Protocol):
    """Speaks UCI for one session."""

    def news(self, text: str) -> None:
        if not self.closing:
            self.send(f"info string {text}")

    def error(self, message: str, line: str) -> None:
        self.send(f"info string {' '.join(message.split())}")

    def hello(self, rest: str) -> None:
        """uci: introduce ourselves at once, then start to load what is heavy."""
        lines = [f"id name Kingmaker {__version__}", "id author the Kingmaker developers"]
        lines += [options.uci_line(option) for option in options.OPTIONS]
        self.send("\n".join([*lines, "uciok"]))
        self.later(self._preload, "uci", asked=False)

    def _preload(self) -> None:
        """Import first; then load the variant, unless a command came that may ask for another one.

        Nothing is compiled before somebody asks for it: that may be another game, and takes long.
        """
        import engine.game

        assert engine.game
        self.session.load(wanted=self.idle, compiling=False)

    def ready(self, rest: str) -> None:
        """isready: at once during a search, else when everything before it is done and loaded."""
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
        """ucinewgame: forget the last one."""
        self.session.new_game()

    def set_option(self, rest: str) -> None:
        """setoption name NAME [value VALUE]: both may have blanks in them."""
        words = rest.split()
        if not words or words[0].lower() != "name":
            raise CommandError(f"setoption wants 'name NAME value VALUE', not {shown(rest)}")
        lower = [word.lower() for word in words]
        cut = lower.index("value") if "value" in lower else len(words)
        option = options.find(" ".join(words[1:cut]))
        if cut == len(words) and option.kind != "button":
            raise CommandError(f"setoption {option.name} has no value")
        self.session.set_option(option, " ".join(words[cut + 1:]))
        if option.name == "UCI_Variant":
            from engine.protocol.uci_tools import announcement

            self.send(announcement(self.session.rules))

    def position(self, rest: str) -> None:
        """position startpos|fen FEN [moves ...]: all of it or nothing."""
        words = rest.split()
        kind = words[0] if words else ""
        cut = words.index("moves") if "moves" in words else len(words)
        if kind == "startpos" and cut != 1:
            raise CommandError(f"position startpos is followed by moves, not {shown(words[1])}")
        if kind not in ("startpos", "fen"):
            raise CommandError(f"position wants startpos or fen, not {shown(kind)}")
        fen = None if kind == "startpos" else " ".join(words[1:cut])
        if fen == "":
            raise CommandError("position fen has no FEN")
        self.session.set_position(fen, words[cut + 1:])

    def go(self, rest: str) -> None:
        """go: the reader writes the ticket, so that `stop` finds it; the worker searches."""
        ticket = self.session.ticket()

        def answer() -> None:
            try:
                self._go(rest, ticket)
            except Exception:
                self.send("bestmove (none)")
                raise

        self._with_ticket(answer, ticket, f"go {rest}")

    def _with_ticket(self, job: Callable[[], None], ticket: Ticket, line: str) -> None:
        def run() -> None:
            try:
                job()
            finally:
                self.session.done(ticket)

        self.later(run, line)

    def _go(self, rest: str, ticket: Ticket) -> None:
        """Whatever was wrong with the line, an answer follows: a client that has said `go` waits for one."""
        given, problem = _parse_go(rest)
        game = self.session.game
        if "searchmoves" in given:
            given["searchmoves"], illegal = _parse_searchmoves(game, given["searchmoves"])
            problem = problem or illegal
        if problem:
            self.error(problem, "")
        if "perft" in given:
            self._perft(given["perft"], ticket)
            return
        limits = self._limits(given, quick=bool(problem))
        if not game.legal_moves():
            self._tell_end(game)
        answer = "(none)"
        if limits is not None:
            best = self.session.think(ticket, limits, self._info, on_move=self._current)
            if best.move is not None:
                answer = game.text(best.move) + (f" ponder {game.text(best.ponder)}" if best.ponder is not None else "")
        self.send(f"bestmove {answer}")

    def _limits(self, given: dict[str, Any], quick: bool) -> Limits | None:
        """None where the search is limited to moves that there are none of. quick: what gives no limit asks for a ply."""
        from search.limits import Limits

        moves = given.get("searchmoves", ())
        if "searchmoves" in given and not moves:
            return None

        def clock(name: str) -> float | None:
            return max(1.0, given[name]) if name in given else None  # below zero when the flag is about to fall

        clocks = clock("wtime"), clock("btime")
        if clocks[self.session.game.turn] is None:  # some GUIs name one side only
            clocks = clocks[::-1]
        depth, mate = given.get("depth"), given.get("mate")
        limited = any(name in given for name in GO_NUMBERS if name not in ("winc", "binc", "movestogo"))
        if mate == 0 or (quick and not limited and "infinite" not in given):
            depth, mate, limited = 1, None, True  # there is nothing to search for
        return Limits(
            depth=depth, nodes=given.get("nodes"), movetime=clock("movetime"), mate=mate,
            clock=clocks, increment=(max(0.0, given.get("winc", 0.0)), max(0.0, given.get("binc", 0.0))),
            moves_to_go=given.get("movestogo") or None, infinite="infinite" in given or not limited,
            ponder="ponder" in given, searchmoves=moves)

    def _tell_end(self, game: Game) -> None:
        """The score of a game that the rules have ended: what clients take its result from."""
        outcome = game.outcome()
        winner = None if outcome is None else outcome.winner
        score, chances = "cp 0", "0 1000 0"
        if winner is not None:
            # A FEN of atomic may leave the king to the side to move alone; no standard says how to tell that it has won.
            score, chances = ("mate 1", "1000 0 0") if winner == game.turn else ("mate 0", "0 0 1000")
        self.send(f"info depth 0 score {score}" + (f" wdl {chances}" if self.session.values["UCI_ShowWDL"] else ""))

    def _info(self, info: Info) -> None:
        """One line of news from the search; whole numbers only."""
        game = self.session.game
        score = f"cp {info.score}" if info.mate is None else f"mate {info.mate}"
        bound = f" {info.bound}" if info.bound else ""
        if self.session.values["UCI_ShowWDL"]:
            bound += " wdl {} {} {}".format(*wdl.chances(game.rules.name, info.score, info.mate))
        nps = int(info.nodes * 1000 / max(info.time, 1))
        pv = " ".join(game.text(move) for move in info.pv)
        self.send(f"info depth {info.depth} seldepth {info.seldepth} multipv {info.multipv} score {score}{bound} "
                  f"nodes {info.nodes} nps {nps} hashfull {info.hashfull} time {int(info.time)}" + (f" pv {pv}" if pv else ""))

    def _current(self, current: Current) -> None:
        """The root move under way, in a search that takes long."""
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
        """stop: answer bestmove now."""
        self.session.stop()

    def ponder_hit(self, rest: str) -> None:
        """ponderhit: the search under way is for our own move now."""
        self.session.ponder_hit()

    def show(self, rest: str) -> None:
        """d: the board and what identifies the position."""
        from engine.rules import KEY
        from engine.text import board_text

        game = self.session.game
        self.send(f"{board_text(game.rules, game.pos)}\n\nFen: {game.fen()}\nKey: {int(game.pos[KEY]):016X}\n"
                  f"Variant: {game.rules.name}\nLegal moves: {len(game.legal_moves())}")

    def evaluate(self, rest: str) -> None:
        """eval: what the position is worth, term by term."""
        from engine.protocol.uci_tools import evaluation

        self.send(evaluation(self.session.game))

    def flip(self, rest: str) -> None:
        """flip: exchange the sides."""
        from engine.protocol.uci_tools import flipped

        self.session.set_position(flipped(self.session.game), [])

    def compiler(self, rest: str) -> None:
        """compiler: what our machine code was made by."""
        from engine.protocol.uci_tools import compiler

        self.send(compiler())

    def bench(self, rest: str) -> None:
        """bench [DEPTH] [VARIANT ...|all]: node signatures, by default of the variant that is played."""
        words = rest.split()
        depth = None
        if words and (number := whole(words[0])) is not None:
            if not 1 <= number <= MAX_BENCH:
                raise CommandError(f"bench {shown(words[0])} is no depth from 1 to {MAX_BENCH}")
            depth = number
            words = words[1:]
        names = variants.names() if words == ["all"] else [variants.resolve(word) for word in words]
        ticket = self.session.ticket()
        self._with_ticket(lambda: self._bench(names, depth, ticket), ticket, f"bench {rest}")

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
        """Nothing to do."""

    def usage(self, rest: str) -> None:
        """help: the command table."""
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
        "compiler": Command(compiler, False, "what the machine code was made by, and where it is kept"),
        "debug": Command(accept, True, "accepted and ignored"),
        "register": Command(accept, True, "accepted and ignored"),
        "help": Command(usage, True, "this list"),
        "quit": Command(accept, True, "end"),
    }


def _parse_go(rest: str) -> tuple[dict[str, Any], str]:
    """The words of `go` and their values, and what is wrong with the first word that cannot be used.

    >>> _parse_go("depht 9 movetime 100")
    ({'movetime': 100.0}, "unknown word 'depht' after go, did you mean 'depth'?")
    """
    given: dict[str, Any] = {}
    problem = ""
    words = rest.split()
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        try:
            if word in ("ponder", "infinite"):
                given[word] = True
            elif word == "searchmoves":
                first = at
                while at < len(words) and words[at] not in GO_WORDS:
                    at += 1
                if at == first:
                    raise CommandError("go searchmoves has no moves")
                given[word] = words[first:at]
            elif word not in GO_WORDS:
                raise CommandError(f"unknown word {shown(word)} after go{suggestion(word, list(GO_WORDS))}")
            elif at == len(words) or words[at] in GO_WORDS:
                raise CommandError(f"go {word} has no value")
            else:
                at += 1
                given[word] = _number(word, words[at - 1])
        except CommandError as error:
            problem = problem or str(error)
    return given, problem


def _parse_searchmoves(game: Game, texts: list[str]) -> tuple[tuple[int, ...], str]:
    """The legal ones of some moves, and what is wrong with the first of the others; `0000` is none, and nothing is wrong."""
    moves, problem = [], ""
    for text in texts:
        try:
            moves.append(game.parse(text))
        except MoveError as error:
            if text != "0000":
                problem = problem or f"{error} among searchmoves"
    return tuple(moves), problem


def _number(word: str, text: str) -> int | float:
    if word in ("wtime", "btime", "winc", "binc", "movetime"):
        try:
            time = float(text)
        except ValueError:
            time = float("nan")
        if not abs(time) < 1e12:
            raise CommandError(f"go {word} {shown(text)} is no number of milliseconds")
        return time
    number = whole(text)
    most = MAX_PERFT if word == "perft" else 10**18
    if number is None or not 0 <= number <= most:
        raise CommandError(f"go {word} {shown(text)} is no whole number from 0 to {most}")
    return number
