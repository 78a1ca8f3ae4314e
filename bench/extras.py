"""Optional libraries that only some commands need.

need() reports a missing one before the work begins, not after hours of it; only then are they imported, inside functions.
"""

from __future__ import annotations

from importlib.util import find_spec

from engine.errors import CommandError

EXTRAS = {"scipy": "arbiter", "matplotlib": "arbiter", "jinja2": "arbiter", "distributed": "cluster", "pyffish": "test"}


def need(*modules: str) -> None:
    """Raise CommandError naming the modules that are not installed and how to install them."""
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        extras = ",".join(dict.fromkeys(EXTRAS[name] for name in missing))
        verb = "is" if len(missing) == 1 else "are"
        raise CommandError(f"{' and '.join(missing)} {verb} not installed: pip install '.[{extras}]' in the source tree")
