"""What the tasks of a pool search with: one searcher to a thread, and looks that remember nothing of others."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.game import Game
    from search.limits import Info, Limits
    from search.searcher import Searcher

_own = threading.local()  # a worker of a cluster may run several tasks at a time


def own_searcher(hash_mb: int) -> Searcher:
    """This thread's searcher with a table of that size, made once."""
    from search.searcher import Searcher

    kept: dict[int, Searcher] = _own.__dict__.setdefault("searchers", {})
    if hash_mb not in kept:
        kept[hash_mb] = Searcher(hash_mb=hash_mb)
    return kept[hash_mb]


def look(game: Game, searcher: Searcher, limits: Limits, multipv: int) -> list[Info]:
    """The best lines of a search that remembers nothing of others, so that it gives the same anywhere; best first."""
    found: dict[int, Info] = {}

    def keep(info: Info) -> None:
        if not info.bound and info.pv:
            found[info.multipv] = info

    searcher.clear()
    searcher.search(game, limits, multipv=multipv, on_info=keep)
    return [info for _, info in sorted(found.items())]
