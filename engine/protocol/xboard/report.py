"""What XBoard is told of a search, and of a game that is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.game import Outcome
    from search.limits import Info

MATE_SCORE = 100_000  # plus or minus the moves to mate

# By the value of engine.game.Reason
REASONS = {
    "checkmate": "{winner} mates", "explosion": "{winner} explodes the king", "no heir": "{winner} takes the last king",
    "stalemate": "Stalemate", "niol": "Niol: mate without a shak", "robado": "Robado: a bare king",
    "insufficient material": "Insufficient material",
}


def thinking(info: Info, rate: float | None, spell: Callable[[int], str]) -> str:
    """A line of thinking: depth, score, centiseconds, nodes, selective depth, nodes per second, tablebase hits, variation.

    rate: nodes that count as a second, None for real time; spell: writes a move.
    """
    mate, score = info.mate, info.score
    if mate is not None:
        score = MATE_SCORE + mate if mate > 0 else mate - MATE_SCORE
    milliseconds = info.time if rate is None else info.nodes * 1000 / rate
    pv = " ".join(map(spell, info.pv))
    return (f"{info.depth} {score} {int(milliseconds / 10)} {info.nodes} {info.seldepth} "
            f"{int(info.nodes * 1000 / max(info.time, 1))} {info.tbhits}\t{pv}")


def claim(outcome: Outcome | None) -> str:
    """The line that ends a game; empty if it is not over.

    Draws by repetition and 50 moves are offered: GUIs count for themselves, and punish a claim that they think is wrong.
    """
    if outcome is None:
        return ""
    if outcome.claimable:
        return "offer draw"
    winner = "" if outcome.winner is None else ("White", "Black")[outcome.winner]
    reason = REASONS.get(outcome.reason.value, outcome.reason.value).format(winner=winner)
    return f"{outcome.result} {{{reason}}}"
