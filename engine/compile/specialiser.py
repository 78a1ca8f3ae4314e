"""One source, one function per game: folds what the rules say into a function before numba sees it.

A hot function takes `rules` first. Here its syntax tree is rewritten for one game: `rules.trait` becomes the constant,
`for piece in rules.pieces:` is unrolled, an `if` on a trait keeps only the side that holds, so the other side is neither
typed nor compiled. Literal arguments (`True`, a piece's index) fold in the same way.

The specialised function does what its source does in Python. What cannot be folded faithfully is refused, with file and line:
assigning to a folded name; `break`, `continue` and `else` in an unrolled loop; the loop's variable outside the loop; closures,
decorators, generators, nested functions, and statements that no kernel needs.
"""

from __future__ import annotations

import ast
import inspect
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import Any, NoReturn

import numpy as np

from engine.compile.sources import definition_of
from engine.errors import RulesError

_UNKNOWN = object()
_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
}
_COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b, ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b, ast.Is: lambda a, b: a is b, ast.IsNot: lambda a, b: a is not b,
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}
_STATEMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.If, ast.While, ast.For, ast.Return, ast.Break,
               ast.Continue, ast.Pass, ast.Assert, ast.Raise)
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SUSPENDS = (ast.Yield, ast.YieldFrom, ast.Await)
_INT64 = range(-(1 << 63), 1 << 63)


class SpecialiseError(RulesError):
    """What cannot be folded rightly; the message names file and line."""


@dataclass(frozen=True)
class Record:
    """A named tuple of which only the class is known: its fields vary, its other attributes are constants."""

    kind: Any

    def constant(self, name: str) -> Any:
        """An attribute of the class, _UNKNOWN for a field. Raises AttributeError, also for a property or a method."""
        if name in self.kind._fields:
            return _UNKNOWN
        found = inspect.getattr_static(self.kind, name)
        if hasattr(found, "__get__"):
            raise AttributeError(name)
        return found


def specialise(function: FunctionType, known: dict[str, Any]) -> FunctionType:
    """`function` with the parameters in `known` replaced by their values; the signature stays as it is.

    Values may be scalars, numpy arrays, tuples of such, objects whose attributes are such, and Records.
    Raises: SpecialiseError.
    """
    place = function.__code__.co_filename
    source = definition_of(function)
    if source is None:
        raise SpecialiseError(f"{place}:{function.__code__.co_firstlineno}: cannot specialise: no definition of "
                              f"{function.__name__!r} there")
    if len(source.decorator_list) > 1 or hasattr(function, "__wrapped__"):
        _refuse(place, source, "another decorator")
    if function.__code__.co_freevars:
        _refuse(place, source, f"a closure over {', '.join(function.__code__.co_freevars)}")
    definition: ast.FunctionDef = _copy(source)
    definition.decorator_list = []
    definition.returns = None
    for argument in definition.args.args:
        argument.annotation = None
    namespace = dict(function.__globals__)
    numbers = {name: value for name, value in namespace.items()
               if isinstance(value, int) and name not in function.__code__.co_varnames}
    _refuse_unsafe(definition, {*numbers, *known}, place)
    definition.body = _ConstantFolder({**numbers, **known}, namespace, place).block(definition.body)
    tree = ast.Module([definition], [])
    ast.fix_missing_locations(tree)
    exec(compile(tree, place, "exec"), namespace)
    result = namespace[function.__name__]
    assert isinstance(result, FunctionType)
    lost = set(function.__code__.co_varnames) - set(result.__code__.co_varnames)
    for node in ast.walk(definition):
        if isinstance(node, ast.Name) and node.id in lost:
            _refuse(place, node, f"{node.id!r} is assigned only where the rules leave nothing of it")
    if function.__name__ in function.__globals__:
        namespace[function.__name__] = function.__globals__[function.__name__]  # what calls itself calls what is compiled
    return result


def _copy(tree: Any) -> Any:
    """A syntax tree, or a list of such, of its own: in a third of the time that copy.deepcopy() takes."""
    return pickle.loads(pickle.dumps(tree, pickle.HIGHEST_PROTOCOL))


def _refuse(place: str, node: ast.AST, why: str) -> NoReturn:
    raise SpecialiseError(f"{place}:{getattr(node, 'lineno', 0)}: cannot specialise: {why}")


def _refuse_unsafe(definition: ast.FunctionDef, folded: set[str], place: str) -> None:
    """Refuse what no fold makes right, wherever it stands, also on a side that is folded away."""
    for node in ast.walk(definition):
        if isinstance(node, ast.stmt) and node is not definition and not isinstance(node, _STATEMENTS):
            _refuse(place, node, f"a {type(node).__name__} statement")
        if isinstance(node, _SCOPES):
            _refuse(place, node, f"a scope of its own, {type(node).__name__}")
        if isinstance(node, _SUSPENDS):
            _refuse(place, node, f"a generator, {type(node).__name__}")
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and node.id in folded:
            _refuse(place, node, f"{node.id!r} is folded and must not be assigned")


