"""Self-play, and fitting the numbers of the engine to it."""
