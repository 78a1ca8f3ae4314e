"""The sources of kernels, as they were when this process imported them.

A file may be edited while an engine plays. What is compiled then must be what the stamp of the cache was made from, or another
process would load it as the code of a source that it never came from.
"""

from __future__ import annotations

import ast
import functools
import os
from pathlib import Path
from types import FunctionType


@functools.cache
def text_of(file: str) -> bytes:
    """The text of a file when it was first asked for, under whatever name; empty for a file that cannot be read."""
    return _read(os.path.realpath(file))


@functools.cache
def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


@functools.cache
def _definitions(file: str) -> dict[int, ast.FunctionDef]:
    """Every function of a file by its first line, decorators included."""
    return {min([node.lineno, *(each.lineno for each in node.decorator_list)]): node
            for node in ast.walk(ast.parse(text_of(file), file)) if isinstance(node, ast.FunctionDef)}


def definition_of(function: FunctionType) -> ast.FunctionDef | None:
    """The definition of a function, shared by all who ask; None where the text of its file has none there."""
    code = function.__code__
    found = _definitions(code.co_filename).get(code.co_firstlineno)
    return found if found is not None and found.name == code.co_name else None
