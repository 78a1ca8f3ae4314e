"""Functions that only kernels call are compiled to bitcode and no further, and the bitcode is kept on disk.

By itself, numba makes machine code of each function, which its execution engine keeps for ever, and makes it once more as a
part of every kernel that calls the function. Only the latter is run. Without the former, compiling takes a tenth less time
and a third less memory. (To optimise the functions less before they are linked would save twice as much again, but the search
of ataturk was 8 % slower.)

The kernels of a game share most of these functions. What one process has compiled, another process links into the next kernel:
when the search of a game has been compiled, its perft compiles in a quarter of the time.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FunctionType
from typing import Any

from llvmlite import binding
from llvmlite.binding import ffi
from numba import _dynfunc
from numba.core import codegen, compiler, serialize, typed_passes, types
from numba.core.compiler_machinery import register_pass

from engine.compile.folder import cache_dir
from engine.notices import warn


@contextmanager
def without_events() -> Iterator[None]:
    """Meanwhile numba reports no call of LLVM to listeners of its timing events, which costs a twentieth of compiling.

    The lock of all compiling must be held.
    """
    callbacks = [pair for pair in ffi.lib._lock._cblist if pair[0].__module__ == "numba.core.base"]
    for pair in callbacks:
        ffi.unregister_lock_callback(*pair)
    try:
        yield
    finally:
        for pair in callbacks:
            ffi.register_lock_callback(*pair)


class _Library(codegen.JITCodeLibrary):  # type: ignore[misc]
    """Bitcode for linking."""

    def _finalize_final_module(self) -> None:
        """As numba's, but the module is not given to the execution engine."""
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


def _register(context: Any, described: Any, environment: Any, library: _Library, *alive: Any) -> Any:
    """Make a function known to the compiler of its callers. It keeps its library alive, and the objects in `alive`."""
    function = _dynfunc.make_function(described.lookup_module(), described.qualname.split(".")[-1], "", 0, environment,
                                      (library, *alive))
    context.insert_user_function(function, described, [library])
    return function


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(typed_passes.NativeLowering):  # type: ignore[misc]
    """numba's, into a _Library. The function's address is null: nothing but compiled code knows it."""

    _name = "inner_lowering"

    def run_pass(self, state: Any) -> bool:
        """As numba's, with what it does for a function that has an address."""
        state.library = library = _Library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        state.reload_init.extend(library._reload_init)
        state["cr"] = lowered._replace(cfunc=_register(state.targetctx, lowered.fndesc, lowered.env, library))
        return True


class InnerCompiler(compiler.Compiler):  # type: ignore[misc]
    """numba's passes, with another lowering. A marked function that is on disk is loaded, not compiled."""

    def define_pipelines(self) -> list[Any]:
        """The only one, with functions lowered to bitcode."""
        managers: list[Any] = super().define_pipelines()
        for manager in managers:
            manager.passes = [(_Lowering if step is typed_passes.NativeLowering else step, why) for step, why in manager.passes]
            manager.finalize()
        return managers

    def compile_extra(self, func: FunctionType) -> Any:
        """The compile result: loaded, or compiled and kept."""
        folder = cache_dir()
        source = getattr(func, MARK, None)
        if folder is None or source is None:
            return super().compile_extra(func)
        path = folder / f"{self._key(source)}.inner"
        result = _load(path, self.state.targetctx)
        if result is None:
            result = super().compile_extra(func)
            _keep(path, result)
        return result

    def _key(self, source: str) -> str:
        """A hash of what decides the bitcode, besides the stamp: function, types of its arguments, flags."""
        classes = [f"{each.instance_class.__module__}.{each.instance_class.__qualname__}"
                   for each in self.state.args if isinstance(each, types.BaseNamedTuple)]  # their constants are folded
        parts = source, self.state.args, classes, self.state.return_type, self.state.flags.get_mangle_string()
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:40]


MARK = "kept_as"  # an attribute of the functions that are kept


def mark_kept(specialised: FunctionType, source: FunctionType) -> FunctionType:
    """Have a specialised function kept on disk, and return it.

    The stamp must cover the text of its source, and the types of the arguments alone must decide how that is specialised.
    """
    setattr(specialised, MARK, f"{source.__module__}.{source.__qualname__}")
    return specialised


def _load(path: Path, context: Any) -> Any:
    """The compile result that _keep() wrote; None if the file is missing or spoilt."""
    try:
        name, described, environment, signature, reload, referenced, bitcode = pickle.loads(zlib.decompress(path.read_bytes()))
        module = binding.parse_bitcode(bitcode)
    except FileNotFoundError:
        return None
    except Exception:  # unpickling a spoilt file raises whatever it likes
        with suppress(OSError):
            path.unlink()
        return None
    for job in reload:
        job()
    library = _Library(context.codegen(), name)
    library._shared_module, library._finalized = module, True
    library._reload_init.update(reload)
    return compiler.compile_result(
        target_context=context, typing_context=context.typing_context, library=library, environment=environment,
        entry_point=_register(context, described, environment, library, referenced), fndesc=described, signature=signature,
        objectmode=False, lifted=(), reload_init=reload, referenced_envs=referenced)


def _keep(path: Path, result: Any) -> None:
    """Write a compile result, whole or not at all.

    Not kept are results that hold addresses of this process, and parts of a recursion whose other part is not compiled yet.
    """
    library, described = result.library, result.fndesc
    bitcode = library._get_module_for_linking().as_bitcode()
    if library.has_dynamic_globals or b"numba.unresolved" in bitcode:
        return
    described.typemap = described.calltypes = None  # as numba does it: not needed, and some cannot be pickled
    parts = (library.name, described, result.environment, result.signature, tuple(result.reload_init),
             tuple(result._find_referenced_environments()), bitcode)
    part = path.with_suffix(f".{os.getpid()}")
    try:
        part.write_bytes(zlib.compress(serialize.dumps(parts), 1))
        part.replace(path)
    except OSError as error:  # a full disk, say: what was written of it only takes room
        with suppress(OSError):
            part.unlink()
        warn(f"compiled code is not kept: {error}")
