"""Self-play, and numbers fitted to it."""
