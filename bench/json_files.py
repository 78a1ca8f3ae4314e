"""Files of JSON that a user names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.errors import CommandError


def read_json(path: Path) -> Any:
    """What a file holds. Raises CommandError naming the file and the reason."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    except ValueError:  # what the reader says is about JSON's grammar, or the encoding
        raise CommandError(f"cannot read {str(path)!r}: not JSON") from None
