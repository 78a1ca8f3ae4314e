"""The one engine object that both protocols drive: options, the game, the search.

What needs numpy or numba is imported when it is first used: a GUI waits for our greeting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import variants
from engine.errors import MoveError, OptionError, RulesError
from engine.places import memory_limit
from engine.protocol.loading import Loader, import_engine
from engine.protocol.options import EMPTY, OPTIONS, TUNABLES, Option, Value, shown
from engine.protocol.requests import Requests, Ticket

if TYPE_CHECKING:
    from engine.game import Game
    from engine.protocol.thinking import Thinker
    from engine.rules import Rules
    from search.eval.net.files import Weights
    from search.limits import Best, Current, Info, Limits
    from search.searcher import Searcher


class Session(Requests):
    """Options, game and search of one client.

    The requests may be used by any thread; everything else belongs to the worker thread.
    """

    def __init__(self, news: Callable[[str], None]):
        """news: called with each line about loading that a user may want to see."""
        super().__init__()
        self.news = news
        self.values: dict[str, Value] = {option.name: option.default for option in OPTIONS}
        self._loader = Loader(news)
        self._thinker: Thinker | None = None
        self._game: Game | None = None
        self._given: tuple[str | None, list[str]] | None = None  # the last `position`: its FEN and moves
        self._by_alias = False  # UCI_Chess960 was switched on by the name of a variant

    # Loading

    @property
    def rules(self) -> Rules:
        """The rules of the game that is played."""
        return variants.find(str(self.values["UCI_Variant"]))

    def load(self, wanted: Callable[[], bool] = lambda: True, name: str = "", compiling: bool = True) -> None:
        """Import, compile or load everything that a variant needs, by default the one that is played; see Loader.load()."""
        self._loader.load(name or str(self.values["UCI_Variant"]), wanted, compiling)

    def preload(self, wanted: Callable[[], bool]) -> None:
        """Load in advance while it is `wanted`; compile nothing, for another game may be asked for."""
        import_engine()
        self.load(wanted, compiling=False)

    def get_ready(self) -> None:
        """Load the variant, and reserve the memory of a search, before any clock runs."""
        self.load()
        self.thinker.get_ready()

    def compiling(self) -> bool:
        """Whether the worker compiles, which nothing can interrupt. May be called by any thread."""
        return self._loader.compiling

    @property
    def thinker(self) -> Thinker:
        """The search with its surroundings, made when first used."""
        if self._thinker is None:
            import_engine()
            from engine.protocol.thinking import Thinker

            self._thinker = Thinker(self.values, self, self.news)
        return self._thinker

    @property
    def searcher(self) -> Searcher:
        """The search itself."""
        return self.thinker.searcher

    @property
    def net(self) -> Weights | None:
        """The net that the game is evaluated with, if there is one."""
        return self.searcher.nets(self.rules)

    # Options

    def set_option(self, option: Option, text: str) -> None:
        """Set an option. Raises OptionError and changes nothing."""
        value = option.parse(text)
        if option.name == "UCI_Variant":
            self._switch_chess960(variants.is_chess960(text))
            self.set_variant(str(value))
        elif option.name == "UCI_Chess960":
            self._by_alias = False
            if self._game is not None:
                self._game.chess960 = bool(value)
        elif option.name == "Clear Hash":
            self.clear()
        elif option.name == "Hash":
            value = self._resize(max(option.low, self._fitting(int(value))))
        elif option.name in ("VariantPath", "EvalFile", "TablePath", "SyzygyPath"):
            self._read(option.name, str(value))
        elif self._thinker is not None and option.name == "Threads":
            self.searcher.threads = int(value)
        elif option in TUNABLES:
            self.thinker.tune(option.name, int(value))
        if option.kind != "button":
            changed = self.values[option.name] != value
            self.values[option.name] = value
            if changed and option.name in ("Use NNUE", "EvalFile") and self._thinker is not None:
                self.clear()  # values in the table are those of the other evaluation

    def _read(self, name: str, path: str) -> None:
        """Read what the option of that name points to. Raises OptionError."""
        if name == "VariantPath":
            self._define(path)
        elif name == "EvalFile":
            self.thinker.choose_net(path)
        elif name == "TablePath":
            self.thinker.choose_tables(path)
        else:
            self.thinker.choose_syzygy(path)

    def _define(self, path: str) -> None:
        """Read a file of definitions and say what was understood. Raises OptionError."""
        if path == EMPTY:
            return
        try:
            found = variants.define(path)
        except RulesError as error:
            raise OptionError(f"VariantPath: {error}") from None
        self.news(f"VariantPath: {sum(each.rules is not None for each in found)} of {len(found)} games read from {shown(path)}")
        if self._game is not None and self._game.rules is not self.rules:
            self.clear()
            self._given = None  # what it has in common with the next position follows from other rules
        for each in found:
            if each.rules is None:
                self.news(f"VariantPath: {each.name} is refused: {each.error}")

    def _switch_chess960(self, chess960: bool) -> None:
        """What the name of one variant switched on, the name of the next switches off."""
        if chess960 or self._by_alias:
            self.values["UCI_Chess960"] = self._by_alias = chess960

    def _fitting(self, size: int) -> int:
        """MiB for the table: the system would promise more than it has, and kill us when we use it."""
        most = memory_limit()
        if size > most:
            self.news(f"Hash {size} does not fit into memory, using {most} MiB")
        return min(size, most)

    def _resize(self, size: int) -> int:
        """The size given, now that of the table."""
        if self._thinker is None or size == self.values["Hash"]:
            return size
        try:
            self.searcher.resize(size)
        except (MemoryError, OSError) as error:
            self.searcher.resize(int(self.values["Hash"]))
            raise OptionError(f"Hash {size} does not fit into memory, kept {self.values['Hash']}") from error
        return size

    def set_variant(self, name: str) -> None:
        """Play another game, or the same one from its start position. Raises OptionError."""
        resolved = variants.resolve(name)
        if resolved != self.values["UCI_Variant"]:
            self.clear()  # the same key means another position there
        self.values["UCI_Variant"] = resolved
        self._game = self._given = None

    # The game

    @property
    def game(self) -> Game:
        """The game that is played, from its start position unless another was set up."""
        if self._game is None:
            self._game = self._game_from(None)
        return self._game

    def _game_from(self, fen: str | None) -> Game:
        self.load()
        from engine.game import Game

        return Game(self.rules, fen, bool(self.values["UCI_Chess960"]))

    def clear(self) -> None:
        """Forget what was searched."""
        if self._thinker is not None:
            self._thinker.clear()

    def new_game(self) -> None:
        """Go to the start position and forget what was searched."""
        self.clear()
        self._game = self._given = None

    def set_position(self, fen: str | None, moves: list[str]) -> None:
        """Set up a position, by default the start position, and play moves. Raises FenError, MoveError, changing nothing.

        GUIs send the whole game each time: what it has in common with the last one is kept.
        """
        shared = 0
        if self._given is not None and self._game is not None and self._given[0] == fen:
            given = self._given[1]
            while shared < min(len(given), len(moves)) and given[shared] == moves[shared]:
                shared += 1
            game = self._game.copy()
            del game.positions[shared + 1:], game.moves[shared:]
        else:
            game = self._game_from(fen)
        for number, move in enumerate(moves[shared:], shared + 1):
            try:
                game.push(move)
            except MoveError as error:
                raise MoveError(f"{error}, number {number} of the moves; position unchanged") from None
        self._game, self._given = game, (fen, list(moves))

    def push(self, move: str | int) -> None:
        """Play a move in the game. Raises MoveError."""
        game = self.game
        self._given = None
        game.push(move)

    def pop(self) -> None:
        """Take a move back. Raises IndexError if there is none."""
        self._given = None
        self.game.pop()

    # Searching and counting

    def think(self, ticket: Ticket, limits: Limits, on_info: Callable[[Info], None], game: Game | None = None,
              multipv: int | None = None, on_move: Callable[[Current], None] | None = None) -> Best:
        """Search the game, or another one; the answer is a legal move if there is one. See Thinker.think()."""
        game = game or self.game
        self.load()
        return self.thinker.think(ticket, game, limits, multipv or int(self.values["MultiPV"]), on_info, on_move)

    def divide(self, ticket: Ticket, depth: int) -> Iterator[tuple[str, int]]:
        """Each legal move and the number of leaves below it, until the ticket is stopped; depth: plies, at least 1."""
        game = self.game
        from engine.protocol.counting import divide

        with self.at_work(ticket):
            yield from divide(game, depth, lambda: ticket.stopped)

    def signature(self, ticket: Ticket, name: str, depth: int | None) -> int | None:
        """The node signature of a variant; None if the ticket was stopped. Raises OptionError."""
        self.load(name=name)
        from search.searcher import Searcher
        from search.signature import DEPTH, HASH, count, positions

        nodes = 0
        for game in positions(variants.find(name)):
            searcher = Searcher(HASH, 1)
            with self.at_work(ticket, searcher):
                nodes += count(game, depth or DEPTH, searcher)
            if ticket.stopped:
                return None
        return nodes
