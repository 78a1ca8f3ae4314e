"""Why a game is over, as int64.

From CHECKMATE to LAST_LOSS the side to move has lost; ENEMY_EXPLODED is its win; the others are draws.
"""

from __future__ import annotations

(NOT_OVER, CHECKMATE, EXPLOSION, NO_HEIR, KING_CAPTURED, CHECK_LIMIT, ENEMY_EXPLODED, WEAK_MATE, BARE_KING,
 STALEMATE) = range(10)
LAST_LOSS = CHECK_LIMIT
