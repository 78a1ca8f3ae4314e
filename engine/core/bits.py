"""Bitboards: uint64 constants, single instructions as LLVM intrinsics. a1 = bit 0, h8 = bit 63."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

U = np.uint64
ZERO, ONE, ALL = U(0), U(1), U(0xFFFF_FFFF_FFFF_FFFF)
SQUARE_BITS = U(63)  # of a square, or of the sum of one and a way


def squares(bitboard: int) -> Iterator[int]:
    """The squares of a bitboard, lowest first."""
    bitboard = int(bitboard)
    while bitboard:
        low = bitboard & -bitboard
        yield low.bit_length() - 1
        bitboard ^= low


def bitboard(numbers: Iterable[int]) -> int:
    """The bitboard of a few squares."""
    return sum(1 << number for number in set(numbers))


def turned(bitboard: int) -> int:
    """The bitboard seen from the other side of the table: a1 becomes h8."""
    return int(f"{int(bitboard):064b}"[::-1], 2)


def _unary(name: str) -> Any:
    def build(typingctx: Any, x: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            if name in ("ctpop", "bswap"):
                return getattr(builder, name)(args[0])
            undefined_at_zero = ir.Constant(ir.IntType(1), 1)
            return getattr(builder, name)(args[0], undefined_at_zero)
        return types.uint64(types.uint64), codegen
    return build


popcount = intrinsic(_unary("ctpop"))
lowest = intrinsic(_unary("cttz"))  # undefined for an empty bitboard
upside_down = intrinsic(_unary("bswap"))  # rank 1 becomes rank 8
leading_zeros = intrinsic(_unary("ctlz"))  # 63 - the highest square; undefined for an empty bitboard


def _binary(name: str) -> Any:
    def build(typingctx: Any, x: Any, y: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            if name == "llvm.fshl.i64":
                function = builder.module.declare_intrinsic("llvm.fshl", [word], ir.FunctionType(word, [word] * 3))
                return builder.call(function, [args[0], args[0], args[1]])
            function = builder.module.declare_intrinsic(name, (), ir.FunctionType(word, [word, word]))
            return builder.call(function, args)
        return types.uint64(types.uint64, types.uint64), codegen
    return build


def _on_stack(dtype: types.Type) -> Any:
    def build(typingctx: Any, length: Any) -> Any:
        if not isinstance(length, types.IntegerLiteral):
            return None
        array = types.Array(dtype, 1, "C")

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            item, count = context.get_value_type(dtype), length.literal_value
            data = cgutils.alloca_once(builder, item, size=max(1, count))
            made = context.make_array(array)(context, builder)
            size = context.get_constant(types.intp, context.get_abi_sizeof(item))
            context.populate_array(made, data=data, shape=[context.get_constant(types.intp, count)], strides=[size],
                                   itemsize=size, meminfo=None)
            return made._getvalue()
        return array(length), codegen
    return intrinsic(prefer_literal=True)(build)


@intrinsic
def fetch_ahead(typingctx: Any, array: Any, index: Any) -> Any:
    """Ask the processor for the cache line of array[index]; it goes on meanwhile."""
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        place = builder.bitcast(builder.gep(data, [args[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        builder.call(function, [place, *(ir.Constant(number, n) for n in (0, 3, 1))])  # to read, to be kept, data
        return context.get_dummy_value()
    return types.void(array, index), codegen


# Room of a literal length for as long as the calling function runs, not zeroed. Kernels count no references (jit.py), so
# numpy's own arrays cannot be made in them; never return one of these.
row_on_stack = _on_stack(types.uint64)
list_on_stack = _on_stack(types.uint32)

pext = intrinsic(_binary("llvm.x86.bmi.pext.64"))  # aborts the process on a CPU without BMI2: see attacks.py
rotate = intrinsic(_binary("llvm.fshl.i64"))  # left, by 0 .. 63
