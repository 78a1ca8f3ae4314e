"""An extension of griffe: the `>>>` examples in docstrings are shown as code."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"^>>> .*(?:\n(?=\S).*)*", re.MULTILINE)  # up to a blank line


class Doctests(Extension):
    """Puts a fence around each example."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Called once for every object that was read."""
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(lambda found: f"\n```pycon\n{found[0]}\n```\n", obj.docstring.value)
