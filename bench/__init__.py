"""The commands of `kingmaker`, listed here so that help needs none of their modules."""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """Where a command lives, below `bench`, and what it does."""

    module: str
    help: str


COMMANDS = {
    "perft": Command("perft.command", "count the leaves of the game tree"),
    "match": Command("match.command", "play engines against each other in any game, refereed by our rules"),
    "verify": Command("check.verify", "check finished games with second implementations of the rules"),
    "sprt": Command("match.sprt", "evaluate a result given as counts of games or pairs"),
    "warm": Command("warm", "compile games into the cache, with a progress bar"),
    "run": Command("run", "show a perft table of the ten main games, then play one game of engine against engine"),
    "speed": Command("perft.speed", "compare perft and search speed with other engines in one run"),
    "report": Command("report.command", "make a web page of the results of a match"),
    "openings": Command("openings.book", "make a book of balanced start positions"),
    "study": Command(
        "study.command", "measure a game by self-play: advantage of the first move, draws, lengths, special moves, values"),
    "solve": Command("openings.solve", "prove a forced win, or that there is none, by exhaustive search"),
    "table": Command(
        "tables.command", "make and ask tables of endings: the exact value of every position of a material"),
    "puzzles": Command("openings.puzzles", "make a suite of forced wins from the games of a study"),
    "suite": Command("openings.suite", "count the proved wins that a search finds in a given time"),
    "judge": Command("judge.command", "measure, without games, how well engines judge positions, move, and see mates"),
    "xboard": Command("gui.xboard", "speak the XBoard protocol; with VARIANT: start XBoard for that game"),
    "gui-config": Command("gui.config", "print or write the configuration that adds the engine to a GUI"),
    "pictures": Command("report.pictures", "draw the boards of docs/variants.md and of the games' pages"),
    "check-variant": Command(
        "check.definitions", "explain a file of definitions, and compare its compiled games with their Boards"),
    "doctor": Command("check.doctor", "examine an engine's UCI or XBoard protocol step by step"),
    "latency": Command("check.latency", "measure how long start, isready and stop take"),
    "signature": Command("check.signature", "count the nodes of a fixed-depth search in each of the ten main games"),
    "fuzz": Command("check.fuzz", "send millions of hostile lines over both protocols"),
    "selfplay": Command(
        "nets.selfplay", "play games of the engine against itself and keep their positions"),
    "endings": Command(
        "endings.command", "solve elementary endings and fit their values for the evaluation"),
    "tune": Command("tuning.tune", "fit the evaluation of a game to positions of selfplay"),
    "walk": Command("nets.walk", "search positions a few random moves away from games of selfplay"),
    "train": Command("nets.train", "train a net for a game on positions of selfplay"),
    "net": Command("nets.net", "show the net of a game: how it was made, what it costs, whether its updates are exact"),
    "spsa": Command("tuning.spsa", "tune the numbers of the search by games of the engine against itself"),
    "levels": Command("match.levels", "rate the levels of Skill Level and UCI_Elo in orthodox chess"),
    "wdl": Command("tuning.wdl", "fit the chances of win, draw and loss behind a score to games of selfplay"),
}
