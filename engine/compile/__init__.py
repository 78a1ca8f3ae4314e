"""From a function and a game's rules to machine code that is kept."""
