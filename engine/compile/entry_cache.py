"""The disk cache of entries: one process compiles a kernel, all others load it.

The cache is numba's, made safe for processes that fill it at once and for files that were spoilt.
"""

from __future__ import annotations

import hashlib
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite.binding
from numba.core import caching, codegen, compiler, config

from engine.compile.folder import cache_dir, is_stamped, recreate, stamp
from engine.compile.sources import text_of
from engine.notices import warn


class Locator(caching._CacheLocator):  # type: ignore[misc]
    """Tells numba where compiled code lies and what it was made from."""

    def __init__(self, function: FunctionType, path: str):
        self.function, self._py_file = function, path  # numba's warnings read _py_file

    def get_cache_path(self) -> str:
        """The folder."""
        return str(cache_dir())

    def get_source_stamp(self) -> str:
        """Of a kernel elsewhere, all files of its folder are part of the stamp; it calls no kernels of other folders."""
        if is_stamped(self._py_file):
            return stamp()
        digest = hashlib.sha256()
        for path in sorted(Path(self._py_file).parent.glob("*.py")):
            digest.update(f"{path.name}\n".encode() + text_of(str(path)))
        return stamp() + digest.hexdigest()[:20]

    def get_disambiguator(self) -> str:
        """Distinguishes functions of the same name."""
        return f"{self.function.__module__}-{self.function.__code__.co_firstlineno}"

    @classmethod
    def from_function(cls, function: FunctionType, path: str) -> Locator:
        """The locator of any function: all code is in one folder."""
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
    """A file locked against other processes and threads; the lock of a process that dies is free.

    The folder may have been deleted since this process began. Where it cannot be made again nothing is locked: the worst that
    happens is that a kernel is compiled twice.
    """
    if not path.parent.is_dir():
        try:
            recreate(path.parent)
        except OSError:
            yield
            return
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

    _locator_classes = (Locator,)

    def __init__(self, function: FunctionType):
        chosen, config.CACHE_LOCATOR_CLASSES = config.CACHE_LOCATOR_CLASSES, ""  # it would come before ours
        try:
            super().__init__(function)
        finally:
            config.CACHE_LOCATOR_CLASSES = chosen

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
def alone(function: Any, sig: Any) -> Iterator[None]:
    """Meanwhile no other process looks for this code: the first one compiles it, the others wait and find it.

    Kept kernels never call each other in a cycle, so no process waits for ever. The lock of all compiling must be held:
    otherwise two threads of a process could each wait for what the other one has.
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


class EntryCache(caching.FunctionCache):  # type: ignore[misc]
    """A cache several processes can fill at once, and that can be spoilt (power cut, full disk) without harm.

    An entry is found through an index of its function, read and written whole: without the lock two processes overwrite each
    other's and can load the other game's code. What cannot be read is compiled again.
    """

    _impl_class = _Code

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compile result kept for a signature, or None. Raises NotKeptError where compiling is forbidden."""
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
        """Keep a compile result, where the disk has room."""
        try:
            with _lock():
                super().save_overload(sig, data)
        except OSError as error:
            warn(f"compiled code is not kept: {error}")
