"""Kingmaker: a chess variant engine for games whose king is not what he used to be.

From Python, begin with engine.game.Game and search.analysis; docs/api.md lists what is public. Importing this package imports
no part of it, so that the protocols can greet a GUI before numba is loaded.
"""

__version__ = "0.1.0"
