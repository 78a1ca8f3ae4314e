"""A hook of mkdocs: README, CHANGELOG and CONTRIBUTING become pages of the site.

Their links, and links to them, are written for the source tree; here they are made to work in the site too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT_PAGES = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}


def on_files(files: Any, config: Any) -> Any:
    """Add the root pages to the site."""
    root = Path(config.config_file_path).parent
    for name, page in ROOT_PAGES.items():
        files.append(File.generated(config, page, content=(root / name).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Point links where the site has the page: a root page links to docs/NAME and NAME, a page of docs/ to ../NAME."""
    if page.file.src_uri in ROOT_PAGES.values():
        markdown = markdown.replace("](docs/", "](")
        prefix = ""
    else:
        prefix = "../"
    for name, target in ROOT_PAGES.items():
        markdown = markdown.replace(f"]({prefix}{name}", f"]({target}")
    return markdown


def on_serve(server: Any, config: Any, builder: Any) -> Any:
    """Build again when a root page changes."""
    for name in ROOT_PAGES:
        server.watch(str(Path(config.config_file_path).parent / name))
    return server
