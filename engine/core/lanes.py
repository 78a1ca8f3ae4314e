"""Eight bitboards side by side in one vector register, `Lanes`, and what is done to all of them by one instruction."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from engine.core.vectors import VectorType
from engine.rules.geometry import DIRECTIONS

LANES = len(DIRECTIONS)
Lanes = VectorType("Lanes", 64, LANES)
_WORD, _NUMBER, _VECTOR = ir.IntType(64), ir.IntType(32), Lanes.vector
_UNDEFINED = ir.Constant(_VECTOR, ir.Undefined)


def _shuffled(builder: Any, some: Any, order: list[int]) -> Any:
    return builder.shuffle_vector(some, _UNDEFINED, ir.Constant(ir.VectorType(_NUMBER, LANES), order))


@intrinsic
def spread(typingctx: Any, word: Any) -> Any:
    """The same uint64 in all lanes."""
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _shuffled(builder, builder.insert_element(_UNDEFINED, args[0], ir.Constant(_NUMBER, 0)), [0] * LANES)
    return Lanes(types.uint64), codegen


@intrinsic
def opposite(typingctx: Any, some: Any) -> Any:
    """Each lane in the place of the opposite direction."""
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _shuffled(builder, args[0], [DIRECTIONS.index((-x, -y)) for x, y in DIRECTIONS])
    return Lanes(Lanes), codegen


@intrinsic
def lanes_of(typingctx: Any, row: Any) -> Any:
    """The eight words of a row, an array uint64[8]."""
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return Lanes.load(builder, data)
    return Lanes(row), codegen


@intrinsic(prefer_literal=True)
def lane(typingctx: Any, some: Any, number: Any) -> Any:
    """One lane, by its literal number."""
    if not isinstance(number, types.IntegerLiteral):
        return None

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.extract_element(args[0], ir.Constant(_NUMBER, number.literal_value))
    return types.uint64(Lanes, number), codegen


def _call(name: str, result: Any, arguments: int) -> Any:
    """The lowering to an LLVM intrinsic on vectors; the first argument is repeated where fewer are given."""
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(result, [_VECTOR] * arguments)
        function = builder.module.declare_intrinsic(name, (), kind)
        return builder.call(function, [args[0]] * (arguments - len(args)) + list(args))
    return codegen


@intrinsic
def rotated(typingctx: Any, some: Any, by: Any) -> Any:
    """Each lane rotated left by the number in the same lane of `by`."""
    return Lanes(Lanes, Lanes), _call(f"llvm.fshl.v{LANES}i64", _VECTOR, 3)


@intrinsic
def popcounts(typingctx: Any, some: Any) -> Any:
    """How many bits are set, lane by lane."""
    return Lanes(Lanes), _call(f"llvm.ctpop.v{LANES}i64", _VECTOR, 1)


@intrinsic
def merged(typingctx: Any, some: Any) -> Any:
    """All lanes or-ed together, uint64."""
    return types.uint64(Lanes), _call(f"llvm.vector.reduce.or.v{LANES}i64", _WORD, 1)


@intrinsic
def total(typingctx: Any, some: Any) -> Any:
    """The sum of all lanes, uint64."""
    return types.uint64(Lanes), _call(f"llvm.vector.reduce.add.v{LANES}i64", _WORD, 1)


@intrinsic
def any_set(typingctx: Any, some: Any) -> Any:
    """Whether any bit of any lane is set."""
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        filled = builder.icmp_unsigned("!=", args[0], ir.Constant(_VECTOR, [0] * LANES))
        lanes = builder.bitcast(filled, ir.IntType(LANES))
        return builder.icmp_unsigned("!=", lanes, ir.Constant(ir.IntType(LANES), 0))
    return types.boolean(Lanes), codegen
