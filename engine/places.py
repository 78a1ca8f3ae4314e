"""Where the program lies."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent  # holds engine, search, variants and bench, installed or not
