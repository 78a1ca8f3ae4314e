"""Functions that only kernels call are compiled to bitcode and no further.

By itself, numba makes machine code of each function, which its execution engine keeps for ever, and makes it once more as a
part of every kernel that calls the function. Only the latter is run. Without the former, compiling takes a tenth less time
and a third less memory. (To optimise the functions less before they are linked would save twice as much again, but the search
of ataturk was 8 % slower.)
"""

from __future__ import annotations

from typing import Any

from llvmlite.binding import ffi
from numba import _dynfunc
from numba.core import codegen, compiler, typed_passes
from numba.core.compiler_machinery import register_pass

# numba reports every call of LLVM to whoever listens to its timing events. Nobody does, and it costs a twentieth of compiling.
for _events in [pair for pair in ffi.lib._lock._cblist if pair[0].__module__ == "numba.core.base"]:
    ffi.unregister_lock_callback(*_events)


class _Library(codegen.JITCodeLibrary):  # type: ignore[misc]
    """Bitcode for linking."""

    def _finalize_final_module(self) -> None:
        """As numba's, but the module is not given to the execution engine."""
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


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
        described = lowered.fndesc
        function = _dynfunc.make_function(described.lookup_module(), described.qualname.split(".")[-1], "", 0, lowered.env,
                                          (library,))
        state.targetctx.insert_user_function(function, described, [library])
        state.reload_init.extend(library._reload_init)
        state["cr"] = lowered._replace(cfunc=function)
        return True


class InnerCompiler(compiler.Compiler):  # type: ignore[misc]
    """numba's passes, with another lowering."""

    def define_pipelines(self) -> list[Any]:
        """The only one, with functions lowered to bitcode."""
        managers: list[Any] = super().define_pipelines()
        for manager in managers:
            manager.passes = [(_Lowering if step is typed_passes.NativeLowering else step, why) for step, why in manager.passes]
            manager.finalize()
        return managers
