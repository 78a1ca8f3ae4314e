"""The decorators that compile, and the disk cache that keeps what they compiled.

`inline`  a small function without rules, always inlined.
`jit`     a function that only kernels call, specialised (specialiser.py) for the rules and literals of each call.
`entry`   what Python calls, and what calls itself: specialised and compiled once per game, and kept on disk.

The cache folder is named by a hash of everything the machine code depends on: sources (the protocols apart), versions,
options, processor. numba's own stamp sees the one file a function stands in and misses edits in the files it
calls.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import shutil
import stat
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite
import llvmlite.binding
import numba
import platformdirs
from numba.core import caching, codegen, compiler, dispatcher, registry, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.typing.templates import infer, infer_global, make_overload_template

from engine.compile.inner import InnerCompiler
from engine.compile.specialiser import Record, specialise
from engine.notices import WARNINGS, warn
from engine.places import ROOT
from engine.rules.numba_type import RulesType

# Folders and files that decide what the machine code of a game is. Editing anything else recompiles nothing; what a game
# declares is part of its type.
KERNELS = ("engine/squares.py", "engine/rules", "engine/compile", "engine/core", "search/eval",
           *(f"search/{name}.py" for name in ("alphabeta", "draws", "exchange", "histories", "limits", "ordering", "params",
                                               "picker", "proof", "pruning", "state", "tt", "tables/numbers",
                                               "tables/backwards", "tables/kernels", "tables/tree")))
UNUSED_SECONDS = 30 * 24 * 3600
__all__ = ["WARNINGS", "NotKeptError", "cache_dir", "entry", "inline", "jit", "only_kept", "processor", "sliders", "stamp"]


def sliders() -> str:
    """`pext` where one instruction gathers bits fast, `lines` (obstruction difference) elsewhere.

    `fills` is `pext`, and moves are counted in all directions at once: for processors whose registers hold eight words.
    KINGMAKER_SLIDERS overrules. AMD before Zen 3 has the instruction in slow microcode.
    """
    wanted = os.environ.get("KINGMAKER_SLIDERS", "")
    name, features = processor()
    able = set(features.split(","))
    if wanted == "lines" or "+bmi2" not in able:
        return "lines"
    if wanted != "pext" and {"+avx512f", "+avx512vpopcntdq"} <= able:
        return "fills"
    return "pext" if wanted in ("pext", "fills") or name not in ("znver1", "znver2", "bdver4") else "lines"


@functools.cache
def processor() -> tuple[str, str]:
    """Name and features of the processor code is made for."""
    from llvmlite import binding

    name = numba.config.CPU_NAME or binding.get_host_cpu_name()
    features = numba.config.CPU_FEATURES
    return name, binding.get_host_cpu_features().flatten() if features is None else features


@functools.cache
def stamp() -> str:
    """A hash of all that decides what the machine code is."""
    digest = hashlib.sha256()
    config = numba.config
    for part in (numba.__version__, llvmlite.__version__, sys.version, config.OPT, config.BOUNDSCHECK, *processor(), sliders()):
        digest.update(f"{part}\n".encode())
    for path in kernel_files():
        digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:20]


def kernel_files() -> list[Path]:
    """The files that KERNELS names."""
    found = []
    for name in KERNELS:
        place = ROOT / name
        found += [place] if place.suffix else sorted(place.rglob("*.py"))
    return found


@functools.cache
def cache_dir() -> Path | None:
    """The folder compiled code is kept in, ours alone; None where there is none to trust, and a line in WARNINGS.

    The files are pickles: whoever can write them runs code in this process. KINGMAKER_CACHE overrules the place.
    """
    try:
        base = Path(os.environ.get("KINGMAKER_CACHE") or platformdirs.user_cache_dir("kingmaker"))
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = base / stamp()
        if not folder.exists():
            _prune(base)
        folder.mkdir(mode=0o700, exist_ok=True)
        for place in (base, folder):
            info = place.lstat()
            if not stat.S_ISDIR(info.st_mode):
                raise PermissionError(f"{place} is a link")
            if hasattr(os, "getuid") and (info.st_uid != os.getuid() or info.st_mode & 0o022):
                raise PermissionError(f"others can write to {place}")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(f"{folder} cannot be written")
        (folder / ".alive").touch()
    except (OSError, RuntimeError) as error:
        warn(f"no cache for compiled code, compiling in memory: {error}")
        return None
    return folder


def _prune(base: Path) -> None:
    """Remove what other versions compiled and nobody has used for a month."""
    for alive in base.glob("*/.alive"):
        if time.time() - alive.stat().st_mtime > UNUSED_SECONDS:
            shutil.rmtree(alive.parent, ignore_errors=True)


class Locator(caching._CacheLocator):  # type: ignore[misc]
    """Tells numba where compiled code lies and what it was made from."""

    def __init__(self, function: FunctionType, path: str):
        self.function, self._py_file = function, path  # numba's warnings read _py_file

    def get_cache_path(self) -> str:
        return str(cache_dir())

    def get_source_stamp(self) -> str:
        """Of a kernel in any other file, its own text is part of the stamp."""
        path = Path(self._py_file)
        return stamp() if path in kernel_files() else stamp() + hashlib.sha256(path.read_bytes()).hexdigest()[:20]

    def get_disambiguator(self) -> str:
        return f"{self.function.__module__}-{self.function.__code__.co_firstlineno}"

    @classmethod
    def from_function(cls, function: FunctionType, path: str) -> Locator:
        return cls(function, path)


_HELD = threading.local()


@contextmanager
def _lock() -> Iterator[None]:
    """The file lock around every look into the cache and every addition to it. Compiling has a lock for each function."""
    if getattr(_HELD, "now", False):  # what is loaded may load another function
        yield
        return
    folder = cache_dir()
    assert folder is not None
    _HELD.now = True
    try:
        with _locked(folder / "lock"):
            yield
    finally:
        _HELD.now = False


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """A file locked against other processes and threads; the lock of a process that dies is free."""
    try:
        import fcntl
    except ImportError:  # another system: the library knows its way, and takes longer to import than a kernel to load
        from filelock import FileLock

        with FileLock(path):
            yield
        return
    with path.open("ab") as file:  # closing it unlocks
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class _Library(codegen.JITCodeLibrary):  # type: ignore[misc]
    """Machine code out of the cache. Its LLVM bitcode is parsed only if another function is compiled with this one inside."""

    bitcode: bytes  # compressed
    _shared_module: Any

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = llvmlite.binding.parse_bitcode(zlib.decompress(self.bitcode))
        return self._shared_module


class _Code(caching.CompileResultCacheImpl):  # type: ignore[misc]
    """What is kept of a compiled function: numba's own, and the names of the symbols that it defines.

    numba finds these names by parsing the bitcode, which takes longer than all the rest of loading.
    """

    def reduce(self, result: Any) -> Any:
        module = result.library._get_module_for_linking()
        names = [value.name for values in (module.functions, module.global_variables)
                 for value in values if not value.is_declaration]
        (name, kind, (code, bitcode)), *rest = result._reduce()
        return ((name, kind, (code, zlib.compress(bitcode, 1))), *rest), names

    def rebuild(self, context: Any, kept: Any) -> Any:
        """As CompileResult._rebuild does it."""
        (state, fndesc, environment, signature, objectmode, lifted, annotation, reload, referenced), names = kept
        name, _, (code, bitcode) = state
        for job in reload:
            job()
        unit = context.codegen()
        library = unit.create_library(name)
        library.__class__, library.bitcode = _Library, bitcode
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._finalize_final_module()
        unit._engine._defined_symbols.update(names)
        result = compiler.compile_result(
            target_context=context, typing_context=context.typing_context, library=library, environment=environment,
            entry_point=context.get_executable(library, fndesc, environment), fndesc=fndesc, type_annotation=annotation,
            signature=signature, objectmode=objectmode, lifted=lifted, reload_init=reload, referenced_envs=referenced)
        for each in referenced:
            unit.set_env(each.env_name, each)
        return result


@contextmanager
def _alone(function: Any, sig: Any) -> Iterator[None]:
    """Meanwhile no other process looks for this code: the first one compiles it, the others wait and find it.

    Kernels that are kept call each other in no circle, so nobody waits for ever. The lock of all compiling must be held: two
    threads of a process that each wait for what the other one has would be a circle.
    """
    folder = cache_dir()
    name = hashlib.sha256(f"{function.py_func.__module__}.{function.py_func.__qualname__}{sig}".encode()).hexdigest()[:20]
    if folder is None or _only_kept or name in _BUSY:
        yield
        return
    _BUSY.add(name)
    try:
        with _locked(folder / f"{name}.lock"):
            yield
    finally:
        _BUSY.remove(name)


_BUSY = set[str]()  # what this process compiles, or waits for


class NotKeptError(Exception):
    """The function that would have to be compiled."""


_only_kept = False


@contextmanager
def only_kept() -> Iterator[None]:
    """Meanwhile code is loaded, and none is compiled by any thread. Raises NotKeptError."""
    global _only_kept
    if cache_dir() is None:
        raise NotKeptError("anything")
    _only_kept = True
    try:
        yield
    finally:
        _only_kept = False


class _Cache(caching.FunctionCache):  # type: ignore[misc]
    """A cache several processes can fill at once, and that can be spoilt (power cut, full disk) without harm.

    An entry is found through an index of its function, read and written whole: without the lock two processes overwrite each
    other's and can load the other game's code. What cannot be read is made anew.
    """

    _impl_class = _Code

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        with _lock():
            found = self._load(sig, target_context)
        if found is None and _only_kept:
            raise NotKeptError(self._py_func.__name__)
        return found

    def _load(self, sig: Any, target_context: Any) -> Any:
        """What is kept for a signature, or None.

        Unlike numba's, without a refresh of the context: that imports all of numba, and only compiling needs it.
        """
        try:
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except Exception:  # unpickling half a file raises whatever it likes
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            with _lock():
                super().save_overload(sig, data)
        except OSError as error:
            warn(f"compiled code is not kept: {error}")


def _constants(names: list[str], args: tuple[Any, ...]) -> dict[str, Any]:
    """What the compiler knows of a function's arguments by their types: rules, and the class constants of named tuples."""
    known: dict[str, Any] = {}
    for name, arg in zip(names, args, strict=True):
        if isinstance(arg, RulesType):
            known[name] = arg.traits
        elif isinstance(arg, types.BaseNamedTuple):
            known[name] = Record(arg.instance_class)
    return known


