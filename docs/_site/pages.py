"""A hook of mkdocs: README, CHANGELOG and CONTRIBUTING become pages of the site, and pages name only files that exist.

The links of these three, and links to them, are written for the source tree; here they are made to work in the site too.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT_PAGES = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
SOURCE = re.compile(r"`((?:engine|search|variants|bench|tests|docs)/[\w./-]*)`")
EXAMPLE = re.compile(r"[A-Z]{2,}")  # `variants/NAME.py` is no file
log = logging.getLogger("mkdocs.hooks.pages")  # --strict counts its warnings


def on_files(files: Any, config: Any) -> Any:
    """Add the root pages to the site."""
    root = Path(config.config_file_path).parent
    for name, page in ROOT_PAGES.items():
        files.append(File.generated(config, page, content=(root / name).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Point links where the site has the page: a root page links to docs/NAME and NAME, a page of docs/ to ../NAME."""
    uri = page.file.src_uri
    if uri != ROOT_PAGES["CHANGELOG.md"]:  # what was so once may be gone
        root = Path(config.config_file_path).parent
        for path in SOURCE.findall(markdown):
            if not (root / path).exists() and not EXAMPLE.search(path):
                log.warning("Doc file '%s' names '%s', but there is no such file.", uri, path)
    prefix = "../"
    if uri in ROOT_PAGES.values():
        markdown, prefix = markdown.replace("](docs/", "]("), ""
    for name, target in ROOT_PAGES.items():
        markdown = markdown.replace(f"]({prefix}{name}", f"]({target}")
    return markdown


def on_serve(server: Any, config: Any, builder: Any) -> Any:
    """Build again when a root page changes."""
    for name in ROOT_PAGES:
        server.watch(str(Path(config.config_file_path).parent / name))
    return server
