"""A hidden layer in vector registers: a row of weights is added to all of it at once, and memory sees the sum alone."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from engine.core.vectors import VectorType

HIDDEN = 128
Layer = VectorType("Layer", 16, HIDDEN)


@intrinsic  # type: ignore[untyped-decorator]
def layer_at(typingctx: Any, rows: Any, number: Any) -> Any:
    """The row of a number, unsigned, in rows: int16[..., HIDDEN]."""
    assert rows.layout == "C", rows

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        row = context.cast(builder, args[1], signature.args[1], types.uint64)
        return Layer.load(builder, builder.gep(data, [builder.mul(row, ir.Constant(row.type, HIDDEN))]))
    return Layer(rows, number), codegen


@intrinsic  # type: ignore[untyped-decorator]
def keep(typingctx: Any, layer: Any, row: Any) -> Any:
    """Write a layer to a row, int16[HIDDEN]."""
    assert row.layout == "C", row

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        Layer.store(builder, args[0], context.make_array(signature.args[1])(context, builder, args[1]).data)
        return context.get_dummy_value()
    return types.void(layer, row), codegen
