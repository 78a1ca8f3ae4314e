"""Rules beyond the moves of the pieces, a module each; engine/rules/mechanism.py says what a module offers.

Importing this package makes them known, in the order in which their hooks run: what ends a game or forces a move comes before
what lists moves; what changes pieces comes before castling, which then looks at whether king and rook still stand.
"""

from engine.core.mechanisms.bare_king import BARE_KING_MECHANISM
from engine.core.mechanisms.castling import CASTLING_MECHANISM
from engine.core.mechanisms.check_limit import CHECK_LIMIT_MECHANISM
from engine.core.mechanisms.driven_king import DRIVEN_KING_MECHANISM
from engine.core.mechanisms.drops import DROPS_MECHANISM
from engine.core.mechanisms.explosion import EXPLOSION_MECHANISM
from engine.core.mechanisms.extinction import EXTINCTION_MECHANISM
from engine.core.mechanisms.forbidden_checks import FORBIDDEN_CHECKS_MECHANISM
from engine.core.mechanisms.forbidden_mates import FORBIDDEN_MATES_MECHANISM
from engine.core.mechanisms.forced_captures import FORCED_CAPTURES_MECHANISM
from engine.core.mechanisms.goal import GOAL_MECHANISM
from engine.core.mechanisms.king_capture import KING_CAPTURE_MECHANISM
from engine.core.mechanisms.kingless import KINGLESS_MECHANISM
from engine.core.mechanisms.mate_series import MATE_SERIES_MECHANISM
from engine.core.mechanisms.opening import OPENING_MECHANISM
from engine.core.mechanisms.succession import SUCCESSION_MECHANISM
from engine.core.mechanisms.titles import TITLES_MECHANISM
from engine.rules.mechanism import register

register(
    BARE_KING_MECHANISM, EXTINCTION_MECHANISM, GOAL_MECHANISM, CHECK_LIMIT_MECHANISM, OPENING_MECHANISM, EXPLOSION_MECHANISM,
    SUCCESSION_MECHANISM, KING_CAPTURE_MECHANISM, KINGLESS_MECHANISM, TITLES_MECHANISM, FORCED_CAPTURES_MECHANISM,
    FORBIDDEN_CHECKS_MECHANISM, DROPS_MECHANISM, CASTLING_MECHANISM, FORBIDDEN_MATES_MECHANISM, DRIVEN_KING_MECHANISM,
    MATE_SERIES_MECHANISM)