class _Compiler(dispatcher._FunctionCompiler):  # type: ignore[misc]
    """numba's, but a number passed as a literal is a number like any other: it compiles no version of its own."""

    def __init__(self, owner: Any):
        super().__init__(owner.py_func, owner.targetdescr, owner.targetoptions, owner.locals, compiler.Compiler)
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
        with _reported(self, sig), global_compiler_lock, _alone(self, sig):
            return super().compile(sig)


# No references are counted in kernels: numba would do it at every view of a row, by atomic instructions that cost as much as
# counting a position's moves (perft 1.5 times as fast without). Whoever calls a kernel holds its arrays; none is made inside
# (bits.row_on_stack is for that).
PLAIN = {"nogil": True, "_nrt": False}
# Functions that only compiled code can call need no wrappers for Python and C, nor numba's array rewrites: a fifth less work.
INNER = {**PLAIN, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "no_rewrites": True, "pipeline_class": InnerCompiler}

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
    numba.config.CACHE_LOCATOR_CLASSES = "engine.compile.jit.Locator"
    compiled = _Entry(py_func=function, targetoptions={"nopython": True, "boundscheck": None, **PLAIN})
    if cache_dir() is not None:
        compiled._cache = _Cache(compiled.py_func)
    return compiled


def inline(function: Callable[..., Any]) -> Any:
    """Compile a small function without rules into each of its callers.

    It keeps its wrappers: without them a call from Python, of which there are a few, ends the process.
    """
    return _Dispatcher(py_func=function, targetoptions={"nopython": True, "boundscheck": None, "forceinline": True, **PLAIN})


