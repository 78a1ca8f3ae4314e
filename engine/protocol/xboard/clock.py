"""XBoard's time controls: `level`, `st`, `sd`, `nps` and the two clocks, and the limits of a search by them."""

from __future__ import annotations

from engine.errors import CommandError
from engine.protocol.options import shown, whole
from search.limits import Limits

QUICK = 0.1  # seconds for a move after `st 0`


class Clock:
    """Everything said about time. `level` and `st` replace each other; all other limits hold at once."""

    def __init__(self) -> None:
        self.depth: int | None = None
        self.move_time: float | None = None  # seconds
        self.level: tuple[int, float, float] | None = None  # moves, seconds, increment in seconds
        self.left: list[float | None] = [None, None]  # seconds: ours, the opponent's
        self.rate: float | None = None  # nodes that count as a second; None for real time

    def new_game(self) -> None:
        """Forget what `new` resets."""
        self.depth = self.rate = None
        self.left = [None, None]

    def set_level(self, rest: str) -> None:
        """`level MOVES BASE INCREMENT`: 0 moves for the whole game, base as minutes or minutes:seconds. Raises CommandError."""
        words = rest.split()
        try:
            moves, base, increment = words
            minutes, _, seconds = base.partition(":")
            level = (int(moves), 60 * float(minutes) + float(seconds or 0), float(increment))
        except (ValueError, OverflowError):
            raise CommandError("level expects MOVES MINUTES[:SECONDS] INCREMENT") from None
        if not all(0 <= value < 1e7 for value in level):
            raise CommandError("level out of range")
        if self.move_time is not None:
            self.move_time, self.left = None, [None, None]
        self.level = level

    def set_move_time(self, rest: str) -> None:
        """`st SECONDS`. Raises CommandError."""
        seconds = number("st", rest)
        if seconds < 0:
            raise CommandError("st below zero")
        self.move_time, self.level, self.left = seconds, None, [None, None]

    def set_depth(self, rest: str) -> None:
        """`sd PLIES`. Raises CommandError."""
        plies = whole(rest)
        if plies is None or plies < 1:
            raise CommandError(f"sd {shown(rest)} is not a depth")
        self.depth = plies

    def set_rate(self, rest: str) -> None:
        """`nps NODES`: measure time in nodes. 0 asks for processor time, for which real time will do. Raises CommandError."""
        nodes = number("nps", rest)
        self.rate = nodes if nodes > 0 else None

    def limits(self, turn: int, moves_made: int, overhead: float, spent: float = 0.0, ponder: bool = False) -> Limits:
        """The limits of a search for the side to move, which is ours: 0 White, 1 Black.

        moves_made: by that side so far; overhead: milliseconds kept back on each move; spent: seconds gone from our clock
        since it was read; ponder: think on the opponent's time.
        """
        ours, theirs = self.left
        seconds, to_go, increment = self._for_this_move(), None, 0.0
        if seconds is not None:
            ours = theirs = None
        if self.level is not None:
            moves, base, increment = self.level
            if moves:
                to_go = moves - moves_made % moves
            if ours is None and base > 0:
                ours = base
        if ours is None and seconds is None and self.depth is None:
            seconds = max(increment, 1.0)
        if ours is not None:
            ours += (increment if spent else 0.0) - spent
        clock = [None if time is None else max(1.0, time * 1000) for time in (ours, theirs)]
        white, black = clock if turn == 0 else clock[::-1]
        limits = Limits(depth=self.depth, movetime=None if seconds is None else seconds * 1000, clock=(white, black),
                        increment=(increment * 1000, increment * 1000), moves_to_go=to_go, ponder=ponder)
        if self.rate is None:
            return limits
        from search.clock import budget  # not at the top: it imports numpy, and XBoard waits for our greeting

        most = budget(limits, turn, 0.0).soft
        nodes = None if most is None else max(1, int(most * self.rate / 1000))
        return Limits(depth=self.depth, nodes=nodes, ponder=ponder)

    def _for_this_move(self) -> float | None:
        """Seconds for one move by `st`; None without it. XBoard and Cute Chess then refill the clock before each move."""
        seconds, ours = self.move_time, self.left[0]
        if seconds is None or ours is None:
            return QUICK if seconds == 0 else seconds
        if seconds > 0:
            return min(seconds, ours)
        return ours if ours < 1 else None  # Cute Chess says `st 0` for less than a second


def number(name: str, text: str) -> float:
    """The finite number in a text. Raises CommandError with the name of the command."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) < 1e9:
        raise CommandError(f"{name} {shown(text)} is not a number")
    return value
