"""Retrograde analysis: tables of what every position of an elementary ending is worth."""
