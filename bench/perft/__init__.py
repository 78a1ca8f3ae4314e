"""Counting leaves: our own counts, those of others, and the speed of both."""
