"""A hidden layer in vector registers: a row of weights is added to all of it at once, and memory sees the sum alone.

A layer of more neurons than BLOCK is added up block by block: all of it would not fit into the registers of AVX2.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from engine.core.vectors import VectorType

BLOCK = 128  # neurons
Block = VectorType("Block", 16, BLOCK)


@intrinsic  # type: ignore[untyped-decorator]
def block_at(typingctx: Any, rows: Any, number: Any) -> Any:
    """The block of a number, unsigned, in rows: int16[..., blocks * BLOCK]."""
    assert rows.layout == "C", rows

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        row = context.cast(builder, args[1], signature.args[1], types.uint64)
        return Block.load(builder, builder.gep(data, [builder.mul(row, ir.Constant(row.type, BLOCK))]))
    return Block(rows, number), codegen


@intrinsic  # type: ignore[untyped-decorator]
def keep(typingctx: Any, block: Any, row: Any, number: Any) -> Any:
    """Write the block of a number, unsigned, of a row, int16[blocks * BLOCK]."""
    assert row.layout == "C", row

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[1])(context, builder, args[1]).data
        at = context.cast(builder, args[2], signature.args[2], types.uint64)
        Block.store(builder, args[0], builder.gep(data, [builder.mul(at, ir.Constant(at.type, BLOCK))]))
        return context.get_dummy_value()
    return types.void(block, row, number), codegen
