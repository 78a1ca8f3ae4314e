"""Why a game is over, as int64.

Up to LAST_LOSS the side to move has lost, up to LAST_WIN it has won; the others are draws.
"""

from __future__ import annotations

(NOT_OVER, CHECKMATE, EXPLOSION, NO_HEIR, KING_CAPTURED, CHECK_LIMIT, GOAL, EXTINCTION, STALEMATE_LOSS, ENEMY_EXPLODED, OWN_GOAL,
 STALEMATE_WIN, WEAK_MATE, BARE_KING, STALEMATE, BOTH_GOALS) = range(16)
LAST_LOSS = STALEMATE_LOSS
LAST_WIN = STALEMATE_WIN
