"""Named tuples of arrays that kernels take by reference.

numba passes a named tuple field by field, and an array as seven words or more. The call of a search node pushed 250 words,
which took a twelfth of the time. For a class that is declared `@by_reference`, a call passes one address, and a field is read
from memory where it is used. Kernels cannot make or unpack such a tuple, only read its fields.
"""

from __future__ import annotations

from typing import Any, TypeVar

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

_Class = TypeVar("_Class", bound=type)


class Reference(types.Type):  # type: ignore[misc]
    """The type of a reference to a named tuple."""

    def __init__(self, record: types.BaseNamedTuple):
        super().__init__(name=f"Reference({record.name})")
        self.record = record


def by_reference(kind: _Class) -> _Class:
    """Pass this class of named tuples to kernels by reference."""
    @typeof_impl.register(kind)  # type: ignore[untyped-decorator]
    def _typeof(value: Any, context: Any) -> Reference | None:
        fields = [typeof_impl(field, context) for field in value]
        return None if None in fields else Reference(types.BaseTuple.from_types(fields, kind))

    return kind


@register_model(Reference)
class _ReferenceModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Reference):
        super().__init__(manager, kind, manager.lookup(kind.record).get_value_type().as_pointer())


@unbox(Reference)
def _unbox(kind: Reference, obj: Any, c: Any) -> NativeValue:
    """The fields are written to the stack of the wrapper that calls the kernel: there they stay until it returns."""
    fields = c.unbox(kind.record, obj)
    place = cgutils.alloca_once_value(c.builder, fields.value)
    return NativeValue(place, is_error=fields.is_error, cleanup=fields.cleanup)


@infer_getattr
class _ReferenceAttribute(AttributeTemplate):  # type: ignore[misc]
    key = Reference

    def generic_resolve(self, kind: Reference, name: str) -> Any:
        """The type of a field."""
        return kind.record[kind.record.fields.index(name)] if name in kind.record.fields else None


@lower_getattr_generic(Reference)
def _read_field(context: Any, builder: Any, kind: Reference, place: Any, name: str) -> Any:
    number = ir.IntType(32)
    indices = [ir.Constant(number, 0), ir.Constant(number, kind.record.fields.index(name))]
    return builder.load(builder.gep(place, indices))
