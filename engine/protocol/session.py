"""The one engine object that both protocols drive: options, the game, the search. What is heavy is loaded when first used."""

from __future__ import annotations

import enum
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import variants
from engine.errors import MoveError, OptionError
from engine.places import memory_limit
from engine.protocol import strength
from engine.protocol.options import OPTIONS, TUNABLES, Option, Value

if TYPE_CHECKING:
    import random

    import numpy as np

    from engine.game import Game
    from engine.rules import Rules
    from engine.text import Position
    from search.limits import Best, Current, Info, Limits
    from search.pool import Searcher


class Ticket:
    """A search or count that was asked for. It can be stopped before it has begun: `stop` may overtake the loading."""

    __slots__ = ("abandoned", "asked", "hit", "limits", "stopped")

    def __init__(self) -> None:
        self.asked = time.perf_counter()
        self.stopped = self.hit = False
        self.abandoned = False  # stopped, and nobody wants the answer
        self.limits: Limits | None = None  # of a search that has begun; counts have none

    @property
    def endless(self) -> bool:
        """Whether only `stop` or `ponderhit` ends it: nobody will say so once the input has ended."""
        limits = self.limits
        if limits is None:
            return False
        bounds = (limits.depth, limits.nodes, limits.movetime, *limits.clock)
        return limits.infinite or (limits.ponder and not self.hit) or all(bound is None for bound in bounds)


class Ending(enum.IntEnum):
    """Which searches are to end, also those that have not begun."""

    NONE = 0
    ENDLESS = 1
    SEARCHES = 2  # but not counts and benches, which have no answer before their end
    ALL = 3


PIECE = 4  # plies that are counted in one go: up to a few million leaves


INDULGENCE = 0.012  # seconds that a search told to end may go on to find a first move
MOST_OWED = 10_000  # positions of announced mates that are remembered
MOST_LAG = 150.0  # milliseconds; what is later than that was an accident


class _Enough(Exception):
    """Ends warming in advance when there is something to do."""


