"""How a game plays, measured in games of the engine against itself."""
