"""What a match shows while it runs: a live table on a terminal, plain lines on a pipe, or JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from bench.match.ratings import rate
from bench.match.records import GameRecord
from bench.match.standings import Standings
from bench.match.stats import PAIR_NAMES, plus_minus

LAST = 5  # last games that the terminal lists


class Display:
    """Shows standings on standard output."""

    def __init__(self, standings: Standings, json_lines: bool):
        self.standings = standings
        self.json = json_lines
        self.start, self.cpu = time.monotonic(), time.process_time()
        self.before = standings.finished  # games of earlier sessions
        self.moves_before = standings.plies
        self.last: list[str] = []
        self._live: Live | None = None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Keep the table on the screen."""
        if self.json or not sys.stdout.isatty():
            yield
            return
        with Live(self.table(), auto_refresh=False, transient=True) as self._live:
            yield
        self._live = None

    def game(self, record: GameRecord) -> None:
        """Show a game that has ended."""
        why = record.reason.value + (f": {record.detail}" if record.detail else "")
        line = (f"Game {record.number} of {self.standings.setup.schedule.total} ({record.white} - {record.black}): "
                f"{record.result} {{{why}}}, {len(record.plies)} plies")
        warnings = [f"Game {record.number}: {record.mover(ply)} reports an illegal line at ply {ply}: {text}"
                    for ply, text in record.illegal_lines.items()]
        if self.json:
            print(json.dumps({
                "game": record.number, "round": record.round, "pair": record.pair, "white": record.white, "black": record.black,
                "result": record.result, "reason": record.reason.value, "detail": record.detail, "plies": len(record.plies),
                "illegal_lines": len(record.illegal_lines), "seconds": round(record.finished - record.started, 3)}), flush=True)
        elif self._live is not None:
            self.last = [*self.last, line, *warnings][-LAST:]
            self._live.update(self.table(), refresh=True)
        else:
            print(*[line, *warnings], sep="\n", flush=True)
            print(self.score_line(), flush=True)

    def score_line(self) -> str:
        """The score in one line."""
        standings = self.standings
        first = standings.names[0]
        parts = [f"{first}: +{standings.wins[first]} ={standings.draws[first]} -{standings.losses[first]}"]
        if len(standings.names) == 2:
            if tally := standings.tally():
                parts.append(f"Elo {plus_minus(*tally.elo())}, LOS {tally.los():.1%}")
            if standings.setup.schedule.repeat:
                parts.append(f"pairs {' '.join(map(str, standings.pairs()))}")
        else:
            parts = [", ".join(f"{name} {standings.points(name):g}" for name in
                               sorted(standings.names, key=standings.points, reverse=True))]
        if (rate := standings.draw_rate()) is not None:
            parts.append(f"draws {rate:.0%}")
        if standings.setup.sprt:
            parts.append(self._llr())
        if left := self.time_left():
            parts.append(f"left {left}")
        return "  ".join(parts)

    def _llr(self) -> str:
        sprt = self.standings.setup.sprt
        assert sprt is not None
        return f"LLR {self.standings.llr():z.2f} ({sprt.lower:.2f}, {sprt.upper:.2f}) [{sprt.elo0:g}, {sprt.elo1:g}]"

    def _faults(self) -> str:
        counts = self.standings.faults.items()
        return "faults: " + ", ".join(f"{name} {reason} {count}" for (name, reason), count in counts)

    def _illegal_lines(self) -> str:
        return "illegal lines: " + ", ".join(f"{name} {count}" for name, count in self.standings.illegal_lines.items())

    def time_left(self) -> str:
        """An estimate from the games of this session; empty without any."""
        done = self.standings.finished - self.before
        todo = self.standings.setup.schedule.total - self.standings.finished
        if not done or todo <= 0:
            return ""
        seconds = int((time.monotonic() - self.start) / done * todo)
        return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"

    def table(self) -> Table:
        """The table for a terminal."""
        standings, setup = self.standings, self.standings.setup
        title = f"{setup.variant}, {standings.finished} of {setup.schedule.total} games"
        if left := self.time_left():
            title += f", {left} left"
        table = Table(title=title, caption_justify="left")
        columns = ["player", "points", "games", "+", "=", "-"]
        two = len(standings.names) == 2
        columns += ["Elo", "LOS"] if two else ["Elo"]
        for column in columns:
            table.add_column(column, justify="left" if column == "player" else "right")
        ratings: dict[str, str] = {}
        los: dict[str, str] = {}
        tally = standings.tally() if two else None
        if tally is not None:
            (elo, error), first, second = tally.elo(), *standings.names
            ratings = {first: plus_minus(elo, error), second: plus_minus(-elo, error)}
            los = {first: f"{tally.los():.1%}", second: f"{1 - tally.los():.1%}"}
        elif not two and standings.counted:
            found = rate(standings.names, standings.games)[0]
            ratings = {rating.name: plus_minus(rating.elo, rating.error) for rating in found}
        for name in sorted(standings.names, key=standings.points, reverse=True):
            games = standings.wins[name] + standings.draws[name] + standings.losses[name]
            cells = [name, f"{standings.points(name):g}", str(games), str(standings.wins[name]), str(standings.draws[name]),
                     str(standings.losses[name]), ratings.get(name, "")]
            table.add_row(*cells, *([los.get(name, "")] if two else []))
        notes = []
        if two and setup.schedule.repeat:
            counts = zip(PAIR_NAMES, standings.pairs(), strict=True)
            notes.append("pairs " + ", ".join(f"{name} {count}" for name, count in counts))
        if (rate_drawn := standings.draw_rate()) is not None:
            notes.append(f"draws {rate_drawn:.1%}, White {standings.white_points / standings.counted:.1%}")
        if sprt := setup.sprt:
            notes.append(f"{self._llr()} {sprt.model}")
        if standings.faults:
            notes.append(self._faults())
        if standings.illegal_lines:
            notes.append(self._illegal_lines())
        table.caption = Text("\n".join(notes + self.last), overflow="fold")
        return table

    def final(self) -> None:
        """Show the result at the end."""
        standings = self.standings
        if self.json:
            print(json.dumps({"result": standings.summary()}), flush=True)
            return
        if sys.stdout.isatty():
            self.last = list(self._ends())
            Console().print(self.table())
        else:
            for line in [*self._lines(), *self._ends()]:
                print(line)
        if standings.setup.sprt:
            verdict = {"H0": "elo0 accepted", "H1": "elo1 accepted"}.get(standings.verdict(), "not decided")
            print(f"SPRT: {verdict}")
        sys.stdout.flush()  # before anything on stderr

    def _lines(self) -> Iterator[str]:
        standings = self.standings
        yield self.score_line()
        if len(standings.names) > 2 and standings.counted:
            ratings, white, error = rate(standings.names, standings.games)
            for place, rating in enumerate(ratings, 1):
                yield f"{place}. {rating.name}: {rating.points:g} of {rating.games}, Elo {plus_minus(rating.elo, rating.error)}"
            yield f"White's advantage: Elo {plus_minus(white, error)}"
        elif tally := standings.tally():
            yield tally.text()
        if standings.faults:
            yield self._faults()
        if standings.illegal_lines:
            yield self._illegal_lines()

    def _ends(self) -> Iterator[str]:
        standings = self.standings
        if standings.reasons:
            yield "ends: " + ", ".join(f"{reason} {count}" for reason, count in standings.reasons.most_common())
        if standings.plies:
            moves = max(standings.plies - self.moves_before, 1)
            yield (f"CPU per move: {1000 * standings.overhead / standings.plies:.2f} ms referee, "
                   f"{1000 * (time.process_time() - self.cpu) / moves:.2f} ms results and statistics")
