"""Who plays whom, in which round, with which colours and opening. Game numbers never depend on which game ended first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

TOURNAMENTS = ("roundrobin", "gauntlet", "swiss")


@dataclass(frozen=True)
class Fixture:
    """A game of the schedule; players are numbered as on the command line, from 0."""

    number: int  # from 1
    round: int  # from 1
    pair: int  # from 1
    opening: int  # from 0
    white: int
    black: int


@dataclass(frozen=True)
class Schedule:
    """Rounds of encounters of `games` games each; with `repeat`, two in a row share an opening, with colours reversed.

    >>> [(game.white, game.black, game.opening) for game in Schedule(2, rounds=1, games=4).fixtures(0)]
    [(0, 1, 0), (1, 0, 0), (0, 1, 1), (1, 0, 1)]
    """

    players: int
    tournament: str = "roundrobin"
    rounds: int = 1
    games: int = 2
    repeat: bool = True

    @property
    def shares(self) -> int:
        """Openings that one pair of players needs in all rounds; in a Swiss tournament, in one."""
        games = self.games * (1 if self.tournament == "swiss" else self.rounds)
        return -(-games // 2) if self.repeat else games

    @property
    def openings(self) -> int:
        """Openings needed in total."""
        return self.shares * (self.rounds if self.tournament == "swiss" else 1)

    @property
    def total(self) -> int:
        """Games in total."""
        encounters = self.players // 2 if self.tournament == "swiss" else len(self._encounters())
        return encounters * self.games * self.rounds

    def _encounters(self) -> list[tuple[int, int]]:
        if self.tournament == "gauntlet":
            return [(0, other) for other in range(1, self.players)]
        return list(combinations(range(self.players), 2))

    def stages(self) -> int:
        """How many stages there are; the fixtures of a stage are known when all games before it are finished."""
        return self.rounds if self.tournament == "swiss" else 1

    def fixtures(self, stage: int, points: Sequence[float] = (), met: frozenset[tuple[int, int]] = frozenset(),
                 byes: frozenset[int] = frozenset()) -> Iterator[Fixture]:
        """The games of a stage, from 0; a Swiss round depends on the rounds before it."""
        if self.tournament == "swiss":
            yield from self._round(stage + 1, swiss_pairs(self.players, points, met, byes)[0])
            return
        for number in range(1, self.rounds + 1):
            yield from self._round(number, self._encounters())

    def _round(self, number: int, encounters: list[tuple[int, int]]) -> Iterator[Fixture]:
        game = (number - 1) * len(encounters) * self.games
        swiss = self.tournament == "swiss"
        for place, (first, second) in enumerate(encounters):
            for index in range(self.games):
                game += 1
                played = index if swiss else (number - 1) * self.games + index  # games these two have played
                share = played // 2 if self.repeat else played
                turned = (played + (number - 1) * (swiss and self.games % 2)) % 2
                share += (number - 1) * self.shares if swiss else 0
                white, black = (second, first) if turned else (first, second)
                yield Fixture(game, number, share * len(encounters) + place + 1, share, white, black)


def swiss_pairs(players: int, points: Sequence[float], met: frozenset[tuple[int, int]],
                byes: frozenset[int]) -> tuple[list[tuple[int, int]], int | None]:
    """Encounters of the next round, and who has a bye: neighbours in the table who have not met yet, if possible.

    met: (lower, higher) pairs of players; byes: who had a bye before.
    """
    points = list(points) or [0.0] * players
    table = sorted(range(players), key=lambda player: (-points[player], player))
    sitting = None
    if players % 2:
        sitting = next((player for player in reversed(table) if player not in byes), table[-1])
        table.remove(sitting)

    def pair_up(left: list[int], rematches: bool) -> list[tuple[int, int]] | None:
        if not left:
            return []
        first, *rest = left
        for second in rest:
            if rematches or (min(first, second), max(first, second)) not in met:
                others = pair_up([player for player in rest if player != second], rematches)
                if others is not None:
                    return [(first, second), *others]
        return None

    found = pair_up(table, False)
    return (found if found is not None else pair_up(table, True) or []), sitting
