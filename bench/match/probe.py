"""Checks before the first game that all engines can play it: one that cannot would lose every game."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from bench.match.players import FaultError, Player
from bench.match.referee import GameTask, Referee
from bench.match.specs import EngineSpec
from bench.match.wire import WireGame
from bench.workers import Pool
from engine.errors import CommandError


def refuse(pool: Pool, first: GameTask, engines: tuple[EngineSpec, ...]) -> None:
    """Have a worker start every engine and announce the first game to it.

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
    except FaultError as fault:
        return fault.detail
    finally:
        player.close()
    return ""
