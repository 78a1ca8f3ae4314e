"""Counting leaves: by the engine, by other programs, and how fast they are."""
