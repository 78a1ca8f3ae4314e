"""A mechanism: a rule beyond the moves of the pieces, such as exploding captures, titles that rotate, an heir to the king.

Each is a module of engine/core/mechanisms that describes itself by one Mechanism: the trait that switches it on and its hooks,
kernels that the core calls where the mechanism acts, in loops over `rules.mechanisms`. The specialiser unrolls these loops for
each game, so that a game without the mechanism has no trace of it, and a hook costs what its code costs.

The core does not import the modules; they register themselves here. So a mechanism may use all of the core, and the rules,
which know nothing of numba, can still be read in milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from engine.rules.traits import Traits

Hook = Callable[..., Any] | None  # a kernel, or None if the mechanism does nothing there


@dataclass(frozen=True, eq=False, kw_only=True)
class Mechanism:
    """What the core needs to know of a mechanism.

    In hooks rules is the RulesType; pos and child are positions, uint64[words]; bitboards, squares, moves, colours and numbers
    of moves are uint64; moves is uint32[rules.max_moves], untouched if mode is COUNT; mode is a literal of movegen.
    """

    name: str
    trait: str = ""
    """The trait that switches it on, as it is declared."""

    active: Callable[[Traits], bool] | None = None
    """Whether it is at work, if that is more than one trait."""

    # Making a move.
    kind: np.uint64 | None = None
    """The kind of move that is the mechanism's own, in engine/core/moves.py, if it has one."""

    make: Hook = None
    """make(rules, pos, child, move) -> bitboard: the pieces after a move of that kind; returns the squares that changed."""

    after_move: Hook = None
    """after_move(rules, pos, child, move, captured) -> bitboard: what an ordinary move changes besides, the pieces of `child`
    being moved already; returns the squares on which the move alone does not tell what stood or stands there."""

    after_turn: Hook = None
    """after_turn(rules, pos, child): words that depend on the complete new position, their part of the key included."""

    # Generating moves.
    takes_over: Hook = None
    """takes_over(rules, pos) -> bool: whether `generate` lists the moves of this position instead of the core."""

    generate: Hook = None
    """generate(rules, pos, mode, moves) -> number of moves."""

    add_moves: Hook = None
    """add_moves(rules, pos, mode, moves, n) -> n and what it grows to: moves besides the core's."""

    capture_allowed: Hook = None
    """capture_allowed(rules, pos, king, removed, target) -> bool: whether a capture on the square `target` that lifts `removed`
    leaves the own king, on the square `king`, standing and safe. It stands in for the core's look at the attackers."""

    add_captures: Hook = None
    """add_captures(rules, pos, mode, moves, n, king, targets) -> n and what it grows to: captures onto `targets` that have to
    be tried one by one, if the king is attacked or on a line with a slider."""

    castling_rooks: Hook = None
    """castling_rooks(rules, pos, king) -> bitboard: rooks the king on that square may castle with, check apart."""

    add_castlings: Hook = None
    """add_castlings(rules, pos, mode, moves, n, king, rooks, danger) -> n and what it grows to. danger: squares on which the
    king, lifted from the board, would be in check."""

    count_castlings: Hook = None
    """count_castlings(rules, pos, king, rooks, danger) -> number of moves that add_castlings would add."""

    # Check and the end of the game.
    in_check: Hook = None
    """in_check(rules, pos, colour) -> bool: instead of the core's answer."""

    en_passant_possible: Hook = None
    """en_passant_possible(rules, pos, capturers) -> bool: whether one of these pawns may; instead of the core's answer."""

    over_at_once: Hook = None
    """over_at_once(rules, pos) -> int64: the reason (engine/core/reasons.py) that ends the game whatever moves there are."""

    already_won: Hook = None
    """already_won(rules, pos) -> int64: the reason if the side to move has won, as only a position that was set up can be."""

    judge_mate: Hook = None
    """judge_mate(rules, pos) -> int64: the reason if the side to move is mated, CHECKMATE or a lesser one."""

    def at_work(self, traits: Traits) -> bool:
        """Whether a game has the mechanism."""
        return bool(traits.declared[self.trait]) if self.active is None else self.active(traits)


_REGISTERED: list[Mechanism] = []


def register(*mechanisms: Mechanism) -> None:
    """Make mechanisms known, in the order in which their hooks run."""
    _REGISTERED.extend(mechanisms)


def registered() -> tuple[Mechanism, ...]:
    """All mechanisms. Raises RuntimeError before engine.core.mechanisms was imported: a game would be compiled without them."""
    if not _REGISTERED:
        raise RuntimeError("engine.core.mechanisms was not imported")
    return tuple(_REGISTERED)
