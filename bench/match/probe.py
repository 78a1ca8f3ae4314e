"""Whether the engines of a match can play it, asked before the first game: one that cannot would lose them all."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from bench.match.players import Fault, Player
from bench.match.referee import GameTask, Referee
from bench.match.wire import WireGame
from engine.errors import CommandError

if TYPE_CHECKING:
    from bench.match.specs import EngineSpec
    from bench.workers import Pool


def refuse(pool: Pool, first: GameTask, engines: tuple[EngineSpec, ...]) -> None:
    """Start every engine where games are played and announce the first game to it.

    Raises: CommandError naming each engine that cannot begin it, and why.
    """
    tasks = [replace(first, number=number, white=engine, black=engine) for number, engine in enumerate(engines)]
    troubles = [""] * len(engines)
    with closing(pool.run(trouble, tasks)) as answers:
        for task, said in answers:
            troubles[task.number] = said and f"{task.white.name}: {said}"
    if any(troubles):
        raise CommandError("; ".join(filter(None, troubles)))


def trouble(task: GameTask) -> str:
    """In a worker: why White cannot begin the game; empty if it can."""
    player = Player(task.white)
    try:
        player.start()
        player.new_game(WireGame(Referee(task, (player, player)).game))
    except Fault as fault:
        return fault.detail
    finally:
        player.close()
    return ""
