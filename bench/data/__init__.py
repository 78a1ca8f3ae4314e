"""Books of openings, suites of forced wins, peers' settings, templates of pages."""

from pathlib import Path

BOOKS, SUITES, TEMPLATES = (Path(__file__).resolve().parent / name for name in ("books", "suites", "templates"))
