"""Files that results go to. A command checks them before its work, which would be lost otherwise."""

from __future__ import annotations

import os
from pathlib import Path

from engine.errors import CommandError


def check_writable(*paths: Path) -> None:
    """Raise CommandError unless all these files can be written; folders that they need are made."""
    for path in paths:
        try:
            if path.is_file():
                path.open("ab").close()
            elif not path.exists():
                if not path.parent.exists():
                    path.parent.mkdir(parents=True)
                path.open("xb").close()
                path.unlink()
            elif path.is_dir():
                raise CommandError(f"cannot write {str(path)!r}: it is a folder")
            elif not os.access(path, os.W_OK):  # a pipe or a device: to open it would say something to its other end
                raise CommandError(f"cannot write {str(path)!r}: permission denied")
        except OSError as error:
            raise CommandError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
