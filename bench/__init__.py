"""The commands of `kingmaker`, listed here so that help needs none of their modules."""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """Where a command lives, below `bench`, and what it does."""

    module: str
    help: str


COMMANDS = {
    "perft": Command("perft.command", "count the leaves of the game tree"),
    "match": Command("match.command", "engines against each other at any of the games, our rules being the referee"),
    "verify": Command("check.verify", "games that were played, looked at again by second implementations"),
    "sprt": Command("match.sprt", "what a result is worth, out of counts of games or pairs"),
    "warm": Command("warm", "compile all variants into the cache, with a progress bar"),
    "run": Command("run", "perft table of every variant, then a game between two engines"),
    "speed": Command("perft.speed", "perft and search speed beside other engines, as ratios in one run"),
    "report": Command("report.command", "one web page out of the results of a match"),
    "openings": Command("openings.book", "make a book of balanced positions to begin games from"),
    "study": Command(
        "study.command", "how a game plays, from self-play: first-move advantage, draws, lengths, special moves, piece values"),
    "solve": Command("openings.solve", "prove a forced win, or that there is none, by trying everything"),
    "puzzles": Command("openings.puzzles", "make a suite of forced wins out of the games of a study"),
    "suite": Command("openings.suite", "how many of the proved wins a search finds in a second"),
    "xboard": Command("gui.xboard", "speak the XBoard protocol; with VARIANT: start XBoard with all that the game needs there"),
    "gui-config": Command("gui.config", "print or write what makes a GUI know the engine"),
    "pictures": Command("report.pictures", "draw the boards of docs/variants.md"),
    "doctor": Command("check.doctor", "put an engine through the steps of UCI or the XBoard protocol"),
    "latency": Command("check.latency", "time the answers that need no thinking: start, isready, stop"),
    "signature": Command("check.signature", "nodes of a search of fixed depth in each game"),
    "fuzz": Command("check.fuzz", "send hostile lines by the million over both protocols"),
    "selfplay": Command(
        "tuning.selfplay", "play games of the engine against itself and keep their positions, to fit numbers to"),
    "endings": Command(
        "tuning.endings", "make tables of elementary endings, and what their positions are worth, for the evaluation"),
    "tune": Command("tuning.tune", "fit the evaluation of a game to the positions of selfplay"),
    "spsa": Command("tuning.spsa", "tune the numbers of the search by games against itself"),
    "levels": Command("match.levels", "rate the levels of Skill Level and UCI_Elo by games in orthodox chess"),
    "wdl": Command("tuning.wdl", "fit the chances behind a score to games of the engine against itself"),
}