def _of_this_loop(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a loop's body, those of loops inside it excepted, but for their `else`."""
    for statement in body:
        yield statement
        inner: list[ast.stmt] = []
        if isinstance(statement, ast.If):
            inner = statement.body + statement.orelse
        elif isinstance(statement, ast.For | ast.While):
            inner = statement.orelse
        yield from _of_this_loop(inner)


class _ConstantFolder(ast.NodeTransformer):
    """Rewrites statements and expressions under the values of some names."""

    def __init__(self, known: dict[str, Any], namespace: dict[str, Any], place: str):
        self.known, self.namespace, self.place = known, namespace, place
        self.unrolled: dict[str, None] = {}  # variables of unrolled loops so far

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The statements as they are under the known values; never empty."""
        out: list[ast.stmt] = []
        for statement in body:
            result = self.visit(statement)
            out.extend(result if isinstance(result, list) else [] if result is None else [result])
            if out and isinstance(out[-1], ast.Return | ast.Continue | ast.Break):
                break
        return out or [ast.Pass()]

    # statements
    def visit_If(self, node: ast.If) -> Any:
        test = self.condition(node.test)
        if isinstance(test, ast.Constant):
            return [s for s in self.block(node.body if test.value else node.orelse) if not isinstance(s, ast.Pass)]
        node.test, node.body = test, self.block(node.body)
        node.orelse = self.block(node.orelse) if node.orelse else []
        return node

    def visit_While(self, node: ast.While) -> Any:
        node.test = self.condition(node.test)
        return self.repeated(node)

    def repeated(self, node: ast.While | ast.For) -> Any:
        """A loop that stays a loop. A read of an unrolled loop's variable in it would see the value of the last iteration."""
        before = {*self.unrolled, *self.known}  # visit_Name() has refused those of loops that were over
        node.body = self.block(node.body)
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and inner.id in self.unrolled and inner.id not in before:
                _refuse(self.place, inner, f"{inner.id!r} belongs to an unrolled loop")
        node.orelse = self.block(node.orelse) if node.orelse else []
        return node

    def visit_For(self, node: ast.For) -> Any:
        values = self.value(node.iter)
        if values is _UNKNOWN:
            node.iter = self.visit(node.iter)
            return self.repeated(node)
        if not isinstance(values, tuple) or not isinstance(node.target, ast.Name):
            _refuse(self.place, node, f"a loop over {ast.unparse(node.iter)!r}: only one name over a tuple can be unrolled")
        if node.orelse:
            _refuse(self.place, node, "`else` of an unrolled loop")
        for statement in _of_this_loop(node.body):
            if isinstance(statement, ast.Break | ast.Continue):
                _refuse(self.place, statement, f"`{type(statement).__name__.lower()}` in an unrolled loop")
        target = node.target.id
        for inner in ast.walk(ast.Module(node.body, [])):
            if isinstance(inner, ast.Name) and inner.id == target and not isinstance(inner.ctx, ast.Load):
                _refuse(self.place, inner, f"{target!r} is folded and must not be assigned")
        copies: list[ast.stmt] = []
        for value in values:
            inside = _ConstantFolder({**self.known, target: value}, self.namespace, self.place)
            inside.unrolled = self.unrolled
            copies += inside.block(_copy(node.body))
            if copies and isinstance(copies[-1], ast.Return):
                break
        self.unrolled[target] = None
        return [s for s in copies if not isinstance(s, ast.Pass)]

    # expressions
    def condition(self, node: ast.expr) -> ast.expr:
        """An expression of which only the truth counts; a constant wherever the known values decide it."""
        value = self.value(node)
        if value is not _UNKNOWN and not isinstance(value, np.ndarray):
            return ast.copy_location(ast.Constant(bool(value)), node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            operand = self.condition(node.operand)
            if isinstance(operand, ast.Constant):
                return ast.copy_location(ast.Constant(not operand.value), node)
            node.operand = operand
            return node
        if isinstance(node, ast.BoolOp):
            return self.conditions(node)
        result: ast.expr = self.visit(node)
        return result

    def conditions(self, node: ast.BoolOp) -> ast.expr:
        """`and`, `or` if only the truth counts: known parts that decide nothing fall away, and all after one that decides."""
        decides = isinstance(node.op, ast.Or)
        kept = []
        for each in node.values:
            part = self.condition(each)
            if not isinstance(part, ast.Constant):
                kept.append(part)
            elif bool(part.value) == decides:
                if not kept:
                    return ast.copy_location(ast.Constant(decides), node)
                kept.append(part)
                break
        if not kept:
            return ast.copy_location(ast.Constant(not decides), node)
        if len(kept) == 1:
            return kept[0]
        node.values = kept
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        """`and`, `or` whose value counts: the first part that decides, or else the last one, as it is."""
        decides = isinstance(node.op, ast.Or)
        kept = []
        for number, part in enumerate(node.values, 1):
            value = self.value(part)
            if value is _UNKNOWN or isinstance(value, np.ndarray):
                kept.append(self.visit(part))
            elif bool(value) == decides:
                kept.append(self.visit(part))
                break
            elif number == len(node.values):
                kept.append(self.visit(part))
        if len(kept) == 1:
            return kept[0]
        node.values = kept
        return node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        test = self.condition(node.test)
        if isinstance(test, ast.Constant):
            return self.visit(node.body if test.value else node.orelse)
        node.test, node.body, node.orelse = test, self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_Name(self, node: ast.Name) -> Any:
        if isinstance(node.ctx, ast.Load) and node.id in self.unrolled and node.id not in self.known:
            _refuse(self.place, node, f"{node.id!r} belongs to an unrolled loop that is over")
        return node

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
            value = self.value(node)
            if value is not _UNKNOWN:
                replacement = self.spell(value)
                if replacement is not None:
                    return ast.copy_location(replacement, node)
        return super().visit(node)

    def spell(self, value: Any) -> ast.expr | None:
        """How a known value is written in the specialised source; None for what has no spelling of its own."""
        if value is None or isinstance(value, bool):
            return ast.Constant(value)
        if isinstance(value, int | str):  # of a subclass, such as an IntEnum, too
            return ast.Constant(int(value) if isinstance(value, int) else str(value))
        if isinstance(value, np.ndarray | np.generic) or callable(value):
            name = f"_known_{value.dtype}_{value}" if isinstance(value, np.generic) else f"_known_{id(value)}"
            self.namespace[name] = value
            return ast.Name(name, ast.Load())
        return None

    def value(self, node: ast.AST) -> Any:
        """The value of an expression, where the known names decide it."""
        found: Any = _UNKNOWN
        match node:
            case ast.Constant():
                found = node.value
            case ast.Name():
                found = self.known.get(node.id, _UNKNOWN)
                if isinstance(found, Record):  # only its attributes are known, and that it is not None
                    found = _UNKNOWN
            case ast.Attribute():
                found = self.attribute(node)
            case ast.Subscript():
                found = self.item(node)
            case ast.UnaryOp(op=ast.Not()):
                operand = self.value(node.operand)
                found = _UNKNOWN if operand is _UNKNOWN or isinstance(operand, np.ndarray) else not operand
            case ast.BinOp():
                found = self.arithmetic(node.op, self.value(node.left), self.value(node.right))
            case ast.Compare(ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
                found = self.compare(node, op, self.owner(node.left), None)
            case ast.Compare(ops=[op], comparators=[right]):
                found = self.compare(node, op, self.value(node.left), self.value(right))
        return found

    def owner(self, node: ast.AST) -> Any:
        """As value(), and a Record for a named tuple."""
        found = self.known.get(node.id, _UNKNOWN) if isinstance(node, ast.Name) else _UNKNOWN
        return found if isinstance(found, Record) else self.value(node)

    def attribute(self, node: ast.Attribute) -> Any:
        """A trait, or an attribute of one."""
        owner = self.owner(node.value)
        if owner is _UNKNOWN:
            return _UNKNOWN
        try:
            return owner.constant(node.attr) if isinstance(owner, Record) else getattr(owner, node.attr)
        except AttributeError:
            _refuse(self.place, node, f"{ast.unparse(node)!r}: there is no such trait")

    def item(self, node: ast.Subscript) -> Any:
        """An element of a known tuple."""
        owner, index = self.value(node.value), self.value(node.slice)
        if not isinstance(owner, tuple) or index is _UNKNOWN:
            return _UNKNOWN
        try:
            return owner[index]
        except (IndexError, TypeError) as error:
            _refuse(self.place, node, f"{ast.unparse(node)!r}: {error}")

    @staticmethod
    def arithmetic(op: ast.AST, left: Any, right: Any) -> Any:
        """A sum, difference or product of two integers that numba would compute alike; it knows int64 only."""
        if type(op) not in _ARITHMETIC or not (isinstance(left, int) and isinstance(right, int)):
            return _UNKNOWN
        result = _ARITHMETIC[type(op)](left, right)
        return result if result in _INT64 else _UNKNOWN

    def compare(self, node: ast.AST, op: ast.AST, left: Any, right: Any) -> Any:
        """What a comparison of known values says, bool; arrays are only compared by identity."""
        if left is _UNKNOWN or right is _UNKNOWN or type(op) not in _COMPARISONS:
            return _UNKNOWN
        if (isinstance(left, np.ndarray) or isinstance(right, np.ndarray)) and not isinstance(op, ast.Is | ast.IsNot):
            return _UNKNOWN
        try:
            return bool(_COMPARISONS[type(op)](left, right))
        except TypeError as error:
            _refuse(self.place, node, f"{ast.unparse(node)!r}: {error}")
