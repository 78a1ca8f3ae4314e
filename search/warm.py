"""Compiling a game before it is played, so that nobody waits in the middle of one."""

from __future__ import annotations

from collections.abc import Callable

from engine.rules import Rules


def _position(rules: Rules) -> None:
    from engine.game import Game

    game = Game(rules)
    game.push(game.legal_moves()[0])
    game.outcome()


def _counts(rules: Rules) -> None:
    from engine.core.perft import perft
    from engine.text import start_position

    perft(rules, start_position(rules), 2)


def _search(rules: Rules) -> None:
    from search import pool

    pool.warm(rules)


STEPS: tuple[tuple[str, Callable[[Rules], None]], ...] = (("rules", _position), ("perft", _counts), ("search", _search))


def _search_kernel(rules: Rules) -> None:
    from search import pool

    pool.compile_kernel(rules)


def _tools(rules: Rules) -> None:
    _position(rules)
    _counts(rules)


# Parts for processes of their own. The first two are all a game needs, and need nothing of each other.
PARTS: dict[str, Callable[[Rules], None]] = {"search": _search_kernel, "rules and perft": _tools, "perft alone": _counts}
GAME = ("search", "rules and perft")
COUNTS = ("perft alone",)


def warm(rules: Rules, on_step: Callable[[int, int, str], None] | None = None) -> None:
    """Compile or load every kernel a game of `rules` needs.

    on_step(done, total, what) is called before each step and after the last; on a warm cache all of them together take a
    fraction of a second.
    """
    for done, (what, step) in enumerate(STEPS):
        if on_step is not None:
            on_step(done, len(STEPS), what)
        step(rules)
    if on_step is not None:
        on_step(len(STEPS), len(STEPS), "ready")
