"""The decorators that compile.

`inline`  a small function without rules, always inlined; kept on disk as bitcode, too.
`jit`     a function that only kernels call, specialised (specialiser.py) for the rules and literals of each call, and kept on
          disk as bitcode (inner.py).
`entry`   what Python calls, and what calls itself: specialised and compiled once per game, and kept on disk (entry_cache.py).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from numba.core import compiler, dispatcher, registry, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.typing.templates import infer, infer_global, make_overload_template

from engine.compile.by_reference import Reference
from engine.compile.entry_cache import EntryCache, alone
from engine.compile.folder import cache_dir, is_stamped
from engine.compile.inner import InnerCompiler, mark_kept, without_events
from engine.compile.sources import text_of
from engine.compile.specialiser import Record, specialise
from engine.rules.numba_type import RulesType


def _constants(names: list[str], args: tuple[Any, ...]) -> dict[str, Any]:
    """What the compiler knows of a function's arguments by their types: rules, and the class constants of named tuples."""
    known: dict[str, Any] = {}
    for name, arg in zip(names, args, strict=True):
        if isinstance(arg, RulesType):
            known[name] = arg.traits
        elif isinstance(arg, types.BaseNamedTuple):
            known[name] = Record(arg.instance_class)
        elif isinstance(arg, Reference):
            known[name] = Record(arg.record.instance_class)
    return known


class _Compiler(dispatcher._FunctionCompiler):  # type: ignore[misc]
    """numba's, but a number passed as a literal is a number like any other: it compiles no version of its own."""

    def __init__(self, owner: Any, pipeline: Any = compiler.Compiler):
        super().__init__(owner.py_func, owner.targetdescr, owner.targetoptions, owner.locals, pipeline)
        self.owner = owner

    def fold_argument_types(self, args: Any, kws: Any) -> Any:
        signature, args = super().fold_argument_types(args, kws)
        return signature, tuple(map(types.unliteral, args))


class _Specialiser(_Compiler):
    """Compiles what the rules leave of a function."""

    def _compile_core(self, args: tuple[Any, ...], return_type: Any) -> Any:
        """As numba's, of the specialised function. Meanwhile it is the dispatcher's own: numba finds recursion by identity."""
        source = self.owner.py_func
        self.py_func = self.owner.py_func = specialise(source, _constants(list(self.pysig.parameters), args))
        try:
            result = super()._compile_core(args, return_type)
        finally:
            self.py_func = self.owner.py_func = source
        for environment in result._find_referenced_environments():  # of functions that have no machine code of their own
            result.library.codegen.set_env(environment.env_name, environment)
        return result


class _Dispatcher(registry.CPUDispatcher):  # type: ignore[misc]
    """A compiled function that Python can call."""

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None, **options: Any):
        super().__init__(py_func, locals, targetoptions, **options)
        self._compiler = _Compiler(self)


class _Entry(_Dispatcher):
    """One that is specialised for the rules and kept on disk. Notifies COMPILE_LISTENERS."""

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None, **options: Any):
        super().__init__(py_func, locals, targetoptions, **options)
        self._compiler = _Specialiser(self)

    def compile(self, sig: Any) -> Any:
        with _reported(self, sig), global_compiler_lock, alone(self, sig), without_events():
            return super().compile(sig)


# No references are counted in kernels: numba would do it at every view of a row, by atomic instructions that cost as much as
# counting a position's moves (perft 1.5 times as fast without). Whoever calls a kernel holds its arrays; none is made inside
# (bits.row_on_stack is for that).
PLAIN = {"nogil": True, "_nrt": False}
# Those of functions that Python calls.
OUTER = {"nopython": True, "boundscheck": None, **PLAIN}
# Functions that only compiled code can call need no wrappers for Python and C, nor numba's array rewrites: a fifth less work.
INNER = {**PLAIN, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "no_rewrites": True}


class _Inline(_Dispatcher):
    """One that kernels get as an inner function. Python gets another one, with wrappers, compiled when first called."""

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None, **options: Any):
        super().__init__(py_func, locals, targetoptions, **options)
        self._compiler = _Compiler(self, InnerCompiler)
        self._for_python = _Dispatcher(py_func, locals, OUTER)

    def __call__(self, *args: Any) -> Any:
        """The function's value: without wrappers, the code that kernels have would end the process."""
        return self._for_python(*args)


COMPILE_LISTENERS: list[Callable[[str], None]] = []


@contextmanager
def _reported(function: Any, sig: Any) -> Iterator[None]:
    misses = sum(function._cache_misses.values())
    yield
    if sum(function._cache_misses.values()) > misses:
        for listener in COMPILE_LISTENERS:
            listener(function.py_func.__name__)


def entry(function: Callable[..., Any]) -> Any:
    """Compile `function` when it is first called, for the rules it is called with; without the GIL, and keep the code."""
    text_of(function.__code__.co_filename)  # read now: an edit before the first call must not be compiled
    compiled = _Entry(py_func=function, targetoptions=OUTER)
    if cache_dir() is not None:
        compiled._cache = EntryCache(compiled.py_func)
    return compiled


def inline(function: Any) -> Any:
    """Compile a small function without rules into each of its callers. Python may call it, too."""
    if is_stamped(function.__code__.co_filename):
        text_of(function.__code__.co_filename)  # as in entry()
        mark_kept(function, function)
    return _Inline(py_func=function, targetoptions={**OUTER, "forceinline": True, **INNER})


def jit(function: Any = None, *, forceinline: bool = False, runtime: tuple[str, ...] = ()) -> Any:
    """Specialise `function` for the rules and the literals it is called with. Never recursive.

    runtime: parameters that are not folded. A literal passed for one of them is an int64 known at run time only; otherwise
    every number would make, type and compile another version of the function.
    """
    if function is None:
        return functools.partial(jit, forceinline=forceinline, runtime=runtime)
    names = list(inspect.signature(function).parameters)
    assert set(runtime) <= set(names), function
    text_of(function.__code__.co_filename)  # as in entry()
    kept = is_stamped(function.__code__.co_filename)

    def choose(*args: Any) -> FunctionType:
        literals = {name: arg.literal_value for name, arg in zip(names, args, strict=True) if isinstance(arg, types.Literal)}
        specialised = specialise(function, {**literals, **_constants(names, args)})
        return mark_kept(specialised, function) if kept else specialised

    namespace = {"choose": choose}
    exec(f"def chooser({', '.join(names)}): return choose({', '.join(names)})", namespace)
    options = {"nopython": True, "forceinline": forceinline, **INNER, "pipeline_class": InnerCompiler}
    base = make_overload_template(function, namespace["chooser"], options, True, "never", prefer_literal=True)

    def generic(self: Any, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        args = tuple(types.unliteral(arg) if name in runtime else arg for name, arg in zip(names, args, strict=False))
        return base.generic(self, args, {k: types.unliteral(arg) if k in runtime else arg for k, arg in kws.items()})

    template = type(base)(base.__name__, (base,), {"generic": generic})
    infer(template)
    infer_global(function, types.Function(template))
    return function
