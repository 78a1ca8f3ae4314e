"""Kingmaker in a GUI."""