class Session:
    """Options, game and search. All but stop, ponder_hit, end, compiling, age and the tickets belong to the worker thread."""

    def __init__(self, news: Callable[[str], None]):
        self.news = news
        self.values: dict[str, Value] = {option.name: option.default for option in OPTIONS}
        self._game: Game | None = None
        self._told: tuple[str | None, list[str]] | None = None  # the last `position`: FEN and moves as they were given
        self._searcher: Searcher | None = None
        self._active: Searcher | None = None  # the one that searches for _running
        self._running: Ticket | None = None
        self._timers: list[threading.Timer] = []  # of _insist()
        self._hard: float | None = None  # milliseconds that its search may take, once its clock runs
        self._lag = 0.0  # milliseconds that answers came late of late: a busy machine wakes nobody in time
        self._owed: dict[int, int] = {}  # by the key of a position: in how many moves a mate must come that was announced
        self._by_alias = False  # UCI_Chess960 was switched on by the name of a variant
        self._chance: random.Random | None = None
        self._warm: set[str] = set()
        self._said = 0  # how many warnings were passed on
        self._lock = threading.Lock()
        self._tickets: list[Ticket] = []
        self._compiling = False
        self._ending = Ending.NONE

    # What the reader calls, at any time.

    def ticket(self) -> Ticket:
        """A ticket for a search that was just asked for; give it back with done()."""
        ticket = Ticket()
        with self._lock:
            ticket.stopped = self._ending is Ending.ALL
            self._tickets.append(ticket)
        return ticket

    def done(self, ticket: Ticket) -> None:
        """The search was answered."""
        with self._lock:
            self._tickets.remove(ticket)

    def busy(self) -> bool:
        """Whether a search was asked for and not answered yet."""
        return bool(self._tickets)

    def stop(self, abandon: bool = False, only: Ticket | None = None) -> None:
        """End all searches asked for so far, or only that of one ticket, those included that have not begun."""
        with self._lock:
            for ticket in self._tickets if only is None else [only]:
                ticket.stopped = True
                ticket.abandoned |= abandon
            if self._active is not None and only in (None, self._running):
                self._active.stop()
                self._insist(self._active, 0.0)

    def ponder_hit(self, only: Ticket | None = None) -> None:
        """The opponent played what was pondered on, by the search of the ticket named or all that are asked for.

        All: the search before may still have its ticket, its answer being out, when the next one is already hit.
        """
        with self._lock:
            for ticket in self._tickets if only is None else [only]:
                ticket.hit = True
            if self._active is not None and only in (None, self._running):
                self._active.ponder_hit()
                if self._hard is not None:
                    self._insist(self._active, self._hard)

    def end(self, which: Ending) -> None:
        """End searches, those included that have not begun: nobody will say `stop` or `ponderhit` any more."""
        with self._lock:
            self._ending = max(self._ending, which)
            running = self._running
        if running is not None and self._must_end(running):
            self.stop(only=running)
        if which is Ending.ALL:
            self.stop()

    def _must_end(self, ticket: Ticket) -> bool:
        if self._ending is Ending.SEARCHES:
            return ticket.limits is not None
        return self._ending is Ending.ALL or (self._ending is Ending.ENDLESS and ticket.endless)

    def compiling(self) -> bool:
        """Whether the worker is where it cannot be called back from."""
        return self._compiling

    def counting(self) -> bool:
        """Whether the worker counts nodes, in a perft or a bench."""
        running = self._running
        return running is not None and running.limits is None

    def age(self) -> float:
        """Seconds since the oldest search that is not answered was asked for; 0 where there is none."""
        with self._lock:
            return max((time.perf_counter() - ticket.asked for ticket in self._tickets), default=0.0)

    # Loading.

    @property
    def rules(self) -> Rules:
        """The rules of the game that is played."""
        return variants.find(str(self.values["UCI_Variant"]))

    def load(self, wanted: Callable[[], bool] = lambda: True, name: str = "", compiling: bool = True) -> None:
        """Import, compile or load all that the variant needs, the one that is played unless another is named.

        Gives up between two steps when it is no longer `wanted`, and before a compilation unless it is for `compiling`.
        """
        name = name or str(self.values["UCI_Variant"])
        if name in self._warm:
            return
        from engine.compile import jit

        self._pass_on_warnings()
        if not wanted():
            return
        folder = jit.cache_dir()
        # Other games compiled before make this one quicker, but not quick.
        cold = compiling and (folder is None or not any(folder.rglob("*.nbc")))
        compiled = len(_COMPILED)
        self._compiling = cold

        def step(done: int, total: int, what: str) -> None:
            if not wanted():
                raise _Enough
            if done < total and (cold or len(_COMPILED) > compiled):
                self._compiling = True
                self.news(f"compiling {name}, step {done + 1} of {total}: {what}")

        def kernel(function: str) -> None:
            self._compiling = True
            _COMPILED.append(function)
            if wanted():
                self.news(f"compiling {name}: {function} done")

        jit.COMPILE_LISTENERS.append(kernel)
        try:
            from search.warm import warm

            with nullcontext() if compiling else jit.only_kept():
                warm(variants.find(name), step)
            self._warm.add(name)
        except (_Enough, jit.NotKept):
            pass
        finally:
            self._compiling = False
            jit.COMPILE_LISTENERS.remove(kernel)
            self._pass_on_warnings()

    def get_ready(self) -> None:
        """Load the variant, and have the memory that a search needs: no clock runs yet."""
        self.load()
        assert self.searcher

    def _pass_on_warnings(self) -> None:
        from engine.compile import jit

        for warning in jit.WARNINGS[self._said:]:
            self.news(" ".join(warning.split()))
        self._said = len(jit.WARNINGS)

    @property
    def game(self) -> Game:
        """The game that is played, in its start position when no other was given."""
        if self._game is None:
            from engine.game import Game

            self.load()
            self._game = Game(self.rules, None, bool(self.values["UCI_Chess960"]))
        return self._game

    @property
    def searcher(self) -> Searcher:
        """The search, made when first asked for."""
        if self._searcher is None:
            from search.pool import Searcher

            made = Searcher(int(self.values["Hash"]), int(self.values["Threads"]), self._tuned())
            with self._lock:
                self._searcher = made
        return self._searcher

    def _tuned(self) -> np.ndarray | None:
        """The search's numbers as a tuner wants them, None where there is no tuner."""
        if not TUNABLES:
            return None
        from search.params import PARAMS

        return PARAMS.array(**{option.name: int(self.values[option.name]) for option in TUNABLES})

    # Options and positions.

    def set_option(self, option: Option, text: str) -> None:
        """Set an option. Raises OptionError and changes nothing."""
        value = option.parse(text)
        if option.name == "UCI_Variant":
            fischer = variants.is_chess960(text)
            if fischer or self._by_alias:
                self.values["UCI_Chess960"], self._by_alias = fischer, fischer
            self.set_variant(str(value))
        elif option.name == "Clear Hash":
            self.clear()
        elif option.name == "Hash":
            if int(value) > memory_limit():  # the system would promise more than it has, and end us when we take it
                self.news(f"Hash {value} does not fit into {memory_limit()} MiB: that is what it will be")
                value = max(option.low, memory_limit())
            if self._searcher is not None and value != self.values["Hash"]:
                self._resize(int(value))
        elif option.name == "Threads":
            if self._searcher is not None:
                self._searcher.threads = int(value)
        elif option in TUNABLES and self._searcher is not None:
            from search.params import PARAMS

            assert self._searcher.p is not None
            self._searcher.p[PARAMS.index(option.name)] = int(value)
        elif option.name == "UCI_Chess960":
            self._by_alias = False
            if self._game is not None:
                self._game.chess960 = bool(value)
        if option.kind != "button":
            self.values[option.name] = value

    def _resize(self, size: int) -> None:
        assert self._searcher is not None
        try:
            self._searcher.resize(size)
        except (MemoryError, OSError) as error:
            self._searcher.resize(int(self.values["Hash"]))
            raise OptionError(f"Hash {size} does not fit into memory, kept {self.values['Hash']}") from error

    def set_variant(self, name: str) -> None:
        """Play another game, or the same one from its start. Raises OptionError."""
        resolved = variants.resolve(name)
        if resolved != self.values["UCI_Variant"]:
            self.clear()  # the same key means another position there
        self.values["UCI_Variant"] = resolved
        self._game = self._told = None

    def clear(self) -> None:
        """Forget what was searched."""
        self._owed.clear()
        if self._searcher is not None:
            self._searcher.clear()

    def new_game(self) -> None:
        """Go to the start position and forget what was searched."""
        self.clear()
        self._game = self._told = None

    def set_position(self, fen: str | None, moves: list[str]) -> None:
        """Set up a position, by default the start position, and play moves. Raises FenError, MoveError, changing nothing.

        GUIs send the whole game each time: what it shares with the last one is kept.
        """
        from engine.game import Game

        shared = 0
        if self._told is not None and self._game is not None and self._told[0] == fen:
            told = self._told[1]
            while shared < min(len(told), len(moves)) and told[shared] == moves[shared]:
                shared += 1
            game = self._game.copy()
            del game.positions[shared + 1:], game.moves[shared:]
        else:
            self.load()
            game = Game(self.rules, fen, bool(self.values["UCI_Chess960"]))
        for number, move in enumerate(moves[shared:], shared + 1):
            try:
                game.push(move)
            except MoveError as error:
                raise MoveError(f"{error}, number {number} of the moves; position unchanged") from None
        self._game, self._told = game, (fen, list(moves))

    def push(self, move: str | int) -> None:
        """Play a move in the game. Raises MoveError."""
        game = self.game
        self._told = None
        game.push(move)

    def pop(self) -> None:
        """Take a move back."""
        self._told = None
        self.game.pop()

    # Searching and counting.

    def think(self, ticket: Ticket, limits: Limits, on_info: Callable[[Info], None], game: Game | None = None,
              multipv: int | None = None, on_move: Callable[[Current], None] | None = None) -> Best:
        """Search the position of the game, or of another one given; the answer is a legal move wherever there is one."""
        import random
        from dataclasses import replace

        from engine.rules import KEY
        from engine.text import legal_moves
        from search.limits import Best

        game = game or self.game
        self.load()
        ticket.limits = limits
        multipv = multipv or int(self.values["MultiPV"])
        given = strength.handicap(self.values)
        owed = None if given is None else self._owed.get(int(game.pos[KEY]))
        lines: dict[int, Info] = {}  # the last ones by rank; 0: the quickest mate of all

        def tell(info: Info) -> None:
            if not info.bound:
                lines[info.multipv] = info
                if (info.mate or 0) > 0 and (0 not in lines or info.score > lines[0].score):
                    lines[0] = info
            # Nobody wants it of a position that has been left: a GUI would take it for the new one.
            if info.multipv <= multipv and not ticket.abandoned:
                on_info(info)

        wider = multipv
        if owed is not None:
            limits = replace(limits, nodes=_least(strength.PROOF, limits.nodes), mate=_least(owed, limits.mate))
        elif given is not None:
            limits = replace(limits, nodes=_least(given.nodes, limits.nodes))
            wider = max(multipv, strength.LINES)
        try:
            with self._at_work(ticket, self.searcher) as searcher:
                overhead = self._overhead(ticket, limits, game.turn)
                self._limit(searcher, limits, game.turn, overhead)
                best = searcher.search(game, limits, multipv=wider, overhead=overhead, on_info=tell, on_move=on_move)
                self._learn_lag(ticket, limits, game.turn, overhead)
        except Exception as error:  # a GUI that gets no move waits for ever
            self.news(f"search failed, {type(error).__name__}: {error}")
            best = Best(None)
        if given is not None:
            self._chance = self._chance or random.Random()
            line = strength.choose(lines, given, self._chance)
            best = best if line is None or not line.pv else Best(*line.pv[:2])
            self._announce(game, line)
        legal = [int(move) for move in legal_moves(game.rules, game.pos)]
        wanted = [move for move in legal if move in limits.searchmoves] if limits.searchmoves else legal
        if best.move is None or best.move not in legal:
            if best.move is not None:
                self.news(f"search gave an illegal move, {best.move}")
            return Best(wanted[0] if wanted else None)
        return best

    def _announce(self, game: Game, line: Info | None) -> None:
        """A weak player has announced a mate: wherever the opponent goes, it is looked for with all strength."""
        from engine.core.legality import position_after
        from engine.rules import KEY
        from engine.text import legal_moves

        if line is None or not line.pv or (line.mate or 0) <= 1:
            return
        if len(self._owed) > MOST_OWED:
            self._owed.clear()
        pos = position_after(game.rules, game.pos, line.pv[0])
        for reply in map(int, legal_moves(game.rules, pos)):
            self._owed[int(position_after(game.rules, pos, reply)[KEY])] = (line.mate or 0) - 1

    def _overhead(self, ticket: Ticket, limits: Limits, turn: int) -> float:
        """Milliseconds to keep back: by the option, and where a clock runs also what we were late by, and already are."""
        overhead = float(self.values["Move Overhead"])
        if limits.clock[turn] is None or limits.ponder:
            return overhead
        return overhead + self._lag + (time.perf_counter() - ticket.asked) * 1000

    def _limit(self, searcher: Searcher, limits: Limits, turn: int, overhead: float) -> None:
        """See to it that the search ends at its last moment."""
        from search.clock import budget

        with self._lock:
            self._hard = budget(limits, turn, overhead).hard
            if searcher._stopped:  # before it began
                self._insist(searcher, 0.0)
            elif self._hard is not None and (not limits.ponder or searcher._hit):
                self._insist(searcher, self._hard)

    def _insist(self, searcher: Searcher, milliseconds: float) -> None:
        """Some time from now a search that was told to end must end.

        It first wants to have searched a ply, to have a move to answer with; where exchanges explode that takes seconds.
        """
        def insist() -> None:
            with searcher._wake:
                for worker in searcher._workers:
                    if worker.halted:
                        worker.settle()

        timer = threading.Timer(milliseconds / 1000 + INDULGENCE, insist)
        timer.daemon = True
        self._timers.append(timer)
        timer.start()

    def _learn_lag(self, ticket: Ticket, limits: Limits, turn: int, overhead: float) -> None:
        """See how late the answer is after the last moment meant for it; it is forgotten by a tenth with each move."""
        from search.clock import budget

        hard = budget(limits, turn, overhead).hard
        if hard is None or limits.clock[turn] is None or limits.ponder or ticket.stopped:
            return
        late = (time.perf_counter() - ticket.asked) * 1000 - hard
        self._lag = min(max(late, 0.9 * self._lag, 0.0), MOST_LAG)

    @contextmanager
    def _at_work(self, ticket: Ticket, searcher: Searcher) -> Iterator[Searcher]:
        """Let stop() and ponder_hit() reach a searcher, also those that came before it begins."""
        with self._lock:
            searcher.prepare()
            self._active, self._running = searcher, ticket
            if self._must_end(ticket):
                ticket.stopped = True
            if ticket.stopped:
                searcher.stop()
            if ticket.hit:
                searcher.ponder_hit()
        try:
            yield searcher
        finally:
            with self._lock:
                self._active = self._running = self._hard = None
                for timer in self._timers:
                    timer.cancel()
                self._timers.clear()

    def signature(self, ticket: Ticket, name: str, depth: int | None) -> int | None:
        """The node signature of a variant; None where the ticket was stopped. Raises OptionError."""
        self.load(name=name)
        from search.pool import Searcher
        from search.signature import DEPTH, HASH, count, positions

        nodes = 0
        for game in positions(variants.find(name)):
            with self._at_work(ticket, Searcher(HASH, 1)) as searcher:
                nodes += count(game, depth or DEPTH, searcher)
            if ticket.stopped:
                return None
        return nodes

    def divide(self, ticket: Ticket, depth: int) -> Iterator[tuple[str, int]]:
        """Each legal move and the leaves below it, until the ticket is stopped."""
        from engine.core.legality import position_after
        from engine.text import legal_moves

        game = self.game
        self._running = ticket
        try:
            for move in map(int, legal_moves(game.rules, game.pos)):
                count = self._count(ticket, position_after(game.rules, game.pos, move), depth - 1)
                if ticket.stopped:
                    return
                yield game.text(move), count
        finally:
            self._running = None

    def _count(self, ticket: Ticket, pos: Position, depth: int) -> int:
        """Leaves below a position, cut into pieces between which a stop is heeded."""
        from engine.core import perft
        from engine.core.legality import position_after
        from engine.text import legal_moves

        if depth <= PIECE:
            return perft.perft(self.rules, pos, depth)
        total = 0
        for move in map(int, legal_moves(self.rules, pos)):
            if ticket.stopped:
                return 0
            total += self._count(ticket, position_after(self.rules, pos, move), depth - 1)
        return total


def _least(most: int, given: int | None) -> int:
    """A limit of our own and the one that was given, if any."""
    return most if given is None else min(most, given)


_COMPILED: list[str] = []  # names of the functions this process compiled
