"""Rules beyond the moves of the pieces, a module each; engine/rules/mechanism.py says what a module offers.

Importing this package makes them known, in the order in which their hooks run: what ends a game or forces a move comes before
what lists moves; what changes pieces comes before castling, which then looks at whether king and rook still stand.
"""

import importlib

from engine.rules.mechanism import register

ORDER = (
    "bare_king", "extinction", "goal", "check_limit", "opening", "explosion", "succession", "king_capture", "kingless",
    "titles", "forced_captures", "forbidden_checks", "drops", "castling", "forbidden_mates", "driven_king", "mate_series")

register(*(importlib.import_module(f"{__name__}.{name}").MECHANISM for name in ORDER))
