"""The commands of `kingmaker`, a module each; listed here so that help needs none of them."""

COMMANDS = {
    "perft": "count the leaves of the game tree",
    "warm": "compile all variants into the cache, with a progress bar",
    "run": "perft table of every variant, then a game between two engines",
    "speed": "perft and search speed beside other engines, as ratios in one run",
    "xboard": "speak the XBoard protocol; with VARIANT: start XBoard with all that the game needs there",
    "gui-config": "print or write what makes a GUI know the engine",
    "pictures": "draw the boards of docs/variants.md",
}
