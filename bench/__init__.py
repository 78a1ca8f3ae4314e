"""The commands of `kingmaker`, a module each; listed here so that help needs none of them."""

COMMANDS = {
    "perft": "count the leaves of the game tree",
    "match": "engines against each other at any of the games, our rules being the referee",
    "sprt": "what a result is worth, out of counts of games or pairs",
    "warm": "compile all variants into the cache, with a progress bar",
    "run": "perft table of every variant, then a game between two engines",
    "speed": "perft and search speed beside other engines, as ratios in one run",
    "report": "one web page out of the results of a match",
    "openings": "make a book of balanced positions to begin games from",
    "study": "how a game plays, from self-play: first-move advantage, draws, lengths, special moves, values of the men",
    "solve": "prove a forced win, or that there is none, by trying everything",
    "puzzles": "make a suite of forced wins out of the games of a study",
    "suite": "how many of the proved wins a search finds in a second",
    "pictures": "draw the boards of docs/variants.md",
    "doctor": "put an engine through the steps of UCI or the XBoard protocol",
    "latency": "time the answers that need no thinking: start, isready, stop",
    "wdl": "fit the chances behind a score to games of the engine against itself",
}
