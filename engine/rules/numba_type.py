"""RulesType: the compile-time face of a game, a numba type that holds no data."""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

from engine.rules.declaration import Rules
from engine.rules.traits import Traits, traits_of


class RulesType(types.Type):  # type: ignore[misc]
    """The type of a game's rules: holds no data, every trait is a constant to the compiler.

    numba's cache index names the types of all games compiled so far: reading it must not build the tables of them all.
    """

    def __init__(self, digest: str, declared: dict[str, Any]):
        self.digest, self.declared = digest, declared
        super().__init__(name=f"Rules({digest})")

    @property
    def traits(self) -> Traits:
        """What the kernels see."""
        return traits_of(self.declared)

    def __reduce__(self) -> Any:
        return RulesType, (self.digest, self.declared)


def type_of(rules: Rules) -> RulesType:
    """The numba type of a game's rules, made once: every call of a kernel from Python asks for it."""
    found: RulesType | None = rules.__dict__.get("_type")
    if found is None:
        found = rules.__dict__["_type"] = RulesType(rules.traits.digest, rules.traits.declared)
    return found


@typeof_impl.register(Rules)
def _typeof_rules(value: Rules, context: Any) -> RulesType:
    return type_of(value)


register_model(RulesType)(models.OpaqueModel)


@unbox(RulesType)
def _unbox_rules(typ: RulesType, obj: Any, context: Any) -> NativeValue:
    return NativeValue(context.context.get_dummy_value())


@infer_getattr
class _RulesAttribute(AttributeTemplate):  # type: ignore[misc]
    key = RulesType

    def generic_resolve(self, typ: RulesType, attr: str) -> Any:
        value = getattr(typ.traits, attr, None)
        return types.maybe_literal(value) if isinstance(value, bool | int) else None


@lower_getattr_generic(RulesType)
def _lower_trait(context: Any, builder: Any, typ: RulesType, value: Any, attr: str) -> Any:
    trait = getattr(typ.traits, attr)
    return context.get_constant(types.boolean if isinstance(trait, bool) else types.int64, trait)
