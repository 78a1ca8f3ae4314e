"""How a session thinks: the search, full strength or less, and how late its answers are."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import variants
from engine.core.legality import position_after
from engine.errors import OptionError
from engine.game import Game
from engine.protocol import strength
from engine.protocol.options import EMPTY, Value
from engine.protocol.requests import Requests, Ticket
from engine.protocol.strength import Handicap
from engine.rules import Rules
from search.eval.net.files import NetError, OtherGameError, Weights, chosen_net, net_of
from search.limits import MATE, Best, Current, Info, Limits
from search.searcher import Searcher
from search.tables.numbers import FIFTY_MOVES
from search.tables.probing import Tables, warm_bundled

if TYPE_CHECKING:
    from search.tables.syzygy import Syzygy

MOST_PROMISED = 10_000  # positions of announced mates that are remembered
MOST_LAG = 150.0  # milliseconds; an answer later than that was an accident


class Lag:
    """How late our answers have been recently, because a busy machine does not wake us in time."""

    def __init__(self) -> None:
        self._milliseconds = 0.0

    def overhead(self, option: float, ticket: Ticket, limits: Limits, turn: int) -> float:
        """Milliseconds to keep back: those of the option, and if a clock runs, the lag and what is lost already."""
        if limits.clock[turn] is None or limits.ponder:
            return option
        return option + self._milliseconds + (time.perf_counter() - ticket.asked) * 1000

    def learn(self, ticket: Ticket, limits: Limits, turn: int, hard: float | None) -> None:
        """Compare the time of an answer with the hard limit in milliseconds; a lag fades by a tenth with each move."""
        if hard is None or limits.clock[turn] is None or limits.ponder or ticket.stopped:
            return
        late = (time.perf_counter() - ticket.asked) * 1000 - hard
        self._milliseconds = min(max(late, 0.9 * self._milliseconds, 0.0), MOST_LAG)


class WeakPlayer:
    """Plays below full strength, but carries out a mate that it has announced."""

    def __init__(self) -> None:
        self._chance = random.Random()
        self._promised: dict[int, int] = {}  # by the key of a position: moves in which an announced mate must come

    def clear(self) -> None:
        """Forget announced mates."""
        self._promised.clear()

    def adjust(self, given: Handicap, game: Game, limits: Limits, multipv: int) -> tuple[Limits, int]:
        """The limits and the number of lines of a search under a handicap."""
        mate = self._promised.get(game.key)
        if mate is not None:
            return replace(limits, nodes=_least(strength.PROOF, limits.nodes), mate=_least(mate, limits.mate)), multipv
        return replace(limits, nodes=_least(given.nodes, limits.nodes)), max(multipv, strength.LINES)

    def choose(self, given: Handicap, game: Game, lines: Mapping[int, Info]) -> Best | None:
        """The move of the line that looks best to a judge who errs; None if there are no lines."""
        line = strength.choose(lines, given, self._chance)
        if line is None or not line.pv:
            return None
        if (line.mate or 0) > 1:
            self._promise(game, line.pv[0], (line.mate or 0) - 1)
        return Best(*line.pv[:2])

    def _promise(self, game: Game, move: int, mate: int) -> None:
        """Whatever the reply to a move, look for the mate with full strength."""
        if len(self._promised) > MOST_PROMISED:
            self._promised.clear()
        after = game.copy(stack=False)
        after.push(move)
        for reply in after.legal_numbers():
            self._promised[after.key_after(reply)] = mate


class Thinker:
    """The searcher of a session, and what surrounds its searches."""

    def __init__(self, values: Mapping[str, Value], requests: Requests, news: Callable[[str], None]):
        """Reserve the hash table. values: the options by name, followed as they change."""
        self._values, self._requests, self._news = values, requests, news
        self.searcher = Searcher(int(values["Hash"]), int(values["Threads"]), nets=self._net)
        self._refused: set[tuple[str, str]] = set()  # games and files that do not fit
        self.tables: Tables | None = None
        self.syzygy: Syzygy | None = None
        self._lag = Lag()
        self._weak = WeakPlayer()

    def clear(self) -> None:
        """Forget what was searched."""
        self._weak.clear()
        self.searcher.clear()

    def choose_net(self, name: str) -> None:
        """See that a file holds a net, if for another game: GUIs may name the game later. Raises OptionError."""
        if name != EMPTY:
            self._refused.clear()
            try:
                chosen_net.cache_clear()
                chosen_net(Path(name), variants.find(str(self._values["UCI_Variant"])))
            except OtherGameError:
                pass
            except NetError as error:
                raise OptionError(f"EvalFile: {error}") from None

    def get_ready(self) -> None:
        """Load the tables of the game that is played, before any clock runs."""
        rules = variants.find(str(self._values["UCI_Variant"]))
        if self.tables is not None:
            self.tables.warm(rules)
        else:
            warm_bundled(rules)
        if self.syzygy is not None:
            self.syzygy.most_pieces(rules)  # names what cannot be used

    def choose_tables(self, name: str) -> None:
        """Ask the tables in a folder from now on. Raises OptionError and changes nothing."""
        if name != EMPTY and not Path(name).is_dir():
            raise OptionError(f"TablePath: {name!r} is not a folder")
        self.tables = None if name == EMPTY else Tables(Path(name), self._unused, bundled=True)

    def choose_syzygy(self, name: str) -> None:
        """Ask the Syzygy files in some folders from now on. Raises OptionError and changes nothing."""
        if name == EMPTY:
            self.syzygy = None
            return
        from search.tables.syzygy import Syzygy, folders_in  # imports python-chess

        folders = folders_in(name)
        for folder in folders:
            if not folder.is_dir():
                raise OptionError(f"SyzygyPath: {str(folder)!r} is not a folder")
        self.syzygy = Syzygy(folders, self._unused)

    def _unused(self, line: str) -> None:
        self._news(f"{line}; it is not used")

    def _net(self, rules: Rules) -> Weights | None:
        """The net that the options name; where the file is for another game, the one that comes with this game."""
        if not self._values["Use NNUE"]:
            return None
        name = str(self._values["EvalFile"])
        if name != EMPTY and (name, rules.name) not in self._refused:
            try:
                return chosen_net(Path(name), rules)
            except NetError as error:
                self._refused.add((name, rules.name))
                self._news(f"{error}; the file is not used")
        return net_of(rules)

    def tune(self, name: str, value: int) -> None:
        """Set a number of the search, one of TUNABLES, for all games; the others remain those of each game."""
        self.searcher.changed[name] = value

    def think(self, ticket: Ticket, game: Game, limits: Limits, multipv: int, on_info: Callable[[Info], None],
              on_move: Callable[[Current], None] | None = None) -> Best:
        """Search a position; the answer is a legal move, allowed by the limits, if there is one.

        multipv: lines to report; callbacks as in Searcher.search().
        """
        ticket.limits = limits
        given = strength.handicap(self._values)
        lines: dict[int, Info] = {}  # the last ones by rank; 0: the quickest mate of all

        def report(info: Info) -> None:
            if not lines:
                self._warn_of_cursed_wins()
                self._warn_of_late_ends()
            if not info.bound:
                lines[info.multipv] = info
                if (info.mate or 0) > 0 and (0 not in lines or info.score > lines[0].score):
                    lines[0] = info
            if info.tbhits and info.multipv == 1:
                self._warn_of_fifty_moves(game, info)
            # Lines of an abandoned position would look like lines of the next one.
            if info.multipv <= multipv and not ticket.abandoned:
                on_info(info)

        self.searcher.tables = self.tables if given is None else None  # a weak level must be able to err
        self.searcher.syzygy = self.syzygy if given is None else None
        self.searcher.bundled = given is None
        adjusted, width = (limits, multipv) if given is None else self._weak.adjust(given, game, limits, multipv)
        try:
            best = self._search(ticket, game, adjusted, width, report, on_move)
        except Exception as error:  # a GUI that gets no move waits for ever
            self._news(f"search failed, {type(error).__name__}: {error}")
            best = Best(None)
        if given is not None:
            best = self._weak.choose(given, game, lines) or best
        return self._checked(game, limits, best)

    def _warn_of_fifty_moves(self, game: Game, info: Info) -> None:
        """Say so if the 50-move rule would end the game before the tables' best line does."""
        tables, plies = self.searcher.tables, 0 if info.mate is None else MATE - abs(info.score)
        if tables is not None and info.pv and plies and plies + game.halfmove_clock > FIFTY_MOVES:
            line = tables.line(game.rules, position_after(game.rules, game.pos, info.pv[0]))
            if line.too_long:
                self._news(f"the tables' best line has {line.quiet} plies without capture or pawn move: more than the 50-move "
                           "rule allows")

    def _warn_of_late_ends(self) -> None:
        """Say so if tables know a win, or a loss, for which the 50-move rule leaves no time."""
        root = self.searcher.known
        if root is not None and root.late:
            self._news(f"by the tables, a {root.moves[0][1]}, for which the 50-move rule leaves no time")

    def _warn_of_cursed_wins(self) -> None:
        """Say so if Syzygy files know a win that the 50-move rule makes a draw."""
        root = self.searcher.graded
        if root is not None and abs(root.grade.wdl) == 1:
            self._news(f"by the Syzygy tables, a {root.grade}")

    def _search(self, ticket: Ticket, game: Game, limits: Limits, multipv: int, on_info: Callable[[Info], None],
                on_move: Callable[[Current], None] | None) -> Best:
        with self._requests.at_work(ticket, self.searcher):
            overhead = self._lag.overhead(float(self._values["Move Overhead"]), ticket, limits, game.turn)
            best = self.searcher.search(game, limits, multipv=multipv, overhead=overhead, on_info=on_info, on_move=on_move)
            self._lag.learn(ticket, limits, game.turn, self.searcher.budget().hard)
        return best

    def _checked(self, game: Game, limits: Limits, best: Best) -> Best:
        """The answer if it is legal, else the first move allowed."""
        legal = game.legal_numbers()
        if best.move in legal:
            return best
        if best.move is not None:
            self._news(f"search gave an illegal move, {best.move}")
        allowed = [move for move in legal if move in limits.searchmoves] if limits.searchmoves else legal
        return Best(allowed[0] if allowed else None)


def _least(most: int, given: int | None) -> int:
    """The tighter one of our own limit and the one that was given, if any."""
    return most if given is None else min(most, given)
