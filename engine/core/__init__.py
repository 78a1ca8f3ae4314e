"""Positions, moves, check and the end of the game: what is compiled for each game."""
