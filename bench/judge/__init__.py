"""Measures of strength that need no games: `kingmaker judge`."""
