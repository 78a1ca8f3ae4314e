"""Loading, while the reader listens: numba, the kernels of a game from the cache, and if they are not there, compiling them.

numba takes 0.2 s to import, kernels 0.1 s to load, so nothing here imports them at the top: a GUI waits for our greeting, and
then for `readyok`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

import variants
from engine.notices import WARNINGS

# numba imports SciPy to check its version, and PyYAML for a settings file in whatever folder the GUI started us in. Kernels
# need neither: without them, `readyok` takes 390 ms of processor time and not 420 (SciPy 1.17, the least of 15 starts).
NOT_FOR_NUMBA = ("scipy", "yaml")


class _NotWantedError(Exception):
    """Ends loading in advance when there is something to do."""


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Meanwhile modules that are not imported yet look as if they were not installed."""
    hidden = [name for name in names if name not in sys.modules]
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment]  # an import raises ImportError
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


def import_engine() -> None:
    """Import what every game needs."""
    with without(*NOT_FOR_NUMBA):
        import engine.game
    assert engine.game


class Loader:
    """Loads games, and reports through `news` what takes long."""

    def __init__(self, news: Callable[[str], None]):
        self.news = news
        self.compiling = False  # read by other threads: the worker cannot be interrupted now
        self._loaded: set[str] = set()
        self._warned = 0  # warnings passed on

    def load(self, name: str, wanted: Callable[[], bool] = lambda: True, compiling: bool = True) -> None:
        """Import, compile or load everything that a variant needs.

        Gives up between two steps when it is no longer `wanted`, and before it compiles anything if not `compiling`.
        """
        if name in self._loaded:
            return
        import_engine()
        self._pass_on_warnings()
        if not wanted():
            return
        from engine.compile.entry_cache import NotKeptError, only_kept
        from search.warm import warm

        try:
            with nullcontext() if compiling else only_kept(), self._reported(name, wanted, compiling) as step:
                warm(variants.find(name), step)
            self._loaded.add(name)
        except (_NotWantedError, NotKeptError):
            pass
        finally:
            self._pass_on_warnings()

    @contextmanager
    def _reported(self, name: str, wanted: Callable[[], bool], compiling: bool) -> Iterator[Callable[[int, int, str], None]]:
        """Report what is compiled meanwhile, and at each step of warm() if anything was, or will be."""
        from engine.compile.folder import cache_dir
        from engine.compile.jit import COMPILE_LISTENERS

        folder = cache_dir()
        # The code of other games makes compiling quicker, but not quick.
        cold = compiling and (folder is None or not any(folder.rglob("*.nbc")))
        compiled: list[str] = []
        self.compiling = cold

        def step(done: int, total: int, what: str) -> None:
            if not wanted():
                raise _NotWantedError
            if done < total and (cold or compiled):
                self.compiling = True
                self.news(f"compiling {name}, step {done + 1} of {total}: {what}")

        def kernel(function: str) -> None:
            self.compiling = True
            compiled.append(function)
            if wanted():
                self.news(f"compiling {name}: {function} done")

        COMPILE_LISTENERS.append(kernel)
        try:
            yield step
        finally:
            self.compiling = False
            COMPILE_LISTENERS.remove(kernel)

    def _pass_on_warnings(self) -> None:
        for warning in WARNINGS[self._warned:]:
            self.news(" ".join(warning.split()))
        self._warned = len(WARNINGS)