def jit(function: Any = None, *, forceinline: bool = False, runtime: tuple[str, ...] = ()) -> Any:
    """Specialise `function` for the rules and the literals it is called with. Never recursive.

    runtime: parameters that are not folded. A literal passed for one of them is an int64 known at run time only; otherwise
    every number would make, type and compile another version of the function.
    """
    if function is None:
        return functools.partial(jit, forceinline=forceinline, runtime=runtime)
    names = list(inspect.signature(function).parameters)
    assert set(runtime) <= set(names), function

    def choose(*args: Any) -> FunctionType:
        literals = {name: arg.literal_value for name, arg in zip(names, args, strict=True) if isinstance(arg, types.Literal)}
        return specialise(function, {**literals, **_constants(names, args)})

    namespace = {"choose": choose}
    exec(f"def chooser({', '.join(names)}): return choose({', '.join(names)})", namespace)
    options = {"nopython": True, "forceinline": forceinline, **INNER}
    base = make_overload_template(function, namespace["chooser"], options, True, "never", prefer_literal=True)

    def generic(self: Any, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        args = tuple(types.unliteral(arg) if name in runtime else arg for name, arg in zip(names, args, strict=False))
        return base.generic(self, args, {k: types.unliteral(arg) if k in runtime else arg for k, arg in kws.items()})

    template = type(base)(base.__name__, (base,), {"generic": generic})
    infer(template)
    infer_global(function, types.Function(template))
    return function
