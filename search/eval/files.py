"""Numbers of a game on disk, as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.errors import EngineError


class TunedError(EngineError):
    """A file of numbers that cannot be used."""


def read_file(path: Path) -> dict[str, Any]:
    """What is written in a file of numbers, empty where there is none. Raises TunedError."""
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise TunedError(f"cannot read {str(path)!r}: {error}") from None
    return found
