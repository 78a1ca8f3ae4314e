"""Whole numbers side by side in vector registers: types of which kernels add, subtract and mask all at once.

Kernels write `a + b`, `a - b`, `a & b` and `a | b`. LLVM makes these types fit whatever registers the processor has.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

_BYTE = 8  # bits


class VectorType(types.Type):  # type: ignore[misc]
    """The type of `count` numbers of `bits` bits each."""

    def __init__(self, name: str, bits: int, count: int):
        super().__init__(name=name)
        self.bits, self.count = bits, count

    @property
    def vector(self) -> ir.VectorType:
        """As LLVM knows it."""
        return ir.VectorType(ir.IntType(self.bits), self.count)

    def load(self, builder: Any, place: Any) -> Any:
        """The numbers in memory from `place` on, aligned as each of them is."""
        return builder.load(builder.bitcast(place, self.vector.as_pointer()), align=self.bits // _BYTE)

    def store(self, builder: Any, some: Any, place: Any) -> None:
        """Write the numbers to memory from `place` on."""
        builder.store(some, builder.bitcast(place, self.vector.as_pointer()), align=self.bits // _BYTE)


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: VectorType):
        super().__init__(manager, kind, kind.vector)


def _operator(operation: Callable[[Any, Any], Any], instruction: str) -> None:
    @infer_global(operation)  # type: ignore[untyped-decorator]
    class _Operator(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            """For two vectors of the same type."""
            return signature(args[0], *args) if isinstance(args[0], VectorType) and args[0] == args[1] else None

    @lower_builtin(operation, VectorType, VectorType)  # type: ignore[untyped-decorator]
    def _lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return getattr(builder, instruction)(*args)


for _instruction, *_operations in (("and_", operator.and_, operator.iand), ("or_", operator.or_, operator.ior),
                                   ("add", operator.add, operator.iadd), ("sub", operator.sub, operator.isub)):
    for _operation in _operations:
        _operator(_operation, _instruction)
