"""An extension of griffe, which reads the sources for mkdocs: docstrings and comments as the pages of the API show them."""

from __future__ import annotations

import re
from typing import Any

from griffe import Attribute, Docstring, Extension, Object

EXAMPLE = re.compile(r"^>>> .*(?:\n(?=\S).*)*", re.MULTILINE)  # up to a blank line
FIELD = re.compile(r"\n(Returns|Raises|Source|[a-z_]+): ")  # a line that begins with a field; parameters too
COMMENT = re.compile(r"  # (?!noqa|type:)(.+)$")


class Docstrings(Extension):
    """Puts a fence around each example and a paragraph around each field; a field of a class has its comment as docstring."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Called once for every object that was read."""
        if obj.docstring is not None:
            text = FIELD.sub(lambda found: f"\n\n**{found[1]}:** ", obj.docstring.value)
            obj.docstring.value = EXAMPLE.sub(lambda found: f"\n```pycon\n{found[0]}\n```\n", text)
        elif isinstance(obj, Attribute) and obj.lineno is not None:
            comment = COMMENT.search(obj.lines_collection[obj.filepath][obj.lineno - 1])
            if comment is not None:
                obj.docstring = Docstring(comment[1], lineno=obj.lineno, parent=obj)
