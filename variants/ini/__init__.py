"""Definitions of games in Fairy-Stockfish's variants.ini format, and with keys for the mechanisms it lacks."""

from variants.ini.reader import Definition, read_definitions
from variants.ini.section import IniError

__all__ = ["Definition", "IniError", "read_definitions"]
