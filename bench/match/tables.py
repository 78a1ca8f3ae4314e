"""Where games are played: a worker has one table, whose engines stay for the next game."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict

from bench.match.players import Player
from bench.match.records import GameRecord
from bench.match.referee import GameTask, Referee
from bench.match.specs import EngineSpec

CHAIRS = 4  # engine processes that stay at a table
IDLE = 20.0  # seconds without a game after which a table sends its engines home

Chair = tuple[EngineSpec, int]  # an engine that plays itself sits on two


class Table:
    """The engines of one worker thread."""

    def __init__(self) -> None:
        self.players: OrderedDict[Chair, Player] = OrderedDict()
        self.lock = threading.Lock()
        self.timer: threading.Timer | None = None

    def play(self, task: GameTask) -> GameRecord:
        """Play a game to its end."""
        with self.lock:
            if self.timer is not None:
                self.timer.cancel()
            try:
                return self._play(task)
            finally:
                self.timer = threading.Timer(IDLE, self.send_home)
                self.timer.daemon = True
                self.timer.start()

    def _play(self, task: GameTask) -> GameRecord:
        white, black = task.specs
        chairs = [(white, 0), (black, int(black == white))]
        for chair in chairs:
            self.players.setdefault(chair, Player(chair[0]))
            self.players.move_to_end(chair)
        while len(self.players) > CHAIRS:
            _, player = self.players.popitem(last=False)
            player.close()
        players = self.players[chairs[0]], self.players[chairs[1]]
        record = Referee(task, players).play()
        for player in players:  # an engine that answered its last question is asleep; one that did not is gone
            if not player.alive:
                player.kill()
        return record

    def send_home(self) -> None:
        """End all engines; they come back with the next game."""
        with self.lock:
            for player in self.players.values():
                player.ask_to_quit()
            for player in self.players.values():
                player.close()
            self.players.clear()


_here = threading.local()


def play(task: GameTask) -> GameRecord:
    """Play a game at this worker thread's table."""
    table = getattr(_here, "table", None)
    if table is None or table[0] != os.getpid():
        table = _here.table = (os.getpid(), Table())
    record: GameRecord = table[1].play(task)
    return record
