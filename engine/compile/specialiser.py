"""One source, one function per game: folds what the rules say into a function before numba sees it.

A hot function takes `rules` first. Here its syntax tree is rewritten for one game: `rules.trait` becomes the constant,
`for piece in rules.pieces:` is unrolled, an `if` on a trait keeps only the side that holds, so the other side is neither
typed nor compiled. Literal arguments (`True`, a piece's index) fold in the same way.
"""

from __future__ import annotations

import ast
import copy
import inspect
import textwrap
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

_UNKNOWN = object()
_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b, ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b, ast.Is: lambda a, b: a is b, ast.IsNot: lambda a, b: a is not b,
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}


def specialise(function: FunctionType, known: dict[str, Any]) -> FunctionType:
    """`function` with the parameters in `known` replaced by their values; the signature stays as it is.

    Values may be scalars, numpy arrays, tuples of such, and objects whose attributes are such.
    """
    lines, first = inspect.getsourcelines(function)
    tree = ast.parse(textwrap.dedent("".join(lines)))
    ast.increment_lineno(tree, first - 1)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    definition.returns = None
    for argument in definition.args.args:
        argument.annotation = None
    namespace = dict(function.__globals__)
    numbers = {name: value for name, value in namespace.items()
               if isinstance(value, int) and name not in function.__code__.co_varnames}
    definition.body = _Folder({**numbers, **known}, namespace).block(definition.body)
    ast.fix_missing_locations(tree)
    exec(compile(tree, function.__code__.co_filename, "exec"), namespace)
    result = namespace[function.__name__]
    assert isinstance(result, FunctionType)
    return result


class _Folder(ast.NodeTransformer):
    def __init__(self, known: dict[str, Any], namespace: dict[str, Any]):
        self.known, self.namespace = known, namespace

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
    def test(self, node: ast.expr) -> Any:
        """A condition, a constant wherever the known values decide it."""
        value = self.value(node)
        return self.visit(node) if value is _UNKNOWN else ast.Constant(bool(value))

    def visit_If(self, node: ast.If) -> Any:
        test = self.test(node.test)
        if isinstance(test, ast.Constant):
            return [s for s in self.block(node.body if test.value else node.orelse) if not isinstance(s, ast.Pass)]
        node.test, node.body = test, self.block(node.body)
        node.orelse = self.block(node.orelse) if node.orelse else []
        return node

    def visit_While(self, node: ast.While) -> Any:
        node.test, node.body = self.visit(node.test), self.block(node.body)
        return node

    def visit_For(self, node: ast.For) -> Any:
        values = self.value(node.iter)
        if values is _UNKNOWN:
            node.iter, node.body = self.visit(node.iter), self.block(node.body)
            return node
        assert isinstance(values, tuple) and isinstance(node.target, ast.Name), ast.unparse(node.iter)
        copies: list[ast.stmt] = []
        for value in values:
            inner = _Folder({**self.known, node.target.id: value}, self.namespace)
            copies += inner.block(copy.deepcopy(node.body))
        return [s for s in copies if not isinstance(s, ast.Pass)]

    # expressions
    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        decides = isinstance(node.op, ast.Or)
        kept = []
        for part in node.values:
            part = self.test(part)
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

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        test = self.test(node.test)
        if isinstance(test, ast.Constant):
            return self.visit(node.body if test.value else node.orelse)
        node.test, node.body, node.orelse = test, self.visit(node.body), self.visit(node.orelse)
        return node

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store):
            value = self.value(node)
            if value is not _UNKNOWN:
                replacement = self.spell(value)
                if replacement is not None:
                    return ast.copy_location(replacement, node)
        return super().visit(node)

    def spell(self, value: Any) -> ast.expr | None:
        """How a known value is written in the specialised source; None for what has no spelling of its own."""
        if value is None or isinstance(value, bool | int | str):
            return ast.Constant(value)
        if isinstance(value, np.ndarray | np.generic):
            name = f"_known_{id(value)}" if isinstance(value, np.ndarray) else f"_known_{value.dtype}_{value}"
            self.namespace[name] = value
            return ast.Name(name, ast.Load())
        return None

    def value(self, node: ast.AST) -> Any:
        """The value of an expression, where the known names decide it."""
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                return self.known.get(node.id, _UNKNOWN)
            case ast.Attribute():
                owner = self.value(node.value)
                return _UNKNOWN if owner is _UNKNOWN else getattr(owner, node.attr)
            case ast.Subscript():
                owner, index = self.value(node.value), self.value(node.slice)
                return owner[index] if isinstance(owner, tuple) and index is not _UNKNOWN else _UNKNOWN
            case ast.UnaryOp(op=ast.Not()):
                operand = self.value(node.operand)
                return _UNKNOWN if operand is _UNKNOWN else not operand
            case ast.BinOp():
                return self.combine(node.op, self.value(node.left), self.value(node.right))
            case ast.Compare(ops=[op], comparators=[right]):
                return self.combine(op, self.value(node.left), self.value(right))
        return _UNKNOWN

    @staticmethod
    def combine(op: ast.AST, left: Any, right: Any) -> Any:
        if left is _UNKNOWN or right is _UNKNOWN or type(op) not in _BINARY:
            return _UNKNOWN
        if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
            return _UNKNOWN if not isinstance(op, ast.Is | ast.IsNot) else _BINARY[type(op)](left, right)
        return _BINARY[type(op)](left, right)

