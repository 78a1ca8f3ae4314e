"""Kingmaker: a chess variant engine for games whose king is not what he used to be."""

__version__ = "0.1.0"
