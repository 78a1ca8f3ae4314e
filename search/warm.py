"""Compiling a game before it is played, so that nothing is compiled in the middle of one."""

from __future__ import annotations

from collections.abc import Callable

from engine.core.perft import perft
from engine.game import Game
from engine.rules import Rules
from engine.text import start_position
from search.limits import Limits
from search.searcher import Searcher
from search.tables.probing import warm_bundled
from search.threads import Worker


def _position(rules: Rules) -> None:
    game = Game(rules)
    game.push(game.legal_moves()[0])
    game.outcome()


def _counts(rules: Rules) -> None:
    perft(rules, start_position(rules), 2)


def _search(rules: Rules) -> None:
    Searcher(hash_mb=1).search(Game(rules), Limits(depth=2))
    warm_bundled(rules)


def _tools(rules: Rules) -> None:
    _position(rules)
    _counts(rules)


STEPS: tuple[tuple[str, Callable[[Rules], None]], ...] = (("rules", _position), ("perft", _counts), ("search", _search))

# Parts for several processes. The first two are all that a game needs, and neither needs the other's code.
PARTS: dict[str, Callable[[Rules], None]] = {"search": Worker.compile, "rules and perft": _tools, "perft alone": _counts}
GAME = ("search", "rules and perft")
COUNTS = ("perft alone",)


def warm(rules: Rules, on_step: Callable[[int, int, str], None] | None = None) -> None:
    """Compile or load every kernel that playing `rules` needs.

    on_step(done, total, what) is called before each step and after the last. With a warm cache all steps together take a
    fraction of a second.
    """
    for done, (what, step) in enumerate(STEPS):
        if on_step is not None:
            on_step(done, len(STEPS), what)
        step(rules)
    if on_step is not None:
        on_step(len(STEPS), len(STEPS), "ready")
