"""Files that a user names to be read."""

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
        raise CommandError(f"cannot read {str(path)!r}: {reason(error)}") from None
    except ValueError:  # what the reader says is about JSON's grammar, or the encoding
        raise CommandError(f"cannot read {str(path)!r}: not JSON") from None


def reason(error: OSError | UnicodeDecodeError) -> str:
    """Why a text could not be read, without the words of a decoder."""
    return "no text" if isinstance(error, UnicodeDecodeError) else str(error.strerror or error)
