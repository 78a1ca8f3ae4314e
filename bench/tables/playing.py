"""Won positions of tables played out: the engine with tables against the engine without."""

from __future__ import annotations

from collections import Counter

import numpy as np

from bench.clients.inprocess import SearchPlayer, turns
from bench.perft.counter import progress
from engine.game import Game
from engine.rules import Rules
from engine.text import to_fen
from search.limits import Limits
from search.searcher import Searcher
from search.tables.probing import Tables

NODES = 1000  # per move, of either side
HASH_MB = 1

# How a game ends, for the side that wins by the tables
ENDS = EXACT, SOONER, LATER, TOO_LONG, NOT_WON = (
    "won in as many plies as the table says", "won sooner", "won later", "drawn by the 50-move rule, as the table says",
    "not won")


class Duel:
    """The engine with tables plays won positions of a game against the engine without."""

    def __init__(self, rules: Rules, tables: Tables, nodes: int = NODES):
        self.rules, self.tables = rules, tables
        self.searchers = Searcher(HASH_MB, tables=tables), Searcher(HASH_MB, bundled=False)
        self.attacker, self.defender = (SearchPlayer(searcher, Limits(nodes=nodes)) for searcher in self.searchers)

    def play(self, game: Game, plies: int) -> str:
        """Play a game to its end; plies: after how many the side to move wins, by the tables.

        Returns EXACT or SOONER for a win after as many or fewer plies, LATER for more, NOT_WON for none. TOO_LONG is a game
        that the 50-move rule draws, as the tables' line says beforehand.
        """
        for searcher in self.searchers:
            searcher.clear()
        winner = game.turn
        too_long = self.tables.line(self.rules, game.pos).too_long
        players = (self.attacker, self.defender) if winner == 0 else (self.defender, self.attacker)
        for _ in turns(game, players):
            pass
        outcome = game.outcome()
        assert outcome is not None
        if outcome.winner != winner:
            return TOO_LONG if too_long else NOT_WON
        played = len(game.moves)
        return EXACT if played == plies else SOONER if played < plies else LATER


def won_positions(rules: Rules, tables: Tables, material: str, count: int, seed: int) -> list[tuple[Game, int]]:
    """Random positions that the side to move wins, and plies to the end; fewer if the table has fewer. Raises TableError."""
    file = tables.file(rules, material)
    assert file is not None, material
    codes = file.codes()
    numbers = np.flatnonzero((codes > 0) & (codes & 1 == 0) & (codes < np.iinfo(codes.dtype).max))
    picked = np.random.default_rng([seed, *material.encode()]).permutation(numbers)[:count]
    found = []
    for number in map(int, picked):
        pos = tables.position(rules, material, number)
        assert pos is not None, (material, number)
        found.append((Game(rules, to_fen(rules, pos)), int(codes[number]) - 1))
    return found


def play_out(rules: Rules, tables: Tables, names: list[str], count: int, seed: int) -> int:
    """Play out won positions of each table and print how they end; exit status. Raises TableError."""
    duel, status = Duel(rules, tables), 0
    with progress(f"games of {rules.name}") as report:
        for done, name in enumerate(names):
            ends = Counter[str]()
            for game, plies in won_positions(rules, tables, name, count, seed):
                fen, end = game.fen(), duel.play(game, plies)
                ends[end] += 1
                if end in (LATER, NOT_WON):
                    status = 1
                    print(f"{rules.name} {name}: {fen} is a win in {plies} plies, and was {end}")
            report(done + 1, len(names))
            if ends:
                told = ", ".join(f"{ends[end]} {end}" for end in ENDS if ends[end])
                print(f"{rules.name} {name}: {ends.total()} won positions played: {told}")
    return status
